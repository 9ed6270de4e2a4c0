package scenario

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"rths"
	"rths/model/integrate"
	"rths/model/plant"
)

// Pace is the block of how fast a test goes; rths.Kind chooses it by its name.
type Pace interface {
	// plan is how the path goes at the sampling rate of the loop (Hz), with steps of dt (s) of the numerical part.
	plan(rateHz, dt float64) (tempo, error)
	step() float64 // of the numerical part, s; 0: left open
}

// tempo is how a path goes from target to target.
type tempo struct {
	integrate.Path         // without its client
	dt             float64 // step of the numerical part, s of structure
	oneMotion      bool    // a step has one target
}

// paces is the table of paces.
var paces = []rths.Kind[Pace]{
	{
		Name: "real-time", Doc: "a second of the structure takes a second in the laboratory",
		Ref:      "Nakashima, Kato and Takaoka 1992",
		Defaults: func() Pace { return &realTime{} },
	},
	{
		Name: "continuous",
		Doc: "slow, and never at rest: a cubic through the targets, whose velocity is continuous; the force is read as the " +
			"specimen passes a target",
		Ref:      "Mosqueda, Stojadinovic and Mahin 2005; Schellenberg, Mahin and Fenves 2009, section 2.5",
		Defaults: func() Pace { return &continuous{TimeScale: 10} },
	},
	{
		Name: "ramp-hold",
		Doc: "slow, with a stop at every target: ramp, settle, mean of the force, next step. Inertia and viscous force of the " +
			"specimen are then zero",
		Ref:      "Mahin and Shing 1985; Shing, Nakashima and Bursi 1996",
		Defaults: func() Pace { return &rampHold{TimeScale: 10, Ramp: "smooth"} },
	},
}

type realTime struct{}

func (*realTime) step() float64 { return 0 }

func (*realTime) plan(rateHz, dt float64) (t tempo, err error) {
	t = tempo{dt: dt, oneMotion: true}
	exact := dt * rateHz
	if t.Samples = int(math.Round(exact)); !wholeNumber(exact) {
		return t, fmt.Errorf("a step of %g s is %.6g samples at %g Hz: real time wants a whole number, as %.10g s has; or a slow "+
			"pace", dt, exact, rateHz, max(1, math.Round(exact))/rateHz)
	}
	t.pass()
	return t, nil
}

// wholeNumber reports whether a number of samples is one, up to rounding.
func wholeNumber(exact float64) bool {
	n := math.Round(exact)
	return n >= 1 && math.Abs(exact-n) <= 1e-9*exact
}

// pass has the path go through its targets; one that comes with every sample is where the path goes.
func (t *tempo) pass() {
	if t.Samples == 1 {
		t.Ramp = integrate.Smooth
	}
}

type continuous struct {
	Dt        float64 `yaml:"dt_s,omitempty" doc:"step of the numerical part, s of the structure; left out: a sample, 1/rate_hz. Beside structure external its dt_s counts"`
	TimeScale float64 `yaml:"time_scale" doc:"seconds of the laboratory for a second of the structure, 1 or more; a step has a whole number of samples"`
}

func (c *continuous) step() float64 { return c.Dt }

func (c *continuous) plan(rateHz, dt float64) (t tempo, err error) {
	t = tempo{dt: dt}
	if err := wantSlow(c.TimeScale, dt); err != nil {
		return t, err
	}
	exact := c.TimeScale * dt * rateHz
	if t.Samples = int(math.Round(exact)); !wholeNumber(exact) || exact > mostPaced {
		return t, fmt.Errorf("time_scale %g: a step of %g s takes %.6g samples at %g Hz: want a whole number, 1 to %g, as with "+
			"time_scale %.10g", c.TimeScale, dt, exact, rateHz, mostPaced, max(1, math.Ceil(exact-1e-9))/(dt*rateHz))
	}
	t.pass()
	return t, nil
}

// mostPaced is the largest number of samples of a step.
const mostPaced = 1e7

