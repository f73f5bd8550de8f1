package requirements

import (
	"regexp"
	"slices"
	"strings"
)

// versionForm is a version as PEP 440 has it, in its normal form or near it.
var versionForm = regexp.MustCompile(`^(?i)v?(?:(\d{1,18})!)?(\d{1,18}(?:\.\d{1,18}){0,30})(?:[-_.]?(a|b|c|rc|alpha|beta|pre|preview)[-_.]?(\d{0,18}))?(?:-(\d{1,18})|[-_.]?(post|rev|r)[-_.]?(\d{0,18}))?(?:[-_.]?(dev)[-_.]?(\d{0,18}))?(?:\+[a-z0-9]+(?:[-_.][a-z0-9]+)*)?$`)

// version is one that can be compared: epoch, release, and what comes before or after it.
type version struct {
	epoch   int64
	release []int64
	pre     [2]int64 // kind: 0 dev alone, 1 a, 2 b, 3 rc, 4 none; number
	post    int64    // -1 for none
	dev     int64    // largest for none
}

const noDev = int64(1) << 62

func parseVersion(s string) (version, bool) {
	m := versionForm.FindStringSubmatch(strings.TrimSpace(s))
	if m == nil {
		return version{}, false
	}
	v := version{epoch: number(m[1]), pre: [2]int64{4, 0}, post: -1, dev: noDev}
	for _, part := range strings.Split(m[2], ".") {
		v.release = append(v.release, number(part))
	}
	for len(v.release) > 1 && v.release[len(v.release)-1] == 0 {
		v.release = v.release[:len(v.release)-1]
	}
	switch strings.ToLower(m[3]) {
	case "a", "alpha":
		v.pre = [2]int64{1, number(m[4])}
	case "b", "beta":
		v.pre = [2]int64{2, number(m[4])}
	case "c", "rc", "pre", "preview":
		v.pre = [2]int64{3, number(m[4])}
	}
	if m[5] != "" {
		v.post = number(m[5])
	} else if m[6] != "" {
		v.post = number(m[7])
	}
	if m[8] != "" {
		v.dev = number(m[9])
		if m[3] == "" && v.post < 0 {
			v.pre = [2]int64{0, 0}
		}
	}
	return v, true
}

func number(s string) (n int64) {
	for _, c := range s { // digits, at most 18
		n = n*10 + int64(c-'0')
	}
	return n
}

// compare orders versions; what stands behind a plus sign does not count.
func (v version) compare(o version) int {
	a := append([]int64{v.epoch}, v.release...)
	b := append([]int64{o.epoch}, o.release...)
	for len(a) < len(b) {
		a = append(a, 0)
	}
	for len(b) < len(a) {
		b = append(b, 0)
	}
	a = append(a, v.pre[0], v.pre[1], v.post, v.dev)
	b = append(b, o.pre[0], o.pre[1], o.post, o.dev)
	return slices.Compare(a, b)
}

// prefixes are the first n numbers of its release, those that it does not say being 0.
func (v version) prefix(n int) []int64 {
	release := slices.Clone(v.release)
	for len(release) < n {
		release = append(release, 0)
	}
	return release[:n]
}

// satisfies says whether v is what an operator and a version ask for; known is false where they say nothing of versions.
func (v version) satisfies(op, wanted string) (yes, known bool) {
	if prefix, star := strings.CutSuffix(wanted, ".*"); star && (op == "==" || op == "!=") {
		w, ok := parseVersion(prefix)
		n := strings.Count(prefix, ".") + 1
		return slices.Equal(v.prefix(n), w.prefix(n)) == (op == "=="), ok
	}
	w, ok := parseVersion(wanted)
	if !ok {
		return false, false
	}
	switch c := v.compare(w); op {
	case "==", "===":
		return c == 0, true
	case "!=":
		return c != 0, true
	case "<=":
		return c <= 0, true
	case ">=":
		return c >= 0, true
	case "<":
		return c < 0, true
	case ">":
		return c > 0, true
	case "~=":
		n := strings.Count(wanted, ".")
		return n > 0 && c >= 0 && slices.Equal(v.prefix(n), w.prefix(n)), n > 0
	}
	return false, false
}
