package specfile

import (
	"fmt"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"

	"evlab/experiments"
)

// Overrides is what may be said outside of the file. The zero value overrides nothing.
type Overrides struct {
	Env   []string          // KEY=VALUE, as os.Environ gives it; only EVLAB_ variables are looked at
	Flags map[string]string // a machine key ("concurrency.tasks") to its text
	// Cohorts are the bundled cohorts' names, for "did you mean"; nil leaves a name unchecked.
	Cohorts []string
}

// override is one accepted value from outside of the file.
type override struct {
	value  any
	origin Origin
}

// read checks every override and returns those from the environment and those from flags, by key.
func (o Overrides) read(c *collector) (env, flags map[string]override) {
	env, flags = map[string]override{}, map[string]override{}
	variables := slices.Clone(o.Env)
	sort.Strings(variables)
	for _, kv := range variables {
		name, text, _ := strings.Cut(kv, "=")
		if !strings.HasPrefix(name, envPrefix) || text == "" { // an empty variable is an unset one
			continue
		}
		if key, science := scienceKey(name); science {
			c.add(Fault{Place: name, Msg: fmt.Sprintf("%s decides what the experiment means, so the experiment file alone can say it; "+
				"unset the variable and edit the file", key)})
			continue
		}
		for _, key := range MachineKeys {
			if EnvName(key) == name {
				take(c, env, key, text, Origin{Source: FromEnvironment, Name: name})
			}
		}
	}
	keys := make([]string, 0, len(o.Flags))
	for key := range o.Flags {
		keys = append(keys, key)
	}
	sort.Strings(keys)
	for _, key := range keys {
		name := "--" + strings.ReplaceAll(key, ".", "-")
		if !isMachineKey(key) {
			c.add(Fault{Place: name, Msg: fmt.Sprintf("%s can be said in the experiment file only", key)})
			continue
		}
		take(c, flags, key, o.Flags[key], Origin{Source: FromFlag, Name: name})
	}
	return env, flags
}

// take converts an override's text. Paths in it are relative to the current folder, where its author typed it.
func take(c *collector, into map[string]override, key, text string, origin Origin) {
	var value any = text
	switch {
	case strings.HasPrefix(key, "concurrency."):
		n, err := strconv.Atoi(text)
		if err != nil {
			c.add(Fault{Place: origin.Name, Key: key, Msg: fmt.Sprintf("expected a whole number, found %q", clip(text))})
			return
		}
		value = n
	case slices.Contains(pathKeys, key) && !isElsewhere(key, text):
		abs, err := filepath.Abs(text)
		if err != nil {
			c.add(Fault{Place: origin.Name, Key: key, Msg: fmt.Sprintf("making %q absolute: %v", clip(text), err)})
			return
		}
		value = abs
	}
	into[key] = override{value, origin}
}

// scienceKey reports whether a variable names a scientific field of the spec, or something below one
// (EVLAB_CONDITIONS_0_KIND), and which.
func scienceKey(variable string) (key string, is bool) {
	for _, k := range schemaKeys(specType, "") {
		exact := variable == EnvName(k)
		below := container(k) && strings.HasPrefix(variable, EnvName(k)+"_")
		switch {
		case isMachineKey(k) && exact:
			return "", false
		case k == "concurrency", below && machineBelow(k): // EVLAB_COHORT_PATH is below cohort, and not science
			continue
		case (exact || below) && len(k) > len(key):
			key = k
		}
	}
	return key, key != ""
}

// container reports whether a key of the schema is a list or a mapping.
func container(key string) bool {
	return key == "tasks" || slices.ContainsFunc(schemaKeys(specType, ""), func(k string) bool { return strings.HasPrefix(k, key+".") })
}

func machineBelow(key string) bool {
	return slices.ContainsFunc(MachineKeys, func(m string) bool { return strings.HasPrefix(m, key+".") })
}

// checkName reports a bundled cohort that there isn't.
func (o Overrides) checkName(name string) string {
	if o.Cohorts == nil || name == "" || slices.Contains(o.Cohorts, name) {
		return ""
	}
	return fmt.Sprintf("%q is not a bundled cohort (there is %s)%s; a folder is written with a slash, as ./%s",
		name, strings.Join(o.Cohorts, ", "), experiments.Suggest(name, o.Cohorts), name)
}
