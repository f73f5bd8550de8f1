package testlog

import "strings"

// rebenchGrammars are the parsers that rows of SWE-rebench V2 may name. One whose name SWE-bench has for a parser that reads
// otherwise ends in "@rebench".
var rebenchGrammars = []Grammar{
	rebench("parse_log_pytest@rebench", "pytest", lastCounts, fourStatuses(firstTwo)),
	rebench("parse_log_pytest_options@rebench", "pytest, paths in parameters cut", lastCounts, fourStatuses(rebenchOptions)),
	rebench("parse_log_pytest_v2@rebench", "pytest, also -v", lastCounts, fourStatuses(rebenchV2)),
	rebench("parse_log_pytest_nebo", "pytest with workers", lastCounts, stateless(rebenchNebo)),
	text("parse_combined_test_reports", Compat, "SWE-rebench V2: JUnit XML in the log, documents of testsuites", newLoggedDocuments),
	text("parse_log_sbt", Compat, "SWE-rebench V2: testcases of JUnit XML in the log", newLoggedCases),
	text("parse_log_gradlew_v1", Compat, "SWE-rebench V2: JUnit XML in the log, one suite a document", newLoggedSuites),
	text("parse_logs_r_junit", Compat, "SWE-rebench V2: the first JUnit XML document in the log", newLoggedDocument),
	text("parse_java_mvn", Compat, "SWE-rebench V2: Maven, classes and failed methods", newRebenchMaven),
	rebench("parse_java_mvn_v2", "Maven, modules as tests", lastCounts, rebenchModules),
	rebench("parse_logs_kotlin_junit", "surefire's lines for classes", lastCounts, rebenchKotlin),
	rebench("parse_log_gradle_custom@rebench", "Gradle", lastCounts, trimmed(rebenchGradle.parse)),
	rebench("parse_log_scala", "ScalaTest", passYields, trimmed(scalaRules.parse)),
	rebench("parse_log_scala_v2", "munit", lastCounts, stateless(rebenchMunit)),
	rebench("parse_log_scala_v3", "ScalaTest, with the suite", lastCounts, rebenchSuites),
	text("parse_log_lein", Compat, "SWE-rebench V2: Leiningen, namespaces as tests", newRebenchLein),
	rebench("parse_log_elixir", "ExUnit", passYields, trimmed(elixirRules.parse)),
	rebench("parse_log_haskell", "tasty, hspec, HUnit", lastCounts, rebenchHaskell),
	text("parse_log_haskell_v2", Compat, "SWE-rebench V2: hspec's tree", newHspec),
	rebench("parse_log_ocaml", "Alcotest", passYields, rebenchAlcotest),
	rebench("parse_log_ocaml_v2", "dune, programs as tests", worstCounts, rebenchDune),
	rebench("parse_log_ocaml_v3", "[OK] name", worstCounts, trimmed(rebenchBrackets)),
	rebench("parse_log_ocaml_v4", "PASSED name", worstCounts, trimmed(rebenchOCamlbuild)),
	rebench("parse_log_ruby_v1", "minitest's reporters", lastCounts, rebenchReporter),
	rebench("parse_log_ruby_v2", "minitest -v", lastCounts, trimmed(rebenchHash)),
	text("parse_log_phpunit@rebench", Compat, "SWE-rebench V2: PHPUnit", newRebenchTestdox),
	rebench("parse_log_php_v1", "Pest", passYields, rebenchPest),
	rebench("parse_log_react_pdf@rebench", "files of jest as tests", lastCounts, stateless(reactRules.parse)),
	rebench("parse_log_js", "mocha, failures by their headings", passYields, timedRules(mochaRules)),
	rebench("parse_log_js_2", "mocha", passYields, timedRules(plainRules)),
	rebench("parse_log_js_3", "TAP with subtests in braces", passYields, rebenchTAP),
	rebench("parse_log_js_4", "marks of several runners", passYields, trimmed(rebenchMarks)),
	rebench("parse_log_npx", "mocha", lastCounts, stateless(rebenchNPX)),
	rebench("parse_log_cpp", "pytest -v, without files", passYields, rebenchCPP),
	rebench("parse_log_cpp_v2", "Test name passed", passYields, trimmed(cppTestRules.parse)),
	rebench("parse_log_cpp_v3", "name... OK, Botan, and whatever says so", lastCounts, trimmed(rebenchSays)),
	rebench("parse_log_cpp_v4", "ctest", lastCounts, rebenchCTest),
	rebench("parse_lue_nvim", "busted in Neovim", lastCounts, rebenchLua),
	rebench("parse_log_julia", "Julia's table of test sets", lastCounts, rebenchJulia),
	text("parse_log_r", Compat, "SWE-rebench V2: testthat", newTestthat),
	text("parse_log_r_v2", Compat, "SWE-rebench V2: R CMD check", newRCheck),
	text("parse_log_dart", Compat, "SWE-rebench V2: dart test's JSON", newDartEvents),
	rebench("parse_log_dart_v2", "dart test of several packages", lastCounts, rebenchPackages),
	rebench("parse_log_dart_v3", "dart and flutter test", passYields, trimmed(rebenchDart)),
	rebench("parse_log_swift", "XCTest", lastCounts, trimmed(swiftRules.parse)),
	rebench("parse_log_csharp", "xUnit", passYields, stateless(func(text string) (string, Outcome) { return csharpRules.parse(strings.TrimRight(text, " \t")) })),
}

// rebenchAliases are further names of these parsers, and of SWE-bench's.
var rebenchAliases = map[string]string{
	"parse_log_maven@rebench": "parse_log_maven@v4",
	"parse_log_junit":         "parse_log_sbt", "parse_log_java_mvn": "parse_java_mvn", "parse_log_java_mvn_v2": "parse_java_mvn_v2",
	"parse_lua_nvim": "parse_lue_nvim", "parse_log_lua_nvim": "parse_lue_nvim", "parse_log_r_junit": "parse_logs_r_junit",
	"parse_log_kotlin_junit": "parse_logs_kotlin_junit", "parse_log_ocaml_v5": "parse_log_ocaml_v4",
	"parse_log_pydantic@rebench": "parse_log_pytest@rebench", "parse_log_dvc@rebench": "parse_log_pytest@rebench",
}
