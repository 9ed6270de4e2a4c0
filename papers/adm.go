package papers

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"rths"
	"rths/compensate"
	"rths/ground"
	"rths/integrate"
	"rths/scenario"
)

// ADM describes the suite of compensation with a discrete model (paper 000 sections 3
// and 4): virtual tests of an oscillator without damping and of a shear frame with a
// bilinear storey, on a second-order loading system that is constant or varies,
// with and without noise; and the laboratory's structure on the same plant.
// docs/wang2020.md, Defaults of the suite, has the choices that the paper leaves open.
type ADM struct {
	Systems    []string
	PGAFactor  float64 // on the peak ground acceleration
	Tau        float64 // s, of the polynomial extrapolation
	Duration   float64 // s
	Onset      bool    // leave out the zeros the record begins with
	SuspendMM  float64 // no update of the virtual tests' compensators below it, mm
	Record     string
	RecordsDir string
	Workers    int
	Progress   func(done int)
}

// ADMSystems are those of the suite, in the order of the table.
var ADMSystems = []string{"sdof", "3dof", "lab"}

// Constants of paper 000, section 3 (docs/wang2020.md).
const (
	wangRate  = 102.4 // Hz: dt = 10/1024 s
	wangG     = 9.81  // m/s²
	wangSeeds = 21
	wangNoise = 0.01 // mm

	wangShaken = 100 // fewest samples of shaking
)

// wangSystem is one of the structures, with its loading system.
type wangSystem struct {
	pga        float64 // g
	structure  string
	specimen   string
	suspend    float64 // m
	hold       bool    // parameters of a model with a pole outside the unit circle
	compensate []string
	plants     []string
	loops      []string
}

var wangSystems = map[string]wangSystem{
	"sdof": {
		pga: 0.263, structure: "{kind: shear, masses: [1000], stiffnesses: [39478.4]}",
		specimen:   "{kind: linear, stiffness: 39478.4}",
		compensate: []string{"pe", "adm2", "adm3", "adm4"}, plants: []string{"fixed", "varying"}, loops: []string{"closed"},
	},
	"3dof": { // masses of 1000 kg, not 1 (errata 000.5)
		pga:        0.263,
		structure:  "{kind: shear, masses: [1000, 1000, 1000], stiffnesses: [2e5, 2e5, 2e5], damping: {rayleigh: {ratio: 0.02, modes: [1, 2]}}}",
		specimen:   "{kind: bilinear, stiffness: 2e5, post_stiffness: 1e5, yield_displacement: 0.006}",
		compensate: []string{"pe", "adm2", "adm3", "adm4"}, plants: []string{"fixed", "varying"}, loops: []string{"closed"},
	},
	"lab": { // section 4; the damping ratio is of both columns together
		pga: 0.1052, structure: "{kind: shear, masses: [500], stiffnesses: [2.1e6], damping: {modal_ratio: [0.05]}}",
		specimen: "{kind: linear, stiffness: 1.1e6}", suspend: 0.5e-3, hold: true,
		compensate: []string{"adm2", "adm3"}, plants: []string{"fixed"}, loops: []string{"open", "closed"},
	},
}

// admRun is one run of the suite.
type admRun struct {
	system, plant, loop, compensator string
	noise                            float64 // mm
	seed                             int     // 0 without noise
	status                           string
	j                                [4]float64 // mm, mm, %, %
}

// group of runs that differ in their seed only.
func (r *admRun) group() admRun {
	return admRun{system: r.system, plant: r.plant, loop: r.loop, compensator: r.compensator, noise: r.noise}
}

// admSystem is what the runs of a system share: its reference and its off-line phase.
type admSystem struct {
	*ADM
	wangSystem
	shaking   *scenario.Shaking
	reference []float64 // desired displacement with an ideal loading system, m
	limit     float64   // m: a target beyond it has diverged
	fits      map[string]*compensate.Fit
}

// Run runs the suite.
func (s *ADM) Run(ctx context.Context) (*Suite, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	systems := map[string]*admSystem{}
	for _, name := range s.Systems {
		var err error
		if systems[name], err = s.prepare(name); err != nil {
			return nil, fmt.Errorf("benchmark adm: %s: %w", name, err)
		}
	}
	runs := s.runs()
	err := parallel(ctx, s.Workers, len(runs), s.Progress, func(i int) error { return systems[runs[i].system].one(runs[i]) })
	if err != nil {
		return nil, err
	}
	return &Suite{Name: "adm", Rows: s.rows(runs)}, nil
}

