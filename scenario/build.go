package scenario

import (
	"context"
	"errors"
	"slices"

	"rths"
	"rths/lab/rig"
	"rths/method/criteria"
	"rths/method/learn"
	"rths/method/stability"
	"rths/model/device"
	"rths/model/ground"
	"rths/model/integrate"
	"rths/model/plant"
	"rths/model/structure"
	"rths/scenario/files"
)

// Options of a build.
type Options struct {
	RecordsDir string   // where named ground motions are
	Shaking    *Shaking // in place of the scenario's ground motion
	Shared     *Shared  // what many runs have in common; nil: nothing

	// Rig stands in place of the virtual rig: transfer system, specimen, sensors and faults
	// are elsewhere (Laboratory), and readings carry no true values. Forces that the loop
	// computes or recovers, and the guard, stand around it; compensators are made for the
	// nominal plant of the scenario. nil: the virtual rig.
	Rig rths.Rig

	// Transfer stands in place of the scenario's transfer system, with the specimen that the scenario has. nil: it does not.
	Transfer plant.TransferMaker

	// Numerical is the way to the numerical part, which another process integrates (two_rate.process:
	// own; Calculator). nil: this process integrates it, and hands its results over as one that is in time.
	Numerical integrate.Exchange

	// Client is the analysis in another program that integrates an external structure; nil: there is none, and the
	// loop of such a structure fails in its first tick.
	Client integrate.Client

	Rehearsed bool // compare the specimen with a rehearsal, which Run.Plausibility is given

	Disarmed bool // leave the guard disarmed: whoever runs the loop arms it
}

// Run is a scenario ready to run.
type Run struct {
	Scenario     *Scenario // resolved: a copy with the values that makers filled in; the plant is nominal
	Name         string    // of the test, with the number of a random plant
	Loop         *rths.Loop
	Whole        *structure.Structure // undivided, or its reduction; nil for a prescribed target
	Reduced      *structure.Reduced   // the reduction; nil: Whole is the structure
	Samples      int                  // of the loop; of a slow test as planned
	Steps        int                  // of the numerical part; Samples but in a slow test
	Motion       ground.Motion        // ground motion or prescribed target
	Channels     []rths.Channel
	Criteria     []rths.Summarizer
	Watched      []rths.Summarizer       // indicators
	Guard        *rig.Guard              // nil without limits
	Plausibility *stability.Plausibility // nil: nothing is compared with a rehearsal
	Faults       *rig.Faults             // nil without faults, and with Options.Rig
	Spectra      *criteria.FloorSpectra  // nil unless asked for
	Learning     *learn.Integrator       // what devices learn; nil: none do
	Notes        []string                // parts that the run leaves out, and why; units that were assumed
	Warnings     []string                // parts of the scenario to mend
	Drawn        []rths.Value            // what a random plant has in place of nominal values, by the keys of the scenario
	Shaking      *Shaking                // what moves the structure
	Elsewhere    bool                    // the rig is given: a question on the loop must not move it
	Inputs       []files.Input           // files that were read: of the scenario, then of its histories

	compensator rths.Compensator
	calculator  *integrate.Calculator // of main steps
	path        *integrate.Path       // nil: a tick is a step of the numerical part
	predicted   *Predicted            // nil: it has one actuator
}

// Build makes every part and the loop from a copy of the scenario. Errors name the block
// of the scenario. Step a loop only once: build again for another run. Where ctx ends, Build stops before
// its next part, with the cause.
func (s *Scenario) Build(ctx context.Context, o Options) (*Run, error) {
	b := s.builder(o)
	if o.Rig != nil {
		if err := errors.Join(b.s.wantAtRest(), b.s.WantVirtual()); err != nil {
			return nil, err
		}
	}
	if err := b.shake(); err != nil {
		return nil, err
	}
	if err := b.makeFaults(); err != nil {
		return nil, err
	}
	if err := b.makeNetwork(); err != nil {
		return nil, err
	}
	if err := b.makeUntil(ctx, part{"coupler", b.couple}, part{"perturbed", b.perturb},
		part{b.s.specimenKey(), b.specimen}); err != nil {
		return nil, err
	}
	if err := b.makeUntil(ctx, b.numerical()...); err != nil {
		return nil, err
	}
	err := b.makeUntil(ctx,
		part{"integrator", b.integrator}, part{"two_rate", b.twoRate}, part{"passivity", b.passivity}, part{"pace", b.slowDown},
		part{b.s.TransferKey(), b.transfer}, part{"axes", b.forceAxes}, part{"converters", b.converters}, part{"sensors", b.rig},
		part{"force", b.computed},
		part{"compensator", b.compensator}, part{"compensator", b.advise}, part{"initial_displacement", b.release},
		part{"devices", b.learn},
		part{"structure", b.references}, part{"structure", b.predict},
		part{"criteria", b.judge}, part{"indicators", b.indicators}, part{"limits", b.guard},
		part{"expect", b.expect},
	)
	if err != nil {
		return nil, err
	}
	return b.run, b.loop()
}

