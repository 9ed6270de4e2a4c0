package device

// Backlash is a law in series with a free play, as of a pin in its hole. u is the deformation of the law, and e = x − u
// the place of the pin:
//
//	e = ±g, pressed by  ±f_law(u, ẋ, z) > 0:  u̇ = ẋ,  f = f_law
//	e = ±g, not pressed:  f = 0, and u̇ = ẋ while the pin pushes on, ±ẋ > 0
//	|e| < g:  f = 0,  u̇ = 0
//
// The gap opens where the force passes zero, as a pin cannot pull. A law that kept its force across the gap would give
// more energy than it has taken. The states are those of the law, then u and e. What a step goes beyond the contact
// moves u, and not the other states of the law: integrators are of order 1 with it.
type Backlash struct {
	Law
	Play float64 // 2g, m, more than 0
}

// States are two more.
func (l *Backlash) States() int { return l.Law.States() + 2 }

// pushed is the force, and whether the law moves.
func (l *Backlash) pushed(v float64, z []float64) (force float64, moves bool) {
	n, side := len(z)-2, 0.0
	switch e := z[n+1]; {
	case e >= l.Play/2:
		side = 1
	case e <= -l.Play/2:
		side = -1
	default:
		return 0, false
	}
	if force = l.Law.Force(z[n], v, z[:n]); side*force > 0 {
		return force, true
	}
	return 0, side*v > 0
}

// Force is the law's while the pin is pressed.
func (l *Backlash) Force(_, v float64, z []float64) float64 {
	force, _ := l.pushed(v, z)
	return force
}

// Rate moves the law, or the pin in its hole.
func (l *Backlash) Rate(dz, z []float64, v float64) {
	n := len(z) - 2
	if _, moves := l.pushed(v, z); moves {
		l.Law.Rate(dz[:n], z[:n], v)
		dz[n], dz[n+1] = v, 0
		return
	}
	clear(dz[:n+1])
	dz[n+1] = v
}

// Commit keeps the pin in its hole.
func (l *Backlash) Commit(z []float64, x float64) {
	n := len(z) - 2
	z[n+1] = min(max(z[n+1], -l.Play/2), l.Play/2)
	z[n] = x - z[n+1]
	l.Law.Commit(z[:n], z[n])
}

// AtRest is 0: the pin is in the middle of its hole.
func (l *Backlash) AtRest() (k, c float64) { return 0, 0 }

// Steepest is the law's, and the rate at which the pin crosses half of the play.
func (l *Backlash) Steepest() (k, c, rate float64) {
	k, c, rate = l.Law.Steepest()
	return k, c, max(rate, 2*fastSpeed/l.Play)
}

// Stored is the law's.
func (l *Backlash) Stored(_ float64, z []float64) float64 {
	n := len(z) - 2
	return l.Law.Stored(z[n], z[:n])
}
