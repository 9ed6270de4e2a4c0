package workbench

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"rths"
	"rths/campaign/analyse"
	"rths/campaign/diagram"
	"rths/model/plant"
	"rths/result/panels"
	"rths/result/record"
	"rths/result/report"
	"rths/run/session"
	"rths/scenario"
)

// Explain asks for one of the analyses of a text.
type Explain struct {
	Place
	About string `json:"about"` // a name of topics
}

// Explained is an analysis as a terminal prints it, with its pictures.
type Explained struct {
	Sentence string          `json:"sentence,omitempty"` // the answer, which the text has too
	Text     string          `json:"text"`
	Page     json.RawMessage `json:"page,omitempty"` // figures, as the script of reports draws them
	Loads    []Load          `json:"loads,omitempty"`
	Command  string          `json:"command"` // that prints the same in a terminal
}

// Load is how far a run uses what an actuator can do.
type Load struct {
	Name   string        `json:"name"`
	Unit   string        `json:"unit"`
	Value  record.Number `json:"value"`
	Rating record.Number `json:"rating"` // null: not stated
}

// topics are what Explain may be about.
var topics = map[string]func(*Desk, context.Context, Place, func(float64)) (Explained, error){
	"bode":      (*Desk).bode,
	"stability": (*Desk).stability,
	"ground":    (*Desk).ground,
	"limits":    (*Desk).limits,
	"actuator":  (*Desk).actuator,
}

func (d *Desk) explain(ctx context.Context, in Explain, progress func(float64)) (Explained, error) {
	if err := in.check(); err != nil {
		return Explained{}, err
	}
	of, ok := topics[in.About]
	if !ok {
		return Explained{}, Refuse("%q: want bode, stability, ground, limits or actuator", in.About)
	}
	out, err := of(d, ctx, in.Place, progress)
	if ctx.Err() != nil {
		return Explained{}, errGone
	}
	return out, err
}

const bodePoints = 200

func (d *Desk) bode(_ context.Context, in Place, _ func(float64)) (out Explained, err error) {
	s, err := d.parse(in)
	if err != nil {
		return out, &Refused{err}
	}
	hz, err := analyse.Frequencies(0.1, 0, bodePoints, s.RateHz)
	if err != nil {
		return out, &Refused{err}
	}
	systems, err := (&analyse.Bode{}).Systems(s)
	if err != nil {
		return out, &Refused{err}
	}
	var text bytes.Buffer
	if err := analyse.PrintBode(&text, s.Name, systems, hz); err != nil {
		return out, &Refused{err}
	}
	out.Text, out.Command = text.String(), "rths bode "+in.name()
	curves, err := diagram.Bode(systems, hz)
	if err != nil {
		return out, &Refused{err}
	}
	out.Page, err = report.SketchPanels([]string{"Frequency response"}, [][]panels.Panel{panels.OfBode(curves)})
	return out, err
}

// padeOrder is the default of rths stability; plantsShown is how many random plants are laid over the nominal one,
// where a plant has a spread.
const (
	padeOrder   = 2
	plantsShown = 10
)

func (d *Desk) stability(ctx context.Context, in Place, _ func(float64)) (out Explained, err error) {
	s, err := d.parse(in)
	if err != nil {
		return out, &Refused{err}
	}
	of, command := analyse.Stability{Order: padeOrder}, "rths stability "+in.name()
	if _, err := s.PerturbedPlant(1).MakeSpecimen(); err == nil {
		of.Perturbed = plantsShown
		command += fmt.Sprintf(" --perturbed %d", plantsShown)
	}
	v, err := of.Run(ctx, s)
	if err != nil {
		return out, &Refused{err}
	}
	var text bytes.Buffer
	if r, err := s.AtRest(ctx); err == nil {
		analyse.PrintModes(&text, r)
		text.WriteByte('\n')
	}
	v.Print(&text, nil)
	out.Sentence, out.Text, out.Command = v.Sentence(), text.String(), command
	var titles []string
	var sections [][]panels.Panel
	for i, list := range [][]panels.Panel{diagram.Nyquist(v), diagram.Poles(v)} {
		if list != nil {
			titles = append(titles, []string{"Nyquist curve", "Poles and impulse responses"}[i])
			sections = append(sections, list)
		}
	}
	out.Page, err = report.SketchPanels(titles, sections)
	return out, err
}

const spectrumDamping = 0.05

func (d *Desk) ground(ctx context.Context, in Place, _ func(float64)) (out Explained, err error) {
	r, err := d.built(ctx, in)
	if err != nil {
		return out, err
	}
	if r.Whole == nil || len(r.Motion.A) == 0 {
		return out, Refuse("%s has no ground motion: its target is prescribed", in.name())
	}
	g, err := report.NewGround(r.Motion, spectrumDamping)
	if err != nil {
		return out, &Refused{err}
	}
	var lines []string
	for _, v := range g.Values() {
		lines = append(lines, report.Label(v)+"\t"+record.Text("%.4g", v.V)+"\t"+v.Doc)
	}
	out.Text = strings.Join(append([]string{g.Sampling()}, lines...), "\n")
	out.Command = "rths ground FILE" // the motion of a scenario may be made by its seed
	out.Page, err = g.Sketch(mostPoints / 4)
	return out, err
}