func wantSlow(scale, dt float64) error {
	switch {
	case !(scale >= 1) || scale > 1e6:
		return fmt.Errorf("time_scale %g: want 1 (real time) to 1e6 seconds of the laboratory for a second of the structure", scale)
	case !(dt > 0) || dt > 1e3:
		return fmt.Errorf("dt_s %g s: want the step of the numerical part, more than 0, at most 1000", dt)
	}
	return nil
}

type rampHold struct {
	Dt        float64 `yaml:"dt_s,omitempty" doc:"step of the numerical part, s of the structure; left out: a sample, 1/rate_hz. Beside structure external its dt_s counts"`
	TimeScale float64 `yaml:"time_scale" doc:"seconds of a ramp for a second of the structure, 1 or more; holds come on top"`
	Ramp      string  `yaml:"ramp" doc:"smooth: velocity and acceleration begin and end at zero; linear: constant velocity"`
	Speed     float64 `yaml:"speed_m_s,omitempty" doc:"largest velocity of a ramp, m/s (rad/s): a ramp that would be faster takes longer; left out: rate_m_s of the actuator, where it is stated"`
	Settle    *Settle `yaml:"settle,omitempty" doc:"what ends a hold; left out: the first average readings at the target"`
	Average   int     `yaml:"average,omitempty" doc:"last readings of the hold whose mean displacement and force go to the numerical part, 1 to settle.samples; left out: 1"`
}

// Settle is the block of a hold.
type Settle struct {
	ToleranceM float64 `yaml:"tolerance_m,omitempty" doc:"largest distance of the measured displacement from the target, m (rad), in a hold that ends; left out: any"`
	Samples    int     `yaml:"samples" doc:"readings in a row within it that end the hold, 1 or more"`
	TimeoutS   float64 `yaml:"timeout_s" doc:"longest hold, s: beyond the guard takes over as on a target that is not finite"`
}

// Prepare sets the defaults.
func (s *Settle) Prepare() { s.Samples, s.TimeoutS = 1, 10 }

func (r *rampHold) step() float64 { return r.Dt }

func (r *rampHold) plan(rateHz, dt float64) (t tempo, err error) {
	t = tempo{dt: dt}
	if err := wantSlow(r.TimeScale, dt); err != nil {
		return t, err
	}
	switch t.Samples = int(min(mostPaced, math.Ceil(r.TimeScale*dt*rateHz-1e-9))); {
	case r.TimeScale*dt*rateHz > mostPaced:
		return t, fmt.Errorf("time_scale %g: a ramp of %.4g samples: want at most %g", r.TimeScale, r.TimeScale*dt*rateHz, mostPaced)
	case r.Ramp == "smooth":
		t.Ramp = integrate.Smooth
	case r.Ramp == "linear":
		t.Ramp = integrate.Linear
	default:
		return t, fmt.Errorf("ramp %.40q: want smooth or linear", r.Ramp)
	}
	if !(r.Speed >= 0) || math.IsInf(r.Speed, 0) {
		return t, fmt.Errorf("speed_m_s %g m/s: want more than 0, or leave it out", r.Speed)
	}
	t.Speed = r.Speed / rateHz
	t.Hold, err = r.hold(rateHz)
	return t, err
}

// hold is what happens at a target.
func (r *rampHold) hold(rateHz float64) (h integrate.Hold, err error) {
	if r.Average < 0 || r.Average > mostPaced {
		return h, fmt.Errorf("average %d: want 1 reading or more, or leave it out", r.Average)
	}
	h.Average, h.Settled = max(1, r.Average), max(1, r.Average)
	s := r.Settle
	if s == nil {
		return h, nil
	}
	h.Settled, h.Tolerance = s.Samples, s.ToleranceM
	h.Timeout = int(math.Ceil(min(mostPaced, s.TimeoutS*rateHz)))
	switch {
	case s.Samples < 1 || s.Samples > mostPaced:
		return h, fmt.Errorf("settle.samples %d: want 1 or more readings", s.Samples)
	case h.Average > h.Settled:
		return h, fmt.Errorf("average %d with settle.samples %d: want at most as many, as the mean is of the readings that end "+
			"the hold", h.Average, h.Settled)
	case !(s.ToleranceM >= 0) || math.IsInf(s.ToleranceM, 0):
		return h, fmt.Errorf("settle.tolerance_m %g m: want more than 0, or leave it out", s.ToleranceM)
	case !(s.TimeoutS > 0) || s.TimeoutS > 1e5:
		return h, fmt.Errorf("settle.timeout_s %g s: want more than 0, at most 1e5", s.TimeoutS)
	case h.Timeout < h.Settled:
		return h, fmt.Errorf("settle.timeout_s %g s is %d samples, and settle.samples is %d: want a longer time", s.TimeoutS,
			h.Timeout, h.Settled)
	}
	return h, nil
}

