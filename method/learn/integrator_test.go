package learn

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"rths"
	"rths/kit/rthstest"
	"rths/model/device"
	"rths/model/integrate"
	"rths/model/structure"
)

// seen is what a filter was given.
type seen struct {
	x, v, force float64
	old         bool
}

// listener is a filter that keeps what it is given.
type listener struct{ got []seen }

func (l *listener) Step(x, v, force float64, old bool)     { l.got = append(l.got, seen{x, v, force, old}) }
func (l *listener) Value(int) (value, sd float64)          { return 1e5 + float64(len(l.got)), 10 }
func (*listener) Covariance(int, int) float64              { return 100 }
func (*listener) Residual() (residual, sd float64)         { return -3, 4 }
func (*listener) Slopes(x, v float64) ([]float64, float64) { return nil, 0 }
func (*listener) White() bool                              { return false }
func (*listener) AtBound() bool                            { return false }
func (*listener) FellBack() int                            { return 2 }
func (*listener) VisitState(*rths.StateVisitor)            {}
func (*listener) VisitAdaptation(*rths.StateVisitor)       {}
func (*listener) bring(float64)                            {}

// inner is an integrator that counts.
type inner struct {
	steps float64
	felt  *rths.Reading
}

func (i *inner) Step(target *rths.Motion, _ []float64, _ *rths.Reading) {
	i.steps++
	target.X[0] = i.steps
}
func (i *inner) Closing() bool                   { return true }
func (i *inner) UseReading(felt *rths.Reading)   { i.felt = felt }
func (i *inner) VisitState(v *rths.StateVisitor) { v.Float(&i.steps) }
func (i *inner) InverseMass() []float64          { return []float64{7} }
func (i *inner) Channels() (out []rths.Channel)  { return []rths.Channel{{Name: "own", V: &i.steps}} }

// A block gives its filter the means of displacement and force and the slope of the displacement, of a straight line
// exactly; a block with an old reading, or with a force that is no number, is old, and so is one while frozen.
func TestBlocks(t *testing.T) {
	l, in := &listener{}, &inner{}
	group := &Group{Name: "learn3", Number: 3, Filter: l,
		Parameters: []device.Parameter{bounded("stiffness", new(float64), 1, 9)}}
	at := rthstest.Must(NewIntegrator(in, []*Group{group}, 1, 1000, 4))
	felt, target := rths.NewReading(2, 2), rths.NewMotion(1)
	at.UseReading(&felt)
	if in.felt != &felt {
		t.Error("the integrator within does not get the reading")
	}
	for k := range 20 {
		felt.X[0], felt.X[1], felt.F[1] = 99, 0.1+0.002*float64(k), 5*float64(k)
		felt.Age = 0
		switch k {
		case 6:
			felt.Age = 1
		case 9:
			felt.F[1] = math.NaN()
		case 12:
			at.Freeze(true)
		case 16:
			at.Freeze(false)
		}
		if at.Step(&target, nil, &felt); target.X[0] != float64(k+1) {
			t.Errorf("target %g: want %d steps of the integrator within", target.X[0], k+1)
		}
	}
	for i, old := range []bool{false, true, true, true, false} {
		got := l.got[i]
		rthstest.Near(t, "x", got.x, 0.1+0.002*(1.5+4*float64(i)), 1e-15)
		rthstest.Near(t, "v", got.v, 2, 1e-10)
		if got.old != old || i != 2 && got.force != 5*(1.5+4*float64(i)) {
			t.Errorf("block %d: %+v: want old %v", i+1, got, old)
		}
	}
	var names []string
	for _, c := range at.Channels() {
		names = append(names, c.Name)
	}
	want := []string{"own", "learn3_stiffness", "learn3_stiffness_sd", "learn3_residual_N", "learn3_residual_sd_N",
		"learn3_residual_not_white", "learn3_fell_back"}
	c := at.Channels()
	if !slices.Equal(names, want) || *c[1].V != 1e5+5 || *c[2].V != 10 || *c[3].V != -3 || *c[4].V != 4 || *c[5].V != 1 ||
		*c[6].V != 2 || *c[1].Lower != 1 || *c[1].Upper != 9 || c[1].Floor != 3 {
		t.Errorf("%q, %g", names, *c[1].V)
	}
	if m, ok := rths.As[rths.Massive](rths.Integrator(at)); !ok || m.InverseMass()[0] != 7 || !at.Closing() {
		t.Error("the integrator within is not found")
	}
	if _, err := NewIntegrator(in, nil, 0, 1000, 4); err == nil {
		t.Error("no groups: want an error")
	}
	if _, err := NewIntegrator(in, []*Group{group}, 0, 1000, 1); err == nil {
		t.Error("blocks of one sample, which have no slope: want an error")
	}
}

