package scenario

import (
	"errors"
	"fmt"
	"math"
	"math/cmplx"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rths"
	"rths/model/ground"
	"rths/model/plant"
	"rths/scenario/files"
	"rths/scenario/syntax"
)

// Modes of a coordinate of the interface.
const (
	byDisplacement = "displacement"
	byForce        = "force"
)

// AxisMode is the block of one coordinate of the interface: whether it follows the numerical part, or a force is kept.
type AxisMode struct {
	Mode      string                       `yaml:"mode" doc:"displacement: the coordinate follows the numerical part, in the order of interface; force: a force is kept"`
	Target    float64                      `yaml:"target_n,omitempty" doc:"force to keep, N (N·m of a rotation); amplitude does not change it"`
	History   syntax.Choice[ground.Source] `yaml:"history,omitempty" doc:"force on top of target_n from the end of the lead-in on, N; after its end it stays at its last value"`
	Limit     float64                      `yaml:"displacement_limit_m,omitempty" doc:"largest displacement of a force coordinate, m (rad): a limit of the guard, and the largest speed of the control is this in a second; must be stated"`
	Bandwidth float64                      `yaml:"bandwidth_hz,omitempty" doc:"frequency up to which integral control keeps the force, Hz; default: 2; refused where the gain margin with the lag of the transfer system is below 2.5"`
	Rise      float64                      `yaml:"rise_s,omitempty" doc:"time in which the force rises before anything excites the structure, s; default: 5"`
	Stiffness float64                      `yaml:"stiffness_n_m,omitempty" doc:"stiffness in the direction of the coordinate, N/m; default: by the specimens, about rest; what is stated changes the coupling with other coordinates in proportion"`
	Learn     float64                      `yaml:"learn_m,omitempty" doc:"the stiffness learns (Broyden) from moves of at least so many m: at least 100 times the noise of the displacement; default: it stays as stated"`
}

// Prepare sets the table of the choice.
func (a *AxisMode) Prepare() { a.History = syntax.NewChoice(ground.Forces) }

// Defaults of a force coordinate.
const (
	usualBandwidthHz = 2
	usualRiseS       = 5
)

func (a *AxisMode) bandwidth() float64 {
	if a.Bandwidth == 0 {
		return usualBandwidthHz
	}
	return a.Bandwidth
}

func (a *AxisMode) rise() float64 {
	if a.Rise == 0 {
		return usualRiseS
	}
	return a.Rise
}

// moved and kept are the displacement and the force coordinates, from 0.
func (s *Scenario) moved() (out []int) {
	if len(s.Modes) == 0 {
		for i := range s.Interface {
			out = append(out, i)
		}
	}
	for i, a := range s.Modes {
		if a.Mode != byForce {
			out = append(out, i)
		}
	}
	return out
}

func (s *Scenario) kept() (out []int) {
	for i, a := range s.Modes {
		if a.Mode == byForce {
			out = append(out, i)
		}
	}
	return out
}

// Mixed reports whether a force is kept in some coordinate.
func (s *Scenario) Mixed() bool { return len(s.kept()) > 0 }

// coordinates are the number of coordinates that as many actuators hold.
func (s *Scenario) coordinates() int { return max(len(s.Modes), len(s.Interface)) }

// leadIn is the time before the excitation in which forces rise, s.
func (s *Scenario) leadIn() (most float64) {
	for _, i := range s.kept() {
		a := &s.Modes[i]
		most = max(most, a.rise()+1/a.bandwidth())
	}
	return most
}

// leadTicks are the ticks of leadIn.
func (s *Scenario) leadTicks() int { return int(math.Ceil(s.leadIn() * s.RateHz)) }

// leadSteps are the steps of the numerical part in the time of leadIn: its ticks, but in a slow test.
func (s *Scenario) leadSteps() int {
	n := s.leadTicks()
	if !s.Slow() || s.External() != nil || n == 0 {
		return n
	}
	t, err := s.tempo()
	if err != nil { // refused before
		return 0
	}
	return (n + t.Samples - 1) / max(1, t.Samples)
}