// built is a text ready to run.
func (d *Desk) built(ctx context.Context, in Place) (*scenario.Run, error) {
	s, err := d.parse(in)
	if err != nil {
		return nil, &Refused{err}
	}
	r, err := s.Build(ctx, d.options())
	if err != nil {
		return nil, &Refused{err}
	}
	return r, nil
}

func (d *Desk) limits(ctx context.Context, in Place, progress func(float64)) (out Explained, err error) {
	r, err := d.built(ctx, in)
	if err != nil {
		return out, err
	}
	t, err := d.run(ctx, in, false, progress)
	if err != nil {
		return out, err
	}
	defer d.kept.release(t)
	var text bytes.Buffer
	if r.Guard == nil {
		text.WriteString("no limits act on this run (limits: none)\n")
	}
	session.PrintReactions(&text, session.Reactions(r))
	text.WriteString("\nin this run: " + report.Sentence(t.run) + "\n")
	out.Text, out.Command = text.String(), "rths lint "+in.name()
	return out, nil
}

// actuator is how much of its rating each actuator needs in the run of a text.
func (d *Desk) actuator(ctx context.Context, in Place, progress func(float64)) (out Explained, err error) {
	s, err := d.parse(in)
	if err != nil {
		return out, &Refused{err}
	}
	t, err := d.run(ctx, in, false, progress)
	if err != nil {
		return out, err
	}
	defer d.kept.release(t)
	a := t.run
	var names []string
	for _, c := range a.Columns {
		if c.Meaning.Quantity == "command" {
			names = append(names, c.Name)
		}
	}
	for i, name := range names {
		command, _ := a.Signal(name)
		force, _ := a.Signal(rths.ColumnName("force", "N", i, len(names)))
		out.Loads = append(out.Loads, loads(i, len(names), command, force, a.RateHz, s.Rating())...)
	}
	var text []string
	for _, l := range out.Loads {
		line := l.Name + ": " + record.Text("%.4g", float64(l.Value)) + " " + l.Unit
		if rating := float64(l.Rating); rths.Finite(rating) {
			line += " of " + record.Text("%.4g", rating) + ", " + record.Text("%.0f", 100*float64(l.Value)/rating) + " %"
		}
		text = append(text, line)
	}
	out.Text = strings.Join(text, "\n") +
		"\n\nRatings are those of transfer. A real actuator has less force the faster it moves."
	out.Command = "rths run " + in.name() + " --report"
	if _, hydraulic := s.Transfers()[0].(plant.Enveloped); hydraulic {
		err = d.capacity(ctx, in, s, &out)
	}
	return out, nil
}

// capacity is whether a hydraulic actuator can follow, in place of its ratings, or adds why that is not known.
func (d *Desk) capacity(ctx context.Context, in Place, s *scenario.Scenario, to *Explained) (err error) {
	c, err := analyse.CapacityOf(ctx, s, d.options())
	if err != nil {
		to.Text += "\n\nwhether the actuator can follow is not known: " + err.Error()
		return nil
	}
	var text bytes.Buffer
	c.Print(&text)
	to.Sentence, to.Text, to.Command, to.Loads = c.Sentence(), text.String(), "rths capacity "+in.name(), nil
	for _, l := range c.Limits {
		if l.Has > 0 {
			to.Loads = append(to.Loads, Load{l.Name(), l.Unit, record.Number(l.Wanted), record.Number(l.Has)})
		}
	}
	titles, sections := []string{"Capacity"}, [][]panels.Panel{diagram.Capacity(c)}
	if c.Performance != nil {
		titles, sections = append(titles, "Shake table"), append(sections, []panels.Panel{diagram.Tripartite(c.Performance)})
	}
	to.Page, err = report.SketchPanels(titles, sections)
	return err
}

// loads are stroke, velocity and force of one actuator.
func loads(i, n int, command, force record.Signal, rate float64, of plant.Rating) []Load {
	stroke, speed, push := 0.0, 0.0, 0.0
	for k := range command.Len() {
		stroke = math.Max(stroke, math.Abs(command.At(k)))
		if k > 0 {
			speed = math.Max(speed, math.Abs(command.At(k)-command.At(k-1))*rate)
		}
	}
	for k := range force.Len() {
		push = math.Max(push, math.Abs(force.At(k)))
	}
	who := ""
	if n > 1 {
		who = fmt.Sprint(" of actuator ", i+1)
	}
	known := func(v float64) record.Number {
		if v > 0 {
			return record.Number(v)
		}
		return record.Number(math.NaN())
	}
	return []Load{
		{"stroke" + who, "mm", record.Number(1e3 * stroke), known(1e3 * of.Stroke)},
		{"velocity" + who, "mm/s", record.Number(1e3 * speed), known(1e3 * of.Rate)},
		{"force" + who, "kN", record.Number(push / 1e3), known(of.Force / 1e3)},
	}
}
