package analyse

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"rths/kit/rthstest"
)

// lagged is a second-order lag, ω and ζ, of a motion held at a rate.
func lagged(u []float64, rate, omega, zeta float64) []float64 {
	const steps = 8
	out, x, v, h := make([]float64, len(u)), 0.0, 0.0, 1/rate/steps
	for k := range u {
		out[k] = x
		for range steps {
			v += (omega*omega*(u[k]-x) - 2*zeta*omega*v) * h
			x += v * h
		}
	}
	return out
}

// moving is a test of 16 s, of some mm: a linear or logarithmic chirp or a random motion.
func moving(r *rand.Rand, rate float64) []float64 {
	const n = 4000
	u, kind, from, to := make([]float64, n), r.IntN(3), 0.1+0.3*r.Float64(), 4+6*r.Float64()
	amplitude, low, seconds := 2e-3+8e-3*r.Float64(), [3]float64{}, n/rate
	for k := range u {
		t := float64(k) / rate
		switch kind {
		case 0:
			u[k] = math.Sin(2 * math.Pi * (from*t + (to-from)*t*t/2/seconds))
		case 1:
			slope := math.Log(to/from) / seconds
			u[k] = math.Sin(2 * math.Pi * from * math.Expm1(slope*t) / slope)
		default:
			in := 10 * r.NormFloat64()
			for i := range low {
				low[i] += (1 - math.Exp(-2*math.Pi*2.5/rate)) * (in - low[i])
				in = low[i]
			}
			u[k] = in * math.Sin(math.Pi*t/seconds)
		}
	}
	most := 0.0
	for _, x := range u {
		most = max(most, math.Abs(x))
	}
	for k := range u {
		u[k] *= amplitude / most
	}
	return u
}

// randomFault is a random test with one thing that is not linear, or none, its delay without
// that, ms, and the levels that clip.
func randomFault(r *rand.Rand, kind string) (s *Identify, delayMS, low, high float64) {
	const rate = 250.0
	s = &Identify{RateHz: rate, Command: moving(r, rate)}
	size := max(slices.Max(s.Command), -slices.Min(s.Command))
	omega, zeta := 40+80*r.Float64(), 0.6+0.4*r.Float64()
	low, high = -(0.35+0.5*r.Float64())*size, (0.35+0.5*r.Float64())*size
	if strings.HasSuffix(kind, "one side") {
		low = math.Inf(-1)
	}
	play, lag := (0.1+0.3*r.Float64())*size, func(u []float64) []float64 { return lagged(u, rate, omega, zeta) }
	low, high = low*-slices.Min(s.Command)/size, high*slices.Max(s.Command)/size
	switch what := strings.Split(kind, ",")[0]; what {
	case "motion":
		s.Measured = clipped(lag(s.Command), low, high)
	case "command":
		s.Measured = lag(clipped(s.Command, low, high))
	case "backlash":
		s.Measured = lag(played(s.Command, play))
	case "late-backlash":
		s.Measured = played(lag(s.Command), play)
	default:
		s.Measured = lag(s.Command)
	}
	noise := size * math.Pow(10, -4+2*r.Float64())
	for k := range s.Measured {
		s.Measured[k] += noise * r.NormFloat64()
	}
	return s, 1e3 * (2*zeta/omega + 0.5/rate), low, high
}

// What is not linear in a random test is called by its name, at its levels, and the delay without it is right within a
// tenth.
func TestIdentifyTellsClippingFromBacklash(t *testing.T) {
	r := rand.New(rand.NewPCG(43, 10))
	for i := range rthstest.Draws(1, 2) {
		for _, kind := range []string{"nothing", "motion", "motion, one side", "command", "command, one side", "backlash",
			"late-backlash"} {
			s, delay, low, high := randomFault(r, kind)
			like := []string{"nothing", "motion", "command", "backlash"} // one side does the same, and TestIdentifySaysFaults
			if slices.Contains(like, kind) && rthstest.Draws(0, 1) == 0 {
				continue
			}
			out := identified(t, s)
			c, told, got := out.Clipping, out.DelayMS, "nothing"
			switch b := out.Backlash; {
			case b != nil:
				got, told = "backlash", b.DelayMS
			case c != nil && c.Command:
				got = "command"
			case c != nil:
				got = "motion"
			}
			if !strings.Contains(kind, got) || !(math.Abs(told-delay) < 0.1*delay) {
				t.Errorf("%s %d: %s, delay %.3f ms: want %.3f; %s", kind, i, got, told, delay, strings.Join(out.Notes, "\n"))
			}
			if near := 0.1 * (high - max(low, -high)); c != nil &&
				!(math.Abs(c.High-high) < near && (math.Abs(c.Low-low) < near || c.Low == low)) {
				t.Errorf("%s %d: clipped at %g and %g m: want %g and %g", kind, i, c.Low, c.High, low, high)
			}
		}
	}
}
