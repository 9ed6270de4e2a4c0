package scenario

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"rths"
	"rths/compensate"
	"rths/criteria"
	"rths/ground"
	"rths/integrate"
	"rths/plant"
	"rths/rig"
	"rths/signal"
	"rths/structure"
)

// Options of a build.
type Options struct {
	RecordsDir string   // where named ground motions are
	Shaking    *Shaking // in place of the scenario's ground motion: studies read a record once
}

// Run is a scenario ready to run.
type Run struct {
	Scenario *Scenario // resolved: a copy with what makers filled in; the plant is the nominal one
	Name     string    // of the test, with the number of a random plant
	Loop     *rths.Loop
	Whole    *structure.Structure // undivided; nil for a prescribed target
	Samples  int
	Motion   ground.Motion // ground motion or prescribed target
	Channels []rths.Channel
	Criteria []rths.Summarizer
	Watched  []rths.Summarizer      // indicators
	Guard    *rig.Guard             // nil without limits
	Faults   *rig.Faults            // nil without faults
	Spectra  *criteria.FloorSpectra // nil unless asked for
	Notes    []string               // what the run leaves out, and why
	Warnings []string               // what should be mended

	compensator rths.Compensator
}

// Build makes every part and the loop, and leaves the scenario as it is. Errors name the
// block they come from.
func (s *Scenario) Build(o Options) (*Run, error) {
	b := s.builder(o)
	s = b.s
	if err := b.shake(); err != nil {
		return nil, err
	}
	if err := b.makeFaults(); err != nil {
		return nil, err
	}
	steps := []struct {
		key string
		do  func() error
	}{
		{"coupler", b.couple}, {"perturbed", b.perturb}, {"specimen", b.specimen},
		{"structure", b.structure},
		{"more_ground", b.moreGround}, {"forces", b.push}, {"initial_displacement", b.initial},
		{"interface_dof", b.interfaceDOF}, {"specimen", b.divide}, {"integrator", b.integrator}, {"integrator", b.wantClosing}, {"two_rate", b.twoRate}, {"transfer", b.transfer},
		{"converters", b.converters}, {"sensors", b.rig}, {"force", b.computed}, {"compensator", b.compensator}, {"initial_displacement", b.release},
		{"structure", b.references}, {"criteria", b.judge},
		{"indicators", b.indicators}, {"limits", b.guard},
	}
	for _, step := range steps {
		if err := step.do(); err != nil {
			return nil, s.At(step.key, err)
		}
	}
	return b.run, b.loop()
}

// builder works on a copy of the scenario.
func (s *Scenario) builder(o Options) *builder {
	s = s.clone()
	return &builder{s: s, o: o, run: &Run{Scenario: s, Name: s.Name}, h: 1 / s.RateHz}
}

// builder carries what one part needs of another.
type builder struct {
	s         *Scenario
	o         Options
	run       *Run
	h         float64   // s
	drawn     *Scenario // of which specimen and transfer system are made: s, or one with a random plant
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

	coupler rths.Coupler      // nil: one actuator, which is the interface
	divided structure.Divided // with a coupler: the structure
	forces  int               // with a coupler: of the interface
}

// perturb draws a random plant: transfer system and specimen, from one stream
// per trial. Specimen first, so that its stiffness does not depend on how many
// parameters the transfer system has. The scenario keeps the nominal plant: it is the one
// that a laboratory knows, and compensators are made for.
func (b *builder) perturb() error {
	if b.drawn = b.s; b.s.Perturbed == 0 {
		return nil
	}
	b.drawn = b.s.clone()
	r := rand.New(signal.Stream(b.s.Seed, fmt.Sprintf("plant %d", b.s.Perturbed)))
	scattered := false
	for _, p := range []any{b.drawn.Specimen.Params, b.drawn.Transfer.Params} {
		if p, ok := p.(plant.Perturbed); ok {
			p.Perturb(r.NormFloat64)
			scattered = true
		}
	}
	if !scattered {
		return fmt.Errorf("%d: neither the specimen (%s) nor the transfer system (%s) has a published scatter", b.s.Perturbed, b.s.Specimen.Kind, b.s.Transfer.Kind)
	}
	b.run.Name += fmt.Sprintf(", perturbed plant %d", b.s.Perturbed)
	return nil
}

func (b *builder) shake() (err error) {
	if b.shaking = b.o.Shaking; b.shaking == nil {
		b.shaking, err = b.s.shake(b.o.RecordsDir)
	}
	if err == nil {
		b.run.Motion, b.run.Samples = b.shaking.Motion, b.shaking.Samples
	}
	return err
}

func (b *builder) specimen() (err error) {
	b.spec, err = b.drawn.Specimen.Params.Make()
	return err
}

