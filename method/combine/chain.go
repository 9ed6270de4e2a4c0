// Package combine makes one compensator of several: parts in series or in parallel (Chain), a safe method beside an
// adaptive one (Fallback), a controller of the laboratory downstream of any (InnerPI). It knows no law and looks at a
// compensator by its interfaces. compensate.Each puts one on each actuator.
package combine

import (
	"errors"
	"fmt"
	"strings"

	"rths"
	"rths/maths/words"
	"rths/method/compensate"
)

// Chain joins compensators, the parts. All parts read the same displacement.
//
// In series the command of a part is the target of the next part, and the last command leaves.
// A part takes everything downstream of it for its plant. In signals of the tick k, with the
// last command u, the reading x = z^−L H u (H: At.Plant, L: At.Lead) and a part
// u_j = F_j r_j + B_j x, the part in front of it sees
//
//	x/r_j = G_j = G_j+1 F_j/(1 − G_j+1 B_j),  G downstream of the last part: z^−L H,
//
// aimed at the instant k + L. So an adaptive part in front learns from its own command, and
// starts from the inverse of this plant.
//
// A part that extrapolates, pe or linear-acceleration, is different: its command is the target
// of n samples later, r_j[k] = x_t[k + L + n]. The next part aims at that instant. Its lead is
// L + n, and the plant that it has to invert, from its command to the reading of that instant, is
// zⁿ H: the delay less n samples. This is the two-stage compensation of a known delay and an
// adaptive rest. Kinds with published settings do not know of the part in front and would
// compensate its delay once more.
//
// In parallel the command is the sum of the parts' commands. One part at most is a
// feedforward. The others are feedback of the tracking error: their command is 0 where target
// and reading agree. They get the target of the instant of the reading, x_t[k] for the reading
// x[k], also where the target of the tick leads. The rig gets the sum u = u_FF + u_FB, and
// x = H u. A feedforward that learns x/u from u_FF alone learns H (1 + u_FB/u_FF), a biased
// plant, because u_FB is correlated with x. It is therefore told u_FB and learns from u. Where
// it has learnt the inverse of H, the error and u_FB are 0: both agree.
type Chain struct {
	Join string // series or parallel; "" means series
	Of   []Part
}

// Part is one compensator of a chain. Its name, without one its kind, stands before its
// channels, as in amb_a0.
type Part struct {
	Name, Kind string
	Maker      compensate.Maker
}

// Joins of a chain.
const (
	Series   = "series"
	Parallel = "parallel"
)

// PartError is an error of a part, from 1; Other is the other part in it, or 0.
type PartError struct {
	Part, Other int
	Err         error
}

// Error says which part.
func (e *PartError) Error() string { return fmt.Sprintf("part %d: %v", e.Part, e.Err) }

// Unwrap is the error of the part.
func (e *PartError) Unwrap() error { return e.Err }

// Make makes the parts and joins them.
func (p *Chain) Make(at compensate.At) (rths.Compensator, error) {
	if len(p.Of) == 0 {
		return nil, errors.New("chain: of is empty: want a list of parts, as in of: [{kind: amb}, {kind: pi}]")
	}
	links, err := p.links(max(at.Axes, 1))
	if err != nil {
		return nil, err
	}
	var c rths.Compensator
	switch p.Join {
	case "", Series:
		c, err = inSeries(links, at)
	case Parallel:
		c, err = inParallel(links, at)
	default:
		err = fmt.Errorf("chain: join %q: want series or parallel", p.Join)
	}
	if err != nil {
		return nil, err
	}
	return c, distinct(c)
}

// TakesAll reports whether a part takes all actuators at once. Then every part has to.
func (p *Chain) TakesAll() bool {
	for _, part := range p.Of {
		_, all := part.Maker.(compensate.ManyAxes)
		if _, none := part.Maker.(*compensate.None); all && !none {
			return true
		}
	}
	return false
}

// link is a part with what it is made from.
type link struct {
	Part
	number int // from 1
	at     compensate.At
	open   bool // the delay that it removes was left open
	rths.Compensator
}

func (l *link) fail(err error) error { return &PartError{Part: l.number, Err: err} }

// links names the parts.
func (p *Chain) links(axes int) ([]*link, error) {
	names, err := p.names()
	if err != nil {
		return nil, err
	}
	var out []*link
	for i, part := range p.Of {
		part.Name = names[i]
		l := &link{Part: part, number: i + 1}
		if _, all := part.Maker.(compensate.ManyAxes); axes > 1 && !all {
			return nil, l.fail(fmt.Errorf("%s is of one actuator, and another part takes all %d at once: want parts of one "+
				"actuator only, or parts that take all, as rodeac in front of msmc", part.Kind, axes))
		}
		out = append(out, l)
	}
	return out, nil
}

// names are the words before the channels.
func (p *Chain) names() ([]string, error) {
	seen, out := map[string]int{}, make([]string, len(p.Of))
	for i, part := range p.Of {
		name := part.Name
		if name == "" {
			name = strings.ReplaceAll(part.Kind, "-", "_")
		}
		if !words.IsName(name) {
			return nil, &PartError{Part: i + 1,
				Err: fmt.Errorf("name %.60q: want a letter and then letters, digits and _, %d at most", name, words.LongestName)}
		}
		if other := seen[name]; other > 0 {
			return nil, &PartError{i + 1, other,
				fmt.Errorf("name %s is taken by part %d: want a name of its own, as in {kind: %s, name: %s_%d}", name, other,
					part.Kind, name, i+1)}
		}
		seen[name], out[i] = i+1, name
	}
	return out, nil
}

// distinct wants a name of its own for every channel.
func distinct(c rths.Compensator) error {
	ch, ok := c.(rths.Channeler)
	if !ok {
		return nil
	}
	seen := map[string]bool{}
	for _, channel := range ch.Channels() {
		if seen[channel.Name] {
			return fmt.Errorf("chain: two parts show a channel %s: want other names of the parts", channel.Name)
		}
		seen[channel.Name] = true
	}
	return nil
}
