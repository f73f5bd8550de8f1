package specfile

import (
	"reflect"
	"slices"
	"strings"
	"time"

	"evlab/experiments"
)

// MachineKeys are the fields that the environment and flags may override: they say where things are and how much of
// the machine to use, and never what a result means.
var MachineKeys = []string{
	"sandbox", "engine", "concurrency.tasks", "concurrency.steps", "cohort.path", "cohort.tasks", "cohort.repos",
}

// EnvName is the variable that overrides key: EVLAB_CONCURRENCY_TASKS for concurrency.tasks.
func EnvName(key string) string {
	return envPrefix + strings.ToUpper(strings.ReplaceAll(key, ".", "_"))
}

const envPrefix = "EVLAB_"

// pathKeys are fields that hold a path, and the one in a list whose index varies.
var pathKeys = []string{"cohort.path", "cohort.tasks", "cohort.repos"}

var (
	durationType  = reflect.TypeFor[time.Duration]()
	bytesType     = reflect.TypeFor[experiments.Bytes]()
	specType      = reflect.TypeFor[experiments.Spec]()
	cohortType    = reflect.TypeFor[experiments.CohortSource]()
	conditionType = reflect.TypeFor[experiments.ConditionSpec]()
	executorType  = reflect.TypeFor[experiments.ExecutorSpec]()
)

// field is one key of a mapping, read off the struct's mapstructure tag so that the walk can't drift from the spec.
type field struct {
	name     string
	typ      reflect.Type
	index    int
	optional bool // an empty value is left out when written
}

func fieldsOf(t reflect.Type) []field {
	fields := make([]field, 0, t.NumField())
	for i := range t.NumField() {
		f := t.Field(i)
		if name := f.Tag.Get("mapstructure"); name != "" {
			optional := strings.HasSuffix(f.Tag.Get("json"), ",omitempty")
			fields = append(fields, field{name: name, typ: f.Type, index: i, optional: optional})
		}
	}
	return fields
}

// shorthand is what a bare word stands for where a mapping of type t is expected; nil when it stands for nothing.
func shorthand(t reflect.Type, word string) map[string]any {
	switch t {
	case cohortType:
		if isPath(word) {
			return map[string]any{"path": word}
		}
		return map[string]any{"name": word}
	case conditionType, executorType:
		return map[string]any{"kind": word}
	}
	return nil
}

// isPath tells a cohort folder from a bundled cohort's name: it has a slash or begins with a dot.
func isPath(word string) bool { return strings.ContainsAny(word, `/\`) || strings.HasPrefix(word, ".") }

// schemaKeys lists the keys of every field below t, without list indexes: "conditions", "conditions.kind", ...
func schemaKeys(t reflect.Type, prefix string) []string {
	var keys []string
	for _, f := range fieldsOf(t) {
		key := prefix + f.name
		keys = append(keys, key)
		inner := f.typ
		if inner.Kind() == reflect.Slice {
			inner = inner.Elem()
		}
		if inner.Kind() == reflect.Struct {
			keys = append(keys, schemaKeys(inner, key+".")...)
		}
	}
	return keys
}

// homeOf names the mapping where a key that was found in the wrong place belongs, when there is exactly one such place.
func homeOf(name string) string {
	var homes []string
	for _, key := range schemaKeys(specType, "") {
		if at := strings.LastIndexByte(key, '.'); at >= 0 && key[at+1:] == name {
			homes = append(homes, key[:at])
		}
	}
	if len(homes) != 1 {
		return ""
	}
	return homes[0]
}

func isMachineKey(key string) bool { return slices.Contains(MachineKeys, key) }
