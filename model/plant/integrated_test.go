package plant

import (
	"fmt"
	"math"
	"testing"

	"rths"
	"rths/kit/rthstest"
)

// hurried wants so many sub-steps of a sample at a rate, and hides that it is
// linear.
type hurried struct {
	Specimen
	steps  int
	rateHz float64
}

func (h hurried) Steepest() (k, c, rate float64) {
	return 0, 0, (float64(h.steps) - 0.5) * fastest * h.rateHz
}

// A linear specimen on the integrated path moves as on the exact path, and comes nearer to it
// with the fourth power of the sub-step: downstream of a stiff transfer system, with a delay
// that splits the sample, and where its force acts back.
func TestIntegratedConvergesToTheExactPath(t *testing.T) {
	const hz = 512
	u := wander(80, 400, 1e-3)
	brisk := map[string]Specimen{
		"maxwell":           rthstest.Must((&Maxwell{Stiffness: 1e6, Damping: 800, Exponent: 1, Mass: 20}).Make()),
		"tuned-mass-damper": rthstest.Must((&TunedMassDamper{DamperMass: 1, Damping: 300, Stiffness: 3e5, Mass: 20}).Make()),
		"frame": rthstest.Must((&Frame{Masses: []float64{1, 2}, Stiffnesses: []float64{3e5, 2e5},
			DampingRatio: 0.1, Mass: 20}).Make()),
		"silva2020": benchmarkSpecimen(),
	}
	for name, s := range brisk {
		for _, p := range []TransferMaker{&SecondOrder{Omega: 50, DampingRatio: 0.8, Gain: 1},
			&FirstOrder{TauMs: 10, Gain: 1}, &GivenTF{Num: []float64{2500}, Den: []float64{1, 80, 2500}, DelayMs: 4.3},
			&silvaCode} {
			_, acts := p.(*Silva2020)
			want := drive(rthstest.Must(p.Make(At{RateHz: hz, Specimen: s})), u)
			var errs []float64
			for _, steps := range []int{8, 16, 32} {
				got := drive(rthstest.Must(p.Make(At{RateHz: hz, Specimen: hurried{s, steps, hz}})), u)
				if !acts && apart(got.x, want.x) > 1e-11*peak(want.x) {
					t.Fatalf("%T with %s: the motion of a stiff system rests on the integration", p, name)
				}
				errs = append(errs, apart(got.f, want.f)/peak(want.f))
			}
			what := fmt.Sprintf("%T with %s: errors %.2g", p, name, errs)
			if s.States() == 0 && !acts {
				if errs[0] > 1e-11 {
					t.Errorf("%s: want none, there is nothing to integrate", what)
				}
				continue
			}
			// 13 to 19: the shares of a split sample are rounded up
			for i := range 2 {
				if r := errs[i] / errs[i+1]; !(r > 11 && r < 22) {
					t.Errorf("%s: ratio %.3g: want about 16", what, r)
				}
			}
			if !(errs[2] < 1e-4) {
				t.Errorf("%s: want less than 1e-4", what)
			}
		}
	}
}

// With the sub-steps it chooses by itself the integrated path is good to 1e-6.
func TestSubStepsAreEnough(t *testing.T) {
	u := wander(81, 2000, 1e-3)
	for name, s := range specimens(t) {
		if _, ok := formOf(s); !ok {
			continue
		}
		for _, k := range withGains() {
			if refused(k.Defaults(), s) {
				continue
			}
			want := drive(rthstest.Must(k.Defaults().Make(At{RateHz: rate, Specimen: s})), u)
			same(t, k.Name+" with "+name, drive(rthstest.Must(k.Defaults().Make(At{RateHz: rate, Specimen: hidden{s}})), u),
				want, 1e-6)
		}
	}
}

// refined is a specimen with more sub-steps.
type refined struct {
	Specimen
	rate float64
}

func (r refined) Steepest() (k, c, rate float64) { return 0, 0, r.rate }

