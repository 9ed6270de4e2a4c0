// Package analyse answers questions on a scenario before a test: frequency responses
// (Bode), stability (Stability, Verdict, maps), the open loop and its roots, and the
// identification of a loading system from measured data (Identify). All analyses hold for
// small motion and for the initial parameters of adaptive compensators. For large motion
// and for learning, run the test.
package analyse

import (
	"errors"
	"fmt"
	"math"
	"math/cmplx"
	"path/filepath"
	"slices"

	"gonum.org/v1/gonum/floats"

	"rths"
	"rths/maths/lti"
	"rths/method/compensate"
	"rths/model/plant"
	"rths/result/record"
	"rths/scenario"
)

// Bode computes the frequency responses of a scenario: transfer system, control plant,
// control plant with other stiffnesses of the specimen, compensated loop, random plants,
// and the model of the plant that a run has identified (paper 001
// Figs 4.3, 7.4, 7.16 and 7.18; paper 002 Fig. 2).
type Bode struct {
	Perturbed int             // number of random plants
	Run       *record.Archive // nil: none
	Window    [2]float64      // time over which the run's parameters are averaged, s; zeros: strongHalf

	// Parameters are the averaged parameters of the run. Systems fills them in, and Window.
	Parameters []rths.Value
}

// Group is the group that a system belongs to.
type Group string

// Groups, in the order of Systems.
const (
	Transfer    Group = "transfer"
	Plant       Group = "plant"
	Stiffness   Group = "stiffness"
	Compensated Group = "compensated"
	Perturbed   Group = "perturbed"
	Initial     Group = "initial"
	Identified  Group = "identified"
)

// System is one frequency response.
type System struct {
	Name     string
	Group    Group
	Response lti.Response
	Delay    float64 // known part of the delay, s: see lti.Response.Bode
	From, To int     // several actuators: number, from 1, of the command or target, and of the displacement
}

// stiffnesses are factors on the specimen's stiffness (paper 001, Fig. 4.3).
var stiffnesses = []float64{0.5, 2, 5, 10}

// Systems lists the frequency responses, with the random plant of a perturbed scenario.
// A transfer system without a linear model is an error.
func (b *Bode) Systems(s *scenario.Scenario) ([]System, error) {
	if s.Axes() > 1 { // couplings beside responses, and a model with the specimen inside
		return b.several(s)
	}
	perturbed, err := b.perturbed(s)
	if err != nil {
		return nil, err
	}
	out, err := plants(s)
	if err != nil {
		return nil, err
	}
	loop, err := NewOpenLoop(s)
	if err != nil {
		return nil, err
	}
	out = append(out, System{Name: "compensated", Group: Compensated, Response: loop.Response, Delay: loop.X.Centroid()})
	out = append(out, perturbed...)
	if b.Run == nil {
		return out, nil
	}
	adapted, err := b.adapted()
	return append(out, adapted...), err
}

// several are the systems of coupled actuators: the response of each displacement to each
// command or target. The response to another actuator's command is a coupling.
func (b *Bode) several(s *scenario.Scenario) ([]System, error) {
	if b.Perturbed > 0 || b.Run != nil {
		return nil, errors.New("several actuators: --perturbed and --run are for one actuator: leave them out")
	}
	m, err := s.ControlPlant()
	if err != nil {
		return nil, err
	}
	var out, compensated []System
	_, inputs, _ := m.SS.Dims()
	for from := range inputs {
		for to := range inputs {
			pair := fmt.Sprintf("%d to %d", from+1, to+1)
			g, tau := m.SS.Response(to, from), m.Delay(from)
			late := func(hz float64) complex128 { return g(hz) * cmplx.Exp(complex(0, -2*math.Pi*hz*tau)) }
			if from != to && g(1) == 0 {
				continue // not coupled
			}
			out = append(out, System{Name: "plant " + pair, Group: Plant, Response: late, Delay: tau, From: from + 1,
				To: to + 1})
			loop, err := openLoopBetween(s, from, to)
			if err != nil {
				return nil, err
			}
			compensated = append(compensated, System{Name: "compensated " + pair, Group: Compensated, Response: loop.Response,
				Delay: loop.X.Centroid(), From: from + 1, To: to + 1})
		}
	}
	return append(out, compensated...), nil
}

