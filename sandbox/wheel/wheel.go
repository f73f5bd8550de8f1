// Package wheel reads Python wheels and says where their files go.
//
// The decision that shapes it: a wheel is a stranger's archive. It is checked as a whole before anything is made of it,
// and laying it out runs nothing of it: what an installer would do is to copy files and to write short scripts.
//
// What may not be here: containers and indexes.
package wheel

import (
	"archive/zip"
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
)

// Bounds of what is laid out.
const (
	maxDirectory = 64 << 20 // bytes of an archive's own list of its files
	maxFiles     = 300_000  // of all wheels together
	maxBytes     = 16 << 30 // of all wheels together, unpacked
	maxText      = 1 << 20  // bytes of a description that is read whole
)

// Entry is a file of the layout.
type Entry struct {
	Path string // below the prefix of an installation, such as bin/tool; clean
	Mode int64  // 0644 or 0755
	Size int64
}

// Python is the installation that wheels are laid out for, below /usr/local.
type Python struct {
	Version string // such as 3.11
	Local   bool   // it is in /usr/local itself; Debian's is in /usr, and looks there first
}

// Site is the folder of its packages.
func (p Python) Site() string {
	if p.Local {
		return "lib/python" + p.Version + "/site-packages"
	}
	return "lib/python" + p.Version + "/dist-packages"
}

// program is the interpreter.
func (p Python) program() string {
	if p.Local {
		return "/usr/local/bin/python3"
	}
	return "/usr/bin/python3"
}

// Layout lays wheels out for a Python, and calls each for every file; content has Size bytes. What two wheels have in one
// place is the first one's. The error names the wheel; it is ErrWheel when a wheel is at fault.
func Layout(files []string, python Python, each func(e Entry, content io.Reader) error) error {
	l := &layout{python: python, each: each, files: map[string]bool{}, folders: map[string]bool{}}
	for _, file := range files {
		if err := l.add(file); err != nil {
			return fmt.Errorf("%s: %w", filepath.Base(file), err)
		}
	}
	return nil
}

// ErrWheel says that a file is no wheel, or one that is not taken.
var ErrWheel = errors.New("not a sound wheel")

func bad(format string, args ...any) error {
	return fmt.Errorf("%w: %w", ErrWheel, fmt.Errorf(format, args...))
}

// Name is what a wheel's file name says.
type Name struct{ Project, Version string }

var nameForm = regexp.MustCompile(`^([A-Za-z0-9](?:[A-Za-z0-9._]*[A-Za-z0-9])?)-([A-Za-z0-9][A-Za-z0-9.!+_]*)(?:-[0-9][A-Za-z0-9_.]*)?-[A-Za-z0-9_.]+-[A-Za-z0-9_.]+-[A-Za-z0-9_.]+\.whl$`)

// ParseName reads the name of a wheel's file.
func ParseName(file string) (Name, error) {
	m := nameForm.FindStringSubmatch(file)
	if m == nil || len(file) > 250 {
		return Name{}, bad("expected a name such as pkg-1.0-py3-none-any.whl, found %.100q", file)
	}
	return Name{m[1], m[2]}, nil
}

type layout struct {
	python         Python
	each           func(e Entry, content io.Reader) error
	files, folders map[string]bool
	count          int
	bytes          uint64
}

// add lays out one wheel. All of its paths are checked before the first file is handed on.
func (l *layout) add(file string) error {
	name, err := ParseName(filepath.Base(file))
	if err != nil {
		return err
	}
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	archive := &limited{r: f, left: maxDirectory}
	z, err := zip.NewReader(archive, info.Size())
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) {
		return bad("%w", err)
	}
	archive.left = -1
	w := &one{layout: l, name: name, targets: map[string]*zip.File{}}
	if err := w.plan(z.File); err != nil {
		return err
	}
	for _, m := range w.order {
		if err := w.file(m); err != nil {
			return err
		}
	}
	return w.scripts()
}

// limited bounds how much is read of a file while its directory is: that is kept in memory.
type limited struct {
	r    io.ReaderAt
	left int // -1: no bound
}

func (l *limited) ReadAt(p []byte, off int64) (int, error) {
	if l.left >= 0 {
		if l.left -= len(p); l.left < 0 {
			l.left = 0
			return 0, fmt.Errorf("its list of files is longer than %d MB", maxDirectory>>20)
		}
	}
	return l.r.ReadAt(p, off)
}

// one is a wheel that is being laid out.
type one struct {
	*layout
	name    Name
	info    string // its folder of descriptions
	order   []member
	targets map[string]*zip.File
	points  *zip.File // entry_points.txt
}

type member struct {
	f      *zip.File
	target string
	script bool
}

func (w *one) plan(files []*zip.File) error {
	wheel := (*zip.File)(nil)
	for _, f := range files {
		top, rest, _ := strings.Cut(f.Name, "/")
		if project, ok := strings.CutSuffix(top, ".dist-info"); ok && rest == "WHEEL" {
			named, _, _ := strings.Cut(project, "-")
			if Normal(named) != Normal(w.name.Project) || wheel != nil {
				return bad("its description is %.80q, which is not that of %s %s", top, w.name.Project, w.name.Version)
			}
			wheel, w.info = f, top
		}
	}
	if wheel == nil {
		return bad("it has no description (%s-%s.dist-info/WHEEL)", w.name.Project, w.name.Version)
	}
	text, err := whole(wheel)
	if err != nil {
		return err
	}
	if !bytes.Contains(text, []byte("Wheel-Version: 1.")) {
		return bad("it is not a wheel of version 1")
	}
	for _, f := range files {
		if strings.HasSuffix(f.Name, "/") && fs.ValidPath(strings.TrimSuffix(f.Name, "/")) {
			continue
		}
		if err := w.member(f); err != nil {
			return err
		}
	}
	return nil
}

