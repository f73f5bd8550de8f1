package testlog

// OfLines reports whether a grammar reads text line by line, so that the ends of lines are none of its matters.
func (g Grammar) OfLines() bool {
	_, lines := g.new(newBuilder(g.Name, g.Mode)).(*textReading)
	return lines
}

// Bound lowers the bounds of a report until the test ends.
func Bound(t interface{ Cleanup(func()) }, tests, names int) {
	wasTests, wasNames := maxTests, maxNames
	maxTests, maxNames = tests, names
	t.Cleanup(func() { maxTests, maxNames = wasTests, wasNames })
}