// plants are the continuous models: the transfer system alone, with the specimen, and
// with softer and stiffer specimens where the specimen is linear.
func plants(s *scenario.Scenario) ([]System, error) {
	bare, err := s.PlantModel(nil)
	if err != nil {
		return nil, err
	}
	specimen, err := s.MakeSpecimen()
	if err != nil {
		return nil, err
	}
	whole, err := s.PlantModel(specimen)
	if err != nil {
		return nil, err
	}
	out := []System{modelled("transfer", Transfer, bare), modelled("plant", Plant, whole)}
	l, ok := rths.As[plant.Linear](specimen)
	if !ok {
		return out, nil
	}
	m, c, k := l.Linear()
	for _, factor := range stiffnesses {
		specimen, err := (&plant.LinearSpecimen{Mass: m, Damping: c, Stiffness: factor * k}).Make()
		if err != nil {
			return nil, err
		}
		model, err := s.PlantModel(specimen)
		if err != nil {
			return nil, err
		}
		out = append(out, modelled(fmt.Sprintf("plant k×%g", factor), Stiffness, model))
	}
	return out, nil
}

func modelled(name string, g Group, m plant.Model) System {
	ss := m.SS.Response(0, 0)
	late := func(hz float64) complex128 {
		return ss(hz) * cmplx.Exp(complex(0, -2*math.Pi*hz*m.Delay(0)))
	}
	return System{Name: name, Group: g, Response: late, Delay: m.Delay(0)}
}

// perturbed are the random plants 1 to n, by the scenario's scatter or the published one.
func (b *Bode) perturbed(s *scenario.Scenario) ([]System, error) {
	var out []System
	for n := 1; n <= b.Perturbed; n++ {
		drawn := s.PerturbedPlant(n)
		m, err := drawn.ControlPlant()
		if err != nil {
			return nil, err
		}
		out = append(out, modelled(fmt.Sprintf("perturbed %d", n), Perturbed, m))
	}
	return out, nil
}

// adapted are two models of the plant from a run: with the parameters of the first tick,
// and with the parameters averaged over the window.
func (b *Bode) adapted() ([]System, error) {
	s, err := scenario.ParseResolved(filepath.Join(b.Run.Dir, record.ManifestFile), []byte(b.Run.Scenario), b.Run.Dir, nil)
	if err != nil {
		return nil, err
	}
	maker, ok := s.Compensator.Params.(compensate.Identified)
	if !ok {
		return nil, fmt.Errorf("run %s: compensator %s identifies no model of the plant: want a run with %s", b.Run.Dir,
			s.CompensatorKind(), identifying())
	}
	channels, err := s.CompensatorChannels()
	if err != nil {
		return nil, err
	}
	first, mean, err := b.average(channels)
	if err != nil {
		return nil, fmt.Errorf("run %s: %w", b.Run.Dir, err)
	}
	before, after := maker.PlantModel(s.RateHz, first), maker.PlantModel(s.RateHz, mean)
	if before == nil || after == nil {
		return nil, fmt.Errorf("run %s: %d channels are not the parameters of compensator %s", b.Run.Dir, len(mean),
			s.CompensatorKind())
	}
	return []System{{Name: "initial", Group: Initial, Response: before},
		{Name: "identified", Group: Identified, Response: after}}, nil
}

