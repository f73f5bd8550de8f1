package planning

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"

	"evlab/experiments"
	"evlab/sandbox"
)

// chooseSandbox decides where untrusted code will run. auto takes Docker, and the host only for a trusted cohort: that
// is said in one sentence, which the contract keeps.
func chooseSandbox(ctx context.Context, want string, trusted bool) (experiments.FrozenSandbox, error) {
	if want == "host" {
		reason := "asked for: weaker than Docker, for content that you trust"
		return experiments.FrozenSandbox{Kind: "host", Reason: reason}, nil
	}
	err := sandbox.PingDocker(ctx)
	switch {
	case err == nil:
		return experiments.FrozenSandbox{Kind: "docker"}, nil
	case want == "auto" && trusted:
		return experiments.FrozenSandbox{Kind: "host", Reason: "no Docker engine can be used, and this bundled cohort is trusted, so its tests run on this machine under a weaker sandbox"}, nil
	case want == "auto":
		return experiments.FrozenSandbox{}, fmt.Errorf("%w: no Docker engine can be used (%v), and this cohort is not trusted; start Docker, or choose --sandbox host if you trust the patches and tests", ErrSandbox, err)
	}
	return experiments.FrozenSandbox{}, fmt.Errorf("%w: no Docker engine can be used: %v", ErrSandbox, err)
}

// toolchain is the version of the machine's Go, which images are made from.
func toolchain(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, "go", "env", "GOVERSION").Output()
	version := strings.TrimSpace(string(out))
	if err != nil || !strings.HasPrefix(version, "go") {
		return "", errors.Join(fmt.Errorf("%w: the Go toolchain, which task images are made from, does not answer `go env GOVERSION`", ErrSandbox), err)
	}
	return version, nil
}
