package activities

import (
	"context"
	"fmt"
	"runtime"

	"evlab/environments"
	"evlab/experiments"
	"evlab/sandbox"
)

// layWheels finds the wheels that a contract pins, for a recipe's packages. They were fetched when it was frozen; what
// was lost since then is fetched again.
func layWheels(ctx context.Context, store string, system *sandbox.System, wheels *experiments.Wheels) (*sandbox.Wheels, error) {
	if wheels == nil {
		return nil, nil
	}
	index, err := environments.OpenIndex(store, environments.Packages{Dir: system.Packages, ID: system.PackagesID}, runtime.GOARCH)
	if err != nil {
		return nil, &sandbox.Fault{Class: "wheels", Err: err}
	}
	defer index.Close()
	if index.Python() != wheels.Python {
		err := fmt.Errorf("the run was planned for wheels of Python %s, and Debian's here is %s; start it anew", wheels.Python, index.Python())
		return nil, &sandbox.Fault{Class: "wheels", Err: err}
	}
	files, err := index.Files(ctx, wheels.Set)
	if err != nil {
		return nil, &sandbox.Fault{Class: "wheels", Err: err}
	}
	id, err := experiments.DigestJSON(wheels.Set)
	if err != nil {
		return nil, err
	}
	return &sandbox.Wheels{Files: files, ID: string(id), Python: wheels.Python, Setup: wheels.Setup}, nil
}
