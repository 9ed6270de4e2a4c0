package plant

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"rths"
	"rths/kit/rthstest"
)

// The kit: what every transfer system of the table has to do with every
// specimen of the table.

// subject is a pair of the tables.
type subject struct {
	name    string
	make    func(rateHz float64) (Plant, error)
	limited bool // by force
	linear  bool
	sprung  bool // by a spring to the ground
	full    bool // one of those that hold every row for all of the kit's ticks
}

func (s *subject) fresh() Plant { return rthstest.Must(s.make(rate)) }

// specimens are the specimens of the table, each also with another mass, because most
// have none by default. Beside them are a spring and a damper that is not linear.
func specimens(t *testing.T) map[string]Specimen {
	t.Helper()
	out := map[string]Specimen{
		"soft": &linear{m: 10, c: 1000, k: 1e4}, "spring": &linear{k: 1e5},
		"power-law": rthstest.Must((&ViscousDamper{Damping: 2e3, Exponent: 0.4, LinearBelow: 1e-2, Stiffness: 1e5,
			Mass: 25}).Make()),
	}
	for _, k := range Specimens {
		p := k.Defaults()
		if _, frame := p.(*FrameSpecimen); frame {
			continue // of several coordinates
		}
		out[k.Name] = rthstest.Must(p.Make())
		reflect.ValueOf(p).Elem().FieldByName("Mass").SetFloat(20)
		out[k.Name+" of 20 kg"] = rthstest.Must(p.Make())
	}
	return out
}

// withGains are oneAxis and an inner controller of three gains.
func withGains() []rths.Kind[TransferMaker] {
	return append(oneAxis(), rths.Kind[TransferMaker]{Name: "servo-hydraulic by PID",
		Defaults: func() TransferMaker { p := carrionPID; return &p }})
}

// oneAxis are the transfer systems of one actuator.
func oneAxis() (out []rths.Kind[TransferMaker]) {
	for _, k := range Transfers {
		if a, ok := k.Defaults().(Axial); !ok || a.Axes() == 1 {
			out = append(out, k)
		}
	}
	return out
}

// subjects are the pairs that can be made. The benchmark's transfer system
// wants a mass and refuses to be made without (TestSilvaErrors), the
// servo-hydraulic one a stable pair too (TestServoHydraulicErrors).
func subjects(t *testing.T) (out []*subject) {
	t.Helper()
	for name, s := range specimens(t) {
		for _, k := range withGains() {
			_, dynamic := k.Defaults().(*Silva2020)
			if refused(k.Defaults(), s) {
				continue
			}
			sp, linear := formOf(s)
			switch k.Defaults().(type) {
			case *Hydraulic, *Electric:
				linear = false
			}
			out = append(out, &subject{name: k.Name + " with " + name, linear: linear, full: fully(k.Name, name),
				make: func(rateHz float64) (Plant, error) {
					return k.Defaults().Make(At{RateHz: rateHz, Specimen: s})
				}})
			if dynamic {
				out = append(out, &subject{name: k.Name + " with " + name + " and a limit", limited: true, sprung: sp.k > 0,
					make: func(rateHz float64) (Plant, error) {
						p := k.Defaults().(*Silva2020)
						p.ForceLimit = 300
						return p.Make(At{RateHz: rateHz, Specimen: s})
					}}, &subject{name: k.Name + " that varies with " + name, full: fully(k.Name, name),
					make: func(rateHz float64) (Plant, error) {
						p := drifting
						return p.Make(At{RateHz: rateHz, Specimen: s})
					}})
			}
		}
	}
	slices.SortFunc(out, func(a, b *subject) int { return strings.Compare(a.name, b.name) })
	return out
}

// fully: every transfer system with a linear specimen and with one that has states and a
// return map, every specimen with a transfer system that feels it and with one that does not.
func fully(transfer, specimen string) bool {
	specimen = strings.TrimSuffix(specimen, " of 20 kg")
	return specimen == "silva2020" || specimen == "bilinear" || transfer == "silva2020" || transfer == "first-order"
}

// each runs a test over all subjects.
func each(t *testing.T, test func(t *testing.T, s *subject)) {
	for _, s := range subjects(t) {
		t.Run(s.name, func(t *testing.T) { test(t, s) })
	}
}

func TestTables(t *testing.T) {
	rthstest.Keeps(t, rthstest.Table(Transfers))
	rthstest.Keeps(t, rthstest.Table(Specimens))
	rthstest.Keeps(t, rthstest.Table(Couplers))
	rthstest.Keeps(t, rthstest.Table(Setups))
}

// Every pair keeps what every plant must keep. Pairs of the table's defaults, with every row
// at least twice, keep it for all ticks of the kit.
func TestConformance(t *testing.T) {
	each(t, func(t *testing.T, s *subject) {
		c := rthstest.Plant{Axes: 1, Forces: 1, RateHz: rate, Size: 1e-2, Make: func() rthstest.Stepper { return s.fresh() }}
		if !s.full {
			rthstest.Long(t)
			c.Ticks = rthstest.Draws(100, 400)
		}
		rthstest.Keeps(t, c.Broken())
	})
}

