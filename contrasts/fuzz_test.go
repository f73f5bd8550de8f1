package contrasts_test

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"math"
	"testing"

	"evlab/contrasts"
)

// FuzzContrast reads pairs out of bytes, bit patterns of floats included: either a refusal or a result that holds together.
func FuzzContrast(f *testing.F) {
	f.Add([]byte{}, "task", true, 100, 0.0)
	f.Add([]byte("\x03a0000000011111111\x03b1111111100000000\x07"), "repository", false, 1000, 5.0)
	f.Add([]byte("\x83a\x83b\x93c\x93d\x83e\x93f\x83g\x93h"), "task", true, 0, 1.0)
	f.Fuzz(func(t *testing.T, data []byte, unit string, binaryMetric bool, draws int, margin float64) {
		if len(data) > 2000 || draws > 5000 {
			return
		}
		var pairs []contrasts.Pair
		for len(data) >= 2 {
			flags, name := data[0], data[1]
			data = data[2:]
			p := contrasts.Pair{Task: string([]byte{name, flags >> 6}), Cluster: string(name % 5), HasA: flags&1 > 0, HasB: flags&2 > 0}
			if flags&0x80 > 0 {
				p.A, p.B = float64(flags>>4&1), float64(flags>>5&1)
			} else if len(data) >= 16 {
				p.A = math.Float64frombits(binary.LittleEndian.Uint64(data))
				p.B = math.Float64frombits(binary.LittleEndian.Uint64(data[8:]))
				data = data[16:]
			}
			pairs = append(pairs, p)
		}
		r, err := contrasts.Contrast(pairs, contrasts.Design{Metric: "m", A: "a", B: "b", Unit: unit, Binary: binaryMetric,
			Draws: draws, Margin: margin})
		if err != nil {
			if !errors.Is(err, contrasts.ErrInput) && !errors.Is(err, contrasts.ErrTooFew) {
				t.Fatalf("unnamed error %v", err)
			}
			return
		}
		if _, err := json.Marshal(r); err != nil {
			t.Fatal(err)
		}
		if r.Win+r.Tie+r.Loss != r.N || r.N > r.Planned || r.Clusters > r.N || r.Verdict == "" || !(r.P > 0 && r.P <= 1) ||
			!(r.Lo <= r.Diff+1e-9) || !(r.Diff <= r.Hi+1e-9) || !(r.BoundLo <= r.BoundHi) || r.Lo < -100-1e-9 || r.Hi > 100+1e-9 {
			t.Fatalf("%+v", r)
		}
	})
}

func FuzzMcNemar(f *testing.F) {
	f.Add(7, 1)
	f.Add(-3, 1<<40)
	f.Fuzz(func(t *testing.T, win, loss int) {
		exact, midP, err := contrasts.McNemar(win, loss)
		if err != nil {
			if !errors.Is(err, contrasts.ErrInput) {
				t.Fatal(err)
			}
			return
		}
		if !(midP > 0 && midP <= exact && exact <= 1) {
			t.Fatalf("%d to %d: exact %v, mid-p %v", win, loss, exact, midP)
		}
		if e, m, _ := contrasts.McNemar(loss, win); e != exact || m != midP {
			t.Fatalf("%d to %d: not symmetric", win, loss)
		}
	})
}

func FuzzSmallestDetectable(f *testing.F) {
	f.Add(150, 0.15, 0.8)
	f.Add(1, 1.0, 0.06)
	f.Fuzz(func(t *testing.T, n int, discordance, power float64) {
		n %= 3000
		points, ok := contrasts.SmallestDetectable(n, discordance, power)
		if !ok {
			return
		}
		if !(points > 0 && points <= 100*discordance) {
			t.Fatalf("%d tasks, discordance %v, power %v: %v points", n, discordance, power, points)
		}
		if got, err := contrasts.Power(contrasts.MidP, n, discordance, min(points/100, discordance)); err != nil || got < power-1e-9 {
			t.Fatalf("%v points have power %v, %v; want %v", points, got, err, power)
		}
	})
}
