package kit

import (
	"math"
	"testing"

	"rths"
)

// lagging is a plant that keeps every promise: a lag under a limit, with a spring.
type lagging struct {
	x     float64
	ideal bool
	ticks int
}

func (p *lagging) Step(now *rths.Reading, command []float64) {
	p.ticks++
	u, before := command[0], p.x
	if !p.ideal {
		u = min(max(u, -0.05), 0.05)
	}
	p.x += 0.1 * (u - p.x)
	now.X[0], now.F[0] = p.x, 1e5*p.x
	for i := range now.V {
		now.V[i] = p.x - before
	}
	for i := range now.A {
		now.A[i] = u - before
	}
}

func (p *lagging) Idealise(on bool)                { p.ideal = on }
func (p *lagging) VisitState(v *rths.StateVisitor) { v.Float(&p.x) }

// badPlant is the sound one with something done to each step.
type badPlant struct {
	lagging
	last  float64
	kept  []float64
	twice bool // idealised once too often
	do    func(p *badPlant, now *rths.Reading, command []float64)
}

func (p *badPlant) Step(now *rths.Reading, command []float64) {
	p.lagging.Step(now, command)
	p.do(p, now, command)
}

func (p *badPlant) Idealise(on bool) {
	p.lagging.Idealise(on)
	p.twice = true
}

func TestBadPlantsAreSeen(t *testing.T) {
	skipShort(t)
	for name, b := range map[string]struct {
		promises []string
		do       func(p *badPlant, now *rths.Reading, command []float64)
	}{
		"none": {nil, func(*badPlant, *rths.Reading, []float64) {}},
		"allocates after 8000 ticks": {[]string{NoAllocations}, func(p *badPlant, _ *rths.Reading, _ []float64) {
			if p.ticks == 8000 {
				heap = make([]float64, 3)
			}
		}},
		"allocates where it saturates": {[]string{NoAllocations}, func(_ *badPlant, now *rths.Reading, _ []float64) {
			if now.X[0] > 0.03 {
				heap = make([]float64, 3)
			}
		}},
		"changes the command": {[]string{InputsStay}, func(_ *badPlant, _ *rths.Reading, command []float64) {
			command[0] = min(command[0], 0.05)
		}},
		"keeps the reading": {[]string{NothingKept, Resumes}, func(p *badPlant, now *rths.Reading, _ []float64) {
			if p.kept != nil {
				p.kept[0] = 0
			}
			p.kept = now.X
		}},
		"forgets a register": {[]string{Resumes}, func(p *badPlant, now *rths.Reading, command []float64) {
			now.F[0] += p.last
			p.last = command[0]
		}},
		"needs room": {[]string{RoomAside}, func(p *badPlant, now *rths.Reading, _ []float64) {
			if len(now.V) == 0 {
				now.F[0]++
			}
		}},
		"is not at rest": {[]string{RestIsRest}, func(_ *badPlant, now *rths.Reading, command []float64) {
			if command[0] == 0 {
				now.F[0]++
			}
		}},
		"stays ideal": {[]string{IdealBack}, func(p *badPlant, now *rths.Reading, _ []float64) {
			if p.twice {
				now.F[0] *= 2
			}
		}},
		"rests on a package variable": {[]string{EqualBits}, func(_ *badPlant, now *rths.Reading, _ []float64) {
			global++
			now.F[0] += global
		}},
	} {
		t.Run(name, func(t *testing.T) {
			global = 0
			c := Plant{Axes: 1, Forces: 1, RateHz: 4096, Size: 0.01, Make: func() Stepper { return &badPlant{do: b.do} }}
			wantBroken(t, c.Broken(), b.promises...)
		})
	}
}

// stick is a specimen that keeps every promise: a spring in series with a slider.
type stick struct {
	memory float64
	commit func(z []float64, m *rths.Motion)
	do     func(s *stick, dz, force, z []float64, m *rths.Motion)
}

func (*stick) Mass() float64 { return 1 }
func (*stick) States() int   { return 1 }

func (s *stick) Rate(dz, force, z []float64, m *rths.Motion) {
	dz[0], force[0] = m.V[0], 1e5*(m.X[0]-z[0])
	if s.do != nil {
		s.do(s, dz, force, z, m)
	}
}

func (s *stick) Commit(z []float64, m *rths.Motion) {
	z[0] = m.X[0] - min(max(m.X[0]-z[0], -1e-3), 1e-3)
	if s.commit != nil {
		s.commit(z, m)
	}
}

