package scenario

import (
	"fmt"
	"slices"
	"strings"

	"rths"
	"rths/lab/rig"
	"rths/model/device"
	"rths/model/ground"
	"rths/model/integrate"
	"rths/model/plant"
	"rths/model/structure"
	"rths/scenario/files"
	"rths/scenario/syntax"
)

// Component is a further component of the ground motion.
type Component struct {
	Influence structure.Vector             `yaml:"influence" doc:"influence vector: displacement of each degree of freedom per unit displacement of the ground, or {file: …}"`
	Motion    syntax.Choice[ground.Source] `yaml:"motion" doc:"ground motion"`
}

// Prepare sets the table of the choice.
func (c *Component) Prepare() { c.Motion = syntax.NewChoice(ground.Kinds) }

// Force is a force history on the structure.
type Force struct {
	DOF     int                          `yaml:"dof" doc:"degree of freedom the force acts on, from 1"`
	History syntax.Choice[ground.Source] `yaml:"history" doc:"force history, N"`
}

// Prepare sets the table of the choice.
func (f *Force) Prepare() { f.History = syntax.NewChoice(ground.Forces) }

// excited reports whether a ground motion or a force history acts, acted whether
// anything at all moves the structure.
func (s *Scenario) excited() bool { return s.Ground.Given() || len(s.Forces) > 0 }
func (s *Scenario) acted() bool {
	return s.excited() || len(s.MoreGround) > 0 || len(s.Initial) > 0
}

// source is a history and its key, as in forces[1].history.
type source struct {
	key  string
	from syntax.Choice[ground.Source]
	axis ground.Axis // of a target of several coordinates
}

// sources lists the components of the ground motion, then the force histories; or the
// prescribed target alone, once for each coordinate.
func (s *Scenario) sources() []source {
	if s.Target.Given() {
		return s.targets()
	}
	var out []source
	if s.Ground.Given() {
		out = append(out, source{key: "ground", from: s.Ground})
	}
	for i, c := range s.MoreGround {
		out = append(out, source{key: fmt.Sprintf("more_ground[%d].motion", i+1), from: c.Motion})
	}
	for i, f := range s.Forces {
		out = append(out, source{key: fmt.Sprintf("forces[%d].history", i+1), from: f.History})
	}
	return out
}

// targets are the target for each coordinate.
func (s *Scenario) targets() []source {
	out := []source{{key: "target", from: s.Target}}
	for i := range s.Interface {
		axis := ground.Axis{I: i, Of: len(s.Interface), Rotation: s.rotates(i)}
		out = append(out[:i], source{"target", s.Target, axis})
	}
	return out
}

// rotates reports whether an interface coordinate is known to be a rotation, rad.
func (s *Scenario) rotates(i int) bool {
	body, ok := s.Coupler.Params.(*plant.RigidBody)
	at := s.moved()
	return ok && i < len(at) && at[i] < len(body.Coordinates) && body.Rotations()[at[i]]
}

// Shaking is the excitation of a run, resampled: ground motion and force histories, or
// the prescribed target. Several runs may share one Shaking.
type Shaking struct {
	Motion  ground.Motion // the first history
	Samples int
	Half    []float64     // at half steps: all components at an instant, then at the next
	Notes   []string      // units that were assumed
	Doubts  []string      // peaks that are improbable
	Inputs  []files.Input // that were read
}

// longest is the length of a run, samples: with its ground motion it fits in memory.
const longest = 200_000_000

// Shake reads or synthesises the excitation and resamples it. Without duration_s the run
// is as long as the longest history; zeros follow the shorter ones. A lead-in, in which forces rise, comes before.
func (s *Scenario) Shake(recordsDir string) (*Shaking, error) {
	return s.clone().shakeWith(recordsDir, nil)
}

func (s *Scenario) shake(o Options) (*Shaking, error) {
	if o.Shared != nil {
		return o.Shared.shake(s, o.RecordsDir)
	}
	return s.shakeWith(o.RecordsDir, nil)
}

