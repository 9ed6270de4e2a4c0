package scenario

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"

	"rths"
	"rths/model/plant"
	"rths/scenario/syntax"
)

// Changes are the settings that make a change, as by Quicken or Stiffen: the blocks at the top
// that the change has touched; one that it has taken away is left out. The scenario stays as it is.
func (s *Scenario) Changes(change func(*Scenario) error) ([]syntax.Setting, error) {
	changed := s.clone()
	if err := change(changed); err != nil {
		return nil, err
	}
	const place = "the changed scenario"
	var roots [2]*syntax.Node
	for i, of := range []*Scenario{s, changed} {
		text, err := of.YAML()
		if err == nil {
			roots[i], err = syntax.Parse(s.Source(), []byte(text), "a scenario")
		}
		if err != nil {
			return nil, err
		}
	}
	var out []syntax.Setting
	for _, k := range roots[1].Keys {
		if was := roots[0].Get(k.Name); was == nil || was.Value.Flow() != k.Value.Flow() {
			out = append(out, syntax.To(k.Name, k.Value, place))
		}
	}
	for _, k := range roots[0].Keys {
		if roots[1].Get(k.Name) == nil {
			out = append(out, syntax.To(k.Name, &syntax.Node{At: place, Shape: syntax.Empty}, place))
		}
	}
	return out, nil
}

// Quicken makes the actuators f times as fast at the same static gain: their lag is divided by f.
func (s *Scenario) Quicken(f float64) error {
	blocks := []*syntax.Choice[plant.TransferMaker]{&s.Transfer}
	if s.eachMoves() {
		blocks = nil
		for i := range s.Each {
			blocks = append(blocks, &s.Each[i].Transfer)
		}
	}
	return s.scaled(func() error {
		for _, c := range blocks {
			q, ok := c.Params.(plant.Quickened)
			if !ok {
				return fmt.Errorf("transfer system %s has no lag among its parameters", c.Kind)
			}
			q.Quicken(f)
		}
		return nil
	})
}

// Stiffen multiplies the stiffness of the specimen by f; the damping, of a specimen without a
// stiffness. The part of the structure that the specimen replaces changes with it.
func (s *Scenario) Stiffen(f float64) error {
	for _, word := range []string{"stiffness", "damping"} {
		if keys := s.numbersNamed("specimen", word); len(keys) > 0 {
			return s.multiply(keys, f)
		}
	}
	return fmt.Errorf("specimen %s has no stiffness and no damping among its parameters", s.specimenKinds())
}

// Noisier multiplies the noise of all sensors by f.
func (s *Scenario) Noisier(f float64) error {
	var amplitudes, powers []string
	for _, key := range s.numbersNamed("sensors", "noise") {
		if strings.HasSuffix(key, "_power") {
			powers = append(powers, key)
		} else {
			amplitudes = append(amplitudes, key)
		}
	}
	if len(amplitudes)+len(powers) == 0 {
		return errors.New("the sensors have no noise")
	}
	return errors.Join(s.multiply(amplitudes, f), s.multiply(powers, f*f))
}

// numbersNamed are the keys of the plant below a block, or a list of such blocks, whose last
// name has a word in it. Zeros, ratios and published ranges are none of them.
func (s *Scenario) numbersNamed(block, word string) (keys []string) {
	s.numbers(func(key string, _ float64) {
		top, _, _ := strings.Cut(key, ".")
		last := withoutEntry(key[strings.LastIndex(key, ".")+1:])
		if withoutEntry(top) != block && withoutEntry(top) != block+"s" || !strings.Contains(last, word) {
			return
		}
		if v, err := s.number(key); err == nil && v.Float() != 0 && wantNumber(key, v) == nil &&
			!strings.HasSuffix(last, "_ratio") {
			keys = append(keys, key)
		}
	})
	return keys
}

// multiply multiplies numbers of the plant, and the published ranges from which random plants draw
// them.
func (s *Scenario) multiply(keys []string, f float64) error {
	return s.scaled(func() error {
		for _, key := range keys {
			v, err := s.number(key)
			if err != nil {
				return err
			}
			if err := syntax.ScaleNumbers(v, f); err != nil {
				return err
			}
			if bounds, err := s.find(key + "_range"); err == nil {
				if err := syntax.ScaleNumbers(bounds, f); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// scaled makes a change, and lets the distributions of scatter follow the numbers that they are
// about: each is stretched by the ratio of the numbers.
func (s *Scenario) scaled(change func() error) error {
	before := s.clone()
	if err := change(); err != nil {
		return err
	}
	for i := range s.Scatter {
		of := &s.Scatter[i]
		was, err := before.number(of.Key)
		if err != nil {
			return err
		}
		is, err := s.number(of.Key)
		if err != nil {
			return err
		}
		ratio := is.Float() / was.Float()
		if was.Float() == 0 && is.Float() == 0 {
			ratio = 1
		}
		if !rths.Finite(ratio) || ratio < 0 {
			return fmt.Errorf("scatter.%s: the nominal value goes from %g to %g: the distribution cannot follow", of.Key,
				was.Float(), is.Float())
		}
		params := reflect.ValueOf(of.Params).Elem()
		for _, f := range syntax.Keys(params) {
			if f.V.Kind() == reflect.Float64 {
				f.V.SetFloat(f.V.Float() * ratio)
			}
		}
	}
	return nil
}

// ScatterExample is a block scatter for this scenario, ready to paste: the first number of its
// transfer systems and the stiffness of its specimens, each normal with 5 %.
func (s *Scenario) ScatterExample() string {
	var lines []string
	add := func(keys []string) {
		for _, key := range keys {
			v, err := s.number(key)
			if err != nil || wantNumber(key, v) != nil || v.Float() == 0 {
				continue
			}
			mean := v.Float()
			lines = append(lines, fmt.Sprintf("  %s: {kind: normal, mean: %g, sd: %.3g}", key, mean, 0.05*math.Abs(mean)))
			return
		}
	}
	var transfer []string
	s.numbers(func(key string, _ float64) {
		if strings.Contains(key, "transfer.") {
			transfer = append(transfer, key)
		}
	})
	add(slices.DeleteFunc(transfer, func(key string) bool { return strings.HasSuffix(key, ".gain") }))
	for _, word := range []string{"stiffness", "damping"} {
		if keys := s.numbersNamed("specimen", word); len(keys) > 0 {
			add(keys)
			break
		}
	}
	return "scatter:\n" + strings.Join(lines, "\n")
}
