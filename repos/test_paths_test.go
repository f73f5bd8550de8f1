package repos_test

import (
	"strings"
	"testing"
)

// TestOverlayUndoesTestsOfEveryLanguage: what runs with the hidden tests, or would run in their place, is not a candidate's
// to add or to change, by the conventions of each language. Programs that are named alike stay.
func TestOverlayUndoesTestsOfEveryLanguage(t *testing.T) {
	m, base := mirror(t, file("f.go", "package f\n"), file("test/helper/same.js", "a\n"), file("lib/point-test.js", "a\n"), file("app/test/client.py", "a\n"),
		file("src/test/java/x/Base.java", "a\n"), file("spec/a_spec.rb", "a\n"), file("spec/api.yaml", "a\n"), file("pkg/test/run.go", "package test\n"),
		file("calc/golden/one.txt", "a\n"), file("app/fixtures/one.json", "a\n"), file("app/fixtures/load.py", "a\n"))
	for p, undone := range map[string]bool{
		"test/helper/same.js": true, "lib/point-test.js": false, "app/test/client.py": false, "src/test/java/x/Base.java": true,
		"spec/a_spec.rb": true, "spec/api.yaml": false, "calc/golden/one.txt": true, "app/fixtures/one.json": true, "app/fixtures/load.py": false,
	} {
		var want []string
		if undone {
			want = []string{p}
		}
		undoes(t, "a change of "+p, m, base, edits(p, "a", "b"), want)
	}
	for _, p := range []string{
		"tests/mine.rs", "test/mine.js", "lib/mine.test.js", "lib/mine.spec.ts", "lib/mine-test.mjs", "lib/test-mine.js", "test.js", "test/mine.c", "core/src/test/kotlin/X.kt",
		"spec/mine_spec.rb", "lib/__mocks__/fs.js", "src/test/resources/a.xml",
	} {
		undoes(t, p, m, base, adds(p, "100644", "x\n"), []string{p})
	}
	for _, p := range []string{"lib/latest.js", "lib/attest.ts", "lib/contest/a.rs", "src/main/java/x/StudentTest.java", "lib/test/util.py", "pkg/test/more.go", "spec/more.yaml"} {
		undoes(t, p, m, base, adds(p, "100644", "x\n"), nil)
	}
}

// TestOverlayUndoesHelpersThatOnlyTestsImport: a package of Go that is named like the tests' own is theirs if nothing else
// imports it.
func TestOverlayUndoesHelpersThatOnlyTestsImport(t *testing.T) {
	m, base := mirror(t, file("f.go", "package f\n"), file("go.mod", "module x.org/f\n"), file("f_test.go", "package f\n\nimport _ \"x.org/f/testutil\"\n"),
		file("testutil/check.go", "package testutil\n"), file("cmd/a/main.go", "package main\n\nimport _ \"x.org/f/testkit\"\n"), file("testkit/kit.go", "package testkit\n"),
		file("k_test.go", "package f\n\nimport _ \"x.org/f/testkit\"\n"), file("latest/l.go", "package latest\n"))
	undoes(t, "the helper", m, base, edits("testutil/check.go", "package testutil", "package testutil // idle"), []string{"testutil/check.go"})
	undoes(t, "a file more in it", m, base, adds("testutil/more.go", "100644", "package testutil\n"), []string{"testutil/more.go"})
	undoes(t, "one that a program imports", m, base, edits("testkit/kit.go", "package testkit", "package testkit // idle"), nil)
	undoes(t, "one that nobody imports", m, base, edits("latest/l.go", "package latest", "package latest // idle"), nil)
	undoes(t, "a new one", m, base, adds("testlib/more.go", "100644", "package testlib\n"), nil)
}

