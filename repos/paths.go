package repos

import (
	"fmt"
	"io/fs"
	"path"
	"strings"
)

// Modes of tree entries.
const (
	modeFile       = "100644"
	modeExecutable = "100755"
	modeSymlink    = "120000"
	modeGitlink    = "160000"
)

// checkPath reports why p can't be a path inside a tree: absolute, leaving it, or into a .git folder.
func checkPath(p string) error {
	switch {
	case p == "" || p == ".":
		return fmt.Errorf("path %q is empty", p)
	case strings.ContainsRune(p, 0):
		return fmt.Errorf("path %q holds a NUL", p)
	case strings.HasPrefix(p, "/"):
		return fmt.Errorf("path %q is absolute", p)
	}
	for part := range strings.SplitSeq(p, "/") {
		switch {
		case part == "..":
			return fmt.Errorf("path %q leaves the tree", p)
		case dotGit(part):
			return fmt.Errorf("path %q is inside a .git folder", p)
		}
	}
	// The empty and single-dot elements are left for ValidPath; it also wants UTF-8, which git does not.
	if !fs.ValidPath(strings.ToValidUTF8(p, "?")) {
		return fmt.Errorf("path %q is not a clean slash-separated path", p)
	}
	return nil
}

// dotGit reports whether a path element is .git on some file system: any case, NTFS's short name, trailing dots,
// blanks or stream names, and HFS's ignored code points.
func dotGit(part string) bool {
	part = strings.Map(func(r rune) rune {
		switch {
		case r >= 0x200b && r <= 0x200f, r >= 0x202a && r <= 0x202e, r >= 0x2060 && r <= 0x206f, r == 0xfeff:
			return -1
		}
		return r
	}, part)
	if i := strings.IndexByte(part, ':'); i >= 0 {
		part = part[:i]
	}
	part = strings.TrimRight(strings.ToLower(part), ". ")
	return part == ".git" || part == "git~1"
}

// maxHops is how many symbolic links one resolution may follow, as in Linux.
const maxHops = 40

// leaves reports why the symbolic link at p leaves the tree, following the tree's other links on the way, or "".
// links maps the path of every symbolic link of the tree to its target.
func leaves(p string, links map[string]string) string {
	target := links[p]
	pending := append(strings.Split(path.Dir(p), "/"), splitTarget(target)...)
	switch {
	case target == "":
		return "empty target"
	case strings.HasPrefix(target, "/"):
		return "absolute target"
	case strings.HasPrefix(path.Join(path.Dir(p), target)+"/", "../"):
		return "target outside of the tree" // as written, before any other link is followed
	}
	var at []string
	for hops := 0; len(pending) > 0; {
		part := pending[0]
		pending = pending[1:]
		switch part {
		case "", ".":
			continue
		case "..":
			if len(at) == 0 {
				return "target outside of the tree"
			}
			at = at[:len(at)-1]
			continue
		}
		if dotGit(part) {
			return "target inside a .git folder"
		}
		at = append(at, part)
		next, isLink := links[strings.Join(at, "/")]
		if !isLink {
			continue
		}
		if strings.HasPrefix(next, "/") {
			return "a link on the way has an absolute target"
		}
		if hops++; hops > maxHops {
			return "" // a loop: opening it fails, wherever it is
		}
		at = at[:len(at)-1]
		pending = append(splitTarget(next), pending...)
	}
	return ""
}

func splitTarget(target string) []string {
	// Backslashes and drive letters would leave the tree on Windows.
	return strings.Split(strings.ReplaceAll(target, `\`, "/"), "/")
}
