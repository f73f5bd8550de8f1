package evidence

import (
	"bytes"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	maxFile     = 1 << 20 // bytes; a larger file is generated or data
	windowLines = 60
)

// skippedFolders hold other people's code, or none.
var skippedFolders = map[string]bool{"vendor": true, "node_modules": true, ".git": true}

// skippedNames are checksum and lock files: machine-written, and nothing that a repair reads.
var skippedNames = map[string]bool{
	"go.sum": true, "go.work.sum": true, "package-lock.json": true, "npm-shrinkwrap.json": true, "yarn.lock": true,
	"pnpm-lock.yaml": true, "Cargo.lock": true, "poetry.lock": true, "uv.lock": true, "Pipfile.lock": true,
	"composer.lock": true, "Gemfile.lock": true,
}

// Segment cuts files into evidence units, sorted by path and line. The result depends on the set of files only, not
// on their order; of several files with one path the first counts.
//
// Go files are cut by declaration (see goUnits), every other text file into windows of 60 lines, as is a Go file
// that doesn't parse. Left out are tests (IsTestPath), folders named vendor, node_modules and .git, checksum and
// lock files, files over 1 MiB, files that aren't valid UTF-8 or hold a zero byte, windows of nothing but white
// space, and files whose path couldn't be told from another's or shown in one line: absolute, not clean, with
// control characters, or not valid UTF-8.
func Segment(files []File) []Unit {
	sorted := slices.Clone(files)
	slices.SortStableFunc(sorted, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	var units []Unit
	for i, f := range sorted {
		if i > 0 && f.Path == sorted[i-1].Path || !segmentable(f) {
			continue
		}
		src := newSource(f)
		var cut []Unit
		parsed := false
		if path.Ext(f.Path) == ".go" {
			cut, parsed = goUnits(src)
		}
		if !parsed {
			cut = src.windows()
		}
		name(cut)
		units = append(units, cut...)
	}
	return units
}

func segmentable(f File) bool {
	switch {
	case len(f.Content) == 0 || len(f.Content) > maxFile, !validPath(f.Path), skippedNames[path.Base(f.Path)], IsTestPath(f.Path):
		return false
	}
	for folder := range strings.SplitSeq(path.Dir(f.Path), "/") {
		if skippedFolders[folder] {
			return false
		}
	}
	return bytes.IndexByte(f.Content, 0) < 0 && utf8.Valid(f.Content)
}

func validPath(p string) bool {
	return p != "" && p[0] != '/' && path.Clean(p) == p && p != "." && p != ".." && !strings.HasPrefix(p, "../") &&
		utf8.ValidString(p) && !strings.ContainsFunc(p, func(r rune) bool { return !unicode.IsPrint(r) })
}

// name gives each unit of one file its id: path#symbol, or path#L1-L60 without a symbol; the second unit that would
// get a taken id gets ~2 after it, and so on.
func name(units []Unit) {
	taken := make(map[string]int, len(units))
	for i := range units {
		u := &units[i]
		id := u.Path + "#" + u.Symbol
		if u.Symbol == "" {
			id += "L" + strconv.Itoa(u.StartLine) + "-L" + strconv.Itoa(u.EndLine)
		}
		// No symbol holds a tilde, so a numbered id can't meet another symbol's.
		if taken[id]++; taken[id] > 1 {
			id += "~" + strconv.Itoa(taken[id])
		}
		u.ID = id
	}
}

// source is one file with its line starts.
type source struct {
	path   string
	text   string
	starts []int // byte offset of each line; a final line feed begins no further line
}

func newSource(f File) *source {
	s := &source{path: f.Path, text: string(f.Content), starts: []int{0}}
	for i := 0; i < len(s.text)-1; i++ {
		if s.text[i] == '\n' {
			s.starts = append(s.starts, i+1)
		}
	}
	return s
}

// lines is the text of the lines first to last, 1-based and inclusive, with their line ends.
func (s *source) lines(first, last int) string {
	end := len(s.text)
	if last < len(s.starts) {
		end = s.starts[last]
	}
	return s.text[s.starts[first-1]:end]
}

func (s *source) unit(kind, symbol string, first, last int) Unit {
	u := Unit{Path: s.path, StartLine: first, EndLine: last, Symbol: symbol, Kind: kind, Text: s.lines(first, last)}
	u.finish()
	return u
}

func (s *source) windows() []Unit {
	var units []Unit
	for first := 1; first <= len(s.starts); first += windowLines {
		last := min(first+windowLines-1, len(s.starts))
		if strings.TrimSpace(s.lines(first, last)) != "" {
			units = append(units, s.unit(KindWindow, "", first, last))
		}
	}
	return units
}
