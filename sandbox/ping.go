package sandbox

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"time"

	"github.com/docker/docker/api/types/system"
	"github.com/docker/docker/client"
)

// RecipeVersion names how images are made and how steps are started. Raise it when a change here could change what a
// command sees: it is part of every cell's environment.
const RecipeVersion = "image-8"

// Engine is what a Docker engine says of itself.
type Engine struct {
	Host, Version, API, OS, Arch string
	Time, Asked                  time.Time // its clock, and this machine's at that moment; zero when it does not tell
	Unfit                        error     // why it cannot be used here, in a sentence; nil when it can
}

// AskDocker asks the Docker engine that the environment names (DOCKER_HOST and so on, else the local socket) what it is.
// An error says that nothing answers; Host is known nevertheless.
func AskDocker(ctx context.Context) (Engine, error) {
	e := Engine{Host: cmp.Or(os.Getenv(client.EnvOverrideHost), client.DefaultDockerHost)}
	c, err := client.NewClientWithOpts(client.FromEnv, client.WithAPIVersionNegotiation())
	if err != nil {
		return e, err
	}
	defer c.Close()
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	before := time.Now()
	info, err := c.Info(ctx)
	if err != nil {
		return e, err
	}
	after := time.Now()
	if t, err := time.Parse(time.RFC3339Nano, info.SystemTime); err == nil {
		e.Time, e.Asked = t, before.Add(after.Sub(before)/2)
	}
	e.Version, e.API, e.OS, e.Arch, e.Unfit = info.ServerVersion, c.ClientVersion(), info.OSType, goArch(info.Architecture), unfit(info)
	return e, nil
}

// PingDocker reports in a sentence why there is no Docker engine that can be used here, or nil.
func PingDocker(ctx context.Context) error {
	e, err := AskDocker(ctx)
	if err != nil {
		return err
	}
	return e.Unfit
}

// unfit says why an engine cannot be used. Images are made from what is on this machine, so its containers must run
// that; and a candidate that is not limited can take the machine down.
func unfit(info system.Info) error {
	arch := goArch(info.Architecture)
	switch {
	case info.OSType != "linux":
		return fmt.Errorf("the Docker engine runs %s containers, and only linux ones are known here", info.OSType)
	case arch != runtime.GOARCH:
		return fmt.Errorf("the Docker engine runs linux/%s containers, and this evlab is one for %s: run it on a machine of the engine's kind", arch, runtime.GOARCH)
	case !info.MemoryLimit || !info.PidsLimit:
		return errors.New("the Docker engine cannot limit the memory or the processes of a container (a rootless engine needs delegated cgroups of version 2 for that)")
	}
	return nil
}

// goArch is an engine's name for an architecture as Go has it.
func goArch(name string) string {
	if arch := map[string]string{"x86_64": "amd64", "aarch64": "arm64"}[name]; arch != "" {
		return arch
	}
	return name
}
