package testlog

// grammars is the table of all of them.
var grammars = []Grammar{
	{Name: GoTestJSON, Mode: Strict, Doc: "go test -json", new: newGoTest},
	text(Pytest, Strict, "pytest's text, with -rA or -v", newPytest),

	compatPytest("parse_log_pytest", "SWE-bench, most Python repositories", compatPlain),
	compatPytest("parse_log_pytest@v4", "the same in version 4", firstTwo),
	compatPytest("parse_log_pytest_options", "SWE-bench: requests, pydicom, pylint", compatOptions),
	compatPytest("parse_log_pytest_v2", "SWE-bench: astropy, scikit-learn, sphinx", compatV2),
	compatPytest("parse_log_pytest_v2@v4", "the same in version 4", compatV2Old),
	compatPytest("parse_log_matplotlib", "SWE-bench: matplotlib", compatMatplotlib),
	compatPytest("parse_log_seaborn", "SWE-bench: seaborn", compatSeaborn),
	text("live_pytest", Compat, "SWE-bench-Live, Python", livePytest),
}

// aliases are further names of datasets for the same parsers.
var aliases = map[string]string{
	"astroid": "parse_log_pytest", "flask": "parse_log_pytest", "marshmallow": "parse_log_pytest", "pvlib": "parse_log_pytest",
	"pyvista": "parse_log_pytest", "sqlfluff": "parse_log_pytest", "xarray": "parse_log_pytest",
	"pydicom": "parse_log_pytest_options", "requests": "parse_log_pytest_options", "pylint": "parse_log_pytest_options",
	"astropy": "parse_log_pytest_v2", "scikit": "parse_log_pytest_v2", "sphinx": "parse_log_pytest_v2",
}
