package environments

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"evlab/sandbox/testlog"
)

// standInMaven does what the command's reading of a run depends on: it writes reports, says a line, and ends.
const standInMaven = `#!/bin/sh
for module in . app; do
  mkdir -p $module/target/surefire-reports
  printf '<?xml version="1.0" encoding="UTF-8"?>\n<testsuite name="x.%s" tests="1" errors="0" failures="0"><testcase name="runs" classname="x.%s"/></testsuite>' \
    "$MODULES" "$MODULES" >$module/target/surefire-reports/TEST-x.$MODULES.xml
  [ "$MODULES" ] || rm $module/target/surefire-reports/*
  MODULES=$MODULES$MODULES
done
echo "$SAYS"
exit $ENDS
`

// maven runs the recipe's command in a tree, with a repository of artifacts and a Maven that are made for it, and gives
// what it left of the repository.
func maven(t *testing.T, tree map[string]string, env ...string) (stdout, stderr string, exit int, repository string) {
	t.Helper()
	if _, err := exec.LookPath("bash"); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	e, err := Of("java")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write := func(name, text string, mode os.FileMode) {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range tree {
		write("tree/"+name, text, 0o644)
	}
	for _, pom := range []string{
		"junit/junit/4.13.2", "junit/junit/4.x", "org/junit/junit-bom/5.9.2", "org/junit/junit-bom/debian", "org/h/core/debian",
		"org/apache/maven/plugins/maven-surefire-plugin/2.22.3", "org/quiet/quiet/1.0",
	} {
		name := filepath.Base(filepath.Dir(pom)) + "-" + filepath.Base(pom) + ".pom"
		text := "<project><artifactId>" + filepath.Base(filepath.Dir(pom)) + "</artifactId></project>"
		if strings.Contains(pom, "bom") {
			text = "<project><packaging>pom</packaging></project>"
		}
		write(filepath.Join("debian", pom, name), text, 0o644)
	}
	write("debian/junit/junit/3.8/junit-3.8.pom", "<project><relocation>4.13.2</relocation></project>", 0o644)
	write("mvn", standInMaven, 0o755)
	places := strings.NewReplacer("/usr/share/maven-repo", dir+"/debian", "/usr/share/maven/bin/mvn", dir+"/mvn", "/tmp/maven", dir+"/work")
	args := make([]string, len(e.Command))
	for i, arg := range e.Command {
		args[i] = places.Replace(arg)
	}
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir, cmd.Env = filepath.Join(dir, "tree"), append(os.Environ(), append([]string{"SAYS=", "ENDS=0", "MODULES="}, env...)...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode(), filepath.Join(dir, "work", "repository")
}

const pom = `<project><artifactId>p</artifactId><version>1.0</version>
<dependency><artifactId>junit</artifactId><version> 4.12 </version></dependency>
<dependency><artifactId>junit-bom</artifactId><version>5.8.1</version></dependency>
<dependency><artifactId>core</artifactId><version>1.3</version></dependency>
<plugin><artifactId>maven-surefire-plugin</artifactId><version>3.0.0-M5</version></plugin></project>`

// TestJavaVersions: what a project asks for is given in Debian's version, if that is of the same major one.
func TestJavaVersions(t *testing.T) {
	_, _, _, repository := maven(t, map[string]string{"pom.xml": pom, "app/pom.xml": "<project/>"})
	for path, want := range map[string]string{
		"junit/junit/4.12/junit-4.12.pom":               "<relocation><version>4.13.2</version>",
		"org/junit/junit-bom/5.8.1/junit-bom-5.8.1.pom": "<packaging>pom</packaging>",
		"org/h/core/1.3/core-1.3.pom":                   "<relocation><version>debian</version>",
		"org/apache/maven/plugins/maven-surefire-plugin/3.0.0-M5/maven-surefire-plugin-3.0.0-M5.pom":   "<relocation><version>2.22.3</version>",
		"org/apache/maven/plugins/maven-surefire-plugin/2.22.3/maven-surefire-plugin-2.22.3.pom":       "<artifactId>maven-surefire-plugin</artifactId></project>",
		"org/apache/maven/plugins/maven-surefire-plugin/3.0.0-M5/../1.0/maven-surefire-plugin-1.0.pom": "<groupId>org.apache.maven.plugins</groupId>",
	} {
		text, err := os.ReadFile(filepath.Join(repository, path))
		if err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s: %v: %s; want %s", path, err, text, want)
		}
	}
	for _, path := range []string{"junit/junit/5.8.1", "junit/junit/1.0", "org/junit/junit-bom/4.12", "org/quiet/quiet/1.3"} {
		if _, err := os.Stat(filepath.Join(repository, path)); err == nil {
			t.Errorf("%s is there: another major version, or an artifact that nobody asked for", path)
		}
	}
}

// TestJavaReports: the report is that of this run's modules, and a run without one says so on standard error.
func TestJavaReports(t *testing.T) {
	stale := `<testsuite name="x.Stale" tests="1"><testcase name="forged" classname="x.Stale"/></testsuite>`
	tree := map[string]string{"pom.xml": pom, "app/pom.xml": "<project/>", "target/surefire-reports/TEST-x.Stale.xml": stale, "app/target/surefire-reports/TEST-x.Stale.xml": stale}
	for name, c := range map[string]struct {
		env     []string
		tree    map[string]string
		exit    int
		tests   int
		finding testlog.Finding
		says    string // the beginning of standard error
	}{
		"two modules": {[]string{"MODULES=A"}, tree, 0, 2, testlog.Sound, "\n"},
		"failures of which Maven was told to make nothing": {[]string{"MODULES=A", "SAYS=[ERROR] There are test failures."}, tree, 1, 2, testlog.Contradiction, "[ERROR] There"},
		"a module that does not compile":                   {[]string{"MODULES=A", "ENDS=1"}, tree, 1, 2, testlog.Contradiction, "\n"},
		"nothing compiles":                                 {[]string{"ENDS=1", "SAYS=[INFO] so\n[ERROR] it does not compile"}, tree, 1, 0, testlog.NoReport, "[ERROR] it does not compile\n[INFO] so"},
		"another build":                                    {nil, map[string]string{"build.gradle": ""}, 2, 0, testlog.NoReport, "there is no pom.xml"},
	} {
		stdout, stderr, exit, _ := maven(t, c.tree, c.env...)
		grammar, err := testlog.Find("junit")
		if err != nil {
			t.Fatal(err)
		}
		report, err := grammar.Read(strings.NewReader(stdout))
		if err != nil {
			t.Fatal(err)
		}
		finding, why := report.Assess(exit)
		if exit != c.exit || len(report.Tests) != c.tests || finding != c.finding || !strings.HasPrefix(stderr, c.says) {
			t.Errorf("%s: exit %d, %d tests, %s (%s), said %q; want %+v; report:\n%s", name, exit, len(report.Tests), finding, why, stderr, c, stdout)
		}
	}
}
