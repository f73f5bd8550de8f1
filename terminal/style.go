package terminal

// Style adds colour to words, or nothing. The zero value adds nothing. Colour never says anything alone: it stands on a
// glyph or a word that says the same. Blue and orange-like yellow, not red against green, tell outcomes apart.
type Style struct{ colour bool }

// NewStyle is a style with or without colour.
func NewStyle(colour bool) Style { return Style{colour} }

func (s Style) wrap(code, text string) string {
	if !s.colour || text == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

// Good marks what went well.
func (s Style) Good(text string) string { return s.wrap("34", text) }

// Warn marks what deserves a look.
func (s Style) Warn(text string) string { return s.wrap("33", text) }

// Bad marks what failed.
func (s Style) Bad(text string) string { return s.wrap("1;31", text) }

// Strong marks a title.
func (s Style) Strong(text string) string { return s.wrap("1", text) }

// Faint marks what can be skipped.
func (s Style) Faint(text string) string { return s.wrap("2", text) }