// integrators are those of every test, and then those of slow tests.
var integrators = slices.Concat(integrate.Kinds, integrate.Slow)

// Slow reports whether the numerical part waits for the laboratory: its steps are not the samples of the loop.
func (s *Scenario) Slow() bool { return s.Pace.Given() && s.Pace.Kind != paces[0].Name }

// StepHz is the number of steps of the numerical part in a second of the structure.
func (s *Scenario) StepHz() float64 {
	if s.Slow() && s.External() == nil {
		if dt := s.Pace.Params.step(); dt > 0 {
			return 1 / dt
		}
	}
	return s.RateHz
}

// tempo is how the path goes, of a slow test or of a structure elsewhere.
func (s *Scenario) tempo() (tempo, error) {
	dt := 1 / s.StepHz()
	if p := s.External(); p != nil {
		dt = p.Dt
	}
	var pace Pace = &realTime{}
	if s.Pace.Given() {
		pace = s.Pace.Params
	}
	t, err := pace.plan(s.RateHz, dt)
	if p := s.External(); p != nil && err == nil {
		if t.Extrapolate, err = p.Late(t.Samples, t.Ramp != integrate.Cubic); err != nil {
			err = lateKey{err}
		}
	}
	return t, err
}

// checkPace refuses what a slow test has no use for.
func (s *Scenario) checkPace(want wanting) {
	if s.Pace.Given() || s.External() != nil {
		_, err := s.tempo()
		key := "pace"
		if _, late := err.(lateKey); late || !s.Pace.Given() {
			key = "structure"
		}
		want(key, err == nil, "%v", err)
	}
	if !s.Slow() {
		_, slow := s.Integrator.Params.(*integrate.AlphaOS)
		want("integrator", !slow, "%s is for slow tests: want pace continuous or ramp-hold, or another integrator", s.Integrator.Kind)
		return
	}
	if s.Place("timing.target") == "" {
		s.Timing.Target = "next"
	}
	want("timing", s.Timing.Target == "next",
		"target %s with a slow pace: want next, or leave it out, so that the force of a target is measured at it", s.Timing.Target)
	want("timing", s.Timing.ForceDelay == 0 && s.Timing.ForcePredict == 0,
		"force_delay %d, force_predict %g with a slow pace, which waits for the force at the target: leave both out",
		s.Timing.ForceDelay, s.Timing.ForcePredict)
	want("loop", s.Loop != "open", "open with a slow pace, whose next step waits for the force: want closed, or pace real-time")
	dt := s.Pace.Params.step()
	want("pace.dt_s", dt >= 0, "%g s: want the step of the numerical part, more than 0, or leave it out", dt)
	want("pace.dt_s", s.External() == nil || dt == 0,
		"has no effect with structure external, whose dt_s counts: leave it out here")
	want("interface_motion", !s.OnShakeTable(),
		"%s with a slow pace: on a shake table the specimen's inertia is the force, and a slow table gives none", s.Motion)
	want("two_rate", s.TwoRate == nil, "with a slow pace, whose numerical part has its own steps (pace.dt_s): leave it out")
	want("passivity", s.Passivity == nil, "with a slow pace, which has no delay to damp: leave it out")
	want("devices", !s.learns(), "learn with a slow pace is not there: leave learn out")
	want("coupler", !s.ownNode(), "%s with a slow pace is not there: want linear or rigid-body, or no coupler", s.Coupler.Kind)
	r, holds := s.Pace.Params.(*rampHold)
	rate := s.Rating().Rate
	want("pace", !holds || rate == 0 || r.Speed <= rate, "speed_m_s %g m/s, and the actuator has %g m/s: want at most that", s.speed(),
		rate)
}

