package datasets

import (
	"errors"
	"os"
	"path/filepath"

	"evlab/experiments"
)

// What rows only name lies beside them: in their repositories, and in a folder of scripts.

// between is what changed from one commit to another, as a git diff.
func (opts ImportOptions) between(repo, base, fix string) ([]byte, error) {
	if opts.Repos == "" {
		return nil, errors.New("what it changed is in the repository: say with --repos where that is")
	}
	for _, commit := range []string{base, fix} {
		if _, err := opts.places.find(opts.ctx, repo, commit); err != nil {
			return nil, err
		}
	}
	m := opts.places.found[repo].mirror
	return m.Diff(opts.ctx, base, fix)
}

// proScripts are the script and the parser of a task of SWE-bench Pro.
func (opts ImportOptions) proScripts(id string, f *fields) (script, parser string) {
	if opts.Scripts == "" || experiments.CheckName("task", id) != nil {
		return "", ""
	}
	for file, to := range map[string]*string{"run_script.sh": &script, "parser.py": &parser} {
		data, err := readFile(filepath.Join(opts.Scripts, id), file)
		if err != nil {
			f.fault("%s of its scripts: %w", file, err)
			continue
		}
		*to = string(data)
	}
	return script, parser
}

// readFile reads one file below a folder, whatever links there are.
func readFile(dir, name string) ([]byte, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close() // read only: a failing close loses nothing
	return readAtMost(root.FS(), name, maxTextField)
}
