package experiments

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
)

// Digest is a lower-case hexadecimal SHA-256.
type Digest string

// DigestBytes is the digest of b.
func DigestBytes(b []byte) Digest {
	sum := sha256.Sum256(b)
	return Digest(hex.EncodeToString(sum[:]))
}

// DigestJSON is the digest of v's JSON form. Struct fields come in declaration order and map keys sorted, so equal
// values have equal digests. It returns an error for values that JSON can't hold.
func DigestJSON(v any) (Digest, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return "", fmt.Errorf("digesting a %T: %w", v, err)
	}
	return DigestBytes(b), nil
}

// Valid reports whether d looks like a digest; a digest that came from a file is used in paths only after this.
func (d Digest) Valid() bool {
	if len(d) != sha256.Size*2 {
		return false
	}
	for i := 0; i < len(d); i++ {
		if c := d[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

// Short is the first twelve digits, for people.
func (d Digest) Short() string {
	if len(d) < 12 {
		return string(d)
	}
	return string(d[:12])
}
