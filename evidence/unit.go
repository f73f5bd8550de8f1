package evidence

import (
	"crypto/sha256"
	"encoding/hex"
)

// SegmentationVersion names the rules by which Segment cuts. It changes whenever some source would get other units,
// and is part of what identifies a cell.
const SegmentationVersion = "evlab-units-v1"

// Unit is one intact piece of source.
type Unit struct {
	ID        string `json:"id"`         // path#Symbol, path#package or path#L1-L60; a taken id gets ~2, ~3, ...
	Path      string `json:"path"`       // slash-separated, relative to the repository root
	StartLine int    `json:"start_line"` // 1-based, inclusive
	EndLine   int    `json:"end_line"`   // 1-based, inclusive
	Symbol    string `json:"symbol"`     // Func, Type, Type.Method, the first name of a const or var unit; "" for windows
	Kind      string `json:"kind"`       // one of the Kind constants
	Text      string `json:"text"`       // the lines as they are in the file, with their line ends
	Tokens    int    `json:"tokens"`     // Tokens(Text)
	SHA256    string `json:"sha256"`     // of Text, lower-case hexadecimal
}

// Kinds of unit.
const (
	KindFunc    = "func"
	KindMethod  = "method"
	KindType    = "type"
	KindConst   = "const"
	KindVar     = "var"
	KindPackage = "package" // a Go file's package documentation with the package clause
	KindWindow  = "window"  // lines of a file that isn't cut by declaration
)

// File is one file of a snapshot, as Segment takes it.
type File struct {
	Path    string // slash-separated, relative to the repository root
	Content []byte
}

// finish fills in what follows from the text.
func (u *Unit) finish() {
	u.Tokens = Tokens(u.Text)
	sum := sha256.Sum256([]byte(u.Text))
	u.SHA256 = hex.EncodeToString(sum[:])
}
