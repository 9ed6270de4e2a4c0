package structure

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/cmplx"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rths/maths/lti"
)

// comparison finds the error of a reduction. In place of the whole structure stands the same
// with further coordinates: displacements under the loads that its responses leave over, until
// they leave nothing over at any of the frequencies that are looked at.
type comparison struct {
	g       *galerkin
	in      *inside
	n       int     // coordinates of the reduction, the first ones
	outputs int     // coordinates whose response is compared, the first ones, each by itself
	top     float64 // rad/s
	grid    []float64

	reduction, whole *driven
	short            map[float64]*answers // of the reduction, on the grid
}

// spot is an error, where it is, and of which output's answer to which action.
type spot struct {
	pct, omega     float64
	output, action int
}

const (
	// a response has settled if the displacement under what it leaves over has this part of its size, √energy
	leftOver   = 1e-5
	unchanged  = 0.01 // part of the error that a further round of coordinates may still change
	mostRounds = 30
	lookedAt   = 8    // frequencies of a round, beside the worst
	gridSteps  = 400  // and natural frequencies, and where an action hardly moves the interface
	atRest     = 1e-5 // part of the highest frequency, below which a natural frequency is a rigid body's and rounding
	sameHz     = 1e-9 // part of the highest frequency by which two of the grid differ at least
)

// judge writes the error into r, or refuses it.
func (c *comparison) judge(r *Reduced) error {
	if err := c.makeGrid(r.Hz); err != nil {
		return err
	}
	worst, err := c.settle()
	if err != nil {
		return err
	}
	r.ErrorPct, r.AtHz, r.Action = worst.pct, worst.omega/(2*math.Pi), c.g.actions[worst.action].name
	if c.outputs > 1 {
		r.Action = fmt.Sprintf("degree of freedom %d %s", r.Kept[worst.output]+1, r.Action)
	}
	if worst.pct <= acceptablePct {
		return nil
	}
	why := ""
	if mat.Norm(r.C, 1) == 0 {
		why = " (the structure has no damping: near its natural frequencies the error has no bound)"
	}
	if r.Cut {
		why += " (the first mode left out has the frequency of the highest kept: which of them are kept depends on " +
			"rounding)"
	}
	return fmt.Errorf(
		"%d modes carry the interface's response %s with an error of at most %d %%; up to up_to_hz %g the largest error is "+
			"%s, at %.3g Hz, %s%s: want more modes or a lower up_to_hz",
		len(r.Hz), c.carried(), acceptablePct, r.UpToHz, percent(worst.pct), r.AtHz, r.Action, why)
}

func percent(pct float64) string {
	if pct > 100 {
		return "above 100 %"
	}
	return fmt.Sprintf("%.2g %%", pct)
}

// settle adds coordinates until the error has settled.
func (c *comparison) settle() (worst spot, err error) {
	settled := 0
	for range mostRounds {
		added := c.enrich(worst.omega)
		if c.whole, err = c.g.driven(len(c.g.t), c.top); err != nil {
			return worst, err
		}
		last := worst
		if worst = c.worst(); worst.pct < 0 {
			return worst, errors.New("no force and no ground motion moves the interface: want a structure that moves there")
		}
		if !added {
			return worst, nil
		}
		if math.Abs(worst.pct-last.pct) > unchanged*worst.pct {
			settled = 0
		} else if settled++; settled == 2 {
			return worst, nil
		}
	}
	return worst,
		errors.New("the error of the reduction does not settle: want another number of modes, or leave reduce out")
}

// enrich adds displacements under the loads left over at some frequencies; false if none
// was worth a coordinate.
func (c *comparison) enrich(worst float64) (added bool) {
	at := []float64{worst}
	for i := range lookedAt {
		at = append(at, c.top*float64(i+1)/lookedAt)
	}
	for _, omega := range at {
		q := c.g.responses(omega, len(c.g.t))
		if q == nil || omega == 0 {
			continue
		}
		for i := range c.g.actions {
			size := c.g.energy(q[i])
			if size == 0 {
				continue
			}
			re, im := c.g.residual(&c.g.actions[i], omega, q[i])
			for _, load := range [][]float64{re, im} {
				t := c.in.settle(load)
				scaleTo(t, 1/size)
				added = c.g.addOrthogonal(t, leftOver) || added
			}
		}
	}
	return added
}

// errorAt is the largest error of all outputs and actions at a frequency, below 0 where no action moves
// an output. H is symmetric.
func (c *comparison) errorAt(omega float64) spot {
	out := spot{pct: -1, omega: omega}
	short, full := c.shortened(omega), c.whole.at(omega)
	if short == nil || full == nil {
		out.pct = math.Inf(1)
		return out
	}
	for j := range c.outputs {
		for i := j; i < len(c.g.actions); i++ {
			want := full.of(j, i)
			if pct := 100 * cmplx.Abs(short.of(j, i)-want) / cmplx.Abs(want); !(pct <= out.pct) && !full.still(j, i) {
				out.pct, out.output, out.action = pct, j, i
			}
		}
	}
	return out
}

