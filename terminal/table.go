package terminal

import (
	"io"
	"strings"
)

// Column is one column of a table.
type Column struct {
	Title string
	Right bool // aligned to the right: numbers
	Flex  bool // shortened first when the table is too wide
}

// Table is text in aligned columns. Cells are shown as they are: the caller puts Safe around untrusted text.
type Table struct {
	Columns []Column
	rows    [][]string
}

// NewTable is a table with columns that are aligned to the left. A title that begins with ">" aligns to the right, one
// that begins with "~" may be shortened.
func NewTable(titles ...string) *Table {
	t := &Table{}
	for _, title := range titles {
		c := Column{Title: title}
		switch {
		case strings.HasPrefix(title, ">"):
			c.Title, c.Right = title[1:], true
		case strings.HasPrefix(title, "~"):
			c.Title, c.Flex = title[1:], true
		}
		t.Columns = append(t.Columns, c)
	}
	return t
}

// Row adds a row. Missing cells are empty; what is beyond the last column is dropped.
func (t *Table) Row(cells ...string) {
	row := make([]string, len(t.Columns))
	copy(row, cells)
	t.rows = append(t.rows, row)
}

// Len is the number of rows.
func (t *Table) Len() int { return len(t.rows) }

const gap = "  "

// Write writes titles (when there are any) and rows. A width of 0 leaves every cell whole; otherwise columns marked
// Flex are shortened to keep lines within width, each to no less than 8 columns.
func (t *Table) Write(w io.Writer, width int, style Style) error {
	widths := make([]int, len(t.Columns))
	titled := false
	for i, c := range t.Columns {
		widths[i] = StringWidth(c.Title)
		titled = titled || c.Title != ""
		for _, row := range t.rows {
			widths[i] = max(widths[i], StringWidth(row[i]))
		}
	}
	if width > 0 {
		t.shrink(widths, clampWidth(width))
	}
	var b strings.Builder
	if titled {
		titles := make([]string, len(t.Columns))
		for i, c := range t.Columns {
			titles[i] = c.Title
		}
		t.line(&b, titles, widths, style.Strong)
	}
	for _, row := range t.rows {
		t.line(&b, row, widths, func(s string) string { return s })
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// shrink takes columns off the widest flexible column until the line fits.
func (t *Table) shrink(widths []int, width int) {
	const least = 8
	total := len(gap) * (len(widths) - 1)
	for _, w := range widths {
		total += w
	}
	for total > width {
		widest := -1
		for i, c := range t.Columns {
			if c.Flex && widths[i] > least && (widest < 0 || widths[i] > widths[widest]) {
				widest = i
			}
		}
		if widest < 0 {
			return
		}
		widths[widest]--
		total--
	}
}

func (t *Table) line(b *strings.Builder, cells []string, widths []int, mark func(string) string) {
	last := len(cells) - 1
	for last >= 0 && cells[last] == "" { // no trailing blanks
		last--
	}
	for i := 0; i <= last; i++ {
		cell := Truncate(cells[i], widths[i])
		pad := strings.Repeat(" ", widths[i]-StringWidth(cell))
		switch {
		case t.Columns[i].Right:
			b.WriteString(pad + mark(cell))
		case i == last:
			b.WriteString(mark(cell))
		default:
			b.WriteString(mark(cell) + pad)
		}
		if i < last {
			b.WriteString(gap)
		}
	}
	b.WriteByte('\n')
}