func (s *Scenario) speed() float64 {
	if r, ok := s.Pace.Params.(*rampHold); ok {
		return r.Speed
	}
	return 0
}

// lateKey marks errors of structure.extrapolate_samples.
type lateKey struct{ error }

// left is what a slow pace leaves of the inertia and of the viscous force of a specimen: λ⁻² and λ⁻¹ in motion,
// nothing in a hold.
func (t *tempo) left(rateHz float64) (inertia, viscous float64) {
	if t.Stands() {
		return 0, 0
	}
	scale := t.lambda(rateHz)
	return 1 / (scale * scale), 1 / scale
}

// lambda is the planned seconds of the laboratory for a second of the structure.
func (t *tempo) lambda(rateHz float64) float64 { return float64(t.Samples) / (rateHz * t.dt) }

// carry has the numerical part carry what a slow measurement misses of mass and viscous damping of the specimens.
func (b *builder) carry() error {
	b.apart = b.part
	if !b.s.Slow() || b.part == nil {
		return nil
	}
	m, c, err := b.boundary.inertia(b)
	if err != nil {
		return err
	}
	t, err := b.s.tempo()
	if err != nil {
		return err
	}
	inertia, viscous := t.left(b.s.RateHz)
	m.Scale(1-inertia, m)
	c.Scale(1-viscous, c)
	b.part, err = b.part.Carrying(m, c)
	return err
}

// slowDown puts the path between numerical part and specimen.
func (b *builder) slowDown() error {
	if !b.s.Slow() || b.s.External() != nil {
		return nil
	}
	t, err := b.s.tempo()
	if err != nil {
		return err
	}
	if i, ok := rths.As[integrate.Iterative](b.integ); ok && b.s.Pace.Kind == "continuous" && i.Motions() > 1 {
		return fmt.Errorf("continuous with integrator %s, which has %d targets in a step: want ramp-hold", b.s.Integrator.Kind,
			i.Motions())
	}
	wave, components := b.wave()
	coordinates, _, _ := b.boundary.size()
	b.run.Steps = b.run.Samples
	steps, err := integrate.NewPaced(b.integ, coordinates, b.dt, b.run.Steps, wave, components)
	if err != nil {
		return b.s.At("integrator", err)
	}
	if rate := b.s.Rating().Rate; t.Ramp != integrate.Cubic && t.Speed == 0 && rate > 0 && b.coupler == nil {
		t.Speed = rate / b.s.RateHz // no ramp is faster than the actuator
	}
	t.Client, t.Rest = steps, b.rest(t.Samples)
	b.path, b.run.path = &t.Path, &t.Path
	if b.integ, err = b.path.Make(coordinates, 1/b.s.RateHz); err != nil {
		return err
	}
	b.run.Samples, b.most, err = b.ticks(&t)
	b.run.Notes = append(b.run.Notes, b.slowly(&t)...)
	b.run.Watched = append(b.run.Watched, slowResults{b.run, &t, b.integ})
	return errors.Join(err, b.unsettled(&t))
}

// unsettled says what the tolerance of holds may do to the response.
func (b *builder) unsettled(t *tempo) error {
	_, ideal := b.s.Transfer.Params.(*plant.Ideal)
	switch sd := b.s.Sensors.DisplacementSD(b.s.RateHz); {
	case t.Ramp != integrate.Cubic && t.Hold.Tolerance == 0 && !ideal:
		b.run.Warnings = append(b.run.Warnings, "pace: without settle.tolerance_m a force counts although its actuator may still be on "+
			"its way: want the tolerance")
		return nil
	case t.Hold.Tolerance == 0:
		return nil
	case sd > t.Hold.Tolerance/2:
		b.run.Warnings = append(b.run.Warnings, fmt.Sprintf("pace: settle.tolerance_m %g m beside sensor noise of %.2g m (standard "+
			"deviation): few readings are within it, and a hold may never end: want at least 3 times the noise", t.Hold.Tolerance, sd))
	}
	s, err := b.sensitivity()
	if err == nil {
		b.run.Notes = append(b.run.Notes, fmt.Sprintf("pace: readings %g mm off their targets, which settle.tolerance_m allows, move the "+
			"interface by at most %.3g mm: %.3g times as much, of specimens as they are at rest", 1e3*t.Hold.Tolerance,
			1e3*s*t.Hold.Tolerance, s))
	}
	return err
}

