package combine

import (
	"errors"
	"fmt"
	"math"
	"math/cmplx"
	"slices"

	"rths"
	"rths/method/compensate"
)

// extrapolator is a maker whose command is the target n samples later. Extrapolates resolves n; open
// says whether the delay was left open.
type extrapolator interface {
	Extrapolates(at compensate.At) (n int, open bool, err error)
}

// inSeries makes the parts from the last to the first: a part starts from the plant downstream
// of it.
func inSeries(links []*link, at compensate.At) (rths.Compensator, error) {
	links = slices.DeleteFunc(links, func(l *link) bool { _, none := l.Maker.(*compensate.None); return none })
	if len(links) == 0 {
		return (&compensate.None{}).Make(at)
	}
	for _, l := range links {
		if _, ok := l.Maker.(*compensate.LQG); ok {
			return nil, l.fail(errors.New("its command is a correction, to stand beside the command of a feedforward: want " +
				"join: parallel"))
		}
	}
	if err := lead(links, at); err != nil {
		return nil, err
	}
	for i := len(links) - 1; i >= 0; i-- {
		l, behind := links[i], plantBehind{at, links[i+1:]}
		if len(behind.links) > 0 {
			behind.shownTo(l)
		}
		var err error
		if l.Compensator, err = l.Maker.Make(l.at); err != nil {
			return nil, l.fail(err)
		}
		if _, rates := rths.As[rths.RateUser](l.Compensator); rates && i > 0 {
			return nil, l.fail(errors.New("it uses the target's velocity and acceleration, and the part in front of it " +
				"gives a displacement only: want it as the first part, or derivatives: backward where the kind has this key"))
		}
		if l.open && behind.feedback() {
			return nil, l.fail(errors.New("a part after it feeds the displacement back, and the delay of this loop is not " +
				"the transfer system's: want tau_ms"))
		}
	}
	return newInSeries(links, max(at.Axes, 1)), nil
}

// lead gives every part its lead: a part after an extrapolation aims so much later.
func lead(links []*link, at compensate.At) (err error) {
	for i, l := range links {
		l.at = at
		x, ok := l.Maker.(extrapolator)
		if !ok || i == len(links)-1 {
			continue
		}
		n := 0
		if n, l.open, err = x.Extrapolates(at); err != nil {
			return l.fail(err)
		}
		at.Lead, at.Ahead = at.Lead+n, at.Ahead+n
		at.Plant = ticks(at.Plant, n, at.RateHz)
	}
	return nil
}

// ticks is zⁿ h; n may be negative.
func ticks(h func(hz float64) (complex128, error), n int, rateHz float64) func(hz float64) (complex128, error) {
	if h == nil || n == 0 {
		return h
	}
	return func(hz float64) (complex128, error) {
		v, err := h(hz)
		return v * cmplx.Exp(complex(0, 2*math.Pi*hz*float64(n)/rateHz)), err
	}
}

// plantBehind is the plant that a part in front of others sees.
type plantBehind struct {
	at    compensate.At // of the whole chain
	links []*link
}

// shownTo puts it into the test that the part in front is made for.
func (p plantBehind) shownTo(l *link) {
	l.at.Model, l.at.Delay = nil, 0 // other parts are between
	if l.at.Plant != nil {
		l.at.Plant = nil
		if p.at.Axes <= 1 {
			l.at.Plant = ticks(p.response(), l.at.Lead, p.at.RateHz)
		}
	}
	if _, ok := l.Maker.(extrapolator); !ok && l.at.BareInverse != nil {
		l.at.BareInverse = func(int) ([]float64, error) {
			return nil, errors.New("other parts of the chain stand between this part and the transfer system: want numbers")
		}
	}
}

// feedback reports whether a part downstream feeds the displacement back.
func (p plantBehind) feedback() bool {
	return slices.ContainsFunc(p.links, func(l *link) bool {
		r, err := linearised(l.Compensator, p.at.RateHz)
		return err != nil || r.feedsBack()
	})
}

// response is G of the first part downstream, in ticks.
func (p plantBehind) response() func(hz float64) (complex128, error) {
	rig := ticks(p.at.Plant, -p.at.Lead, p.at.RateHz)
	responses := make([]*partResponse, len(p.links))
	return func(hz float64) (g complex128, err error) {
		hz = max(hz, slowest)
		if g, err = rig(hz); err != nil {
			return 0, err
		}
		for i, l := range slices.Backward(p.links) {
			if responses[i] == nil {
				if responses[i], err = linearised(l.Compensator, p.at.RateHz); err != nil {
					return 0, fmt.Errorf("the response of %s, which stands after it, is not known: %w", l.Name, err)
				}
			}
			f, b, err := responses[i].at(hz)
			if err != nil {
				return 0, err
			}
			g *= f / (1 - g*b)
		}
		return g, nil
	}
}

// slowest stands for 0 Hz, Hz: an integrator has no response there.
const slowest = 1e-6
