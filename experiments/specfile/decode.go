package specfile

import (
	"fmt"
	"reflect"
	"time"

	"github.com/go-viper/mapstructure/v2"
	"github.com/spf13/viper"

	"evlab/experiments"
)

// merge puts defaults, file, environment and flags on top of each other, in this order, and decodes the result. The
// file's values come from the walk, so that a fault here means that the walk and the spec disagree.
func merge(file map[string]any, env, flags map[string]override) (experiments.Spec, error) {
	v := viper.New()
	defaults := experiments.Defaults()
	for _, l := range leaves(reflect.ValueOf(&defaults).Elem(), "") {
		if l.value.Kind() != reflect.Slice && !l.value.IsZero() {
			v.SetDefault(l.key, l.value.Interface())
		}
	}
	if word, bare := file["cohort"].(string); bare { // spelt out, so that an override of one of its fields can join
		file["cohort"] = shorthand(cohortType, word)
	}
	if err := v.MergeConfigMap(file); err != nil {
		return experiments.Spec{}, fmt.Errorf("merging the file: %w", err)
	}
	for key, o := range env {
		// Set outranks the file; what the environment sets, a flag sets again below.
		v.Set(key, o.value)
	}
	for key, o := range flags {
		v.Set(key, o.value)
	}
	var spec experiments.Spec
	err := v.UnmarshalExact(&spec, func(c *mapstructure.DecoderConfig) {
		c.WeaklyTypedInput = false
		c.DecodeHook = mapstructure.ComposeDecodeHookFunc(fromWord, fromDuration, fromBytes)
	})
	if err != nil {
		return experiments.Spec{}, fmt.Errorf("decoding: %w", err)
	}
	return spec, nil
}

// fromWord makes a mapping of a bare word: bm25 is {kind: bm25}, demo is {name: demo}, ./cohort is {path: ./cohort}.
func fromWord(from, to reflect.Type, data any) (any, error) {
	if from.Kind() == reflect.String {
		if short := shorthand(to, data.(string)); short != nil {
			return short, nil
		}
	}
	return data, nil
}

func fromDuration(from, to reflect.Type, data any) (any, error) {
	if to != durationType || from.Kind() != reflect.String {
		return data, nil
	}
	return time.ParseDuration(data.(string))
}

func fromBytes(from, to reflect.Type, data any) (any, error) {
	if to != bytesType || from.Kind() != reflect.String {
		return data, nil
	}
	return experiments.ParseBytes(data.(string))
}
