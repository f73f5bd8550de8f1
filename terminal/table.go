package terminal

import (
	"io"
	"slices"
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

// Write writes titles (when there are any) and rows. A width of 0 leaves every cell whole and every row on its line;
// otherwise columns marked Flex are shortened to keep lines within width, each to no less than 8 columns, and a table that
// is too wide even so, or whose rows could be mistaken for each other, is written narrow: in bands of columns, or a line for
// each cell.
func (t *Table) Write(w io.Writer, width int, style Style) error {
	if len(t.Columns) == 0 {
		return nil
	}
	widths, all := make([]int, len(t.Columns)), make([]int, len(t.Columns))
	for i, c := range t.Columns {
		all[i], widths[i] = i, StringWidth(c.Title)
		for _, row := range t.rows {
			widths[i] = max(widths[i], StringWidth(row[i]))
		}
	}
	var b strings.Builder
	whole := slices.Clone(widths)
	if width > 0 {
		width = clampWidth(width)
		t.shrink(widths, width)
	}
	if width > 0 && (sum(widths)+len(gap)*(len(widths)-1) > width || t.mistakable(widths[0])) {
		t.narrow(&b, whole, width, style)
	} else {
		t.grid(&b, all, widths, style)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// grid writes some of the columns below their titles.
func (t *Table) grid(b *strings.Builder, columns, widths []int, style Style) {
	titles := make([]string, len(t.Columns))
	titled := false
	for i, c := range t.Columns {
		titles[i] = c.Title
		titled = titled || c.Title != ""
	}
	if titled {
		t.line(b, columns, titles, widths, style.Strong)
	}
	for _, row := range t.rows {
		t.line(b, columns, row, widths, func(s string) string { return s })
	}
}

// shrink takes columns off the widest flexible column until the line fits. It may be given the leading columns alone.
func (t *Table) shrink(widths []int, width int) {
	const least = 8
	for total := sum(widths) + len(gap)*(len(widths)-1); total > width; total-- {
		widest := -1
		for i, w := range widths {
			if t.Columns[i].Flex && w > least && (widest < 0 || w > widths[widest]) {
				widest = i
			}
		}
		if widest < 0 {
			return
		}
		widths[widest]--
	}
}

func (t *Table) line(b *strings.Builder, columns []int, cells []string, widths []int, mark func(string) string) {
	for len(columns) > 0 && cells[columns[len(columns)-1]] == "" { // no trailing blanks
		columns = columns[:len(columns)-1]
	}
	for n, i := range columns {
		cell := Truncate(cells[i], widths[i])
		pad := strings.Repeat(" ", widths[i]-StringWidth(cell))
		last := n == len(columns)-1
		switch {
		case t.Columns[i].Right:
			b.WriteString(pad + mark(cell))
		case last:
			b.WriteString(mark(cell))
		default:
			b.WriteString(mark(cell) + pad)
		}
		if !last {
			b.WriteString(gap)
		}
	}
	b.WriteByte('\n')
}
