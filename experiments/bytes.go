package experiments

import (
	"fmt"
	"strconv"
	"strings"
)

// Bytes is a size; in text it is a number with an optional unit: 512MiB, 1GiB, 64MB, 1024.
type Bytes int64

// ParseBytes reads a size. Units: B, KB, MB, GB (powers of 1000), KiB, MiB, GiB (powers of 1024).
func ParseBytes(s string) (Bytes, error) {
	units := []struct {
		suffix string
		factor int64
	}{{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"B", 1}}
	number, factor := strings.TrimSpace(s), int64(1)
	for _, u := range units {
		if strings.HasSuffix(number, u.suffix) {
			number, factor = strings.TrimSpace(strings.TrimSuffix(number, u.suffix)), u.factor
			break
		}
	}
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil || n < 0 || (n > 0 && n > (1<<62)/factor) {
		return 0, fmt.Errorf("%q is not a size such as 512MiB or 1GiB", s)
	}
	return Bytes(n * factor), nil
}

// String is the size in the largest power-of-two unit that divides it.
func (b Bytes) String() string {
	for _, u := range []struct {
		suffix string
		factor Bytes
	}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}} {
		if b >= u.factor && b%u.factor == 0 {
			return fmt.Sprintf("%d%s", b/u.factor, u.suffix)
		}
	}
	return fmt.Sprintf("%dB", int64(b))
}
