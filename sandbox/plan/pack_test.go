package plan

import (
	"bytes"
	"reflect"
	"testing"
)

func TestPack(t *testing.T) {
	p := Plan{Tree: "/src", Commands: [][]string{{"go", "test"}}, Files: []Change{{Path: "a", Mode: "100644", Source: "0"}}, Log: 7}
	contents := [][]byte{{0, 1, 255}, bytes.Repeat([]byte("x"), 1<<20)}
	text, err := Pack(p, contents)
	if err != nil {
		t.Fatal(err)
	}
	if len(text) > MaxPacked {
		t.Errorf("a megabyte of one letter takes %d bytes", len(text))
	}
	q, got, err := Unpack(text)
	if err != nil || !reflect.DeepEqual(p, q) || !reflect.DeepEqual(contents, got) {
		t.Errorf("%+v with %d contents, %v", q, len(got), err)
	}
	for _, bad := range []string{"", "*", "AAAA", text[:len(text)/2]} {
		if _, _, err := Unpack(bad); err == nil {
			t.Errorf("%.10q was unpacked", bad)
		}
	}
}
