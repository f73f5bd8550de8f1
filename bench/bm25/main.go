// Command bm25 measures evlab's BM25 index against bleve, a general search library, on the same 100,000 synthetic
// units in the same run: time to build, and time to answer the leading 20 for short and for issue-long queries.
//
// The decision that shapes it: both are given the same terms. bleve's analyzer calls retrieval.Terms, so the two
// indexes hold the same vocabulary and the same postings, and score a term by the same formula. How far their answers
// agree is printed too: not wholly, because bleve also multiplies a score by the share of the query's terms found.
//
// It is a module of its own, so that evlab's does not depend on its peer. What may not be here: anything that evlab
// itself uses. To run it (some ninety seconds of processor time):
//
//	cd bench/bm25 && go run . [-units 100000] [-queries 100] [-seed 1]
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"text/tabwriter"
	"time"

	"evlab/evidence"
	"evlab/retrieval"
)

// top is the number of units asked for.
const top = 20

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "bm25:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("bm25", flag.ContinueOnError)
	flags.SetOutput(stderr)
	n := flags.Int("units", 100_000, "units in the corpus")
	queries := flags.Int("queries", 100, "short queries; a fifth as many long ones are asked")
	seed := flags.Uint64("seed", 1, "seed of corpus and queries")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *n < 1 || *queries < 5 {
		return fmt.Errorf("-units %d -queries %d: at least one unit and five queries are needed", *n, *queries)
	}
	g := newGenerator(*seed)
	units := g.units(*n)
	loads := []load{
		{"8 terms", g.queries(units, *queries, 8, 8)},
		{"60-200 terms", g.queries(units, *queries/5, 60, 200)},
	}
	fmt.Fprintf(stdout, "%d units, %d tokens, seed %d, k %d, k1 %v, b %v, %s %s/%s, %d processors\n",
		len(units), tokens(units), *seed, top, k1, b, runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.GOMAXPROCS(0))

	start := time.Now()
	ours := retrieval.NewBM25(units, k1, b)
	oursBuilt := time.Since(start)
	peer, peerBuilt, err := buildBleve(ctx, units)
	if err != nil {
		return fmt.Errorf("building bleve's index: %w", err)
	}
	defer peer.Close()
	runtime.GC()

	w := tabwriter.NewWriter(stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "\tevlab\tp95\tbleve\tp95\tbleve/evlab\tagreement\t\n")
	fmt.Fprintf(w, "build\t%s\t\t%s\t\t%.1f\t\t\n", show(oursBuilt), show(peerBuilt), ratio(peerBuilt, oursBuilt))
	for _, l := range loads {
		o, p, agreement, err := l.measure(ctx, ours, peer)
		if err != nil {
			return fmt.Errorf("asking %s: %w", l.name, err)
		}
		fmt.Fprintf(w, "query, %s (median of %d)\t%s\t%s\t%s\t%s\t%.1f\t%.1f%%\t\n", l.name, len(l.queries),
			show(quantile(o, 0.5)), show(quantile(o, 0.95)), show(quantile(p, 0.5)), show(quantile(p, 0.95)),
			ratio(quantile(p, 0.5), quantile(o, 0.5)), 100*agreement)
	}
	return w.Flush()
}

// load is a kind of query.
type load struct {
	name    string
	queries []string
}

// measure asks both indexes every query in turn and returns the times taken and the mean share of the leading units
// that both name. Each query is asked once before it is timed, so that both sides are timed warm.
func (l load) measure(ctx context.Context, ours *retrieval.BM25, peer *bleveIndex) (o, p []time.Duration, agreement float64, err error) {
	for _, q := range l.queries {
		ours.Rank(q, top)
		start := time.Now()
		hits := ours.Rank(q, top)
		o = append(o, time.Since(start))

		if _, err := peer.rank(ctx, q, top); err != nil {
			return nil, nil, 0, err
		}
		start = time.Now()
		ids, err := peer.rank(ctx, q, top)
		if err != nil {
			return nil, nil, 0, err
		}
		p = append(p, time.Since(start))

		same := 0
		for _, h := range hits {
			if slices.Contains(ids, h.ID) {
				same++
			}
		}
		agreement += float64(same) / float64(max(1, len(hits))) / float64(len(l.queries))
	}
	return o, p, agreement, nil
}

func tokens(units []evidence.Unit) int {
	n := 0
	for _, u := range units {
		n += u.Tokens
	}
	return n
}

func quantile(d []time.Duration, q float64) time.Duration {
	sorted := slices.Sorted(slices.Values(d))
	return sorted[min(int(q*float64(len(sorted))), len(sorted)-1)]
}

func ratio(a, b time.Duration) float64 { return float64(a) / float64(b) }

func show(d time.Duration) string {
	if d >= time.Second {
		return fmt.Sprintf("%.2fs", d.Seconds())
	}
	return fmt.Sprintf("%.3fms", float64(d.Microseconds())/1000)
}
