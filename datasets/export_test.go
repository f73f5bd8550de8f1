package datasets

import (
	"context"
	"strings"

	"evlab/tabular"
)

// ImportText is Import of a file with the text, without the file.
func ImportText(name, text string, opts ImportOptions) (*Imported, error) {
	opts.ctx, opts.certificates = context.Background(), map[string]certificateRow{}
	opts.places = Repositories{}.places()
	im := &importing{opts: opts, out: &Imported{Name: "c"}}
	var faults tabular.Faults
	t, err := tabular.Read(name, "", strings.NewReader(text), &faults)
	if err != nil {
		return nil, err
	}
	im.table(name, name, t, &faults)
	return im.out, nil
}

// FormatMarks are the fields by which formats of rows are told.
var FormatMarks = formatMarks

// RowFormats are the formats whose tasks are rows.
func RowFormats() (names []string) {
	for _, f := range rowFormats {
		names = append(names, f.name)
	}
	return names
}
