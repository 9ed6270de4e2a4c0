// Package scatter has the distributions by which a parameter of a plant, or a variable of a
// study, scatters. A distribution is its quantile function: it needs no random numbers of its own.
package scatter

import (
	"errors"
	"fmt"
	"math"
	"rths/maths/portable"

	"gonum.org/v1/gonum/stat/distuv"

	"rths"
)

// Distribution is the distribution of one variable. Quantile is its inverse distribution
// function, of u in (0, 1): every design makes points of the unit cube, and no distribution
// needs random numbers of its own.
type Distribution interface{ Quantile(u float64) float64 }

// Maker is the maker interface of the table Kinds. Make checks the parameters.
type Maker interface{ Make() (Distribution, error) }

// Kinds is the table of distributions.
var Kinds = []rths.Kind[Maker]{
	{Name: "normal", Doc: "normal distribution", Ref: "Johnson, Kotz and Balakrishnan 1994, chapter 13",
		Defaults: func() Maker { return &Normal{SD: 1} }},
	{Name: "truncated-normal", Doc: "normal distribution, cut off at two bounds",
		Ref:      "Johnson, Kotz and Balakrishnan 1994, section 13.10",
		Defaults: func() Maker { return &TruncatedNormal{SD: 1, From: -3, To: 3} }},
	{Name: "uniform", Doc: "all values of an interval equally probable", Ref: "Johnson, Kotz and Balakrishnan 1995, " +
		"chapter 26",
		Defaults: func() Maker { return &Uniform{To: 1} }},
	{Name: "log-uniform", Doc: "all orders of magnitude of an interval equally probable", Ref: "Hamming 1970",
		Defaults: func() Maker { return &LogUniform{From: 0.1, To: 10} }},
}

// Normal is the normal distribution.
type Normal struct {
	Mean float64 `yaml:"mean" doc:"mean, in the unit of the key"`
	SD   float64 `yaml:"sd" doc:"standard deviation, in the unit of the key, above 0"`
}

// Make checks the parameters.
func (p *Normal) Make() (Distribution, error) {
	if err := finite(p.Mean, p.SD); err != nil {
		return nil, err
	}
	if !(p.SD > 0) {
		return nil, fmt.Errorf("sd %g: want more than 0", p.SD)
	}
	return distuv.Normal{Mu: p.Mean, Sigma: p.SD}, nil
}

// TruncatedNormal is the normal distribution under the condition From ≤ x ≤ To. Mean and SD are
// those before the truncation.
type TruncatedNormal struct {
	Mean float64 `yaml:"mean" doc:"mean of the normal distribution that is cut, in the unit of the key"`
	SD   float64 `yaml:"sd" doc:"its standard deviation, in the unit of the key, above 0"`
	From float64 `yaml:"from" doc:"least value"`
	To   float64 `yaml:"to" doc:"largest value, above from"`
}

// truncated maps u onto the part of a normal distribution between two probabilities. On the side of
// large values it counts from above, where 1 − p keeps its digits.
type truncated struct {
	normal   distuv.Normal
	lo, hi   float64 // probabilities, of the side that is used
	from, to float64
	mirrored bool
}

// leastSupport is the probability between the bounds below which a distribution has no support.
const leastSupport = 1e-300

// Make checks the parameters.
func (p *TruncatedNormal) Make() (Distribution, error) {
	if err := finite(p.Mean, p.SD, p.From, p.To); err != nil {
		return nil, err
	}
	switch {
	case !(p.SD > 0):
		return nil, fmt.Errorf("sd %g: want more than 0", p.SD)
	case !(p.From < p.To):
		return nil, fmt.Errorf("from %g to %g: want from less than to", p.From, p.To)
	}
	t := truncated{normal: distuv.Normal{Sigma: 1}, from: (p.From - p.Mean) / p.SD, to: (p.To - p.Mean) / p.SD}
	if t.from > 0 {
		t.mirrored = true
		t.lo, t.hi = t.normal.CDF(-t.to), t.normal.CDF(-t.from)
	} else {
		t.lo, t.hi = t.normal.CDF(t.from), t.normal.CDF(t.to)
	}
	if !(t.hi-t.lo > leastSupport) {
		return nil, fmt.Errorf("from %g to %g is %.3g to %.3g standard deviations from the mean, where nothing is left: "+
			"want bounds nearer to the mean", p.From, p.To, t.from, t.to)
	}
	return scaled{t, p.Mean, p.SD}, nil
}

// Quantile is of the standard normal distribution.
func (t truncated) Quantile(u float64) float64 {
	x := 0.0
	if t.mirrored {
		x = -t.normal.Quantile(t.hi - u*(t.hi-t.lo))
	} else {
		x = t.normal.Quantile(t.lo + u*(t.hi-t.lo))
	}
	return min(max(x, t.from), t.to)
}

// scaled is mean + sd x.
type scaled struct {
	of       Distribution
	mean, sd float64
}

func (s scaled) Quantile(u float64) float64 { return s.mean + s.sd*s.of.Quantile(u) }

// Uniform has all values of an interval equally probable.
type Uniform struct {
	From float64 `yaml:"from" doc:"least value, in the unit of the key"`
	To   float64 `yaml:"to" doc:"largest value, above from"`
}

// Make checks the parameters.
func (p *Uniform) Make() (Distribution, error) {
	if err := finite(p.From, p.To); err != nil {
		return nil, err
	}
	if !(p.From < p.To) || math.IsInf(p.To-p.From, 0) {
		return nil, fmt.Errorf("from %g to %g: want from less than to", p.From, p.To)
	}
	return distuv.Uniform{Min: p.From, Max: p.To}, nil
}

// LogUniform has all orders of magnitude of an interval equally probable.
type LogUniform struct {
	From float64 `yaml:"from" doc:"least value, in the unit of the key, above 0"`
	To   float64 `yaml:"to" doc:"largest value, above from"`
}

type logUniform struct{ from, to, log float64 }

// Quantile is from (to/from)^u.
func (l logUniform) Quantile(u float64) float64 { return min(l.from*portable.Exp(u*l.log), l.to) }

// Make checks the parameters.
func (p *LogUniform) Make() (Distribution, error) {
	if err := finite(p.From, p.To); err != nil {
		return nil, err
	}
	if !(p.From > 0 && p.From < p.To) {
		return nil, fmt.Errorf("from %g to %g: want 0 < from < to", p.From, p.To)
	}
	return logUniform{p.From, p.To, math.Log(p.To) - math.Log(p.From)}, nil
}

func finite(values ...float64) error {
	for _, v := range values {
		if !rths.Finite(v) {
			return errors.New("a number that is not finite: want finite numbers")
		}
	}
	return nil
}
