package sandbox

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// debianVersion changes whenever the same packages would come out otherwise.
const debianVersion = "3"

// unpackDebian writes what the packages in dir contain as one file system, merged into /usr as Debian's own is. No
// package's script is run: of what those would make, common names of programs and libraries and the list of certificates are
// there, and caches are not.
func unpackDebian(ctx context.Context, w *tar.Writer, dir string) error {
	debs, err := filepath.Glob(filepath.Join(dir, "*.deb"))
	if err != nil {
		return err
	}
	if len(debs) == 0 {
		return fmt.Errorf("%s holds no package", dir)
	}
	// What the base has by itself is not written again.
	s := &debianSystem{to: w}
	s.written = map[string]bool{".": true, "etc": true, "usr": true, "usr/local": true, "tmp": true, "etc/passwd": true, "etc/group": true, "etc/nsswitch.conf": true}
	for _, name := range mergedFolders {
		s.written[name] = true
		if err := writeDir(w, "usr/"+name, 0, 0o755); err != nil {
			return err
		}
		s.written["usr/"+name] = true
		if err := writeLink(w, name, "usr/"+name); err != nil {
			return err
		}
	}
	for _, deb := range debs {
		if err := s.unpack(ctx, deb); err != nil {
			return fmt.Errorf("unpacking %s: %w", filepath.Base(deb), err)
		}
	}
	return s.finish()
}

// mergedFolders are those that are links into /usr.
var mergedFolders = []string{"bin", "sbin", "lib", "lib32", "lib64"}

// debianSystem is a file system that packages are unpacked into.
type debianSystem struct {
	to           *tar.Writer
	written      map[string]bool
	certificates bytes.Buffer
}

func (s *debianSystem) unpack(ctx context.Context, deb string) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	cmd := exec.CommandContext(ctx, "dpkg-deb", "--fsys-tarfile", deb)
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	var said strings.Builder
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		return err
	}
	if err := s.copy(out); err != nil {
		cancel()
		_ = cmd.Wait() // it was killed
		return err
	}
	if err := cmd.Wait(); err != nil {
		return fmt.Errorf("dpkg-deb: %w: %s", err, strings.TrimSpace(said.String()))
	}
	return nil
}

// copy copies a package's entries but for those that are written already.
func (s *debianSystem) copy(in io.Reader) error {
	r := tar.NewReader(in)
	for {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			_, err = io.Copy(io.Discard, in)
			return err
		}
		if err != nil {
			return err
		}
		name, err := systemPath(h.Name)
		if err != nil {
			return err
		}
		if s.written[name] || unneeded(name) {
			continue
		}
		s.written[name] = true
		entry := &tar.Header{
			Typeflag: h.Typeflag, Name: name, Linkname: h.Linkname, Mode: h.Mode & 0o755, Size: h.Size, ModTime: h.ModTime,
		}
		switch h.Typeflag {
		case tar.TypeReg:
		case tar.TypeDir:
			entry.Name += "/"
		case tar.TypeSymlink:
			entry.Mode = 0o777
			if !path.IsAbs(h.Linkname) { // its folder may have moved into /usr
				entry.Linkname = path.Join("/", path.Dir(path.Clean(h.Name)), h.Linkname)
			}
		case tar.TypeLink:
			if entry.Linkname, err = systemPath(h.Linkname); err != nil {
				return err
			}
		default:
			continue // devices and the like
		}
		if err := s.to.WriteHeader(entry); err != nil {
			return err
		}
		var content io.Reader = r
		if strings.HasPrefix(name, "usr/share/ca-certificates/") && strings.HasSuffix(name, ".crt") {
			content = io.TeeReader(r, &s.certificates)
		}
		if _, err := io.CopyN(s.to, content, h.Size); err != nil {
			return err
		}
	}
}

// commonNames are programs' names that packages' scripts would give to the one program of several that is there
// (update-alternatives), as Debian's own packages do.
var commonNames = [][2]string{
	{"awk", "gawk"}, {"awk", "mawk"}, {"nawk", "gawk"}, {"nawk", "mawk"}, {"which", "which.debianutils"}, {"cc", "gcc"}, {"c++", "g++"}, {"c89", "c89-gcc"},
	{"c99", "c99-gcc"}, {"pager", "less"},
}

// commonLibraries are those of which packages' scripts make one of several the system's, which lies in a folder beside: without
// them numpy can't be imported.
var commonLibraries = regexp.MustCompile(`^(usr/lib/[^/]+/)((?:blas|lapack|atlas|openblas[^/]*|blis[^/]*)/(lib(?:blas|lapack)\.so\.3))$`)

// allCertificates is where programs look for the certificates that they trust; the script of Debian's package writes it.
const allCertificates = "etc/ssl/certs/ca-certificates.crt"

// finish writes what packages' scripts would make, as far as programs that tests start do not work without.
func (s *debianSystem) finish() error {
	for _, n := range commonNames {
		name := "usr/bin/" + n[0]
		if s.written[name] || !s.written["usr/bin/"+n[1]] {
			continue
		}
		s.written[name] = true
		if err := writeLink(s.to, name, n[1]); err != nil {
			return err
		}
	}
	for _, library := range slices.Sorted(maps.Keys(s.written)) {
		m := commonLibraries.FindStringSubmatch(library)
		if m == nil || s.written[m[1]+m[3]] {
			continue
		}
		s.written[m[1]+m[3]] = true
		if err := writeLink(s.to, m[1]+m[3], m[2]); err != nil {
			return err
		}
	}
	if s.certificates.Len() == 0 || s.written[allCertificates] {
		return nil
	}
	return writeFile(s.to, allCertificates, 0, 0o644, s.certificates.Bytes())
}

// systemPath is a package's path in the merged file system.
func systemPath(name string) (string, error) {
	clean := path.Clean(strings.TrimPrefix(name, "./"))
	if clean == "." {
		return clean, nil
	}
	if err := checkPath(clean); err != nil {
		return "", err
	}
	first, _, _ := strings.Cut(clean, "/")
	for _, merged := range mergedFolders {
		if first == merged {
			return "usr/" + clean, nil
		}
	}
	return clean, nil
}

// unneeded is what no test reads.
func unneeded(name string) bool {
	for _, prefix := range []string{"usr/share/doc/", "usr/share/man/", "usr/share/info/", "usr/share/lintian/"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}
