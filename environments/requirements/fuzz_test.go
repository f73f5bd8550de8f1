package requirements

import (
	"io/fs"
	"strings"
	"testing"
)

// FuzzRead: whatever a file holds, what comes out are lines of names, versions and hashes.
func FuzzRead(f *testing.F) {
	for _, text := range []string{
		"a[x]>=1,<2 ; python_version < '3' --hash=sha256:" + digest + "\n-r r.txt\n", "-e .\\\n", `{"default": {"a": {"version": "==1", "markers": "os_name == 'posix'"}}}`,
		"[[package]]\nname='a'\nversion='1'\nsource={virtual='.'}\ndependencies=[{name='a', extra=['x']}]\n", "[[packages]]\nname='a'\nversion='1'\nwheels=[{hashes={sha256='" + digest + "'}}]\n",
		"[[package]]\nname='a'\nversion='1'\ngroups=['main']\nmarkers={main=\"os_name == 'posix'\"}\n",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, file := range []string{"r.txt", "Pipfile.lock", "uv.lock", "poetry.lock", "pylock.toml"} {
			set, err := Read([]string{file}, bookworm, func(name string) ([]byte, error) {
				if name != file && name != "pyproject.toml" {
					return nil, fs.ErrNotExist
				}
				return []byte(text), nil
			})
			if err != nil {
				continue
			}
			for _, line := range append(set.Wanted, set.Constraints...) {
				if strings.HasPrefix(line, "-") || strings.ContainsAny(line, "\n\r\\/$@;:'\"#") && !strings.Contains(line, " --hash=sha") || strings.Contains(strings.ReplaceAll(line, " --hash=sha", ""), " ") {
					t.Errorf("%s: %q came out of %q", file, line, text)
				}
			}
		}
	})
}