func (b *builder) structure() error {
	if b.s.Target.Given() {
		return nil
	}
	whole, err := b.s.Structure.Params.Make()
	if err != nil {
		return err
	}
	b.run.Whole = whole
	return nil
}

// interfaceDOF is that of the structure, unless the scenario names another.
func (b *builder) interfaceDOF() error {
	if w := b.run.Whole; w != nil && w.Interface > 0 && b.s.places["interface_dof"] == "" && b.s.InterfaceDOF == 1 {
		b.s.InterfaceDOF = w.Interface + 1
	}
	if w := b.run.Whole; w != nil && (b.s.InterfaceDOF < 1 || b.s.InterfaceDOF > w.N) {
		return fmt.Errorf("%d: want 1 to %d", b.s.InterfaceDOF, w.N)
	}
	return nil
}

// divide takes a specimen that is a part of the structure out of it; any other
// stands beside it. A numerical part of negative stiffness is a slip of units.
func (b *builder) divide() (err error) {
	switch {
	case b.run.Whole == nil:
		return nil
	case b.divided != nil:
		return b.divideFrame()
	}
	dof := b.s.InterfaceDOF - 1
	m, c, k, ok := plant.Within(b.spec)
	if b.s.table() {
		if ok {
			return fmt.Errorf("%s, which is taken out of the structure, with interface_motion %s: want one that stands on a table, such as frame or tuned-mass-damper", b.s.Specimen.Kind, b.s.Motion)
		}
		return b.stand(dof)
	}
	if !ok {
		b.part, err = b.run.Whole.Attach(dof, b.spec.Mass())
		return err
	}
	if b.part, err = b.run.Whole.Divide(dof, m, c, k); err != nil {
		return err
	}
	if left := b.part.Stiffness(dof); left < 0 {
		return fmt.Errorf("its stiffness %g N/m leaves %g N/m at degree of freedom %d of the numerical part: want 0 or more", k, left, dof+1)
	}
	return nil
}

// stand puts the specimen on a table, whose motion is absolute: of its inertia
// nothing is left for the computer.
func (b *builder) stand(dof int) (err error) {
	if b.part, err = b.run.Whole.Attach(dof, 0); err == nil && b.s.Motion == freeField {
		b.part = b.part.FreeField()
	}
	return err
}

func (b *builder) integrator() (err error) {
	if b.s.Target.Given() {
		b.integ = integrate.NewPrescribed(b.shaking.Half, b.h)
		return nil
	}
	if b.s.TwoRate == nil {
		b.integ, err = b.s.Integrator.Params.Make(b.part, b.h)
	}
	return err
}

func (b *builder) transfer() (err error) {
	axes, want := 1, "1"
	if p, ok := b.s.Transfer.Params.(plant.Axial); ok {
		axes = p.Axes()
	}
	if b.coupler != nil {
		want = fmt.Sprintf("%d, as the coupler has actuators", b.s.Axes())
	}
	if b.coupler == nil && axes != 1 || b.coupler != nil && axes != b.s.Axes() {
		return fmt.Errorf("%s of %d axes: want %s", b.s.Transfer.Kind, axes, want)
	}
	if rating := b.s.rating(); rating.Check() != nil {
		return rating.Check()
	}
	b.plant, err = b.drawn.Transfer.Params.Make(plant.At{RateHz: b.s.RateHz, Specimen: b.spec})
	return err
}

func (b *builder) converters() (err error) {
	b.convert, err = b.s.Converters.Make()
	return err
}

func (b *builder) rig() error {
	if b.coupler != nil {
		return b.frameRig()
	}
	x, f, err := b.s.Sensors.Gauges(b.h, b.s.Seed, b.convert)
	if err != nil {
		return err
	}
	b.theRig = b.faulty(rig.NewVirtual(b.plant, b.convert.Command, []*plant.Gauge{x}, []*plant.Gauge{f}))
	return nil
}

// computed puts the specimen's force under the measured displacement in place of the
// load cell's.
func (b *builder) computed() error {
	if b.s.Force != "computed" {
		return nil
	}
	r, err := rig.NewComputed(b.theRig, b.spec, b.s.RateHz)
	b.theRig = r
	return err
}

func (b *builder) compensator() (err error) {
	b.comp, err = b.s.makeCompensator()
	b.run.compensator = b.comp
	return err
}

// compensatorAt is what the scenario's compensator is told of its test: its plant is the
// nominal one.
func (s *Scenario) compensatorAt() compensate.At {
	at := compensate.At{RateHz: s.RateHz, Axes: s.Axes()}
	if s.Timing.Target == "next" {
		at.Lead = 1
	}
	if _, ok := s.Transfer.Params.(plant.Modelled); ok {
		at.Model = s.nominalModel
	}
	if inv, ok := s.Transfer.Params.(plant.Inverter); ok {
		at.BareInverse = inv.BareInverse
	}
	if s.Coupler.Given() {
		at.Alone = s.targetsAlone()
	}
	return at
}

