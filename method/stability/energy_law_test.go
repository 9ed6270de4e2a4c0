package stability

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rths"
	"rths/kit/rthstest"
	"rths/model/structure"
)

// A tape is a random motion, with the forces and actions that belong to it, tick by tick.
type tape struct {
	p                  *structure.Partition
	x, v, w, f, fm, xm [][]float64
}

// randomTape is a tape of n degrees of freedom with two actions, of which the interface
// coordinates are the given ones, every second of them turned round.
func randomTape(r *rand.Rand, n, ticks int, diagonalMass bool, interfaces []int) *tape {
	list := func(n int) []float64 {
		out := make([]float64, n)
		for i := range out {
			out[i] = r.NormFloat64()
		}
		return out
	}
	symmetric := func() *mat.Dense {
		a := mat.NewDense(n, n, list(n*n))
		var out mat.Dense
		out.Mul(a, a.T())
		return &out
	}
	t := &tape{p: &structure.Partition{M: symmetric(), C: symmetric(), K: symmetric(), Load: mat.NewDense(n, 2, list(2*n)),
		Interface: interfaces}}
	if diagonalMass {
		for i := range n {
			for j := range n {
				if i != j {
					t.p.M.Set(i, j, 0)
				}
			}
		}
	}
	for i := range interfaces {
		t.p.Sign = append(t.p.Sign, float64(1-2*(i%2)))
	}
	for range ticks {
		t.x, t.v, t.w = append(t.x, list(n)), append(t.v, list(n)), append(t.w, list(2))
		t.f, t.fm, t.xm = append(t.f, list(len(interfaces))), append(t.fm, list(len(interfaces))),
			append(t.xm, list(len(interfaces)))
	}
	return t
}

// play has an Energies observe the tape, every tick of it shown `every` ticks apart with
// nonsense between, and a failed tick of nonsense before each. look sees each.
func (t *tape) play(test *testing.T, c Config, look func(k int, e *Energies)) {
	test.Helper()
	e, err := NewEnergies(t.p, c)
	if err != nil {
		test.Fatal(err)
	}
	num := rths.NewMotion(t.p.N())
	f := &rths.Frame{Ground: make([]float64, 6), Num: &num, Force: make([]float64, len(t.p.Interface)),
		InterfaceRead: rths.NewReading(len(t.p.Interface), len(t.p.Interface))}
	show := func(k int, nonsense float64) {
		for _, pair := range [][2][]float64{{num.X, t.x[k]}, {num.V, t.v[k]}, {f.Ground, t.w[k]}, {f.Force, t.f[k]},
			{f.InterfaceRead.F, t.fm[k]}, {f.InterfaceRead.X, t.xm[k]}} {
			for i, v := range pair[1] {
				pair[0][i] = v + nonsense
			}
		}
		f.T = float64(f.K) / c.RateHz
		e.Observe(f)
	}
	for k := range t.x {
		f.Err = fmt.Errorf("a tick that failed")
		show(k, 7)
		f.Err = nil
		show(k, 0)
		look(k, e)
		for f.K++; c.Every > 1 && f.K%c.Every != 0; f.K++ {
			show(k, 9)
		}
	}
}

// law is the energies as the comment of Energies defines them, by matrices.
type law struct {
	kinetic, dissipated, strain, input, feedback float64
	moved, apparent, work                        float64
	specimen, errors                             float64 // W_S, W_e as error_work.go defines them
}

func form(x []float64, a mat.Matrix, y []float64) float64 {
	return mat.Inner(mat.NewVecDense(len(x), x), a, mat.NewVecDense(len(y), y))
}

func minus(a, b []float64) []float64 {
	out := make([]float64, len(a))
	for i := range a {
		out[i] = a[i] - b[i]
	}
	return out
}

func scaled(s float64, a []float64) []float64 {
	out := make([]float64, len(a))
	for i := range a {
		out[i] = s * a[i]
	}
	return out
}

func plus(a, b []float64) []float64 { return minus(a, scaled(-1, b)) }

