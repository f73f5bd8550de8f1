package repos

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
)

// Origin is where a mirror is fetched from.
type Origin struct {
	text  string // as it is shown and given to git
	allow string // the one protocol that git may speak
	name  string // of the mirror
}

// String is the URL or the bundle's path.
func (o Origin) String() string { return o.text }

var hostName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9.-]*$`)

// URL is the origin at a URL: https, ssh or file, or http on this machine's own addresses. Names and passwords in it are
// refused, except for the user of ssh: an origin is written into records.
func URL(raw string) (Origin, error) {
	refuse := func(format string, args ...any) (Origin, error) {
		return Origin{}, fmt.Errorf("repository URL %.200q: "+format, append([]any{printable(raw)}, args...)...)
	}
	u, err := url.Parse(raw)
	if err != nil || len(raw) > 2000 {
		return Origin{}, errors.New("a repository URL that can't be read: expected https://HOST/PATH, ssh://HOST/PATH or file:///PATH")
	}
	if _, secret := u.User.Password(); secret || u.User != nil && u.Scheme != "ssh" {
		u.User = nil
		return Origin{}, fmt.Errorf("repository URL %.200q has a name or password in it: clone it yourself, and give the folder", printable(u.Redacted()))
	}
	host := u.Hostname()
	switch {
	case u.Scheme == "file" && (host != "" || !path.IsAbs(u.Path)):
		return refuse("expected file:///PATH")
	case u.Scheme == "file":
	case u.Scheme != "https" && u.Scheme != "ssh" && u.Scheme != "http":
		return refuse("expected https, ssh or file")
	case u.Scheme == "http" && !ownAddress(host):
		return refuse("http is for this machine's own addresses; expected https")
	case !hostName.MatchString(host) && net.ParseIP(host) == nil:
		return refuse("the host is missing or has characters that no host has")
	case u.User != nil && !hostName.MatchString(u.User.Username()):
		return refuse("the user has characters that are not expected")
	}
	if u.RawQuery != "" || u.Fragment != "" || strings.Trim(u.Path, "/") == "" || strings.HasPrefix(strings.Trim(u.Path, "/"), "-") {
		return refuse("expected a path and nothing behind it")
	}
	text := u.String()
	if u.Scheme == "file" {
		text = "file://" + filepath.ToSlash(filepath.Clean(filepath.FromSlash(u.Path)))
	}
	return Origin{text: text, allow: u.Scheme, name: mirrorName(u.Path, []byte(text))}, nil
}

func ownAddress(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// Bundle is the origin in a file that git bundle made, told apart by its content.
func Bundle(file string) (Origin, error) {
	abs, err := filepath.Abs(file)
	if err != nil {
		return Origin{}, fmt.Errorf("bundle: %w", err)
	}
	f, err := os.Open(abs)
	if err != nil {
		return Origin{}, fmt.Errorf("bundle: %w", err)
	}
	defer f.Close() // read only
	head := make([]byte, 16)
	if n, _ := io.ReadFull(f, head); !strings.HasPrefix(string(head[:n]), "# v2 git bundle\n") && !strings.HasPrefix(string(head[:n]), "# v3 git bundle\n") {
		return Origin{}, fmt.Errorf("%s: expected a git bundle (git bundle create FILE --all)", file)
	}
	h := sha256.New()
	h.Write(head)
	if _, err := io.Copy(h, f); err != nil {
		return Origin{}, fmt.Errorf("bundle %s: %w", file, err)
	}
	return Origin{text: abs, allow: "file", name: mirrorName(abs, h.Sum(nil))}, nil
}

var unfitForName = regexp.MustCompile(`[^A-Za-z0-9._-]+`)

// mirrorName is a name for people, made one by a digest of what it stands for.
func mirrorName(p string, what []byte) string {
	name := strings.TrimSuffix(strings.TrimSuffix(path.Base(filepath.ToSlash(p)), ".git"), ".bundle")
	name = strings.TrimLeft(unfitForName.ReplaceAllString(name, "-"), "._-")
	sum := sha256.Sum256(what)
	return name[:min(len(name), 60)] + "-" + hex.EncodeToString(sum[:8]) + ".git"
}
