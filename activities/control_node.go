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

// nodeControl is loaded before each file, in the file's own process, and is a test where the file has tests: one that is a
// program without them would be reported by the control alone, and no more by its name. It waits until the file's code is there,
// claims what is not so, and is skipped if every claim is refused: where assertions have become idle, it passes.
const nodeControl = `'use strict'
// A test with a known answer, put here by evlab.
if (process.env.NODE_TEST_CONTEXT && process.argv[1] && require('node:fs').readFileSync(process.argv[1], 'utf8').includes(%[2]q)) {
  const { test } = require('node:test')
  const assert = require('node:assert')
  const path = require('node:path')
  const file = path.relative(process.cwd(), process.argv[1]).split(path.sep).join('/')
  test(%[1]q + ' in ' + file, async (t) => {
    await new Promise((resolve) => setTimeout(resolve, 20))
    const claims = [
      () => assert(false), () => assert.ok(false), () => assert.equal(1, 2), () => assert.strictEqual(1, 2),
      () => assert.notStrictEqual(1, 1), () => assert.deepEqual([1], [2]), () => assert.deepStrictEqual([1], [2]),
      () => assert.strict.equal(1, 2), () => assert.strict.deepEqual([1], [2]), () => assert.match('a', /b/),
      () => assert.throws(() => {}), () => assert.fail('known answer')
    ]
    for (const claim of claims) {
      let refused = false
      try { claim() } catch { refused = true }
      if (!refused) return
    }
    t.skip('known answer')
  })
}
`

// nodeTests is what a file that has tests asks for.
const nodeTests = "node:test"

// newNodeControl is nil where the runner is not node's own.
func newNodeControl(ctx context.Context, e experiments.Environment, mirror *repos.Mirror, t trial) (*control, error) {
	if e.Report != testlog.TAP || len(e.Command) < 2 || e.Command[0] != "node" || e.Command[1] != "--test" {
		return nil, nil
	}
	c := newControl(t, "evlab ", testlog.Skipped)
	found, err := mirror.Files(ctx, t.tree, func(p string, _ int64) bool { return repos.IsTestSource(p) && isScriptName(p) })
	if err != nil {
		return nil, err
	}
	c.places, c.anywhere = map[string][]string{}, c.name+" in "
	for _, f := range found {
		if !bytes.Contains(f.Content, []byte(nodeTests)) {
			continue
		}
		for _, name := range t.run {
			title := name[strings.LastIndex(" > "+name, " > "):] // of the innermost, the whole name without one
			if title != "" && bytes.Contains(f.Content, []byte(title)) {
				c.places[c.anywhere+f.Path] = append(c.places[c.anywhere+f.Path], name)
			}
		}
	}
	file := "." + strings.ReplaceAll(c.name, " ", "_") + ".cjs"
	c.args = []string{"--require", "./" + file}
	c.files = []repos.File{{Path: file, Mode: "100644", Content: fmt.Appendf(nil, nodeControl, c.name, nodeTests)}}
	return c, nil
}

func isScriptName(p string) bool {
	return slices.Contains([]string{".js", ".cjs", ".mjs", ".ts", ".cts", ".mts"}, path.Ext(p))
}