// laws are the energies of the tape after each tick.
func (t *tape) laws(c Config) []law {
	p, h := t.p, 1/c.RateHz
	lagging, twoRates := c.Lambda > 0, c.Held && c.Every > 0
	var out []law
	var e law
	dx, dxm := scaled(0, t.x[0]), scaled(0, t.xm[0]) // x[k] − x[k−1] of the tick before
	for k := range t.x {
		x, v := t.x[k], t.v[k]
		if k == 0 {
			if lagging {
				dx = scaled(h, v)
			}
			for i, d := range p.Interface {
				e.feedback -= t.f[0][i] * p.Sign[i] * x[d] / 2
				e.work -= t.fm[0][i] * t.xm[0][i] / 2
				e.specimen += t.fm[0][i] * t.xm[0][i] / 2
				e.errors += (t.fm[0][i]*t.xm[0][i] - t.f[0][i]*p.Sign[i]*x[d]) / 2
			}
		} else {
			change, changeM := minus(x, t.x[k-1]), minus(t.xm[k], t.xm[k-1])
			path, pathM := change, changeM
			w, f, fm := scaled(0.5, plus(t.w[k], t.w[k-1])), scaled(0.5, plus(t.f[k], t.f[k-1])),
				scaled(0.5, plus(t.fm[k], t.fm[k-1]))
			switch {
			case lagging:
				if math.IsInf(c.Lambda, 1) {
					v = scaled(1/h, change)
				}
				path, pathM = scaled(0.5, plus(change, dx)), scaled(0.5, plus(changeM, dxm))
				w, f, fm = t.w[k-1], t.f[k-1], t.fm[k-1]
				e.dissipated += form(path, p.C, path) / h
			case c.Held:
				f = t.f[k-1]
			}
			if twoRates {
				w = t.w[k-1]
			}
			if !lagging {
				e.dissipated += form(scaled(0.5, plus(v, t.v[k-1])), p.C, path)
				e.apparent += form(scaled(0.5/h, plus(change, dx)), p.C, path)
			}
			e.input -= form(path, p.Load, w)
			for i, d := range p.Interface {
				e.feedback -= f[i] * p.Sign[i] * path[d]
				e.work -= fm[i] * pathM[i]
				numerical := p.Sign[i] * path[d]
				e.specimen += fm[i] * pathM[i]
				e.errors += fm[i]*(pathM[i]-numerical) + (fm[i]-f[i])*numerical
			}
			e.moved = form(change, p.M, change) / (2 * h * h)
			dx, dxm = change, changeM
		}
		e.kinetic = form(v, p.M, v) / 2
		e.strain = form(x, p.K, x) / 2
		if lagging {
			e.strain = form(x, p.K, minus(x, dx))/2 + form(dx, p.K, dx)/(2*c.Lambda)
		}
		if k == 0 {
			e.input = e.kinetic + e.strain - e.feedback
		} else if lagging {
			e.moved, e.apparent = e.kinetic, e.dissipated
		}
		out = append(out, e)
	}
	return out
}

// configs are an integrator of each sort.
var configs = map[string]Config{
	"trapezoids":                     {RateHz: 50},
	"trapezoids, two rates":          {RateHz: 50, Every: 4},
	"held":                           {RateHz: 50, Held: true},
	"held, two rates":                {RateHz: 50, Held: true, Every: 4},
	"held, two rates that are one":   {RateHz: 50, Held: true, Every: 1},
	"lagging, λ = 4":                 {RateHz: 50, Lambda: 4},
	"lagging, λ = 5":                 {RateHz: 50, Lambda: 5},
	"lagging, λ = 0.7":               {RateHz: 50, Lambda: 0.7},
	"lagging, λ = 11.5":              {RateHz: 50, Lambda: 11.5},
	"lagging, two rates":             {RateHz: 50, Lambda: 11.5, Every: 3},
	"central differences":            {RateHz: 50, Lambda: math.Inf(1)},
	"central differences, two rates": {RateHz: 50, Lambda: math.Inf(1), Every: 2},
}

