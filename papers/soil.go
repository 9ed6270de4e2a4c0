package papers

import (
	"context"
	"fmt"
	"math"
	"math/cmplx"

	"gonum.org/v1/gonum/dsp/fourier"

	"rths"
	"rths/compensate"
	"rths/ground"
	"rths/integrate"
	"rths/plant"
	"rths/structure"
)

// Soil describes the soil–structure test of paper 003, section 4: a frame on a
// shake table stands on a finite-element foundation, integrated with main steps of
// 40 samples, with every method of delay compensation.
//
// What the paper does not say is assumed: plane strain of 1 m thickness with fixed
// base and sides, 5 % Rayleigh damping, frame stiffnesses and 2 % modal damping from
// its frequencies; a free field that is known, so that it is added to the
// displacement the base shear of the frame causes, and only that is integrated,
// predicted and late; a Clough–Penzien wave without frequencies below 3 Hz, which
// gives about the published size of displacement (2.73 mm); a table of second order
// with 10 ms of delay at low frequency. Model and prototype are related by c_m c_a =
// 2000 in force and 1 in length and time.
type Soil struct {
	Steps     int     // samples of a main step
	Lambda    float64 // of integrator and dual explicit prediction
	Seed      uint64  // of the wave
	Duration  float64 // of the wave, s
	Thickness float64 // of the foundation, m
	Workers   int
	Progress  func(done int)
}

// DefaultSoil is the published test.
func DefaultSoil() Soil { return Soil{Steps: 40, Lambda: 3, Seed: 1, Duration: 20, Thickness: 1} }

// Constants of the test (paper 003, section 4; docs/zhu2014.md).
const (
	soilRateHz     = 2048
	soilSimilitude = 2000 // c_m c_a: force of the prototype over that of the model
	soilPGA        = 0.15 // g
	soilCornerHz   = 3
	soilDelayMs    = 10
	soilZeta       = 0.8                              // of the table
	soilOmega      = 2 * soilZeta / soilDelayMs * 1e3 // rad/s: the low-frequency delay is 2ζ/ω
	soilSpectrumHz = 20                               // spectra are compared up to here
)

// SoilMethods are the tests, and SoilSignals what is judged: displacement and
// acceleration of the table, absolute accelerations of the floors.
var (
	SoilMethods = []string{"reference", "none", "poly3", "newmark-explicit", "dual-explicit", "force-correction"}
	SoilSignals = []string{"disp0", "acc0", "acc1", "acc2", "acc3"}
)

// paper003Peaks is the peak displacement of the table, mm, and its error in
// percent (section 4.3).
var paper003Peaks = map[string][2]float64{
	"reference":        {2.73, 0},
	"dual-explicit":    {3.10, 13.55},
	"poly3":            {3.47, 27.11},
	"newmark-explicit": {3.76, 37.73},
	"force-correction": {3.36, 23.08},
}

