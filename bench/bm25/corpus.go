package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"evlab/evidence"
)

const (
	vocabulary   = 40_000  // words
	names        = 150_000 // identifiers, of one to three words each
	zipfExponent = 1.05
	unitsPerFile = 12
	topicNames   = 30   // identifiers that a file's units share
	topicShare   = 0.45 // share of identifiers drawn from them
)

// generator makes code-like text: camelCase identifiers from a Zipf vocabulary, or from those that the units of one
// file share. One seed gives one corpus. Its numbers of terms, of distinct terms per unit and of tokens per unit are
// near those of Go's own source tree under evlab's segmentation.
type generator struct {
	r         *rand.Rand
	wordRank  *rand.Zipf
	nameRank  *rand.Zipf
	words     []string
	names     []string
	receivers []string
}

func newGenerator(seed uint64) *generator {
	r := rand.New(rand.NewPCG(seed, 0x9e3779b97f4a7c15))
	g := &generator{
		r: r, wordRank: rand.NewZipf(r, zipfExponent, 4, vocabulary-1), nameRank: rand.NewZipf(r, zipfExponent, 4, names-1),
		receivers: []string{"a", "b", "c", "ctx", "fmt", "m", "r", "s", "t", "x"},
	}
	onsets := []string{"b", "c", "d", "f", "g", "h", "k", "l", "m", "n", "p", "r", "s", "t", "v", "st", "tr", "ch"}
	vowels := []string{"a", "e", "i", "o", "u", "ea", "ou"}
	seen := map[string]bool{}
	for len(g.words) < vocabulary {
		var b strings.Builder
		for range 1 + r.IntN(2) + len(g.words)/15_000 {
			b.WriteString(onsets[r.IntN(len(onsets))])
			b.WriteString(vowels[r.IntN(len(vowels))])
			b.WriteString(onsets[r.IntN(14)])
		}
		if w := b.String(); !seen[w] {
			seen[w] = true
			g.words = append(g.words, w)
		}
	}
	for len(g.names) < names {
		var b strings.Builder
		for i := range 1 + r.IntN(3) {
			w := g.word()
			if i > 0 {
				w = strings.ToUpper(w[:1]) + w[1:]
			}
			b.WriteString(w)
		}
		g.names = append(g.names, b.String())
	}
	return g
}

func (g *generator) word() string { return g.words[g.wordRank.Uint64()] }

func (g *generator) units(n int) []evidence.Unit {
	units := make([]evidence.Unit, n)
	var topic []string
	for i := range units {
		if i%unitsPerFile == 0 {
			topic = topic[:0]
			for range topicNames {
				topic = append(topic, g.names[g.r.IntN(names)])
			}
		}
		text := g.text(topic)
		units[i] = evidence.Unit{ID: fmt.Sprintf("unit-%06d", i), Text: text, Tokens: evidence.Tokens(text)}
	}
	return units
}

// text is a function of 3 to 100 lines, half of them below 8.
func (g *generator) text(topic []string) string {
	var b strings.Builder
	lines := min(1+int(math.Exp(g.r.NormFloat64()*0.8+1.6)), 98)
	fmt.Fprintf(&b, "func %s(%s %s) error {\n", g.name(topic), g.receiver(), g.name(topic))
	for range lines {
		fmt.Fprintf(&b, "\t%s := %s.%s(%s)\n", g.name(topic), g.receiver(), g.name(topic), g.name(topic))
	}
	b.WriteString("}\n")
	return b.String()
}

func (g *generator) receiver() string { return g.receivers[g.r.IntN(len(g.receivers))] }

func (g *generator) name(topic []string) string {
	if g.r.Float64() < topicShare {
		return topic[g.r.IntN(len(topic))]
	}
	return g.names[g.nameRank.Uint64()]
}

// queries are n texts of least to most words each: about half of them from one unit, as an issue names what it is
// about, the others from the vocabulary, as prose does.
func (g *generator) queries(units []evidence.Unit, n, least, most int) []string {
	queries := make([]string, n)
	for i := range queries {
		about := strings.FieldsFunc(units[g.r.IntN(len(units))].Text, func(r rune) bool { return strings.ContainsRune(" \t\n(){}:=.", r) })
		var words []string
		for range least + g.r.IntN(most-least+1) {
			if g.r.IntN(2) == 0 {
				words = append(words, about[g.r.IntN(len(about))])
			} else {
				words = append(words, g.word())
			}
		}
		queries[i] = strings.Join(words, " ")
	}
	return queries
}
