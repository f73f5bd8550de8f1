package contrasts_test

import (
	"errors"
	"fmt"
	"math"
	"testing"
	"time"

	"evlab/contrasts"
)

// TestSmallestDetectable has the mid-p figures at 80% power; 0 stands for "no difference can be shown".
func TestSmallestDetectable(t *testing.T) {
	discordances := []float64{0.05, 0.10, 0.15, 0.20, 0.30}
	for n, row := range map[int][]float64{
		50:   {0, 0, 14.0, 16.4, 20.5},
		100:  {0, 8.2, 10.3, 12.1, 15.1},
		150:  {4.7, 6.9, 8.6, 10.1, 12.3},
		200:  {4.1, 6.0, 7.6, 8.7, 10.7},
		300:  {3.4, 5.0, 6.2, 7.1, 8.8},
		500:  {2.7, 3.9, 4.8, 5.6, 6.8},
		1000: {2.0, 2.8, 3.4, 3.9, 4.8},
	} {
		for i, want := range row {
			got, ok := contrasts.SmallestDetectable(n, discordances[i], 0.8)
			if ok != (want > 0) || fmt.Sprintf("%.1f", got) != fmt.Sprintf("%.1f", want) {
				t.Errorf("%d tasks, discordance %v: %.4f points, %t; want %.1f", n, discordances[i], got, ok, want)
			}
		}
	}
}

func TestSmallestDetectableIsInteractive(t *testing.T) {
	start := time.Now()
	for _, n := range []int{50, 100, 200, 500, 1000} {
		contrasts.SmallestDetectable(n, 0.2, 0.8)
	}
	if took := time.Since(start); took > 2*time.Second { // about 5 ms on an idle core
		t.Errorf("five cohort sizes took %v", took)
	}
}

func TestSmallestDetectableRefuses(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		n                  int
		discordance, power float64
	}{{0, 0.1, 0.8}, {-5, 0.1, 0.8}, {100, 0, 0.8}, {100, 1.1, 0.8}, {100, nan, 0.8}, {100, 0.1, 0}, {100, 0.1, 1}, {100, 0.1, nan},
		{1, 1, 0.8}} {
		if points, ok := contrasts.SmallestDetectable(c.n, c.discordance, c.power); ok {
			t.Errorf("%+v: %v points", c, points)
		}
	}
}

func TestSizes(t *testing.T) {
	for _, c := range []struct {
		test        contrasts.PairedTest
		n           int
		discordance float64
		want        string
	}{
		{contrasts.ExactTwoSided, 100, 0.10, "2.2"}, {contrasts.MidP, 100, 0.10, "4.1"},
		{contrasts.ExactTwoSided, 500, 0.15, "3.8"}, {contrasts.MidP, 500, 0.15, "4.9"},
	} {
		size, err := contrasts.Power(c.test, c.n, c.discordance, 0)
		if got := fmt.Sprintf("%.1f", 100*size); err != nil || got != c.want {
			t.Errorf("size of test %d at n=%d, discordance %v: %s%%, %v; want %s%%", c.test, c.n, c.discordance, got, err, c.want)
		}
	}
}

// TestPowerByEnumeration sums over every table of a small cohort, which shares nothing with the windows and tails of Power.
func TestPowerByEnumeration(t *testing.T) {
	factorial := func(n int) float64 { return math.Gamma(float64(n) + 1) }
	for _, n := range []int{1, 6, 15, 24} {
		for _, pd := range []float64{0.2, 0.7, 1} {
			for _, diff := range []float64{-pd, -pd / 3, 0, pd / 2, pd} {
				want := 0.0
				for win := 0; win <= n; win++ {
					for loss := 0; win+loss <= n; loss++ {
						_, p, err := contrasts.McNemar(win, loss)
						if err != nil {
							t.Fatal(err)
						}
						if p <= 0.05 {
							tie := n - win - loss
							ways := factorial(n) / factorial(win) / factorial(loss) / factorial(tie)
							want += ways * math.Pow((pd+diff)/2, float64(win)) *
								math.Pow((pd-diff)/2, float64(loss)) * math.Pow(1-pd, float64(tie))
						}
					}
				}
				if got, err := contrasts.Power(contrasts.MidP, n, pd, diff); err != nil || math.Abs(got-want) > 1e-10 {
					t.Errorf("power at n=%d, discordance %v, difference %v: %v, %v; want %v", n, pd, diff, got, err, want)
				}
			}
		}
	}
}

func TestTasksNeeded(t *testing.T) {
	for _, c := range []struct{ discordance, diff, want float64 }{
		{0.50, 0.40, 23}, // 22.01, a published calculator's example
		{0.10, 0.05, 312}, {0.15, 0.05, 469}, {0.20, 0.05, 626}, {0.30, 0.05, 940},
		{0.10, 0.03, 870}, {0.15, 0.03, 1306}, {0.20, 0.03, 1742}, {0.30, 0.03, 2614}, {0.10, 0.02, 1960},
	} {
		if got, err := contrasts.TasksNeeded(c.discordance, c.diff, 0.8); err != nil || math.Ceil(got) != c.want {
			t.Errorf("discordance %v, difference %v: %v tasks, %v; want %v", c.discordance, c.diff, got, err, c.want)
		}
	}
	if got, _ := contrasts.TasksNeeded(0.5, 0.4, 0.8); fmt.Sprintf("%.2f", got) != "22.01" {
		t.Errorf("unrounded: %v, want 22.01", got)
	}
	for _, bad := range [][3]float64{{0, 0.1, 0.8}, {0.1, 0.2, 0.8}, {0.1, 0, 0.8}, {0.1, 0.05, 1}, {math.NaN(), 0.05, 0.8}} {
		if _, err := contrasts.TasksNeeded(bad[0], bad[1], bad[2]); !errors.Is(err, contrasts.ErrInput) {
			t.Errorf("TasksNeeded(%v): %v, want ErrInput", bad, err)
		}
	}
}

// TestFormulaMeetsPower checks the change of method at 20,000 tasks.
func TestFormulaMeetsPower(t *testing.T) {
	exact, ok1 := contrasts.SmallestDetectable(20_000, 0.2, 0.8)
	formula, ok2 := contrasts.SmallestDetectable(20_001, 0.2, 0.8)
	if !ok1 || !ok2 || math.Abs(exact-formula) > 0.01 {
		t.Errorf("20,000 tasks: %v points, 20,001: %v", exact, formula)
	}
}

func TestPowerRefuses(t *testing.T) {
	for _, c := range []struct {
		test     contrasts.PairedTest
		n        int
		pd, diff float64
	}{{contrasts.MidP, 0, 0.1, 0}, {contrasts.MidP, 20_001, 0.1, 0}, {contrasts.MidP, 10, 0, 0}, {contrasts.MidP, 10, 0.1, 0.2},
		{contrasts.MidP, 10, math.NaN(), 0}, {contrasts.MidP, 10, 0.1, math.NaN()}, {7, 10, 0.1, 0}} {
		if _, err := contrasts.Power(c.test, c.n, c.pd, c.diff); !errors.Is(err, contrasts.ErrInput) {
			t.Errorf("Power(%+v): %v, want ErrInput", c, err)
		}
	}
}
