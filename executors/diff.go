package executors

import (
	"fmt"
	"slices"
	"strings"
)

const (
	around = 3 // unchanged lines around a change
	// maxCost bounds the search for the shortest script, in changed lines; beyond it the part that differs is replaced
	// as one, which is as correct and only longer. Memory is about its square in ints.
	maxCost = 1000
)

// appendDiff appends the unified git diff of one file, and nothing when old and new are the same. A file that did not
// exist gets mode 100644.
func appendDiff(diff []byte, path, old, new string, exists bool) []byte {
	if old == new {
		return diff
	}
	from, to := quoted("a/"+path), quoted("b/"+path)
	diff = fmt.Appendf(diff, "diff --git %s %s\n", from, to)
	if !exists {
		diff, from = append(diff, "new file mode 100644\n"...), "/dev/null"
	}
	diff = fmt.Appendf(diff, "--- %s\n+++ %s\n", ended(from), ended(to))
	return appendHunks(diff, compare(split(old), split(new)))
}

// line is one line of a comparison: ' ' in both, '-' in the old only, '+' in the new only. The text has its line feed,
// but for a last line without one.
type line struct {
	op   byte
	text string
}

// appendHunks writes the changed lines with their context; hunks whose contexts touch are one.
func appendHunks(diff []byte, lines []line) []byte {
	old, new := 1, 1 // numbers of the next lines
	for at := 0; at < len(lines); {
		first := slices.IndexFunc(lines[at:], func(l line) bool { return l.op != ' ' })
		if first < 0 {
			break
		}
		start := at + max(0, first-around)
		end, same := at+first, 0 // end goes behind the last change
		for i := end; i < len(lines) && same <= 2*around; i++ {
			if same++; lines[i].op != ' ' {
				end, same = i+1, 0
			}
		}
		end = min(end+around, len(lines))
		old, new = old+start-at, new+start-at
		hunk := lines[start:end]
		minus, plus := 0, 0
		for _, l := range hunk {
			if l.op != '+' {
				minus++
			}
			if l.op != '-' {
				plus++
			}
		}
		diff = fmt.Appendf(diff, "@@ -%s +%s @@\n", span(old, minus), span(new, plus))
		for _, l := range hunk {
			diff = append(append(diff, l.op), l.text...)
			if !strings.HasSuffix(l.text, "\n") {
				diff = append(diff, "\n\\ No newline at end of file\n"...)
			}
		}
		old, new, at = old+minus, new+plus, end
	}
	return diff
}

// span is a hunk's place as git writes it: an empty side is named by the line before it.
func span(start, lines int) string {
	switch lines {
	case 0:
		return fmt.Sprintf("%d,0", start-1)
	case 1:
		return fmt.Sprint(start)
	}
	return fmt.Sprintf("%d,%d", start, lines)
}

// compare lines up two texts: equal ends first, then the shortest script for what is between (Myers 1986, greedy).
func compare(old, new []string) []line {
	head := 0
	for head < len(old) && head < len(new) && old[head] == new[head] {
		head++
	}
	tail := 0
	for tail < len(old)-head && tail < len(new)-head && old[len(old)-1-tail] == new[len(new)-1-tail] {
		tail++
	}
	lines := make([]line, 0, len(old)+len(new)-head-tail)
	for _, text := range old[:head] {
		lines = append(lines, line{' ', text})
	}
	lines = append(lines, shortest(old[head:len(old)-tail], new[head:len(new)-tail])...)
	for _, text := range old[len(old)-tail:] {
		lines = append(lines, line{' ', text})
	}
	return lines
}

// shortest follows, for each number of changes, the furthest point of every diagonal k = x-y, and walks back.
func shortest(old, new []string) []line {
	limit := min(len(old)+len(new), maxCost)
	reach := make([]int, 2*limit+3) // furthest x per diagonal, shifted by limit+1
	var trace [][]int               // reach before each step, for diagonals -d..d
	for d := 0; d <= limit; d++ {
		trace = append(trace, slices.Clone(reach[limit+1-d:limit+2+d]))
		for k := -d; k <= d; k += 2 {
			x := reach[limit+1+k-1] + 1
			if k == -d || k != d && reach[limit+1+k-1] < reach[limit+1+k+1] {
				x = reach[limit+1+k+1]
			}
			for x < len(old) && x-k < len(new) && old[x] == new[x-k] {
				x++
			}
			reach[limit+1+k] = x
			if x >= len(old) && x-k >= len(new) {
				return walkBack(old, new, trace)
			}
		}
	}
	var lines []line
	for _, text := range old {
		lines = append(lines, line{'-', text})
	}
	for _, text := range new {
		lines = append(lines, line{'+', text})
	}
	return lines
}

func walkBack(old, new []string, trace [][]int) []line {
	var lines []line // in reverse
	x, y := len(old), len(new)
	for d := len(trace) - 1; d > 0; d-- {
		// The state before step d holds diagonals -d..d, of which the outermost two were not reached yet.
		reach := func(k int) int { return trace[d][k+d] }
		k := x - y
		before := k - 1
		if k == -d || k != d && reach(k-1) < reach(k+1) {
			before = k + 1
		}
		px := reach(before)
		py := px - before
		for x > px && y > py {
			x, y = x-1, y-1
			lines = append(lines, line{' ', old[x]})
		}
		if x > px {
			x--
			lines = append(lines, line{'-', old[x]})
		} else {
			y--
			lines = append(lines, line{'+', new[y]})
		}
	}
	for x > 0 {
		x--
		lines = append(lines, line{' ', old[x]})
	}
	slices.Reverse(lines)
	return lines
}

// split cuts a text into lines that keep their line feeds.
func split(s string) []string { return slices.Collect(strings.Lines(s)) }

// quoted writes a name as git does: in double quotes when it has characters that would end or garble it.
func quoted(name string) string {
	if !strings.ContainsAny(name, "\"\\") {
		return name
	}
	return `"` + strings.NewReplacer(`"`, `\"`, `\`, `\\`).Replace(name) + `"`
}

// ended puts a tab behind a plain name with blanks, so that it is not read as a name and a date.
func ended(name string) string {
	if strings.Contains(name, " ") && !strings.HasPrefix(name, `"`) {
		return name + "\t"
	}
	return name
}
