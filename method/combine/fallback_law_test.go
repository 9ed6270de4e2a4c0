package combine

import (
	"math"
	"math/rand/v2"
	"testing"

	"rths"
	"rths/kit/rthstest"
	"rths/method/compensate"
)

// scripted commands what it is told to, and is at a bound from a tick on.
type scripted struct {
	u     []float64
	k     int
	bound int // tick; below 0: never
}

func (s *scripted) Step(command []float64, _ *rths.Motion, _ *rths.Reading) {
	command[0] = s.u[s.k]
	s.k++
}
func (s *scripted) Freeze(bool)                          {}
func (s *scripted) VisitAdaptation(v *rths.StateVisitor) { v.Floats([]float64{0}) }

func (s *scripted) Pinned() bool { return s.bound >= 0 && s.k >= s.bound }

// someCommand is a command: sines up to some Hz, noise, and something that grows from a tick on.
func someCommand(r *rand.Rand, ticks, from int, rateHz float64) []float64 {
	out := make([]float64, ticks)
	for range 1 + r.IntN(4) {
		a, w, phase := math.Pow(10, -4+2*r.Float64()), 2*math.Pi*(0.1+8*r.Float64()), 7*r.Float64()
		for k := range out {
			out[k] += a * math.Sin(w*float64(k)/rateHz+phase)
		}
	}
	noise, grows := 1e-6*r.Float64()*float64(r.IntN(2)), 20*r.Float64()*float64(r.IntN(2))
	for k := range out {
		out[k] += noise*r.NormFloat64() + 1e-4*grows*math.Expm1(grows*max(float64(k-from)/rateHz, 0))
	}
	return out
}

// clipped is a command within stroke and rate, as the limits clip it.
func clipped(u []float64, stroke, step float64) []float64 {
	out := make([]float64, len(u))
	for k, v := range u {
		v = min(max(v, -stroke), stroke)
		if k > 0 {
			v = out[k-1] + min(max(v-out[k-1], -step), step)
		}
		out[k] = v
	}
	return out
}

func bendAt(u []float64, k int) float64 { return math.Abs(u[k] - 2*u[k-1] + u[k-2]) }

// In a blend the second difference of the command is at most twice the larger of both methods'
// since two seconds before, their commands clipped first, whatever both command, and whenever
// the way back is asked for.
func TestBlendIsSmooth(t *testing.T) {
	const rateHz, ticks = 512, 3000
	worst, longest, blends := 0.0, 0.0, 0
	for seed := range rthstest.Draws(300, 5000) {
		r := rand.New(rand.NewPCG(uint64(seed), 31))
		trip := 20 + r.IntN(ticks/2)
		stroke, speed := math.Pow(10, -3+2*r.Float64()), math.Pow(10, -2+2*r.Float64())
		a, b := someCommand(r, ticks, trip-r.IntN(100), rateHz), someCommand(r, ticks, ticks, rateHz)
		p := Fallback{BlendS: 0.01 + 0.1*r.Float64(), AtBoundsS: 1e-9}
		active := &scripted{u: a, bound: trip}
		c := rthstest.Must(p.Around(active, &scripted{u: b, bound: -1},
			compensate.At{RateHz: rateHz, Stroke: stroke, Rate: speed})).(*fallback)
		ab, bb, sent := clipped(a, stroke, speed/rateHz), clipped(b, stroke, speed/rateHz), make([]float64, ticks)
		target, read := rths.NewMotion(1), rths.NewReading(1, 1)
		back, most, last := trip+1+r.IntN(400), 0.0, 0
		for k := range ticks {
			if k == back {
				active.bound = -1
				c.Return()
			}
			c.Step(sent[k:k+1], &target, &read)
			if !c.blending() && k > 0 { // the limits clip
				sent[k] = clipped([]float64{sent[k-1], sent[k]}, stroke, speed/rateHz)[1]
			}
			if c.j == 1 {
				blends++
				most, last = 0, k
				for i := max(2, k-2*rateHz); i < k; i++ {
					most = max(most, bendAt(ab, i), bendAt(bb, i))
				}
			}
			if c.most == longestBlend*rateHz || last == 0 || k > last+c.most {
				continue // see the limit of the blend
			}
			longest = max(longest, float64(c.most)/rateHz)
			most = max(most, bendAt(ab, k), bendAt(bb, k))
			ratio := bendAt(sent, k) / most
			if worst = max(worst, ratio); !(ratio <= 2*(1+1e-9)) {
				t.Fatalf("seed %d, tick %d of a blend of %d from tick %d: second difference %.4g of the larger: want at most 2",
					seed, k, c.most, last, ratio)
			}
		}
	}
	t.Logf("%d blends, up to %.3g s long: second difference at most %.4g of the larger of both methods'", blends, longest,
		worst)
	if blends < 300 || worst < 1 {
		t.Error("want blends of all sorts, that come near the bound")
	}
}

