package activities

import (
	"bytes"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"evlab/experiments"
	"evlab/repos"
	"evlab/sandbox/testlog"
)

// rustControl stands at the end of a file that cargo compiles to a program of its own. It waits until other tests of the
// program run, claims what is not so, and passes if the claim is refused: where assertions have become idle, it fails, and
// where the program is ended early, it is not there.
const rustControl = `

// A test with a known answer, put here by evlab.
#[test]
#[should_panic(expected = "known answer")]
fn %s() {
    ::std::thread::sleep(::std::time::Duration::from_millis(50));
    assert!(1 == 2, "known answer");
}
`

// newRustControl puts the control into each program of tests that has one asked for, and is nil where there is none. Tests
// beside the code under test are the candidate's to write, so what they prove is no more than what it claims.
func newRustControl(ctx context.Context, e experiments.Environment, mirror *repos.Mirror, t trial) (*control, error) {
	if e.Report != rustReport {
		return nil, nil
	}
	asked := map[string][]string{} // "fn name(" -> tests asked for
	for _, name := range t.run {
		if !strings.Contains(name, " ") {
			function := "fn " + name[strings.LastIndex("::"+name, "::"):] + "("
			asked[function] = append(asked[function], name)
		}
	}
	found, err := mirror.Files(ctx, t.tree, func(p string, _ int64) bool { _, ok := rustProgram(p); return ok })
	if err != nil {
		return nil, err
	}
	c := newControl(t, "evlab_", testlog.Passed)
	c.places = map[string][]string{}
	stands := map[string][]string{} // program -> tests asked for
	for _, f := range found {
		program, _ := rustProgram(f.Path)
		for function, names := range asked {
			if bytes.Contains(f.Content, []byte(function)) {
				stands[program] = append(stands[program], names...)
			}
		}
	}
	for _, f := range found {
		if len(stands[f.Path]) == 0 || bytes.Contains(f.Content, []byte("no_std")) || bytes.Contains(f.Content, []byte("fn main(")) {
			continue // without std it would not compile, and what has a main function of its own has another runner
		}
		name := fmt.Sprintf("%s_%d", c.name, len(c.files))
		text := fmt.Appendf(nil, rustControl, name)
		c.files = append(c.files, repos.File{Path: f.Path, Mode: f.Mode, Content: slices.Concat(f.Content, text)})
		c.alone = append(c.alone, repos.File{Path: f.Path, Mode: f.Mode, Content: text})
		c.places[name] = stands[f.Path]
	}
	if len(c.files) == 0 {
		return nil, nil
	}
	return c, nil
}

// rustReport is the grammar of what cargo test prints.
const rustReport = "cargo"

// rustProgram is the file that cargo compiles to the program which a file of a package's tests is part of:
// tests/NAME.rs, or tests/NAME/main.rs.
func rustProgram(p string) (program string, ok bool) {
	before, within, ok := strings.Cut("/"+p, "/tests/")
	if !ok || path.Ext(p) != ".rs" {
		return "", false
	}
	if name, _, deep := strings.Cut(within, "/"); deep {
		within = name + "/main.rs"
	}
	return strings.TrimPrefix(before+"/tests/"+within, "/"), true
}
