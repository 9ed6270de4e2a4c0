// Package rths is the core of a real-time hybrid simulation (RTHS): the
// quantities that pass between its parts, the interfaces of the parts, and the
// Loop that calls them once per sample.
//
// A structure is split into a numerical substructure, integrated by the
// computer, and a specimen, loaded by actuators. Once per sample the loop reads
// the rig, advances the numerical part, lets the compensator turn the target
// displacement into a command, and writes it. The same loop serves a virtual
// test, a study of ten thousand tests and a test in the laboratory: it knows
// interfaces only, has no clock, no goroutine and does no input or output.
//
// Units are SI: m, m/s, m/s², N, s (rad and N·m for rotations).
package rths

import "math"

// Motion is displacement, velocity and acceleration of n coordinates at one
// instant, in m, m/s, m/s² (rad for rotations). V and A are empty where there
// is no such quantity.
type Motion struct{ X, V, A []float64 }

// NewMotion returns a motion of n coordinates at rest. Its three slices share
// one array.
func NewMotion(n int) Motion {
	all := make([]float64, 3*n)
	return Motion{X: all[:n:n], V: all[n : 2*n : 2*n], A: all[2*n:]}
}

// Reading has the values of the sensors at one instant.
type Reading struct {
	Motion // measured motion; V and A are empty unless there is a sensor for them
	// measured restoring force in N (N·m), positive when it resists positive displacement; len(F) may differ from len(X)
	F []float64
	L []float64 // lengths that instruments beside the actuators measure, m, from rest; empty unless a Coupler uses them

	// TrueX, TrueA and TrueF are X, A and F without noise, gain or range. They exist for
	// criteria on a virtual rig only, and are empty without Config.Truth: rigs and couplers
	// work with empty ones. A compensator that looks at them fails the conformance kit.
	TrueX, TrueA, TrueF []float64

	Age int // samples since it was measured

	// Late: no reading of the tick's own instant had come in time, or the command left after its
	// deadline. The link to a rig sets it in every tick; a virtual rig is never late.
	Late bool
}

// NewReading returns a reading of zeros with displacements of n axes, m forces
// and their true values, without velocities and accelerations.
func NewReading(n, m int) Reading {
	all := make([]float64, 2*(n+m))
	return Reading{
		Motion: Motion{X: all[:n:n]},
		F:      all[n : n+m : n+m],
		TrueX:  all[n+m : 2*n+m : 2*n+m],
		TrueF:  all[2*n+m:],
	}
}

// Sensors are the numbers of sensors of a rig: displacements (one on each actuator), forces, accelerations, and lengths
// of other instruments.
type Sensors struct{ X, F, A, L int }

// Reading is room for a reading of these sensors without true values.
func (s Sensors) Reading() Reading {
	all := make([]float64, s.X+s.F+s.A+s.L)
	cut := func(n int) (out []float64) {
		out, all = all[:n:n], all[n:]
		return out
	}
	return Reading{Motion: Motion{X: cut(s.X), A: cut(s.A)}, F: cut(s.F), L: cut(s.L)}
}

// Take copies what is measured in another reading of the same sensors, with its age and whether it was late.
func (r *Reading) Take(from *Reading) {
	copy(r.X, from.X)
	copy(r.F, from.F)
	copy(r.A, from.A)
	copy(r.L, from.L)
	r.Age, r.Late = from.Age, from.Late
}

// WithoutTruth is the reading without true values, in the same slices.
func (r Reading) WithoutTruth() Reading {
	r.TrueX, r.TrueA, r.TrueF = nil, nil, nil
	return r
}

// Frame has everything about one tick. Observers get it at the tick's end. They also get
// a failed tick, with Err set; quantities that this tick did not reach keep the values of
// the tick before. Axis coordinates belong to the actuators, interface coordinates to the
// numerical substructure; without a Coupler both are the same slices.
type Frame struct {
	K   int     // tick
	T   float64 // K/rate, s
	Err error

	// ground acceleration at t_k, t_k + h/2, t_k+1, m/s²: all components (after them force histories, N) at the first
	// instant, then at the second, …
	Ground    []float64
	Histories int // how many of the components at the end are force histories
	// numerical part, all DOF, at t_k; nil where the integrator has no state to show. V and A only if a part is a RateUser
	Num *Motion
	// the force the integrator used in this tick's step (delayed, corrected by a ForceCorrector), N: energies need this
	// one
	Force           []float64
	Target          Motion    // goal of the command, axis coordinates; V and A only if a part is a RateUser
	TargetK         int       // the instant Target belongs to: K, or K+1 with timing "next"
	Desired         []float64 // target of the instant of Read: criteria compare Read.X with this
	Read            Reading   // axis coordinates
	InterfaceTarget Motion    // Target in interface coordinates
	InterfaceRead   Reading   // Read in interface coordinates
	Command         []float64 // command sent, m
}

