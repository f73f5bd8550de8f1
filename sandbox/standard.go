package sandbox

import (
	"archive/tar"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"

	"evlab/sandbox/plan"
)

// warmImports are what tests commonly reach for: every image's build cache begins with them and all below them.
var warmImports = []string{
	"archive/zip", "bufio", "bytes", "compress/gzip", "context", "crypto/sha256", "crypto/tls", "database/sql", "embed",
	"encoding/base64", "encoding/binary", "encoding/csv", "encoding/gob", "encoding/hex", "encoding/json", "encoding/xml", "errors",
	"flag", "fmt", "go/ast", "go/format", "go/parser", "go/types", "hash/crc32", "hash/fnv", "html/template", "io", "iter",
	"log/slog", "maps", "math/big", "math/rand", "math/rand/v2", "mime/multipart", "net/http/httptest", "net/url", "os/exec",
	"os/signal", "reflect", "regexp", "runtime/debug", "slices", "sort", "strconv", "strings", "sync/atomic", "testing/fstest",
	"testing/iotest", "testing/quick", "text/tabwriter", "text/template", "time", "unicode/utf8",
}

// ensureStandard makes or finds, in the state folder, a build cache of the standard library for the platform. It is
// compiled on this machine, of the toolchain's own source and by the toolchain alone, with whatever the user's build
// cache already has of it. A cache serves wherever the toolchain's version, platform and environment are the same.
func ensureStandard(ctx context.Context, state, version, goos, goarch string, imports []string) (dir, id string, err error) {
	parts, err := json.Marshal([]any{"evlab-standard", layoutVersion, version, goos, goarch, imports})
	if err != nil {
		return "", "", err
	}
	sum := sha256.Sum256(parts)
	id = hex.EncodeToString(sum[:12])
	if dir, err = filepath.Abs(filepath.Join(state, "standard", id)); err != nil {
		return "", "", err
	}
	unlock, err := lock(ctx, dir+".lock")
	if err != nil {
		return "", "", err
	}
	defer unlock()
	if _, err := os.Stat(dir); err == nil {
		return dir, id, nil
	}
	made := dir + ".new"
	if err := errors.Join(removeAll(made), os.MkdirAll(made, 0o755)); err != nil {
		return "", "", err
	}
	defer removeAll(made)
	if err := fillStandard(ctx, state, made, version, goos, goarch, imports); err != nil {
		return "", "", fmt.Errorf("compiling the standard library: %w", err)
	}
	// Dated as entries of an image are: what begins with them need not touch them, and may not.
	err = filepath.WalkDir(made, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		return os.Chtimes(name, plan.CacheDate, plan.CacheDate)
	})
	if err := errors.Join(err, freeze(made)); err != nil {
		return "", "", err
	}
	return dir, id, os.Rename(made, dir)
}

func fillStandard(ctx context.Context, state, to, version, goos, goarch string, imports []string) error {
	hostOS, hostArch := localPlatform()
	gather, err := ensureProgram(ctx, state, gatherer, hostOS, hostArch)
	if err != nil {
		return err
	}
	own, err := goCommand(ctx, "env", "GOCACHE")
	if err != nil {
		return err
	}
	tree, err := os.MkdirTemp("", "evlab-standard-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tree)
	for name, text := range warmSample(version, imports) {
		if err := os.WriteFile(filepath.Join(tree, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	from := strings.TrimSpace(string(own))
	// Twice: the first time for the user's own cache, so that another state folder finds it all there, and the second time
	// out of that cache for this one.
	for _, cacheProg := range []string{"", goFields(gather, from, to)} {
		cmd := exec.CommandContext(ctx, "go", "list", "-test", "-export", "-deps", "-f", "", "./...")
		cmd.Dir = tree
		// An empty GOAMD64 and the like stand for the default, which is what a sandbox has.
		cmd.Env = append(os.Environ(), "GOOS="+goos, "GOARCH="+goarch, "CGO_ENABLED=0", "GOFLAGS=-mod=mod", "GOWORK=off", "GOTOOLCHAIN="+version,
			"GOENV=off", "GOAMD64=", "GOARM64=", "GOEXPERIMENT=", "GODEBUG=", "PWD="+tree, "GOCACHE="+from, "GOCACHEPROG="+cacheProg)
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%w: %s", err, strings.TrimSpace(string(out)))
		}
	}
	return nil
}

// goFields writes words as the go command splits them: in quotes of either kind, in which nothing is escaped. A word with
// both kinds can't be written.
func goFields(words ...string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		if quoted[i] = `"` + w + `"`; strings.Contains(w, `"`) {
			quoted[i] = "'" + w + "'"
		}
	}
	return strings.Join(quoted, " ")
}

// warmSample is a module whose test needs the packages, by file name.
func warmSample(version string, packages []string) map[string]string {
	var imports strings.Builder
	for _, name := range packages {
		fmt.Fprintf(&imports, "\t_ %q\n", name)
	}
	language := strings.TrimPrefix(version, "go")
	if parts := strings.SplitN(language, ".", 3); len(parts) == 3 {
		language = parts[0] + "." + parts[1]
	}
	return map[string]string{
		"go.mod":       "module warm\n\ngo " + language + "\n",
		"warm.go":      "package warm\n\nimport (\n" + imports.String() + ")\n",
		"warm_test.go": "package warm\n\nimport \"testing\"\n\nfunc TestWarm(t *testing.T) {}\n",
	}
}

// packCache writes a build cache as tar entries below prefix, owned by the commands' user and dated as the go command
// leaves alone.
func packCache(w *tar.Writer, prefix, dir string) error {
	return walkCache(w, prefix, dir, func(file, name, _ string) error {
		return copyFileDated(w, file, name, nobody, 0o644, plan.CacheDate)
	})
}

// linkCacheTo writes a build cache below prefix whose entries are links to the same entries below target.
func linkCacheTo(w *tar.Writer, prefix, dir, target string) error {
	return walkCache(w, prefix, dir, func(_, name, rel string) error { return writeLink(w, name, path.Join(target, rel)) })
}

// walkCache writes the folders of the build cache dir below prefix, and has each entry written: a file, with its name in
// the tar and its path in the cache.
func walkCache(w *tar.Writer, prefix, dir string, entry func(file, name, rel string) error) error {
	return filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, file)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		name := path.Join(prefix, rel)
		if d.IsDir() {
			return writeDir(w, name, nobody, 0o755)
		}
		return entry(file, name, rel)
	})
}
