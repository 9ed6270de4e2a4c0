package rths

// pacedObserver shows an observer a frame for each step of the numerical part of a Pacer.
type pacedObserver struct {
	Observer
	from      Pacer
	coupled   bool
	corrected bool // the integrator's own force counts
	frame     Frame
}

// pace is the observer of steps, if the integrator is a Pacer.
func (l *Loop) pace(o Observer) Observer {
	if l.pacer == nil {
		return o
	}
	p := &pacedObserver{Observer: o, from: l.pacer, coupled: l.c.Coupler != nil, frame: l.frame}
	if c, ok := As[ForceCorrector](l.c.Integrator); ok {
		p.corrected = c.Corrected() != nil
	}
	p.frame.InterfaceTarget.X = make([]float64, l.c.InterfaceAxes)
	return p
}

// Unwrap is the observer.
func (p *pacedObserver) Unwrap() any { return p.Observer }

// Observe shows the frame of a step that begins.
func (p *pacedObserver) Observe(f *Frame) {
	step, ok := p.from.Began()
	if f.Err != nil || !ok {
		return
	}
	g := &p.frame
	reached := g.InterfaceTarget.X
	copy(reached, step.Target)
	*g = *f
	g.K, g.T, g.TargetK = step.K, step.T, step.K
	if !p.corrected {
		g.Force = step.Felt.F
	}
	g.InterfaceTarget = Motion{X: reached}
	g.InterfaceRead.X, g.InterfaceRead.F = step.Felt.X, step.Felt.F
	if !p.coupled {
		g.Target, g.Desired, g.Read = g.InterfaceTarget, reached, g.InterfaceRead
	}
	p.Observer.Observe(g)
}

// VisitState visits the state of the observer.
func (p *pacedObserver) VisitState(v *StateVisitor) { v.StateOf(p.Observer) }
