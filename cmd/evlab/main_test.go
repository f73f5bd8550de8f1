package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"evlab": main})
}

// TestScripts runs the program as users do: one process per command.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exits,
		},
		Setup: func(e *testscript.Env) error {
			e.Setenv("EVLAB_DATA", filepath.Join(e.WorkDir, "data"))
			e.Setenv("ESC", "\x1b[31mred")
			program, err := lookPath("evlab", e.Getenv("PATH"))
			if err != nil {
				return err
			}
			e.Setenv("EVLAB", program) // for scripts that change PATH
			demo, err := filepath.Abs(filepath.Join("..", "..", "cohorts", "demo"))
			if err != nil {
				return err
			}
			e.Setenv("DEMO", demo)
			e.Setenv("DOCKER_HOST", os.Getenv("DOCKER_HOST"))
			spec, err := os.ReadFile(filepath.Join("..", "..", "configs", "demo.yaml"))
			if err != nil {
				return err
			}
			return os.WriteFile(filepath.Join(e.WorkDir, "demo.yaml"), spec, 0o644)
		},
	})
}