// TestOverlayUndoesSettingsOfRunnersAndBuilds: of a file that builds the program and says how tests run, too, the former is
// the candidate's to change and the latter is not.
func TestOverlayUndoesSettingsOfRunnersAndBuilds(t *testing.T) {
	pom := func(dependency, build string) string {
		return "<project><dependencies><dependency><groupId>" + dependency + "</groupId></dependency></dependencies><build>" + build + "</build></project>"
	}
	m, base := mirror(t, file("f.go", "package f\n"), file("pom.xml", pom("org.x", "<source>8</source>")+"\n"), file("Cargo.toml", "package.version = 1\n"),
		file("package.json", `{"scripts": {"test": "node --test"}, "type": "commonjs"}`+"\n"), file("Makefile", "test: ; ./run-tests\n"), file("CMakeLists.txt", "add_test(NAME a COMMAND a)\n"),
		file("build.gradle", "test.useJUnit()\n"), file("own/org/junit/Assert.java", "a\n"))
	change := func(p, before, after string, undone bool) {
		t.Helper()
		var want []string
		if undone {
			want = []string{p}
		}
		undoes(t, p+": "+after, m, base, edits(p, before, after), want)
	}
	old := pom("org.x", "<source>8</source>")
	change("pom.xml", old, pom("org.y", "<source>8</source>"), false)
	change("pom.xml", old, pom("org.x", "<source>11</source>"), false)
	change("pom.xml", old, pom("org.junit.jupiter", "<source>8</source>"), true)
	change("pom.xml", old, pom("org.x", "<source>8</source><testSourceDirectory>fake</testSourceDirectory>"), true)
	change("pom.xml", old, strings.Replace(old, "<build>", "<properties><skipTests>true</skipTests></properties><build>", 1), true)
	change("pom.xml", old, "<project", true)
	change("Cargo.toml", "package.version = 1", "package.version = 2", false)
	change("Cargo.toml", "package.version = 1", "lib.test = false", true)
	old = `{"scripts": {"test": "node --test"}, "type": "commonjs"}`
	change("package.json", old, `{"type": "module", "scripts": {"test": "node --test"}}`, false)
	change("package.json", old, `{"scripts": {"test": "true"}, "type": "commonjs"}`, true)
	change("Makefile", "test: ; ./run-tests", "test: ; true", true)
	change("CMakeLists.txt", "add_test(NAME a COMMAND a)", "add_test(NAME a COMMAND true)", true)
	change("CMakeLists.txt", "add_test(NAME a COMMAND a)", "Add_Test( NAME a  COMMAND a) add_test(NAME b COMMAND b)", false)
	change("CMakeLists.txt", "add_test(NAME a COMMAND a)", "add_test(NAME a COMMAND a) set_tests_properties(a PROPERTIES WILL_FAIL TRUE)", true)
	change("build.gradle", "test.useJUnit()", "test.enabled = false", true)
	undoes(t, "a manifest's targets", m, base, adds("sub/Cargo.toml", "100644", "[package]\nautotests = false\n[[test]]\nname = \"a\"\n"), []string{"sub/Cargo.toml"})
	undoes(t, "a manifest's dependencies", m, base, adds("sub/Cargo.toml", "100644", "[package]\nname = \"sub\"\n[dependencies]\na = \"1\"\n"), nil)
	for _, p := range []string{
		".mvn/maven.config", ".mvn/jvm.config", ".mvn/extensions.xml", "src/main/resources/junit-platform.properties", "src/main/resources/META-INF/services/org.junit.platform.launcher.TestExecutionListener",
		"CTestCustom.cmake", ".npmrc", "src/main/java/org/junit/Assert.java", "src/main/java/junit/framework/Assert.java", "node_modules/tape/index.js", "vendor/github.com/stretchr/testify/assert/a.go",
	} {
		undoes(t, p, m, base, adds(p, "100644", "x\n"), []string{p})
	}
	for _, p := range []string{"own/org/junit/Assume.java", "vendor/github.com/x/y/y.go", "cmake/find.cmake", "src/main/java/org/junitpioneer/A.java"} {
		undoes(t, p, m, base, adds(p, "100644", "x\n"), nil)
	}
}