// A command that swings fast, as at the resonance of an oil column, leaves by no more than two and
// a half amplitudes: its slope of up to ω A dies out within T_v = 8/ω at most.
func TestBlendOfASwingingCommand(t *testing.T) {
	const rateHz, ticks, amplitude = 4096, 6000, 1e-3
	random := rand.New(rand.NewPCG(4, 31))
	worst := 0.0
	for range rthstest.Draws(50, 500) {
		w, trip := 2*math.Pi*(20+100*random.Float64()), 2000+random.IntN(1000)
		a, out := make([]float64, ticks), []float64{0}
		for k := range a {
			a[k] = amplitude * math.Sin(w*float64(k)/rateHz)
		}
		p := Fallback{BlendS: 0.5, AtBoundsS: 1e-9}
		c := rthstest.Must(p.Around(&scripted{u: a, bound: trip}, &scripted{u: make([]float64, ticks), bound: -1},
			compensate.At{RateHz: rateHz}))
		target, read := rths.NewMotion(1), rths.NewReading(1, 1)
		for k := range ticks {
			c.Step(out, &target, &read)
			worst = max(worst, math.Abs(out[0])/amplitude)
			if k == trip+rateHz/2+1 && out[0] != 0 {
				t.Fatalf("%g m is left after blend_s", out[0])
			}
		}
	}
	t.Logf("up to %.2f amplitudes", worst)
	if worst > 2.5 {
		t.Errorf("%.2f amplitudes: want 2.5 at most", worst)
	}
}

// The same with methods of the table on random lags, whose sensor sticks, jumps or is late from
// a random tick on.
func TestBlendOfMethodsIsSmooth(t *testing.T) {
	const rateHz, ticks = 1024, 5000
	kinds, safe := []string{"amb", "ats", "cats", "kf", "adm2", "rodeac", "forward-prediction"},
		[]string{"mbc", "kf-ning2020", "linear-acceleration"}
	worst, blends := 0.0, 0
	for seed := range rthstest.Draws(60, 1000) {
		r := rand.New(rand.NewPCG(uint64(seed), 32))
		at := benchAt(rateHz, 1, 1)
		at.Noise, at.Stroke, at.Rate = 16e-6, 0.01+0.05*r.Float64(), 0.1+r.Float64()
		p := Fallback{BlendS: 0.01 + 0.2*r.Float64(), AtBoundsS: 0.2, ResidualPct: 20, ResidualS: 0.1, StaleS: 0.02}
		c := withFallback(t, kinds[r.IntN(len(kinds))], safe[r.IntN(len(safe))], p, at)
		f, ok := c.(*fallback)
		if !ok {
			f = c.(fallbackWithRates).fallback
		}
		target, read, u := rths.NewMotion(1), rths.NewReading(1, 1), make([]float64, 1)
		from, fault, lag := 1000+r.IntN(2000), r.IntN(3), 0.005+0.02*r.Float64()
		var x, stuck, most float64
		var sent [3]float64
		end := 0
		for k := range ticks {
			rthstest.Sine(&target, k+1, rateHz)
			read.X[0], read.Age = x+16e-6*r.NormFloat64(), 0
			if k == from {
				stuck = x
			}
			switch {
			case k >= from && fault == 0:
				read.X[0] = stuck
			case k >= from && fault == 1:
				read.X[0] += 0.005
			case k >= from && k < from+100:
				read.X[0], read.Age = stuck, k-from+1
			}
			was := f.axes[0]
			f.Step(u, &target, &read)
			x += (u[0] - x) / (1 + lag*rateHz)
			now := f.axes[0]
			sent = [3]float64{now.left[0], sent[0], sent[1]}
			if f.j == 1 {
				blends++
				end, most = k+f.most, max(was.peak[0], was.peak[1])
			}
			for m := range now.method {
				most = max(most, math.Abs(now.method[m][0]-2*was.method[m][0]+was.method[m][1]))
			}
			if end > 0 && k <= end && f.most < longestBlend*rateHz {
				ratio := math.Abs(sent[0]-2*sent[1]+sent[2]) / most
				if worst = max(worst, ratio); !(ratio <= 2*(1+1e-9)) {
					t.Fatalf("seed %d, tick %d: second difference %.4g of the larger: want at most 2", seed, k, ratio)
				}
			}
		}
	}
	t.Logf("%d blends: second difference at most %.4g of the larger of both methods'", blends, worst)
	if blends < 30 {
		t.Errorf("%d blends: want more", blends)
	}
}

// The share of the safe method rises evenly by 3τ² − 2τ³ from 0 to 1, and falls alike on the way back. After the blend
// it is whole.
func TestShareOfTheSafeMethod(t *testing.T) {
	for j := range 13 {
		tau := min(float64(j)/10, 1)
		there, back := &fallback{in: 1, j: j, most: 10}, &fallback{in: 0, j: j, most: 10}
		want := 3*tau*tau - 2*tau*tau*tau
		if a, b := there.shareNow(), back.shareNow(); math.Abs(a-want) > 1e-15 || math.Abs(b-(1-want)) > 1e-15 {
			t.Errorf("tick %d of 10: %g on the way there and %g on the way back: want %g and %g", j, a, b, want, 1-want)
		}
	}
}
