package compensate

import (
	"math"
	"math/cmplx"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rths"
	"rths/kit/rthstest"
	"rths/maths/lti"
	"rths/method/identify"
)

const tableRate = 2048.0

// table is a sampled shake table: commands, m, to displacement, m, and velocity, m/s.
type table struct {
	d lti.SS
	z []float64
}

// secondOrder is ω²/(s² + 2ζωs + ω²).
func secondOrder(omega, zeta, gain float64) *table {
	w2 := omega * omega
	return sampled(mat.NewDense(2, 2, []float64{0, 1, -w2, -2 * zeta * omega}), []float64{0, gain * w2}, 0, 1)
}

// hydraulic is a servo-hydraulic table of 100 kg (60 Hz oil column) with a payload of 60 kg at hz with damping ratio
// zeta: states are flow q, m³/s, force, displacement, velocity, that of the payload relative to the table, and its
// velocity.
func hydraulic(payload, hz, zeta, loop float64) *table {
	const tau, area, oil, leak, base = 3e-3, 2.5e-3, 4 * 6.9e8 / 6e-4, 3.3e-11, 100.0
	k := payload * square(2*math.Pi*hz)
	c := 2 * zeta * math.Sqrt(k*payload)
	a := mat.NewDense(6, 6, []float64{
		-1 / tau, 0, -loop * area / tau, 0, 0, 0,
		oil * area, -oil * leak, 0, -oil * area * area, 0, 0,
		0, 0, 0, 1, 0, 0,
		0, 1 / base, 0, -c / base, k / base, c / base,
		0, 0, 0, -1, 0, 1,
		0, 0, 0, c / payload, -k / payload, -c / payload,
	})
	return sampled(a, []float64{loop * area / tau, 0, 0, 0, 0, 0}, 2, 3)
}

func sampled(a *mat.Dense, b []float64, x, v int) *table {
	n := len(b)
	c := mat.NewDense(2, n, nil)
	c.Set(0, x, 1)
	c.Set(1, v, 1)
	s := lti.SS{A: a, B: mat.NewDense(n, 1, b), C: c, D: mat.NewDense(2, 1, nil)}
	return &table{d: rthstest.Must(lti.C2D(s, 1/tableRate, lti.ZOH)), z: make([]float64, n)}
}

// at is x/u and v/u at z.
func (p *table) at(z complex128) (x, v complex128) {
	g := rthstest.Must(p.d.At(z))
	return g.At(0, 0), g.At(1, 0)
}

func (p *table) step(u float64) {
	next := make([]float64, len(p.z))
	for i := range next {
		next[i] = p.d.B.At(i, 0) * u
		for j, v := range p.z {
			next[i] += p.d.A.At(i, j) * v
		}
	}
	p.z = next
}

func (p *table) output(i int) (y float64) {
	for j, v := range p.z {
		y += p.d.C.At(i, j) * v
	}
	return y
}

func (p *table) where(lead int) At {
	return At{RateHz: tableRate, Lead: lead, Accelerometer: true, Plant: func(hz float64) (complex128, error) {
		z := cmplx.Exp(complex(0, 2*math.Pi*hz/tableRate))
		x, _ := p.at(z)
		return x * cmplx.Pow(z, complex(float64(lead), 0)), nil
	}}
}

func madeTVC(t *testing.T, p *TVC, at At) *tvc {
	t.Helper()
	c, err := p.Make(at)
	if err != nil {
		t.Fatal(err)
	}
	return c.(*tvc)
}

// drive steps law and table through n samples. target is displacement and velocity at a time; read may change what the
// sensors say.
func drive(c rths.Compensator, p *table, lead, n int, target func(t float64) (x, v float64),
	look func(k int, read *rths.Reading)) {
	goal, read, u, before := rths.NewMotion(1), rths.NewReading(1, 1), []float64{0}, 0.0
	read.A = []float64{0}
	for k := range n {
		read.X[0], read.A[0] = p.output(0), (p.output(1)-before)*tableRate
		before = p.output(1)
		look(k, &read)
		goal.X[0], goal.V[0] = target(float64(k+lead) / tableRate)
		c.Step(u, &goal, &read)
		p.step(u[0])
	}
}

