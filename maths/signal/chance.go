package signal

import (
	"math/rand/v2"

	"rths"
)

// Chance says yes with a probability, independently in every sample.
type Chance struct {
	share float64
	pcg   rand.PCG
}

// NewChance returns a chance of share (0 to 1) from the named stream.
func NewChance(seed uint64, stream string, share float64) *Chance {
	return &Chance{share: share, pcg: *Stream(seed, stream)}
}

// Next is the next answer: 53 random bits, as a number from 0 up to but not
// including 1, lie below the share.
func (c *Chance) Next() bool { return float64(c.pcg.Uint64()>>11)/(1<<53) < c.share }

// VisitState visits the generator's 128 bits as four whole numbers.
func (c *Chance) VisitState(v *rths.StateVisitor) { visitPCG(v, &c.pcg) }