// every plays random tapes of 1 to 5 degrees of freedom, with mass matrices that are
// diagonal and others, to every sort of integrator.
func every(t *testing.T, visit func(what string, tape *tape, c Config)) {
	for name, c := range configs {
		for n, interfaces := range map[int][]int{1: {0}, 2: {1}, 3: {2, 0}, 4: {1, 3}, 5: {4, 0, 2}} {
			for _, diagonalMass := range []bool{true, false} {
				c.SW, c.EEI = 0.5, 2
				r := rand.New(rand.NewPCG(uint64(n), 11))
				visit(fmt.Sprintf("%s, %d degrees of freedom, diagonal mass: %v", name, n, diagonalMass),
					randomTape(r, n, 30, diagonalMass, interfaces), c)
			}
		}
	}
}

func close12(got, want float64) bool { return math.Abs(got-want) <= 1e-10*(1+math.Abs(want)) }

// Whatever the motion, the energies, the residual and the indicators follow the
// equations (5.13, 5.17, 7.19, and the half-step energies of the lagging velocity),
// written in matrices here. Failed ticks and those between main steps count for nothing.
func TestEnergiesAreTheirDefinitions(t *testing.T) {
	every(t, func(what string, tape *tape, c Config) {
		laws := tape.laws(c)
		tape.play(t, c, func(k int, e *Energies) {
			l := laws[k]
			sw, of := 0.0, l.input+c.EEI
			if l.feedback > 0 {
				sw = 100 * l.feedback / (l.dissipated + c.SW)
			}
			for _, q := range []struct {
				name      string
				got, want float64
			}{
				{"E_k", e.kinetic, l.kinetic}, {"E_d", e.dissipated, l.dissipated}, {"E_s", e.strain, l.strain},
				{"W_I", e.input, l.input}, {"W_F", e.feedback, l.feedback}, {"W_exp", e.work, l.work},
				{"E_k*", e.moved, l.moved}, {"E_d*", e.apparent, l.apparent},
				{"residual", e.residual, l.input + l.feedback - l.kinetic - l.dissipated - l.strain},
				{"SW", e.sw, sw}, {"W_S", e.errors.specimen, l.specimen}, {"W_e", e.errors.work, l.errors},
			} {
				if !close12(q.got, q.want) {
					t.Fatalf("%s: tick %d: %s is %g: want %g", what, k, q.name, q.got, q.want)
				}
			}
			if pole := of <= 0; pole != (e.pole == 1) || !pole && e.pole != 0 {
				t.Fatalf("%s: tick %d: pole %g where W_I + C is %g", what, k, e.pole, of)
			}
			if want := 100 * (l.input - (l.moved + l.apparent + l.strain - l.work)) / of; of > 0 &&
				!(math.Abs(e.eei-want) <= 1e-9*(math.Abs(want)+100*math.Abs(l.input)/of)) {
				t.Fatalf("%s: tick %d: EEI is %g: want %g", what, k, e.eei, want)
			}
		})
	})
}

// The summary is the largest of what the channels showed, EEI of what they showed before its
// first pole, and the times are the first ones.
func TestSummaryIsTheLargestShown(t *testing.T) {
	crossed, poles := 0, 0
	every(t, func(what string, tape *tape, c Config) {
		sw, eei, input, residual, at100, atPole := 0.0, 0.0, 0.0, 0.0, math.NaN(), math.NaN()
		share, recent := 0.0, 0.0
		var last *Energies
		tape.play(t, c, func(k int, e *Energies) {
			at := float64(k*max(1, c.Every)) / c.RateHz
			sw, input, residual = max(sw, e.sw), max(input, math.Abs(e.input)), max(residual, math.Abs(e.residual))
			share, recent = max(share, e.errors.share), max(recent, e.errors.recent)
			if math.IsNaN(at100) && e.sw >= 100 {
				at100 = at
			}
			if math.IsNaN(atPole) {
				eei = max(eei, math.Abs(e.eei))
				if e.pole == 1 {
					atPole = at
				}
			}
			last = e
		})
		for name, want := range map[string]float64{
			"sw_max_pct": sw, "sw_cross_s": at100, "sw_end_pct": last.sw, "eei_max_pct": eei, "eei_pole_s": atPole,
			"error_work_max_pct": share, "error_work_2s_max_pct": recent, "input_work_max_J": input,
			"energy_residual_pct": 100 * residual / input,
		} {
			if got := summary(last, name); got != want && !(math.IsNaN(got) && math.IsNaN(want)) {
				t.Errorf("%s: %s is %g: want %g", what, name, got, want)
			}
		}
		if at100 > 0 {
			crossed++
		}
		if atPole > 0 {
			poles++
		}
	})
	if crossed == 0 || poles == 0 {
		t.Errorf("%d runs in which SW reaches 100 %% after the start, %d with a pole: the test wants both", crossed, poles)
	}
}