// Plants of several axes keep it too.
func TestConformanceOfSeveralAxes(t *testing.T) {
	seen := 0
	for _, k := range Transfers {
		if a, ok := k.Defaults().(Axial); ok && a.Axes() > 1 {
			c := rthstest.Plant{Axes: a.Axes(), RateHz: 1024, Size: 1e-2,
				Make: func() rthstest.Stepper { return rthstest.Must(k.Defaults().Make(At{RateHz: 1024})) }}
			rthstest.Keeps(t, c.Broken())
			seen++
		}
	}
	if seen == 0 {
		t.Error("no row has several axes")
	}
}

// Specimens of one coordinate are functions of their arguments, whatever holds them.
func TestSpecimensConform(t *testing.T) {
	for _, k := range Specimens {
		if _, frame := k.Defaults().(*FrameSpecimen); frame {
			continue // of several coordinates: a plant has it inside
		}
		t.Run(k.Name, func(t *testing.T) {
			rthstest.Keeps(t, rthstest.Specimen(1e-3, func() rthstest.Rates { return rthstest.Must(k.Defaults().Make()) }))
		})
	}
}

// Couplers of the table, and their linear form.
func TestCouplersConform(t *testing.T) {
	for _, k := range Couplers {
		n, axes := k.Defaults().Axes()
		if n != axes {
			t.Errorf("%s: %d coordinates and %d actuators: want equal numbers", k.Name, n, axes)
		}
		rthstest.Keeps(t, rthstest.Coupler(axes, 2, 0.05, func() rths.Coupler { return rthstest.Must(k.Defaults().Make(rate)) }))
	}
	rthstest.Keeps(t, rthstest.Coupler(2, 3, 0.05,
		func() rths.Coupler {
			return rthstest.Must((&FrameCoupler{Arm: 0.3, Offset: 0.1, Linear: true}).Make(rate))
		}))
}

// The answer to a sum of commands is the sum of the answers.
func TestSuperposition(t *testing.T) {
	each(t, func(t *testing.T, s *subject) {
		if !s.linear {
			t.Skip("not linear")
		}
		u, w := wander(7, 4000, 1e-3), wander(8, 4000, 2e-3)
		both := make([]float64, len(u))
		for k := range both {
			both[k] = 0.7*u[k] - 2*w[k]
		}
		a, b, got := drive(s.fresh(), u), drive(s.fresh(), w), drive(s.fresh(), both)
		for _, c := range []struct {
			name      string
			a, b, got []float64
		}{{"x", a.x, b.x, got.x}, {"v", a.v, b.v, got.v}, {"a", a.a, b.a, got.a}, {"f", a.f, b.f, got.f}} {
			sum := make([]float64, len(u))
			for k := range sum {
				sum[k] = 0.7*c.a[k] - 2*c.b[k]
			}
			if d := apart(sum, c.got); !(d <= 1e-10*peak(c.got)) {
				t.Errorf("%s: %.2g apart, largest %.2g", c.name, d, peak(c.got))
			}
		}
	})
}

// The answer to a pulse dies out, and so the answer to any command of 1 mm is
// bounded by 1 mm times the sum of the pulse's magnitudes.
func TestBoundedOnBoundedCommands(t *testing.T) {
	rthstest.Long(t)
	each(t, func(t *testing.T, s *subject) {
		if !s.linear {
			t.Skip("what is not linear has no pulse response")
		}
		const n = 5 * rate // the slowest pole, −8.0 1/s, leaves e⁻⁴⁰
		pulse := make([]float64, n)
		pulse[0] = 1
		answer := drive(s.fresh(), pulse).x
		left := 1e-12
		if strings.Contains(t.Name(), "frame") {
			left = 1e-4 // it swings on, at −0.33 1/s, and moves the actuator a little
		}
		if strings.Contains(t.Name(), "fractional") {
			left = 1e-6 // its slowest branch has 0.006 1/s
		}
		if tail := peak(answer[n-100:]); !(tail <= left*peak(answer)) {
			t.Errorf("after 5 s the answer to a pulse is %.2g, at its largest %.2g", tail, peak(answer))
		}
		bound := 0.0
		for _, v := range answer {
			bound += 1e-3 * math.Abs(v)
		}
		u, worst := wander(9, rate, 1), make([]float64, n)
		for k := range u {
			u[k] = math.Copysign(1e-3, u[k])
		}
		for k := range worst {
			worst[k] = math.Copysign(1e-3, answer[n-1-k])
		}
		if got := peak(drive(s.fresh(), u).x); !(got <= bound) || got == 0 {
			t.Errorf("±1 mm moves it by %g m: want at most %g", got, bound)
		}
		if got := peak(drive(s.fresh(), worst).x); !(math.Abs(got-bound) <= 1e-9*bound) {
			t.Errorf("the worst command of ±1 mm moves it by %g m: want %g", got, bound)
		}
	})
}

