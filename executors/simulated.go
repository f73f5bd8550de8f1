package executors

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"evlab/evidence"
)

// simulated stands in for a model where there is none. It reads the evidence for the phrases that each of its edits
// needs, and makes the right edit where all were shown, the mistake of someone who has not seen them where not. In any
// round but the last it asks for more while a phrase is missing and its script has something to ask. What it shows is
// the platform at work, not what a model would do; records say that it is simulated.
type simulated struct{}

func (simulated) Propose(ctx context.Context, r Request) (Reply, error) {
	if err := ctx.Err(); err != nil {
		return Reply{}, err
	}
	if err := r.check(); err != nil {
		return Reply{}, fmt.Errorf("simulating a reader: %w", err)
	}
	if r.Input == nil {
		return Reply{}, fmt.Errorf("simulating a reader: %w", ErrNoEdits)
	}
	s, err := parseScript(r.Input)
	if err != nil {
		return Reply{}, fmt.Errorf("simulating a reader: %w: %w", ErrInput, err)
	}
	seen := shownText(r.Evidence)
	ready := make([]bool, len(s.edits)) // per edit: all its phrases were shown
	all := true
	for i, e := range s.edits {
		ready[i] = seen.holds(e.Needs)
		all = all && ready[i]
	}
	if !all && s.ask != nil && r.Round < r.Rounds {
		return reply(r, Reply{Kind: Ask, Ask: *s.ask})
	}
	patch, err := s.patch(ready, r.ReadFile)
	if err != nil {
		return Reply{}, fmt.Errorf("simulating a reader: %w", err)
	}
	if len(patch) == 0 {
		return reply(r, Reply{Kind: Nothing})
	}
	return reply(r, Reply{Kind: Patch, Patch: patch})
}

// reply writes the text that the prompt asks for and counts tokens as for a model.
func reply(r Request, out Reply) (Reply, error) {
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	err := enc.Encode(struct {
		Kind       string `json:"kind"`
		Need       string `json:"need,omitempty"`
		Hypothesis string `json:"hypothesis,omitempty"`
		Subgoal    string `json:"subgoal,omitempty"`
		Patch      string `json:"patch,omitempty"`
	}{out.Kind, out.Ask.Need, out.Ask.Hypothesis, out.Ask.Subgoal, string(out.Patch)})
	if err != nil {
		return Reply{}, fmt.Errorf("writing the reply: %w", err)
	}
	prompt := r.Prompt
	if prompt == "" {
		prompt = Prompt(r.State, r.Evidence, r.Round, r.Rounds)
	}
	out.Text = text.String()
	out.PromptTokens, out.ReplyTokens = evidence.Tokens(prompt), evidence.Tokens(out.Text)
	return out, nil
}

// shown is evidence as the simulated reader reads it: the text of each unit without its header, words joined by
// single spaces. A phrase never runs from one unit into the next.
type shown []string

func shownText(rendered string) shown {
	var units shown
	var words []string
	end := func() {
		if len(words) > 0 {
			units = append(units, strings.Join(words, " "))
		}
		words = nil
	}
	for line := range strings.Lines(rendered) {
		if evidence.IsHeader(line) {
			end()
			continue
		}
		words = append(words, strings.Fields(line)...)
	}
	end()
	return units
}

// holds reports whether every phrase occurs in some unit.
func (s shown) holds(phrases []string) bool {
	for _, phrase := range phrases {
		phrase = strings.Join(strings.Fields(phrase), " ")
		if !slices.ContainsFunc(s, func(unit string) bool { return strings.Contains(unit, phrase) }) {
			return false
		}
	}
	return true
}

// patch is the diff of all edits, files sorted by path; empty when they change nothing.
func (s *script) patch(ready []bool, read func(string) ([]byte, error)) ([]byte, error) {
	if read == nil {
		return nil, errors.New("the request has no way to read files")
	}
	files := map[string][]change{}
	for i, e := range s.edits {
		c := change{place: fmt.Sprintf("edits[%d]", i), before: e.Before, now: e.Before}
		if ready[i] {
			c.now = e.After
		} else if e.Otherwise != "" {
			c.now = e.Otherwise
		}
		files[e.Path] = append(files[e.Path], c)
	}
	var patch []byte
	var errs []error
	for _, path := range slices.Sorted(maps.Keys(files)) {
		base, err := read(path)
		exists := !errors.Is(err, fs.ErrNotExist)
		if errors.Is(err, fs.ErrInvalid) {
			errs = append(errs, fmt.Errorf("%s: %w", files[path][0].place, err))
			continue
		}
		if err != nil && exists {
			return nil, fmt.Errorf("reading %s at the base commit: %w", path, err)
		}
		changed, err := rewrite(path, string(base), exists, files[path])
		if err != nil {
			errs = append(errs, err)
			continue
		}
		patch = appendDiff(patch, path, string(base), changed, exists)
	}
	if len(errs) > 0 {
		return nil, fmt.Errorf("%w: %w", ErrInput, errors.Join(errs...))
	}
	return patch, nil
}
