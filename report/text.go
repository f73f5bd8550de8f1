package report

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"text/tabwriter"

	"evlab/artifacts"
)

// maxMissing bounds the list of cells without a verdict in the text; the JSON has all.
const maxMissing = 20

// Text writes the summary as people read it.
func Text(w io.Writer, s *Summary) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "Run %s: %s on cohort %s, sandbox %s\n", s.RunID, s.Experiment, s.Cohort, s.Sandbox)
	fmt.Fprintf(&b, "Cells: %d of %d done (%d taken over), %d infra, %d excluded, %d pending. %s\n\n",
		s.Cells.Done, s.Cells.Planned, s.Cells.Cached, s.Cells.Infra, s.Cells.Excluded, s.Cells.Pending, Wall(s))
	t := tabwriter.NewWriter(&b, 0, 8, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "condition\texecutor\tstrict\tfail-to-pass\tpass-to-pass\ttarget file\tComplete-MSS\tgroup recall\ttokens\tcalls\t")
	for _, c := range s.Conditions {
		name := c.Executor
		if c.Simulated && name != "simulated" {
			name += " (simulated)"
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%d\t%d\t\n", c.Condition, name,
			of(c.Strict, c.Tasks), of(c.FailToPass, c.Tasks), of(c.PassToPass, c.Tasks), of(c.TargetFileHit, c.Tasks),
			mean(c.CompleteMSS), mean(c.GroupRecall), c.Tokens, c.Calls)
	}
	t.Flush()
	if len(s.Contrasts) > 0 {
		fmt.Fprint(&b, "\nPaired differences in percentage points, 95% interval:\n")
		t = tabwriter.NewWriter(&b, 0, 8, 2, ' ', 0)
		executors := map[string]bool{}
		for _, c := range s.Contrasts {
			executors[c.Executor] = true
		}
		for _, c := range s.Contrasts {
			name := fmt.Sprintf("%s - %s", c.A, c.B)
			if len(executors) > 1 {
				name += " (" + c.Executor + ")"
			}
			if c.Problem != "" {
				fmt.Fprintf(t, "  %s\t%s\t%s\n", name, c.Metric, c.Problem)
				continue
			}
			p := "p " + pValue(c.P)
			if c.PHolm != nil {
				p += ", Holm " + pValue(*c.PHolm)
			}
			more := ""
			if r := c.Recommended; r != nil {
				more = fmt.Sprintf("; report [%+.1f, %+.1f] by %s", r.Lo, r.Hi, r.Method)
			}
			if c.MissingA+c.MissingB > 0 {
				more += fmt.Sprintf("; bounds for the missing [%+.1f, %+.1f]", c.BoundLo, c.BoundHi)
			}
			fmt.Fprintf(t, "  %s\t%s\t%+.1f [%+.1f, %+.1f]\tn %d\tW%d L%d T%d\t%s\t%s\t%s%s\n", name, c.Metric, c.Diff, c.Lo, c.Hi, c.N,
				c.Win, c.Loss, c.Tie, p, c.Method, c.Verdict, more)
		}
		t.Flush()
	}
	if s.Simulated {
		fmt.Fprint(&b, "\nThe executor is simulated: a rule that stands in for a model. Its figures say nothing about any model.\n")
	}
	if len(s.Missing) > 0 {
		fmt.Fprintf(&b, "\nWithout a verdict (never counted as failures):\n")
		for i, m := range s.Missing {
			if i == maxMissing {
				fmt.Fprintf(&b, "  ... and %d more, in the JSON summary\n", len(s.Missing)-i)
				break
			}
			class := ""
			if m.Class != "" {
				class = " (" + m.Class + ")"
			}
			fmt.Fprintf(&b, "  %s  %s%s  %s\n", m.Cell, m.Verdict, class, strconv.QuoteToGraphic(m.Reason))
		}
	}
	_, err := w.Write(b.Bytes())
	return err
}

// Write writes the report into the run's folder: summary.json and report.md.
func Write(run *artifacts.Run, s *Summary) error {
	var text bytes.Buffer
	if err := Text(&text, s); err != nil {
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
