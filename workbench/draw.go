package workbench

import (
	"context"
	"fmt"
	"math"
	"slices"

	"rths/model/structure"
	"rths/result/plotting"
	"rths/result/report"
	"rths/scenario"
	"rths/scenario/syntax"
)

// Part is a block of a scenario in the drawing of the test.
type Part struct {
	Key    string `json:"key"`
	Text   string `json:"text"`           // kind and parameters in units
	Line   int    `json:"line,omitempty"` // from 1; 0: a default, which the text does not have
	Column int    `json:"column,omitempty"`
}

// Mode is one of the first modes of the undivided structure.
type Mode struct {
	Hz    float64   `json:"hz"`
	Pct   float64   `json:"damping_pct"`
	Shape []float64 `json:"shape"` // of each degree of freedom, at most 1
}

// Device is a device of the numerical part.
type Device struct {
	Between [2]int `json:"between"` // degrees of freedom, from 1; 0: the ground
	Text    string `json:"text"`
	Learns  bool   `json:"learns,omitempty"`
}

// Drawing is a test as it is drawn.
type Drawing struct {
	Name     string            `json:"name"`
	RateHz   float64           `json:"rate_hz"`
	Parts    []Part            `json:"parts"` // in the order of the loop
	Axes     int               `json:"axes"`  // actuators
	Shape    *structure.Shape  `json:"shape,omitempty"`
	Held     []int             `json:"held,omitempty"`     // degree of freedom, from 0, of each actuator
	Yielding []int             `json:"yielding,omitempty"` // storeys, from 1
	Devices  []Device          `json:"devices,omitempty"`
	Modes    []Mode            `json:"modes,omitempty"`
	Delays   map[string]string `json:"delays,omitempty"` // of force and command, in words
}

// Bounds of what a drawing has.
const (
	mostModes   = 4
	mostJoints  = 3000
	mostDevices = 200 // of a group
)

// parts are the blocks of a drawing, in the order of the loop.
var parts = []string{
	"ground", "target", "structure", "devices", "integrator", "two_rate", "compensator", "fallback", "limits", "transfer", "specimen",
	"specimens", "sensors", "converters", "faults",
}

func (d *Desk) draw(ctx context.Context, in Place) (*Drawing, error) {
	if err := in.check(); err != nil {
		return nil, err
	}
	s, err := d.parse(in)
	if err != nil {
		return nil, &Refused{err}
	}
	text, err := s.YAML()
	if err != nil {
		return nil, &Refused{err}
	}
	out := &Drawing{Name: s.Name, RateHz: s.RateHz, Axes: s.Axes(), Delays: delays(s)}
	root, err := syntax.Parse(in.name(), []byte(text), "a scenario")
	if err != nil {
		return nil, &Refused{err}
	}
	for _, key := range parts {
		if p, ok := partOf(s, in, key, text, root); ok {
			out.Parts = append(out.Parts, p)
		}
	}
	r, still := s.AtRest(ctx)
	if still == nil {
		s = r.Scenario // with the interface that the structure brings
		out.Modes = modes(r)
	}
	if out.Shape, out.Held, err = s.Shape(); err != nil {
		return nil, &Refused{err}
	}
	if out.Shape != nil && len(out.Shape.Joints) > mostJoints {
		out.Shape = nil
	}
	if shear, ok := s.Structure.Params.(*structure.Shear); ok {
		for _, y := range shear.Yielding {
			out.Yielding = append(out.Yielding, y.Storey)
		}
	}
	for i, g := range s.Devices {
		for _, p := range g.Between[:min(len(g.Between), mostDevices)] {
			out.Devices = append(out.Devices, Device{Between: [2]int{p[0], p[1]}, Learns: g.Learn != nil,
				Text: fmt.Sprintf("devices[%d]: %s", i+1, g.Kind)})
		}
	}
	return out, nil
}

// partOf is a block of a scenario, whose text with all defaults and its tree are given. A block without a kind that the
// scenario does not have is left out.
func partOf(s *scenario.Scenario, in Place, key, text string, root *syntax.Node) (p Part, ok bool) {
	p = Part{Key: key, Text: report.Describe(text, key)}
	if place := s.Place(key); place != "" {
		at := placed("", in, place+": ")
		p.Line, p.Column = at.Line, at.Column
	}
	block := root.Find(key)
	if p.Text != "" || block == nil {
		return p, p.Text != ""
	}
	if p.Text = block.Flow(); block.Shape == syntax.Mapping {
		p.Text = p.Text[1 : len(p.Text)-1]
		return p, p.Line > 0
	}
	return p, p.Text != ""
}

// delays are what the order of a tick adds.
func delays(s *scenario.Scenario) map[string]string {
	out := map[string]string{}
	for name, n := range map[string]int{"force": s.Timing.ForceDelay, "command": s.Timing.CommandDelay} {
		if n > 0 {
			out[name] = plotting.CountOf(n, "sample")
		}
	}
	return out
}

// modes are none of a structure that is large or has coordinates without mass.
func modes(r *scenario.Run) (out []Mode) {
	if r.Whole == nil || r.Whole.N > structure.DenseUpTo {
		return nil
	}
	list, err := r.Whole.Dense().Modes()
	if err != nil {
		return nil
	}
	for _, m := range list[:min(len(list), mostModes)] {
		if !(m.FreqHz > 0) {
			continue
		}
		largest := 0.0
		for _, v := range m.Shape {
			largest = math.Max(largest, math.Abs(v))
		}
		shape := slices.Clone(m.Shape)
		for i := range shape {
			shape[i] /= largest
		}
		out = append(out, Mode{m.FreqHz, 100 * m.Ratio, shape})
	}
	return out
}