// The fit is the inverse of the sampled plant in the band, hold and lead included; a payload's frequency and damping
// are those with the table held. A payload that is not there is not found.
func TestTVCInvertsTheSampledTable(t *testing.T) {
	for _, c := range []struct {
		name   string
		p      *table
		lead   int
		most   float64 // of |H D − 1| up to 20 Hz
		hz, ze float64
	}{
		{"second order", secondOrder(150, 0.8, 1), 1, 5e-4, 0, 0},
		{"second order, timing current", secondOrder(150, 0.8, 1), 0, 1e-3, 0, 0},
		{"payload at 12 Hz", hydraulic(60, 12, 0.02, 70), 1, 2e-3, 12, 0.02},
		{"payload at 5 Hz, timing current", hydraulic(60, 5, 0.01, 70), 0, 6e-3, 5, 0.01},
		{"no payload", hydraulic(1e-3, 12, 0.02, 70), 1, 2e-3, 0, 0},
	} {
		m, at := tvcDefaults(), c.p.where(c.lead)
		madeTVC(t, m, at)
		rthstest.Near(t, c.name+": frequency", m.PayloadHz, c.hz, 1e-3*c.hz)
		rthstest.Near(t, c.name+": damping", m.PayloadZeta, c.ze, 1e-2*c.ze)
		term := m.term(tableRate, len(m.A))
		for hz := 0.25; hz <= 20; hz += 0.25 {
			sum := complex(0, 0)
			for i, v := range slices.Concat(m.A, m.B) {
				sum += complex(v, 0) * term(i, hz)
			}
			if left := cmplx.Abs(sum*rthstest.Must(at.Plant(hz)) - 1); left > c.most {
				t.Errorf("%s: H D − 1 is %.2g at %g Hz: want at most %g", c.name, left, hz, c.most)
			}
		}
	}
}

// composite is the crossover's response at z, (x̂, v̂, offset) for a displacement and for a mean acceleration of size
// 1:
//
//	s = (I − z⁻¹ (I − g C) Φ)⁻¹ [(I − g C) Γ a + g x]
func composite(hz float64, z complex128) (x, a [3]complex128) {
	const h = 1 / tableRate
	p := math.Exp(-2 * math.Pi * hz * h)
	g := [3]float64{1 - p*p*p, 1.5 * (1 - p) * (1 - p) * (1 + p) / h, (1 - p) * (1 - p) * (1 - p) / (h * h)}
	phi, gamma := [3][3]float64{{1, h, h * h / 2}, {0, 1, h}, {0, 0, 1}}, [3]float64{h * h / 2, h, 0}
	m, right := mat.NewDense(6, 6, nil), mat.NewDense(6, 2, nil) // real and imaginary parts
	for i := range 3 {
		right.Set(i, 0, g[i])
		right.Set(i, 1, gamma[i]-g[i]*gamma[0])
		for j := range 3 {
			v := -complex(phi[i][j]-g[i]*phi[0][j], 0) / z
			if i == j {
				v++
			}
			m.Set(i, j, real(v))
			m.Set(i+3, j+3, real(v))
			m.Set(i, j+3, -imag(v))
			m.Set(i+3, j, imag(v))
		}
	}
	var s mat.Dense
	if err := s.Solve(m, right); err != nil {
		panic(err)
	}
	for i := range 3 {
		x[i], a[i] = complex(s.At(i, 0), s.At(i+3, 0)), complex(s.At(i, 1), s.At(i+3, 1))
	}
	return x, a
}

// The two sides of the crossover add to 1 at every frequency: a motion that both sensors see alike comes out as it is,
// to the trapezoidal rule of a mean acceleration, (ωh)²/12. Far below, it is the displacement's alone.
func TestCrossoverAddsToOne(t *testing.T) {
	const h = 1 / tableRate
	for _, hz := range []float64{0.01, 0.3, 1, 2, 10, 50} {
		z := cmplx.Exp(complex(0, 2*math.Pi*hz*h))
		s := complex(0, 2*math.Pi*hz)
		x, a := composite(1.5, z)
		acceleration := s * (1 - 1/z) / complex(h, 0)
		if sum := x[0] + a[0]*acceleration; cmplx.Abs(sum-1) > square(2*math.Pi*hz*h)/12+1e-12 {
			t.Errorf("%g Hz: the sides add to %g", hz, sum)
		}
		if velocity := x[1] + a[1]*acceleration; cmplx.Abs(velocity/s-1) > square(2*math.Pi*hz*h)/6+1e-9 {
			t.Errorf("%g Hz: the sides add to %g of the velocity", hz, velocity/s)
		}
		w := complex(2*math.Pi*1.5, 0) // (2), of a continuous filter
		want := (3*w*s*s + 3*w*w*s + w*w*w) / ((s + w) * (s + w) * (s + w))
		if cmplx.Abs(x[0]-want) > 3*2*math.Pi*1.5*h {
			t.Errorf("%g Hz: the displacement's side is %g: want %g", hz, x[0], want)
		}
	}
}

