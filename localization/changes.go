package localization

import (
	"slices"

	"evlab/localization/outline"
)

// changes reports whether something changes in a definition; of a type, in what belongs to no function and no type inside
// it, for a type is as large as all its members. A member that comes or goes as a whole changes the type itself.
func (s *side) changes(d outline.Definition, other *side) bool {
	if !s.inside(d.Start, d.End) {
		return false
	}
	if d.Kind != outline.Type {
		return true
	}
	// begins[i] is how many members begin in line d.Start+i, less those that ended before it; joins likewise for the gap
	// after that line, which a member has on both sides only from its first line to the one before its last.
	begins, joins := make([]int, d.End-d.Start+2), make([]int, d.End-d.Start+2)
	for _, x := range s.defs {
		if x.Kind != outline.Value && !s.alone(x, other) && x.Start >= d.Start && x.End <= d.End && len(x.Name) > len(d.Name) && slices.Equal(x.Name[:len(d.Name)], d.Name) {
			begins[x.Start-d.Start]++
			begins[x.End-d.Start+1]--
			joins[x.Start-d.Start]++
			joins[x.End-d.Start]--
		}
	}
	for i := 1; i < len(begins); i++ {
		begins[i] += begins[i-1]
		joins[i] += joins[i-1]
	}
	for _, span := range s.spans {
		for line := max(span.First, d.Start); line <= min(span.Last, d.End); line++ {
			if begins[line-d.Start] == 0 {
				return true
			}
		}
	}
	return slices.ContainsFunc(s.gaps, func(l int) bool { return l >= d.Start && l < d.End && joins[l-d.Start] == 0 })
}

// alone reports whether a definition is on this side of the change only.
func (s *side) alone(d outline.Definition, other *side) bool {
	return slices.ContainsFunc(s.spans, func(span Span) bool { return span.First <= d.Start && span.Last >= d.End }) &&
		!slices.ContainsFunc(other.defs, func(x outline.Definition) bool { return slices.Equal(x.Name, d.Name) })
}

// severalFunctions reports whether lines take in two whole functions or more, not counting those inside another.
func (s *side) severalFunctions(lines Span) bool {
	whole, end := 0, 0
	for _, d := range s.defs { // in the order of their first lines
		if d.Kind == outline.Function && d.Start > end && d.Start >= lines.First && d.End <= lines.Last {
			whole++
			end = d.End
		}
	}
	return whole > 1
}
