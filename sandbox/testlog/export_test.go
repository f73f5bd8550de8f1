package testlog

// OfLines reports whether a grammar reads text line by line, so that the ends of lines are none of its matters.
func (g Grammar) OfLines() bool {
	_, lines := g.new(newBuilder(g.Name, g.Mode)).(*textReading)
	return lines
}