// Runs is their number.
func (s *ADM) Runs() int { return len(s.runs()) }

func (s *ADM) check() error {
	for _, name := range s.Systems {
		if !slices.Contains(ADMSystems, name) {
			return fmt.Errorf("benchmark adm: system %q: want one of %s", name, strings.Join(ADMSystems, ", "))
		}
	}
	if name, twice := repeated(s.Systems); twice {
		return fmt.Errorf("benchmark adm: system %s stands twice", name)
	}
	for _, q := range []struct {
		flag    string
		v, most float64
		zero    bool
	}{{"pga-factor", s.PGAFactor, 1e6, false}, {"tau", s.Tau, 10, false}, {"duration", s.Duration, 1e4, false}, {"suspend-mm", s.SuspendMM, 1e6, true}} {
		switch {
		case q.zero && !(q.v >= 0 && q.v <= q.most):
			return fmt.Errorf("benchmark adm: --%s %g: want 0 to %g", q.flag, q.v, q.most)
		case !q.zero && !(q.v > 0 && q.v <= q.most):
			return fmt.Errorf("benchmark adm: --%s %g: want more than 0, at most %g", q.flag, q.v, q.most)
		}
	}
	if len(s.Systems) == 0 {
		return fmt.Errorf("benchmark adm: nothing to run: want at least one system")
	}
	return nil
}

func (s *ADM) runs() []*admRun {
	var runs []*admRun
	for _, name := range s.Systems {
		sys := wangSystems[name]
		for _, loop := range sys.loops {
			for _, plant := range sys.plants {
				for _, noise := range []float64{0, wangNoise} {
					for _, compensator := range sys.compensate {
						r := admRun{system: name, plant: plant, loop: loop, compensator: compensator, noise: noise}
						if noise == 0 {
							runs = append(runs, &r)
							continue
						}
						for seed := range wangSeeds {
							noisy := r
							noisy.seed = seed + 1
							runs = append(runs, &noisy)
						}
					}
				}
			}
		}
	}
	return runs
}