// worst is the largest error: on the grid, and about its highest peaks there.
func (c *comparison) worst() spot {
	all, worst := make([]spot, len(c.grid)), spot{pct: -1}
	for i, omega := range c.grid {
		all[i] = c.errorAt(omega)
		worst = worse(worst, all[i])
	}
	for _, i := range highest(all, worst.pct/2) {
		low, high := c.grid[max(i-1, 0)], c.grid[min(i+1, len(c.grid)-1)]
		peak := lti.Minimum(func(omega float64) float64 { return -c.errorAt(omega).pct }, low, high)
		worst = worse(worst, c.errorAt(peak))
	}
	return worst
}

// mostPeaks of the error are looked at between the frequencies of the grid.
const mostPeaks = 6

// highest are the places of the highest peaks, from a level on.
func highest(all []spot, level float64) (at []int) {
	for i, s := range all {
		if s.pct >= level && s.pct >= all[max(i-1, 0)].pct && s.pct >= all[min(i+1, len(all)-1)].pct {
			at = append(at, i)
		}
	}
	slices.SortStableFunc(at, func(i, j int) int { return cmp.Compare(all[j].pct, all[i].pct) })
	return at[:min(mostPeaks, len(at))]
}

func worse(a, b spot) spot {
	if b.pct > a.pct {
		return b
	}
	return a
}

// carried says up to which frequency the error is acceptable.
func (c *comparison) carried() string {
	good := 0.0
	for _, omega := range c.grid {
		if c.errorAt(omega).pct <= acceptablePct {
			good = omega
			continue
		}
		for bad := omega; bad-good > 1e-4*bad; {
			if mid := (good + bad) / 2; c.errorAt(mid).pct <= acceptablePct {
				good = mid
			} else {
				bad = mid
			}
		}
		break
	}
	if good <= c.grid[0]/2 {
		return "at no frequency"
	}
	return fmt.Sprintf("up to %s Hz", floor3(good/(2*math.Pi)))
}

// floor3 is a positive number with three digits, not above v.
func floor3(v float64) string {
	unit := math.Pow(10, math.Floor(math.Log10(v))-2)
	return fmt.Sprintf("%.3g", unit*math.Floor(v/unit*(1+1e-12)))
}

// makeGrid makes the frequencies at which responses are compared: even steps, the natural
// frequencies of the reduction, those of its modes with the interface held, and where an
// action moves an output least.
func (c *comparison) makeGrid(held []float64) error {
	var err error
	if c.reduction, err = c.g.driven(c.n, c.top); err != nil {
		return err
	}
	c.short = map[float64]*answers{}
	for i := range gridSteps {
		c.grid = append(c.grid, c.top*float64(i+1)/gridSteps)
	}
	natural, err := c.natural()
	if err != nil {
		return err
	}
	for _, hz := range held {
		natural = append(natural, 2*math.Pi*hz)
	}
	for _, omega := range append(natural, c.quiet()...) {
		if omega > atRest*c.top && omega < c.top {
			c.grid = append(c.grid, omega)
		}
	}
	slices.Sort(c.grid)
	c.grid = slices.CompactFunc(c.grid, func(a, b float64) bool { return math.Abs(a-b) <= sameHz*c.top })
	return nil
}

// natural are the circular frequencies of the reduction without damping: ω² = 1/μ − σ for
// M φ = μ (K + σM) φ, with σ so that K + σM has a factor.
func (c *comparison) natural() (omega []float64, err error) {
	m, shifted := mirrored(c.g.m), new(mat.Dense)
	sigma := c.top * c.top
	shifted.Scale(sigma, m)
	shifted.Add(shifted, mirrored(c.g.k))
	var factor mat.Cholesky
	if !factor.Factorize(symmetric(shifted)) {
		return nil, errors.New("its mass or stiffness matrix has a negative eigenvalue: want none below 0")
	}
	inverse, _, err := inverseModes(&factor, m)
	for _, v := range inverse {
		if v > 0 {
			omega = append(omega, math.Sqrt(max(0, 1/v-sigma)))
		}
	}
	return omega, err
}

// quiet are the frequencies between those of the grid where an action moves an output of
// the reduction less than at both sides.
func (c *comparison) quiet() (out []float64) {
	at := make([]*answers, len(c.grid))
	for k, omega := range c.grid {
		at[k] = c.shortened(omega)
	}
	for j := range c.outputs {
		for i := j; i < len(c.g.actions); i++ {
			moved := func(a *answers) float64 {
				if a == nil || a.still(j, i) {
					return math.Inf(1)
				}
				return cmplx.Abs(a.of(j, i))
			}
			for k := 1; k < len(at)-1; k++ {
				if here := moved(at[k]); here < moved(at[k-1]) && here <= moved(at[k+1]) {
					out = append(out, lti.Minimum(func(omega float64) float64 { return moved(c.reduction.at(omega)) }, c.grid[k-1],
						c.grid[k+1]))
				}
			}
		}
	}
	return out
}

// shortened are the answers of the reduction, which are kept: the grid is gone through once
// for every round.
func (c *comparison) shortened(omega float64) *answers {
	a, known := c.short[omega]
	if !known {
		a = c.reduction.at(omega)
		c.short[omega] = a
	}
	return a
}