// Blocks are 1/512 s, and longer where noise would shake the slope by a tenth of the speed: by simulation.
func TestBlock(t *testing.T) {
	for rate, want := range map[float64]int{256: 2, 512: 2, 1024: 2, 4096: 8} {
		if got := Block(rate, 0, 0.01); got != want {
			t.Errorf("%g Hz: %d samples: want %d", rate, got, want)
		}
	}
	const rate, sd, still = 4096.0, 13e-6, 0.01
	n := Block(rate, sd, still)
	r, sum, draws := rand.New(rand.NewPCG(1, 53)), 0.0, 4000
	for range draws {
		slope, mean := 0.0, 0.0
		for i := range n {
			x := sd * r.NormFloat64()
			slope += float64(i) * x
			mean += x
		}
		f := float64(n)
		v := 12 / (f * (f*f - 1)) * (slope - (f-1)/2*mean) * rate
		sum += v * v
	}
	if got := math.Sqrt(sum / float64(draws)); n <= 8 || !(got < still/10*1.03) || !(got > still/20) || math.Abs(got/SlopeSD(n, sd, rate)-1) > 0.05 {
		t.Errorf("%d samples, slope of %g m/s by noise: want a tenth of %g", n, got, still)
	}
	if got := Block(1e6, 1, 1e-3); got != mostBlock {
		t.Errorf("%d samples: want at most %d", got, mostBlock)
	}
}

// Devices come to the law of the specimen, and a run goes on from its state with the same bits.
func TestIntegratorLearns(t *testing.T) {
	make1 := func() (*device.BoucWen, *Integrator, *rths.Reading) {
		law := &device.BoucWen{Ke: 3e5, A: 0.05, Fy: 1500, N: 2, Eta1: 0.5, Eta2: 0.5}
		p := []device.Parameter{bounded("stiffness", &law.Ke, 1e5, 8e5), bounded("yield_force", &law.Fy, 500, 5e3)}
		u := rthstest.Must(NewUKF(law, p, Settings{RateHz: 512, Noise: 20, StillBelow: 0.01, PinnedS: 1}))
		at := rthstest.Must(NewIntegrator(&inner{}, []*Group{{Name: "learn1", Number: 1, Parameters: p, Filter: u}}, 0, 2048, 4))
		felt := rths.NewReading(1, 1)
		at.UseReading(&felt)
		return law, at, &felt
	}
	law, at, felt := make1()
	other, again, feltAgain := make1()
	truth := &device.BoucWen{Ke: 4e5, A: 0.05, Fy: 2000, N: 2, Eta1: 0.5, Eta2: 0.5}
	path, z, before := rthstest.Must(device.NewPath(truth, 1.0/2048)), make([]float64, 2), 0.0
	r, target := rand.New(rand.NewPCG(3, 53)), rths.NewMotion(1)
	step := func(k int, on ...*Integrator) {
		now := float64(k+1) / 2048
		x := 0.012*math.Sin(5*now)*math.Sin(0.7*now) + 0.006*math.Sin(13*now)
		path.Advance(z, before, x)
		before = x
		force := truth.Force(x, 0, z) + 40*r.NormFloat64()
		for _, on := range on {
			of := felt
			if on == again {
				of = feltAgain
			}
			of.X[0], of.F[0] = x, force
			on.Step(&target, nil, of)
		}
	}
	const half = 15*2048 + 1 // within a block
	for k := range half {
		step(k, at)
	}
	if !(math.Abs(law.Ke-4e5) < 4e3) || !(math.Abs(law.Fy-2000) < 20) {
		t.Errorf("%g N/m, %g N: want 4e5, 2000", law.Ke, law.Fy)
	}
	rths.SetState(rths.AppendState(nil, at), again)
	rths.SetAdaptation(rths.AppendAdaptation(nil, at), again)
	if *other != *law || *again.Channels()[1].V != law.Ke {
		t.Errorf("%+v: want %+v", other, law)
	}
	for k := range 4096 {
		step(half+k, at, again)
	}
	if *other != *law || !slices.Equal(rths.AppendState(nil, at), rths.AppendState(nil, again)) {
		t.Errorf("%+v: want %+v", other, law)
	}
	k := half + 4096
	rthstest.NoAllocation(t, func() { step(k, at); k++ })
}

