package scenario

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"rths/maths/scatter"
	"rths/model/device"
	"rths/scenario/syntax"
)

// LearnedKey is a number of a device's law that changes during the test, as devices[1].yield_force.
type LearnedKey struct {
	Key              string
	Low, Begin, High float64
}

// LearnedKeys are the numbers that devices learn, in the order of the file and of their names.
func (s *Scenario) LearnedKeys() (out []LearnedKey) {
	for i := range s.Devices {
		g := &s.Devices[i]
		if g.Learn == nil || g.Learn.By == nothing {
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(g.Learn.Parameters)) {
			bounds := g.Learn.Parameters[name]
			if v, err := g.number(name); err == nil && len(bounds) == 2 {
				out = append(out, LearnedKey{fmt.Sprintf("devices[%d].%s", i+1, name), bounds[0], v.Float(), bounds[1]})
			}
		}
	}
	return out
}

// number is a number of the law, as yield_force or branch_stiffnesses[2].
func (g *Devices) number(name string) (reflect.Value, error) {
	name, places, listed := strings.Cut(name, "[")
	keys := syntax.Keys(reflect.ValueOf(g.Params).Elem())
	i := slices.IndexFunc(keys, func(f syntax.Field) bool { return f.Name == name })
	if i < 0 {
		return reflect.Value{}, fmt.Errorf("%s has no key %s", g.Kind, name)
	}
	v := keys[i].V
	var err error
	for listed && err == nil {
		v, places, listed, err = syntax.Entry(places, v)
	}
	if err == nil && v.Kind() != reflect.Float64 {
		err = fmt.Errorf("%s is no number", name)
	}
	return v, err
}

// Where is the scenario whose devices have learned these values, in the order of LearnedKeys, and learn no more.
func (s *Scenario) Where(values []float64) (*Scenario, error) {
	out := s.clone()
	for i, k := range s.LearnedKeys() {
		var group int
		var name string
		if _, err := fmt.Sscanf(k.Key, "devices[%d].%s", &group, &name); err != nil {
			return nil, err
		}
		v, err := out.Devices[group-1].number(name)
		if err != nil {
			return nil, err
		}
		v.SetFloat(values[i])
	}
	for i := range out.Devices {
		out.Devices[i].Learn = nil
	}
	return out, nil
}

// Learned is what devices have learned so far, as blocks ready to be pasted into a scenario, in full: devices that begin
// there, and a specimen of the law, whose numbers scatter as far as the test left them open. The comments before them
// have the covariance, which scatter has not. It is empty where nothing learns.
func (r *Run) Learned() (string, error) {
	if r.Learning == nil {
		return "", nil
	}
	s, text := r.Scenario.clone(), fmt.Sprintf("# Learned by %s in %.4g s.\n", r.Name, float64(r.Loop.Ticks())/r.Scenario.RateHz)
	for n, g := range r.Learning.Groups() {
		block := &s.Devices[g.Number-1]
		for i, p := range g.Parameters {
			v, sd := g.Filter.Value(i)
			text += fmt.Sprintf("# devices[%d].%s: %.6g ± %.2g %s\n", g.Number, p.Name, v, sd, p.Unit)
			for j := range i {
				_, other := g.Filter.Value(j)
				if cov := g.Filter.Covariance(i, j); sd > 0 && other > 0 {
					text += fmt.Sprintf("#   covariance with %s: %.6g, correlation %.3f\n", g.Parameters[j].Name, cov, cov/(sd*other))
				}
			}
			to, err := block.number(p.Name)
			if err != nil {
				return "", err
			}
			to.SetFloat(rounded(v))
		}
		if !g.Filter.White() {
			text += fmt.Sprintf("# The law of devices[%d] leaves something of the force out: the standard deviations mean nothing.\n",
				g.Number)
		}
		if n == 0 {
			s.specimenOfDevice(block, g.Parameters, g.Filter.Value)
		}
	}
	blocks, err := s.Fragment("devices", "specimen", "scatter")
	return text + blocks, err
}

// rounded is a number with six digits.
func rounded(v float64) float64 {
	out, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 6, 64), 64) // a text of its own
	return out
}

// specimenOfDevice makes the law of a device the specimen, whose learned numbers scatter within their bounds.
func (s *Scenario) specimenOfDevice(g *Devices, of []device.Parameter, value func(i int) (v, sd float64)) {
	s.Specimen.Kind, s.Specimen.Params = g.Kind, syntax.Clone(g).Params
	s.Scatter = slices.DeleteFunc(s.Scatter, func(k Scattered) bool { return strings.HasPrefix(k.Key, "specimen.") })
	for i, p := range of {
		v, sd := value(i)
		if !(sd > 0) {
			continue
		}
		k := Scattered{Key: "specimen." + p.Name}
		k.Prepare()
		k.Kind, k.Params = "truncated-normal", &scatter.TruncatedNormal{Mean: rounded(v), SD: rounded(sd), From: p.Low, To: p.High}
		s.Scatter = append(s.Scatter, k)
	}
}