// average returns the recorded parameters of the first tick, and their means over the
// window.
func (b *Bode) average(channels []rths.Channel) (first, mean []float64, err error) {
	from, to, err := b.rows()
	if err != nil {
		return nil, nil, err
	}
	b.Parameters = nil
	for _, c := range channels {
		v, ok := b.Run.Column(c.Name)
		if !ok {
			return nil, nil, fmt.Errorf("no column %s: want the parameters of the compensator", c.Name)
		}
		m := floats.Sum(v[from:to]) / float64(to-from)
		if !rths.Finite(m) {
			return nil, nil, fmt.Errorf("parameter %s is not finite from %.4g s to %.4g s", c.Name, b.Window[0], b.Window[1])
		}
		first, mean = append(first, v[0]), append(mean, m)
		b.Parameters = append(b.Parameters, rths.Value{Name: c.Name, V: m})
	}
	return first, mean, nil
}

// identifying are the compensators whose parameters are a model of the plant.
func identifying() string {
	var names string
	for _, k := range compensate.Kinds {
		if _, ok := k.Defaults().(compensate.Identified); ok {
			if names != "" {
				names += ", "
			}
			names += k.Name
		}
	}
	return names
}

// rows are the rows of the archive within the window, [from, to).
func (b *Bode) rows() (from, to int, err error) {
	t, ok := b.Run.Column("time_s")
	if !ok || len(t) == 0 {
		return 0, 0, errors.New("no samples")
	}
	if b.Window == [2]float64{} {
		target, ok := b.Run.Column("target_m")
		if !ok {
			return 0, 0, errors.New("no column target_m to find the strong motion in: want a window")
		}
		b.Window = strongHalf(t, target)
	}
	from, _ = slices.BinarySearch(t, b.Window[0])
	to, _ = slices.BinarySearch(t, math.Nextafter(b.Window[1], math.Inf(1)))
	if from >= to {
		return 0, 0, fmt.Errorf("window from %g s to %g s holds no sample: want one within %g s to %g s", b.Window[0],
			b.Window[1], t[0], t[len(t)-1])
	}
	return from, to, nil
}

// strongHalf is the second half of the strong motion: the time in which the
// integral of the squared target grows from 5 % to 95 %, as the significant
// duration of an accelerogram is defined (Trifunac and Brady 1975). All of the
// run where the target rests.
func strongHalf(t, target []float64) [2]float64 {
	energy := make([]float64, len(target))
	for i, x := range target {
		energy[i] = x * x
	}
	floats.CumSum(energy, energy)
	total := energy[len(energy)-1]
	if !(total > 0) || math.IsInf(total, 0) {
		return [2]float64{t[0], t[len(t)-1]}
	}
	begin, _ := slices.BinarySearch(energy, 0.05*total)
	end, _ := slices.BinarySearch(energy, 0.95*total)
	return [2]float64{(t[begin] + t[end]) / 2, t[end]}
}

// bodeRow is the response of a system at a frequency.
type bodeRow struct {
	System   string   `col:"system"`
	FreqHz   float64  `col:"freq_hz"`
	MagDB    float64  `col:"mag_db"`
	PhaseDeg float64  `col:"phase_deg"`
	DelayMs  *float64 `col:"delay_ms"` // nil: a coupling
}

// BodeRows are the responses at the given frequencies, one row per system and
// frequency.
func BodeRows(systems []System, hz []float64) ([]record.Row, error) {
	var rows []record.Row
	for _, s := range systems {
		b, err := s.Bode(hz)
		if err != nil {
			return nil, err
		}
		for i, f := range b.Hz {
			row := bodeRow{System: s.Name, FreqHz: f, MagDB: b.MagDB[i], PhaseDeg: b.PhaseDeg[i]}
			if b.DelayMs != nil {
				row.DelayMs = &b.DelayMs[i]
			}
			rows = append(rows, record.Flat(row))
		}
	}
	return rows, nil
}

// Bode is the response at increasing frequencies, Hz. A coupling has no delay.
func (s System) Bode(hz []float64) (lti.Bode, error) {
	b, err := s.Response.Bode(hz, s.Delay)
	if err != nil {
		return b, fmt.Errorf("%s: %w", s.Name, err)
	}
	if s.From != s.To {
		b.DelayMs = nil
	}
	return b, nil
}
