package plant

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"rths"
)

// Mixed is a coupler whose interface has some coordinates that follow the displacements of the numerical part (d), and
// some in which a force is kept (f), as the axial load of a column. The numerical part sees the former alone. The force
// coordinates are moved by integral control and by what is known of the coupling. With J = ∂F_f/∂q, and the
// displacements s(q_d) by which specimens that lean shorten, each tick adds
//
//	Δq_f = J_ff⁻¹ [ 2π b h (F* − F) − J_fd Δq_d ] + Δs
//
// F* rises as 10τ³ − 15τ⁴ + 6τ⁵ over the time of rise. The integral part moves a coordinate by its displacement limit
// in a second at most. A row of J may learn (Broyden 1965): whenever the measured coordinates have moved by |Δp| ≥
// LearnM,
//
//	J ← J + ½ (ΔF − J Δp) Δpᵀ / ΔpᵀΔp,  p = q − s
//
// Not for forces that must be kept faster than the lag of the actuators allows: package scenario looks at the gain
// margin.
type Mixed struct {
	RateHz    float64
	Axes      int           // coordinates and actuators
	Moved     []int         // displacement coordinates, from 0, in the numerical part's order
	Kept      []ForceAxis   // force coordinates
	Stiffness *mat.Dense    // J at rest, a row for each force coordinate
	Leans     []WeighedLean // of the specimens that lean
	Inner     rths.Coupler  // of all coordinates; nil: an actuator at each
	Lever     *mat.Dense    // displacements of the actuators per coordinate at rest; nil: an actuator at each
}

// ForceAxis is a coordinate in which a force is kept. Of a rotation read N·m and rad.
type ForceAxis struct {
	At          int       // coordinate, from 0
	Target      float64   // constant part of the force, N
	History     []float64 // force after the lead-in on top, N, at each tick; then it stays; nil: none
	LeadS       float64   // when the history begins, s
	RiseS       float64   // s
	Limit       float64   // of the displacement, m
	BandwidthHz float64
	LearnM      float64 // m; 0: J stays as it is
}

// WeighedLean is a specimen that leans, with how far each force coordinate has to follow its shortening, m/m.
type WeighedLean struct {
	Lean
	Follow []float64
}

// mostCondition is the condition number, with rows and columns scaled to a diagonal of 1, above which force
// coordinates work on one stiff direction.
const mostCondition = 1e6

// DependentForces is the error of force coordinates that work on one stiff direction.
type DependentForces struct {
	J         *mat.Dense // N/m, of the force coordinates
	Condition float64
}

// Error says which stiffness.
func (e *DependentForces) Error() string {
	return fmt.Sprintf("stiffness %.3g N/m of the force coordinates has the condition number %.3g: two of them work on "+
		"one stiff direction: want at most %g: keep a force in one of them, and a displacement in the other",
		mat.Formatted(e.J, mat.FormatMATLAB()), e.Condition, mostCondition)
}

// Make makes the coupler.
func (p *Mixed) Make() (*MixedCoupler, error) {
	n, kept := p.Axes, len(p.Kept)
	if kept == 0 || kept+len(p.Moved) != n {
		return nil, fmt.Errorf("mixed coupler: %d displacement and %d force coordinates of %d: want each in one mode, and "+
			"a force",
			len(p.Moved), kept, n)
	}
	if rows, columns := p.Stiffness.Dims(); rows != kept || columns != n {
		return nil, fmt.Errorf("mixed coupler: stiffness of %d × %d: want %d × %d", rows, columns, kept, n)
	}
	c := &MixedCoupler{c: *p, all: rths.NewMotion(n), felt: rths.NewReading(n, n), kept: make([]keptForce, kept),
		moved: make([]float64, len(p.Moved)), q: make([]float64, n), before: make([]float64, kept), s: make([]float64, kept),
		j: mat.DenseCopyOf(p.Stiffness).RawMatrix().Data, l: make([]float64, kept*kept), b: make([]float64, kept),
		p: make([]float64, n), first: make([]float64, kept), still: make([]float64, n), second: make([]float64, kept)}
	c.out.X, c.measured = c.all.X, c.felt.WithoutTruth()
	for i := range c.kept {
		k := &c.kept[i]
		k.ForceAxis, k.row, k.from = p.Kept[i], c.j[i*n:(i+1)*n], make([]float64, n)
		k.tells = k.telling()
		k.enough = max(leastTrust, int(math.Ceil(trustS*p.RateHz)))
		k.stillAt, k.through = make([]float64, n), p.through(k.At)
		if !(k.diagonal() > 0) {
			return nil, fmt.Errorf("coordinate %d: stiffness %g N/m: want more than 0, by the specimens or stiffness_n_m",
				k.At+1, k.diagonal())
		}
	}
	c.j0 = append([]float64(nil), c.j...)
	ff := mat.NewDense(kept, kept, nil)
	for i := range kept {
		for l := range kept {
			ff.Set(i, l, c.kept[i].row[p.Kept[l].At])
		}
	}
	if condition := scaledCondition(ff); !(condition <= mostCondition) {
		return nil, &DependentForces{ff, condition}
	}
	if c.factorise(); c.lost.Why != 0 {
		return nil, &DependentForces{ff, scaledCondition(ff)}
	}
	if i, ok := rths.As[rths.Failer](p.Inner); ok {
		c.inner = i
	}
	return c, nil
}