// slowResults are what the pace of a test has come to.
type slowResults struct {
	run *Run
	t   *tempo
	in  rths.Integrator
}

// Summary is the time scale, and of holds the longest, the largest distance from a target, and the relaxation.
func (s slowResults) Summary() []rths.Value {
	lab := 0.0
	if s.run.Loop != nil { // the run has been built
		lab = float64(s.run.Loop.Ticks()) / s.run.Scenario.RateHz
	}
	in := s.in.(interface {
		Steps() int
		Holds() integrate.Holds
	})
	if in.Steps() == 0 {
		lab = math.NaN()
	}
	out := []rths.Value{{Meaning: rths.Meaning{Quantity: "time_scale"}, V: lab / (float64(max(1, in.Steps())) * s.t.dt),
		Doc: "seconds of the laboratory for a second of the structure, holds included"}}
	if h := in.Holds(); s.t.Ramp != integrate.Cubic {
		out = append(out,
			rths.Value{Meaning: rths.Meaning{Quantity: "longest_hold"}, Unit: "s", V: float64(h.Longest) / s.run.Scenario.RateHz,
				Doc: "longest time at a target until its force counted"},
			rths.Value{Meaning: rths.Meaning{Quantity: "settle_error"}, Unit: "mm", V: 1e3 * h.Miss,
				Doc: "largest distance of a displacement that counted from its target"},
			rths.Value{Meaning: rths.Meaning{Quantity: "relaxation"}, Unit: "N", V: h.Relaxation,
				Doc: "largest change of a force within the settled readings of a hold"})
	}
	for i := range out {
		out[i].Name = out[i].NameIn(out[i].Unit)
	}
	return out
}

// ticks are those that a slow test is planned to take, and at most; it ends when its steps are done.
func (b *builder) ticks(t *tempo) (planned, most int, err error) {
	motions := 1
	if i, ok := rths.As[integrate.Iterative](b.integ); ok {
		motions = i.Motions()
	}
	targets, rest := float64(b.run.Steps+1)*float64(motions), float64(2*t.Rest)
	each := t.Samples + max(t.Hold.Settled, t.Hold.Timeout)
	if t.Speed > 0 { // as far as the run may go in each direction
		each += int(min(longest, math.Ceil(b.s.Diverged/t.Speed)))
	}
	least := float64(b.run.Steps) * float64(motions) * float64(t.Samples)
	if least > longest {
		return 0, 0, fmt.Errorf("at least %.3g samples: want at most %d: a lower rate_hz, or a larger pace.dt_s", least, longest)
	}
	planned = int(min(targets*float64(t.Samples+2*t.Hold.Settled)+rest, longest))
	return planned, max(planned, int(min(targets*float64(each)+rest, longest))), nil
}

// slowly says what the pace is.
func (b *builder) slowly(t *tempo) []string {
	lab := float64(b.run.Steps*t.Samples) / b.s.RateHz
	text := fmt.Sprintf("pace %s: %d steps of %.6g s of the structure, each in %d samples (%.4g s) of the laboratory or more: time "+
		"scale %.6g, %s at least", b.s.Pace.Kind, b.run.Steps, b.dt, t.Samples, float64(t.Samples)/b.s.RateHz,
		t.lambda(b.s.RateHz), hours(lab))
	out := append([]string{text}, b.missing(t)...)
	if t.Stands() {
		out = append(out, "pace: J1 to J3 count the ways between targets too, which the numerical part does not see; what it saw is "+
			"settle_error_mm")
	}
	return out
}

