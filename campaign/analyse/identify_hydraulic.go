package analyse

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"rths"
	"rths/model/plant"
	"rths/result/tables"
	"rths/scenario"
)

// HydraulicTest is a loading test of a servo-hydraulic actuator, whose parameters Run finds: those with which the
// plant, moved by the recorded commands, gives the measured displacements and forces best. It minimises
//
//	Σ ((x − x̂)/σ_x)² + Σ ((f − f̂)/σ_f)² + Σ z²,  σ from the residuals, means taken out
//
// by the method of Levenberg and Marquardt. z are steps from the first guess, as parts of how well it is trusted.
// Standard errors have the residuals' correlation in time in them (Morelli and Klein 1997, Journal of Guidance,
// Control, and Dynamics 20).
//
// A row holds the command that leaves at an instant, and what is measured at it.
type HydraulicTest struct {
	Command, Measured, Force []float64 // m, N
	RateHz                   float64
	Used                     []tables.Used
	Guess                    plant.Hydraulic // what is not looked for counts as known
	Kind                     string
	Specimen                 plant.SpecimenMaker
}

// unknown is a parameter that a loading test can show.
type unknown struct {
	key    string
	of     func(*plant.Hydraulic) *float64
	spread float64 // standard deviation of the first guess: of the logarithm, or where absolute is above 0 of the value
	// absolute is a standard error that is small enough, beside the relative one; 0: the parameter is positive.
	absolute float64
	shows    string // the experiment
}

var unknowns = []unknown{
	{"rated_flow_l_min", func(p *plant.Hydraulic) *float64 { return &p.RatedFlow }, 0.7, 0,
		"steps that open the valve fully"},
	{"valve_hz", func(p *plant.Hydraulic) *float64 { return &p.ValveHz }, 0.7, 0, "a sweep beyond the valve's frequency"},
	{"valve_damping", func(p *plant.Hydraulic) *float64 { return &p.ValveDamping }, 0.5, 0,
		"a sweep beyond the valve's frequency, and steps"},
	{"valve_slew", func(p *plant.Hydraulic) *float64 { return &p.ValveSlew }, 0.7, 0,
		"steps of the command of several valve strokes, to and fro"},
	{"valve_overlap", func(p *plant.Hydraulic) *float64 { return &p.Overlap }, 0.03, 0.002,
		"a slow sine that opens the valve by 5 % at most"},
	{"leakage_l_min", func(p *plant.Hydraulic) *float64 { return &p.Leakage }, 1, 0,
		"slow moves against a large static force, without pressure feedback at rest"},
	{"bulk_modulus_mpa", func(p *plant.Hydraulic) *float64 { return &p.BulkModulus }, 0.7, 0,
		"a sweep through the resonance of oil and mass, or steps with a heavier specimen"},
	{"coulomb_force_n", func(p *plant.Hydraulic) *float64 { return &p.CoulombForce }, 0.7, 0,
		"slow ramps to and fro, with a softer specimen"},
	{"static_force_n", func(p *plant.Hydraulic) *float64 { return &p.StaticForce }, 0.7, 0,
		"reversals with rests between them"},
	{"stribeck_speed_m_s", func(p *plant.Hydraulic) *float64 { return &p.StribeckSpeed }, 0.7, 0,
		"ramps at several speeds about it"},
	{"presliding_um", func(p *plant.Hydraulic) *float64 { return &p.Presliding }, 0.7, 0,
		"slow reversals over a few times this length"},
	{"bristle_damping", func(p *plant.Hydraulic) *float64 { return &p.BristleDamping }, 0.7, 0,
		"a fast sweep over a few times presliding_um"},
	{"viscous_damping", func(p *plant.Hydraulic) *float64 { return &p.Viscous }, 0.7, 0, "ramps at several speeds"},
}

// Bounds of the fit.
const (
	heldWithin    = 0.2  // of a parameter: its standard error
	tied          = 0.9  // correlation of two parameters from which one is named where the other is not held
	inseparable   = 0.98 // and from which neither is held
	slewedFrom    = 9.0  // change of the cost without valve_slew, of three standard errors: less says nothing of it
	openedAt      = 0.9  // of a full stroke: less says nothing of saturation
	startLap      = 0.01 // of valve_overlap, that another start has
	difference    = 0.01 // of z for derivatives
	unresolved    = 1e-3 // part of the samples in which the plant may want smaller steps
	mostRounds    = 60
	closeBy       = 0.01 // ends a fit: a step of a tenth of a standard error
	correlatedS   = 0.2  // s, over which residuals are taken for correlated
	leastNoise    = 1e-6 // of the largest value: less is rounding and the plant's integration
	quietS        = 0.05 // s, a quiet stretch
	misfitTimes   = 2.5  // noise of the quiet stretch, of the residual
	misfitOf      = 5e-4 // of the rms value
	leastS        = 1.0  // s, of a test
	strangeFrom   = 5.0  // times the first guess's, or its inverse: a wrong unit
	restsWithin   = 0.02 // of the range, that a test begins from 0
	mostHydraulic = 300_000
)

