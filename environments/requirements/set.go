package requirements

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"evlab/sandbox/wheel"
)

// Set is what files ask for, as lines that were written anew: a name with extras and versions, and hashes.
type Set struct {
	Wanted      []string `json:"wanted"`
	Constraints []string `json:"constraints,omitempty"` // versions of what is fetched because something else wants it
	Locked      bool     `json:"locked,omitempty"`      // all is named, with its version: there is nothing to resolve
	Pre         bool     `json:"pre,omitempty"`         // versions before a release are good enough
}

// Bounds of what is read.
const (
	maxFile  = 8 << 20 // bytes
	maxFiles = 100     // files that name one another
	maxLine  = 256 << 10
	maxLines = 20_000 // requirements
)

// wayOut ends the refusals of what is not done here.
const wayOut = "let the task name an image for its tests (image or dockerfile)"

// CheckPath says whether a path is one of a file that can be read: below the repository's root, of a known kind.
func CheckPath(p string) error {
	if p == "" || path.IsAbs(p) || path.Clean(p) != p || p == ".." || strings.HasPrefix(p, "../") || strings.ContainsAny(p, "\\\x00\n") {
		return fmt.Errorf("expected a clean path of a file in the repository, found %.80q", p)
	}
	if kindOf(p) == "" {
		return fmt.Errorf("%.80q: expected a requirements file (.txt, .in), poetry.lock, uv.lock, Pipfile.lock or pylock.toml", p)
	}
	return nil
}

// kindOf is what a file's name says of its form; "" says nothing.
func kindOf(p string) string {
	base := path.Base(p)
	switch {
	case base == "poetry.lock" || base == "uv.lock" || base == "Pipfile.lock":
		return base
	case base == "pylock.toml" || strings.HasPrefix(base, "pylock.") && strings.HasSuffix(base, ".toml"):
		return "pylock.toml"
	case strings.HasSuffix(base, ".txt") || strings.HasSuffix(base, ".in"):
		return "txt"
	}
	return ""
}

// Read reads files with those that they name. read gives a file of the repository by its path, or an fs.ErrNotExist. The
// error says file, line or package, and what to do.
func Read(files []string, target Target, read func(path string) ([]byte, error)) (Set, error) {
	r := &reader{target: target, read: read, opened: map[string]bool{}, seen: map[string]bool{}}
	for _, file := range files {
		if err := CheckPath(file); err != nil {
			return Set{}, err
		}
		kind := kindOf(file)
		if kind != "txt" && len(files) > 1 {
			return Set{}, fmt.Errorf("%s: a lock file names all there is, so it goes alone, and %d files are named", file, len(files))
		}
		if kind == "txt" {
			if err := r.lines(file, "", false); err != nil {
				return Set{}, err
			}
			continue
		}
		text, err := r.file(file)
		if err != nil {
			return Set{}, err
		}
		entries, err := locks[kind](r, file, text)
		if err != nil {
			return Set{}, err
		}
		if r.set.Wanted, err = lockedLines(file, entries); err != nil {
			return Set{}, err
		}
		r.set.Locked = true
	}
	return r.set, nil
}

// locks read one lock file each.
var locks = map[string]func(r *reader, file string, text []byte) ([]entry, error){
	"poetry.lock": (*reader).poetry, "uv.lock": (*reader).uv, "Pipfile.lock": (*reader).pipfile, "pylock.toml": (*reader).pylock,
}

type reader struct {
	target Target
	read   func(path string) ([]byte, error)
	opened map[string]bool // files
	seen   map[string]bool // requirements
	set    Set
}

func (r *reader) file(name string) ([]byte, error) {
	text, err := r.read(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s is not in the repository at the base commit", name)
	case err != nil:
		return nil, fmt.Errorf("%s: %w", name, err)
	case len(text) > maxFile:
		return nil, fmt.Errorf("%s has %d bytes; at most %d are read", name, len(text), maxFile)
	case !utf8.Valid(text) || strings.ContainsRune(string(text), 0):
		return nil, fmt.Errorf("%s: expected a text in UTF-8", name)
	}
	return []byte(strings.TrimPrefix(string(text), "\ufeff")), nil
}

// situation is what a file's markers are asked about.
func (r *reader) situation() situation { return situation{Target: r.target} }

var (
	nameForm      = regexp.MustCompile(`^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,126}[A-Za-z0-9])?$`)
	specifierForm = regexp.MustCompile(`^(===|==|~=|!=|<=|>=|<|>)\s*([A-Za-z0-9][A-Za-z0-9.!+_-]{0,126}(?:\.\*)?)$`)
	hashForm      = regexp.MustCompile(`^(?:sha256:[0-9a-f]{64}|sha384:[0-9a-f]{96}|sha512:[0-9a-f]{128})$`)
)

// entry is one package of a lock file.
type entry struct {
	name, version string
	hashes        []string // algorithm:digest, of all its files
}

func lockedLines(file string, entries []entry) ([]string, error) {
	if len(entries) > maxLines {
		return nil, fmt.Errorf("%s names %d packages; at most %d are taken", file, len(entries), maxLines)
	}
	versions := map[string]string{}
	var lines []string
	for _, e := range entries {
		_, ok := parseVersion(e.version)
		if !nameForm.MatchString(e.name) || !ok {
			return nil, fmt.Errorf("%s: expected the name of a package and a version, found %.60q and %.60q", file, e.name, e.version)
		}
		switch known, twice := versions[wheel.Normal(e.name)]; {
		case twice && known == e.version:
			continue
		case twice:
			return nil, fmt.Errorf("%s: %s is there in two versions, %s and %s, for one Python; %s", file, e.name, known, e.version, wayOut)
		}
		versions[wheel.Normal(e.name)] = e.version
		line := wheel.Normal(e.name) + "==" + e.version
		for _, h := range slices.Compact(slices.Sorted(slices.Values(e.hashes))) {
			if strings.HasPrefix(h, "md5:") {
				continue
			}
			if !hashForm.MatchString(h) {
				return nil, fmt.Errorf("%s: %s: expected a hash (sha256:...), found %.80q", file, e.name, h)
			}
			line += " --hash=" + h
		}
		lines = append(lines, line)
	}
	slices.Sort(lines)
	return lines, nil
}
