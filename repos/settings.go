package repos

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// changedSettings gives, for a file that says how tests run beside what builds the program, the question whether the first
// changed; nil for other files.
func changedSettings(p string) func(before, after string) bool {
	name := strings.ToLower(path.Base(p))
	switch name {
	case "setup.cfg", "tox.ini":
		return differ(pytestPart)
	case "pyproject.toml":
		return differ(projectPart)
	case "go.mod":
		return func(before, after string) bool {
			return replaces(before) != replaces(after) || sharesLoops(before, after)
		}
	case "cargo.toml":
		return differ(cargoPart)
	case "package.json":
		return differ(npmPart)
	case "pom.xml":
		return differ(mavenPart)
	case "build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts":
		return differ(gradlePart)
	case "makefile", "gnumakefile":
		return differ(makePart)
	case "cmakelists.txt":
		return changedCTest
	}
	if strings.HasSuffix(name, ".cmake") {
		return changedCTest
	}
	return nil
}

func differ(part func(text string) string) func(before, after string) bool {
	return func(before, after string) bool { return part(before) != part(after) }
}

// pytestPart is what a shared configuration file says to pytest: its sections, and every other line that names it.
func pytestPart(text string) string {
	return lines(text, func(section, line string) bool {
		return strings.Contains(section, "pytest") || strings.Contains(line, "pytest")
	})
}

// projectPart is the same of a pyproject.toml, where a name may be written in several ways.
func projectPart(text string) string {
	var all struct{ Tool map[string]any }
	if toml.Unmarshal([]byte(text), &all) != nil {
		return pytestPart(text)
	}
	maps.DeleteFunc(all.Tool, func(name string, _ any) bool { return !strings.Contains(name, "pytest") })
	if len(all.Tool) == 0 {
		return ""
	}
	canonical, err := json.Marshal(all.Tool)
	if err != nil { // numbers that JSON has not
		return text
	}
	return string(canonical)
}

// lines are the lines of a file with sections in brackets for which pick holds, without blanks around them.
func lines(text string, pick func(section, line string) bool) string {
	var out []string
	section := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") && strings.HasSuffix(line, "]") {
			section = line
		}
		if line != "" && !strings.HasPrefix(line, "#") && pick(section, line) {
			out = append(out, line)
		}
	}
	return strings.Join(out, "\n")
}

// cargoPart is what a manifest says of targets for tests, of the library that they are linked to, and of crates in others'
// places.
func cargoPart(text string) string {
	return lines(text, func(section, line string) bool {
		section = strings.Trim(section, "[] ")
		switch {
		case section == "": // keys with dots
			return !strings.HasPrefix(line, "package.") || strings.HasPrefix(line, "package.auto") || strings.HasPrefix(line, "package.build")
		case section == "package" || section == "project":
			return strings.HasPrefix(line, "auto") || strings.HasPrefix(line, "build")
		case section == "test" || section == "lib" || section == "workspace" || section == "replace":
			return true
		}
		return strings.HasPrefix(section, "patch") || strings.Contains(section, "dev-dependencies") || strings.HasPrefix(section, "profile.test")
	})
}

// npmPart is what a package.json says to those who start tests, and to runners that keep their settings there.
func npmPart(text string) string {
	var all map[string]json.RawMessage
	if json.Unmarshal([]byte(text), &all) != nil {
		return text
	}
	var out []string
	for _, key := range []string{"scripts", "jest", "mocha", "ava", "tap", "vitest", "nyc", "c8"} {
		var value any
		if json.Unmarshal(all[key], &value) == nil {
			canonical, _ := json.Marshal(value) // what was just read can be written
			out = append(out, key+" "+string(canonical))
		}
	}
	return strings.Join(out, "\n")
}