// At exactly 100 % SW has crossed; of no work at all there is neither SW nor a residual
// to relate to anything.
func TestSummaryOfNothingAndOfJust100(t *testing.T) {
	e, f := one(t, false)
	e.Observe(f)
	if sw, r := summary(e, "sw_max_pct"), summary(e, "energy_residual_pct"); sw != 0 || !math.IsNaN(r) || e.pole != 0 ||
		e.eei != 0 {
		t.Errorf("SW %g, residual %g, pole %g, EEI %g of rest: want 0, none, 0, 0", sw, r, e.pole, e.eei)
	}
	if !math.IsNaN(summary(e, "sw_cross_s")) || !math.IsNaN(summary(e, "eei_pole_s")) {
		t.Error("rest has a crossing or a pole")
	}
	e.feedback = e.cSW
	e.indicate(3)
	e.indicate(4)
	if sw, at := summary(e, "sw_max_pct"), summary(e, "sw_cross_s"); sw != 100 || at != 3 {
		t.Errorf("SW %g at %g s: want 100 at 3", sw, at)
	}
	e.input = -e.cEEI
	e.indicate(5)
	if at := summary(e, "eei_pole_s"); e.pole != 1 || at != 5 || summary(e, "input_work_max_J") != 1 {
		t.Errorf("pole %g at %g s, work %g J: want 1 at 5 and 1 J", e.pole, at, summary(e, "input_work_max_J"))
	}
}

// The rates of change of SW and of E_k + E_s of a ramp of slope a come up to a with
// the time constant of 0.1 s: after n steps they are a (1 − (1 − h/0.1)ⁿ).
func TestRatesOfARamp(t *testing.T) {
	e, _ := one(t, false)
	for n := 1; n <= 400; n++ {
		e.feedback, e.kinetic, e.strain = 0.02*float64(n), 3*float64(n), -float64(n)
		e.indicate(0)
		up := 1 - math.Pow(1-1e-3/0.1, float64(n))
		rthstest.Near(t, "rate of SW", e.swRate, 2e3*up, 1e-8)
		rthstest.Near(t, "mechanical power", e.power, 2e3*up, 1e-8)
	}
}

// Where only the force comes back, its displacement is the numerical part's in interface
// coordinates: W_exp is then the trapezoid of W_F.
func TestWorkOfAForceWithoutDisplacement(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	tape := randomTape(r, 3, 20, true, []int{2, 0})
	c := Config{RateHz: 50, SW: 1, EEI: 1}
	e, err := NewEnergies(tape.p, c)
	if err != nil {
		t.Fatal(err)
	}
	num := rths.NewMotion(3)
	for k := range tape.x {
		copy(num.X, tape.x[k])
		e.Observe(&rths.Frame{K: k, Ground: make([]float64, 6), Num: &num, Force: tape.f[k],
			InterfaceRead: rths.Reading{F: tape.f[k]}})
	}
	rthstest.Near(t, "W_exp", e.work, e.feedback, 1e-12)
}

