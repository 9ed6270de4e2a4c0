package compensate

import (
	"math"
	"math/rand/v2"
	"testing"

	"rths"
	"rths/rthstest"
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
func (s *scripted) Freeze(bool)                              {}
func (s *scripted) AppendAdaptation(dst []float64) []float64 { return append(dst, 0) }
func (s *scripted) SetAdaptation(src []float64) []float64    { return src[1:] }
func (s *scripted) Pinned() bool                             { return s.bound >= 0 && s.k >= s.bound }

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
		c := rthstest.Must(p.Around(active, &scripted{u: b, bound: -1}, At{RateHz: rateHz, Stroke: stroke, Rate: speed})).(*fallback)
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
				t.Fatalf("seed %d, tick %d of a blend of %d from tick %d: second difference %.4g of the larger: want at most 2", seed, k, c.most, last, ratio)
			}
		}
	}
	t.Logf("%d blends, up to %.3g s long: second difference at most %.4g of the larger of both methods'", blends, longest, worst)
	if blends < 300 || worst < 1 {
		t.Error("want blends of all sorts, that come near the bound")
	}
}