// Run runs all tests.
func (s *Soil) Run(ctx context.Context) (*Suite, error) {
	if err := s.check(); err != nil {
		return nil, fmt.Errorf("benchmark soil: %w", err)
	}
	field, err := s.field()
	if err != nil {
		return nil, fmt.Errorf("benchmark soil: %w", err)
	}
	runs := make([]*soilRun, len(SoilMethods))
	err = parallel(ctx, s.Workers, len(runs), s.Progress, func(i int) (err error) {
		runs[i], err = s.one(SoilMethods[i], field)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("benchmark soil: %w", err)
	}
	out := &Suite{Name: "soil"}
	for _, r := range runs {
		out.Rows = append(out.Rows, s.rows(r, runs[0])...)
	}
	return out, nil
}

func (s *Soil) check() error {
	switch {
	case s.Steps < 1 || s.Steps > 1000:
		return fmt.Errorf("main step of %d samples: want 1 to 1000", s.Steps)
	case !(s.Duration >= 1) || s.Duration > 1000:
		return fmt.Errorf("duration %g s: want 1 to 1000", s.Duration)
	case !(s.Thickness > 0) || s.Thickness > 1e6:
		return fmt.Errorf("thickness %g m: want more than 0", s.Thickness)
	}
	return nil
}

// freeField is the displacement of the ground without the frame, at samples.
type freeField []float64

// at is that of sample k; the last one is held.
func (f freeField) at(k int) float64 { return f[min(k, len(f)-1)] }

// field is the wave as displacement: that of a seismometer of 0.2 Hz on the
// synthesised acceleration, which does not drift, scaled to the peak of its
// acceleration.
func (s *Soil) field() (freeField, error) {
	row, err := rths.Find(ground.Kinds, "clough-penzien")
	if err != nil {
		return nil, err
	}
	p := row.Defaults().(*ground.CloughPenzien)
	p.Duration, p.Dt, p.PGA = s.Duration, 1.0/soilRateHz, soilPGA
	p.CornerRadS, p.Onset, p.Rise, p.Strong, p.Decay = 2*math.Pi*soilCornerHz, 0.5, 2, s.Duration/3, s.Duration/8
	m, err := p.Motion(ground.At{RateHz: soilRateHz, Seed: s.Seed})
	if err != nil {
		return nil, err
	}
	const omega, zeta, h = 2 * math.Pi * 0.2, 0.7, 1.0 / soilRateHz
	acc := func(x, v, a float64) float64 { return a - 2*zeta*omega*v - omega*omega*x }
	var f freeField
	x, v, peak := 0.0, 0.0, 0.0
	for k, a := range m.A {
		now := acc(x, v, a)
		f = append(f, x)
		peak = max(peak, math.Abs(now))
		next := m.A[min(k+1, len(m.A)-1)]
		v1 := v + h*now // Heun's method: the oscillator is slow against the sample
		end := acc(x+h*v, v1, next)
		x, v = x+h/2*(v+v1), v+h/2*(now+end)
	}
	for k := range f {
		f[k] *= soilPGA * ground.StandardGravity / peak
	}
	return f, nil
}

// onField adds the free field to the displacement an integrator gives relative to
// it.
type onField struct {
	in    rths.Integrator
	field freeField
	k     int       // tick
	still []float64 // a ground that rests: the foundation feels the frame only
	felt  rths.Reading
}

func newOnField(in rths.Integrator, field freeField) *onField {
	return &onField{in: in, field: field, still: make([]float64, 3), felt: rths.NewReading(1, 1)}
}

// Step gives the target of the next sample. What was felt goes in relative to the
// field, too.
func (o *onField) Step(target *rths.Motion, _ []float64, felt *rths.Reading) {
	o.felt.X[0], o.felt.F[0] = felt.X[0]-o.field.at(o.k), felt.F[0]
	o.in.Step(target, o.still, &o.felt)
	o.k++
	target.X[0] += o.field.at(o.k)
}

// Closing is false.
func (o *onField) Closing() bool { return false }

// shakeTable is the rig: the table with the frame, and the force of the prototype.
type shakeTable struct {
	plant plant.Plant
	now   rths.Reading
}

func (t *shakeTable) Read(r *rths.Reading) error {
	r.X[0], r.F[0] = t.now.X[0], soilSimilitude*t.now.F[0]
	r.TrueX[0], r.TrueF[0] = r.X[0], r.F[0]
	return nil
}

func (t *shakeTable) Write(command []float64) error {
	t.plant.Step(&t.now, command)
	return nil
}

// soilRun is one test with its signals over time, and its end.
type soilRun struct {
	method  string
	steps   int
	status  string
	signals [][]float64 // as SoilSignals
}

// one runs a test.
func (s *Soil) one(method string, field freeField) (*soilRun, error) {
	r := &soilRun{method: method, steps: s.Steps, signals: make([][]float64, len(SoilSignals))}
	var transfer plant.TransferMaker = &plant.SecondOrder{Omega: soilOmega, DampingRatio: soilZeta, Gain: 1}
	var comp compensate.Maker = soilCompensator()
	if method == "reference" {
		r.steps, transfer, comp = 1, &plant.Ideal{}, &compensate.None{}
	}
	spec, err := soilSpecimen()
	if err != nil {
		return nil, err
	}
	part, err := soilFoundation(s.Thickness)
	if err != nil {
		return nil, err
	}
	in, err := s.integrator(method, part, field)
	if err != nil {
		return nil, err
	}
	control, err := transfer.Make(plant.At{RateHz: soilRateHz, Specimen: spec})
	if err != nil {
		return nil, err
	}
	c, err := comp.Make(compensate.At{RateHz: soilRateHz, Lead: 1})
	if err != nil {
		return nil, err
	}
	table := &shakeTable{plant: control, now: rths.NewReading(1, 1)}
	table.now.V, table.now.A = make([]float64, 1), make([]float64, 1)
	l, err := rths.NewLoop(rths.Config{
		RateHz: soilRateHz, Samples: len(field), Timing: rths.Timing{Target: rths.Next}, Axes: 1, Forces: 1,
		Integrator: in, Compensator: c, Rig: table,
	})
	if err != nil {
		return nil, err
	}
	floors := newFloors(spec)
	for err = nil; err == nil && !l.Done(); {
		x, v, a := table.now.X[0], table.now.V[0], table.now.A[0]
		for i, value := range append([]float64{x, a}, floors.step(v)...) {
			r.signals[i] = append(r.signals[i], value)
		}
		err = l.Step()
	}
	r.status = "completed"
	if err != nil {
		r.status = "diverged"
	}
	return r, nil
}

// integrator is that of the method, on the free field.
func (s *Soil) integrator(method string, part *structure.Partition, field freeField) (rths.Integrator, error) {
	in, err := s.relative(method, part)
	if err != nil {
		return nil, err
	}
	return newOnField(in, field), nil
}

// relative gives the displacement the base shear causes.
func (s *Soil) relative(method string, part *structure.Partition) (rths.Integrator, error) {
	const h = 1.0 / soilRateHz
	gui, o := &integrate.Gui{Lambda: s.Lambda}, integrate.TwoRate{Steps: s.Steps}
	switch method {
	case "reference":
		return gui.Make(part, h)
	case "dual-explicit":
		o.Predictor = &integrate.DualExplicit{Lambda: s.Lambda}
	case "force-correction":
		o.Predictor, o.ForceFit = &integrate.NoPrediction{}, 8
	default:
		row, err := rths.Find(integrate.Predictors, method)
		if err != nil {
			return nil, err
		}
		o.Predictor = row.Defaults()
	}
	return o.Make(gui, part, h)
}

// soilCompensator is the forward prediction of the table's delay: of low order
// over a main step, as the target is a line in each and its bends would be
// magnified otherwise.
func soilCompensator() *compensate.ForwardPrediction {
	return &compensate.ForwardPrediction{
		Order: 2, Points: 40, TauMs: soilDelayMs, Gain: 1, TauRate: 0.1, GainRate: 0, MaxTauMs: 20, SuspendBelow: 1e-4,
	}
}

func soilFoundation(thickness float64) (*structure.Partition, error) {
	row, err := rths.Find(structure.Kinds, "fe-foundation")
	if err != nil {
		return nil, err
	}
	p := row.Defaults().(*structure.FEFoundation)
	p.Thickness = thickness
	whole, err := p.Make()
	if err != nil {
		return nil, err
	}
	return whole.Attach(whole.Interface, 0)
}

func soilSpecimen() (plant.Specimen, error) {
	row, err := rths.Find(plant.Specimens, "frame")
	if err != nil {
		return nil, err
	}
	return row.Defaults().Make()
}

// floors follows the frame on the motion of its base, to see its floors: the
// classical Runge–Kutta method of order 4 with the base's velocity linear between
// samples.
type floors struct {
	spec     plant.Specimen
	z, trial []float64
	k        [4][]float64
	v        float64 // of the base at the sample before
	base     rths.Motion
	force    []float64
}

func newFloors(spec plant.Specimen) *floors {
	n := spec.States()
	f := &floors{spec: spec, z: make([]float64, n), trial: make([]float64, n), base: rths.NewMotion(1), force: make([]float64, 1)}
	for i := range f.k {
		f.k[i] = make([]float64, n)
	}
	return f
}

// step goes to the next sample, where the base has the velocity v, and returns the
// absolute accelerations of the floors there.
func (f *floors) step(v float64) []float64 {
	const h = 1.0 / soilRateHz
	rate := func(dz, z []float64, part float64) {
		f.base.V[0] = (1-part)*f.v + part*v
		f.spec.Rate(dz, f.force, z, &f.base)
	}
	ahead := func(h float64, k []float64) []float64 {
		for i, z := range f.z {
			f.trial[i] = z + h*k[i]
		}
		return f.trial
	}
	rate(f.k[0], f.z, 0)
	rate(f.k[1], ahead(h/2, f.k[0]), 0.5)
	rate(f.k[2], ahead(h/2, f.k[1]), 0.5)
	rate(f.k[3], ahead(h, f.k[2]), 1)
	for i := range f.z {
		f.z[i] += h / 6 * (f.k[0][i] + 2*f.k[1][i] + 2*f.k[2][i] + f.k[3][i])
	}
	rate(f.k[0], f.z, 1)
	f.v = v
	return f.k[0][len(f.z)/2:] // the states are [y; w], w absolute velocities
}

// rows are those of one test, beside the reference.
func (s *Soil) rows(r, ref *soilRun) []Row {
	var rows []Row
	for i, name := range SoilSignals {
		peak, want := largest(r.signals[i]), largest(ref.signals[i])
		spectrum := math.NaN()
		if r.status != "completed" {
			peak = math.NaN() // there is nothing to compare
		} else {
			spectrum = spectrumError(r.signals[i], ref.signals[i])
		}
		row := Row{
			{"method", r.method}, {"main_step_s", float64(r.steps) / soilRateHz}, {"signal", name}, {"status", r.status},
			{"peak", peak}, {"peak_error_pct", 100 * math.Abs(peak-want) / want}, {"spectrum_error_pct", spectrum},
		}
		if p, ok := paper003Peaks[r.method]; ok && name == "disp0" {
			row = append(row, Cell{"published", p[1]}, Cell{"published_peak", p[0] / 1e3})
		} else {
			row = append(row, Cell{"published", nil})
		}
		rows = append(rows, row)
	}
	return rows
}

func largest(x []float64) (most float64) {
	for _, v := range x {
		most = max(most, math.Abs(v))
	}
	return most
}

// spectrumError is the root of the summed squared differences of both amplitude
// spectra over that of the reference, below soilSpectrumHz, in percent.
func spectrumError(x, ref []float64) float64 {
	n := len(ref) / soilRateHz * soilRateHz // whole seconds: a length of small factors
	fft := fourier.NewFFT(n)
	a, b := fft.Coefficients(nil, x[:n]), fft.Coefficients(nil, ref[:n])
	var diff, sum float64
	for k := range a {
		if fft.Freq(k)*soilRateHz > soilSpectrumHz {
			break
		}
		d := cmplx.Abs(a[k]) - cmplx.Abs(b[k])
		diff += d * d
		sum += cmplx.Abs(b[k]) * cmplx.Abs(b[k])
	}
	return 100 * math.Sqrt(diff/sum)
}
