package localization

import (
	"path"
	"slices"
	"strings"

	"evlab/evidence"
)

// ciFolders and ciFiles are the configuration of the usual services of continuous integration, in lower case.
var (
	ciFolders = []string{
		".github/workflows", ".github/actions", ".circleci", ".gitlab/ci", ".gitlab-ci", ".buildkite", ".teamcity", ".woodpecker", ".azure-pipelines",
		".azuredevops", ".semaphore", ".tekton", ".concourse",
	}
	ciFiles = map[string]bool{
		".gitlab-ci.yml": true, ".gitlab-ci.yaml": true, ".travis.yml": true, ".appveyor.yml": true, "appveyor.yml": true, "azure-pipelines.yml": true,
		"azure-pipelines.yaml": true, "bitbucket-pipelines.yml": true, "jenkinsfile": true, ".cirrus.yml": true, ".drone.yml": true, "buildkite.yml": true,
		".woodpecker.yml": true, "circle.yml": true, "wercker.yml": true, "codecov.yml": true, ".codecov.yml": true,
	}
	// evaluatorFiles are the scripts with which the usual harnesses run a task.
	evaluatorFiles = map[string]bool{"eval.sh": true, "eval_script.sh": true, "run_tests.sh": true, "run_evaluation.py": true, "test_patch.diff": true}
)

// notATarget is why a normalised path is no place for a repair, empty when it is one (section F.4: no tests, fixtures,
// snapshots, CI or evaluator files). evaluator are paths, or folders with a slash at their end, that the task names.
func notATarget(p string, evaluator []string) Reason {
	lower := strings.ToLower(p)
	if slices.ContainsFunc(evaluator, func(e string) bool { return p == e || strings.HasSuffix(e, "/") && strings.HasPrefix(p, e) }) ||
		evaluatorFiles[lower] {
		return Evaluator
	}
	if ciFiles[path.Base(lower)] || slices.ContainsFunc(ciFolders, func(dir string) bool { return strings.HasPrefix(lower, dir+"/") }) {
		return CI
	}
	if evidence.IsTestPath(p) {
		return Test
	}
	return ""
}
