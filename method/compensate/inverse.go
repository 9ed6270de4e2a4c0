package compensate

import "rths"

// Inverse is the inverse of a first-order actuator (Chen and Ricles 2009): the
// actuator covers in each sample 1/α of its way to the command,
//
//	G(z) = z/(α z − (α − 1)),   command d_c[k] = α d[k] − (α − 1) d[k−1]
//
// with α = 1 + τ/h, so that G lags slow motion by τ. The command leads by one difference
// of the target. Not for delays of more than a tenth of the shortest period.
type Inverse struct {
	Lag `yaml:",inline"`
}

// Make computes α.
func (p *Inverse) Make(at At) (rths.Compensator, error) {
	tau, err := p.resolve("inverse", at)
	if err != nil {
		return nil, err
	}
	alpha := 1 + tau*at.RateHz
	return newTaps([]float64{alpha, 1 - alpha}, 1), nil
}
