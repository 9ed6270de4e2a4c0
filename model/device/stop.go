package device

// Stop is a spring that the motion meets after a free travel: a stop in the direction of positive deformations (gap),
// of negative ones (hook), or both.
//
//	f = k max(x − g, 0) + k min(x + g, 0)
//
// The contact is elastic: what is lost in an impact belongs to another device beside it.
type Stop struct {
	K         float64 // N/m
	Travel    float64 // free travel g, m
	Gap, Hook bool    // which of both stops there are
}

// States is 0.
func (l *Stop) States() int { return 0 }

// Force is the spring beyond the free travel.
func (l *Stop) Force(x, _ float64, _ []float64) float64 { return l.K * l.into(x) }

// into is the deformation of the spring, m.
func (l *Stop) into(x float64) float64 {
	switch {
	case l.Gap && x > l.Travel:
		return x - l.Travel
	case l.Hook && x < -l.Travel:
		return x + l.Travel
	}
	return 0
}

// Rate has no states to move.
func (l *Stop) Rate(_, _ []float64, _ float64) {}

// Commit has no states to map.
func (l *Stop) Commit([]float64, float64) {}

// AtRest is 0: the contact is away.
func (l *Stop) AtRest() (k, c float64) { return 0, 0 }

// Steepest is the spring in contact.
func (l *Stop) Steepest() (k, c, rate float64) { return l.K, 0, 0 }

// Stored is the energy of the spring.
func (l *Stop) Stored(x float64, _ []float64) float64 {
	d := l.into(x)
	return l.K * d * d / 2
}
