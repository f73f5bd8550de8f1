package environments

import (
	"strings"
	"testing"
	"testing/fstest"
)

func TestBundledRecipes(t *testing.T) {
	for _, language := range []string{"go", "python", "javascript", "c", "cpp"} {
		if e, err := Of(language); err != nil || len(e.Command) == 0 {
			t.Errorf("%s: %v %+v", language, err, e)
		}
	}
	_, err := Of("cobol")
	if err == nil || !strings.Contains(err.Error(), "no environment") || !strings.Contains(err.Error(), "python") {
		t.Errorf("an unknown language: %v", err)
	}
}

// TestPythonSeesNoTerminal: argparse, optparse and click wrap their help by COLUMNS, so a repository's own tests would fail
// with the task's own repair.
func TestPythonSeesNoTerminal(t *testing.T) {
	e, err := Of("python")
	if err != nil {
		t.Fatal(err)
	}
	for _, variable := range e.Env {
		if !strings.HasPrefix(variable, "PYTHON") && !strings.HasPrefix(variable, "PATH=") {
			t.Errorf("%s is for more than the interpreter", variable)
		}
	}
}

func TestFaultsOfRecipes(t *testing.T) {
	whole := "name: x\nlanguages: [x]\ncommand: [run]\nselect: all\nreport: tap\n"
	lean := strings.Replace(whole, "select: all", "select: go", 1)
	for name, c := range map[string]struct{ text, want string }{
		"unknown key":                       {whole + "colour: red\n", "colour"},
		"no command":                        {strings.Replace(whole, "[run]", "[]", 1), "empty command"},
		"selection":                         {strings.Replace(whole, "select: all", "select: some", 1), "select"},
		"grammar":                           {strings.Replace(whole, "tap", "tapp", 1), "tapp"},
		"no language":                       {strings.Replace(whole, "languages: [x]\n", "", 1), "languages"},
		"package name":                      {whole + "packages: ['a b']\n", "a b"},
		"option":                            {whole + "packages: ['-o=Dir::Etc=/']\n", "Dir"},
		"variable":                          {whole + "env: [PATH]\n", "PATH"},
		"another name":                      {strings.Replace(whole, "name: x", "name: y", 1), `"y"`},
		"no yaml":                           {"\t- {", "x.yaml"},
		"wheels without Python":             {whole + "wheels: {}\n", "python3"},
		"an empty setup":                    {whole + "packages: [python3]\nwheels: {setup: [[]]}\n", "empty command"},
		"empty command":                     {whole + "warm: [[]]\n", "empty command"},
		"a program that is not there":       {whole + "warm: [[sh, -c, '@none.sh']]\n", "@none.sh"},
		"an addition that nobody asks for":  {lean + "additions: [{packages: [git]}]\n", "number 1"},
		"an addition of nothing":            {lean + "additions: [{imports: [os/exec]}]\n", "packages"},
		"an addition's key":                 {lean + "additions: [{import: [os/exec], packages: [git]}]\n", "import"},
		"an addition's package":             {lean + "additions: [{imports: [os/exec], packages: ['-o=x']}]\n", "-o=x"},
		"an addition's variable":            {lean + "additions: [{imports: [C], packages: [gcc], env: [CGO]}]\n", "CGO"},
		"an addition's command":             {lean + "additions: [{imports: [C], packages: [gcc], setup: [[]]}]\n", "empty command"},
		"an import with blanks":             {lean + "additions: [{imports: ['os exec'], packages: [git]}]\n", "os exec"},
		"a use without its package":         {lean + "additions: [{uses: [StartProcess], packages: [git]}]\n", "package.Name"},
		"an addition to packages":           {lean + "packages: [python3]\nadditions: [{imports: [C], packages: [gcc]}]\n", "toolchain"},
		"an addition to another language's": {whole + "additions: [{imports: [C], packages: [gcc]}]\n", "toolchain"},
	} {
		_, err := read(fstest.MapFS{"r/x.yaml": {Data: []byte(c.text)}}, "r")
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "x.yaml") {
			t.Errorf("%s: want an error that names the file and %q, got %v", name, c.want, err)
		}
	}
	two := fstest.MapFS{"r/x.yaml": {Data: []byte(whole)}, "r/z.yaml": {Data: []byte(strings.Replace(whole, "name: x", "name: z", 1))}}
	if _, err := read(two, "r"); err == nil || !strings.Contains(err.Error(), "already") {
		t.Errorf("two recipes of one language: %v", err)
	}
}
