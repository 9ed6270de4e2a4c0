package stability

// Crossings are all crossings by their frequency, found as the frequencies where
// |L(jω)| = 1: there the delay has to turn L by what it misses to −1,
//
//	τ = arg(−L(jω)) mod 2π / ω
func (h *Hybrid) Crossings() ([]Crossing, error) {
	l, err := h.Loop()
	if err != nil {
		return nil, err
	}
	var out []Crossing
	for _, w := range unity(l) {
		c := Crossing{Omega: w, Delay: exactDelay(w, lag(l, w))}
		c.Speed = real(speed(l, complex(0, w), c.Delay))
		out = append(out, c)
	}
	return out, nil
}

// Roots follows the roots of 1 + L(s) e^{−sτ} in the upper half plane that start
// as the roots of the undivided structure, from no delay to the given one, by Newton's
// method: small steps along ds/dτ, each corrected. The equation has infinitely many
// others, which come from far away: for a mass ratio r from (ln r + jπ(2n+1))/τ.
func (h *Hybrid) Roots(delay float64) ([]complex128, error) {
	var out []complex128
	err := h.follow(delay, func(_, _ float64, _, s complex128) bool { return true },
		func(s complex128) { out = append(out, s) })
	return out, err
}
