package datasets

import (
	"strconv"
	"strings"
)

// failOnly are the repositories whose suites name failures only.
var failOnly = map[string]bool{"chartjs/Chart.js": true, "processing/p5.js": true, "markedjs/marked": true}

// swebenchParsers says how SWE-bench of version 4 reads the logs of a repository; rows of version 5 say it themselves.
var swebenchParsers = map[string]string{
	"astropy/astropy": "parse_log_pytest_v2@v4", "scikit-learn/scikit-learn": "parse_log_pytest_v2@v4", "sphinx-doc/sphinx": "parse_log_pytest_v2@v4",
	"django/django": "parse_log_django", "matplotlib/matplotlib": "parse_log_matplotlib", "mwaskom/seaborn": "parse_log_seaborn",
	"psf/requests": "parse_log_pytest_options", "pydicom/pydicom": "parse_log_pytest_options", "pylint-dev/pylint": "parse_log_pytest_options",
	"sympy/sympy": "parse_log_sympy",
}

// swebenchParser is the grammar of a parser of SWE-bench. Some of them are several in one, which go by the task's number or version.
func swebenchParser(parser, id, version string) string {
	number := id[strings.LastIndexByte(id, '-')+1:]
	v, err := strconv.ParseFloat(version, 64)
	switch {
	case parser == "parse_log_immutable_js" && number == "2006":
		return "parse_log_jest"
	case parser == "parse_log_immutable_js" && number == "2005":
		return "parse_log_jest_json"
	case parser == "parse_log_jekyll" && (number == "9141" || number == "8047" || number == "8167"):
		return "parse_log_minitest"
	case parser == "parse_log_jekyll" && (number == "8761" || number == "8771"):
		return "parse_log_cucumber"
	case parser == "parse_log_next" && version == "1.27":
		return "parse_log_next@1.27"
	case parser == "parse_log_lighthouse" && (version == "9.5" || version == "10.0" || version == "10.2"):
		return "parse_log_lighthouse@mocha"
	case parser == "parse_log_lighthouse" && err == nil && v < 3:
		return "parse_log_lighthouse@json"
	}
	return parser
}