// HydraulicParameter is what the data say of a parameter.
type HydraulicParameter struct {
	Key   string  `json:"key"`
	Value float64 `json:"value"`
	Error float64 `json:"standard_error"`
	Guess float64 `json:"first_guess"`
	Held  bool    `json:"held"`
	Why   string  `json:"why,omitempty"`  // it is not held
	Want  string  `json:"want,omitempty"` // the experiment that would show it
}

// HydraulicFit is the result of HydraulicTest.
type HydraulicFit struct {
	Parameters      []HydraulicParameter
	X, F            []float64  // of the plant, m and N
	Residual, Noise [2]float64 // rms of what the plant leaves, and of a quiet stretch, m and N
	Opening         float64    // largest of the valve, full strokes
	SpoolSpeed      float64    // largest, full strokes per second
	Rounds, Runs    int
	Read, Notes     []string
}

var hydraulicRoles = append(slices.Clone(identifyRoles), tables.ForceRole)

// NewHydraulicTest takes the columns of a loading test as NewIdentify does, and the first guess from a scenario.
func NewHydraulicTest(t *tables.Table, s *scenario.Scenario, columns, unit string,
	rateHz float64) (*HydraulicTest, error) {
	if n := s.Axes(); n > 1 {
		return nil, s.At("interface", fmt.Errorf("%d actuators: want a scenario with one", n))
	}
	guess, ok := s.Transfer.Params.(*plant.Hydraulic)
	if !ok {
		return nil, s.At("transfer.kind", fmt.Errorf("%s has no valve, oil and seals to identify: want "+
			"servo-hydraulic-nonlinear, servo-hydraulic-25kN or servo-hydraulic-2500kN", s.Transfer.Kind))
	}
	values, used, rate, err := takeTest(t, hydraulicRoles, columns, unit, rateHz)
	if err != nil {
		return nil, err
	}
	return &HydraulicTest{Command: values[0], Measured: values[1], Force: values[2], RateHz: rate, Used: used,
		Guess: *guess, Kind: s.Transfer.Kind, Specimen: s.Specimen.Params}, nil
}

func (t *HydraulicTest) check() error {
	n := len(t.Command)
	switch {
	case !(t.RateHz > 0) || math.IsInf(t.RateHz, 0):
		return fmt.Errorf("rate %g Hz: want more than 0", t.RateHz)
	case n < leastSamples || float64(n) < leastS*t.RateHz:
		return fmt.Errorf("%d samples, %.3g s: too short for steps, sweeps and a ramp: want at least %d samples and %g s", n,
			float64(n)/t.RateHz, leastSamples, leastS)
	case n > mostHydraulic:
		return fmt.Errorf("%d samples: want at most %d: a lower rate, or the experiments alone", n, mostHydraulic)
	}
	for _, c := range []struct {
		name, want string
		v          []float64
	}{{"command", "a test that moves", t.Command}, {"measurement", "a test that moves", t.Measured},
		{"force", "the load cell between piston and specimen", t.Force}} {
		if i := slices.IndexFunc(c.v, func(x float64) bool { return !rths.Finite(x) }); i >= 0 {
			return fmt.Errorf("%s of row %d is %g: want a finite number", c.name, i+1, c.v[i])
		}
		if slices.Max(c.v) == slices.Min(c.v) {
			return fmt.Errorf("the %s is %g throughout: want %s", c.name, c.v[0], c.want)
		}
	}
	span := slices.Max(t.Measured) - slices.Min(t.Measured)
	noise := quiet(t.Measured, t.stretch())
	if first := t.Measured[0]; math.Abs(first) > max(restsWithin*span, 5*noise) {
		return fmt.Errorf("the measurement begins at %.4g mm, of %.4g mm that it moves: want a test from rest at 0: "+
			"take the offset out of command and measurement, or begin earlier", 1e3*first, 1e3*span)
	}
	return nil
}

// hydraulicRun is the plant under the recorded commands.
type hydraulicRun struct {
	x, f           []float64
	opening, speed float64
	unresolved     float64      // part of the samples
	r              [2][]float64 // residuals of displacement and force, without their means
}

