package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"time"

	"evlab/sandbox"
)

// patience is how long one program may take to answer.
const patience = 10 * time.Second

// ask runs a program that is found on the environment's PATH and returns its first line.
func (a *app) ask(ctx context.Context, name string, args ...string) (string, error) {
	path, err := lookPath(name, a.getenv("PATH"))
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Env = a.env
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s fails: %w", path, err)
	}
	line, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	return line, nil
}

// lookPath is exec.LookPath for the given PATH instead of the process's own.
func lookPath(name, path string) (string, error) {
	if runtime.GOOS == "windows" {
		return exec.LookPath(name)
	}
	for _, dir := range filepath.SplitList(path) {
		if !filepath.IsAbs(dir) { // a relative one would run whatever the current folder holds
			continue
		}
		file := filepath.Join(dir, name)
		if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			return file, nil
		}
	}
	return "", errors.New("it is not on PATH")
}

// testedGit is the oldest git that evlab is tested with.
var testedGit = [2]int{2, 39}

var gitVersion = regexp.MustCompile(`\b(\d{1,4})\.(\d{1,4})(?:\.\d+)?`)

func (a *app) checkGit(ctx context.Context) check {
	line, err := a.ask(ctx, "git", "version")
	if err != nil {
		return fail("install git 2.39 or later and put it on PATH", "%v", err)
	}
	m := gitVersion.FindStringSubmatch(line)
	if m == nil {
		return warn("install git 2.39 or later", "its version can't be read: %.60s", line)
	}
	major, _ := strconv.Atoi(m[1])
	minor, _ := strconv.Atoi(m[2])
	if major < testedGit[0] || major == testedGit[0] && minor < testedGit[1] {
		return warn("install git 2.39 or later", "%s is older than any that evlab is tested with", m[0])
	}
	return ok("%s", m[0])
}

// checkGo looks for the toolchain, which prefetches modules and runs tests in the host sandbox. Containers bring theirs.
func (a *app) checkGo(ctx context.Context) check {
	line, err := a.ask(ctx, "go", "version")
	if err != nil {
		return warn("install Go and put it on PATH", "%v; the host sandbox and the prefetch of modules need it", err)
	}
	return ok("%s", strings.TrimPrefix(line, "go version "))
}

// checkPatch looks for the program that takes patches which git refuses.
func (a *app) checkPatch(ctx context.Context) check {
	line, err := a.ask(ctx, "patch", "--version")
	if err != nil || !strings.HasPrefix(line, "GNU patch") {
		return ok("GNU patch is not on PATH; evlab evaluate --compat alone needs it")
	}
	return ok("%s", strings.TrimPrefix(line, "GNU patch "))
}

// dockerFacts is the container engine, or why there is none.
type dockerFacts struct {
	sandbox.Engine
	err error
}

func askDocker(ctx context.Context) *dockerFacts {
	engine, err := sandbox.AskDocker(ctx)
	return &dockerFacts{engine, err}
}

func (f *dockerFacts) skew() time.Duration { return f.Time.Sub(f.Asked) }

func (f *dockerFacts) check() check {
	const only = "without it evlab runs trusted cohorts only, in the host sandbox (sandbox: host)"
	switch {
	case f.err != nil:
		return warn("start Docker, or set DOCKER_HOST; "+only, "%s does not answer: %v", f.Host, f.err)
	case f.Unfit != nil:
		return warn("use another engine; "+only, "%s: %v", f.Host, f.Unfit)
	}
	return ok("%s (API %s) %s/%s at %s", f.Version, f.API, f.OS, f.Arch, f.Host)
}