// shakeWith reads records from shared, if that is there.
func (s *Scenario) shakeWith(recordsDir string, shared *Shared) (*Shaking, error) {
	var read files.Inputs
	at := ground.At{RateHz: s.StepHz(), Seed: s.Seed, Files: &read, RecordsDir: recordsDir, BaseDir: s.baseDir}
	if shared != nil {
		at.Recall = shared.recall(&read)
	}
	var motions []ground.Motion
	var notes, doubts []string
	length := ground.Motion{Dt: s.Duration, A: make([]float64, 2)}
	for _, source := range s.sources() {
		if !source.from.Given() {
			return nil, s.At(source.key, fmt.Errorf("missing: want a block with kind, one of %s", source.from.Names()))
		}
		at.Axis = source.axis
		m, err := source.from.Params.Motion(at)
		if err != nil {
			return nil, s.At(source.key, err)
		}
		motions, notes = append(motions, s.sized(m)), append(notes, m.Notes...)
		doubts = append(doubts, s.doubtPeak(source, motions[len(motions)-1].PGA())...)
		if s.Duration == 0 {
			length.Dt = max(length.Dt, m.Duration())
		}
	}
	lead := s.leadSteps()
	if n := (length.Dt*s.StepHz() + float64(lead)) * float64(max(1, len(motions))); n > longest {
		return nil, s.At("duration_s", fmt.Errorf("a run of %.3g samples: want at most %d", n, longest))
	}
	n := length.Samples(s.StepHz())
	shaking := &Shaking{Motion: ground.Motion{Name: "none", Dt: 1 / s.StepHz()}, Samples: lead + n, Notes: notes, Doubts: doubts,
		Inputs: read.Read}
	if len(motions) > 0 {
		shaking.Motion = motions[0]
		shaking.Half = append(make([]float64, 2*lead*len(motions)), weave(motions, s.StepHz(), n)...)
		rths.FlushDecayed(shaking.Half)
	}
	return shaking, nil
}

// UsualPeakG is a peak of a ground motion above which the program asks, g.
const UsualPeakG = 3

// doubtPeak asks about the final peak (m/s²) of a ground motion that no single key makes improbable: package
// doubts looks at pga_g and amplitudes.
func (s *Scenario) doubtPeak(of source, peak float64) []string {
	g, c, made := peak/ground.StandardGravity, ground.Conditioning{}, ""
	switch p := of.from.Params.(type) {
	case *ground.Record:
		c = p.Conditioning
	case *ground.File:
		c = p.Conditioning
	case *ground.Noise:
		made = fmt.Sprintf("rms_m_s2 %g", p.RMS)
	case *ground.CloughPenzien, *ground.Sweep, *ground.Sine, *ground.Step:
	default:
		return nil // forces, a target
	}
	switch {
	case s.Amplitude != 0:
		made = fmt.Sprintf("amplitude %g", s.Amplitude)
	case c.Scale != 0:
		made = fmt.Sprintf("scale %g", c.Scale)
	}
	if g <= UsualPeakG || c.PGA > UsualPeakG || made == "" || c.Scale == 0 && s.Amplitude != 0 && s.Amplitude <= 1 {
		return nil
	}
	if c.Scale != 0 {
		made = "the unit of the file, and at " + made
	}
	err := s.At(of.key, fmt.Errorf("the peak of the motion is %.4g g, usual are up to %d g: look at %s", g, UsualPeakG,
		made))
	return []string{err.Error()}
}

// sized is a motion at the scenario's amplitude. The motion itself may be shared.
func (s *Scenario) sized(m ground.Motion) ground.Motion {
	if s.Amplitude == 0 {
		return m
	}
	m.A = slices.Clone(m.A)
	for i := range m.A {
		m.A[i] *= s.Amplitude
	}
	return m
}

// weave resamples motions at half steps: all motions at an instant, then at the next.
func weave(motions []ground.Motion, rateHz float64, samples int) []float64 {
	if len(motions) == 1 {
		return motions[0].HalfSteps(rateHz, samples)
	}
	out := make([]float64, (2*samples+1)*len(motions))
	for i, m := range motions {
		for j, v := range m.HalfSteps(rateHz, samples) {
			out[j*len(motions)+i] = v
		}
	}
	return out
}

// moreGround, push and initial add influence vectors, force positions and the initial
// displacement to the structure. Without a first ground motion its influence vector
// gets zeros.
func (b *builder) moreGround() error {
	for i, c := range b.s.MoreGround {
		influence, err := c.Influence.Numbers()
		if err == nil {
			err = b.run.Whole.Shake(influence)
		}
		if err != nil {
			return fmt.Errorf("entry %d: %w", i+1, err)
		}
	}
	return nil
}

func (b *builder) push() error {
	for i, f := range b.s.Forces {
		if err := b.run.Whole.Push(f.DOF - 1); err != nil {
			return fmt.Errorf("entry %d: %w", i+1, err)
		}
	}
	return nil
}

func (b *builder) initial() error {
	if n := len(b.s.Initial); n > 0 && n != b.run.Whole.N {
		return fmt.Errorf("%d numbers: want %d, one per degree of freedom", n, b.run.Whole.N)
	}
	return nil
}