// mavenPart is what a pom.xml says of the build, of modules and parents, and of what tests are made with; not the
// program's own dependencies, nor what language it is written in.
func mavenPart(text string) string {
	var out []string
	var open []string
	var held strings.Builder // of one dependency, until it is known whose it is
	in := func(name string) bool { return slices.Contains(open, name) }
	d := xml.NewDecoder(strings.NewReader(text))
	d.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil } // what matters is ASCII
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return strings.Join(out, "\n")
		}
		if err != nil {
			return text
		}
		switch t := token.(type) {
		case xml.StartElement:
			open = append(open, t.Name.Local)
			continue
		case xml.EndElement:
			if t.Name.Local == "dependency" {
				if testLibrary.MatchString(held.String()) {
					out = append(out, held.String())
				}
				held.Reset()
			}
			open = open[:max(len(open)-1, 0)]
			continue
		case xml.CharData:
			value := strings.TrimSpace(string(t))
			if value == "" || len(open) == 0 {
				continue
			}
			at, last := strings.Join(open, "/"), open[len(open)-1]
			switch {
			case in("build"), in("profiles"), in("modules"), in("parent"):
				if !slices.Contains([]string{"source", "target", "release", "encoding", "testSource", "testTarget"}, last) {
					out = append(out, at+" "+value)
				}
			case in("dependency"):
				held.WriteString(at + " " + value + "\n")
			case in("properties") && testProperty.MatchString(last):
				out = append(out, at+" "+value)
			}
		}
	}
}

var (
	testLibrary  = regexp.MustCompile(`(?i)groupId \S*(junit|testng|hamcrest|assertj|mockito|opentest4j|surefire|spockframework)|systemPath`)
	testProperty = regexp.MustCompile(`(?i)test|skip|surefire|failsafe|argLine|^maven\.(main|repo)`)
)

// gradlePart are the lines of a build that speak of tests.
func gradlePart(text string) string {
	return lines(text, func(_, line string) bool {
		return gradleTest.MatchString(line) || strings.Contains(line, "exclude") || strings.Contains(line, "include")
	})
}

var gradleTest = regexp.MustCompile(`(?i)test|junit`)

// makePart are the rules of a Makefile whose targets test, and what is set for the shell that all rules run in.
func makePart(text string) string {
	var out []string
	inside := false
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, " \t\r\n")
		if line != "" && line[0] != '\t' && line[0] != '#' {
			target, _, rule := strings.Cut(line, ":")
			inside = rule && makeTest.MatchString(target) || strings.HasPrefix(line, "SHELL") || strings.HasPrefix(line, ".SHELLFLAGS")
		}
		if inside && line != "" {
			out = append(out, line)
		}
	}
	return strings.Join(out, "\n")
}

var makeTest = regexp.MustCompile(`(?i)test|check|spec`)

// changedCTest reports whether a CMake file takes a test away, or says of tests how to tell that they pass. Tests that it
// adds are nobody's concern.
func changedCTest(before, after string) bool {
	was, is := ctestCommands(before), ctestCommands(after)
	for _, c := range was {
		if !slices.Contains(is, c) {
			return true
		}
	}
	return slices.ContainsFunc(is, func(c string) bool {
		return !slices.Contains(was, c) && (strings.HasPrefix(c, "set") || strings.Contains(c, "ctest"))
	})
}

// ctestCommands are the commands of a CMake file that make tests, lead to folders with more, or set what tests have, each
// in one spelling.
func ctestCommands(text string) []string {
	text = cmakeComment.ReplaceAllString(text, "")
	var out []string
	for _, m := range cmakeTest.FindAllStringSubmatch(text, -1) {
		name, args := strings.ToLower(m[1]), strings.Join(strings.Fields(m[2]), " ")
		upper := strings.ToUpper(args)
		switch {
		case name == "set_property" && !strings.HasPrefix(upper, "TEST") && !strings.Contains(upper, "TEST_INCLUDE"),
			name == "set_directory_properties" && !strings.Contains(upper, "TEST_INCLUDE"),
			name == "set" && !strings.Contains(upper, "CTEST"),
			name == "include" && upper != "CTEST":
			continue
		}
		out = append(out, name+" "+args)
	}
	return out
}

var (
	cmakeComment = regexp.MustCompile(`(?m)#.*$`)
	cmakeTest    = regexp.MustCompile(`(?i)\b(add_test|enable_testing|add_subdirectory|set_tests_properties|set_property|set_directory_properties|gtest_discover_tests|gtest_add_tests|catch_discover_tests|doctest_discover_tests|include|set)\s*\(([^()]*)\)`)
)
