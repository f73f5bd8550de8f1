package contrasts

import (
	"fmt"
	"math"
)

// How a p-value was computed: the wire forms.
const (
	ByMidP          = "mcnemar-mid-p"
	BySignFlip      = "sign-flip-exact" // every sign pattern gone through
	BySignFlipDrawn = "sign-flip-drawn"
)

const (
	alpha         = 0.05
	minDiscordant = 5  // five all one way are the least that mid-p can call: p = 1/32
	fewClusters   = 20 // with fewer, a percentile interval over clusters is too short to decide alone
)

// Result is one contrast: A minus B. Differences, their ends and bounds are unrounded percentage points.
type Result struct {
	Metric   string  `json:"metric"`
	A        string  `json:"a"`
	B        string  `json:"b"`
	Unit     string  `json:"unit"`
	N        int     `json:"n"`        // complete pairs: the main line is over these
	Planned  int     `json:"planned"`  // pairs given
	Clusters int     `json:"clusters"` // resampling units among the complete pairs; n when the unit is the task
	MeanA    float64 `json:"mean_a"`   // percent, complete pairs
	MeanB    float64 `json:"mean_b"`
	Diff     float64 `json:"diff"`
	Lo       float64 `json:"lo"` // 95% interval by Method
	Hi       float64 `json:"hi"`
	Win      int     `json:"win"` // pairs in which A is higher
	Tie      int     `json:"tie"`
	Loss     int     `json:"loss"`
	P        float64 `json:"p"`
	Test     string  `json:"test"`   // what P is: ByMidP, BySignFlip or BySignFlipDrawn
	Method   string  `json:"method"` // what Lo and Hi are, one of the Method constants
	Draws    int     `json:"draws"`  // of interval or test; 0 when neither was drawn
	Seed     uint64  `json:"seed"`   // 0 when nothing was drawn
	Edge     bool    `json:"edge"`   // an end of the exact interval would move with 1e-12 of cumulative probability
	MissingA int     `json:"missing_a"`
	MissingB int     `json:"missing_b"`
	BoundLo  float64 `json:"bound_lo"` // the difference over all planned pairs if every missing verdict went against A
	BoundHi  float64 `json:"bound_hi"` // ... and against B
	Verdict  string  `json:"verdict"`  // of a closed set, see verdict

	PExact      *float64 `json:"p_exact,omitempty"`     // exact McNemar; 0/1 metrics only
	PHolm       *float64 `json:"p_holm,omitempty"`      // set by AdjustFamily; it decides
	PBH         *float64 `json:"p_bh,omitempty"`        // Benjamini and Hochberg's, set by AdjustFamily
	Correlation *float64 `json:"correlation,omitempty"` // Pearson's, of A and B over complete pairs; absent if one is constant
	MDE         *float64 `json:"mde,omitempty"`         // SmallestDetectable at this n and discordance, power 0.8; 0/1 metrics by task
	Margin      float64  `json:"margin,omitempty"`      // Design.Margin
	Stratum     string   `json:"stratum,omitempty"`     // Design.Stratum
	Generator   string   `json:"generator,omitempty"`   // the named generator, when something was drawn

	Also        []Interval      `json:"also,omitempty"`        // the intervals of Design.Also
	Recommended *Recommendation `json:"recommended,omitempty"` // set where the interval shown is known to be too short
	Ratio       *Ratio          `json:"ratio,omitempty"`       // set by ContrastRatio
}

// Discordance is the share of complete pairs in which A and B differ, 0..1.
func (r Result) Discordance() float64 {
	if r.N == 0 {
		return 0
	}
	return float64(r.Win+r.Loss) / float64(r.N)
}

// verdict is one of
//
//	underpowered: fewer than 5 discordant pairs
//	<condition> better        (a ratio: <condition> higher)
//	equivalent within ±<margin>
//	not decided (could be <least> to <most>)
//
// The interval decides, together with the recommended one where the one shown is known to be too short: "better" needs
// that they leave out zero. It also needs bounds on the same side of zero, an adjusted
// p-value of at most 0.05 in a family, and a p-value of at most 0.05 where fewer than 20 clusters are resampled. What
// could be runs over interval and bounds.
func (r Result) verdict() string {
	if r.Win+r.Loss < minDiscordant {
		return fmt.Sprintf("underpowered: fewer than %d discordant pairs", minDiscordant)
	}
	least, most := min(r.Lo, r.BoundLo), max(r.Hi, r.BoundHi)
	if r.Recommended != nil {
		least, most = min(least, r.Recommended.Lo), max(most, r.Recommended.Hi)
	}
	significant := (r.PHolm == nil || *r.PHolm <= alpha) &&
		(r.Unit == UnitTask || r.Clusters >= fewClusters || r.P <= alpha)
	better, say := "better", signed
	if r.Ratio != nil {
		better, say = "higher", multiplier
	}
	switch {
	case least > 0 && significant:
		return r.A + " " + better
	case most < 0 && significant:
		return r.B + " " + better
	case r.Margin > 0 && least >= -r.Margin && most <= r.Margin:
		return fmt.Sprintf("equivalent within ±%g", r.Margin)
	}
	why := "" // where the interval alone would decide
	if least > 0 || most < 0 {
		if why = fmt.Sprintf(", p %.3f", r.P); r.PHolm != nil && *r.PHolm > alpha {
			why = fmt.Sprintf(", Holm p %.3f", *r.PHolm)
		}
	}
	return fmt.Sprintf("not decided (could be %s to %s%s)", say(least), say(most), why)
}

// signed writes points with their sign and one decimal; what rounds to nothing has no sign.
func signed(points float64) string {
	if math.Abs(points) < 0.05 {
		return "0.0"
	}
	return fmt.Sprintf("%+.1f", points)
}
