package repos

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// File is one entry of a tree.
type File struct {
	Path    string // slash-separated, relative to the tree's root
	Mode    string // 100644, 100755 or 120000
	Content []byte // a symbolic link's content is its target
}

// Commit is one commit of a history to be built. Its tree is the parent's with Remove taken out and Files put in.
type Commit struct {
	Date    time.Time // author and committer date
	Author  string    // "Name <mail>", author and committer
	Message string
	Remove  []string // paths that must exist in the parent
	Files   []File   // full content; an empty Mode means 100644
}

// Branch is the branch that BuildHistory leaves at the last commit.
const Branch = "main"

var authorPattern = regexp.MustCompile(`^[^<>\x00-\x1f]*[^<>\x00-\x1f ] <[^<>\x00-\x20]*>$`)

// BuildHistory makes a bare repository at dir whose branch main is the commits in order, and returns their ids in the
// same order. Equal commits give equal ids. dir must not exist or must be empty; it appears complete or not at all.
func BuildHistory(ctx context.Context, dir string, commits []Commit) (heads []string, err error) {
	stream, err := importStream(commits)
	if err != nil {
		return nil, err
	}
	if left, err := os.ReadDir(dir); err == nil && len(left) > 0 {
		return nil, fmt.Errorf("building a history: %s exists and is not empty", dir)
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("building a history: %w", err)
	}
	parent := filepath.Dir(dir)
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return nil, fmt.Errorf("building a history: %w", err)
	}
	work, err := os.MkdirTemp(parent, ".history-")
	if err != nil {
		return nil, fmt.Errorf("building a history: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	repo := filepath.Join(work, "repo.git")
	if err := initBare(ctx, repo, "sha1"); err != nil {
		return nil, fmt.Errorf("building a history: %w", err)
	}
	marks := filepath.Join(work, "marks")
	if _, err := (git{dir: repo}).run(ctx, bytes.NewReader(stream), "fast-import", "--quiet", "--done", "--export-marks="+marks); err != nil {
		return nil, fmt.Errorf("building a history: %w", err)
	}
	if heads, err = readMarks(marks, len(commits)); err != nil {
		return nil, fmt.Errorf("building a history: %w", err)
	}
	if err := publish(repo, dir); err != nil {
		return nil, fmt.Errorf("building a history: %w", err)
	}
	return heads, nil
}

// initBare makes an empty bare repository without hooks, description or any other template content.
func initBare(ctx context.Context, dir, format string) error {
	_, err := git{}.run(ctx, nil, "init", "--quiet", "--bare", "--template=", "--object-format="+format,
		"--initial-branch="+Branch, "--", dir)
	return err
}

// importStream is the history as git fast-import reads it, checked: fast-import would overlook a removed path that
// is not there and a file that takes a folder's place.
func importStream(commits []Commit) ([]byte, error) {
	if len(commits) == 0 {
		return nil, errors.New("building a history: expected at least one commit")
	}
	var out bytes.Buffer
	var errs []error
	live := map[string]bool{}
	for i, c := range commits {
		fault := func(format string, args ...any) {
			errs = append(errs, fmt.Errorf("commit %d (%.40q): %w", i+1, c.Message, fmt.Errorf(format, args...)))
		}
		if !authorPattern.MatchString(c.Author) {
			fault("author %.80q: expected Name <mail>", c.Author)
		}
		if c.Date.IsZero() || c.Date.Unix() < 0 {
			fault("date %v: expected one since 1970", c.Date)
		}
		if len(c.Remove)+len(c.Files) == 0 {
			fault("it changes nothing: expected files or paths to remove")
		}
		who := fmt.Sprintf("%s %d %s", c.Author, c.Date.Unix(), c.Date.Format("-0700"))
		fmt.Fprintf(&out, "commit refs/heads/%s\nmark :%d\nauthor %s\ncommitter %s\ndata %d\n%s\n", Branch, i+1, who, who, len(c.Message), c.Message)
		if i > 0 {
			fmt.Fprintf(&out, "from :%d\n", i)
		}
		for _, p := range c.Remove {
			if !live[p] {
				fault("remove %q: the parent has no such file", p)
				continue
			}
			delete(live, p)
			fmt.Fprintf(&out, "D %s\n", quotePath(p))
		}
		given := map[string]bool{}
		for _, f := range c.Files {
			mode := f.Mode
			if mode == "" {
				mode = modeFile
			}
			if mode != modeFile && mode != modeExecutable && mode != modeSymlink {
				fault("file %q: mode %q: expected 100644, 100755 or 120000", f.Path, f.Mode)
			}
			if err := checkPath(f.Path); err != nil {
				fault("%w", err)
				continue
			}
			if given[f.Path] {
				fault("file %q is given twice", f.Path)
			}
			given[f.Path] = true
			if other := clash(live, f.Path); other != "" {
				fault("file %q: %q is in its way; remove it first", f.Path, other)
			}
			live[f.Path] = true
			fmt.Fprintf(&out, "M %s inline %s\ndata %d\n", mode, quotePath(f.Path), len(f.Content))
			out.Write(f.Content)
			out.WriteByte('\n')
		}
	}
	out.WriteString("done\n")
	return out.Bytes(), errors.Join(errs...)
}

// clash names a file that is a folder of p, or that has p as a folder.
func clash(live map[string]bool, p string) string {
	for at := filepath.ToSlash(filepath.Dir(p)); at != "." && at != "/"; at = filepath.ToSlash(filepath.Dir(at)) {
		if live[at] {
			return at
		}
	}
	if live[p] {
		return ""
	}
	for other := range live {
		if strings.HasPrefix(other, p+"/") {
			return other
		}
	}
	return ""
}

// quotePath is git's C-style quoting.
func quotePath(p string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := 0; i < len(p); i++ {
		switch c := p[i]; {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c < ' ' || c >= 0x7f:
			fmt.Fprintf(&b, `\%03o`, c)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// readMarks reads fast-import's mark file: ":n id" lines.
func readMarks(file string, n int) ([]string, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	heads := make([]string, n)
	for line := range strings.Lines(string(data)) {
		var mark int
		var id string
		if _, err := fmt.Sscanf(line, ":%d %s", &mark, &id); err != nil || mark < 1 || mark > n || !objectID(id) {
			return nil, fmt.Errorf("reading marks: unexpected line %q", line)
		}
		heads[mark-1] = id
	}
	for i, id := range heads {
		if id == "" {
			return nil, fmt.Errorf("reading marks: commit %d has none", i+1)
		}
	}
	return heads, nil
}

// publish gives a finished folder its name. The parent folder is synced, so that the name survives a power cut.
func publish(from, to string) error {
	if err := os.Remove(to); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err // not an empty folder
	}
	if err := os.Rename(from, to); err != nil {
		return err
	}
	d, err := os.Open(filepath.Dir(to))
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
