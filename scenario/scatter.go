package scenario

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/goccy/go-yaml"

	"rths"
	"rths/maths/scatter"
	"rths/scenario/syntax"
)

// Scatter is the block scatter: which numbers of the plant scatter, and how, as in
// {transfer.omega_rad_s: {kind: normal, mean: 50, sd: 2.5}}. perturbed: n draws the n-th
// plant, in place of the published scatter.
type Scatter []Scattered

// Scattered is a number of the plant that scatters.
type Scattered struct {
	Key string // as in transfer.omega_rad_s, each[2].transfer.delay_ms or transfer.num[1]
	syntax.Choice[scatter.Maker]
}

// Prepare sets the table.
func (k *Scattered) Prepare() { k.Choice = syntax.NewChoice(scatter.Kinds) }

func (k *Scattered) place() string { return "scatter." + k.Key }

// Choose reads the keys with their distributions.
func (l *Scatter) Choose(d *syntax.Decoder, path string, n *syntax.Node) {
	*l = nil
	if n.Shape == syntax.Empty {
		return
	}
	if n.Shape != syntax.Mapping {
		d.Fail(n.At, path,
			"found %s: want keys of the plant with their distributions, as in {transfer.omega_rad_s: {kind: normal, mean: 50, "+
				"sd: 2.5}}", n.Describe())
		return
	}
	for _, k := range n.Keys {
		of := Scattered{Key: k.Name}
		of.Prepare()
		of.Choose(d, path+"."+k.Name, k.Value)
		*l = append(*l, of)
	}
}

// Keyed is the block under a key.
func (l Scatter) Keyed() any {
	of := &Scattered{}
	of.Prepare()
	return of
}

// Encode writes the keys with their distributions.
func (l Scatter) Encode() (out yaml.MapSlice) {
	for i := range l {
		out = append(out, yaml.MapItem{Key: l[i].Key, Value: syntax.Encode(&l[i])})
	}
	return out
}

// checkScatter wants a number of the plant and a distribution for every key.
func (s *Scenario) checkScatter(want func(key string, ok bool, format string, args ...any)) {
	wrong := 0
	for i := range s.Scatter {
		of := &s.Scatter[i]
		_, err := s.number(of.Key)
		switch block, _, _ := strings.Cut(of.Key, "."); {
		case err == nil:
			_, err = of.Params.Make()
		// of another kind
		case strings.HasPrefix(s.Place(block), "--set"), strings.HasPrefix(s.Place(block+".kind"), "--set"):
			err = fmt.Errorf("%w; --set scatter= leaves the block out", err)
		}
		if want(of.place(), err == nil, "%v", err); err == nil {
			continue
		}
		if wrong++; wrong == syntax.MostErrors { // no time for more hints
			return
		}
	}
}

// draw draws every key from its distribution, in the order of the file: u of a key does not
// depend on the keys below it.
func (s *Scenario) draw(r *rand.Rand) (drawn []rths.Value, err error) {
	for i := range s.Scatter {
		of := &s.Scatter[i]
		d, err := of.Params.Make()
		if err != nil {
			return nil, s.At(of.place(), err)
		}
		u := (float64(r.Uint64()>>12) + 0.5) / (1 << 52) // the middles of 2⁵² parts: never 0 or 1
		v := d.Quantile(u)
		if !rths.Finite(v) {
			return nil, s.At(of.place(), fmt.Errorf("plant %d drew %g: want a distribution of finite numbers", s.Perturbed, v))
		}
		nominal, err := s.number(of.Key)
		if err != nil {
			return nil, s.At(of.place(), err)
		}
		drawn = append(drawn, rths.Value{Name: of.Key, V: v, Doc: inPlaceOf(nominal.Float())})
	}
	return drawn, nil
}

// set sets numbers of the plant.
func (s *Scenario) set(values ...rths.Value) error {
	for _, v := range values {
		to, err := s.number(v.Name)
		if err != nil {
			return s.At("scatter."+v.Name, err)
		}
		to.SetFloat(v.V)
	}
	return nil
}

// ofPlant makes a part of the drawn plant. Where the nominal plant has such a part and the
// drawn one has not, the error names what was drawn.
func (b *builder) ofPlant(do func(s *Scenario) error) error {
	err := do(b.drawn)
	if err == nil || len(b.s.Scatter) == 0 || len(b.run.Drawn) == 0 {
		return err
	}
	retry := func(s *Scenario) error {
		if err := b.specimenOf(s); err != nil {
			return err
		}
		return do(s)
	}
	if nominal := retry(b.s); nominal != nil {
		return nominal
	}
	var all []string
	for _, v := range b.run.Drawn { // one of them alone, where one is enough
		alone := b.s.clone()
		if refused := errors.Join(alone.set(v), retry(alone)); refused != nil {
			return b.refused("scatter."+v.Name, fmt.Sprintf("%g", v.V), refused)
		}
		all = append(all, fmt.Sprintf("%s %g", v.Name, v.V))
	}
	return b.refused("scatter", strings.Join(all, ", "), err)
}

func (b *builder) refused(key, drawn string, err error) error {
	return b.s.At(key,
		fmt.Errorf("plant %d drew %s: %w; want a distribution within what is possible, such as truncated-normal or uniform",
			b.s.Perturbed, drawn, err))
}

// differences are the numbers of the plant that differ from those of the nominal scenario.
func (s *Scenario) differences(nominal *Scenario) (out []rths.Value) {
	known := map[string]float64{}
	nominal.numbers(func(key string, v float64) { known[key] = v })
	s.numbers(func(key string, v float64) {
		switch was, ok := known[key]; {
		case !ok:
			out = append(out, rths.Value{Name: key, V: v, Doc: "drawn"})
		case was != v:
			out = append(out, rths.Value{Name: key, V: v, Doc: inPlaceOf(was)})
		}
	})
	return out
}

func inPlaceOf(nominal float64) string {
	return fmt.Sprintf("drawn, the nominal value is %g", nominal)
}
