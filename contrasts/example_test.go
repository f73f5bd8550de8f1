package contrasts_test

import (
	"fmt"

	"evlab/contrasts"
)

// The first row of table 25: four tasks won, two lost, seventeen even.
func ExampleContrast() {
	var pairs []contrasts.Pair
	for i := range 23 {
		p := contrasts.Pair{Task: fmt.Sprintf("task-%02d", i), HasA: true, HasB: true}
		switch {
		case i < 4:
			p.A = 1
		case i < 6:
			p.B = 1
		}
		pairs = append(pairs, p)
	}
	r, err := contrasts.Contrast(pairs, contrasts.Design{Metric: "strict", A: "mss-complement", B: "qwen3-rerank", Binary: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%+.2f [%+.2f, %+.2f] W%d L%d T%d p=%.2f (%s)\n", r.Diff, r.Lo, r.Hi, r.Win, r.Loss, r.Tie, r.P, r.Method)
	fmt.Println(r.Verdict)
	fmt.Printf("report %s [%+.1f, %+.1f]: %s\n", r.Recommended.Method, r.Recommended.Lo, r.Recommended.Hi, r.Recommended.Why)
	// Output:
	// +8.70 [-13.04, +30.43] W4 L2 T17 p=0.45 (exact)
	// not decided (could be -14.0 to +30.4)
	// report bonett-price [-14.0, +30.0]: 6 discordant pairs of 23: the percentile interval is too short below 20 discordant pairs or 50 tasks
}

// Is a cohort of 150 tasks worth paying for, if one task in seven comes out differently?
func ExampleSmallestDetectable() {
	points, ok := contrasts.SmallestDetectable(150, 0.15, 0.8)
	fmt.Printf("%.1f points, %t\n", points, ok)
	// Output: 8.6 points, true
}
