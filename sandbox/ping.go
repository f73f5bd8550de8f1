package sandbox

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/docker/docker/api/types/system"
	"github.com/docker/docker/client"
)

// RecipeVersion names how images are made and how steps are started. Raise it when a change here could change what a
// command sees: it is part of every cell's environment.
const RecipeVersion = "image-5"

// PingDocker reports in a sentence why there is no Docker engine that can be used here, or nil.
func PingDocker(ctx context.Context) error {
	c, err := client.NewClientWithOpts(client.FromEnv, client.WithAPIVersionNegotiation())
	if err != nil {
		return err
	}
	defer c.Close()
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	info, err := c.Info(ctx)
	if err != nil {
		return err
	}
	return unfit(info)
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
