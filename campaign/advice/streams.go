package advice

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"rths/campaign/study"
	"rths/model/ground"
	"rths/scenario"
	"rths/scenario/syntax"
)

// The three streams of conditions: plants, seeds and motions. No two have one in common.
const (
	tuning = iota
	selecting
	final
	streams
)

// streamNames are for messages and the result.
var streamNames = [streams]string{"tuning", "selecting", "final"}

// Motions are the ground motions of a stream.
type Motions struct {
	Says     string // in words
	settings []syntax.Setting
}

// motions shares out the ground motions: records in turn to tuning, final and selecting. A stream
// that gets none has Clough–Penzien motions of the records' peak and length, which differ by
// their seeds. Motions that are random from the start differ by their seeds too.
func (a *Advice) motions(s *scenario.Scenario) error {
	says := func(text string) {
		for i := range a.Motions {
			a.Motions[i].Says = text
		}
	}
	switch {
	case !s.Ground.Given() && len(a.Records) > 0:
		return fmt.Errorf("records %s: the scenario has no ground motion: want a scenario with the key ground",
			strings.Join(a.Records, ", "))
	case !s.Ground.Given():
		says("the motion of the scenario")
		a.Notes = append(a.Notes, "the scenario has no ground motion: the three streams differ in plants and seeds only")
		return nil
	case len(a.Records) == 0 && ground.Random(s.Ground.Params):
		says(s.Ground.Kind + " motions")
		return nil
	}
	if len(s.MoreGround) > 0 {
		a.Notes = append(a.Notes, "further components of the ground motion (more_ground) are the same in all streams")
	}
	return a.deal(s)
}

// deal deals the records, or the one motion of the scenario.
func (a *Advice) deal(s *scenario.Scenario) error {
	var each [streams][]string
	peak, longest := 0.0, 0.0
	take := func(i int, name string, settings ...syntax.Setting) error {
		with, err := a.Template.With(settings...)
		if err != nil {
			return err
		}
		shaking, err := a.bench.Shared.Shake(with, a.bench.RecordsDir)
		if err != nil {
			return err
		}
		peak, longest = peak+shaking.Motion.PGA(), max(longest, float64(shaking.Samples)/s.RateHz)
		for _, in := range shaking.Inputs {
			if !slices.Contains(a.inputs, in) {
				a.inputs = append(a.inputs, in)
			}
		}
		at := [streams]int{tuning, final, selecting}[i%streams]
		each[at] = append(each[at], name)
		a.Motions[at].settings = append(a.Motions[at].settings, settings...)
		return nil
	}
	for i, name := range a.Records {
		if slices.Contains(a.Records[:i], name) {
			return fmt.Errorf("record %s stands twice: two streams would share it: want each once", name)
		}
	}
	n := max(1, len(a.Records))
	if len(a.Records) == 0 {
		if err := take(0, "the scenario's motion"); err != nil {
			return err
		}
	}
	for i, name := range a.Records {
		set, err := syntax.ParseSetting(recordKey(s, name))
		if err == nil {
			err = take(i, name, set)
		}
		if err != nil {
			return fmt.Errorf("record %s: %w", name, err)
		}
	}
	if !(peak > 0) {
		return errors.New("the ground motion has no peak: want a motion that moves the ground")
	}
	artificial, err := syntax.ParseSetting("ground=" + cloughPenzien(peak/float64(n)/ground.StandardGravity, longest))
	if err != nil {
		return err
	}
	for i := range a.Motions {
		if a.Motions[i].Says = strings.Join(each[i], ", "); len(each[i]) == 0 {
			a.Motions[i] = Motions{fmt.Sprintf("Clough–Penzien motions of a peak of %.3g g",
				peak/float64(n)/ground.StandardGravity), []syntax.Setting{artificial}}
		}
	}
	return nil
}

// recordKey sets a record in the words that the scenario has.
func recordKey(s *scenario.Scenario, name string) string {
	if s.Ground.Kind == "record" {
		return fmt.Sprintf("ground.record=%q", name)
	}
	return fmt.Sprintf("ground={record: %q}", name)
}

// cloughPenzien is an artificial motion of a peak, g, and a length, s, its envelope in the
// proportions of the default.
func cloughPenzien(peak, length float64) string {
	const of = 50 // s, the length of the default
	at := func(s float64) float64 { return s * length / of }
	return fmt.Sprintf("{kind: clough-penzien, pga_g: %g, duration_s: %g, rise_s: %g, strong_s: %g, decay_s: %g}", peak,
		length, at(4), at(11), at(10))
}

// condition are the settings of a condition of a stream: seed, plant, motion, and the criterion
// that the limits need. Streams after the third have motions like the final one.
func (a *Advice) condition(stream, i int) []syntax.Setting {
	seed := a.held
	if stream == tuning {
		seed = a.Seed
	}
	seed = study.RunSeed(study.RunSeed(seed, stream), i) >> 11 // a float64 holds 53 bits
	out := []syntax.Setting{
		syntax.Whole("seed", seed, "the condition's seed"),
		syntax.Whole("perturbed", uint64(i)+1, "the condition's plant"),
		commandCriterion,
	}
	if m := a.Motions[min(stream, final)].settings; len(m) > 0 {
		out = append(out, m[i%len(m)])
	}
	return out
}

// commandCriterion asks for peaks and roughness of the command.
var commandCriterion = func() syntax.Setting {
	s, err := syntax.ParseSetting("criteria.command=true")
	if err != nil {
		panic(err) // our own text
	}
	return s
}()
