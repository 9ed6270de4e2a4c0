package ground

import (
	"errors"
	"fmt"

	"rths"
)

// Targets is the table of prescribed target displacements, for open loops. The
// motions hold displacements in m in place of accelerations.
var Targets = []rths.Kind[Source]{
	{Name: "record", Doc: "a named record of the records folder, read as displacement",
		Ref: "Gálmez 2021, section 7.2.1", Defaults: func() Source { return &TargetRecord{Scale: 1} }},
	{Name: "file",
		Doc: "a displacement history in a file whose format states no unit, such as csv and mat; time in the unit of its " +
			"title, else s, and displacement in m",
		Ref: "Wang et al. 2020, section 4.2", Defaults: func() Source { return &TargetFile{Scale: 1} }},
	{Name: "sweep", Doc: "swept sine of constant amplitude",
		Ref: "Ning et al. 2020, section 4.2", Defaults: func() Source {
			return &TargetSweep{Sampling: Sampling{Duration: 10}, From: 0.1, To: 10, Amplitude: 0.01, Law: "linear"}
		}},
	{Name: "sine", Doc: "sine from rest",
		Ref: "x = A sin 2πft", Defaults: func() Source {
			return &TargetSine{Sampling: Sampling{Duration: 10}, Frequency: 1, Amplitude: 0.01}
		}},
	{Name: "multisine",
		Doc: "sum of cosines at whole multiples of 1/period_s, of low peak; with several actuators (interface) each " +
			"coordinate has lines of its own, so that rths identify finds every transfer function from one test",
		Ref: "Pintelon & Schoukens 2012, section 5.2; Schroeder 1970", Defaults: defaultMultisine},
}

// TargetRecord is a named record read as displacement.
type TargetRecord struct {
	Record string  `yaml:"record" doc:"name of a record"`
	Scale  float64 `yaml:"scale" doc:"factor that makes its numbers metres"`
}

// Motion reads the record.
func (p *TargetRecord) Motion(at At) (Motion, error) {
	return readAs(Length, &Record{p.Record, unscaled(p.Scale)}, p.Scale, at)
}

// TargetFile is a displacement history in a file.
type TargetFile struct {
	File  string  `yaml:"file" doc:"path of the history; a relative one starts at the scenario's folder"`
	Scale float64 `yaml:"scale" doc:"factor that makes its numbers metres"`
	Var   string  `yaml:"variable,omitempty" doc:"array to take from a file of several, as format mat; empty = the only one"`

	Columns `yaml:",inline"`
}

// Motion reads the file.
func (p *TargetFile) Motion(at At) (Motion, error) { return p.as(Length, at) }

// as reads the file as a quantity.
func (p *TargetFile) as(q Quantity, at At) (Motion, error) {
	c := unscaled(p.Scale)
	c.Var, c.Columns = p.Var, p.Columns
	return readAs(q, &File{p.File, c}, p.Scale, at)
}

// unscaled is the conditioning of numbers that a scale alone makes SI.
func unscaled(scale float64) Conditioning {
	c := asRecorded
	c.Scale, c.Unit = scale, asIs
	return c
}

// readAs reads a history as a quantity. A title that states another unit than the SI unit
// needs a scale.
func readAs(q Quantity, from Source, scale float64, at At) (Motion, error) {
	m, err := from.Motion(at)
	if err != nil || scale != 1 {
		return m, err
	}
	unit, err := q.stated(m.title)
	if _, record := from.(*Record); record && errors.As(err, new(titleError)) {
		return m, nil // the shape of a ground motion
	}
	switch factor := q.Units[unit]; {
	case err != nil:
		return Motion{}, &KeyError{"scale", scale, fmt.Sprintf("the factor that makes the numbers of column %q %s", m.title,
			q.SI)}
	case unit != "" && factor != 1:
		return Motion{}, &KeyError{"scale", scale,
			fmt.Sprintf("%g, because the title %q states %s and the program works in %s", factor, m.title, unit, q.SI)}
	}
	return m, nil
}

// TargetSweep is a swept sine.
type TargetSweep struct {
	Sampling  `yaml:",inline"`
	From      float64 `yaml:"from_hz" doc:"frequency at the beginning, Hz"`
	To        float64 `yaml:"to_hz" doc:"frequency at the end, Hz"`
	Amplitude float64 `yaml:"amplitude_m" doc:"amplitude, m"`
	Law       string  `yaml:"law" doc:"how the frequency changes over time: linear or log"`
}

// Motion synthesises it.
func (p *TargetSweep) Motion(at At) (Motion, error) {
	return (&Sweep{Sampling: p.Sampling, From: p.From, To: p.To, Amplitude: p.Amplitude, Law: p.Law}).Motion(at)
}

// TargetSine is a sine from rest.
type TargetSine struct {
	Sampling  `yaml:",inline"`
	Frequency float64 `yaml:"frequency_hz" doc:"frequency, Hz"`
	Amplitude float64 `yaml:"amplitude_m" doc:"amplitude, m"`
}

// Motion synthesises it.
func (p *TargetSine) Motion(at At) (Motion, error) {
	return (&Sine{Sampling: p.Sampling, Frequency: p.Frequency, Amplitude: p.Amplitude}).Motion(at)
}