// through says through which load cells most of the force of a coordinate comes: f = Tᵀ F.
func (p *Mixed) through(at int) []bool {
	out, largest := make([]bool, p.Axes), 0.0
	if p.Lever == nil {
		out[at] = true
		return out
	}
	for i := range out {
		largest = max(largest, math.Abs(p.Lever.At(i, at)))
	}
	for i := range out {
		out[i] = math.Abs(p.Lever.At(i, at)) > largest/2
	}
	return out
}

// Readings in a row that agree on a cause before the control gives up, as those of a guard do.
const (
	trustS     = 0.01
	leastTrust = 3
)

// scaledCondition is the condition number of a matrix with its diagonal scaled to 1.
func scaledCondition(a *mat.Dense) float64 {
	n, _ := a.Dims()
	s := mat.NewDense(n, n, nil)
	for i := range n {
		for j := range n {
			s.Set(i, j, a.At(i, j)/math.Sqrt(math.Abs(a.At(i, i)*a.At(j, j))))
		}
	}
	return mat.Cond(s, 2)
}

// MixedCoupler is Mixed at work.
type MixedCoupler struct {
	c              Mixed
	inner          rths.Failer  // nil: the inner coupler does not fail
	all, out       rths.Motion  // of all coordinates; as the inner coupler gets it
	felt, measured rths.Reading // with true values and without
	kept           []keptForce
	moved          []float64 // q_d of the tick before
	q              []float64 // scratch: coordinates of which only the displacement ones are not 0
	before         []float64 // s of the tick before
	s              []float64 // scratch
	j, j0          []float64 // J and J at rest, by rows
	still          []float64 // readings of the load cells where they changed last, N
	l              []float64 // factor of the force coordinates' part of J, its symmetric part
	b              []float64 // scratch: right-hand side, then solution
	p              []float64 // measured coordinates without s, m
	first, second  []float64 // scratch: rates

	k             int // ticks
	fresh         rths.FreshReadings
	lost          ForceLost
	frozen, ideal bool
}

// keptForce is the state of a force coordinate.
type keptForce struct {
	ForceAxis
	row []float64 // of J
	x   float64   // command, m
	add float64   // what the integral part adds in this tick, m

	target, err, at, slope float64 // F*, F* − F, measured displacement, diagonal of J: for the record

	from      []float64 // p where the row has learnt, m
	fromForce float64   // F there, N
	known     bool      // they are known

	wrong, dead int       // readings in a row of a force with the wrong sign, of none
	stillAt     []float64 // what the force should be where each load cell changed last, N
	through     []bool    // load cells that it comes through
	enough      int       // readings in a row
	tells       float64   // change of the force that tells whether the load cell answers, N
}

func (k *keptForce) diagonal() float64 { return k.row[k.At] }

// wanted is F* at tick n.
func (k *keptForce) wanted(n int, rateHz float64) float64 {
	t, more := float64(n)/rateHz, 0.0
	if len(k.History) > 0 {
		at := n - int(math.Round(k.LeadS*rateHz))
		more = k.History[min(max(at, 0), len(k.History)-1)]
	}
	if t >= k.RiseS {
		return k.Target + more
	}
	tau := t / k.RiseS
	return tau * tau * tau * (10 - 15*tau + 6*tau*tau) * (k.Target + more)
}

