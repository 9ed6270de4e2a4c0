package compensate

import (
	"slices"

	"rths"
)

// Bounded is implemented by compensators whose parameters have bounds. AtBounds returns the
// names of channels that a bound holds now: the adaptation would go further.
type Bounded interface{ AtBounds() []string }

// Pinned is implemented by compensators whose parameters have bounds. Pinned reports whether
// a bound holds a parameter now, as AtBounds does, in the time of a tick: it allocates nothing.
type Pinned interface{ Pinned() bool }

// pinnedBy compares parameters with bounds; nil bounds are none.
func pinnedBy(parameters, lower, upper []float64) bool {
	for i, v := range parameters {
		if i < len(lower) && v <= lower[i] || i < len(upper) && v >= upper[i] {
			return true
		}
	}
	return false
}

func (c *amb) Pinned() bool  { return c.a != c.sum }
func (c *kf) Pinned() bool   { return c.x != c.used }
func (c *cats) Pinned() bool { return !slices.Equal(c.a[:c.n], c.rls.theta) }
func (c *ats) Pinned() bool  { return pinnedBy(c.a[:c.n], c.lower, c.upper) }
func (c *adm) Pinned() bool  { return pinnedBy(c.theta, c.lower, c.upper) }

func (c *forward) Pinned() bool {
	return c.tau <= 0 || c.tau >= c.p.MaxTauMs/1e3 || c.gain <= leastGain || c.gain >= mostGain
}

// Pinned reports whether a bound holds a parameter of a part.
func (g group) Pinned() bool {
	for _, p := range g {
		if b, ok := rths.As[Pinned](p); ok && b.Pinned() {
			return true
		}
	}
	return false
}

// Estimated is implemented by compensators that learn an estimate, and use its part within bounds. Estimates are the
// numbers of the estimate, by the names and units of the channels that show the part used.
type Estimated interface{ Estimates() []rths.Channel }

// firstEstimates are the estimates that the first channels show within bounds.
func firstEstimates(channels []rths.Channel, free []float64) []rths.Channel {
	out := make([]rths.Channel, len(free))
	for i := range free {
		out[i] = rths.Channel{Name: channels[i].Name, Unit: channels[i].Unit, V: &free[i]}
	}
	return out
}

func (c *amb) Estimates() []rths.Channel  { return firstEstimates(c.Channels(), c.sum[:c.n]) }
func (c *kf) Estimates() []rths.Channel   { return firstEstimates(c.Channels(), c.x[:c.n]) }
func (c *cats) Estimates() []rths.Channel { return firstEstimates(c.Channels(), c.rls.theta) }
func (c *ats) Estimates() []rths.Channel  { return firstEstimates(c.Channels(), c.a[:c.n]) }
func (c *adm) Estimates() []rths.Channel  { return firstEstimates(c.Channels(), c.rls.theta) }

func (e *each) Estimates() (out []rths.Channel) {
	for i, p := range e.group {
		if estimated, ok := rths.As[Estimated](p); ok {
			for _, ch := range estimated.Estimates() {
				ch.Name = ofActuator(ch.Name, i)
				out = append(out, ch)
			}
		}
	}
	return out
}

// bounded gives the first channels their bounds; nil lists are none.
func bounded(channels []rths.Channel, lower, upper []float64) []rths.Channel {
	for i := range lower {
		channels[i].Lower = &lower[i]
	}
	for i := range upper {
		channels[i].Upper = &upper[i]
	}
	return channels
}

// Channels are the parameters as used, with their bounds.
func (c *amb) Channels() []rths.Channel  { return bounded(c.series.Channels(), c.lower, c.upper) }
func (c *cats) Channels() []rths.Channel { return bounded(c.series.Channels(), c.lower, c.upper) }
func (c *ats) Channels() []rths.Channel  { return bounded(c.series.Channels(), c.lower, c.upper) }

// held names the channels that show something else than their estimates.
func held(channels, estimates []rths.Channel) (out []string) {
	for i, e := range estimates {
		if *channels[i].V != *e.V {
			out = append(out, e.Name)
		}
	}
	return out
}

// atBounds compares the channels with their bounds. It is for methods that keep no unbounded estimate.
func atBounds(channels []rths.Channel) (out []string) {
	for _, c := range channels {
		if c.Lower != nil && *c.V <= *c.Lower || c.Upper != nil && *c.V >= *c.Upper {
			out = append(out, c.Name)
		}
	}
	return out
}

func (c *amb) AtBounds() []string  { return held(c.Channels(), c.Estimates()) }
func (c *kf) AtBounds() []string   { return held(c.Channels(), c.Estimates()) }
func (c *cats) AtBounds() []string { return held(c.Channels(), c.Estimates()) }
func (c *ats) AtBounds() []string  { return atBounds(c.Channels()) }

// AtBounds compares with bounds: hold_unstable too keeps parameters from the estimate.
func (c *adm) AtBounds() []string { return atBounds(c.Channels()) }

func (c *forward) AtBounds() []string { return atBounds(c.Channels()) }

func (e *each) AtBounds() (out []string) {
	for i, p := range e.group {
		if b, ok := rths.As[Bounded](p); ok {
			for _, name := range b.AtBounds() {
				out = append(out, ofActuator(name, i))
			}
		}
	}
	return out
}
