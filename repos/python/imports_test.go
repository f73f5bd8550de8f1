package python_test

import (
	"strings"
	"testing"

	"evlab/repos/python"
)

func TestImports(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"statements":                     {"import a\nimport b.c as d, e\nfrom f import g\nfrom h.i import j as k, l\n", "a b.c e f.g h.i.j h.i.l"},
		"several in one line":            {"import a; import b\n", "a b"},
		"in brackets":                    {"from a import (  # these\n    b,\n    c as d,\n)\nimport e\n", "a.b a.c e"},
		"a line that goes on":            {"from a import b, \\\n    c\nimport \\\r\n  d\n", "a.b a.c d"},
		"all names":                      {"from a import *\n", "a._"},
		"its own package":                {"from . import a\nfrom .b import c\nfrom ..d import e\nfrom.import f\n", ".a .b.c ..d.e .f"},
		"in blocks":                      {"try:\n    import a\nexcept ImportError:\n\timport b\nif x:\n    from c import d\n", "(a) (b) (c.d)"},
		"blocks of one line":             {"try: import a; import b\nexcept E: from c import d\nimport e\n", "(a) (b) (c.d) e"},
		"texts":                          {"\"\"\"\nimport a\n'''\nimport b\n\"\"\"\ns = 'import c\\'\\\n'\nx = r'\\'\n# import d\nimport e\n", "e"},
		"a text that ends with its line": {"x = 'it\nimport a\n", "a"},
		"words":                          {"important = 1\nimport_a = 2\nfromage = import_a\nx = {'import': 3}\nfrom a import\n", ""},
		"no Python":                      {"import \x00a\nimport 1a\nimport a-b\nfrom (\nimport", ""},
		"calls":                          {"import_module('a.b')\nx = __import__( \"c\")\nimportlib.import_module('.d', p)\nmy_import_module('e')\nimport_module(f)\nimport_module('..')\npytest.importorskip(\n    'g')\nimport_module('h' + i)\n", "(a.b) (c) (.d) (g) (h)"},
		"the end":                        {"import a", "a"},
		"a text without end":             {"import a\nx = '''\nimport b", "a"},
		"a bracket without end":          {"import a\nx = (\nimport b", "a"},
	} {
		var got []string
		for _, i := range python.Imports(c.text) {
			module := strings.Repeat(".", i.Dots) + i.Module
			if !i.Always {
				module = "(" + module + ")"
			}
			got = append(got, module)
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// FuzzImports: a source may be any text.
func FuzzImports(f *testing.F) {
	for _, s := range []string{"from a import (b,\n c)\n", "x = '''\\\n", "import a\\", "\"", "'\\"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, i := range python.Imports(text) {
			if i.Module == "" || strings.ContainsAny(i.Module, " \n\"'") {
				t.Errorf("%q imports %q", text, i.Module)
			}
		}
	})
}