// What crossover.step does is what the equations of composite say.
func TestCrossoverStep(t *testing.T) {
	for _, hz := range []float64{0.2, 2, 30} {
		c, z := newCrossover(1.5, 1/tableRate), cmplx.Exp(complex(0, 2*math.Pi*hz/tableRate))
		x, a := composite(1.5, z)
		var power complex128 = 1
		for range 20 * int(tableRate) {
			c.step(real(power), 3*imag(power))
			power *= z
		}
		last := power / z
		for i, got := range []float64{c.x, c.v, c.offset} {
			want := real(x[i]*last) + 3*imag(a[i]*last)
			rthstest.Near(t, "state", got, want, 1e-7*(cmplx.Abs(x[i])+3*cmplx.Abs(a[i])))
		}
	}
}

// The closed loop, x over r, by its equations: u = D r + g/(1 − z⁻¹) Σ θᵢ φᵢ(ê), for a table that is not the model. The
// simulation has the same amplitude and phase.
func TestTVCClosedLoop(t *testing.T) {
	const h = 1 / tableRate
	for _, lead := range []int{0, 1} {
		model, p := secondOrder(150, 0.8, 1), secondOrder(130, 0.7, 1.05)
		m := &TVC{FeedbackHz: 3, CrossoverHz: 2}
		c := madeTVC(t, m, model.where(lead))
		for _, hz := range []float64{0.5, 3, 11} {
			z := cmplx.Exp(complex(0, 2*math.Pi*hz*h))
			s, late := complex(0, 2*math.Pi*hz), cmplx.Pow(z, complex(float64(-lead), 0))
			term := m.term(tableRate, len(m.A))
			forward := complex(0, 0)
			for i, v := range m.A {
				forward += complex(v, 0) * term(i, hz)
			}
			gx, gv := p.at(z)
			gv *= (1 - 1/z) / complex(h, 0) // mean acceleration
			byX, byA := composite(2, z)
			through := func(x, a complex128) complex128 { // Σ θᵢ φᵢ of an error x, a
				e := func(i int) complex128 { return byX[i]*x + byA[i]*a }
				sum, d := complex(m.A[0], 0)*e(0)+complex(m.A[1], 0)*e(1), a+e(2)
				for _, v := range m.A[2:] {
					sum += complex(v, 0) * d
					d *= (1 - 1/z) / complex(h, 0)
				}
				return sum * complex(c.gain, 0) / (1 - 1/z)
			}
			// r is the target of the command: u = forward r + through(late r − gx u, …)
			u := (forward + through(late, late*s*(1-1/z)/complex(h, 0))) / (1 + through(gx, gv))
			want := gx * u / late
			got := swung(madeTVC(t, &TVC{A: m.A, FeedbackHz: 3, CrossoverHz: 2}, model.where(lead)), p, lead, hz)
			if cmplx.Abs(got-want) > 1e-6 {
				t.Errorf("lead %d, %g Hz: x/r is %.8g: want %.8g", lead, hz, got, want)
			}
		}
	}
}

// swung is x/r after the transient, by Fourier sums over whole periods.
func swung(c rths.Compensator, p *table, lead int, hz float64) complex128 {
	p.z = make([]float64, len(p.z))
	n, w := int(24*tableRate), 2*math.Pi*hz
	sum := complex(0, 0)
	drive(c, p, lead, n, func(t float64) (x, v float64) { return math.Sin(w * t), w * math.Cos(w*t) },
		func(k int, read *rths.Reading) {
			if from := n - int(8*tableRate); k >= from {
				sum += complex(read.X[0], 0) * cmplx.Exp(complex(0, -w*float64(k)/tableRate))
			}
		})
	return sum / complex(0, -4*tableRate)
}

// earthquake is a motion of many sines from 0.3 to 20 Hz, that begins at rest: displacement and velocity.
func earthquake(seed uint64) func(t float64) (x, v float64) {
	rng := rand.New(rand.NewPCG(seed, 7))
	var w, phase []float64
	for range 60 {
		w = append(w, 2*math.Pi*0.3*math.Pow(20/0.3, rng.Float64()))
		phase = append(phase, 2*math.Pi*rng.Float64())
	}
	return func(t float64) (x, v float64) {
		rise, slope := 1.0, 0.0
		if t < 2 {
			rise, slope = t*t*(3-t)/4, (6*t-3*t*t)/4
		}
		for i, w := range w {
			a := 0.1 / (w * w)
			x += rise * a * math.Sin(w*t+phase[i])
			v += rise*a*w*math.Cos(w*t+phase[i]) + slope*a*math.Sin(w*t+phase[i])
		}
		return x, v
	}
}

