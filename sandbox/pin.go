package sandbox

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/containerd/errdefs"
	"github.com/distribution/reference"
	"github.com/docker/docker/api/types/image"
	"github.com/docker/docker/client"
)

// askTime bounds how long a registry may take to say what a name stands for.
const askTime = 20 * time.Second

// Pinner says what content the names of images stand for now, so that a run that is frozen does not change under a tag
// that moves. A registry that could not be reached is not asked again. It is for one goroutine.
type Pinner struct {
	api  *client.Client
	host string
	deaf map[string]error // registries that do not answer
}

// NewPinner connects to the engine that OpenDocker would take. Containers are labelled with the host as with Options.Host:
// a sandbox that is opened later reaps what a killed process left.
func NewPinner(host string) (*Pinner, error) {
	api, err := client.NewClientWithOpts(client.FromEnv, client.WithAPIVersionNegotiation())
	return &Pinner{api, host, map[string]error{}}, err
}

// Close closes the connection.
func (p *Pinner) Close() error { return p.api.Close() }

// Pin gives what Given.Image wants: name@digest where a registry has the image, and the engine's own id where only the
// engine has it. An image that is on the machine already needs no registry. The error says in a sentence why there is
// none, and the engine's platform is the one that is looked for.
func (p *Pinner) Pin(ctx context.Context, name string) (string, error) {
	named, err := reference.ParseDockerRef(name)
	if err != nil {
		return "", fmt.Errorf("image %.200q: %w", name, err)
	}
	i, err := p.api.ImageInspect(ctx, name)
	if err == nil {
		return pinLocal(named, i)
	}
	if !errdefs.IsNotFound(err) {
		return "", fmt.Errorf("image %s: asking the Docker engine: %w", name, err)
	}
	registry := reference.Domain(named)
	if err := p.deaf[registry]; err != nil {
		return "", err
	}
	asked, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	found, err := p.api.DistributionInspect(asked, named.String(), "")
	switch {
	case ctx.Err() != nil:
		return "", context.Cause(ctx)
	case errdefs.IsNotFound(err), errdefs.IsUnauthorized(err), errdefs.IsPermissionDenied(err):
		return "", fmt.Errorf("image %s is not on this machine, and its registry does not have it, or not for everybody: %w", name, err)
	case err != nil:
		p.deaf[registry] = fmt.Errorf("image %s is not on this machine, and its registry could not be asked: %w", name, err)
		return "", p.deaf[registry]
	}
	var offered []string
	for _, platform := range found.Platforms {
		offered = append(offered, platform.OS+"/"+platform.Architecture)
	}
	if wanted := "linux/" + runtime.GOARCH; len(offered) > 0 && !slices.Contains(offered, wanted) {
		return "", fmt.Errorf("image %s is there for %s, and not for %s", name, strings.Join(offered, ", "), wanted)
	}
	pinned, err := reference.WithDigest(reference.TrimNamed(named), found.Descriptor.Digest)
	if err != nil {
		return "", fmt.Errorf("image %s: %w", name, err)
	}
	return pinned.String(), nil
}

// pinLocal prefers the digest under which the name's own repository has the image: it means the same on every machine.
func pinLocal(named reference.Named, i image.InspectResponse) (string, error) {
	if wanted := "linux/" + runtime.GOARCH; i.Os+"/"+i.Architecture != wanted {
		return "", fmt.Errorf("image %s on this machine is for %s/%s, and not for %s", named, i.Os, i.Architecture, wanted)
	}
	for _, known := range i.RepoDigests {
		if r, err := reference.ParseNormalizedNamed(known); err == nil && r.Name() == named.Name() {
			return r.String(), nil
		}
	}
	if i.ID == "" {
		return "", errors.New("the Docker engine gives the image " + named.String() + " no id")
	}
	return i.ID, nil
}