// Largest is the largest force that is to be kept, N.
func (k *ForceAxis) Largest() (most float64) {
	most = math.Abs(k.Target)
	for _, f := range k.History {
		most = max(most, math.Abs(k.Target+f))
	}
	return most
}

// Forces sets the histories, which the maker of the coupler may not know yet.
func (c *MixedCoupler) Forces(i int, history []float64, leadS float64) {
	k := &c.kept[i]
	k.History, k.LeadS = history, leadS
	k.tells = k.telling()
}

// Kept are the force coordinates.
func (c *MixedCoupler) Kept() (out []ForceAxis) {
	for i := range c.kept {
		out = append(out, c.kept[i].ForceAxis)
	}
	return out
}

// leans sets s at q.
func (c *MixedCoupler) leans(s, q []float64) {
	clear(s)
	for i := range c.c.Leans {
		l := &c.c.Leans[i]
		by := l.Shortens(q)
		for f, share := range l.Follow {
			s[f] += share * by
		}
	}
}

// Axes puts the displacements of the numerical part and of the force coordinates together, and gives the actuators'.
func (c *MixedCoupler) Axes(axes, iface *rths.Motion) {
	rates := len(axes.V) > 0 && len(iface.V) > 0
	for i, at := range c.c.Moved {
		c.q[at], c.all.X[at] = iface.X[i], iface.X[i]
		if rates {
			c.all.V[at], c.all.A[at] = iface.V[i], iface.A[i]
		}
	}
	c.leans(c.s, c.q)
	b := c.b
	for i := range c.kept {
		b[i] = 0
		for l, at := range c.c.Moved {
			b[i] -= c.kept[i].row[at] * (iface.X[l] - c.moved[l])
		}
	}
	c.solve()
	for i := range c.kept {
		k := &c.kept[i]
		if c.lost.Why == 0 {
			b[i] += c.s[i] - c.before[i]
		}
		k.x += k.add + b[i]
		c.all.X[k.At] = k.x
	}
	copy(c.moved, iface.X)
	copy(c.before, c.s)
	c.out.V, c.out.A = nil, nil
	if rates {
		c.rates()
		c.out = c.all
	}
	for i := range c.kept { // once
		c.kept[i].add = 0
	}
	if c.c.Inner != nil {
		c.c.Inner.Axes(axes, &c.out)
		return
	}
	copy(axes.X, c.out.X)
	copy(axes.V, c.out.V)
	copy(axes.A, c.out.A)
}

// rates sets velocities and accelerations of the force coordinates: those of the feed-forward, and the speed of the
// integral part. Specimens lean with the displacement coordinates alone, as in Axes.
func (c *MixedCoupler) rates() {
	for i := range c.kept {
		k := &c.kept[i]
		c.all.V[k.At], c.all.A[k.At] = 0, 0
	}
	m := rths.Motion{X: c.q, V: c.all.V, A: c.all.A}
	clear(c.first)
	clear(c.second)
	for i := range c.c.Leans {
		l := &c.c.Leans[i]
		first, second := l.Rates(&m)
		for f, share := range l.Follow {
			c.first[f] += share * first
			c.second[f] += share * second
		}
	}
	c.follow(c.first, c.all.V)
	c.follow(c.second, c.all.A)
	for i := range c.kept {
		k := &c.kept[i]
		c.all.V[k.At], c.all.A[k.At] = c.first[i]+k.add*c.c.RateHz, c.second[i]
	}
}

// follow adds what the coupling needs, −J_ff⁻¹ J_fd times rates of the displacement coordinates.
func (c *MixedCoupler) follow(to, rates []float64) {
	for i := range c.kept {
		c.b[i] = 0
		for _, at := range c.c.Moved {
			c.b[i] -= c.kept[i].row[at] * rates[at]
		}
	}
	c.solve()
	for i := range to {
		to[i] += c.b[i]
	}
}

