package papers

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"rths"
	"rths/campaign/suite"
	"rths/method/identify"
	"rths/model/ground"
	"rths/model/integrate"
	"rths/result/record"
	"rths/scenario"
	"rths/scenario/files"
)

// Constants of paper 000, section 3.
const (
	wangG     = 9.81 // m/s²
	wangSeeds = 21
	wangNoise = 0.01 // mm

	wangShaken = 100 // fewest samples of shaking
)

// wangSystem is one of the structures: wang2020-NAME.yaml.
type wangSystem struct {
	pga        float64 // g
	suspend    float64 // m
	compensate []string
	plants     []string
	loops      []string
}

var admSystems = []string{"sdof", "3dof", "lab"}

var wangSystems = map[string]wangSystem{
	"sdof": {pga: 0.263, compensate: []string{"pe", "adm2", "adm3", "adm4"}, plants: []string{"fixed", "varying"},
		loops: []string{"closed"}},
	"3dof": {pga: 0.263, compensate: []string{"pe", "adm2", "adm3", "adm4"}, plants: []string{"fixed", "varying"},
		loops: []string{"closed"}},
	"lab": {pga: 0.1052, suspend: 0.5e-3, compensate: []string{"adm2", "adm3"}, plants: []string{"fixed"},
		loops: []string{"open", "closed"}},
}

// wangTransfers are the loading systems of section 3.1, and a perfect one.
var wangTransfers = map[string]string{
	"fixed":   "transfer={kind: second-order, omega_rad_s: 50, damping_ratio: 0.8}",
	"varying": "transfer={kind: second-order, omega_rad_s: 50, swing_rad_s: 5, swing_rate_rad_s: 1, damping_ratio: 0.8}",
	"ideal":   "transfer={kind: ideal}",
}

// admSystem is a structure with its reference and its off-line phase, for all its runs.
type admSystem struct {
	*ADM
	wangSystem
	name      string
	lab       suite.Lab
	shaking   *scenario.Shaking
	reference []float64 // desired displacement with an ideal loading system, m
	limit     float64   // m: a target beyond it has diverged
	fits      map[string]*identify.Fit
}

// rate is the sampling rate, Hz; the paper's dt is 10/1024 s.
func (s *ADM) rate() float64 { return 1024 / s.Step }

// shake is the record at the instants of the runs, linear between its samples and
// scaled so that the largest of these values is the peak.
func (s *ADM) shake(lab suite.Lab, pga float64) (*scenario.Shaking, error) {
	m, err := (&ground.Record{Record: s.Record, Conditioning: ground.Conditioning{Scale: 1}}).Motion(
		ground.At{Files: files.Disk{}, RecordsDir: lab.RecordsDir})
	if err != nil {
		return nil, err
	}
	first := max(slices.IndexFunc(m.A, func(a float64) bool { return a != 0 })-1, 0)
	if s.Onset {
		m.A, first = m.A[first:], 0
	}
	if least := float64(first)*m.Dt + wangShaken/s.rate(); s.Duration < least {
		return nil, fmt.Errorf("--duration %g: too few samples to fit: %s begins with %.2g s of zeros, want %.1f s or more",
			s.Duration, s.Record, float64(first)*m.Dt, least)
	}
	n := int(math.Round(s.Duration * s.rate()))
	half, peak := m.HalfSteps(s.rate(), n), 0.0
	for i := range n {
		peak = max(peak, math.Abs(half[2*i]))
	}
	if peak == 0 {
		return nil, fmt.Errorf("the first %g s of %s are zero: want shaking to scale", s.Duration, s.Record)
	}
	for i := range half {
		half[i] *= s.PGAFactor * pga * wangG / peak
	}
	return &scenario.Shaking{Motion: m, Samples: n, Half: half}, nil
}

// prepare does the off-line phase (section 2.4, steps 1 to 3): the response of the
// structure, imposed on the constant loading system without compensation and noise,
// and standard least squares.
func (s *ADM) prepare(ctx context.Context, lab suite.Lab, name string) (*admSystem, error) {
	sys := &admSystem{ADM: s, wangSystem: wangSystems[name], name: name, lab: lab, limit: 1e6,
		fits: map[string]*identify.Fit{}}
	var err error
	if sys.shaking, err = s.shake(lab, sys.pga); err != nil {
		return nil, err
	}
	// Step 1, and d_r: the same loop with an ideal loading system.
	if sys.reference, err = sys.response(ctx, "closed"); err != nil {
		return nil, err
	}
	sys.limit = 1000 * math.Max(slices.Max(sys.reference), -slices.Min(sys.reference))
	response := sys.reference
	if slices.Contains(sys.loops, "open") { // section 4.2: without the specimen
		if response, err = sys.response(ctx, "open"); err != nil {
			return nil, err
		}
	}
	measured, err := sys.load(ctx, response)
	if err != nil {
		return nil, err
	}
	for _, n := range sys.compensate {
		if q, ok := strings.CutPrefix(n, "adm"); ok {
			p, q := orders(q)
			if sys.fits[n], err = identify.FitADM(p, q, 1, response, measured); err != nil {
				return nil, err
			}
		}
	}
	return sys, nil
}

// response is the desired displacement with an ideal loading system.
func (s *admSystem) response(ctx context.Context, loop string) ([]float64, error) {
	d, _, err := s.trace(ctx, &admRow{admGroup: admGroup{Plant: "ideal", Loop: loop, Compensator: "none"}})
	return d, err
}

// orders of Table 1: two and three displacements, and three with a past command.
func orders(parameters string) (p, q int) {
	return map[string]int{"4": 1}[parameters], map[string]int{"2": 2, "3": 3, "4": 3}[parameters]
}

