package testlog

import "slices"

// grammars is the table of all of them, those of Strict first.
var grammars = slices.Concat(strictGrammars, swebenchGrammars, rebenchGrammars, multiGrammars)

// strictGrammars begin with machine formats: where a runner writes one, it is the one to use.
var strictGrammars = []Grammar{
	{Name: GoTestJSON, Mode: Strict, Doc: "go test -json", new: newGoTest},
	{Name: JUnit, Mode: Strict, Doc: "JUnit XML: pytest, surefire, Gradle, ctest, googletest, PHPUnit, vitest, jest-junit, mocha", new: newJUnit},
	{Name: "trx", Mode: Strict, Doc: "dotnet test --logger trx", new: newTRX},
	document("jest-json", "jest --json, vitest --reporter=json", walkJest),
	document("mocha-json", "mocha -R json", walkMocha),
	document("rspec-json", "rspec --format json", walkRSpec),
	document("googletest-json", "--gtest_output=json", walkGoogletest),
	text("cargo-json", Strict, "cargo test -- -Z unstable-options --format json", newCargoJSON),
	text("tap", Strict, "TAP: node:test, mocha -R tap, prove", newTAP),

	text(Pytest, Strict, "pytest's text, with -rA or -v", newPytest),
	text("unittest", Strict, "python -m unittest -v, Django's runtests.py", newUnittest),
	text("sympy", Strict, "sympy's bin/test --verbose", func(b *builder) lineReader { return &sympyText{builder: b} }),
	text("go-test", Strict, "go test -v", newGoText),
	text("cargo", Strict, "cargo test", func(b *builder) lineReader { return &cargo{builder: b} }),
	text("jest", Strict, "jest --verbose", func(b *builder) lineReader { return &jestText{builder: b} }),
	lineByLine("jest-lines", Strict, "jest's JSON as lines, [PASSED] a > b", jestLines),
	text("vitest", Strict, "vitest --reporter=verbose", func(b *builder) lineReader { return &vitestText{builder: b} }),
	text("mocha", Strict, "mocha -R spec", func(b *builder) lineReader { return &mochaText{builder: b} }),
	text("karma", Strict, "karma's spec reporter", func(b *builder) lineReader { return &karma{builder: b} }),
	text("maven", Strict, "Maven's console", func(b *builder) lineReader { return &maven{builder: b} }),
	text("gradle", Strict, "Gradle's console with test logging", func(b *builder) lineReader { return &gradle{builder: b} }),
	lineByLine("ant", Strict, "Ant's junit task", antTest),
	text("ctest", Strict, "ctest", func(b *builder) lineReader { return &ctest{builder: b} }),
	text("googletest", Strict, "googletest's text", func(b *builder) lineReader { return &googletest{builder: b} }),
	text("automake", Strict, "make check of Automake", newAutomake),
	lineByLine("redis", Strict, "runtest of redis and valkey", redis),
	lineByLine("micropython", Strict, "run-tests.py of MicroPython", micropython),
	lineByLine("rspec-lines", Strict, "RSpec's JSON as lines, description - status", rspecLines),
	text("minitest", Strict, "minitest -v", func(b *builder) lineReader { return &minitest{builder: b} }),
	text("test-unit", Strict, "test-unit --verbose=verbose", func(b *builder) lineReader { return &testUnit{builder: b} }),
	text("testdox", Strict, "phpunit --testdox", newTestdox),
	text("dotnet", Strict, "dotnet test with a console logger of normal verbosity", func(b *builder) lineReader { return &dotnet{builder: b} }),
}

