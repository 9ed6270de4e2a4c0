package stability

import (
	"fmt"
	"math"
	"math/cmplx"
	"slices"

	"rths/maths/lti"
)

// Crossing is a pair of roots ±jω on the imaginary axis.
type Crossing struct {
	Omega float64 // ω, rad/s
	Delay float64 // the smallest delay it is at, s; it returns every 2π/ω
	// Speed is the rate at which the root moves to the right with the delay, 1/s
	// per s: above 0 stability is lost, below 0 a root comes back.
	Speed float64
}

// Critical is the smallest delay at which a partition is on the verge of
// instability.
type Critical struct {
	Delay float64 // s; +Inf: none
	// rad/s of the root there; 0 where there is none, +Inf for a neutral equation that is unstable with any delay
	Omega float64
}

// none is a partition that tolerates any delay.
var none = Critical{Delay: math.Inf(1)}

// Exists reports whether there is a critical delay at all.
func (c Critical) Exists() bool { return !math.IsInf(c.Delay, 1) }

// PSI is the predictive stability indicator log10(τ_cr in ms) of paper 002,
// section 2.2 (after Maghareh et al. 2017): the smaller the more sensitive.
func (c Critical) PSI() float64 { return math.Log10(1e3 * c.Delay) }

// Critical is the exact critical delay, the smallest of the crossings: a system that is
// stable without delay stays stable until a root reaches the imaginary axis. The delay is
// 0 for an unstable undivided structure, and where MassRatio is 1 or more. With several
// crossings a longer delay may be stable again; Critical does not look for it.
func (h *Hybrid) Critical() (Critical, error) { return h.critical(exactDelay) }

// critical is the smallest delay over the crossings, by a function that finds
// the delay of a phase.
func (h *Hybrid) critical(delay func(omega, phase float64) float64) (Critical, error) {
	at0, unstable, err := h.unstableAt0()
	if err != nil || unstable {
		return at0, err
	}
	l, err := h.Loop()
	if err != nil {
		return Critical{}, err
	}
	best := none
	for _, w := range unity(l) {
		if tau := delay(w, lag(l, w)); tau < best.Delay {
			best = Critical{tau, w}
		}
	}
	return best, nil
}

// unstableAt0 finds the two cases in which no delay is tolerated.
func (h *Hybrid) unstableAt0() (c Critical, unstable bool, err error) {
	ratio, err := h.MassRatio()
	if err != nil {
		return c, false, err
	}
	if math.Abs(ratio) >= 1 {
		return Critical{Omega: math.Inf(1)}, true, nil
	}
	whole := h.Whole()
	poles, err := roots(whole.M, whole.C, whole.K)
	if err != nil {
		return c, false, fmt.Errorf("critical delay: undivided structure: %w", err)
	}
	for _, p := range poles {
		if real(p) > 1e-9*cmplx.Abs(p) {
			return Critical{Omega: math.Abs(imag(p))}, true, nil
		}
	}
	return c, false, nil
}

func exactDelay(omega, phase float64) float64 { return phase / omega }

// lag is arg(−L(jω)) mod 2π. A value within rounding of 2π counts as 0: an undamped
// structure is on the verge without delay.
func lag(l lti.ZPK, omega float64) float64 {
	phase := cmplx.Phase(-l.At(complex(0, omega)))
	if phase < -1e-8 {
		phase += 2 * math.Pi
	}
	return max(phase, 0)
}

// unity are the frequencies where |L(jω)| = 1, ascending: sign changes of log|L| over a
// dense sweep, bisected. Two such frequencies between neighbours of the sweep, where |L|
// touches 1, are missed. The sweep is dense about every pole and zero, so no resonance is
// too narrow.
func unity(l lti.ZPK) []float64 {
	above := func(w float64) bool { return cmplx.Abs(l.At(complex(0, w))) > 1 }
	var out []float64
	grid := sweep(append(slices.Clone(l.Poles), l.Zeros...))
	for i := 1; i < len(grid); i++ {
		low, high := grid[i-1], grid[i]
		start := above(low)
		if start == above(high) {
			continue
		}
		for range 100 {
			if mid := (low + high) / 2; above(mid) == start {
				low = mid
			} else {
				high = mid
			}
		}
		out = append(out, (low+high)/2)
	}
	return out
}

