package judge

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"rths/kit/rthstest"
	"rths/model/structure"
	"rths/result/record"
)

// Whatever a record holds, it is answered in words or numbers: the live page asks at rest, after a test.
func TestAddedDampingOfAnyRecord(t *testing.T) {
	one, k, c := frame(t, 3, 1.5, 0.3)
	two := rthstest.Must(one.Whole.Between([]int{0, 1}, []structure.Share{{Along: []float64{1, 0, 0}, C: c, K: k}}))
	many, _, _ := frame(t, 15, 1.5, 0.3)
	odd := []float64{0, math.NaN(), math.Inf(1), math.Inf(-1), 1e308, -1e308, 1e-320, 1}
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.SampledFrom([]*structure.Partition{one, two, many}).Draw(t, "partition")
		n := rapid.SampledFrom([]int{0, 1, 2, 5, 103, 900}).Draw(t, "samples")
		test := &Test{RateHz: rapid.SampledFrom([]float64{1e-3, 10, 100, 1e5}).Draw(t, "rate")}
		r := rand.New(rand.NewPCG(1, rapid.Uint64().Draw(t, "seed")))
		signal := func(name string) record.Signal {
			out, hz, size := make([]float64, n), rapid.Float64Range(0, 0.5).Draw(t, name), rapid.SampledFrom(odd).Draw(t, name)
			for i := range out {
				out[i] = math.Sin(2 * math.Pi * hz * float64(i))
				if r.IntN(9) == 0 {
					out[i] *= size
				}
			}
			return record.SignalOf(out)
		}
		for range p.Interface {
			test.Axes = append(test.Axes, Axis{Target: signal("target"), Measured: signal("measured"), Force: signal("force")})
		}
		test.Ground = signal("ground")
		if d := test.AddedDamping(p); d.Sentence() == "" || d.CannotTell == "" && !(d.AddedSE >= 0) {
			t.Fatalf("%+v: want numbers, or why there are none", d)
		}
		if s := test.Swing(); s.Sentence() == "" || s.CannotTell == "" && !(s.RatioSE >= 0) {
			t.Fatalf("%+v: want numbers, or why there are none", s)
		}
	})
}