// simulate moves the plant by the commands. It is at rest before the first.
func (t *HydraulicTest) simulate(p *plant.Hydraulic) (*hydraulicRun, error) {
	specimen, err := t.Specimen.Make()
	if err != nil {
		return nil, err
	}
	out, err := playHydraulic(p, plant.At{RateHz: t.RateHz, Specimen: specimen}, t.Command)
	if err == nil {
		out.r = [2][]float64{centred(t.Measured, out.x), centred(t.Force, out.f)}
	}
	return out, err
}

// playHydraulic moves an actuator from rest by commands.
func playHydraulic(p *plant.Hydraulic, at plant.At, commands []float64) (*hydraulicRun, error) {
	made, err := p.Make(at)
	if err != nil {
		return nil, err
	}
	n := len(commands)
	out := &hydraulicRun{x: make([]float64, n), f: make([]float64, n)}
	var valve, coarse *float64
	for _, c := range made.(rths.Channeler).Channels() {
		switch c.Quantity {
		case "valve":
			valve = c.V
		case "unresolved":
			coarse = c.V
		}
	}
	now, before := rths.NewReading(1, 1), 0.0
	for k := range n {
		out.x[k], out.f[k] = now.X[0], now.F[0]
		made.Step(&now, commands[k:k+1])
		open := *valve / 100
		out.opening, out.speed = max(out.opening, math.Abs(open)), max(out.speed, math.Abs(open-before)*at.RateHz)
		before = open
	}
	if !rths.Finite(now.X[0]) || !rths.Finite(now.F[0]) {
		return nil, errors.New("the simulated actuator runs away: want a higher rate of the data, or other numbers")
	}
	out.unresolved = *coarse / float64(n)
	return out, nil
}

// centred is a − b less its mean.
func centred(a, b []float64) []float64 {
	out := make([]float64, len(a))
	for i := range a {
		out[i] = a[i] - b[i]
	}
	m := mean(out)
	for i := range out {
		out[i] -= m
	}
	return out
}

// Run finds the parameters.
func (t *HydraulicTest) Run() (*HydraulicFit, error) {
	if err := t.check(); err != nil {
		return nil, err
	}
	f := &hydraulicFitter{HydraulicTest: t, start: t.Guess}
	for c, v := range [2][]float64{t.Measured, t.Force} {
		f.least[c] = leastNoise * max(slices.Max(v), -slices.Min(v))
	}
	first, err := t.simulate(&t.Guess)
	if err != nil {
		return nil, fmt.Errorf("the first guess: %w", err)
	}
	if err := t.strange(first); err != nil {
		return nil, err
	}
	for _, u := range unknowns {
		if v := *u.of(&f.start); (v != 0 || u.absolute > 0) && (u.key != "valve_damping" || f.start.ValveOrder == 2) {
			f.of = append(f.of, u)
		}
	}
	if p := &f.start; p.ValveSlew > 0 { // what is not reached has no derivative
		p.ValveSlew = min(p.ValveSlew, 0.8*first.speed)
	}
	z, run, rounds, err := f.best()
	if err != nil {
		return nil, err
	}
	j, err := f.slopes(z, run)
	if err != nil {
		return nil, err
	}
	out := &HydraulicFit{X: run.x, F: run.f, Opening: run.opening, SpoolSpeed: run.speed, Rounds: rounds, Runs: f.runs,
		Residual: [2]float64{rms(run.r[0]), rms(run.r[1])}, Notes: tables.TimeDoubts(t.Used, t.RateHz, len(t.Command))}
	if err := f.report(out, z, run, j); err != nil {
		return nil, err
	}
	f.doubts(out, run)
	return out, nil
}

// strange refuses a displacement or force of another unit or sign.
func (t *HydraulicTest) strange(first *hydraulicRun) error {
	zero := make([]float64, len(t.Command))
	for _, c := range []struct {
		name            string
		model, measured []float64
		unit            string
	}{{"measurement", first.x, t.Measured, "measured=NAME[mm],command=NAME[mm]"},
		{"force", first.f, t.Force, "force=NAME[kN]"}} {
		model, measured, dot := centred(c.model, zero), centred(c.measured, zero), 0.0
		for i, v := range model {
			dot += v * measured[i]
		}
		if size := rms(measured) / rms(model); !(size < strangeFrom && size > 1/strangeFrom) {
			return fmt.Errorf("the %s is %.3g times that of the first guess with this specimen: want its unit, as in "+
				"--columns %s, and the specimen that was moved", c.name, size, c.unit)
		}
		if dot < 0 {
			return fmt.Errorf("the %s has the other sign than the first guess's: want it positive along the command, a "+
				"force where the actuator pushes the specimen that way", c.name)
		}
	}
	return nil
}