// sweep is a grid of frequencies: 100 a decade, three decades beyond all roots,
// and about each root at distances from its own magnitude down to a tenth of its half
// bandwidth, or 1e-9 of it where it is undamped.
func sweep(roots []complex128) []float64 {
	low, high := math.Inf(1), 0.0
	var grid []float64
	for _, r := range roots {
		w := cmplx.Abs(r)
		if w == 0 {
			continue
		}
		low, high = min(low, w), max(high, w)
		for d := w; d > max(1e-9*w, math.Abs(real(r))/10); d *= 0.77 {
			grid = append(grid, w+d)
			if d < w {
				grid = append(grid, w-d)
			}
			if v := math.Abs(imag(r)); v > 0 {
				grid = append(grid, v+d, math.Abs(v-d))
			}
		}
	}
	if high == 0 {
		low, high = 1, 1
	}
	for w := low / 1e3; w < 1e3*high; w *= math.Pow(10, 0.01) {
		grid = append(grid, w)
	}
	slices.Sort(grid)
	return slices.DeleteFunc(slices.Compact(grid), func(w float64) bool { return !(w > 0) })
}

// CriticalTracked is the smallest delay up to longest (s) at which a followed root
// comes to the right of the imaginary axis: an independent way to Critical, and
// longer than that where a root from far away is the first.
func (h *Hybrid) CriticalTracked(longest float64) (Critical, error) {
	at0, unstable, err := h.unstableAt0()
	if err != nil || unstable {
		return at0, err
	}
	l, err := h.Loop()
	if err != nil {
		return Critical{}, err
	}
	best := none
	err = h.follow(longest, func(tau, d float64, before, after complex128) bool {
		if real(after) <= 0 {
			return tau < best.Delay
		}
		low, high := 0.0, d
		for range 50 {
			mid := (low + high) / 2
			if after = step(l, before, tau, mid); real(after) > 0 {
				high = mid
			} else {
				low = mid
			}
		}
		if tau+high < best.Delay {
			best = Critical{tau + high, imag(after)}
		}
		return false
	}, func(complex128) {})
	return best, err
}

// follow takes every root to the delay in steps. onward gets each step, from delay tau by
// d, and returns false to end a root; done gets the roots that arrive.
func (h *Hybrid) follow(delay float64, onward func(tau, d float64, before, after complex128) bool,
	done func(complex128)) error {
	l, err := h.Loop()
	if err != nil {
		return err
	}
	whole := h.Whole()
	all, err := roots(whole.M, whole.C, whole.K)
	if err != nil {
		return fmt.Errorf("critical delay: undivided structure: %w", err)
	}
next:
	for _, s := range all {
		if imag(s) < 0 {
			continue
		}
		steps := 20 + int(20*cmplx.Abs(s)*delay)
		d := delay / float64(steps)
		for k := range steps {
			tau, before := float64(k)*d, s
			if s = step(l, before, tau, d); !onward(tau, d, before, s) {
				continue next
			}
		}
		done(s)
	}
	return nil
}

// step takes a root from one delay to another, d later.
func step(l lti.ZPK, s complex128, delay, d float64) complex128 {
	return newton(l, s+complex(d, 0)*speed(l, s, delay), delay+d)
}

// speed is ds/dτ of a root: from ln L − sτ = const, s/(L′/L − τ).
func speed(l lti.ZPK, s complex128, delay float64) complex128 {
	return s / (logSlope(l, s) - complex(delay, 0))
}

// newton solves 1 + L(s) e^{−sτ} = 0 near s.
func newton(l lti.ZPK, s complex128, delay float64) complex128 {
	tau := complex(delay, 0)
	for range 20 {
		v := l.At(s) * cmplx.Exp(-s*tau)
		d := (1 + v) / (v * (logSlope(l, s) - tau))
		s -= d
		if cmplx.Abs(d) <= 1e-14*cmplx.Abs(s) {
			break
		}
	}
	return s
}

// logSlope is L′/L.
func logSlope(l lti.ZPK, s complex128) complex128 {
	var sum complex128
	for _, z := range l.Zeros {
		sum += 1 / (s - z)
	}
	for _, p := range l.Poles {
		sum -= 1 / (s - p)
	}
	return sum
}