// Each channel is the quantity its name says.
func TestChannelsOfEnergies(t *testing.T) {
	e, _ := one(t, false)
	e.kinetic, e.dissipated, e.strain, e.input, e.feedback, e.residual = 1, 2, 3, 4, 5, 6
	e.sw, e.swRate, e.eei, e.pole, e.power = 7, 8, 9, 10, 11
	e.errors = errorWork{specimen: 12, work: 13, share: 14, recent: 15}
	want := map[string]float64{
		"kinetic_J": 1, "dissipated_J": 2, "strain_J": 3, "input_work_J": 4, "feedback_work_J": 5, "energy_residual_J": 6,
		"sw_pct": 7, "sw_rate_pct_s": 8, "eei_pct": 9, "eei_pole": 10, "mechanical_power_W": 11,
		"specimen_work_J": 12, "error_work_J": 13, "error_work_pct": 14, "error_work_2s_pct": 15,
	}
	for _, c := range e.Channels() {
		if *c.V != want[c.Name] {
			t.Errorf("channel %s shows %g: want %g", c.Name, *c.V, want[c.Name])
		}
		delete(want, c.Name)
	}
	if len(want) > 0 {
		t.Errorf("no channels of %v", want)
	}
}

// W_I of an undamped oscillator under a constant action w is −L w x, and x = −(L w/k)(1 − cos ωt):
// the largest is 2 (L w)²/k, at the far end of the swing.
func TestLargestInputWorkOfAStep(t *testing.T) {
	const m, k, l, w, samples = 2.0, 50.0, 3.0, 0.7, 4000
	ref := &swing{omega: math.Sqrt(k / m), centre: []float64{-l * w / k}, h: 1e-3}
	wave := make([]float64, 2*samples+1)
	for i := range wave {
		wave[i] = w
	}
	got := LargestInputWork(ref, mat.NewDense(1, 1, []float64{l}), mat.NewDense(1, 1, []float64{k}), wave, samples)
	rthstest.Near(t, "largest W_I", got, 2*l*l*w*w/k, 1e-5)
	if ref.steps != samples {
		t.Errorf("%d steps of the reference: want %d", ref.steps, samples)
	}
}

// Two actions at two floors: the work of each is added, the action is taken of the same
// instant as the motion.
func TestLargestInputWorkIsTheTrapezoid(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	tape := randomTape(r, 2, 25, true, []int{0})
	wave := make([]float64, 2*(2*len(tape.x)+1))
	for k, w := range tape.w {
		copy(wave[4*k:], w)
		wave[4*k+2], wave[4*k+3] = 1e3, 1e3 // between the instants
	}
	work := form(tape.x[0], tape.p.K, tape.x[0]) / 2
	want := math.Abs(work)
	for k := 1; k < len(tape.x); k++ {
		work -= form(minus(tape.x[k], tape.x[k-1]), tape.p.Load, scaled(0.5, plus(tape.w[k], tape.w[k-1])))
		want = max(want, math.Abs(work))
	}
	got := LargestInputWork(&shown{x: tape.x}, tape.p.Load, tape.p.K, wave, len(tape.x))
	rthstest.Near(t, "largest |W_I|", got, want, 1e-10)
	// Without actions there is only what the run starts with.
	got = LargestInputWork(&shown{x: tape.x}, tape.p.Load, tape.p.K, nil, len(tape.x))
	rthstest.Near(t, "|W_I| without actions", got, form(tape.x[0], tape.p.K, tape.x[0])/2, 1e-12)
}

// swing is centre (1 − cos ωt).
type swing struct {
	omega, h float64
	centre   []float64
	steps    int
	now      rths.Motion
}

func (s *swing) Step([]float64) { s.steps++ }

func (s *swing) State() *rths.Motion {
	s.now.X = scaled(1-math.Cos(s.omega*s.h*float64(s.steps-1)), s.centre)
	return &s.now
}

// shown shows a list of displacements.
type shown struct {
	x    [][]float64
	k    int
	seen rths.Motion
}

func (s *shown) Step([]float64) { s.k++ }

func (s *shown) State() *rths.Motion {
	s.seen.X = s.x[s.k-1]
	return &s.seen
}