// checkAxes refuses modes that cannot be.
func (s *Scenario) checkAxes(want wanting) {
	n := len(s.Modes)
	if n == 0 {
		return
	}
	want("axes", len(s.Interface) > 0, "without interface: want interface, the degrees of freedom of the coordinates "+
		"with mode displacement, in their order, as in interface: [1]")
	if s.Coupler.Given() && !s.ownNode() {
		coordinates, _ := s.Coupler.Params.Axes()
		want("axes", coordinates == n, "%d blocks for the %d coordinates of the coupler: want one for each", n, coordinates)
	}
	moved := len(s.moved())
	want("axes", moved > 0, "a force is kept in every coordinate, and the numerical part moves none: want mode "+
		"displacement in at least one")
	want("axes", moved == 0 || len(s.Interface) == 0 || moved == len(s.Interface),
		"%d coordinates with mode displacement, and interface has %d degrees of freedom: want as many", moved,
		len(s.Interface))
	for i := range s.Modes {
		s.checkAxis(i, want)
	}
	if !s.Mixed() {
		return
	}
	for _, c := range []struct {
		key string
		ok  bool
		why string
	}{
		{"limits", !s.Limits.None(), "none beside axes with mode force, whose displacement only a limit bounds: want " +
			"limits, or no key for the default ones"},
		{"initial_displacement", len(s.Initial) == 0, "beside axes with mode force, which rise from rest: leave one of " +
			"them out"},
		{"passivity", s.Passivity == nil, "beside axes with mode force, whose coordinates do work on the specimen too: " +
			"leave one of them out"},
		{"force", s.Force != "computed", "computed beside axes with mode force: a force can only be kept that is measured"},
		{"structure", s.External() == nil, "external beside axes with mode force: its analysis does not wait while forces " +
			"rise"},
	} {
		want(c.key, c.ok, "%s", c.why)
	}
}

// checkAxis looks at the block of coordinate i.
func (s *Scenario) checkAxis(i int, want wanting) {
	a, key := &s.Modes[i], fmt.Sprintf("axes[%d]", i+1)
	want(key, a.Mode == byDisplacement || a.Mode == byForce, "mode %q: want displacement or force", a.Mode)
	if a.Mode != byForce {
		for _, k := range []string{"target_n", "history", "displacement_limit_m", "bandwidth_hz", "rise_s",
			"stiffness_n_m", "learn_m"} {
			want(key+"."+k, s.Place(key+"."+k) == "", "has no effect with mode %s: leave it out", a.Mode)
		}
		return
	}
	want(key, a.Limit > 0 && rths.Finite(a.Limit),
		"displacement_limit_m %g: want the largest displacement that the force may need, more than 0: a specimen that "+
			"breaks runs away under a force", a.Limit)
	want(key, math.Abs(a.Target) <= mostForce, "target_n %g: want −%g to %g N", a.Target, float64(mostForce),
		float64(mostForce))
	want(key, a.Bandwidth >= 0 && a.bandwidth() <= s.RateHz/10, "bandwidth_hz %g: want more than 0, at most a tenth of "+
		"rate_hz", a.Bandwidth)
	want(key, a.Rise >= 0 && a.rise() <= mostRiseS && a.rise() >= 1/a.bandwidth(),
		"rise_s %g: want at least 1/bandwidth_hz, %.3g s, at most %g s", a.rise(), 1/a.bandwidth(), float64(mostRiseS))
	want(key, a.Stiffness >= 0 && rths.Finite(a.Stiffness), "stiffness_n_m %g: want more than 0, or leave it out",
		a.Stiffness)
	want(key, a.Learn >= 0 && a.Learn < max(a.Limit, 1), "learn_m %g: want more than 0, or leave it out", a.Learn)
}

// What no laboratory keeps.
const (
	mostForce = 1e12
	mostRiseS = 3600
)

// WantUnloaded refuses questions on the loop about rest where it is another one under the forces that are kept.
func (s *Scenario) WantUnloaded() error {
	i := slices.IndexFunc(s.Specimens, func(p Placed) bool { return len(p.Lean) > 0 })
	if i < 0 || !s.Mixed() {
		return nil
	}
	return s.At(fmt.Sprintf("specimens[%d].lean", i+1), errors.New("the motion about rest has no load, and under the "+
		"forces of axes a specimen that leans is another one: for stability leave lean out, and take P/L from the structure"))
}