// A plant with a limit answers within what the limited force can do: on a spring
// the largest static displacement and as much again.
func TestLimitedPlantIsBounded(t *testing.T) {
	rthstest.Long(t)
	each(t, func(t *testing.T, s *subject) {
		if !s.limited {
			t.Skip("no limit")
		}
		got := drive(s.fresh(), wander(10, 2*rate, 1e-2))
		if peak(got.f) != 300 {
			t.Errorf("largest force %g N: want the limit, 300 N", peak(got.f))
		}
		if s.sprung && !(peak(got.x) < 0.02) {
			t.Errorf("largest displacement %g m", peak(got.x))
		}
	})
}

// A held plant is exact: under the same held command a clock eight times as
// fast sees the same motion, and in between the differences of the motion are
// its velocity and acceleration. Those of a pure delay are differences by
// definition (TestDelay).
func TestHeldPlantIsExact(t *testing.T) {
	each(t, func(t *testing.T, s *subject) {
		if _, ok := s.fresh().(*delayed); ok || !s.linear {
			t.Skip("not held exactly")
		}
		const n, times = 500, 32
		u := wander(11, n, 1e-3)
		got := drive(s.fresh(), u)
		fine := drive(rthstest.Must(s.make(rate*times)), repeat(u, times))
		h := 1.0 / rate / times
		var same, differences trace
		for k := range n {
			at := (k+1)*times - 1
			same.x, same.v = append(same.x, fine.x[at]), append(same.v, fine.v[at])
			same.a, same.f = append(same.a, fine.a[at]), append(same.f, fine.f[at])
			slope := func(x []float64) float64 { return (3*x[at] - 4*x[at-1] + x[at-2]) / (2 * h) }
			differences.v, differences.a = append(differences.v, slope(fine.x)), append(differences.a, slope(fine.v))
		}
		for _, c := range []struct {
			name      string
			got, want []float64
			tol       float64
		}{
			{"x of a faster clock", got.x, same.x, 1e-10}, {"v of a faster clock", got.v, same.v, 1e-10},
			{"a of a faster clock", got.a, same.a, 1e-10}, {"f of a faster clock", got.f, same.f, 1e-10},
			// h² ω²/3 is 3.4e-6 for the 67 Hz mode
			{"v by differences", got.v, differences.v, 1e-5}, {"a by differences", got.a, differences.a, 1e-5},
		} {
			if d := apart(c.got, c.want); !(d <= c.tol*peak(c.want)) {
				t.Errorf("%s: %.2g apart, largest %.2g", c.name, d, peak(c.want))
			}
		}
	})
}

// Every transfer system says what it cannot be made of.
func TestTransferErrors(t *testing.T) {
	for _, k := range oneAxis() {
		_, err := k.Defaults().Make(At{RateHz: rate})
		rthstest.WantError(t, err, "no specimen: want one")
		for _, hz := range []float64{0, -1, math.NaN(), math.Inf(1)} {
			if _, err := k.Defaults().Make(At{RateHz: hz, Specimen: benchmarkSpecimen()}); err == nil {
				t.Errorf("%s: a rate of %g Hz was accepted", k.Name, hz)
			}
		}
	}
}

// crushable is a specimen that is not linear.
type crushable struct{}

func (crushable) Mass() float64                              { return 1 }
func (crushable) States() int                                { return 1 }
func (crushable) Rate(_, force, _ []float64, m *rths.Motion) { force[0] = m.X[0] * m.X[0] * m.X[0] }

// What the table says of its transfer systems without specimen is the inverse
// of what they do: a ramp c₀ + c₁ t is followed by t once transients are gone.
func TestBareInverseOfTheTable(t *testing.T) {
	for _, k := range oneAxis() {
		c, err := k.Defaults().(Inverter).BareInverse(2)
		if err != nil || len(c) != 2 {
			t.Errorf("%s: %v, %v: want two coefficients", k.Name, c, err)
			continue
		}
		// the benchmark's system without specimen: as good as no stiffness and mass
		p := rthstest.Must(k.Defaults().Make(At{RateHz: rate, Specimen: &linear{m: 1e-3, k: 1}}))
		n, speed := 2*rate, 1.0
		if h, ok := p.(rths.Idealiser); ok { // as long as pressures settle, and as slow as a valve opens little
			h.Idealise(true)
			n, speed = 10*rate, 1e-3
		}
		u := make([]float64, n)
		for i := range u {
			u[i] = speed * (c[0]*(float64(i)+0.5)/rate + c[1]) // the middle of the held sample
		}
		if _, ok := p.(*delayed); ok {
			for i := range u {
				u[i] += c[0] * 0.5 / rate // its held sample is not part of the delay
			}
		}
		got := drive(p, u).x
		rthstest.Near(t, fmt.Sprintf("%s: follower of a ramp", k.Name), got[n-1], speed*float64(n)/rate, 1e-6*speed)
	}
}
