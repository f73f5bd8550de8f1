package terminal

import "strings"

// narrow writes a table that is too wide for the terminal even with its flexible columns shortened. Lines that a terminal
// breaks by itself make numbers that belong to nothing, so the columns are broken instead: numbers are compared down their
// column and go in bands below each other, each under the keys of the rows; words are read along their row, and each of
// their cells gets a line.
func (t *Table) narrow(b *strings.Builder, widths []int, width int, style Style) {
	keys := t.keys()
	if keys == len(t.Columns) || !t.bands(b, keys, widths, width, style) {
		t.records(b, width, style)
	}
}

// keys is the number of leading columns that say what a row is about: up to the last one of words, the first one where
// all are numbers.
func (t *Table) keys() int {
	keys := 1
	for i, c := range t.Columns {
		if !c.Right {
			keys = i + 1
		}
	}
	return keys
}

// bands writes as many tables as it takes to have all columns, the keys in each. It reports false, and writes nothing,
// when the keys leave no room for the widest of the others, or could be mistaken for each other.
func (t *Table) bands(b *strings.Builder, keys int, widths []int, width int, style Style) bool {
	widest := 0
	for _, w := range widths[keys:] {
		widest = max(widest, w)
	}
	if t.shrink(widths[:keys], width-len(gap)-widest); sum(widths[:keys])+len(gap)*keys+widest > width || t.mistakable(widths[0]) {
		return false
	}
	for from := keys; from < len(widths); {
		columns := make([]int, keys, len(widths))
		for i := range columns {
			columns[i] = i
		}
		used := sum(widths[:keys]) + len(gap)*(keys-1)
		if from > keys {
			b.WriteByte('\n')
		}
		for from < len(widths) && used+len(gap)+widths[from] <= width {
			used += len(gap) + widths[from]
			columns = append(columns, from)
			from++
		}
		t.grid(b, columns, widths, style)
	}
	return true
}

// mistakable reports whether two rows of different names have the same one when the first column is shortened.
func (t *Table) mistakable(width int) bool {
	whole := map[string]string{}
	for _, row := range t.rows {
		short := Truncate(row[0], width)
		if name, met := whole[short]; met && name != row[0] {
			return true
		}
		whole[short] = row[0]
	}
	return false
}

func sum(list []int) (total int) {
	for _, n := range list {
		total += n
	}
	return total
}

// records writes each row as lines of a title and a cell. Leading cells that are empty repeat what is above them, and are
// filled in; other empty cells are left out.
func (t *Table) records(b *strings.Builder, width int, style Style) {
	titles := 0
	for _, c := range t.Columns {
		titles = max(titles, StringWidth(c.Title))
	}
	titles = min(titles, width/2)
	above := make([]string, len(t.Columns))
	for n, row := range t.rows {
		if n > 0 {
			b.WriteByte('\n')
		}
		leading := true
		for i, cell := range row {
			if leading = leading && cell == ""; leading {
				cell = above[i]
			} else {
				above[i] = cell
			}
			if cell == "" {
				continue
			}
			title := t.Columns[i].Title
			b.WriteString(style.Strong(title))
			at := titles + len(gap)
			if room := at - StringWidth(title); room > 0 {
				b.WriteString(strings.Repeat(" ", room))
			} else { // the title has taken the cell's place
				b.WriteString("\n" + strings.Repeat(" ", at))
			}
			b.WriteString(Wrap(cell, width, at) + "\n")
		}
	}
}

// Wrap breaks s between words so that its lines keep within width, where the first begins at column indent and the others
// are indented by so much. A word that is longer than a line stays whole.
func Wrap(s string, width, indent int) string {
	var b strings.Builder
	at := indent
	for word := range strings.FieldsSeq(s) {
		n := StringWidth(word)
		switch {
		case at == indent:
		case at+1+n > width:
			b.WriteString("\n" + strings.Repeat(" ", indent))
			at = indent
		default:
			b.WriteByte(' ')
			at++
		}
		b.WriteString(word)
		at += n
	}
	return b.String()
}