// Vectors are the slices of a frame but for Ground and Num.
func (f *Frame) Vectors() [23]*[]float64 {
	t, w, r, felt := &f.Target, &f.InterfaceTarget, &f.Read, &f.InterfaceRead
	return [...]*[]float64{
		&t.X, &t.V, &t.A, &w.X, &w.V, &w.A,
		&r.X, &r.V, &r.A, &r.F, &r.TrueX, &r.TrueA, &r.TrueF,
		&felt.X, &felt.V, &felt.A, &felt.F, &felt.TrueX, &felt.TrueA, &felt.TrueF,
		&f.Force, &f.Desired, &f.Command,
	}
}

// Integrator advances the numerical substructure by one sample. A leading
// integrator goes from t_k to t_k+1 with the force of t_k (RK4, central
// difference, Newmark explicit); a closing one from t_k-1 to t_k with the
// force of t_k (average acceleration).
type Integrator interface {
	// Step writes the motion of the interface coordinates at the end of the
	// step into target. ground is the window of Frame.Ground; of felt it uses
	// the force F.
	Step(target *Motion, ground []float64, felt *Reading)
	Closing() bool
}

// Compensator turns the target displacement into the command. target and read
// are in axis coordinates; target.V and target.A are for a RateUser only. It must
// not use read.TrueX or read.TrueF, and must not emit a command that is not finite
// as long as target is finite.
type Compensator interface {
	Step(command []float64, target *Motion, read *Reading)
}

// Rig takes commands and gives readings: a virtual rig, a laboratory at the other end of a network,
// or either within limits. Only a Rig can fail, and a Failer.
type Rig interface {
	Read(*Reading) error
	Write(command []float64) error
}

// Coupler converts between interface and axis (actuator) coordinates. The loop carries Age
// and Late over.
type Coupler interface {
	Axes(axes, iface *Motion)
	Interface(iface, axes *Reading)
}

// Observer looks at every tick, live or replayed. It copies what it needs and
// keeps nothing of the frame.
type Observer interface{ Observe(*Frame) }

// The optional interfaces below are looked up with As when a loop is made.

// NumericalState is an integrator that shows the numerical part: all DOF at t_k after
// the step of tick k. For a leading integrator that is where the step started,
// with the acceleration belonging to the force used in it.
type NumericalState interface{ State() *Motion }

// DelayedState is an integrator whose State comes some ticks after t_k: Delay says how many, 0 if there is no delay,
// and how many at most where it comes late. StateAt is the state at tick k; nil: it has not come. A NumericalUser then
// gets the frame of each tick with the state of that tick, as soon as both are there and no sooner than Delay ticks
// later; other observers, as a record, get the frame as it is.
type DelayedState interface {
	Delay() (ticks, most int)
	StateAt(k int) *Motion
}

// Pacer is an integrator that takes several ticks for a step of the numerical part, as a slow test does. Its time is
// the structure's, and the time of ticks the laboratory's. Window is what Frame.Ground shows: the actions of the
// newest step. Began is the step that the tick just made began; false: none. A NumericalUser gets one frame for each
// step, whose K and T are the structure's; other observers get all ticks.
type Pacer interface {
	Window() []float64
	Began() (PacedStep, bool)
}

// PacedStep is the beginning of a step.
type PacedStep struct {
	K      int       // from 0
	T      float64   // of the structure, s
	Target []float64 // displacements that had been asked for at T, interface coordinates, m
	Felt   *Reading  // reading that counts for them, interface coordinates
}

// NumericalUser is an observer that sets the numerical part (Frame.Num) against other quantities of the
// same instant.
type NumericalUser interface{ UsesNumerical() }

// Deriver is an integrator whose Step gives displacements only. Derive gives
// velocities and accelerations, of its State and of the target, of the step just
// made. The loop calls it when some part uses them: they cost as much as the
// step itself.
type Deriver interface{ Derive(target *Motion) }

// ForceCorrector is an integrator that does not use the force it is given as it is.
// Corrected is the force of the step just made, which the loop shows as Frame.Force: always
// the same slice, or nil where nothing is corrected.
type ForceCorrector interface{ Corrected() []float64 }

// ReadingUser is an integrator that looks at what is felt in this tick beside the force that it is
// given, which is delayed and predicted (Timing). The loop says once where its reading in
// interface coordinates is.
type ReadingUser interface{ UseReading(felt *Reading) }

// Periodic is an integrator whose ticks differ and repeat after Period ticks. The
// Jacobian of its loop spans a period.
type Periodic interface{ Period() int }

// Failer is an integrator, a compensator or a coupler whose step may fail. Err says why; nil: it did not. The target of
// an integrator's failed step, as of an implicit one that does not converge, is not a number, and the loop stops there.
// The loop asks a compensator after each of its steps; a failed step leaves the command as it was. It asks a coupler in
// each tick, and takes a reading that belongs to no pose as one that has diverged.
type Failer interface{ Err() error }

