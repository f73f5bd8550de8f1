package activities

import (
	"context"
	"fmt"
	"runtime"

	"evlab/environments"
	"evlab/experiments"
	"evlab/sandbox"
)

// layWheels finds the wheels that a contract pins, for a system. They were fetched when it was frozen; what was lost since
// then is fetched again.
func (b *Sandbox) layWheels(ctx context.Context, system *sandbox.System, wheels *experiments.Wheels) (*sandbox.Wheels, error) {
	if wheels == nil {
		return nil, nil
	}
	files, err := b.wheelFiles(ctx, system, wheels)
	if err != nil {
		return nil, &sandbox.Fault{Class: "wheels", Err: err}
	}
	id, err := experiments.DigestJSON(wheels.Set)
	if err != nil {
		return nil, err
	}
	return &sandbox.Wheels{Files: files, ID: string(id), Python: wheels.Python, Setup: wheels.Setup}, nil
}

func (b *Sandbox) wheelFiles(ctx context.Context, system *sandbox.System, wheels *experiments.Wheels) ([]string, error) {
	store := b.Folder.Modules()
	var index *environments.Index
	if system.Image != "" {
		host, err := b.Folder.HostID()
		if err != nil {
			return nil, err
		}
		pinner, err := sandbox.NewPinner(host)
		if err != nil {
			return nil, err
		}
		defer pinner.Close()
		if index, err = environments.OpenImageIndex(ctx, store, system.Image, runtime.GOARCH, pinner); err != nil {
			return nil, err
		}
	} else {
		var err error
		if index, err = environments.OpenIndex(store, environments.Packages{Dir: system.Packages, ID: system.PackagesID}, runtime.GOARCH); err != nil {
			return nil, err
		}
	}
	defer index.Close()
	if index.Python() != wheels.Python {
		return nil, fmt.Errorf("the run was planned for wheels of Python %s, and Debian's here is %s; start it anew", wheels.Python, index.Python())
	}
	return index.Files(ctx, wheels.Set)
}
