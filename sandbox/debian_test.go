package sandbox

import (
	"archive/tar"
	"bytes"
	"errors"
	"io"
	"path"
	"strings"
	"testing"
)

// TestSystemIsMerged: packages of either layout come out as one merged file system, without setuid and without what
// leads out of it.
func TestSystemIsMerged(t *testing.T) {
	var in bytes.Buffer
	w := tar.NewWriter(&in)
	for _, h := range []tar.Header{
		{Typeflag: tar.TypeDir, Name: "./", Mode: 0o755},
		{Typeflag: tar.TypeDir, Name: "./bin/", Mode: 0o755},
		{Typeflag: tar.TypeReg, Name: "./bin/su", Mode: 0o4755},
		{Typeflag: tar.TypeSymlink, Name: "./lib/x/libfoo.so.1", Linkname: "libfoo.so.1.2"},
		{Typeflag: tar.TypeSymlink, Name: "./bin/up", Linkname: "../usr/bin/real"},
		{Typeflag: tar.TypeSymlink, Name: "./usr/bin/alias", Linkname: "../share/tool"},
		{Typeflag: tar.TypeLink, Name: "./usr/bin/hard", Linkname: "./bin/su"},
		{Typeflag: tar.TypeChar, Name: "./dev/null"},
		{Typeflag: tar.TypeReg, Name: "./usr/share/doc/su/copyright", Mode: 0o644},
		{Typeflag: tar.TypeReg, Name: "./etc/passwd", Mode: 0o644},
		{Typeflag: tar.TypeReg, Name: "./usr/bin/mawk", Mode: 0o755},
		{Typeflag: tar.TypeSymlink, Name: "./usr/lib/m-linux/blas/libblas.so.3", Linkname: "libblas.so.3.11.0"},
		{Typeflag: tar.TypeReg, Name: "./usr/lib/m-linux/openblas-pthread/libblas.so.3", Mode: 0o644},
		{Typeflag: tar.TypeReg, Name: "./usr/bin/gcc", Mode: 0o755},
		{Typeflag: tar.TypeReg, Name: "./usr/bin/cc", Mode: 0o755},
		{Typeflag: tar.TypeReg, Name: "./usr/share/ca-certificates/mozilla/a.crt", Mode: 0o644, Size: 2},
		{Typeflag: tar.TypeReg, Name: "./usr/share/ca-certificates/mozilla/b.crt", Mode: 0o644, Size: 2},
	} {
		if err := w.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
		if h.Size > 0 {
			io.WriteString(w, path.Base(h.Name)[:1]+"\n")
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	to := tar.NewWriter(&out)
	s := &debianSystem{to: to, written: map[string]bool{".": true, "usr/bin": true, "etc/passwd": true}}
	if err := errors.Join(s.copy(&in), s.finish()); err != nil {
		t.Fatal(err)
	}
	if err := to.Close(); err != nil {
		t.Fatal(err)
	}
	got := map[string]*tar.Header{}
	texts := map[string]string{}
	for r := tar.NewReader(&out); ; {
		h, err := r.Next()
		if err != nil {
			break
		}
		got[h.Name] = h
		text, _ := io.ReadAll(r)
		texts[h.Name] = string(text)
	}
	if h := got["usr/bin/su"]; h == nil || h.Mode != 0o755 {
		t.Errorf("usr/bin/su: %+v", h)
	}
	for name, link := range map[string]string{
		"usr/lib/x/libfoo.so.1": "/lib/x/libfoo.so.1.2", "usr/bin/up": "/usr/bin/real", "usr/bin/alias": "/usr/share/tool", "usr/bin/hard": "usr/bin/su",
		"usr/bin/awk": "mawk", "usr/bin/nawk": "mawk", "usr/lib/m-linux/libblas.so.3": "blas/libblas.so.3",
	} {
		if h := got[name]; h == nil || h.Linkname != link {
			t.Errorf("%s: want a link to %s, got %+v", name, link, h)
		}
	}
	if len(got) != 16 || texts[allCertificates] != "a\nb\n" || texts["usr/share/ca-certificates/mozilla/b.crt"] != "b\n" {
		t.Errorf("%d entries, want 16: %v", len(got), got)
	}
	in.Reset()
	w = tar.NewWriter(&in)
	if err := w.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: "../outside", Mode: 0o644}); err != nil {
		t.Fatal(err)
	}
	w.Close()
	if err := (&debianSystem{to: tar.NewWriter(&out), written: map[string]bool{}}).copy(&in); err == nil || !strings.Contains(err.Error(), "outside") {
		t.Errorf("a path that leaves the file system: %v", err)
	}
}