// FailerGroup is a compensator with parts of which some may fail: they are its Failers.
type FailerGroup interface{ Failers() []Failer }

// Finisher is an integrator whose analysis may end before the samples of the run: then the run is done.
type Finisher interface{ Finished() bool }

// RateUser is a compensator or observer that looks at velocities or
// accelerations of the target or the numerical part.
type RateUser interface{ UsesRates() }

// CurrentForceUser is a RateUser that needs the target's acceleration with the force of its own
// tick. With timing "current" a leading integrator makes the target a tick before, with the
// force of that tick. For a CurrentForceUser that says true the loop brings the acceleration up to
// date, a ← a − M⁻¹ (f − f_before), if the integrator is Massive.
type CurrentForceUser interface{ UsesCurrentForce() bool }

// Massive is an integrator whose target fulfils the equation of motion with the force of the
// step. InverseMass is M⁻¹ of the interface coordinates, 1/kg, by rows; nil: it does not.
type Massive interface{ InverseMass() []float64 }

// Stateful parts can be stopped and resumed. VisitState goes through everything that a part
// remembers from tick to tick, in a canonical order (delay lines unrolled, oldest last; no
// unused registers). Checkpoints and the loop's Jacobian need it.
type Stateful interface{ VisitState(v *StateVisitor) }

// Decaying is an observer with states that decay when the motion has ended, as a
// reference response or a fading mean. The loop sets decayed states to zero; see Flusher.
type Decaying interface{ Decaying() []Stateful }

// Adaptive parts change parameters as the test goes. What they have learnt is
// kept apart from the state, so that the loop can be linearised about it.
type Adaptive interface {
	Freeze(on bool) // on: parameters are held
	VisitAdaptation(v *StateVisitor)
}

// Idealiser parts can switch off noise, quantizers, ranges and saturation, so that the
// loop can be linearised.
type Idealiser interface{ Idealise(on bool) }

// FailSafe is a rig that brings its specimen to safety by itself. The loop calls TakeOver when
// target, measured displacement or command have diverged. If TakeOver returns true, the run
// goes on with commands of the rig's own, until Write returns an error.
type FailSafe interface{ TakeOver(*DivergedError) bool }

// Channel is one signal a part shows beside the frame: an adaptive parameter,
// an indicator. V points at the value of the current tick.
type Channel struct {
	Name string // as in records and reports, e.g. "a0"
	Unit string // e.g. "m", "s", "-"
	V    *float64

	Meaning

	Lower, Upper *float64 // bounds that the adaptation keeps; nil: none
}

// Channeler parts show channels.
type Channeler interface{ Channels() []Channel }

// Value is one named result of a run.
type Value struct {
	Name   string // as its fields make it (Meaning), as in J1_ms or J2_1_true_pct
	V      float64
	Unit   string // of V, as it is written: "ms", "%", "m/s²"; "": none
	Doc    string
	Family string // criterion it belongs to, a row of criteria.Kinds; "" for other results
	Number int    // that a benchmark gives it: 1 for J1; 0 for all others

	Meaning
}

// Summarizer parts give results at the end of a run.
type Summarizer interface{ Summary() []Value }

// OldReadings is the indicator of a run with a block rig: the share of its ticks whose reading was old, %.
const OldReadings = "old_readings_pct"

// Wrapper is implemented by everything that adds behaviour around another
// part (limits, noise, a second rate), so that As can look inside.
type Wrapper interface{ Unwrap() any }

// As returns the first of v, v.Unwrap(), v.Unwrap().Unwrap(), … that is a T.
// Optional interfaces are looked up with it once, when a loop is made.
func As[T any](v any) (T, bool) {
	for v != nil {
		if t, ok := v.(T); ok {
			return t, true
		}
		w, ok := v.(Wrapper)
		if !ok {
			break
		}
		v = w.Unwrap()
	}
	var none T
	return none, false
}

// FreshReadings tells new readings from repeated ones: a reading is new if it was measured later than all before it.
// The age of readings alone does not tell, as a rig may give each with the same age. The zero value has seen none.
type FreshReadings struct {
	Tick int // ticks so far
	At   int // tick at which the newest reading was measured
}

// IsNew takes the age of a tick's reading, samples, and reports whether the reading is new. A failed one is not.
func (n *FreshReadings) IsNew(age int, failed bool) bool {
	n.Tick++
	at := n.Tick - age
	if failed || at <= n.At {
		return false
	}
	n.At = at
	return true
}

// Finite reports whether x is a number: neither NaN nor infinite. (x − x == 0 would be wrong where x is a product that
// a compiler fuses with the difference, as on arm64.)
func Finite(x float64) bool { return math.Abs(x) <= math.MaxFloat64 }