// load is the loading test (step 2): an open loop with a displacement history as command
// of the loading system. load returns the displacements measured at the same instants.
func (s *admSystem) load(ctx context.Context, displacement []float64) ([]float64, error) {
	run, err := s.build(ctx, &admRow{admGroup: admGroup{Plant: "fixed", Loop: "open", Compensator: "none"}})
	if err != nil {
		return nil, err
	}
	half := make([]float64, 2*len(displacement))
	for i, x := range displacement {
		half[2*i] = x
	}
	c := run.Loop.Config()
	c.Integrator, c.Observers = integrate.NewPrescribed(half, 1/s.rate()), nil
	loop, err := rths.NewLoop(c)
	if err != nil {
		return nil, err
	}
	_, x, err := follow(loop)
	return x, err
}

// follow runs a loop and returns desired and measured displacement of every tick.
func follow(loop *rths.Loop) (d, x []float64, err error) {
	loop.Attach(suite.Watch(func(f *rths.Frame) {
		if f.Err == nil {
			d, x = append(d, f.Desired[0]), append(x, f.Read.X[0])
		}
	}))
	err = loop.Run(0, nil)
	return d, x, err
}

// build makes the shipped scenario with the settings of a run.
func (s *admSystem) build(ctx context.Context, r *admRow) (*scenario.Run, error) {
	seed := 1
	if r.Seed != nil {
		seed = *r.Seed
	}
	sets := []string{
		"scatter=", "loop=" + cmp.Or(r.Loop, "closed"), wangTransfers[r.Plant], fmt.Sprintf("diverged_m=%g", s.limit),
		fmt.Sprintf("seed=%d", seed),
		fmt.Sprintf("sensors.displacement_noise=%g", r.NoiseMM*1e-3), fmt.Sprintf("rate_hz=%v", s.rate()),
		s.compensator(r.Compensator),
	}
	sc, err := scenario.Shipped("wang2020-"+s.name+".yaml", append(sets, s.Set...)...)
	if err != nil {
		return nil, err
	}
	return sc.Build(ctx, scenario.Options{RecordsDir: s.lab.RecordsDir, Shaking: s.shaking})
}

// compensator is the block of a compensator, with θ0 and P0 of the off-line phase.
func (s *admSystem) compensator(name string) string {
	fit := s.fits[name]
	switch {
	case name == "pe":
		return fmt.Sprintf("compensator={kind: pe, order: 3, spacing: 1, tau_ms: %v}", 1e3*s.Tau)
	case fit == nil:
		return "compensator={kind: none}"
	}
	return fmt.Sprintf(
		"compensator={kind: %s, history: measured, forgetting: 0.97, filter_hz: 0, suspend_below_m: %v, "+
			"remove_offset: false, hold_unstable: %v, theta0: %s, p0: %s}",
		name, max(s.suspend, s.SuspendMM*1e-3), s.name == "lab", numbers(fit.Theta), numbers(fit.P0))
}

// numbers writes a list with every digit.
func numbers(v []float64) string {
	out := make([]string, len(v))
	for i, x := range v {
		out[i] = strconv.FormatFloat(x, 'g', -1, 64)
	}
	return "[" + strings.Join(out, ", ") + "]"
}

// trace runs a run and returns desired and measured displacement.
func (s *admSystem) trace(ctx context.Context, r *admRow) (d, x []float64, err error) {
	run, err := s.build(ctx, r)
	if err != nil {
		return nil, nil, err
	}
	return follow(run.Loop)
}

// run fills a row in. In an open loop the response is the imposed displacement.
func (s *admSystem) run(ctx context.Context, r *admRow) error {
	d, x, err := s.trace(ctx, r)
	r.Published, r.PublishedIn = published000(r.admGroup)
	switch r.Status, _ = scenario.Status(err); {
	case r.Status == rths.Failed:
		return err
	case r.Status == rths.Diverged:
		record.Fill(&r.wangJ, nil)
	case r.Loop == "open":
		r.wangJ = wangIndicators(d, x, nil)
	default:
		r.wangJ = wangIndicators(d, x, s.reference)
	}
	return nil
}

// wangIndicators are J1 to J4 of section 3.2: mm, mm, %, %. No means are removed.
// Without a reference there is no J2 and J4.
func wangIndicators(d, x, reference []float64) wangJ {
	var j1, j2, e3, d2, e4, r2 float64
	for i := range d {
		e := d[i] - x[i]
		j1, e3, d2 = max(j1, math.Abs(e)), e3+e*e, d2+d[i]*d[i]
		if reference != nil {
			e := reference[i] - d[i]
			j2, e4, r2 = max(j2, math.Abs(e)), e4+e*e, r2+reference[i]*reference[i]
		}
	}
	out := wangJ{1e3 * j1, 1e3 * j2, 100 * math.Sqrt(e3/d2), 100 * math.Sqrt(e4/r2)}
	if reference == nil {
		out.J2, out.J4 = math.NaN(), math.NaN()
	}
	return out
}

// offline says what the runs began with, one line for each compensator.
func (s *admSystem) offline() (text string) {
	for _, c := range s.compensate {
		f := s.fits[c]
		if f == nil {
			continue
		}
		text += fmt.Sprintf("  %s, %s: θ0 = %.6g, condition number of Φ %.3g, residual %.2g mm", s.name, c, f.Theta,
			f.Condition, 1e3*f.Residual)
		if w := f.Warning(); w != "" {
			text += "; " + w
		}
		text += "\n"
	}
	return text
}