// tracked is the rms of the acceleration error over the rms of the target's from 2 s on, without sensor noise, and the
// largest error of displacement, m.
func tracked(c rths.Compensator, p *table, seconds float64, noise func(read *rths.Reading)) (a, x float64) {
	goal := earthquake(3)
	errs, all := 0.0, 0.0
	drive(c, p, 1, int(seconds*tableRate), goal, func(k int, read *rths.Reading) {
		t := float64(k) / tableRate
		wantX, v := goal(t)
		_, before := goal(t - 1/tableRate)
		if want := (v - before) * tableRate; t > 2 {
			errs += square(read.A[0] - want)
			all += want * want
			x = max(x, math.Abs(read.X[0]-wantX))
		}
		noise(read)
	})
	return math.Sqrt(errs / all), x
}

func silent(*rths.Reading) {}

// With the right model the acceleration is the target's to what the fit leaves, with feedback and without.
func TestTVCWithTheRightModel(t *testing.T) {
	for _, p := range []*table{secondOrder(150, 0.8, 1), hydraulic(60, 12, 0.02, 70)} {
		for _, hz := range []float64{1e-6, 5} {
			a, x := tracked(madeTVC(t, &TVC{FeedbackHz: hz}, p.where(1)), p, 12, silent)
			if !(a < 2e-3) || !(x < 5e-5) { // of 0.1 m
				t.Errorf("feedback %g Hz: acceleration error %.2g %%, displacement %.2g m", hz, 100*a, x)
			}
			p.z = make([]float64, len(p.z))
		}
	}
}

// An accelerometer with an offset of 0.1 m/s² makes no drift: the displacement stays with the target within what the
// crossover lets through while it finds the offset, 0.1/ω_c² m, and ends there.
func TestTVCDoesNotDrift(t *testing.T) {
	const offset, hz = 0.1, 1
	p := secondOrder(150, 0.8, 1)
	c := madeTVC(t, &TVC{FeedbackHz: 5, CrossoverHz: hz}, p.where(1))
	shifted := func(read *rths.Reading) { read.A[0] += offset }
	_, x := tracked(c, p, 20, shifted)
	if most := offset / square(2*math.Pi*hz); !(x < most) {
		t.Errorf("displacement is off by %.2g m: want less than %.2g m", x, most)
	}
	rthstest.Near(t, "offset found", c.crossover.offset, offset, 5e-3*offset)
	if end := math.Abs(c.crossover.x); !(end < 2e-6) {
		t.Errorf("an error of %.2g m is left", end)
	}
}

// Of a table that is not the model feedback leaves less, and least squares much less. The coefficients end at those of
// the inverse of the true table.
func TestTVCOnAnotherTable(t *testing.T) {
	model := func() *table { return hydraulic(60, 12, 0.02, 70) }
	truth := func() *table { return hydraulic(63, 12, 0.02, 77) }
	rng := rand.New(rand.NewPCG(1, 1))
	noisy := func(read *rths.Reading) {
		read.X[0] += 5e-6 * rng.NormFloat64()
		read.A[0] += 5e-3 * rng.NormFloat64()
	}
	at := model().where(1)
	at.Noise, at.AccelerationNoise = 5e-6, 5e-3
	open, _ := tracked(madeTVC(t, &TVC{FeedbackHz: 1e-6}, at), truth(), 20, noisy)
	closed, _ := tracked(madeTVC(t, tvcDefaults(), at), truth(), 20, noisy)
	p := tvcRLSDefaults()
	learner := rthstest.Must(p.Make(at)).(*tvcRLS)
	learnt, _ := tracked(learner, truth(), 20, noisy)
	t.Logf("acceleration error %.2f %%, with feedback %.2f %%, learning %.2f %%", 100*open, 100*closed, 100*learnt)
	if !(open > 0.02) || !(closed < 0.95*open) || !(learnt < 0.005) {
		t.Errorf("acceleration errors %.3g, %.3g, %.3g", open, closed, learnt)
	}
	var theta []float64
	for _, ch := range learner.Channels() {
		theta = append(theta, *ch.V)
	}
	found, plant := p.PlantModel(tableRate, theta), truth().where(1)
	for _, hz := range []float64{3, 8, 16} {
		h := rthstest.Must(plant.Plant(hz))
		if off := cmplx.Abs(found(hz)/h - 1); off > 5e-3 {
			t.Errorf("%g Hz: the plant found is off by %.2g", hz, off)
		}
	}
}