// Commit is there for specimens without return map too.
func (r refined) Commit(z []float64, m *rths.Motion) {
	if c, ok := r.Specimen.(Committed); ok {
		c.Commit(z, m)
	}
}

// Specimens that are not linear: with the sub-steps chosen the force is within so
// much of that with 64. The corners of friction lie inside sub-steps.
func TestSubStepsOfWhatIsNotLinear(t *testing.T) {
	u := wander(82, 1000, 5e-4)
	for name, tol := range map[string]float64{"power-law": 1e-8, "friction of 20 kg": 5e-5} {
		s := specimens(t)[name]
		for _, k := range oneAxis() {
			switch k.Defaults().(type) {
			case *Hydraulic, *Electric:
				continue // their steps are chosen by their error
			}
			got := drive(rthstest.Must(k.Defaults().Make(At{RateHz: rate, Specimen: s})), u)
			want := drive(rthstest.Must(k.Defaults().Make(At{RateHz: rate, Specimen: refined{s, 63.5 * fastest * rate}})), u)
			if d := apart(got.f, want.f); !(d <= tol*peak(want.f)) {
				t.Errorf("%s with %s: force %.2g N apart, largest %.2g N", k.Name, name, d, peak(want.f))
			}
		}
	}
}

// The force limit agrees with the plant held in slices (TestLimitIsItsEquations).
// The corner at the limit lies inside a sub-step, and costs 0.14 µm of 14 mm; with
// sub-steps as fine as the slices the two agree as well as they do with their
// equations.
func TestLimitOfTheIntegratedPath(t *testing.T) {
	p := silvaCode
	p.ForceLimit = 8900
	u := swept(0.014, 3)
	want := drive(limited(rate), u)
	for _, c := range []struct {
		s      Specimen
		dx, df float64
	}{{hidden{benchmarkSpecimen()}, 3e-7, 0.6}, {hurried{benchmarkSpecimen(), 64, rate}, 1e-8, 0.03}} {
		got := drive(rthstest.Must(p.Make(At{RateHz: rate, Specimen: c.s})), u)
		if peak(got.f) != 8900 || !(apart(got.x, want.x) <= c.dx) || !(apart(got.f, want.f) <= c.df) {
			t.Errorf("%T: largest force %g N, %.2g m and %.2g N from the slices", c.s, peak(got.f), apart(got.x, want.x),
				apart(got.f, want.f))
		}
	}
	plant := rthstest.Must(p.Make(At{RateHz: rate, Specimen: hidden{benchmarkSpecimen()}}))
	plant.(rths.Idealiser).Idealise(true)
	same(t, "idealised", drive(plant, u), drive(free(), u), 1e-6)
}

// Too stiff to integrate is an error that says what would do.
func TestTooManySubSteps(t *testing.T) {
	stiff := rthstest.Must((&Friction{Coefficient: 0.1, NormalForce: 1e4, StickStiffness: 1e18, Mass: 20}).Make())
	_, err := (&silvaCode).Make(At{RateHz: rate, Specimen: stiff})
	rthstest.WantError(t, err,
		"the specimen's fastest rate 2.24e+08 1/s needs 2.73e+05 sub-steps of a sample of 0.000244 s: want at most 2000")
	for _, k := range oneAxis() {
		_, err := k.Defaults().Make(At{RateHz: rate, Specimen: hurried{&linear{m: 1, k: 1}, 3000, rate}})
		rthstest.WantError(t, err, "needs 3e+03 sub-steps")
	}
	for _, k := range oneAxis() {
		for _, hz := range []float64{0, -1, math.NaN(), math.Inf(1)} {
			if _, err := k.Defaults().Make(At{RateHz: hz, Specimen: hidden{benchmarkSpecimen()}}); err == nil {
				t.Errorf("%s: a rate of %g Hz was accepted", k.Name, hz)
			}
		}
	}
}