// wave is the excitation at half steps, and the number of ground components.
func (b *builder) wave() (wave []float64, components int) {
	n := len(b.s.sources())
	if b.s.Target.Given() || n == 0 {
		return nil, 1
	}
	if b.s.Ground.Given() {
		return b.shaking.Half, n
	}
	still := make([]float64, len(b.shaking.Half)/n*(n+1)) // the missing first component
	for j := 0; j*n < len(b.shaking.Half); j++ {
		copy(still[j*(n+1)+1:(j+1)*(n+1)], b.shaking.Half[j*n:(j+1)*n])
	}
	return still, n + 1
}

// lead is the number of ticks before t = 0 that bring the rig to its initial displacement, along device.Way.
func (b *builder) lead() int {
	if len(b.s.Initial) == 0 {
		return 0
	}
	return int((device.BringS + device.HoldS) * b.s.RateHz)
}

// bringingGuard keeps stroke and rate while the rig is brought to its initial
// displacement.
func (b *builder) bringingGuard() (*rig.Guard, error) {
	rating := b.s.Rating()
	g, err := rig.NewGuard(b.theRig, rig.GuardConfig{
		RateHz: b.s.RateHz, Axes: b.s.Axes(), Forces: b.forces, Stroke: rating.Stroke, Rate: rating.Rate, NonFinite: rig.Stop,
		Profile: rig.Profile{Velocity: 1, Acceleration: 1, WithinS: 1}, // no limit ramps
	})
	if err != nil {
		return nil, err
	}
	return g, g.Arm()
}

// release brings the rig to the initial displacement, as a laboratory does
// before a free vibration, and lets the integrators start from there.
func (b *builder) release() error {
	if len(b.s.Initial) == 0 {
		return nil
	}
	n := b.lead()
	half := make([]float64, 2*n+1)
	for j := range half {
		half[j], _ = device.Way(float64(j) / (2 * b.s.RateHz))
	}
	q := make([]float64, len(b.part.Interface))
	for i, dof := range b.part.Interface {
		q[i] = b.s.Initial[dof]
	}
	l, err := b.bringing(half, b.axesAt(q), n)
	if err != nil {
		return fmt.Errorf("bringing the rig to %s m: %w", strings.Trim(fmt.Sprint(q), "[]"), err)
	}
	f := l.Frame()
	felt := f.Read
	if b.coupler != nil {
		if c, ok := b.coupler.(interface{ StandAt(q []float64) }); ok {
			c.StandAt(q)
		}
		felt = rths.NewReading(len(q), b.forces)
		b.coupler.Interface(&felt, &f.Read)
		if c, ok := rths.As[rths.Failer](b.coupler); ok && c.Err() != nil {
			return fmt.Errorf("bringing the rig to %s m: %w", strings.Trim(fmt.Sprint(q), "[]"), c.Err())
		}
	}
	b.start = &rths.Start{Target: q, Force: slices.Clone(felt.TrueF), Command: slices.Clone(f.Command)}
	if p, ok := b.integ.(interface{ StandAt(q []float64) }); ok {
		p.StandAt(q)
	}
	i, ok := b.integ.(integrate.Starter)
	if !ok {
		return fmt.Errorf("integrator %s cannot start away from rest", b.s.Integrator.Kind)
	}
	return i.Start(b.s.Initial, b.start.Force)
}

// axesAt are the displacements of the actuators at interface coordinates q.
func (b *builder) axesAt(q []float64) []float64 {
	if b.coupler == nil {
		return q
	}
	axes := rths.NewMotion(b.s.Axes())
	b.coupler.Axes(&axes, &rths.Motion{X: q})
	return axes.X
}

// bringing runs the loop, opened, over n samples of a target.
func (b *builder) bringing(half, along []float64, n int) (*rths.Loop, error) {
	c := rths.Config{
		RateHz: b.s.RateHz, Samples: n, Open: true, DivergedM: b.s.Diverged, Axes: len(along), Forces: b.forces,
		Accelerometers: b.s.accelerometers(),
		Integrator:     integrate.PrescribedAlong(half, along, b.h), Compensator: b.comp, Rig: b.theRig, Truth: true,
	}
	var g *rig.Guard
	if !b.s.Limits.None() {
		var err error
		if g, err = b.bringingGuard(); err != nil {
			return nil, err
		}
		c.Rig, c.Observers = g, []rths.Observer{g.Observer()}
	}
	l, err := rths.NewLoop(c)
	if err != nil {
		return nil, err
	}
	l.Freeze(true)
	defer l.Freeze(false)
	if err := l.Run(0, nil); err != nil {
		return nil, err
	}
	if g != nil && len(g.Events()) > 0 {
		e := g.Events()[0]
		return nil, fmt.Errorf("%s would be %.4g at t = %.4g s: the transfer system allows %.4g: want a smaller "+
			"displacement or another actuator", e.Channel, e.Value, e.T, e.Limit)
	}
	return l, nil
}
