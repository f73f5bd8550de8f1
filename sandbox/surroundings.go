package sandbox

import (
	"context"
	"fmt"
	"strings"

	"github.com/containerd/errdefs"

	"evlab/sandbox/plan"
)

// surroundings are what an image says of the containers that come of it.
type surroundings struct {
	layout layout
	user   string   // as the engine takes it
	uid    int      // the same as a number
	home   string   // of the user; empty in images of evlab's own, where the environment says it
	env    []string // that a step's own is added to
	volume string   // mounted at contained.toolchain; "" for none
	given  bool     // the image is not evlab's own
}

// own are those of evlab's own images, with what a system adds to the environment.
func own(volume string, env []string) surroundings {
	return surroundings{
		layout: contained, user: fmt.Sprintf("%d:%d", nobody, nobody), uid: nobody, env: mergeEnv(contained.environment(), env), volume: volume,
	}
}

// labels are how surroundings are found again.
func (in surroundings) labels() map[string]string {
	if in.given {
		return map[string]string{labelTree: in.layout.source, labelHome: in.home}
	}
	return map[string]string{labelVolume: in.volume}
}

// capabilities are what a command may do as its container's root beyond what anybody may: as root, which many images
// are made for, it expects to read and write all files and to become other users. None of them reaches the supervisor or
// out of the container.
func (in surroundings) capabilities() []string {
	if !in.given {
		return nil
	}
	return []string{"CHOWN", "DAC_OVERRIDE", "FOWNER", "SETGID", "SETUID"}
}

// plan is a step's plan in these surroundings.
func (in surroundings) plan(s Step) (plan.Plan, [][]byte) {
	p, contents := s.plan(in.layout)
	p.Needs = needs(in.volume)
	if in.given {
		p.Env, p.Folders = mergeEnv(in.env, s.Env), nil
	}
	return p, contents
}

// surroundingsOf reads them off a step's image.
func (d *docker) surroundingsOf(ctx context.Context, s Step) (surroundings, error) {
	if v, ok := d.known.Load(s.Image.Ref); ok {
		return v.(surroundings), nil
	}
	i, err := d.api.ImageInspect(ctx, s.Image.Ref)
	switch {
	case errdefs.IsNotFound(err):
		return surroundings{}, fault(FaultImage, "image %s of step %q is not there: %w", s.Image.Ref, s.ID, err)
	case err != nil:
		return surroundings{}, d.engineFault("looking at the image of step "+s.ID, err)
	case i.Config == nil:
		return surroundings{}, fault(FaultImage, "image %s of step %q says nothing of its containers", s.Image.Ref, s.ID)
	}
	in := own(i.Config.Labels[labelVolume], nil)
	if tree := i.Config.Labels[labelTree]; tree != "" {
		in = givenSurroundings(tree, i.Config.User, i.Config.Labels[labelHome], i.Config.Env)
	}
	d.known.Store(s.Image.Ref, in)
	return in, nil
}

// givenSurroundings are those of an image that is not evlab's own.
func givenSurroundings(tree, user, home string, env []string) surroundings {
	l := contained
	l.source, l.cache = tree, ""
	var kept []string
	for _, v := range env {
		if !strings.HasPrefix(v, "EVLAB_") {
			kept = append(kept, v)
		}
	}
	return surroundings{layout: l, user: user, home: home, env: mergeEnv(givenEnvironment(home), kept), given: true}
}
