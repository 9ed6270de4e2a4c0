package stability

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rths"
	"rths/model/integrate"
	"rths/model/structure"
)

// spring is a specimen that follows its command after some samples: f = k x.
type spring struct {
	k    float64
	past []float64
	at   int
}

func (s *spring) Read(r *rths.Reading) error {
	r.X[0] = s.past[s.at]
	r.F[0] = s.k * r.X[0]
	return nil
}

func (s *spring) Write(u []float64) error {
	s.past[s.at] = u[0]
	s.at = (s.at + 1) % len(s.past)
	return nil
}

type follow struct{}

func (follow) Step(u []float64, t *rths.Motion, _ *rths.Reading) { copy(u, t.X) }

// run runs a shear building of n storeys with a late spring of a fifth of the
// first storey's stiffness, on smooth ground motions and a force history.
func run(t *testing.T, kind string, n, delay int, observers func(p *structure.Partition, c Config) []rths.Observer) {
	t.Helper()
	runTimed(t, kind, n, delay, rths.Timing{}, observers)
}

// runTimed is the same with another timing.
func runTimed(t *testing.T, kind string, n, delay int, timing rths.Timing,
	observers func(p *structure.Partition, c Config) []rths.Observer) {
	t.Helper()
	runYielding(t, kind, n, delay, timing, nil, observers)
}

// runYielding is the same with storeys that yield.
func runYielding(t *testing.T, kind string, n, delay int, timing rths.Timing, yielding []structure.YieldingStorey,
	observers func(p *structure.Partition, c Config) []rths.Observer, list ...structure.Device) {
	t.Helper()
	const rate, samples = 2048, 8192
	masses, stiffnesses := slices.Repeat([]float64{1000}, n), slices.Repeat([]float64{1e6}, n)
	maker := &structure.Shear{Masses: masses, Stiffnesses: stiffnesses, Yielding: yielding}
	maker.Damping.ModalRatio = []float64{0.03}
	whole, err := maker.Make()
	if err != nil {
		t.Fatal(err)
	}
	influence := slices.Repeat([]float64{0.5}, n)
	if err := whole.Shake(influence); err != nil {
		t.Fatal(err)
	}
	if err := whole.Push(n - 1); err != nil {
		t.Fatal(err)
	}
	if whole, err = whole.Fit(list); err != nil {
		t.Fatal(err)
	}
	p, err := whole.Divide(0, 0, 0, 2e5)
	if err != nil {
		t.Fatal(err)
	}
	row, err := rths.Find(integrate.Kinds, kind)
	if err != nil {
		t.Fatal(err)
	}
	params := row.Defaults()
	in, err := params.Make(p, 1.0/rate)
	if err != nil {
		t.Fatal(err)
	}
	c := Config{RateHz: rate, SW: 1, EEI: 1}
	_, c.Held = params.(integrate.Holder)
	if l, ok := params.(integrate.Lagger); ok {
		c.Lambda = l.FamilyLambda()
	}
	wave := make([]float64, 3*(2*samples+1))
	for j := range 2*samples + 1 {
		at := float64(j) / (2 * rate)
		up := 1 - math.Exp(-at*at)
		wave[3*j], wave[3*j+1], wave[3*j+2] = up*math.Sin(7*at), 0.5*up*math.Sin(11*at), 300*up*math.Sin(5*at)
	}
	rig := &spring{k: 2e5, past: make([]float64, delay)}
	l, err := rths.NewLoop(rths.Config{
		RateHz: rate, Samples: samples, Timing: timing, Ground: wave, Components: 3, Histories: 1, Axes: 1, Forces: 1,
		Integrator: in, Compensator: follow{}, Rig: rig, Observers: observers(p, c),
	})
	if err != nil {
		t.Fatal(err)
	}
	for !l.Done() {
		if err := l.Step(); err != nil {
			t.Fatal(err)
		}
	}
}

func summary(s rths.Summarizer, name string) float64 {
	for _, v := range s.Summary() {
		if v.Name == name {
			return v.V
		}
	}
	return math.NaN()
}

