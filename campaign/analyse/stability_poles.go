package analyse

import (
	"math"

	"rths/method/stability"
	"rths/result/record"
)

// Poles are poles and impulse responses of the partition with the delays that the loops leave (paper 001, Figs 5.2 and
// 5.3). They are those of a pure delay: the spectral radius of the whole loop decides.
type Poles struct {
	Sets  []PoleSet      // without delay, then of each loop
	Zeros []complex128   // of all of them
	Paths [][]complex128 // of the roots of the undivided structure, from no delay to the longest
	T     []float64      // instants of the responses, s
}

// PoleSet is the partition with one delay.
type PoleSet struct {
	Case    string       // "undivided", or of a loop
	Delay   float64      // s
	Poles   []complex128 // in the upper half plane; none with a delay below 0, where the equation has no solution
	Impulse []float64    // displacement of the interface at T after an impulse of 1 N·s on it, m
}

// poles examines the partition with the delays that the loops leave at the frequency of the verdict.
func (v *Verdict) poles(h *stability.Hybrid) (*Poles, error) {
	p := &Poles{Sets: []PoleSet{{Case: "undivided"}}}
	hz, longest := v.At(), 0.0
	for i := range v.Loops {
		if tau := 1e-3 * v.Loops[i].Delay(hz).LoopMs; !math.IsNaN(tau) {
			p.Sets = append(p.Sets, PoleSet{Case: v.Loops[i].Case, Delay: tau})
			longest = max(longest, tau)
		}
	}
	if len(p.Sets) == 1 {
		return nil, nil
	}
	var err error
	if p.Zeros, err = h.Zeros(); err != nil {
		return nil, err
	}
	if p.Paths, err = h.Paths(longest); err != nil {
		return nil, err
	}
	for i := range p.Sets {
		if set := &p.Sets[i]; set.Delay >= 0 {
			if set.Poles, err = h.Poles(set.Delay); err != nil {
				return nil, err
			}
		}
	}
	p.instants(hz)
	for i := range p.Sets {
		set := &p.Sets[i]
		if set.Impulse, err = h.Impulse(set.Delay, set.Poles, p.T); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// Rightmost is the pole that grows fastest, or decays slowest, with any of the delays.
func (p *Poles) Rightmost() complex128 {
	var all []complex128
	for _, set := range p.Sets {
		all = append(all, set.Poles...)
	}
	return stability.Rightmost(all)
}

// instants are as many that the motion which grows fastest is five times as large at the end. If all decay, the one
// that decays slowest is a fifth, after 8 periods of the frequency of the verdict at least and 40 at most.
func (p *Poles) instants(hz float64) {
	rate := real(p.Rightmost())
	periods := min(math.Log(5)/math.Abs(rate)*hz, 40)
	if rate < 0 {
		periods = max(periods, 8)
	}
	n := int(max(400, 40*periods))
	for i := range n + 1 {
		p.T = append(p.T, periods/hz*float64(i)/float64(n))
	}
}

// poleRow is a pole of the partition with a delay.
type poleRow struct {
	Case    string  `col:"loop"`
	DelayMs float64 `col:"delay_ms"`
	Re      float64 `col:"re_per_s"`
	Im      float64 `col:"im_rad_s"`
}

// rows are the poles, one flat row each.
func (p *Poles) rows() []record.Row {
	var out []record.Row
	for _, set := range p.Sets {
		for _, s := range set.Poles {
			out = append(out, record.Flat(poleRow{set.Case, 1e3 * set.Delay, real(s), imag(s)}))
		}
	}
	return out
}