// builder works on a copy of the scenario.
func (s *Scenario) builder(o Options) *builder {
	s = s.clone()
	s.spread()
	s.fillRig()
	return &builder{s: s, o: o, run: &Run{Scenario: s, Name: s.Name, Elsewhere: o.Rig != nil}, h: 1 / s.RateHz, dt: 1 / s.StepHz(),
		boundary: s.boundary()}
}

// builder holds the parts made so far, which later parts need.
type builder struct {
	s         *Scenario
	o         Options
	run       *Run
	h         float64   // of a sample, s
	dt        float64   // of a step of the numerical part, s of the structure; h but in a slow test
	most      int       // samples of a slow test, at most; 0: as planned
	drawn     *Scenario // specimen and transfer system come from this one: s, or a copy with a random plant
	spec      plant.Specimen
	part      *structure.Partition
	integ     rths.Integrator
	plant     plant.Plant
	convert   plant.Conversion
	theRig    rths.Rig
	comp      rths.Compensator
	observers []rths.Observer
	shaking   *Shaking
	start     *rths.Start // nil: from rest
	judged    criteria.At
	faults    []*rig.Fault
	network   []*rig.NetworkFault
	unreduced *structure.Structure // the undivided structure; nil: it was not reduced
	matrices  []files.Input        // files that the structure was read from
	path      *integrate.Path      // nil: a tick is a step of the numerical part
	apart     *structure.Partition // what the specimen leaves of the structure; part carries more in a slow test
	bare      *structure.Structure // without the devices beside it
	learned   [][]device.Parameter // of each group of devices
	kept      []int                // its degrees of freedom, from 0, that are the first of the reduced one

	boundary boundary
	coupler  rths.Coupler // nil: see boundary
	forces   int          // of the specimen, at the interface
}

// part is a step of building; its error names the key.
type part struct {
	key string
	do  func() error
}

// make makes some parts in order.
func (b *builder) make(parts ...part) error {
	for _, p := range parts {
		if err := p.do(); err != nil {
			return b.s.At(p.key, err)
		}
	}
	return nil
}

// makeUntil makes some parts in order until ctx ends.
func (b *builder) makeUntil(ctx context.Context, parts ...part) error {
	for _, p := range parts {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := b.make(p); err != nil {
			return err
		}
	}
	return nil
}

func (b *builder) shake() (err error) {
	if b.shaking = b.o.Shaking; b.shaking == nil {
		b.shaking, err = b.s.shake(b.o)
	}
	if err == nil {
		b.run.Shaking = b.shaking
		b.run.Steps = b.shaking.Samples
		b.run.Motion, b.run.Samples, b.run.Notes = b.shaking.Motion, b.shaking.Samples, slices.Clone(b.shaking.Notes)
		b.run.Warnings = append(b.run.Warnings, b.shaking.Doubts...)
		b.run.Inputs = slices.Concat(b.s.inputs, b.shaking.Inputs)
	}
	return err
}

// channels lists the channels of the parts made so far.
func (b *builder) channels() []rths.Channel {
	parts := []any{b.integ, b.comp, b.coupler, b.theRig, b.plant}
	for _, o := range b.observers {
		parts = append(parts, o)
	}
	var out []rths.Channel
	for _, p := range parts {
		if c, ok := rths.As[rths.Channeler](p); ok {
			out = append(out, c.Channels()...)
		}
	}
	return out
}

// timing is the order of a tick.
func (s *Scenario) timing() rths.Timing {
	out := rths.Timing{Target: rths.Current, ForceDelay: s.Timing.ForceDelay, CommandDelay: s.Timing.CommandDelay,
		ForcePredict: s.Timing.ForcePredict}
	if s.Timing.Target == "next" {
		out.Target = rths.Next
	}
	return out
}

func (b *builder) loop() error {
	b.run.Channels = b.channels()
	wave, components := b.wave()
	if b.s.Slow() { // the path has it
		wave = nil
	}
	coordinates, axes, _ := b.boundary.size()
	felt := b.forces
	if b.s.Mixed() {
		felt = coordinates
	}
	c := rths.Config{
		RateHz: b.s.RateHz, Samples: max(b.run.Samples, b.most), Ground: wave, Components: components, Histories: len(b.s.Forces),
		Timing: b.s.timing(), Start: b.start, Open: b.s.Loop == "open", DivergedM: b.s.Diverged,
		Axes: axes, Forces: b.forces, Accelerometers: b.s.accelerometers(), Instruments: b.s.sensors().L, InterfaceAxes: coordinates,
		InterfaceForces: felt, Coupler: b.coupler,
		Integrator: b.integ, Compensator: b.comp, Rig: b.theRig, Observers: b.observers, Truth: b.truth(),
	}
	var err error
	if b.run.Loop, err = rths.NewLoop(c); err != nil {
		return b.s.At("timing", err)
	}
	if _, uses := rths.As[rths.RateUser](b.comp); uses {
		b.run.Channels = append(b.run.Channels, targetRates(b.run.Loop.Frame())...)
	}
	return nil
}