// member says where a file goes.
func (w *one) member(f *zip.File) error {
	if !fs.ValidPath(f.Name) || len(f.Name) > 1000 || strings.ContainsFunc(f.Name, func(c rune) bool { return c < ' ' || c == '\\' || c == ':' || c == 0x7f }) {
		return bad("the path %.200q leads out of it, or is no path everywhere", f.Name)
	}
	if f.Method != zip.Store && f.Method != zip.Deflate || f.Flags&1 != 0 {
		return bad("%.200q is packed in a way that wheels are not", f.Name)
	}
	m := member{f: f, target: path.Join(w.python.Site(), f.Name)}
	data := strings.TrimSuffix(w.info, ".dist-info") + ".data/"
	if rest, ok := strings.CutPrefix(f.Name, data); ok {
		kind, rest, _ := strings.Cut(rest, "/")
		switch {
		case rest == "":
			return bad("%.200q is in no folder of its data", f.Name)
		case kind == "purelib" || kind == "platlib":
			m.target = path.Join(w.python.Site(), rest)
		case kind == "scripts":
			m.target, m.script = path.Join("bin", rest), true
		case kind == "headers":
			m.target = path.Join("include/python"+w.python.Version, w.name.Project, rest)
		case kind == "data":
			m.target = rest
		default:
			return bad("%.200q is data of a kind that wheels do not have", f.Name)
		}
	}
	if f.Name == w.info+"/entry_points.txt" {
		w.points = f
	}
	if w.targets[m.target] != nil {
		return bad("two of its files are %.200q", m.target)
	}
	w.targets[m.target] = f
	w.count++
	w.bytes += f.UncompressedSize64
	if w.count > maxFiles || f.UncompressedSize64 > maxBytes || w.bytes > maxBytes {
		return bad("with it there are more than %d files or %d GB", maxFiles, maxBytes>>30)
	}
	w.order = append(w.order, m)
	return nil
}

// place says whether a file still has to be put where it belongs.
func (l *layout) place(target string) (free bool, err error) {
	if l.folders[target] {
		return false, bad("%.200q is a file here, and a folder elsewhere", target)
	}
	for up := path.Dir(target); up != "."; up = path.Dir(up) {
		if l.files[up] {
			return false, bad("%.200q is a folder here, and a file elsewhere", up)
		}
		l.folders[up] = true
	}
	free = !l.files[target]
	l.files[target] = true
	return free, nil
}

func (w *one) file(m member) error {
	free, err := w.place(m.target)
	if err != nil || !free {
		return err
	}
	in, err := m.f.Open()
	if err != nil {
		return bad("%.200q: %w", m.f.Name, err)
	}
	defer in.Close()
	e := Entry{Path: m.target, Mode: 0o644, Size: int64(m.f.UncompressedSize64)}
	if m.script || m.f.Mode()&0o111 != 0 {
		e.Mode = 0o755
	}
	content := &checked{r: in, left: e.Size, name: m.f.Name}
	if !m.script {
		return w.each(e, content)
	}
	return w.script(e, content)
}

// script hands a program on; the first line of one in Python names no interpreter yet.
func (w *one) script(e Entry, content io.Reader) error {
	in := bufio.NewReader(content)
	const placeholder = "#!python"
	interpreter := "#!" + w.python.program()
	first, _ := in.Peek(len(placeholder)) // a shorter file is none
	if string(first) != placeholder {
		return w.each(e, in)
	}
	if _, err := in.Discard(len(placeholder)); err != nil {
		return err
	}
	e.Size += int64(len(interpreter) - len(placeholder))
	return w.each(e, io.MultiReader(strings.NewReader(interpreter), in))
}

// checked makes of a file's content what its archive says of it: as many bytes, and of the right sum.
type checked struct {
	r    io.Reader
	left int64
	name string
}

func (c *checked) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.left -= int64(n)
	switch {
	case c.left < 0:
		return 0, bad("%.200q is longer than it says", c.name)
	case errors.Is(err, io.EOF) && c.left > 0:
		return n, bad("%.200q is shorter than it says", c.name)
	case err != nil && !errors.Is(err, io.EOF):
		return n, bad("%.200q: %w", c.name, err)
	}
	return n, err
}

// whole reads a description.
func whole(f *zip.File) ([]byte, error) {
	if f.UncompressedSize64 > maxText {
		return nil, bad("%.200q has more than %d bytes", f.Name, maxText)
	}
	in, err := f.Open()
	if err != nil {
		return nil, bad("%.200q: %w", f.Name, err)
	}
	defer in.Close()
	text, err := io.ReadAll(io.LimitReader(in, maxText+1))
	if err != nil || len(text) > maxText {
		return nil, bad("%.200q cannot be unpacked: %w", f.Name, err)
	}
	return text, nil
}

var separators = regexp.MustCompile(`[-_.]+`)

// Normal is a project's name as indexes compare it.
func Normal(name string) string { return strings.ToLower(separators.ReplaceAllString(name, "-")) }
