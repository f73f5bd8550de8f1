package sandbox

import (
	"path"
	"strings"
	"time"

	"evlab/sandbox/plan"
)

// grace is how long after Limits.Timeout the supervisor ends a step by itself, when nobody outside has.
const grace = 10 * time.Second

// plan is the step as its supervisor sees it, and the contents of the files it names "0", "1" and so on.
func (s Step) plan(l layout) (plan.Plan, [][]byte) {
	p := plan.Plan{
		Tree: l.source, Dir: path.Join(l.source, s.Dir), Commands: [][]string{s.Command}, Env: mergeEnv(l.environment(), s.Env),
		Remove: s.Files.Remove, Deadline: s.Limits.Timeout + grace, Log: s.Limits.Log,
		Folders: []string{path.Join(l.scratch, "home")}, Scratch: l.scratch, Cache: l.cache,
	}
	held := make(map[string]bool, len(s.Held))
	for _, name := range s.Held {
		held[name] = true
	}
	var contents [][]byte
	for _, f := range s.Files.Files {
		change := plan.Change{Path: f.Path, Mode: f.Mode, Held: held[f.Path]}
		if f.Mode == "120000" {
			change.Target = string(f.Content)
		} else {
			change.Source = decimal(len(contents))
			contents = append(contents, f.Content)
		}
		p.Files = append(p.Files, change)
	}
	return p, contents
}

// mergeEnv adds variables to fixed ones: a later value takes the place of an earlier one.
func mergeEnv(fixed, added []string) []string {
	var all []string
	at := map[string]int{}
	for _, list := range [][]string{fixed, added} {
		for _, v := range list {
			name, _, _ := strings.Cut(v, "=")
			if i, ok := at[name]; ok {
				all[i] = v
				continue
			}
			at[name] = len(all)
			all = append(all, v)
		}
	}
	return all
}