// targetRates are velocity and acceleration of the target, as the compensator gets them.
func targetRates(f *rths.Frame) (out []rths.Channel) {
	for i := range f.Target.X {
		of := rths.Meaning{Quantity: "target", Axis: rths.Component(i, len(f.Target.X))}
		out = append(out,
			rths.Channel{Meaning: of, Unit: "m/s", V: &f.Target.V[i]},
			rths.Channel{Meaning: of, Unit: "m/s²", V: &f.Target.A[i]})
	}
	return rths.NamedChannels(out)
}

// Summary is all criteria of the run so far: J1, J2, … first, then those
// without sensor noise, then the others.
func (r *Run) Summary() []rths.Value {
	var out []rths.Value
	for _, c := range r.Criteria {
		out = append(out, c.Summary()...)
	}
	slices.SortStableFunc(out, func(a, b rths.Value) int { return turn(a) - turn(b) })
	return out
}

// turn is 0, 1 or 2: the place of a value in the summary.
func turn(v rths.Value) int {
	switch {
	case v.Exact:
		return 1
	case v.Number > 0, v.Family == "acceleration": // beside J2
		return 0
	}
	return 2
}

// Compensator is what turns the target into the command, with the inner loop around it.
func (r *Run) Compensator() rths.Compensator { return r.compensator }

// Parameter is a column of the compensator or of what devices learn, with the bounds that it keeps; nil: none.
type Parameter struct {
	Name         string
	Lower, Upper *float64 `json:",omitempty"`
	SD           string   `json:",omitempty"` // column of its standard deviation; "": none
}

// Learnt are the columns of the compensator, and what devices learn.
func (r *Run) Learnt() (out []Parameter) {
	for _, ch := range r.parameters() {
		out = append(out, Parameter{Name: ch.Name, Lower: ch.Lower, Upper: ch.Upper})
	}
	for _, ch := range r.learned() {
		switch ch.Quantity {
		case learn.Learned:
			out = append(out, Parameter{ch.Name, ch.Lower, ch.Upper, learn.SDName(ch.Name)})
		case learn.ResidualOdd, learn.FellBackName:
			out = append(out, Parameter{Name: ch.Name})
		}
	}
	return out
}

func (r *Run) learned() []rths.Channel {
	if r.Learning == nil {
		return nil
	}
	return r.Learning.Own()
}

// Values are all numbers that the run has come to so far, for studies and for expect: criteria, indicators, of a
// compensator that adapts its parameters, and what devices have learned.
func (r *Run) Values() []rths.Value {
	out := append(r.Summary(), r.Indicators()...)
	if len(rths.AppendAdaptation(nil, r.compensator)) > 0 {
		out = append(out, r.Parameters()...)
	}
	return append(out, valuesOf(r.learned())...)
}

// Parameters are the present parameters of the compensator.
func (r *Run) Parameters() []rths.Value { return valuesOf(r.parameters()) }

// valuesOf are the present values of channels.
func valuesOf(channels []rths.Channel) (out []rths.Value) {
	for _, ch := range channels {
		v := rths.Value{Name: ch.Name, Meaning: ch.Meaning, V: *ch.V, Doc: atTheEnd(ch.Unit)}
		if ch.Unit != "-" {
			v.Unit = ch.Unit
		}
		out = append(out, v)
	}
	return out
}

func (r *Run) parameters() []rths.Channel {
	if c, ok := rths.As[rths.Channeler](r.compensator); ok {
		return c.Channels()
	}
	return nil
}

func atTheEnd(unit string) string {
	if unit == "-" {
		return "parameter at the end of the run"
	}
	return "parameter at the end of the run, " + unit
}

// Status of the run after its last step, whose error is err, as the function Status
// gives it. The status is "tripped" too if the run ends while its guard still acts.
func (r *Run) Status(err error) (status, reason string) {
	if err == nil && r.Guard != nil {
		err = r.Guard.Unfinished()
	}
	if err == nil {
		err = r.unfinished()
	}
	return Status(err)
}

// Status of a finished run, from the error of its last step: "completed",
// "tripped", "diverged" or "failed", and the reason.
func Status(err error) (status, reason string) {
	var d *rths.DivergedError
	var trip *rig.TripError
	var reach *plant.OutOfReach
	switch {
	case err == nil:
		return rths.Completed, ""
	case errors.As(err, &trip):
		return rths.Tripped, trip.Error()
	case errors.As(err, &d), errors.As(err, &reach):
		return rths.Diverged, err.Error()
	}
	return rths.Failed, err.Error()
}