// swebenchGrammars are the parsers of SWE-bench, of datasets that took them over, and of SWE-bench-Live.
var swebenchGrammars = []Grammar{
	compatPytest("parse_log_pytest", "SWE-bench, most Python repositories", compatPlain),
	compatPytest("parse_log_pytest@v4", "the same in version 4", firstTwo),
	compatPytest("parse_log_pytest_options", "SWE-bench: requests, pydicom, pylint", compatOptions),
	compatPytest("parse_log_pytest_v2", "SWE-bench: astropy, scikit-learn, sphinx", compatV2),
	compatPytest("parse_log_pytest_v2@v4", "the same in version 4", compatV2Old),
	compatPytest("parse_log_matplotlib", "SWE-bench: matplotlib", compatMatplotlib),
	compatPytest("parse_log_seaborn", "SWE-bench: seaborn", compatSeaborn),
	text("live_pytest", Compat, "SWE-bench-Live, Python", livePytest),
	text("parse_log_django", Compat, "SWE-bench: Django", func(b *builder) lineReader { return &djangoCompat{builder: b} }),
	text("parse_log_sympy", Compat, "SWE-bench: sympy", func(b *builder) lineReader { return &sympyText{b, true} }),
	lineByLine("parse_log_gotest", Compat, "SWE-bench: Go", compatGoTest),
	lineByLine("parse_log_cargo", Compat, "SWE-bench: Rust", compatCargo),
	lineByLine("parse_log_jest", Compat, "SWE-bench: jest --verbose", compatJest),
	lineByLine("parse_log_jest_json", Compat, "SWE-bench: jest's JSON as lines", compatJestJSON),
	lineByLine("parse_log_react_pdf", Compat, "SWE-bench: files of jest as tests", compatJestFiles),
	lineByLine("parse_log_emotion", Compat, "the same, with durations in the names", compatJestFilesTimed),
	lineByLine("parse_log_vitest", Compat, "SWE-bench: vitest", compatVitest),
	text("parse_log_karma", Compat, "SWE-bench: karma", func(b *builder) lineReader { return &karmaCompat{builder: b, indent: -1} }),
	lineByLine("parse_log_tap", Compat, "SWE-bench: TAP", compatTAP),
	text("parse_log_maven", Compat, "SWE-bench: Maven", func(b *builder) lineReader { return &maven{builder: b, compat: true} }),
	text("parse_log_maven@v4", Compat, "the same in version 4", func(b *builder) lineReader { return &maven{builder: b, compat: true, first: true} }),
	text("parse_log_gradle_custom", Compat, "SWE-bench: Gradle", func(b *builder) lineReader { return &gradle{builder: b, compat: true} }),
	lineByLine("parse_log_ant", Compat, "SWE-bench: Ant", compatAnt),
	lineByLine("parse_log_googletest", Compat, "SWE-bench: googletest", compatGoogletest),
	lineByLine("parse_log_jq", Compat, "SWE-bench: jq", compatJQ),
	lineByLine("parse_log_redis", Compat, "SWE-bench: redis and valkey", compatRedis),
	lineByLine("parse_log_micropython_test", Compat, "SWE-bench: MicroPython", micropython),
	lineByLine("parse_log_rspec_transformed_json", Compat, "SWE-bench: RSpec", compatRSpec),
	lineByLine("parse_log_minitest", Compat, "SWE-bench: minitest", compatMinitest),
	lineByLine("parse_log_ruby_unit", Compat, "SWE-bench: test-unit", compatRubyUnit),
	lineByLine("parse_log_cucumber", Compat, "SWE-bench: cucumber", compatCucumber),
	text("parse_log_phpunit", Compat, "SWE-bench: PHPUnit", newCompatTestdox),
}

// aliases are further names of datasets for the same parsers.
var aliases = map[string]string{
	"parse_log_astroid": "parse_log_pytest", "parse_log_flask": "parse_log_pytest", "parse_log_marshmallow": "parse_log_pytest", "parse_log_pvlib": "parse_log_pytest",
	"parse_log_pyvista": "parse_log_pytest", "parse_log_sqlfluff": "parse_log_pytest", "parse_log_xarray": "parse_log_pytest",
	"parse_log_pydicom": "parse_log_pytest_options", "parse_log_requests": "parse_log_pytest_options", "parse_log_pylint": "parse_log_pytest_options",
	"parse_log_astropy": "parse_log_pytest_v2", "parse_log_scikit": "parse_log_pytest_v2", "parse_log_sphinx": "parse_log_pytest_v2",
	"parse_log_carbon": "parse_log_react_pdf", "parse_log_grommet": "parse_log_react_pdf", "parse_log_prettier": "parse_log_react_pdf",
	"parse_log_scratch_gui": "parse_log_react_pdf", "parse_log_lighthouse": "parse_log_react_pdf",
}
