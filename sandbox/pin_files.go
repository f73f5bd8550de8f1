package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"time"

	"github.com/containerd/errdefs"
	"github.com/docker/docker/api/types/container"
)

// Variables are those that an image sets for its containers. It is named as Pin says it, and pulled where it is not there.
func (p *Pinner) Variables(ctx context.Context, pinned string) ([]string, error) {
	i, err := p.api.ImageInspect(ctx, pinned)
	if errdefs.IsNotFound(err) {
		if err := pull(ctx, p.api, pinned, "linux/"+runtime.GOARCH); err != nil {
			return nil, fmt.Errorf("pulling image %s: %w", pinned, err)
		}
		i, err = p.api.ImageInspect(ctx, pinned)
	}
	if err != nil {
		return nil, fmt.Errorf("looking at image %s: %w", pinned, err)
	}
	if i.Config == nil {
		return nil, nil
	}
	return i.Config.Env, nil
}

// Files is a tar of all that is in an image that Variables knows. Nothing of the image is run: the container that the
// engine wants for it is never started.
func (p *Pinner) Files(ctx context.Context, pinned string) (io.ReadCloser, error) {
	config := &container.Config{Image: pinned, Entrypoint: []string{"none"}, Labels: map[string]string{LabelHost: p.host}}
	made, err := p.api.ContainerCreate(ctx, config, &container.HostConfig{NetworkMode: "none"}, nil, nil, "")
	if err != nil {
		return nil, fmt.Errorf("reading image %s: %w", pinned, err)
	}
	remove := func() error {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 30*time.Second)
		defer cancel()
		return p.api.ContainerRemove(ctx, made.ID, container.RemoveOptions{Force: true, RemoveVolumes: true})
	}
	body, err := p.api.ContainerExport(ctx, made.ID)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("reading image %s: %w", pinned, err), remove())
	}
	return &exported{body, remove}, nil
}

// exported removes its container when it is closed.
type exported struct {
	io.ReadCloser
	remove func() error
}

func (e *exported) Close() error { return errors.Join(e.ReadCloser.Close(), e.remove()) }
