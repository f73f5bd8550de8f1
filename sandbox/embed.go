package sandbox

import (
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
)

//go:embed plan/*.go supervise/*.go gather/*.go
var programSource embed.FS

// Programs that are compiled where they are needed.
const (
	supervisor = "supervise"
	gatherer   = "gather"
)

// programFiles are a program's embedded sources without their tests, by path inside the module.
func programFiles(program string) (map[string][]byte, error) {
	files := map[string][]byte{}
	for _, folder := range []string{"plan", program} {
		err := fs.WalkDir(programSource, folder, func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || strings.HasSuffix(name, "_test.go") {
				return err
			}
			files[path.Join("sandbox", name)], err = programSource.ReadFile(name)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return files, nil
}

// programDigest identifies a program's source.
func programDigest(program string) (string, error) {
	files, err := programFiles(program)
	if err != nil {
		return "", err
	}
	h := sha256.New()
	for _, name := range sortedKeys(files) {
		fmt.Fprintf(h, "%s\x00%d\x00%s", name, len(files[name]), files[name])
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// ensureProgram compiles a program for the platform, once for each source and state folder, and returns its file.
func ensureProgram(ctx context.Context, state, program, goos, goarch string) (string, error) {
	digest, err := programDigest(program)
	if err != nil {
		return "", err
	}
	name := fmt.Sprintf("%s-%s-%s-%s", program, digest[:12], goos, goarch)
	if goos == "windows" {
		name += ".exe"
	}
	file, err := filepath.Abs(filepath.Join(state, "bin", name))
	if err != nil {
		return "", err
	}
	unlock, err := lock(ctx, file+".lock")
	if err != nil {
		return "", err
	}
	defer unlock()
	if _, err := os.Stat(file); err == nil {
		return file, nil
	}
	made := file + ".new"
	defer os.Remove(made)
	if err := buildProgram(ctx, program, goos, goarch, made); err != nil {
		return "", err
	}
	return file, os.Rename(made, file)
}

// buildProgram compiles the program for the given platform into the file to. It needs no network and no module but the
// standard library.
func buildProgram(ctx context.Context, program, goos, goarch, to string) error {
	files, err := programFiles(program)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "evlab-"+program+"-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	files["go.mod"] = []byte("module evlab\n\ngo 1.26\n")
	for name, data := range files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(file, data, 0o644); err != nil {
			return err
		}
	}
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags=-s -w", "-o", to, "./sandbox/"+program)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOOS="+goos, "GOARCH="+goarch, "CGO_ENABLED=0", "GOFLAGS=-buildvcs=false", "GOWORK=off",
		"GOTOOLCHAIN=local", "GOPROXY=off", "PWD="+dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("compiling %s: %w: %s", program, err, strings.TrimSpace(string(out)))
	}
	return nil
}
