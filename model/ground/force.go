package ground

import (
	"fmt"
	"math"

	"rths"
)

// Forces is the table of force histories. The motions hold forces in N in place
// of accelerations.
var Forces = []rths.Kind[Source]{
	{Name: "file",
		Doc: "a force history in a file whose format states no unit, such as csv and mat; time in the unit of its title, " +
			"else s, and force in N",
		Ref: "formats: see rths doc formats", Defaults: func() Source { return &ForceFile{Scale: 1} }},
	{Name: "sine", Doc: "harmonic force from rest: a shaker",
		Ref: "p = P sin 2πft", Defaults: func() Source {
			return &ForceSine{Sampling: Sampling{Duration: 20}, Frequency: 1, Amplitude: 1000}
		}},
	{Name: "sweep", Doc: "swept sine of constant amplitude",
		Ref: "as the ground motion of that name", Defaults: func() Source {
			return &ForceSweep{Sampling: Sampling{Duration: 60}, From: 0.1, To: 20, Amplitude: 1000, Law: "linear"}
		}},
	{Name: "step", Doc: "force that jumps from zero to a constant",
		Ref: "p = P for t ≥ onset", Defaults: func() Source {
			return &ForceStep{Sampling: Sampling{Duration: 10}, Onset: 1, Amplitude: 1000}
		}},
	{Name: "pulse", Doc: "half-sine pulse: a blow",
		Ref: "Chopra, Dynamics of Structures, section 4.8", Defaults: func() Source {
			return &ForcePulse{Sampling: Sampling{Duration: 10}, Onset: 1, Length: 0.1, Amplitude: 1000}
		}},
}

// ForceFile is a force history in a file.
type ForceFile struct {
	File  string  `yaml:"file" doc:"path of the history; a relative one starts at the scenario's folder"`
	Scale float64 `yaml:"scale" doc:"factor that makes its numbers newtons"`
	Var   string  `yaml:"variable,omitempty" doc:"array to take from a file of several, as format mat; empty = the only one"`

	Columns `yaml:",inline"`
}

// Motion reads the file.
func (p *ForceFile) Motion(at At) (Motion, error) {
	return (&TargetFile{File: p.File, Scale: p.Scale, Var: p.Var, Columns: p.Columns}).as(Force, at)
}

// forceRule demands a force that stays finite.
func forceRule(p float64) rule {
	return rule{math.Abs(p) <= 1e12, "amplitude_n", p, "-1e12 to 1e12 N"}
}

// scaled is a motion of amplitude 1, made into a force of amplitude p.
func scaled(unit Source, at At, p float64) (Motion, error) {
	if err := check(forceRule(p)); err != nil {
		return Motion{}, err
	}
	m, err := unit.Motion(at)
	if err != nil {
		return Motion{}, err
	}
	return m.Scaled(p), nil
}

// ForceSine is a harmonic force P sin 2πft from rest.
type ForceSine struct {
	Sampling  `yaml:",inline"`
	Frequency float64 `yaml:"frequency_hz" doc:"frequency, Hz"`
	Amplitude float64 `yaml:"amplitude_n" doc:"amplitude, N"`
}

// Motion synthesises it.
func (p *ForceSine) Motion(at At) (Motion, error) {
	return scaled(&Sine{Sampling: p.Sampling, Frequency: p.Frequency, Amplitude: 1}, at, p.Amplitude)
}

// ForceSweep is a swept sine of constant amplitude.
type ForceSweep struct {
	Sampling  `yaml:",inline"`
	From      float64 `yaml:"from_hz" doc:"frequency at the beginning, Hz"`
	To        float64 `yaml:"to_hz" doc:"frequency at the end, Hz"`
	Amplitude float64 `yaml:"amplitude_n" doc:"amplitude, N"`
	Law       string  `yaml:"law" doc:"how the frequency changes over time: linear or log"`
}

// Motion synthesises it.
func (p *ForceSweep) Motion(at At) (Motion, error) {
	return scaled(&Sweep{Sampling: p.Sampling, From: p.From, To: p.To, Amplitude: 1, Law: p.Law}, at, p.Amplitude)
}

// ForceStep is a force that jumps, within one step, from zero to a constant.
type ForceStep struct {
	Sampling  `yaml:",inline"`
	Onset     float64 `yaml:"onset_s" doc:"time of the jump, s, 0 or more, less than duration_s"`
	Amplitude float64 `yaml:"amplitude_n" doc:"force after it, N"`
}

// Motion synthesises it.
func (p *ForceStep) Motion(at At) (Motion, error) {
	return scaled(&Step{Sampling: p.Sampling, Onset: p.Onset, Amplitude: 1}, at, p.Amplitude)
}

// ForcePulse is half a sine: P sin(π (t − onset)/length), zero before and after.
type ForcePulse struct {
	Sampling `yaml:",inline"`
	Onset    float64 `yaml:"onset_s" doc:"start of the pulse, s, 0 or more"`

	Length float64 `yaml:"length_s" doc:"length of the pulse, s, at least 4 steps; onset_s + length_s at most duration_s"`

	Amplitude float64 `yaml:"amplitude_n" doc:"peak, N"`
}

// Motion synthesises it.
func (p *ForcePulse) Motion(at At) (Motion, error) {
	m, err := p.zeros("pulse", at)
	if err != nil {
		return Motion{}, err
	}
	err = check(
		forceRule(p.Amplitude),
		rule{p.Onset >= 0 && p.Onset < p.Duration, "onset_s", p.Onset, "0 or more, less than duration_s"},
		rule{p.Length >= 4*m.Dt && p.Onset+p.Length <= p.Duration, "length_s", p.Length,
			fmt.Sprintf("at least 4 steps (%g s), ending within duration_s", 4*m.Dt)},
	)
	if err != nil {
		return Motion{}, err
	}
	for i := range m.A {
		if t := float64(i)*m.Dt - p.Onset; t > 0 && t < p.Length {
			m.A[i] = p.Amplitude * math.Sin(math.Pi*t/p.Length)
		}
	}
	return m, nil
}
