package activities

import (
	"context"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"evlab/experiments"
	"evlab/repos"
	"evlab/sandbox/testlog"
)

// mavenTests is the folder that a module's tests are in, as Maven and Gradle have it.
const mavenTests = "src/test/java/"

// javaControl is a class of one test that gives itself up by an assumption, which a report has as skipped: what swallows
// the exceptions of tests makes it pass. Like the test that it stands beside it is of JUnit 5 or of JUnit 4.
const javaControl = `package %[1]s;

/** A test with a known answer, put here by evlab. */
public class %[2]s {
    @%[3]s.Test
    public void known() {
        %[3]s.%[4]s.assumeTrue(false, "known answer");
    }
}
`

// javaPackage is how a source says its package; those that have none are passed over.
var javaPackage = regexp.MustCompile(`(?m)^\s*package\s+([\w.]+)\s*;`)

// newJavaControl puts the control beside a test asked for, in every module that has one. It is nil where the report is not
// of JUnit, where no file has such tests, and where the command itself chooses tests.
func newJavaControl(ctx context.Context, e experiments.Environment, mirror *repos.Mirror, t trial) (*control, error) {
	if e.Report != testlog.JUnit || slices.ContainsFunc(e.Command, func(arg string) bool { return strings.Contains(arg, "-Dtest=") || strings.Contains(arg, "--tests") }) {
		return nil, nil
	}
	classes := map[string][]string{} // class -> tests asked for
	for _, name := range t.run {
		class := javaClass(name)
		classes[class] = append(classes[class], name)
	}
	found, err := mirror.Files(ctx, t.tree, func(p string, _ int64) bool {
		_, class, ok := cutJavaTest(p)
		return ok && classes[class] != nil
	})
	if err != nil {
		return nil, err
	}
	c := newControl(t, "", testlog.Skipped)
	c.places = map[string][]string{}
	in := map[string]string{} // module -> name of its control
	for _, f := range found {
		module, class, _ := cutJavaTest(f.Path)
		if in[module] == "" {
			file, key, ok := c.javaFile(f)
			if !ok {
				continue
			}
			c.files, in[module] = append(c.files, file), key
		}
		c.places[in[module]] = append(c.places[in[module]], classes[class]...)
	}
	if len(c.files) == 0 {
		return nil, nil
	}
	return c, nil
}

// javaClass is the class that a test's name begins with, without classes inside of it.
func javaClass(name string) string {
	return name[:len(name)-len(strings.TrimLeft(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_."))]
}

// cutJavaTest takes MODULE/src/test/java/x/SomeTest.java apart.
func cutJavaTest(p string) (module, class string, ok bool) {
	module, class, ok = strings.Cut("/"+p, "/"+mavenTests)
	class, isJava := strings.CutSuffix(class, ".java")
	return module, strings.ReplaceAll(class, "/", "."), ok && isJava
}

// javaFile is the control beside a test, and the name that a report has it by.
func (c *control) javaFile(beside repos.File) (file repos.File, key string, ok bool) {
	m := javaPackage.FindSubmatch(beside.Content)
	library, assumptions, text := "org.junit.jupiter.api", "Assumptions", javaControl
	switch content := string(beside.Content); {
	case m == nil:
		return file, "", false
	case strings.Contains(content, library):
	case strings.Contains(content, "org.junit.Test"):
		library, assumptions, text = "org.junit", "Assume", strings.Replace(javaControl, `(false, "known answer")`, `("known answer", false)`, 1)
	default:
		return file, "", false
	}
	// Runners choose classes by name, so the control has the name's beginning and end that they look for.
	name := "TestEvlab" + c.name + "Test"
	for _, end := range []string{"Tests", "TestCase"} {
		if strings.HasSuffix(beside.Path, end+".java") {
			name = "TestEvlab" + c.name + end
		}
	}
	pkg := string(m[1])
	file = repos.File{Path: path.Join(path.Dir(beside.Path), name+".java"), Mode: "100644", Content: fmt.Appendf(nil, text, pkg, name, library, assumptions)}
	return file, testlog.Key(pkg+"."+name, "known"), true
}

// doubted are the names of the control in the places where a test asked for is named as passed.
func (c *control) doubted(rep *testlog.Report) (keys []string) {
	for _, key := range slices.Sorted(maps.Keys(c.places)) {
		if slices.ContainsFunc(rep.Judge(c.places[key]), func(j testlog.Judged) bool { return j.Outcome.OK() }) {
			keys = append(keys, key)
		}
	}
	return keys
}
