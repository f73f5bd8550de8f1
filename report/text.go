package report

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strconv"

	"evlab/artifacts"
	"evlab/terminal"
)

// maxMissing bounds the list of cells without a verdict in the text; the JSON has all.
const maxMissing = 20

// Text writes the summary as people read it, on lines of at most width columns where its tables and words allow; a width of 0
// leaves them whole.
func Text(w io.Writer, s *Summary, width int) error {
	var b bytes.Buffer
	say := func(format string, args ...any) {
		text := fmt.Sprintf(format, args...)
		if width > 0 {
			text = terminal.Reflow(text, width)
		}
		b.WriteString(text)
	}
	say("Run %s: %s on cohort %s, sandbox %s\n", s.RunID, s.Experiment, s.Cohort, s.Sandbox)
	say("Cells: %d of %d done (%d taken over), %d infra, %d excluded, %d pending. %s\n\n",
		s.Cells.Done, s.Cells.Planned, s.Cells.Cached, s.Cells.Infra, s.Cells.Excluded, s.Cells.Pending, Wall(s))
	if err := s.conditionTable().Write(&b, width, terminal.Style{}); err != nil {
		return err
	}
	if len(s.Contrasts) > 0 {
		say("\nPaired differences in percentage points, 95%% interval:\n\n")
		if err := s.contrastTable().Write(&b, width, terminal.Style{}); err != nil {
			return err
		}
		for _, c := range s.Contrasts {
			if c.Problem != "" {
				say("\n%s, %s: %s\n", s.contrastName(c), c.Metric, c.Problem)
			}
		}
	}
	if s.Simulated {
		say("\nThe executor is simulated: a rule that stands in for a model. Its figures say nothing about any model.\n")
	}
	if len(s.Missing) > 0 {
		say("\nWithout a verdict (never counted as failures):\n")
		for i, m := range s.Missing {
			if i == maxMissing {
				say("  ... and %d more, in the JSON summary\n", len(s.Missing)-i)
				break
			}
			class := ""
			if m.Class != "" {
				class = " (" + m.Class + ")"
			}
			say("  %s  %s%s  %s\n", m.Cell, m.Verdict, class, strconv.QuoteToGraphic(m.Reason))
		}
	}
	_, err := w.Write(b.Bytes())
	return err
}

func (s *Summary) conditionTable() *terminal.Table {
	t := terminal.NewTable("condition", "executor", ">strict", ">fail-to-pass", ">pass-to-pass", ">target file", ">Complete-MSS", ">group recall", ">tokens", ">calls")
	for _, c := range s.Conditions {
		name := c.Executor
		if c.Simulated && name != "simulated" {
			name += " (simulated)"
		}
		t.Row(c.Condition, name, of(c.Strict, c.Tasks), of(c.FailToPass, c.Tasks), of(c.PassToPass, c.Tasks), of(c.TargetFileHit, c.Tasks),
			mean(c.CompleteMSS), mean(c.GroupRecall), tokens(c.Tokens), strconv.Itoa(c.Calls))
	}
	return t
}

// tokens is the number of tokens; none are those of an executor that counts none, such as replay.
func tokens(n int) string {
	if n == 0 {
		return "-"
	}
	return strconv.Itoa(n)
}

// contrastTable has the contrasts that could be computed.
func (s *Summary) contrastTable() *terminal.Table {
	t := terminal.NewTable("contrast", "metric", "difference", "n", "wins, losses, ties", "p", "method", "reading")
	for _, c := range s.Contrasts {
		if c.Problem != "" {
			continue
		}
		p := pValue(c.P)
		if c.PHolm != nil {
			p += ", Holm " + pValue(*c.PHolm)
		}
		reading := c.Verdict
		if r := c.Recommended; r != nil {
			reading += fmt.Sprintf("; report [%+.1f, %+.1f] by %s", r.Lo, r.Hi, r.Method)
		}
		if c.MissingA+c.MissingB > 0 {
			reading += fmt.Sprintf("; bounds for the missing [%+.1f, %+.1f]", c.BoundLo, c.BoundHi)
		}
		t.Row(s.contrastName(c), c.Metric, fmt.Sprintf("%+.1f [%+.1f, %+.1f]", c.Diff, c.Lo, c.Hi), strconv.Itoa(c.N),
			fmt.Sprintf("W%d L%d T%d", c.Win, c.Loss, c.Tie), p, c.Method, reading)
	}
	return t
}

// contrastName names the executor, too, where the contrasts are of several.
func (s *Summary) contrastName(c Contrast) string {
	name := c.A + " - " + c.B
	if slices.ContainsFunc(s.Contrasts, func(other Contrast) bool { return other.Executor != c.Executor }) {
		name += " (" + c.Executor + ")"
	}
	return name
}

// Write writes the report into the run's folder: summary.json and report.md.
func Write(run *artifacts.Run, s *Summary) error {
	var text bytes.Buffer
	if err := Text(&text, s, 0); err != nil {
		return err
	}
	md := fmt.Sprintf("# %s\n\n```\n%s```\n", s.RunID, text.String())
	if err := artifacts.WriteFile(run.Report("report.md"), []byte(md)); err != nil {
		return err
	}
	return artifacts.WriteJSON(run.Report("summary.json"), s)
}

func of(k float64, n int) string {
	if n == 0 {
		return "-"
	}
	return strconv.FormatFloat(k, 'f', -1, 64) + "/" + strconv.Itoa(n)
}

// pValue is never 0: no test of so many pairs can say that.
func pValue(p float64) string {
	if p < 0.001 {
		return "<0.001"
	}
	return strconv.FormatFloat(p, 'f', 3, 64)
}

func mean(v *float64) string {
	if v == nil {
		return "-"
	}
	return strconv.FormatFloat(*v, 'f', 2, 64)
}

// Wall is the sentence about a run's time. That of a run with pauses in it says how much of it was work.
func Wall(s *Summary) string {
	if s.Processes < 2 || s.ActiveS <= 0 {
		return "Wall time " + seconds(s.WallS) + "."
	}
	if s.WallS-s.ActiveS < 1 { // one process followed another at once, and the last was at work after the last verdict
		return fmt.Sprintf("Wall time %s, in %d processes.", seconds(s.WallS), s.Processes)
	}
	return fmt.Sprintf("Wall time %s, pauses included: %s at work, in %d processes.", seconds(s.WallS), seconds(s.ActiveS), s.Processes)
}

func seconds(s float64) string {
	switch n := int(s); {
	case n < 90:
		return fmt.Sprintf("%.0f s", s)
	case n < 3600:
		return fmt.Sprintf("%dm%02ds", n/60, n%60)
	default:
		return fmt.Sprintf("%dh%02dm", n/3600, n/60%60)
	}
}