// balanced is how far the energies of an integrator balance, in % of the input work: to rounding, of RK4 and of KR-α,
// which have no exact balance between samples, by the error of a trapezoid of the step.
func balanced(integrator string) float64 {
	if slices.Contains([]string{"rk4", "kr-alpha", "mkr-alpha"}, integrator) {
		return 1e-3
	}
	return 1e-9
}

// Eq. 5.13 holds for every integrator, with several ground components, a force
// history and a late specimen, for one, three and five degrees of freedom: as far as balanced says.
func TestEnergiesBalance(t *testing.T) {
	for _, kind := range integrate.Kinds {
		for _, n := range []int{1, 3, 5} {
			var e *Energies
			run(t, kind.Name, n, 3, func(p *structure.Partition, c Config) []rths.Observer {
				var err error
				if e, err = NewEnergies(p, c); err != nil {
					t.Fatal(err)
				}
				return []rths.Observer{e}
			})
			got := summary(e, "energy_residual_pct")
			t.Logf("%s, %d floors: residual %.2g %% of %.3g J", kind.Name, n, got, summary(e, "input_work_max_J"))
			limit := balanced(kind.Name)
			if !(got < limit) || !(e.feedback > 0) {
				t.Errorf("%s, %d floors: residual %.3g %% of the input work, feedback work %g J: want less than %g %%", kind.Name,
					n, got, e.feedback, limit)
			}
		}
	}
}

// one is an Energies of a single mass with constants of 1 J, and a frame for it.
func one(t *testing.T, held bool) (*Energies, *rths.Frame) {
	t.Helper()
	p := &structure.Partition{M: mat.NewDense(1, 1, []float64{2}), C: mat.NewDense(1, 1, []float64{3}),
		K: mat.NewDense(1, 1, []float64{5}), Load: mat.NewDense(1, 1, []float64{7}), Interface: []int{0}}
	e, err := NewEnergies(p, Config{RateHz: 1000, Held: held, SW: 1, EEI: 1})
	if err != nil {
		t.Fatal(err)
	}
	num := rths.NewMotion(1)
	f := &rths.Frame{Ground: make([]float64, 3), Num: &num, Force: make([]float64, 1),
		InterfaceRead: rths.NewReading(1, 1)}
	return e, f
}

// Closed forms of x = A (1 − cos ωt) over whole periods: E_d = π c ω A² each, a
// force −b ẋ feeds π b ω A², and SW is their ratio with C_SW (5.17).
func TestEnergiesOfASine(t *testing.T) {
	const amp, w, b = 0.5, 2 * math.Pi, 1.0
	e, f := one(t, false)
	for k := range 3001 {
		s, c := math.Sincos(w * float64(k) / 1000)
		f.K, f.T = k, float64(k)/1000
		f.Num.X[0], f.Num.V[0] = amp*(1-c), amp*w*s
		f.Force[0] = -b * f.Num.V[0]
		f.InterfaceRead.F[0], f.InterfaceRead.X[0] = f.Force[0], f.Num.X[0]
		e.Observe(f)
		if ek, es := amp*amp*w*w*s*s, 2.5*amp*amp*(1-c)*(1-c); math.Abs(e.kinetic-ek) > 1e-12 ||
			math.Abs(e.strain-es) > 1e-12 {
			t.Fatalf("tick %d: E_k %g, E_s %g: want %g, %g", k, e.kinetic, e.strain, ek, es)
		}
	}
	ed, wf := 3*math.Pi*3*w*amp*amp, 3*math.Pi*b*w*amp*amp
	near := func(what string, got, want float64) {
		if math.Abs(got-want) > 2e-5*math.Abs(want) { // (ωh)²/3 of the difference quotients
			t.Errorf("%s is %g: want %g", what, got, want)
		}
	}
	near("E_d", e.dissipated, ed)
	near("W_F", e.feedback, wf)
	near("SW", e.sw, 100*wf/(ed+1))
	near("E_d*", e.apparent, ed)
	near("W_exp", e.work, wf)
	near("EEI", e.eei, 100*(0-(0+ed+0-wf)))
}

