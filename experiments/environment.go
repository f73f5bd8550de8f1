package experiments

import "slices"

// Environment is what a language's tests need to run, and how: a recipe as data. It is an input of every cell.
type Environment struct {
	Name      string     `yaml:"name" json:"name"`
	Languages []string   `yaml:"languages" json:"languages"`
	Packages  []string   `yaml:"packages" json:"packages,omitempty"` // of Debian; none means the machine's Go toolchain alone
	Setup     [][]string `yaml:"setup" json:"setup,omitempty"`       // commands for the base image's cache, before any repository is there
	Warm      [][]string `yaml:"warm" json:"warm,omitempty"`         // commands for a task image's cache, in the tree
	Command   []string   `yaml:"command" json:"command"`             // the test command; what Select chooses is added
	Select    string     `yaml:"select" json:"select"`               // SelectGo, SelectFiles or SelectAll
	Report    string     `yaml:"report" json:"report"`               // the grammar of its report, which is standard output
	Env       []string   `yaml:"env" json:"env,omitempty"`           // NAME=value, added to the sandbox's own

	// Wheels are the packages of an index that the tests of a task need. A recipe that has some of it can take them, and
	// in a contract it is there for the tasks that name any.
	Wheels *Wheels `yaml:"wheels" json:"wheels,omitempty"`

	// Additions are what the base gets besides, for trees that ask for it. They are a recipe's alone: in a contract they have
	// become Beside, and part of Setup and Env.
	Additions []Addition `yaml:"additions" json:"-"`

	// Imports say which packages of Debian a tree's sources of Python ask for. They are a recipe's alone: in a contract those
	// are among Packages.
	Imports *Imports `yaml:"imports" json:"-"`

	// Beside are packages of Debian that lie beside the machine's Go toolchain.
	Beside []string `yaml:"-" json:"beside,omitempty"`

	// Base is an image, pinned to its content, that takes the place of Packages: it has another Python than Debian's, and the
	// commands run in it as they do in evlab's own.
	Base string `yaml:"-" json:"base,omitempty"`

	// What a task names instead of Packages: an image, pinned to its content, or the text of a Dockerfile; and the folder
	// of the repository in it, empty for the image's own working folder.
	Image      string `yaml:"-" json:"image,omitempty"`
	Dockerfile string `yaml:"-" json:"dockerfile,omitempty"`
	Workdir    string `yaml:"-" json:"workdir,omitempty"`

	// Reader is the program that makes the report out of what Command prints; nil where that is the report.
	Reader *Reader `yaml:"-" json:"reader,omitempty"`
}

// Addition is what a recipe's base gets besides, for a tree whose sources ask for it in one of these ways.
type Addition struct {
	Imports  []string `yaml:"imports"`  // packages, by the path that a source of Go imports
	Uses     []string `yaml:"uses"`     // package.Name, as a source speaks of what others may use without such a need
	Requires []string `yaml:"requires"` // modules, by the path that a go.mod requires

	Packages []string   `yaml:"packages"` // of Debian
	Setup    [][]string `yaml:"setup"`    // added to the recipe's own
	Env      []string   `yaml:"env"`      // added to the recipe's own
}

// Imports are how Debian names the packages of what sources of Python import, and of pytest's plugins.
type Imports struct {
	Package  string            `yaml:"package"`  // the name by rule, {module} in the place of the module's or the plugin's
	Named    map[string]string `yaml:"named"`    // packages that have other names, by module
	Released map[string]string `yaml:"released"` // what an index, and so a tree's settings, calls a module, where that does not follow from its name
	Options  map[string]string `yaml:"options"`  // packages of plugins, by an option of pytest that a tree's settings have
	Plugins  []string          `yaml:"plugins"`  // of pytest, that an index has under names without "pytest"
	Without  []string          `yaml:"without"`  // packages that are never added
}

// Wheels are packages of Python's for an image, by content.
type Wheels struct {
	Image  string     `yaml:"image" json:"-"`               // of a recipe: where other Pythons than Debian's are, {python} in the place of their version
	Setup  [][]string `yaml:"setup" json:"setup,omitempty"` // commands for the image's cache once the wheels are in it
	Python string     `yaml:"-" json:"python"`              // whose they are, such as 3.11
	Set    []Wheel    `yaml:"-" json:"set"`                 // in the order of their names
}

// Wheel is one file of an index, pinned.
type Wheel struct {
	File   string `json:"file"` // name-version-tags.whl
	Digest Digest `json:"sha256"`
}

func (w *Wheels) equal(other *Wheels) bool {
	if w == nil || other == nil {
		return w == other
	}
	same := func(a, b []string) bool { return slices.Equal(a, b) }
	return w.Python == other.Python && slices.Equal(w.Set, other.Set) && slices.EqualFunc(w.Setup, other.Setup, same)
}

// Reader is a program of a dataset's that reads logs, and where it runs: in Packages, as Environment has them, apart from
// the image of the tests, so that no candidate can be in its way.
type Reader struct {
	Program  Digest     `json:"program"` // hand-out: Python source
	Takes    string     `json:"takes"`   // ReaderTakesLog or ReaderTakesFiles
	Packages []string   `json:"packages"`
	Setup    [][]string `json:"setup,omitempty"`
	Env      []string   `json:"env,omitempty"`
}

// How a Reader is called.
const (
	ReaderTakesLog   = "log"   // it defines parser(log), which gives a dict of names and outcomes
	ReaderTakesFiles = "files" // it is run with the files of standard output, standard error and its answer, {"tests": [{"name", "status"}]}
)

// Given reports whether the tests run in an image that evlab did not make.
func (e Environment) Given() bool { return e.Image != "" || e.Dockerfile != "" }

// OnToolchain reports whether the environment is the machine's Go toolchain, whatever lies beside it.
func (e Environment) OnToolchain() bool { return len(e.Packages) == 0 && e.Base == "" && !e.Given() }

// Cgo reports whether Go's tests are compiled with C.
func (e Environment) Cgo() bool { return slices.Contains(e.Env, "CGO_ENABLED=1") }

// SameImage reports whether the images of one tree are one for both environments, whatever is run in them.
func (e Environment) SameImage(other Environment) bool {
	same := func(a, b []string) bool { return slices.Equal(a, b) }
	return e.Base == other.Base && e.Wheels.equal(other.Wheels) && e.Image == other.Image && e.Dockerfile == other.Dockerfile && e.Workdir == other.Workdir && slices.Equal(e.Packages, other.Packages) && slices.Equal(e.Beside, other.Beside) &&
		slices.EqualFunc(e.Setup, other.Setup, same) && slices.EqualFunc(e.Warm, other.Warm, same) && (e.Given() || slices.Equal(e.Env, other.Env))
}

// Ways to choose the named tests.
const (
	SelectGo    = "go"    // -run with the tests' names, and their packages
	SelectFiles = "files" // the files that the tests' names begin with, before "::"
	SelectAll   = "all"   // the command runs all tests
)

// Selections lists the ways.
var Selections = []string{SelectGo, SelectFiles, SelectAll}
