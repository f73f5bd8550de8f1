package specfile

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"

	"evlab/experiments"
)

// Where a value comes from, strongest first.
const (
	FromFlag        = "flag"
	FromEnvironment = "environment"
	FromFile        = "file"
	FromDefault     = "default"
)

// Origin says where a value comes from.
type Origin struct {
	Source string `json:"source"`         // flag, environment, file or default
	Name   string `json:"name,omitempty"` // of the flag or the variable
	Line   int    `json:"line,omitempty"` // in the file, from 1
	Col    int    `json:"col,omitempty"`
}

// String is the origin for people: "line 12", "EVLAB_SANDBOX", "--sandbox", "default".
func (o Origin) String() string {
	switch o.Source {
	case FromFile:
		return "line " + strconv.Itoa(o.Line)
	case FromEnvironment, FromFlag:
		return o.Name
	}
	return o.Source
}

// Value is one leaf of a spec: a key without anything below it, and its value as the file would write it.
type Value struct {
	Key  string `json:"key"`
	Text string `json:"value"`
}

// Values lists every leaf of the spec in declaration order. An empty list is one leaf with the value [].
func Values(s experiments.Spec) []Value {
	var values []Value
	for _, l := range leaves(reflect.ValueOf(&s).Elem(), "") {
		values = append(values, Value{l.key, textOf(l.value)})
	}
	return values
}

type leaf struct {
	key   string
	value reflect.Value // settable when the spec was given by address
}

func leaves(v reflect.Value, key string) []leaf {
	switch v.Kind() {
	case reflect.Struct:
		var out []leaf
		for _, f := range fieldsOf(v.Type()) {
			out = append(out, leaves(v.Field(f.index), join(key, f.name))...)
		}
		return out
	case reflect.Slice:
		if v.Len() == 0 {
			return []leaf{{key, v}}
		}
		var out []leaf
		for i := range v.Len() {
			out = append(out, leaves(v.Index(i), fmt.Sprintf("%s[%d]", key, i))...)
		}
		return out
	}
	return []leaf{{key, v}}
}

// textOf is a leaf as YAML would have it, without quotes.
func textOf(v reflect.Value) string {
	switch {
	case v.Kind() == reflect.Slice:
		return "[]"
	case v.Type() == durationType:
		return durationText(time.Duration(v.Int()))
	case v.Type() == bytesType:
		return v.Interface().(fmt.Stringer).String()
	case v.Kind() == reflect.Float64:
		return strconv.FormatFloat(v.Float(), 'g', -1, 64)
	}
	return fmt.Sprint(v.Interface())
}

// durationText is 5m where Duration.String has 5m0s.
func durationText(d time.Duration) string {
	text := d.String()
	if short, ok := strings.CutSuffix(text, "m0s"); ok {
		text = short + "m"
	}
	if short, ok := strings.CutSuffix(text, "h0m"); ok {
		text = short + "h"
	}
	return text
}
