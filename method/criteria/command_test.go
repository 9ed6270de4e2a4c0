package criteria

import (
	"math"
	"math/rand/v2"
	"testing"

	"rths"
	"rths/kit/rthstest"
)

// A sine of amplitude a: peaks a and aω, and the second difference is the sine times
// −4 sin²(ωh/2), so that the roughness is 4 a sin²(ωh/2)/√2 over whole periods.
func TestCommandOfASine(t *testing.T) {
	const rate, hz, a, periods = 1000.0, 5.0, 0.01, 20
	c := NewCommand(rate, 1, 2, true)
	step := 2 * math.Pi * hz / rate
	f := &rths.Frame{Command: make([]float64, 2), Read: rths.Reading{F: make([]float64, 2)}}
	for k := range int(periods*rate/hz) + 2 {
		f.Command[0], f.Command[1] = 77, a*math.Sin(step*float64(k))
		f.Read.F[1] = -1200 * math.Sin(step*float64(k))
		c.Observe(f)
	}
	f.Err, f.Command[1] = &rths.DivergedError{}, 1e9
	c.Observe(f) // the tick that failed
	values := c.Summary()
	half := math.Sin(step / 2)
	near(t, "roughness, µm", rthstest.Value(t, values, "roughness_2_um"), 1e6*4*a*half*half/math.Sqrt2, 1e-9)
	near(t, "largest command", rthstest.Value(t, values, "command_2_m"), a, 1e-12)
	near(t, "largest rate", rthstest.Value(t, values, "command_rate_2_m_s"), a*rate*math.Sin(step), 1e-12)
	near(t, "largest force", rthstest.Value(t, values, "force_2_N"), 1200, 1e-12)
}

// White noise of standard deviation s has the second difference s √6.
func TestRoughnessOfNoise(t *testing.T) {
	c := NewCommand(1024, 0, 1, false)
	f := &rths.Frame{Command: make([]float64, 1)}
	r := rand.New(rand.NewPCG(7, 0))
	for range 200_000 {
		f.Command[0] = 2e-6 * r.NormFloat64()
		c.Observe(f)
	}
	near(t, "roughness, µm", rthstest.Value(t, c.Summary(), "roughness_um"), 2*math.Sqrt(6), 0.02)
}