// mixed is the coupler around one of all coordinates (nil: an actuator at each).
func (s *Scenario) mixed(inner rths.Coupler) (rths.Coupler, error) {
	if !s.Mixed() {
		return inner, nil
	}
	stiffness, leans, err := s.knownOfForces()
	if err != nil {
		return nil, err
	}
	lever, err := s.lever()
	if err != nil {
		return nil, err
	}
	p := plant.Mixed{RateHz: s.RateHz, Axes: s.coordinates(), Moved: s.moved(), Stiffness: stiffness, Leans: leans,
		Inner: inner, Lever: lever}
	for _, i := range s.kept() {
		a := &s.Modes[i]
		p.Kept = append(p.Kept, plant.ForceAxis{At: i, Target: a.Target, RiseS: a.rise(), Limit: a.Limit,
			BandwidthHz: a.bandwidth(), LearnM: a.Learn})
	}
	c, err := p.Make()
	if err != nil {
		return nil, s.At("axes", err)
	}
	return c, nil
}

// knownOfForces is what the nominal specimens say of the forces to keep: their stiffness about rest, a row for each
// over all coordinates, and how they follow specimens that lean.
func (s *Scenario) knownOfForces() (*mat.Dense, []plant.WeighedLean, error) {
	b, _, err := s.deformations()
	if err != nil {
		return nil, nil, err
	}
	maker, err := s.specimenMaker()
	if err != nil {
		return nil, nil, err
	}
	spec, err := maker.Make()
	if err != nil {
		return nil, nil, s.At(s.specimenKey(), err)
	}
	kept, specimens := s.kept(), spec.(*plant.Assembly).Specimens()
	j := mat.NewDense(len(kept), s.coordinates(), nil)
	stiffness := make([]float64, len(specimens))
	for i, one := range specimens {
		_, _, k, _ := plant.Within(plant.AtRest(one))
		stiffness[i] = k
		for f, at := range kept {
			for c := range s.coordinates() {
				j.Set(f, c, j.At(f, c)+k*b.At(i, at)*b.At(i, c))
			}
		}
	}
	leans, err := s.followed(j, b, stiffness)
	if err != nil {
		return nil, nil, err
	}
	for f, at := range kept {
		row := j.RawRowView(f)
		if of, is := s.Modes[at].Stiffness, row[at]; of > 0 && is > 0 {
			for c := range row {
				row[c] *= of / is
			}
		} else if of > 0 {
			row[at] = of
		}
	}
	return j, leans, nil
}

// followed are the specimens that lean, with the displacements of the force coordinates that take their shortening:
// J_ff⁻¹ Σ k b of those that the coordinates load.
func (s *Scenario) followed(j, b *mat.Dense, stiffness []float64) (out []plant.WeighedLean, err error) {
	kept := s.kept()
	ff := mat.NewDense(len(kept), len(kept), nil)
	for f := range kept {
		for g, at := range kept {
			ff.Set(f, g, j.At(f, at))
		}
	}
	for i := range s.Specimens {
		p := &s.Specimens[i]
		if len(p.Lean) == 0 {
			continue
		}
		var follow mat.VecDense
		load := mat.NewVecDense(len(kept), nil)
		for f, at := range kept {
			load.SetVec(f, stiffness[i]*b.At(i, at))
		}
		if e := follow.SolveVec(ff, load); e != nil && !errors.As(e, new(mat.Condition)) {
			return nil, s.At("axes", e)
		}
		out = append(out, plant.WeighedLean{Lean: p.lean(), Follow: slices.Clone(follow.RawVector().Data)})
	}
	return out, nil
}

// forceAxes reads the histories of the forces, and refuses forces that nothing can reach, or that no control keeps.
func (b *builder) forceAxes() error {
	c, ok := b.coupler.(*plant.MixedCoupler)
	if !ok {
		return nil
	}
	var read files.Inputs
	at := ground.At{RateHz: b.s.RateHz, Seed: b.s.Seed, Files: &read, RecordsDir: b.o.RecordsDir, BaseDir: b.s.baseDir}
	for f, i := range b.s.kept() {
		h := b.s.Modes[i].History
		if !h.Given() {
			continue
		}
		m, err := h.Params.Motion(at)
		if err != nil {
			return b.s.At(fmt.Sprintf("axes[%d].history", i+1), err)
		}
		n := min(m.Samples(b.s.RateHz), b.run.Samples) + 1
		half := m.HalfSteps(b.s.RateHz, n)
		history := make([]float64, n)
		for k := range history {
			history[k] = half[2*k]
		}
		c.Forces(f, history, float64(b.s.leadTicks())/b.s.RateHz)
	}
	b.run.Inputs = append(b.run.Inputs, read.Read...)
	if err := b.wantReached(c.Kept()); err != nil {
		return err
	}
	return b.wantMargin(c.Kept())
}