// references says what criteria can compare the run with: in a closed loop the undivided
// structure, or the numerical part and the specimen integrated together. A
// reference is exact by a matrix exponential: sparse structures go without.
func (b *builder) references() (err error) {
	b.judged = criteria.At{RateHz: b.s.RateHz, Samples: b.run.Samples, Actuators: b.s.Axes(), Building: b.building}
	if b.coupler != nil {
		return b.frameReferences()
	}
	if b.part == nil || b.s.Loop == "open" {
		return nil
	}
	if b.part.Sparse != nil {
		b.run.Notes = append(b.run.Notes, fmt.Sprintf("no reference response for a %s of %d degrees of freedom held as sparse matrices: criteria J4 to J9 are missing", b.s.Structure.Kind, b.part.N()))
		return nil
	}
	b.judged.Floors, b.judged.Interface = b.part.N(), b.s.InterfaceDOF-1
	b.judged.Reference, err = b.reference()
	return err
}

// reference starts where the test starts.
func (b *builder) reference() (criteria.Reference, error) {
	if _, ok := b.spec.(plant.Linear); ok {
		ref, err := integrate.NewReference(b.part.Whole, b.h)
		if err == nil && b.start != nil {
			err = ref.Start(b.s.Initial)
		}
		return ref, err
	}
	coupled := integrate.NewCoupled
	if b.s.table() {
		coupled = integrate.NewCoupledAbsolute
	}
	ref, err := coupled(b.part, b.spec, b.h)
	if err == nil && b.start != nil {
		ref.Start(b.s.Initial, b.bring, bringS+holdS)
	}
	return ref, err
}

// channels are those of all parts so far.
func (b *builder) channels() []rths.Channel {
	parts := []any{b.integ, b.comp, b.theRig}
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
	out := rths.Timing{Target: rths.Current, ForceDelay: s.Timing.ForceDelay, CommandDelay: s.Timing.CommandDelay}
	if s.Timing.Target == "next" {
		out.Target = rths.Next
	}
	return out
}

func (b *builder) loop() error {
	b.run.Channels = b.channels()
	wave, components := b.wave()
	c := rths.Config{
		RateHz: b.s.RateHz, Samples: b.run.Samples, Ground: wave, Components: components, Pushes: len(b.s.Forces),
		Timing: b.s.timing(), Start: b.start,
		Open: b.s.Loop == "open", DivergedM: b.s.Diverged, Axes: 1, Forces: 1,
		Integrator: b.integ, Compensator: b.comp, Rig: b.theRig, Observers: b.observers,
	}
	if b.coupler != nil {
		c.Coupler, c.Axes, c.Forces = b.coupler, b.s.Axes(), b.forces
		c.InterfaceAxes, _ = b.s.Coupler.Params.Axes()
		c.InterfaceForces = b.forces
	}
	var err error
	b.run.Loop, err = rths.NewLoop(c)
	return b.s.At("timing", err)
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

// turn is when a value comes in the summary.
func turn(v rths.Value) int {
	switch {
	case v.Exact:
		return 1
	case v.Number > 0:
		return 0
	}
	return 2
}

// Parameters are the compensator's parameters as they stand.
func (r *Run) Parameters() []rths.Value {
	c, ok := rths.As[rths.Channeler](r.compensator)
	if !ok {
		return nil
	}
	var out []rths.Value
	for _, ch := range c.Channels() {
		out = append(out, rths.Value{Name: ch.Name, V: *ch.V, Doc: atTheEnd(ch.Unit)})
	}
	return out
}

func atTheEnd(unit string) string {
	if unit == "-" {
		return "parameter at the end of the run"
	}
	return "parameter at the end of the run, " + unit
}

// Status of the run after its last step, whose error is err: see Status. A run that
// is over before its guard is has tripped.
func (r *Run) Status(err error) (status, reason string) {
	if err == nil && r.Guard != nil {
		err = r.Guard.Unfinished()
	}
	return Status(err)
}

// Status of a finished run, from the error of its last step: "completed",
// "tripped", "diverged" or "failed", and the reason.
func Status(err error) (status, reason string) {
	var d *rths.Diverged
	var trip *rig.TripError
	var reach *plant.OutOfReach
	switch {
	case err == nil:
		return "completed", ""
	case errors.As(err, &trip):
		return "tripped", trip.Error()
	case errors.As(err, &d), errors.As(err, &reach):
		return "diverged", err.Error()
	}
	return "failed", err.Error()
}
