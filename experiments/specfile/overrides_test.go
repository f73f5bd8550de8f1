package specfile_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"evlab/experiments/specfile"
)

func TestPrecedence(t *testing.T) {
	file := minimal + "sandbox: host\nconcurrency: {tasks: 1, steps: 1}\n"
	o := specfile.Overrides{
		Env:   []string{"EVLAB_SANDBOX=docker", "EVLAB_CONCURRENCY_TASKS=5", "EVLAB_ENGINE=", "EVLAB_DATA=/d", "SANDBOX=x"},
		Flags: map[string]string{"concurrency.tasks": "7"},
	}
	l := mustParse(t, file, o)
	s := l.Spec
	if s.Sandbox != "docker" || s.Concurrency.Tasks != 7 || s.Concurrency.Steps != 1 || s.Engine != "" {
		t.Errorf("got sandbox %s, tasks %d, steps %d, engine %q", s.Sandbox, s.Concurrency.Tasks, s.Concurrency.Steps, s.Engine)
	}
	for key, want := range map[string]string{
		"sandbox": "EVLAB_SANDBOX", "concurrency.tasks": "--concurrency-tasks", "concurrency.steps": "line 6", "engine": "default",
		"cohort.name": "line 2", "conditions[1].kind": "line 3", "conditions[1].name": "default", "replicates": "default", "tasks": "default",
	} {
		if got := l.Origins[key].String(); got != want {
			t.Errorf("%s comes from %s, want %s", key, got, want)
		}
	}
	for _, v := range specfile.Values(s) {
		if _, ok := l.Origins[v.Key]; !ok {
			t.Errorf("%s has no origin", v.Key)
		}
	}
}

func TestScienceCannotBeOverridden(t *testing.T) {
	for _, name := range []string{
		"EVLAB_REPLICATES", "EVLAB_NAME", "EVLAB_COHORT", "EVLAB_COHORT_NAME", "EVLAB_COHORT_LANGUAGE", "EVLAB_TASKS", "EVLAB_TASKS_0",
		"EVLAB_CONDITIONS_0_K1", "EVLAB_TRACKS_REPAIR_ROUNDS", "EVLAB_LIMITS_MEMORY", "EVLAB_CONTRASTS", "EVLAB_EXECUTORS_0_PREDICTIONS",
	} {
		_, err := specfile.Parse("f", []byte(minimal), specfile.Overrides{Env: []string{name + "=2"}})
		if err == nil || !strings.HasPrefix(err.Error(), name+": ") || !strings.Contains(err.Error(), "unset the variable") {
			t.Errorf("%s: %v", name, err)
		}
	}
	_, err := specfile.Parse("f", []byte(minimal), specfile.Overrides{Flags: map[string]string{"replicates": "2"}})
	if err == nil || !strings.HasPrefix(err.Error(), "--replicates: ") {
		t.Errorf("flag: %v", err)
	}
	mustParse(t, minimal, specfile.Overrides{Env: []string{ // none of these is a field
		"EVLAB_NAME_OF_MY_PET=x", "EVLAB_REPLICATES=", "EVLAB_PROGRESS=json", "EVLAB_COHORTS=x",
	}})
}

func TestFaultsOfOverridesNameTheOverride(t *testing.T) {
	for name, c := range map[string]struct {
		o    specfile.Overrides
		want string
	}{
		"not a number": {specfile.Overrides{Env: []string{"EVLAB_CONCURRENCY_STEPS=many"}},
			`EVLAB_CONCURRENCY_STEPS: concurrency.steps: expected a whole number, found "many"`},
		"impossible": {specfile.Overrides{Flags: map[string]string{"sandbox": "chroot"}}, `--sandbox: "chroot" is not one of`},
		"no such file": {specfile.Overrides{Env: []string{"EVLAB_COHORT_PATH=/no/such"}},
			"EVLAB_COHORT_PATH: cohort: give one of a name, a path, or tasks"},
	} {
		_, err := specfile.Parse("f", []byte(minimal), c.o)
		if err == nil || !strings.HasPrefix(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: got %v, want %s", name, err, c.want)
		}
	}
}

func TestCohortMayLieElsewhere(t *testing.T) {
	here := t.TempDir()
	t.Chdir(here)
	if err := os.Mkdir("mine", 0o755); err != nil {
		t.Fatal(err)
	}
	file := strings.Replace(minimal, "cohort: demo", "cohort: ./theirs", 1)
	l := mustParse(t, file, specfile.Overrides{Env: []string{"EVLAB_COHORT_PATH=mine"}})
	if want := filepath.Join(here, "mine"); l.Spec.Cohort.Path != want {
		t.Errorf("got %s, want %s: a path in the environment is relative to the current folder", l.Spec.Cohort.Path, want)
	}
}