// Interface gives the numerical part the readings of its coordinates, and runs the law of the others.
func (c *MixedCoupler) Interface(iface, axes *rths.Reading) {
	felt := &c.felt
	if len(axes.TrueX) == 0 || len(iface.TrueX) == 0 {
		felt = &c.measured
	}
	if c.c.Inner != nil {
		c.c.Inner.Interface(felt, axes)
	} else {
		copy(felt.X, axes.X)
		copy(felt.F, axes.F)
		copy(felt.TrueX, axes.TrueX)
		copy(felt.TrueF, axes.TrueF)
	}
	for i, at := range c.c.Moved {
		iface.X[i], iface.F[i] = felt.X[at], felt.F[at]
		if len(felt.TrueX) > 0 {
			iface.TrueX[i], iface.TrueF[i] = felt.TrueX[at], felt.TrueF[at]
		}
	}
	c.control(felt, axes.F, c.fresh.IsNew(axes.Age, false))
	c.k++
}

// control is the law of a tick. Without a new reading the force coordinates stand.
func (c *MixedCoupler) control(felt *rths.Reading, cells []float64, isNew bool) {
	learnt := false
	c.leans(c.s, felt.X)
	copy(c.p, felt.X)
	for i := range c.kept {
		c.p[c.kept[i].At] -= c.s[i]
	}
	for i := range c.kept {
		k := &c.kept[i]
		k.target = k.wanted(c.k, c.c.RateHz)
		if c.ideal {
			k.target = 0
		}
		k.err, k.at = k.target-felt.F[k.At], felt.X[k.At]
		if !isNew {
			continue
		}
		if !c.ideal {
			c.watch(i, felt.F[k.At], cells)
		}
		if k.LearnM > 0 && !c.frozen {
			learnt = c.learn(i, felt) || learnt
		}
	}
	if isNew {
		copy(c.still, cells)
	}
	if learnt {
		c.factorise()
	}
	b := c.b
	clear(b)
	for i := range c.kept {
		if isNew {
			b[i] = 2 * math.Pi * c.kept[i].BandwidthHz / c.c.RateHz * c.kept[i].err
		}
	}
	c.solve()
	for i := range c.kept {
		k := &c.kept[i]
		if k.add = b[i]; !c.ideal {
			most := k.Limit / c.c.RateHz
			k.add = min(max(k.add, -most), most)
		}
		k.slope = k.diagonal()
	}
}

// factorise takes the symmetric part of the force coordinates' part of J, as a stiffness is symmetric. A J that is not
// positive definite ends the control.
func (c *MixedCoupler) factorise() {
	n := len(c.kept)
	for i := range c.kept {
		for l := range i + 1 {
			c.l[i*n+l] = (c.kept[i].row[c.kept[l].At] + c.kept[l].row[c.kept[i].At]) / 2
		}
	}
	if factorise(c.l, n) {
		return
	}
	worst := 0
	for i := range c.kept {
		if c.kept[i].diagonal() < c.kept[worst].diagonal() {
			worst = i
		}
	}
	k := &c.kept[worst]
	c.lose(lostStiffness, worst, k.diagonal(), c.j0[worst*c.c.Axes+k.At])
}

// solve replaces b by J_ff⁻¹ b; once the control has ended, by 0.
func (c *MixedCoupler) solve() {
	if c.lost.Why != 0 {
		clear(c.b)
		return
	}
	solveFactored(c.l, c.b)
}

// learn is Broyden's step of row i, and reports whether it was made.
func (c *MixedCoupler) learn(i int, felt *rths.Reading) bool {
	k := &c.kept[i]
	force := felt.F[k.At]
	if !k.known {
		k.known, k.fromForce = true, force
		copy(k.from, c.p)
		return false
	}
	moved, predicted := 0.0, 0.0
	for l, x := range c.p {
		d := x - k.from[l]
		moved += d * d
		predicted += k.row[l] * d
	}
	if !(moved >= k.LearnM*k.LearnM) {
		return false
	}
	by := learnShare * (force - k.fromForce - predicted) / moved
	for l, x := range c.p {
		k.row[l] += by * (x - k.from[l])
		k.from[l] = x
	}
	k.fromForce = force
	return true
}

// learnShare is the share of Broyden's step: the rest takes out noise.
const learnShare = 0.5