// unfinished is the error of a slow test whose samples were over before its steps.
func (r *Run) unfinished() error {
	if !r.Scenario.Slow() || r.Scenario.External() != nil || !r.Loop.Done() || r.finished() {
		return nil
	}
	return fmt.Errorf("the steps were not done after %d samples, %s: a shorter hold, or a larger speed", r.Loop.Ticks(),
		hours(float64(r.Loop.Ticks())/r.Scenario.RateHz))
}

func (r *Run) finished() bool {
	f, ok := rths.As[rths.Finisher](r.Loop.Config().Integrator)
	return ok && f.Finished()
}

var errSlow = errors.New("a slow test waits for its actuators, and no delay acts in its loop: it is stable where its integrator is, " +
	"which rths lint checks: ask with pace.kind=real-time for the test in real time")

// hours is a time in hours and minutes.
func hours(s float64) string {
	switch {
	case s < 120:
		return fmt.Sprintf("%.3g s", s)
	case s < 7200:
		return fmt.Sprintf("%.3g min", s/60)
	}
	return fmt.Sprintf("%d h %d min", int(s/3600), int(math.Mod(s, 3600)/60))
}

// missing says what of the specimen's inertia and viscous force a slow test has.
func (b *builder) missing(t *tempo) (out []string) {
	scale := t.lambda(b.s.RateHz)
	inertia, viscous := t.left(b.s.RateHz)
	for i, spec := range b.specimens() {
		if !b.boundary.moves(b, i) {
			continue
		}
		m, c := carried(spec)
		name := "the specimen"
		if len(b.specimens()) > 1 {
			name = fmt.Sprintf("specimen %d", i+1)
		}
		if m != 0 || c != 0 {
			text := fmt.Sprintf("%s: the measured force has %.3g %% of its inertia (mass %.4g kg) and %.3g %% of its viscous "+
				"force (%.4g N·s/m): the numerical part has the rest", name, 100*inertia, m, 100*viscous, c)
			if b.s.External() != nil {
				text = strings.Replace(text, "has the rest", "elsewhere has to have the rest", 1)
			}
			out = append(out, text)
		}
		if _, _, _, within := plant.Within(spec); !within && dependsOnRate(spec) {
			b.run.Warnings = append(b.run.Warnings, fmt.Sprintf("pace: the force of %s depends on its velocity, which is 1/%.4g of the "+
				"structure's: a slow test measures another force: want real time for a rate-dependent specimen", name, scale))
		}
	}
	return out
}

// specimens are those that the actuators load.
func (b *builder) specimens() []plant.Specimen {
	if all, ok := b.spec.(*plant.Assembly); ok {
		return all.Specimens()
	}
	return []plant.Specimen{b.spec}
}

// dependsOnRate reports whether the force of a specimen changes with its velocity, or it has states that do, or that
// change while it stands: at rest, and with small states.
func dependsOnRate(spec plant.Specimen) bool {
	return changesWithRate(spec, 0) || changesWithRate(spec, 1e-6)
}

func changesWithRate(spec plant.Specimen, state float64) bool {
	const small = 1e-3 // m/s
	n := spec.States()
	states := slices.Repeat([]float64{state}, n)
	rates := func(v float64) []float64 {
		motion, out := rths.NewMotion(1), make([]float64, n+1)
		motion.X[0], motion.V[0] = 1e-3, v
		spec.Rate(out[:n], out[n:], states, &motion)
		return out
	}
	still, slow, fast := rates(0), rates(small), rates(2*small)
	for i := range still {
		from, by := slow[i]-still[i], fast[i]-slow[i]
		if i == n && by != 0 { // a force with a part of the velocity
			return true
		}
		// states of a law without time move in proportion to the way: twice as fast at twice the velocity
		if still[i] != 0 || math.Abs(by-from) > 1e-6*math.Max(math.Abs(by), math.Abs(from)) {
			return true
		}
	}
	return false
}
