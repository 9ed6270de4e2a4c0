package rths

// delay is a line of n past vectors of equal width.
type delay struct {
	n, width, at int
	buf          []float64
}

func newDelay(n, width int) delay { return delay{n: n, width: width, buf: make([]float64, n*width)} }

// slot is the oldest vector; after it has been read it is overwritten with the
// newest, and advance moves on.
func (d *delay) slot() []float64 { return d.buf[d.at : d.at+d.width] }

func (d *delay) advance() {
	if d.at += d.width; d.at == len(d.buf) {
		d.at = 0
	}
}

// fill sets all vectors of the line to v.
func (d *delay) fill(v []float64) {
	for j := range d.n {
		copy(d.buf[j*d.width:], v)
	}
}

// VisitState visits the vectors, newest first.
func (d *delay) VisitState(v *StateVisitor) {
	for j := d.n - 1; j >= 0; j-- {
		i := (d.at + j*d.width) % len(d.buf)
		v.Floats(d.buf[i : i+d.width])
	}
}

// delayedObserver shows an observer the frame of each tick with the state of the numerical part at that tick, where
// this state comes later than the tick.
type delayedObserver struct {
	Observer
	loop  *Loop
	from  DelayedState
	ticks int
	next  float64     // tick that is shown next
	past  []pastFrame // tick k at place k modulo the length
	frame Frame       // for the observer
}

// pastFrame is a frame of a tick.
type pastFrame struct {
	k       float64 // −1: none yet
	age     float64
	late    float64
	numbers []float64 // all others, one slice after the other
}

// delayObserver is the observer of states that come later than their tick, if they do.
func (l *Loop) delayObserver(o Observer) Observer {
	d, ok := As[DelayedState](l.c.Integrator)
	if !ok {
		return o
	}
	ticks, most := d.Delay()
	if ticks == 0 {
		return o
	}
	b := &delayedObserver{Observer: o, loop: l, from: d, ticks: ticks, past: make([]pastFrame, most+1), frame: l.frame}
	n := 0
	for _, s := range b.frame.Vectors() {
		*s = append([]float64(nil), *s...)
		n += len(*s)
	}
	for i := range b.past {
		b.past[i] = pastFrame{k: -1, numbers: make([]float64, n)}
	}
	return b
}

// Unwrap is the observer.
func (b *delayedObserver) Unwrap() any { return b.Observer }

// mostAtOnce is how many frames the observer gets in a tick, at most, while it makes up for late states.
const mostAtOnce = 2

// Observe keeps the frame, and shows those whose state has come.
func (b *delayedObserver) Observe(f *Frame) {
	if f.Err != nil { // the run ends here
		return
	}
	b.past[f.K%len(b.past)].keep(f)
	for range mostAtOnce {
		k := int(b.next)
		if k > f.K-b.ticks {
			return
		}
		num := b.from.StateAt(k)
		if num == nil {
			return
		}
		b.next++
		if p := &b.past[k%len(b.past)]; p.k == float64(k) {
			b.show(p, num)
		}
	}
}

// show shows a past frame with a state of the numerical part.
func (b *delayedObserver) show(p *pastFrame, num *Motion) {
	f, from := &b.frame, p.numbers
	for _, s := range f.Vectors() {
		from = from[copy(*s, from):]
	}
	f.K = int(p.k)
	now := &b.loop.frame
	f.T, f.TargetK = float64(f.K)/b.loop.c.RateHz, f.K+now.TargetK-now.K
	f.Ground, f.Num = b.loop.ground(f.K), num
	f.Read.Age, f.Read.Late = int(p.age), p.late != 0
	f.InterfaceRead.Age, f.InterfaceRead.Late = f.Read.Age, f.Read.Late
	b.Observer.Observe(f)
	f.Num = nil
}

// keep copies a frame.
func (p *pastFrame) keep(f *Frame) {
	p.k, p.age, p.late = float64(f.K), float64(f.Read.Age), 0
	if f.Read.Late {
		p.late = 1
	}
	to := p.numbers
	for _, s := range f.Vectors() {
		to = to[copy(to, *s):]
	}
}

// VisitState visits the frames kept, then the state of the observer.
func (b *delayedObserver) VisitState(v *StateVisitor) {
	v.Float(&b.next)
	for i := range b.past {
		p := &b.past[i]
		v.Float(&p.k, &p.age, &p.late)
		v.Floats(p.numbers)
	}
	v.StateOf(b.Observer)
}

// accelerationUpdate brings the acceleration of a target that was made a tick before up to date with the
// force of this tick (see CurrentForceUser). The zero value does nothing.
type accelerationUpdate struct {
	inverseMass []float64 // M⁻¹, 1/kg, by rows
	before      []float64 // the force of the step that made the target, N
}

func newAccelerationUpdate(c *Config) accelerationUpdate {
	m := c.AccelerationUpdate()
	if m == nil {
		return accelerationUpdate{}
	}
	return accelerationUpdate{m, make([]float64, c.InterfaceForces)}
}

// AccelerationUpdate is M⁻¹ of the interface coordinates, by rows, by which the loop brings the target's
// acceleration up to date with the force of the tick; nil where the loop does not.
func (c *Config) AccelerationUpdate() []float64 {
	user, ok := As[CurrentForceUser](c.Compensator)
	if !ok || !user.UsesCurrentForce() || c.Open || c.Timing.Target == Next || c.Integrator.Closing() {
		return nil
	}
	m, ok := c.Integrator.(Massive) // and not wrapped by another rate or another frame of reference
	if !ok || len(m.InverseMass()) != c.InterfaceForces*c.InterfaceForces {
		return nil
	}
	return m.InverseMass()
}

// apply is a ← a − M⁻¹ (f − f_before).
func (p *accelerationUpdate) apply(a, force []float64) {
	n := len(p.before)
	for i := range a {
		for j, f := range force {
			a[i] -= p.inverseMass[i*n+j] * (f - p.before[j])
		}
	}
	copy(p.before, force)
}