func TestBadSpecimensAreSeen(t *testing.T) {
	skipShort(t)
	for name, b := range map[string]struct {
		promises []string
		s        stick
	}{
		"none": {nil, stick{}},
		"allocates in large motion": {[]string{NoAllocations}, stick{do: func(_ *stick, _, _, _ []float64, m *rths.Motion) {
			if m.X[0] > 0.1 {
				heap = make([]float64, 3)
			}
		}}},
		"remembers its last call": {[]string{Resumes, RateIsPure},
			stick{do: func(s *stick, _, force, _ []float64, m *rths.Motion) {
				force[0] += s.memory
				s.memory = m.X[0]
			}}},
		"changes the states": {[]string{InputsStay},
			stick{do: func(_ *stick, _, _, z []float64, _ *rths.Motion) { z[0] = 0 }}},
		"looks at the acceleration": {[]string{BlindToA}, stick{do: func(_ *stick, _, force, _ []float64, m *rths.Motion) {
			force[0] += m.A[0]
		}}},
		"pushes at rest": {[]string{RateAtRest},
			stick{do: func(_ *stick, _, force, _ []float64, _ *rths.Motion) { force[0]++ }}},
		"adds to its rates": {[]string{Filled, RateAtRest}, stick{do: func(_ *stick, dz, _, _ []float64, _ *rths.Motion) {
			dz[0] = math.Inf(1)
		}}},
		"commits by allocating": {[]string{CommitsOnce},
			stick{commit: func([]float64, *rths.Motion) { heap = make([]float64, 3) }}},
		"commits into the motion": {[]string{CommitsOnce}, stick{commit: func(_ []float64, m *rths.Motion) { m.X[0] = 0 }}},
	} {
		t.Run(name, func(t *testing.T) {
			global = 0
			wantBroken(t, Specimen(1e-3, func() Rates { s := b.s; return &s }), b.promises...)
		})
	}
}

// beam is a coupler of two axes that keeps every promise, if turn is 0.
type beam struct{ turn, rest float64 }

func (b *beam) Axes(axes, iface *rths.Motion) {
	for _, m := range [3][2][]float64{{axes.X, iface.X}, {axes.V, iface.V}, {axes.A, iface.A}} {
		m[0][0], m[0][1] = m[1][0]+m[1][1]+b.rest, m[1][0]-m[1][1]
	}
}

func (b *beam) Interface(iface, axes *rths.Reading) {
	iface.X[0], iface.X[1] = (axes.X[0]+axes.X[1]-b.rest)/2, (axes.X[0]-axes.X[1]-b.rest)/2*(1+b.turn)
	copy(iface.F, axes.F)
}

func TestBadCouplersAreSeen(t *testing.T) {
	broken := func(b beam) []Broken { return Coupler(2, 3, 0.05, func() rths.Coupler { return &b }) }
	wantBroken(t, broken(beam{}))
	wantBroken(t, broken(beam{turn: 1e-9}), ThereBack)
	wantBroken(t, broken(beam{rest: 1e-3}), RestIsRest)
}

// badRig is a plant with readings of the tick before, with something done to each of them.
type badRig struct {
	lagging
	last float64
	do   func(r *badRig, read *rths.Reading)
}

func (r *badRig) Read(read *rths.Reading) error {
	read.X[0], read.F[0] = r.x, 2*r.x
	copy(read.TrueX, read.X)
	copy(read.TrueF, read.F)
	r.do(r, read)
	return nil
}

func (r *badRig) Write(command []float64) error {
	now := rths.Reading{Motion: rths.Motion{X: r.one(0)}, F: r.one(1)}
	r.lagging.Step(&now, command)
	return nil
}

// one is room for a number.
func (r *badRig) one(i int) []float64 { return rooms[i : i+1] }

var rooms [2]float64

func TestBadRigsAreSeen(t *testing.T) {
	skipShort(t)
	for name, b := range map[string]struct {
		promises []string
		do       func(r *badRig, read *rths.Reading)
	}{
		"none": {nil, func(*badRig, *rths.Reading) {}},
		"allocates after 8000 ticks": {[]string{NoAllocations}, func(r *badRig, _ *rths.Reading) {
			if r.ticks == 8000 {
				heap = make([]float64, 3)
			}
		}},
		"forgets a register": {[]string{Resumes}, func(r *badRig, read *rths.Reading) {
			read.X[0] += r.last
			r.last = r.x
		}},
		"gives no truth": {[]string{Filled}, func(_ *badRig, read *rths.Reading) { poison(read.TrueF) }},
		"measures less without truth": {[]string{NeedsNoTruth}, func(_ *badRig, read *rths.Reading) {
			if len(read.TrueX) == 0 {
				read.F[0] *= 0.5
			}
		}},
		"counts all readings": {[]string{EqualBits}, func(_ *badRig, read *rths.Reading) {
			global++
			read.Age = int(global)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			global = 0
			c := Rig{Axes: 1, Forces: 1, RateHz: 4096, Size: 0.01, Make: func() rths.Rig { return &badRig{do: b.do} }}
			wantBroken(t, c.Broken(), b.promises...)
		})
	}
}