// SW is 0 while the specimen takes energy (the Heaviside function of 5.17).
func TestSWIsZeroWhileTheSpecimenTakesEnergy(t *testing.T) {
	e, f := one(t, true)
	for k := range 100 {
		f.Num.X[0], f.Num.V[0], f.Force[0] = float64(k), 1, 10
		e.Observe(f)
	}
	if e.sw != 0 || e.feedback != -990 {
		t.Errorf("SW %g, W_F %g: want 0 and -990", e.sw, e.feedback)
	}
}

// Where the structure gives the input work back, EEI has a pole: it is flagged,
// EEI keeps a number, and the largest is that before the first pole.
func TestEEIPole(t *testing.T) {
	e, f := one(t, true)
	flagged := false
	before := 0.0
	for k := range 40 {
		f.K, f.T = k, float64(k)
		f.Num.X[0], f.Ground[0] = float64(k)*0.01, 1 // W_I = −7·0.01 per step
		e.Observe(f)
		if e.eei-e.eei != 0 {
			t.Fatalf("tick %d: EEI is %g", k, e.eei)
		}
		if e.pole == 0 && flagged {
			t.Fatalf("tick %d: the pole is not flagged any more", k)
		}
		if flagged = e.pole == 1; !flagged {
			before = max(before, math.Abs(e.eei))
		}
	}
	if !flagged || summary(e, "eei_pole_s") != 15 || summary(e, "eei_max_pct") != before { // 7·0.15 > 1
		t.Errorf("pole at %g s, largest EEI %g %%: want 15 s and %g", summary(e, "eei_pole_s"), summary(e, "eei_max_pct"),
			before)
	}
}

// Any number of degrees of freedom: the path written out for three gives what
// the loops give, and those what matrices do.
func TestThreeFloorsWrittenOut(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	list := func(n int) []float64 {
		out := make([]float64, n)
		for i := range out {
			out[i] = r.NormFloat64()
		}
		return out
	}
	symmetric := func() []float64 {
		s := list(9)
		s[3], s[6], s[7] = s[1], s[2], s[5]
		return s
	}
	for range 100 {
		a := &Energies{n: 3, c: symmetric(), k: symmetric(), mass: list(3), change: list(3), dx: list(3), v: list(3),
			per2H: 2, perH2: 3}
		a.m = []float64{a.mass[0], 0, 0, 0, a.mass[1], 0, 0, 0, a.mass[2]}
		b := *a
		x, v := list(3), list(3)
		a.sum(x, v)
		b.sum3((*[3]float64)(x), (*[3]float64)(v))
		want := 0.0
		for i := range 3 {
			for j := range 3 {
				want += a.k[3*i+j] * x[i] * x[j] / 2
			}
		}
		for i, pair := range [][2]float64{{a.dissipated, b.dissipated}, {a.apparent, b.apparent}, {a.strain, b.strain},
			{a.kinetic, b.kinetic}, {a.moved, b.moved}, {a.strain, want}} {
			if math.Abs(pair[0]-pair[1]) > 1e-12*(1+math.Abs(pair[0])) {
				t.Fatalf("quantity %d: %g in loops, %g", i, pair[0], pair[1])
			}
		}
	}
}

// A run stopped and resumed gives the same bits.
func TestIndicatorsResume(t *testing.T) {
	p, f, set := floors3(t)
	for _, c := range []Config{{RateHz: 4096, Held: true, SW: 1, EEI: 1}, {RateHz: 4096, Lambda: 11.5, SW: 1, EEI: 1}} {
		resume(t, p, f, set, c)
	}
}

