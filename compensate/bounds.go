package compensate

import "rths"

// Bounded is implemented by compensators whose parameters have bounds. AtBounds returns the
// names of channels that a bound holds now: the adaptation would go further.
type Bounded interface{ AtBounds() []string }

// held compares the channels with the unbounded estimates behind them.
func held(channels []rths.Channel, free []float64) (out []string) {
	for i, v := range free {
		if *channels[i].V != v {
			out = append(out, channels[i].Name)
		}
	}
	return out
}

// atBounds compares the channels with bounds; nil bounds are none. It is for methods that
// keep no unbounded estimate.
func atBounds(channels []rths.Channel, lower, upper []float64) (out []string) {
	for i, c := range channels {
		if i < len(lower) && *c.V <= lower[i] || i < len(upper) && *c.V >= upper[i] {
			out = append(out, c.Name)
		}
	}
	return out
}

func (c *amb) AtBounds() []string  { return held(c.Channels(), c.sum[:c.n]) }
func (c *kf) AtBounds() []string   { return held(c.Channels(), c.x[:c.n]) }
func (c *cats) AtBounds() []string { return held(c.Channels(), c.rls.theta) }
func (c *ats) AtBounds() []string  { return atBounds(c.Channels(), c.lower, c.upper) }

// AtBounds compares with bounds: hold_unstable too keeps parameters from the estimate.
func (c *adm) AtBounds() []string { return atBounds(c.Channels(), c.lower, c.upper) }

func (c *forward) AtBounds() []string {
	return atBounds(c.Channels(), []float64{0, leastGain}, []float64{c.p.MaxTauMs / 1e3, mostGain})
}

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