// shake is the record at the instants of the runs, linear between its samples and
// scaled so that the largest of these values is the peak.
func (s *ADM) shake(pga float64) (*scenario.Shaking, error) {
	m, err := (&ground.Record{Record: s.Record, Conditioning: ground.Conditioning{Scale: 1}}).Motion(ground.At{RecordsDir: s.RecordsDir})
	if err != nil {
		return nil, err
	}
	first := max(slices.IndexFunc(m.A, func(a float64) bool { return a != 0 })-1, 0)
	if s.Onset {
		m.A, first = m.A[first:], 0
	}
	if least := float64(first)*m.Dt + wangShaken/wangRate; s.Duration < least {
		return nil, fmt.Errorf("--duration %g: too few samples to fit: %s begins with %.2g s of zeros, want %.1f s or more", s.Duration, s.Record, float64(first)*m.Dt, least)
	}
	n := int(math.Round(s.Duration * wangRate))
	half, peak := m.HalfSteps(wangRate, n), 0.0
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
func (s *ADM) prepare(name string) (*admSystem, error) {
	sys := &admSystem{ADM: s, wangSystem: wangSystems[name], limit: 1e6, fits: map[string]*compensate.Fit{}}
	var err error
	if sys.shaking, err = s.shake(sys.pga); err != nil {
		return nil, err
	}
	// Step 1, and d_r: the same loop with a loading system that is where it should be.
	if sys.reference, _, err = sys.trace(&admRun{compensator: "none", plant: "ideal", loop: "closed"}); err != nil {
		return nil, err
	}
	sys.limit = 1000 * math.Max(slices.Max(sys.reference), -slices.Min(sys.reference))
	response := sys.reference
	if slices.Contains(sys.loops, "open") { // section 4.2: without the specimen
		if response, _, err = sys.trace(&admRun{compensator: "none", plant: "ideal", loop: "open"}); err != nil {
			return nil, err
		}
	}
	measured, err := sys.load(response)
	if err != nil {
		return nil, err
	}
	for _, n := range sys.compensate {
		if q, ok := strings.CutPrefix(n, "adm"); ok {
			p, q := orders(q)
			if sys.fits[n], err = compensate.FitADM(p, q, 1, response, measured); err != nil {
				return nil, err
			}
		}
	}
	return sys, nil
}

// orders of Table 1: two and three displacements, and three with a past command.
func orders(parameters string) (p, q int) {
	return map[string]int{"4": 1}[parameters], map[string]int{"2": 2, "3": 3, "4": 3}[parameters]
}

// load is the loading test (step 2): a displacement imposed on the loading system as
// its command, open loop. It returns what is measured at the same instants.
func (s *admSystem) load(displacement []float64) ([]float64, error) {
	run, err := s.build(&admRun{compensator: "none", plant: "fixed", loop: "open"})
	if err != nil {
		return nil, err
	}
	half := make([]float64, 2*len(displacement))
	for i, x := range displacement {
		half[2*i] = x
	}
	c := run.Loop.Config()
	c.Integrator, c.Observers = integrate.NewPrescribed(half, 1/wangRate), nil
	loop, err := rths.NewLoop(c)
	if err != nil {
		return nil, err
	}
	_, x, err := follow(loop)
	return x, err
}

// follow runs a loop and returns desired and measured displacement of every tick.
func follow(loop *rths.Loop) (d, x []float64, err error) {
	for !loop.Done() {
		if err := loop.Step(); err != nil {
			return d, x, err
		}
		f := loop.Frame()
		d, x = append(d, f.Desired[0]), append(x, f.Read.X[0])
	}
	return d, x, nil
}

// build makes the scenario of a run.
func (s *admSystem) build(r *admRun) (*scenario.Run, error) {
	transfer := map[string]string{
		"fixed":   "{kind: second-order, omega_rad_s: 50, damping_ratio: 0.8}",
		"varying": "{kind: second-order, omega_rad_s: 50, swing_rad_s: 5, swing_rate_rad_s: 1, damping_ratio: 0.8}",
		"ideal":   "{kind: ideal}",
	}[r.plant]
	text := strings.Join([]string{
		"name: paper 000", "rate_hz: 102.4", "limits: none", fmt.Sprintf("diverged_m: %g", s.limit), "force: computed", "timing: {target: next}", "integrator: {kind: central-difference}",
		"ground: {record: " + strconv.Quote(s.Record) + "}",
		"loop: " + r.loop, "structure: " + s.structure, "specimen: " + s.specimen, "transfer: " + transfer, "compensator: " + s.compensatorBlock(r),
		fmt.Sprintf("seed: %d", max(r.seed, 1)), fmt.Sprintf("sensors: {displacement_noise: %g}", r.noise*1e-3), "",
	}, "\n")
	sc, err := scenario.Parse("suite adm", []byte(text), ".", nil)
	if err != nil {
		return nil, err
	}
	return sc.Build(scenario.Options{RecordsDir: s.RecordsDir, Shaking: s.shaking})
}

// compensatorBlock is the compensator of a run as in a scenario, with θ0 and P0 of the
// off-line phase.
func (s *admSystem) compensatorBlock(r *admRun) string {
	fit := s.fits[r.compensator]
	switch {
	case r.compensator == "pe":
		return fmt.Sprintf("{kind: pe, order: 3, spacing: 1, tau_ms: %v}", 1e3*s.Tau)
	case fit == nil:
		return "{kind: none}"
	}
	return fmt.Sprintf("{kind: %s, history: measured, forgetting: 0.97, filter_hz: 0, suspend_below_m: %v, hold_unstable: %v, theta0: %s, p0: %s}",
		r.compensator, max(s.suspend, s.SuspendMM*1e-3), s.hold, numbers(fit.Theta), numbers(fit.P0))
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
func (s *admSystem) trace(r *admRun) (d, x []float64, err error) {
	run, err := s.build(r)
	if err != nil {
		return nil, nil, err
	}
	return follow(run.Loop)
}

func (s *admSystem) one(r *admRun) error {
	d, x, err := s.trace(r)
	switch r.status, _ = scenario.Status(err); {
	case r.status == "failed":
		return err
	case r.status == "diverged":
		r.j = [4]float64{math.NaN(), math.NaN(), math.NaN(), math.NaN()}
	case r.loop == "open": // nothing is fed back: the response is what was imposed
		r.j = wangIndicators(d, x, nil)
	default:
		r.j = wangIndicators(d, x, s.reference)
	}
	return nil
}

// wangIndicators are J1 to J4 of section 3.2: mm, mm, %, %. No means are removed.
// Without a reference there is no J2 and J4.
func wangIndicators(d, x, reference []float64) [4]float64 {
	var j1, j2, e3, d2, e4, r2 float64
	for i := range d {
		e := d[i] - x[i]
		j1, e3, d2 = max(j1, math.Abs(e)), e3+e*e, d2+d[i]*d[i]
		if reference != nil {
			e := reference[i] - d[i]
			j2, e4, r2 = max(j2, math.Abs(e)), e4+e*e, r2+reference[i]*reference[i]
		}
	}
	out := [4]float64{1e3 * j1, 1e3 * j2, 100 * math.Sqrt(e3/d2), 100 * math.Sqrt(e4/r2)}
	if reference == nil {
		out[1], out[3] = math.NaN(), math.NaN()
	}
	return out
}

// admKeys are the indicators of a row, in order.
var admKeys = []string{"J1_mm", "J2_mm", "J3_pct", "J4_pct"}

// rows lists the runs.
func (s *ADM) rows(runs []*admRun) []Row {
	var rows []Row
	for _, r := range runs {
		row := append(s.head(r), Cell{"seed", nil}, Cell{"status", r.status})
		if r.seed > 0 {
			row[len(row)-2].V = r.seed
		}
		row = append(row, cells(admKeys, r.j[:])...)
		rows = append(rows, append(row, published000(r.group())...))
	}
	return rows
}

func (s *ADM) head(r *admRun) Row {
	row := Row{{"system", r.system}, {"plant", r.plant}}
	if r.system == "lab" {
		row = append(row, Cell{"loop", r.loop})
	}
	return append(row, Cell{"noise_mm", r.noise}, Cell{"compensator", r.compensator})
}

func cells(keys []string, v []float64) []Cell {
	var out []Cell
	for i, key := range keys {
		out = append(out, Cell{key, v[i]})
	}
	return out
}

// ADMMedians has a row for every run without noise, and one with the medians of
// the 21 runs of every group with noise. A run that diverged counts as worse than any
// other.
func ADMMedians(suite *Suite) []Row {
	var out []Row
	for i := 0; i < len(suite.Rows); i++ {
		row := suite.Rows[i]
		if row.Get("seed") == nil {
			out = append(out, row)
			continue
		}
		group := suite.Rows[i : i+wangSeeds]
		i += wangSeeds - 1
		completed := 0
		for _, r := range group {
			if r.Get("status") == "completed" {
				completed++
			}
		}
		median := slices.Clone(row)
		for j, c := range median {
			switch {
			case c.Key == "seed":
				median[j] = Cell{"runs", len(group)}
			case c.Key == "status":
				median[j].V = fmt.Sprintf("median, %d of %d completed", completed, len(group))
			case slices.Contains(admKeys, c.Key):
				median[j].V = medianOf(group, c.Key)
			}
		}
		out = append(out, median)
	}
	return out
}

// medianOf an odd number of rows; NaN where it is a diverged one.
func medianOf(rows []Row, key string) float64 {
	var v []float64
	for _, r := range rows {
		x := r.Float(key)
		if math.IsNaN(x) {
			x = math.Inf(1)
		}
		v = append(v, x)
	}
	slices.Sort(v)
	if m := v[len(v)/2]; !math.IsInf(m, 1) {
		return m
	}
	return math.NaN()
}

// published000 is what Tables 2 to 6 print for a group.
func published000(group admRun) []Cell {
	v, ok := paper000Tables[group]
	if !ok {
		return nil
	}
	var out []Cell
	for i, key := range admKeys {
		if !math.IsNaN(v.j[i]) {
			out = append(out, Cell{"published_" + key, v.j[i]})
		}
	}
	return append(out, Cell{"published_in", v.table})
}

// Settings say what the runs began with, one line each.
func (s *ADM) Settings() ([]string, error) {
	var out []string
	for _, name := range s.Systems {
		sys, err := s.prepare(name)
		if err != nil {
			return nil, err
		}
		for _, c := range sys.compensate {
			f := sys.fits[c]
			if f == nil {
				continue
			}
			line := fmt.Sprintf("%s, %s: θ0 = %.6g, condition number of Φ %.3g, residual %.2g mm", name, c, f.Theta, f.Condition, 1e3*f.Residual)
			if w := f.Warning(); w != "" {
				line += "; " + w
			}
			out = append(out, line)
		}
	}
	return out, nil
}
