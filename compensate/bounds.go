package compensate

import "rths"

// Bounded is implemented by compensators whose parameters have bounds. AtBounds returns the
// names of channels that are at a bound now: the adaptation would go further.
type Bounded interface{ AtBounds() []string }

// atBounds compares the values of channels with bounds, in the same order; nil bounds are
// none.
func atBounds(channels []rths.Channel, lower, upper []float64) (out []string) {
	for i, c := range channels {
		if i < len(lower) && *c.V <= lower[i] || i < len(upper) && *c.V >= upper[i] {
			out = append(out, c.Name)
		}
	}
	return out
}

func (c *amb) AtBounds() []string { return atBounds(c.Channels(), c.lower, c.upper) }
func (c *kf) AtBounds() []string  { return atBounds(c.Channels(), c.lower, c.upper) }

// AtBounds are taps of the model; other channels follow them.
func (c *adm) AtBounds() []string { return atBounds(c.Channels(), c.lower, c.upper) }

func (c *forward) AtBounds() []string {
	return atBounds(c.Channels(), []float64{0, leastGain}, []float64{c.p.MaxTauMs / 1e3, mostGain})
}

func (e *each) AtBounds() (out []string) {
	for i, p := range e.parts {
		if b, ok := rths.As[Bounded](p); ok {
			for _, name := range b.AtBounds() {
				out = append(out, ofActuator(name, i))
			}
		}
	}
	return out
}