// BenchmarkTick is a tick of a frame of 40 storeys by CR with a Bouc–Wen device in each, whose two parameters are
// learned within −40 and +60 %: the integrator's step, and at the end of each block of two samples the filter's.
func BenchmarkTick(b *testing.B) {
	const rate = 1024.0
	for _, name := range []string{"bouc-wen", "lugre"} {
		b.Run(name, func(b *testing.B) {
			bend := &device.BoucWen{Ke: 2e5, A: 0.1, Fy: 900, N: 2, Eta1: 0.5, Eta2: 0.5}
			law, p := device.Law(bend), []device.Parameter{bounded("k", &bend.Ke, 1.2e5, 3.2e5), bounded("fy", &bend.Fy, 540, 1.5e3)}
			if name == "lugre" {
				slip := &device.LuGre{Sigma0: 4e5, Sigma1: 2e3, Sigma2: 100, Fc: 2e3, Fs: 2.4e3, Vs: 0.05}
				law, p = slip, []device.Parameter{bounded("fc", &slip.Fc, 1.2e3, 3.2e3), bounded("fs", &slip.Fs, 1.4e3, 3.8e3)}
			}
			frame := &structure.Shear{Damping: structure.Damping{ModalRatio: []float64{0.02}}}
			var list []structure.Device
			for i := range 40 {
				frame.Masses, frame.Stiffnesses = append(frame.Masses, 1e4), append(frame.Stiffnesses, 2e7)
				d := structure.Device{Number: i + 1, Up: i, Down: i - 1, Law: law, Learned: p}
				d.K, d.C = law.AtRest()
				list = append(list, d)
			}
			part := rthstest.Must(rthstest.Must(rthstest.Must(frame.Make()).Fit(list)).Divide(0, 0, 0, 0))
			in := rthstest.Must((&integrate.CR{}).Make(part, 1/rate))
			u := rthstest.Must(NewUKF(law, p, Settings{RateHz: rate / 2, Noise: 20, StillBelow: 0.01, PinnedS: 1}))
			at := rthstest.Must(NewIntegrator(in, []*Group{{Name: "learn1", Number: 1, Parameters: p, Filter: u}}, 0, rate, 2))
			felt, target, ground := rths.NewReading(1, 1), rths.NewMotion(1), make([]float64, 3)
			at.UseReading(&felt)
			k := 0
			for b.Loop() {
				now := float64(k) / rate
				ground[0] = 2 * math.Sin(9*now)
				felt.X[0], felt.F[0] = 0.01*math.Sin(9*now), 1500*math.Sin(9*now+0.3)
				at.Step(&target, ground, &felt)
				k++
			}
		})
	}
}

// Brought to a deformation, a filter has the states of the law there, and how they hang on its parameters.
func TestBring(t *testing.T) {
	law := &device.BoucWen{Ke: 2e5, Fy: 800, N: 2, Eta1: 0.5, Eta2: 0.5}
	u := rthstest.Must(NewUKF(law, []device.Parameter{bounded("fy", &law.Fy, 400, 1600)},
		Settings{RateHz: 512, Noise: 20, PinnedS: 1}))
	u.bring(0.007)
	// z = f_y tanh(k x/f_y): ∂z/∂θ = f_y (tanh u − u/cosh² u), u = k x/f_y.
	a := 2e5 * 0.007 / 800
	rthstest.Near(t, "z", u.state[0], 800*math.Tanh(a), 1e-6)
	rthstest.Near(t, "∂z/∂θ", u.slope[0][0], 800*(math.Tanh(a)-a/math.Pow(math.Cosh(a), 2)), 1e-2)
	if u.at != 0.007 || !u.begun || law.Fy != 800 {
		t.Errorf("at %g m, f_y %g N", u.at, law.Fy)
	}
}