// R is the variance that the sensors' noise leaves of the residual with the right inverse.
func TestNoiseOfTheResidual(t *testing.T) {
	p, rng := secondOrder(150, 0.8, 1), rand.New(rand.NewPCG(5, 5))
	at := p.where(1)
	at.Noise, at.AccelerationNoise = 5e-6, 5e-3
	c := rthstest.Must(tvcRLSDefaults().Make(at)).(*tvcRLS)
	c.Freeze(true)
	sum, n := 0.0, 0.0
	drive(c, p, 1, int(60*tableRate), func(float64) (x, v float64) { return 0, 0 }, func(k int, read *rths.Reading) {
		if left, _ := c.Residual(); k > int(2*tableRate) {
			sum, n = sum+left*left, n+1
		}
		read.X[0] += at.Noise * rng.NormFloat64()
		read.A[0] += at.AccelerationNoise * rng.NormFloat64()
	})
	_, noise := c.Residual()
	rthstest.Near(t, "standard deviation over that of noise alone", math.Sqrt(sum/n)/noise, 1, 0.05)
}

// The feedback that is left open is smaller for a table with more delay, and one up to it has a smaller sensitivity.
func TestTVCFeedbackThatIsLeftOpen(t *testing.T) {
	p := secondOrder(150, 0.8, 1)
	last := mostFeedback + 1
	for _, delay := range []float64{0, 0.02, 0.05} {
		at := p.where(1)
		bare := at.Plant
		at.Plant = func(hz float64) (complex128, error) {
			h, err := bare(hz)
			return h * cmplx.Exp(complex(0, -2*math.Pi*hz*delay)), err
		}
		m := &TVC{A: []float64{1, 0.0104}}
		madeTVC(t, m, at)
		if delay == 0 {
			rthstest.Near(t, "without a delay", m.FeedbackHz, mostFeedback, 1e-12)
		}
		if most := m.sensitivity(at, m.FeedbackHz); !(m.FeedbackHz < last) || !(most < mostSensitivity) {
			t.Errorf("delay %g s: feedback %g Hz, sensitivity %g", delay, m.FeedbackHz, most)
		}
		last = m.FeedbackHz
	}
}

func TestTVCRefuses(t *testing.T) {
	at := secondOrder(150, 0.8, 1).where(1)
	deaf := at
	deaf.Accelerometer = false
	unknown := at
	unknown.Plant = nil
	for want, c := range map[string]struct {
		p  Maker
		at At
	}{
		"tvc: no accelerometer":                            {tvcDefaults(), deaf},
		"tvc-rls: no accelerometer":                        {tvcRLSDefaults(), deaf},
		"tvc: the plant has no linear model":               {tvcDefaults(), unknown},
		"tvc: band_hz 1024 Hz":                             {&TVC{BandHz: 1024}, at},
		"tvc: 1 numbers in a: want 2 to 6":                 {&TVC{A: []float64{1}}, at},
		"tvc: a0 is 0":                                     {&TVC{A: []float64{0, 1}}, at},
		"tvc: 1 numbers in b and payload_hz 3":             {&TVC{A: []float64{1, 1}, B: []float64{1}, PayloadHz: 3}, at},
		"tvc: payload_hz or b without a":                   {&TVC{PayloadHz: 3}, at},
		"tvc: a or b holds NaN":                            {&TVC{A: []float64{1, math.NaN()}}, at},
		"tvc-rls: learn_hz 60 Hz: want above 0 and below ": {&TVCRLS{LearnHz: 60, MemoryS: 9}, at},
		"tvc-rls: memory_s 0 s: want two samples":          {&TVCRLS{LearnHz: 6}, at},
	} {
		_, err := c.p.Make(c.at)
		rthstest.WantError(t, err, want)
	}
}

// The mode of a load is found from the response alone, at every frequency of the band.
func TestModeOfALoad(t *testing.T) {
	for _, hz := range []float64{3, 12, 30} {
		at := hydraulic(60, hz, 0.03, 70).where(0)
		omega, zeta, ok := identify.Plant{H: at.Plant, RateHz: tableRate, EvenHz: 50}.Mode()
		rthstest.Near(t, "frequency", omega/(2*math.Pi), hz, 1e-3*hz)
		rthstest.Near(t, "damping ratio", zeta, 0.03, 1e-3)
		if !ok {
			t.Errorf("%g Hz: no mode", hz)
		}
	}
}
