package wheel

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// file is one of an archive, in its order; a size makes it lie about what it is unpacked.
type file struct {
	name, text string
	lie        uint64
}

// write makes a wheel.
func write(t *testing.T, dir, name string, files ...file) string {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, f := range files {
		h := &zip.FileHeader{Name: f.name, Method: zip.Deflate}
		if f.lie > 0 {
			h.UncompressedSize64, h.CompressedSize64, h.Method = f.lie, uint64(len(f.text)), zip.Store
			in, err := w.CreateRaw(h)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := io.WriteString(in, f.text); err != nil {
				t.Fatal(err)
			}
			continue
		}
		in, err := w.CreateHeader(h)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(in, f.text); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

var described = file{name: "a_b-1.0.dist-info/WHEEL", text: "Wheel-Version: 1.0\n"}

func lay(files ...string) (map[string]string, error) {
	return layFor(Python{Version: "3.11"}, files...)
}

func layFor(python Python, files ...string) (map[string]string, error) {
	got := map[string]string{}
	return got, Layout(files, python, func(e Entry, content io.Reader) error {
		text, err := io.ReadAll(content)
		if err == nil && int64(len(text)) != e.Size {
			err = fmt.Errorf("%s has %d bytes and says %d", e.Path, len(text), e.Size)
		}
		got[e.Path] = fmt.Sprintf("%o %s", e.Mode, text)
		return err
	})
}

func TestLayout(t *testing.T) {
	dir := t.TempDir()
	first := write(t, dir, "A.b-1.0-py3-none-any.whl",
		file{name: "a_b/"}, file{name: "a_b/__init__.py", text: "one"}, file{name: "shared.py", text: "first"},
		file{name: "a_b-1.0.data/scripts/run", text: "#!python\nx"}, file{name: "a_b-1.0.data/scripts/sh", text: "#!/bin/sh"}, file{name: "a_b-1.0.data/scripts/s"},
		file{name: "a_b-1.0.data/platlib/a_b/x.so", text: "so"}, file{name: "a_b-1.0.data/headers/x.h", text: "h"}, file{name: "a_b-1.0.data/data/share/x", text: "d"},
		file{name: "a_b-1.0.dist-info/entry_points.txt", text: "# of tools\n[other]\nx = what ever\n[console_scripts]\ntool = a_b.cli : App.main [x]\nrun = a_b:other\n"},
		described)
	second := write(t, dir, "c-2-1-cp311-cp311-manylinux_2_17_x86_64.manylinux2014_x86_64.whl",
		file{name: "shared.py", text: "second"}, file{name: "c.py", text: "c"}, file{name: "c-2.dist-info/WHEEL", text: described.text})
	got, err := lay(first, second)
	if err != nil {
		t.Fatal(err)
	}
	site := "lib/python3.11/dist-packages/"
	for name, want := range map[string]string{
		site + "a_b/__init__.py": "644 one", site + "shared.py": "644 first", site + "c.py": "644 c", site + "a_b/x.so": "644 so",
		"bin/run": "755 #!/usr/bin/python3\nx", "bin/sh": "755 #!/bin/sh", "bin/s": "755 ", "include/python3.11/A.b/x.h": "644 h", "share/x": "644 d",
		"bin/tool": "755 #!/usr/bin/python3\nimport sys\nfrom a_b.cli import App\nsys.exit(App.main())\n",
	} {
		if got[name] != want {
			t.Errorf("%s is %q, want %q", name, got[name], want)
		}
	}
	if len(got) != 13 { // and three descriptions
		t.Errorf("%d files: %q", len(got), got)
	}
	local, err := layFor(Python{Version: "3.9", Local: true}, first)
	if err != nil || local["lib/python3.9/site-packages/a_b/x.so"] != "644 so" || local["bin/run"] != "755 #!/usr/local/bin/python3\nx" || !strings.HasPrefix(local["bin/tool"], "755 #!/usr/local/bin/python3\n") {
		t.Errorf("a Python in /usr/local: %q, %v", local, err)
	}
}

// TestWheelsThatAreRefused: nothing of a wheel is handed on whose paths leave it, and no more than it says.
func TestWheelsThatAreRefused(t *testing.T) {
	dir := t.TempDir()
	const name = "a_b-1.0-py3-none-any.whl"
	for what, c := range map[string]struct {
		files []file
		want  string
	}{
		"up and out":            {[]file{described, {name: "../../etc/cron.d/x", text: "x"}}, "leads out"},
		"up inside":             {[]file{described, {name: "a/../../x"}}, "leads out"},
		"from the root":         {[]file{described, {name: "/etc/passwd"}}, "leads out"},
		"a drive":               {[]file{described, {name: "C:/x"}}, "leads out"},
		"backslashes":           {[]file{described, {name: `..\x`}}, "leads out"},
		"a folder":              {[]file{described, {name: "../x/"}}, "leads out"},
		"out of its data":       {[]file{described, {name: "a_b-1.0.data/data/../../../x"}}, "leads out"},
		"data of no kind":       {[]file{described, {name: "a_b-1.0.data/root/x"}}, "of a kind"},
		"data itself":           {[]file{described, {name: "a_b-1.0.data/x"}}, "no folder"},
		"twice":                 {[]file{described, {name: "x"}, {name: "x"}}, "two of its files"},
		"twice by another path": {[]file{described, {name: "x"}, {name: "a_b-1.0.data/purelib/x"}}, "two of its files"},
		"file and folder":       {[]file{described, {name: "x"}, {name: "x/y"}}, "file elsewhere"},
		"folder and file":       {[]file{described, {name: "x/y"}, {name: "x"}}, "folder elsewhere"},
		"no description":        {[]file{{name: "x"}}, "no description"},
		"another's description": {[]file{{name: "c-1.0.dist-info/WHEEL", text: described.text}}, "not that of a_b"},
		"of another version":    {[]file{{name: described.name, text: "Wheel-Version: 2.0\n"}}, "version 1"},
		"a description too big": {[]file{{name: described.name, text: strings.Repeat("x", maxText+1)}}, "bytes"},
		"longer than it says":   {[]file{described, {name: "x", text: "0123456789", lie: 3}}, "x"},
		"shorter than it says":  {[]file{described, {name: "x", text: "0", lie: 3}}, "x"},
		"beyond all bounds":     {[]file{described, {name: "x", text: "0", lie: maxBytes + 1}}, "GB"},
		"a program of code":     {[]file{described, {name: "a_b-1.0.dist-info/entry_points.txt", text: "[console_scripts]\nx = a:b();evil\n"}}, "entry_points.txt"},
		"a program elsewhere":   {[]file{described, {name: "a_b-1.0.dist-info/entry_points.txt", text: "[console_scripts]\n../x = a:b\n"}}, "entry_points.txt"},
	} {
		got, err := lay(write(t, dir, name, c.files...))
		if !errors.Is(err, ErrWheel) || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), name) {
			t.Errorf("%s: want ErrWheel of %s with %q, got %v", what, name, c.want, err)
		}
		if what == "up and out" && len(got) > 0 {
			t.Errorf("%s: %q was handed on before its paths were checked", what, got)
		}
	}
	for _, text := range []string{"", "<html>not found</html>", strings.Repeat("PK\x05\x06", 100)} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := lay(path); !errors.Is(err, ErrWheel) {
			t.Errorf("%.20q was taken for a wheel: %v", text, err)
		}
	}
	for _, other := range []string{"x.whl", "../a-1-py3-none-any.whl", "a-1-py3-none-any.zip", "-r-1-py3-none-any.whl", "a-1-py3-none.whl"} {
		if _, err := ParseName(other); !errors.Is(err, ErrWheel) {
			t.Errorf("%q was taken for a wheel's name", other)
		}
	}
	if n, err := ParseName("a_b-1.0+cu118-1-cp311-abi3-manylinux_2_17_x86_64.whl"); err != nil || n != (Name{"a_b", "1.0+cu118"}) {
		t.Errorf("%+v, %v", n, err)
	}
}

// TestDirectoryIsBounded: the list of an archive's files is kept in memory, so it is not read without end.
func TestDirectoryIsBounded(t *testing.T) {
	l := &limited{r: strings.NewReader(strings.Repeat("x", 100)), left: 60}
	buf := make([]byte, 40)
	if _, err := l.ReadAt(buf, 0); err != nil {
		t.Fatal(err)
	}
	if _, err := l.ReadAt(buf, 40); err == nil || !strings.Contains(err.Error(), "list of files") {
		t.Errorf("more was read than is left: %v", err)
	}
	if _, err := l.ReadAt(buf[:1], 0); err == nil {
		t.Error("it was read on after the end")
	}
	l.left = -1
	if _, err := l.ReadAt(buf, 40); err != nil {
		t.Errorf("without a bound: %v", err)
	}
}