// report tells the parameters that are held from those that are not.
func (t *hydraulicFitter) report(out *HydraulicFit, z []float64, run *hydraulicRun, j [2]*mat.Dense) error {
	cov, err := t.covariance(z, run, j)
	if err != nil {
		return err
	}
	found := t.at(z)
	for i, u := range t.of {
		p := HydraulicParameter{Key: u.key, Value: *u.of(found), Guess: *u.of(&t.Guess), Want: u.shows}
		p.Error = u.spread * math.Sqrt(cov.At(i, i))
		if u.absolute == 0 {
			p.Error *= p.Value
		}
		partner, most := "", 0.0
		for k := range t.of {
			if r := math.Abs(cov.At(i, k)) / math.Sqrt(cov.At(i, i)*cov.At(k, k)); k != i && r > most {
				partner, most = t.of[k].key, r
			}
		}
		switch {
		case u.key == "valve_slew" && !t.slewed(found, run, z):
			p.Why = fmt.Sprintf("the data are the same without it: the spool never went faster than %.3g strokes per second",
				run.speed)
		case p.Error > max(heldWithin*math.Abs(p.Value), u.absolute):
			p.Why = "its standard error is " + p.size()
			if most > tied {
				p.Why += fmt.Sprintf(", with a correlation of %.2f with %s", most, partner)
			}
		case most > inseparable:
			p.Why = fmt.Sprintf("the data do not tell it from %s: a correlation of %.3f", partner, most)
		}
		if p.Held = p.Why == ""; p.Held {
			p.Want = ""
		}
		out.Parameters = append(out.Parameters, p)
	}
	return nil
}

// slewed reports whether the limit of the spool's speed shows in the data.
func (t *hydraulicFitter) slewed(found *plant.Hydraulic, run *hydraulicRun, z []float64) bool {
	free := *found
	free.ValveSlew = 0
	without, err := t.simulate(&free)
	sigma := t.noise(run)
	return err != nil || cost(without, z, sigma)-cost(run, z, sigma) > slewedFrom
}

// size is the standard error in words.
func (p *HydraulicParameter) size() string {
	if p.Value == 0 || p.Error > math.Abs(p.Value) {
		return fmt.Sprintf("%.2g", p.Error)
	}
	return fmt.Sprintf("%.2g %%", 100*p.Error/math.Abs(p.Value))
}

// doubts says what the standard errors do not show.
func (t *hydraulicFitter) doubts(out *HydraulicFit, run *hydraulicRun) {
	add := func(format string, a ...any) { out.Notes = append(out.Notes, fmt.Sprintf(format, a...)) }
	for c, v := range [2][]float64{t.Measured, t.Force} {
		out.Noise[c] = quiet(v, t.stretch())
		if left := out.Residual[c]; t.misfit(run, c) {
			whole := rms(centred(v, make([]float64, len(v))))
			what, size := [2]string{"displacement", "force"}[c], [2]string{"µm", "N"}[c]
			f := [2]float64{1e6, 1}[c]
			add("the actuator leaves %.3g %s of the %s, %.2g %% of it, where a quiet stretch has %.2g %s: something moves it "+
				"that is not in the model, or what counts as known is wrong (specimen, areas, inner controller, a column that "+
				"comes late), and the parameters may be off by more than their standard errors: look at --out",
				f*left, size, what, 100*left/whole, f*out.Noise[c], size)
		}
	}
	if out.Opening < openedAt {
		add("the valve never opened more than %.2g %%: nothing in these data saturates, and rated_flow_l_min is that of "+
			"smaller openings: want steps that open it fully", 100*out.Opening)
	}
	if run.unresolved > unresolved {
		add("the plant wanted smaller steps in %.2g %% of the samples: want a higher rate of the data", 100*run.unresolved)
	}
	if out.Rounds == mostRounds {
		add("the fit had not settled after %d rounds: want a better first guess", mostRounds)
	}
	var zero []string
	for _, u := range unknowns {
		if *u.of(&t.start) == 0 && u.absolute == 0 {
			zero = append(zero, u.key)
		}
	}
	if len(zero) > 0 {
		add("not looked for, because the first guess has none: %s", strings.Join(zero, ", "))
	}
}

// stretch is the samples of a quiet stretch.
func (t *HydraulicTest) stretch() int { return max(10, int(quietS*t.RateHz)) }

// quiet is the least rms about a straight line in stretches of some samples.
func quiet(v []float64, samples int) float64 {
	least := math.Inf(1)
	for from := 0; from+samples <= len(v); from += samples {
		part := slices.Clone(v[from : from+samples])
		level, slope := line(part)
		for i := range part {
			part[i] -= level + slope*float64(i)
		}
		least = min(least, rms(part))
	}
	return least
}
