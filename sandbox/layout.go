package sandbox

import (
	"os"
	"path"
	"path/filepath"
)

// layout is where things are for a command. It is the same in every container; on a machine without namespaces the
// command sees the machine's own folders.
type layout struct {
	goRoot, source, scratch, cache, modules, step, supervisor string
	toolchain                                                 string // where a container has the volume with toolchain and standard library
}

// contained is the layout of containers, and of the host sandbox where it has namespaces.
var contained = layout{
	goRoot: "/usr/local/go", source: "/src", scratch: "/tmp", cache: "/evlab/cache", modules: "/evlab/mod", step: "/evlab/step",
	supervisor: "/evlab/supervise", toolchain: "/evlab/toolchain",
}

// evlabDir is the folder of containers that holds what is neither the machine's nor the repository's.
const evlabDir = "/evlab"

// nobody is the user and group that commands run as.
const nobody = 65534

// Environment is the whole environment of a command in a container, but for what Step.Env adds. Nothing of the host's is
// in it.
func Environment() []string { return contained.environment() }

// givenEnvironment is what a command in somebody else's image has besides the image's own variables, which win.
func givenEnvironment(home string) []string {
	return []string{
		"HOME=" + home, "LANG=C.UTF-8", "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "PYTHONHASHSEED=0",
		"TMPDIR=" + contained.scratch, "TZ=UTC",
	}
}

func (l layout) environment() []string {
	search := l.goRoot + "/bin:/usr/local/bin:/usr/bin:/bin"
	if os.PathSeparator != '/' && l != contained {
		search = filepath.Join(l.goRoot, "bin")
	}
	return []string{
		"CGO_ENABLED=0",
		"GOCACHE=" + l.cache,
		"GOFLAGS=-mod=mod",
		"GOMODCACHE=" + l.modules,
		"GONOSUMDB=*",
		"GOPROXY=off",
		"GOROOT=" + l.goRoot,
		"GOSUMDB=off",
		"GOTOOLCHAIN=local",
		"HOME=" + path.Join(l.scratch, "home"),
		"LANG=C.UTF-8",
		"PATH=" + search,
		"PYTHONHASHSEED=0",
		"TMPDIR=" + l.scratch,
		"TZ=UTC",
	}
}
