package sandbox

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
)

// TestUnfitEngines: engines that are not on this machine, as their answers have it.
func TestUnfitEngines(t *testing.T) {
	mine, other := "x86_64", "aarch64"
	if runtime.GOARCH == "arm64" {
		mine, other = other, mine
	}
	for name, c := range map[string]struct {
		info map[string]any
		want string // "" for one that can be used
	}{
		"this kind":     {map[string]any{"OSType": "linux", "Architecture": mine, "MemoryLimit": true, "PidsLimit": true}, ""},
		"windows":       {map[string]any{"OSType": "windows", "Architecture": mine, "MemoryLimit": true, "PidsLimit": true}, "windows containers"},
		"another chip":  {map[string]any{"OSType": "linux", "Architecture": other, "MemoryLimit": true, "PidsLimit": true}, "machine of the engine's kind"},
		"without limit": {map[string]any{"OSType": "linux", "Architecture": mine, "MemoryLimit": true, "PidsLimit": false}, "rootless"},
	} {
		t.Run(name, func(t *testing.T) {
			engine := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
				w.Header().Set("Api-Version", "1.47")
				w.Header().Set("Content-Type", "application/json")
				if strings.HasSuffix(q.URL.Path, "/info") {
					json.NewEncoder(w).Encode(c.info)
				}
			}))
			defer engine.Close()
			t.Setenv("DOCKER_HOST", "tcp://"+strings.TrimPrefix(engine.URL, "http://"))
			t.Setenv("DOCKER_TLS_VERIFY", "")
			err := PingDocker(context.Background())
			s, oerr := OpenDocker(context.Background(), Options{State: t.TempDir(), Host: "unfit"})
			if oerr == nil {
				s.Close()
			}
			for _, err := range []error{err, oerr} {
				if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
					t.Errorf("%v, want %q", err, c.want)
				}
			}
		})
	}
}
