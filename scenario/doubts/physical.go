package doubts

import (
	"fmt"
	"math"
	"slices"

	"rths/maths/scatter"
	"rths/model/plant"
	"rths/model/structure"
	"rths/scenario"
	"rths/scenario/syntax"
)

// Lowest frequencies of structures, Hz: masses in tonnes, or stiffnesses in kN/m, change a
// frequency by √1000.
const (
	slowest = 0.03
	fastest = 30
)

// whole is a small structure that the file states by its masses and stiffnesses, or nil.
func (d *doubts) whole() *structure.Structure {
	n := 0
	switch p := d.s.Structure.Params.(type) {
	case *structure.Shear:
		n = len(p.Masses)
	case *structure.Matrices:
		n = max(1, len(p.Mass.Rows)) // a file says later how many
	}
	if n == 0 || n > structure.DenseUpTo {
		return nil
	}
	s := syntax.Clone(d.s)
	if _, err := s.ReadMatrices(nil); err != nil {
		return nil // Build says why
	}
	whole, err := s.Structure.Params.Make()
	if err != nil || whole.N > structure.DenseUpTo {
		return nil
	}
	return whole
}

// periods looks at the lowest mode.
func (d *doubts) periods(whole *structure.Structure) {
	modes, err := whole.Modes()
	if err != nil {
		return
	}
	i := slices.IndexFunc(modes, func(m structure.Mode) bool { return m.FreqHz > 0 })
	switch {
	case i < 0:
	case modes[i].FreqHz > fastest:
		d.add("structure",
			"its lowest mode is at %.4g Hz: are the masses given in tonnes? Masses are in kg, stiffnesses in N/m",
			modes[i].FreqHz)
	case modes[i].FreqHz < slowest:
		d.add("structure",
			"its lowest mode is at %.4g Hz: are the stiffnesses given in kN/m or N/mm? Stiffnesses are in N/m, masses in kg",
			modes[i].FreqHz)
	}
}

// softest is the least part of the structure's static stiffness that a specimen has which
// is worth a test.
const softest = 1e-4

// specimen looks at the specimen's share of the structure.
func (d *doubts) specimen(whole *structure.Structure) {
	dof := d.s.InterfaceDOF - 1
	if dof < 0 || dof >= whole.N || d.s.Undivided {
		return
	}
	if len(d.s.Interface) > 0 {
		return // Build compares what the specimens leave
	}
	spec, err := syntax.Clone(d.s).Specimen.Params.Make()
	if err != nil {
		return
	}
	_, c, k, within := plant.Within(spec)
	if !within {
		return
	}
	if own, err := whole.StaticStiffness(dof); err == nil && k > 0 && k < softest*own {
		d.add("specimen",
			"its stiffness of %.4g N/m is %.2g of the structure's %.4g N/m at degree of freedom %d: is it given in kN/m? "+
				"Stiffnesses are in N/m", k, k/own, own, dof+1)
	}
	if own, err := whole.StaticDamping(dof); err == nil && c > own*(1+softest) {
		d.add("specimen",
			"its damping of %.4g N·s/m is more than the undivided structure's %.4g N·s/m at degree of freedom %d: the "+
				"numerical part is left with negative damping", c, own, dof+1)
	}
}

// Static gains of transfer systems: metres of displacement per metre of command.
const (
	leastGain = 0.1
	mostGain  = 10
)

func isGain(g float64) bool { return g >= leastGain && g <= mostGain }

// staticGain looks at the displacement that the transfer system takes under a constant
// command.
func (d *doubts) staticGain() {
	t, ok := syntax.Clone(d.s).Transfer.Params.(plant.Modelled)
	if !ok || d.s.Axes() > 1 {
		return
	}
	m, err := t.Model(nil)
	if err != nil {
		return
	}
	at, err := m.SS.At(0)
	if err != nil {
		return
	}
	gain := real(at.At(0, 0))
	if isGain(gain) || math.IsNaN(gain) {
		return
	}
	switch p := t.(type) {
	case *plant.GivenTF:
		if n, m := len(p.Num), len(p.Den); n > 0 && m > 0 && isGain(p.Num[0]/p.Den[0]) {
			d.add("transfer",
				"its static gain is %.4g m/m, usual is 1: with num and den the other way round it is %.4g; coefficients stand in "+
					"descending powers of s", gain, p.Num[0]/p.Den[0])
			return
		}
	case *plant.GivenZPK:
		d.add("transfer.gain",
			"%g makes a static gain of %.4g m/m, usual is 1: gain is the factor before the products, %.6g for a static "+
				"gain of 1", p.Gain, gain, p.Gain/gain)
		return
	}
	d.add("transfer",
		"its static gain is %.4g m/m, usual is 1: check the units of command and displacement, and its sign", gain)
}

// doubted is why the nominal value is improbable under the distribution, or "".
func doubted(k *scenario.Scattered, nominal float64) string {
	apart := func(mean, sd float64) string {
		if off := (nominal - mean) / sd; off < -1 || off > 1 {
			return fmt.Sprintf("mean %g, sd %g: the nominal value is %g, %.3g standard deviations from the mean", mean, sd,
				nominal, max(off, -off))
		}
		return ""
	}
	outside := func(from, to float64) string {
		if nominal < from || nominal > to {
			return fmt.Sprintf("from %g to %g: the nominal value is %g, outside of it", from, to, nominal)
		}
		return ""
	}
	switch p := k.Params.(type) {
	case *scatter.Normal:
		return apart(p.Mean, p.SD)
	case *scatter.TruncatedNormal:
		if out := outside(p.From, p.To); out != "" {
			return out
		}
		return apart(p.Mean, p.SD)
	case *scatter.Uniform:
		return outside(p.From, p.To)
	case *scatter.LogUniform:
		return outside(p.From, p.To)
	}
	return ""
}

// scatter looks at scatter about another value than the nominal one.
func (d *doubts) scatter() {
	for i := range d.s.Scatter {
		of := &d.s.Scatter[i]
		v, err := d.s.PlantNumber(of.Key)
		if err != nil {
			continue // Parse says why
		}
		if why := doubted(of, v); why != "" {
			d.add("scatter."+of.Key, "%s: was one of them changed without the other?", why)
		}
	}
}
