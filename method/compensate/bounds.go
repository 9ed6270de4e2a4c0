package compensate

import (
	"fmt"

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

// clamp copies src into dst within bounds; nil bounds are none.
func clamp(dst, src, lower, upper []float64) {
	copy(dst, src)
	for i, v := range lower {
		dst[i] = max(dst[i], v)
	}
	for i, v := range upper {
		dst[i] = min(dst[i], v)
	}
}

// checkLists wants n finite numbers in every list that is given.
func checkLists(method string, n int, lists ...list) error {
	for _, q := range lists {
		if q.v != nil && len(q.v) != n {
			return fmt.Errorf("%s: %d numbers in %s: want %d", method, len(q.v), q.name, n)
		}
		for _, v := range q.v {
			if !rths.Finite(v) {
				return fmt.Errorf("%s: %s holds %g: want finite numbers", method, q.name, v)
			}
		}
	}
	return nil
}

type list struct {
	name string
	v    []float64
}