func resume(t *testing.T, p *structure.Partition, f *rths.Frame, set func(k int), c Config) {
	t.Helper()
	fresh := func() (*Energies, *Synchrony) {
		e, err := NewEnergies(p, c)
		if err != nil {
			t.Fatal(err)
		}
		s, err := NewSynchrony(4096, 0, 1)
		if err != nil {
			t.Fatal(err)
		}
		return e, s
	}
	for _, cut := range []int{0, 1, 777, 12000} {
		e, s := fresh()
		var state []float64
		for k := range 16384 {
			if k == cut {
				state = rths.AppendState(rths.AppendState(nil, e), s)
			}
			set(k)
			e.Observe(f)
			s.Observe(f)
		}
		e2, s2 := fresh()
		if rest := rths.SetState(rths.SetState(state, e2), s2); len(rest) != 0 {
			t.Fatalf("%d numbers left over", len(rest))
		}
		for k := cut; k < 16384; k++ {
			set(k)
			e2.Observe(f)
			s2.Observe(f)
		}
		a, b := rths.AppendState(rths.AppendState(nil, e), s), rths.AppendState(rths.AppendState(nil, e2), s2)
		for i := range a {
			if math.Float64bits(a[i]) != math.Float64bits(b[i]) {
				t.Fatalf("cut at %d: number %d is %g resumed, %g in one go", cut, i, b[i], a[i])
			}
		}
	}
}

func TestWrongConstants(t *testing.T) {
	p, _, _ := floors3(t)
	for _, c := range []Config{{RateHz: 0, SW: 1, EEI: 1}, {RateHz: 1, SW: 0, EEI: 1}, {RateHz: 1, SW: 1, EEI: math.NaN()},
		{RateHz: 1, SW: math.Inf(1), EEI: 1}} {
		if _, err := NewEnergies(p, c); err == nil {
			t.Errorf("%+v was taken", c)
		}
	}
	for _, rate := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		if _, err := NewSynchrony(rate, 0, 1); err == nil {
			t.Errorf("rate %g was taken", rate)
		}
	}
}

// Sparse matrices give the energies that dense ones give, by every rule.
func TestEnergiesOfSparseMatrices(t *testing.T) {
	for _, c := range []Config{{Lambda: 11.5}, {Lambda: 4}, {Lambda: math.Inf(1)}, {Held: true}, {}} {
		t.Run(fmt.Sprintf("lambda %g, held %v", c.Lambda, c.Held), func(t *testing.T) {
			c.RateHz, c.SW, c.EEI = 100, 1, 1
			sparseIsDense(t, c)
		})
	}
}

func sparseIsDense(t *testing.T, c Config) {
	row, err := rths.Find(structure.Kinds, "fe-foundation")
	if err != nil {
		t.Fatal(err)
	}
	whole, err := row.Defaults().Make()
	if err != nil {
		t.Fatal(err)
	}
	var both [2]*Energies
	for i, s := range []*structure.Structure{whole, whole.Dense()} {
		p, err := s.Divide(40, 1e3, 1e4, 1e6)
		if err != nil {
			t.Fatal(err)
		}
		if both[i], err = NewEnergies(p, c); err != nil {
			t.Fatal(err)
		}
	}
	num, r := rths.NewMotion(whole.N), rand.New(rand.NewPCG(7, 7))
	f := &rths.Frame{Ground: make([]float64, 3), Num: &num, Force: make([]float64, 1),
		InterfaceRead: rths.NewReading(1, 1)}
	for k := range 20 {
		for i, x := range num.X {
			num.X[i] = r.NormFloat64()
			num.V[i] = 100 * (num.X[i] - x)
		}
		f.K, f.Ground[0], f.Force[0] = k, r.NormFloat64(), r.NormFloat64()
		both[0].Observe(f)
		both[1].Observe(f)
	}
	a, b := rths.AppendState(nil, both[0]), rths.AppendState(nil, both[1])
	for i := range a {
		if math.Abs(a[i]-b[i]) > 1e-9*(1+math.Abs(b[i])) && !(math.IsNaN(a[i]) && math.IsNaN(b[i])) {
			t.Errorf("number %d: %g of sparse matrices, %g of dense ones", i, a[i], b[i])
		}
	}
	if both[0].dissipated == 0 {
		t.Error("nothing is dissipated")
	}
}
