package evidence

// TokenizerVersion names the rules by which Tokens counts; token ceilings and costs are in this unit.
const TokenizerVersion = "evlab-approx-v1"

// byte classes of Tokens.
const (
	classSpace = iota
	classLower
	classUpper
	classDigit
	classPunct
	classWide // any byte of a rune outside ASCII
)

var byteClass = func() (t [256]uint8) {
	for i := range t {
		switch c := byte(i); {
		case c == ' ' || c >= '\t' && c <= '\r':
			t[i] = classSpace
		case c >= 'a' && c <= 'z':
			t[i] = classLower
		case c >= 'A' && c <= 'Z':
			t[i] = classUpper
		case c >= '0' && c <= '9':
			t[i] = classDigit
		case c >= 0x80:
			t[i] = classWide
		default:
			t[i] = classPunct
		}
	}
	return t
}()

// Tokens counts s in tokens of evlab-approx-v1, a model-independent approximation of what byte-pair encoders make of
// source code. s is cut into the longest runs of one class of bytes, and each run counts by its length in bytes:
//
//	letters        ceil(n/5); a lower-case letter followed by an upper-case one ends a run, so camelCase is two
//	digits         ceil(n/3)
//	punctuation    ceil(n/2); underscores and control characters are punctuation
//	white space    nothing for one single blank, which encoders join to the next word; else ceil(n/8)
//	beyond ASCII   ceil(n/3), valid UTF-8 or not
//
// A count never falls when text is appended. It takes linear time and no memory.
func Tokens(s string) int {
	n := 0
	for i := 0; i < len(s); {
		start, class := i, byteClass[s[i]]
		i++
		switch class {
		case classSpace:
			for i < len(s) && byteClass[s[i]] == classSpace {
				i++
			}
			if i-start > 1 || s[start] != ' ' {
				n += (i - start + 7) / 8
			}
		case classLower, classUpper:
			for i < len(s) {
				next := byteClass[s[i]]
				if next != classLower && next != classUpper || class == classLower && next == classUpper {
					break
				}
				class = next
				i++
			}
			n += (i - start + 4) / 5
		case classDigit, classWide:
			for i < len(s) && byteClass[s[i]] == class {
				i++
			}
			n += (i - start + 2) / 3
		default:
			for i < len(s) && byteClass[s[i]] == classPunct {
				i++
			}
			n += (i - start + 1) / 2
		}
	}
	return n
}