// wantReached refuses forces beyond a load cell or an actuator: F = T⁻ᵀ f.
func (b *builder) wantReached(kept []plant.ForceAxis) error {
	t, err := b.s.lever()
	if err != nil {
		return err
	}
	var inv mat.Dense
	if err := inv.Inverse(t); err != nil {
		return err
	}
	ratings := b.s.Ratings()
	for i := range ratings {
		most := 0.0
		for _, k := range kept {
			most += math.Abs(inv.At(k.At, i)) * k.Largest()
		}
		for _, has := range []struct {
			limit float64
			of    string
		}{{b.s.Sensors.ForceRange, "the range of its load cell (sensors.force_range)"}, {ratings[i].Force, "its rating " +
			"(force_n)"}} {
			if has.limit > 0 && most > has.limit {
				return fmt.Errorf("the forces to keep need %.4g N in actuator %d, more than %s, %g N: want smaller forces", most,
					i+1, has.of, has.limit)
			}
		}
	}
	return nil
}

// leastMargin is the gain margin below which a force is not kept but shaken.
const leastMargin = 2.5

// wantMargin refuses a bandwidth whose gain margin with the transfer system alone, without its compensator, is too
// small. With its stiffness known the loop of a force coordinate is
//
//	L(jω) = 2π b/(jω) · [T⁻¹ G(jω) T]_ff
//
// with G the transfer system from commands to displacements, delays included: the hold of a sample and the sum of the
// control cancel.
func (b *builder) wantMargin(kept []plant.ForceAxis) error {
	g, err := b.coordinateResponse()
	if err != nil {
		b.run.Warnings = append(b.run.Warnings, fmt.Sprintf("axes: no gain margin of the control of forces: %v", err))
		return nil
	}
	for _, k := range kept {
		margin, hz := gainMargin(func(hz float64) complex128 { return g(k.At, hz) * complex(0, -k.BandwidthHz/hz) },
			k.BandwidthHz/100, b.s.RateHz/2)
		switch {
		case math.IsInf(margin, 1):
		case margin < leastMargin:
			return b.s.At(fmt.Sprintf("axes[%d]", k.At+1), fmt.Errorf("bandwidth_hz %g: gain margin %.3g at %.3g Hz with the "+
				"lag of the transfer system: want at least %g: at most %.3g Hz", k.BandwidthHz, margin, hz, leastMargin,
				k.BandwidthHz*margin/leastMargin))
		default:
			b.run.Notes = append(b.run.Notes, fmt.Sprintf("axes[%d]: bandwidth_hz %g has a gain margin of %.3g at %.3g Hz, "+
				"without compensator", k.At+1, k.BandwidthHz, margin, hz))
		}
	}
	return nil
}

// coordinateResponse is the response of coordinates (from 0) to their commands.
func (b *builder) coordinateResponse() (func(at int, hz float64) complex128, error) {
	m, err := b.s.modelOfPlant()
	if err != nil {
		return nil, err
	}
	t, err := b.s.lever()
	if err != nil {
		return nil, err
	}
	var inv mat.Dense
	if err := inv.Inverse(t); err != nil {
		return nil, err
	}
	n, late := b.s.coordinates(), float64(b.s.CommandDelay())/b.s.RateHz
	return func(at int, hz float64) (sum complex128) {
		g, err := m.SS.At(complex(0, 2*math.Pi*hz))
		if err != nil {
			return cmplx.NaN()
		}
		for j := range n {
			delayed := cmplx.Exp(complex(0, -2*math.Pi*hz*(m.Delay(j)+late))) * complex(t.At(j, at), 0)
			for i := range n {
				sum += complex(inv.At(at, i), 0) * g.At(i, j) * delayed
			}
		}
		return sum
	}, nil
}

// gainMargin is the least 1/|L| where L crosses the negative real axis, and its frequency; +Inf where L does not.
func gainMargin(l func(hz float64) complex128, from, to float64) (margin, at float64) {
	const steps = 3000
	margin = math.Inf(1)
	before, ratio := l(from), math.Pow(to/from, 1.0/steps)
	for i := range steps {
		hz := from * math.Pow(ratio, float64(i+1))
		now := l(hz)
		if imag(before)*imag(now) < 0 {
			share := imag(before) / (imag(before) - imag(now))
			if re := real(before) + share*(real(now)-real(before)); re < 0 && -1/re < margin {
				margin, at = -1/re, hz
			}
		}
		before = now
	}
	return margin, at
}
