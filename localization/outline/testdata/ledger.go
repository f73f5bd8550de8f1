// Package ledger docs.
package ledger

// A is first.
const A = 1

const (
	// B is b.
	B = 2
	C = 3 // c
)

type (
	// T is a type.
	T[P any] struct {
		// f is a field.
		f, g int
	}
	Shape interface {
		Area() float64
	}
)

var x, y = 1, 2

// Sum sums.
func (t *T[P]) Sum() int {
	return t.f
}

func New() {}
