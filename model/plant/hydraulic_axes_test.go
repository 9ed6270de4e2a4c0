package plant

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rths"
	"rths/kit/rthstest"
	"rths/maths/lti"
	"rths/model/rigidbody"
)

// hydraulicsOn is the plant at 4096 Hz, with errors so small that steps of other lengths do not show.
func hydraulicsOn(t testing.TB, load Specimen, of ...Hydraulic) *hydraulicAxes {
	t.Helper()
	all := &Actuators{}
	for i := range of {
		all.Each = append(all.Each, &of[i])
	}
	return rthstest.Must(all.Make(At{RateHz: rate, Specimen: load})).(*hydraulicAxes)
}

// exactly makes steps so short that others do not show.
func (e *embedded) exactly() { e.tolerance, e.allowed, e.longest = 1e-9, 1<<30, 1./rate/8 }

// pairedHydraulics are two actuators of two sizes; the second has what an actuator has besides.
func pairedHydraulics() []Hydraulic {
	a, b := hydraulic25, hydraulic250
	b.FrameStiffness, b.FrameMass, b.FrameDamping = 1e9, 2000, 0.02
	b.ClevisStiffness, b.ClevisDamping, b.ClevisPlay = 3e8, 3e4, 0.05
	b.RodArea, b.Overlap, b.PumpFlow, b.Accumulator = 0.7*b.PistonArea, 0.01, 100, 5
	return []Hydraulic{a, b}
}

// driven are commands of actuators, sums of sines of a part of their strokes.
func driven(ticks int, part float64, of ...Hydraulic) (out [][]float64) {
	for k := range ticks {
		at := 2 * math.Pi * float64(k) / rate
		u := make([]float64, len(of))
		for i, p := range of {
			u[i] = part * p.Stroke * (math.Sin((2+float64(i))*at) + 0.1*math.Sin((11-float64(i))*at))
		}
		out = append(out, u)
	}
	return out
}

// Actuators with a specimen each, which do not touch, are as many single ones, with inner controllers of any rates.
func TestHydraulicAxesThatDoNotTouch(t *testing.T) {
	yielding := rthstest.Must((&Bilinear{Stiffness: 4e6, PostStiffness: 4e5, YieldDisplacement: 5e-3, Damping: 2e4,
		Mass: 900}).Make())
	maxwell := rthstest.Must((&Maxwell{Stiffness: 1e6, Damping: 2e4, Exponent: 1, Mass: 90}).Make())
	sampled := pairedHydraulics()
	sampled[0].ControllerRate, sampled[1].ControllerRate, sampled[1].IntegralGain = 2*rate, 3*rate, 50
	for name, pair := range map[string][]Hydraulic{"continuous": pairedHydraulics(), "sampled": sampled} {
		for kind, on := range map[string][2]Specimen{"linear": {&linear{m: 90, c: 2e3, k: 4e5}, &linear{m: 900, c: 2e4, k: 4e6}},
			"states and a return map": {maxwell, yielding}} {
			commands := driven(rate/4, 0.2, pair...)
			both := hydraulicsOn(t, assemblyOf(t, [][]float64{{1, 0}, {0, 1}}, on[0], on[1]), pair...)
			both.exactly()
			got := moved(both, commands)
			for i := range pair {
				one := hydraulicOn(t, pair[i], on[i])
				one.exactly()
				var own []float64
				for _, u := range commands {
					own = append(own, u[i])
				}
				want := drive(one, own)
				x, f := apart(column(got, i), want.x)/peak(want.x), apart(column(got, 6+i), want.f)/peak(want.f)
				t.Logf("%s, %s, actuator %d: %.2g of the displacement, %.2g of the force", name, kind, i+1, x, f)
				if !(x <= 1e-9) || !(f <= 1e-7) {
					t.Errorf("%s, %s, actuator %d: %.2g of the displacement and %.2g of the force from a single one: want 1e-9 and 1e-7",
						name, kind, i+1, x, f)
				}
				for s, c := range one.Channels()[:4] {
					if now := *both.Channels()[5*i+s].V; !(math.Abs(now-*c.V) <= 1e-6*max(1, math.Abs(*c.V))) {
						t.Errorf("%s, %s: %s is %g: want %g", name, kind, both.Channels()[5*i+s].Name, now, *c.V)
					}
				}
			}
		}
	}
}

// Two equal actuators on a supply of twice the size, which do the same, are one on its own; on a supply of one's size
// they have less.
func TestHydraulicAxesShareASupply(t *testing.T) {
	one := hydraulic250
	one.PumpFlow, one.Accumulator = 40, 10
	two := one
	two.Line, two.PumpFlow, two.Accumulator = "hall", 80, 20
	small := one
	small.Line = "hall"
	load := func() Specimen { return &linear{m: 900, c: 2e4, k: 4e6} }
	g := [][]float64{{1, 0}, {0, 1}}
	alone, both := hydraulicOn(t, one, load()), hydraulicsOn(t, assemblyOf(t, g, load(), load()), two, two)
	less := hydraulicsOn(t, assemblyOf(t, g, load(), load()), small, small)
	var now, pair, third = rths.NewReading(1, 1), rths.NewReading(2, 2), rths.NewReading(2, 2)
	lowest, least := 210.0, 210.0
	commands := driven(rate, 0.15, one)
	for k := range commands {
		u := commands[k][0]
		alone.Step(&now, []float64{u})
		both.Step(&pair, []float64{u, u})
		less.Step(&third, []float64{u, u})
		for _, c := range both.all {
			if !(math.Abs(c.shown.Supply-alone.shown.Supply) <= 1e-5) || !(math.Abs(c.shown.Flow-alone.shown.Flow) <= 1e-3) {
				t.Fatalf("tick %d: %.9g bar and %g l/min: want %.9g and %g", k, c.shown.Supply, c.shown.Flow, alone.shown.Supply,
					alone.shown.Flow)
			}
		}
		lowest, least = min(lowest, alone.shown.Supply), min(least, less.all[1].shown.Supply)
	}
	if t.Logf("%g and %g bar at least", lowest, least); lowest > 200 || least < 140 || !(least < lowest-10) {
		t.Errorf("the pressures fall to %g bar, and to %g bar on half the supply: want less than 200, and less still", lowest, least)
	}
}

// hydraulicLoads are coupled loads of actuators, and their bodies.
func hydraulicLoads(t *testing.T) map[string]struct {
	load *Assembly
	of   []Hydraulic
} {
	shared := pairedHydraulics()
	for i := range shared {
		shared[i].Line, shared[i].SupplyPressure, shared[i].PumpFlow, shared[i].Accumulator = "hall", 210, 60, 3
	}
	three := []Hydraulic{hydraulic25, hydraulic25, hydraulic25}
	three[1].ClevisStiffness, three[1].ClevisDamping = 1e8, 1e4
	three[2].RodArea = 9
	for i := range three {
		three[i].Line = "hall"
	}
	p := RigidBody{Coordinates: []string{"x", "y", "rz"}, Actuators: []RigidActuator{
		{RigidLink: RigidLink{Base: []float64{-1, 0.3}, Pin: []float64{0, 0.3}}},
		{RigidLink: RigidLink{Base: []float64{-1, -0.3}, Pin: []float64{0, -0.3}}},
		{RigidLink: RigidLink{Base: []float64{0.4, -1}, Pin: []float64{0.4, 0}}}},
		Platform: &Platform{Mass: 400, Centre: []float64{0.1, 0.2}, Inertia: []float64{30}, Gravity: []float64{0, -9.81}}}
	body, platform := rthstest.Must(p.Body()), rthstest.Must(p.OwnMass())
	rows := mat.NewDense(4, 3, []float64{1, 0, 0.4, 0, 1, 0.1, 0.1, 0, 1, -1, 1, 0})
	springs := []Specimen{&linear{m: 90, c: 2e3, k: 4e5}, &linear{m: 60, c: 2e3, k: 4e5}, &linear{m: 20, c: 3e2, k: 1e5},
		&linear{m: 10, c: 2e2, k: 2e5}}
	return map[string]struct {
		load *Assembly
		of   []Hydraulic
	}{
		"a spring between": {assemblyOf(t, [][]float64{{1, 0}, {0, 1}, {-1, 1}}, &linear{m: 90, c: 2e3, k: 4e5},
			&linear{m: 900, c: 2e4, k: 4e6}, &linear{m: 40, c: 3e3, k: 1e6}), shared},
		"a body with a platform": {rthstest.Must(NewAssemblyOn(body, platform, springs, rows)), three},
	}
}

// The pumps' work of half a second is on the load, lost or stored, and that on the load is in masses, springs and weight,
// or lost in dashpots: of actuators that share a supply and specimens, and of a body that turns.
func TestHydraulicAxesEnergy(t *testing.T) {
	for name, c := range hydraulicLoads(t) {
		p := hydraulicsOn(t, c.load, c.of...)
		l := newLedger(p, p.y)
		l.turns = func(before, after []float64) bool { return p.all[0].turns(before, after) }
		l.powers = func(dy, y []float64) (w [workAccounts]float64) {
			used := 0.0
			for i, c := range p.all {
				one, q := c.powers(p.own(dy, i), p.own(y, i), p.own(y, p.on[i]), p.x.V[i])
				for j, of := range one {
					w[j] += of
				}
				used += q
			}
			w[pumped] = p.all[0].pumping(y, used)
			for j := range p.load.parts {
				s := p.load.parts[j].Specimen.(*linear)
				p.load.parts[j].deformed(&p.load.at, &p.q)
				w[inLoad] += s.c * p.load.at.V[0] * p.load.at.V[0]
			}
			return w
		}
		stored := func() (inside, outside float64) {
			p.rate(l.k, l.y)
			inside = p.all[0].gases(l.y)
			for i, c := range p.all {
				inside += c.stored(p.own(l.y, i), p.x.X[i], p.x.V[i])
			}
			for j := range p.load.parts {
				s := p.load.parts[j].Specimen.(*linear)
				p.load.parts[j].deformed(&p.load.at, &p.q)
				x, v := p.load.at.X[0], p.load.at.V[0]
				outside += (s.m*v*v + s.k*x*x) / 2
			}
			if c := p.load.carrying(); c != nil {
				outside += carriedEnergy(c, &p.q, p.x.X)
			}
			return inside, outside
		}
		inside, outside := stored()
		for _, u := range driven(rate/2, 0.4, c.of...) {
			for i, c := range p.all {
				c.take(u[i])
			}
			for range 32 {
				l.step(p.h/32, 200)
			}
		}
		in, out := stored()
		w := l.work
		left, lost := w[pumped]-(in-inside), w[onLoad]-(out-outside)-w[inLoad]
		for j := onLoad; j < inLoad; j++ {
			left -= w[j]
		}
		t.Logf("%s: of %.4g J by the pumps %.4g on the load, %.4g of it in dashpots, %.3g in its springs and masses: left %.2g and "+
			"%.2g", name, w[pumped], w[onLoad], w[inLoad], out-outside, left/w[pumped], lost/w[onLoad])
		if !(math.Abs(left) <= 1e-5*w[pumped]) || !(math.Abs(lost) <= 1e-5*w[onLoad]) || !(w[onLoad] > 0) {
			t.Errorf("%s: %.3g J of %.3g J of the pumps are nowhere, and %.3g J of %.3g J on the load", name, left, w[pumped], lost,
				w[onLoad])
		}
	}
}

// carriedEnergy is the energy of a platform in a plane, less the work of forces that carry it at rest.
func carriedEnergy(c *carried, q *rths.Motion, x []float64) (e float64) {
	of := c.platform
	sin, cos := math.Sincos(q.X[2])
	rx, ry := cos*of.Centre[0]-sin*of.Centre[1], sin*of.Centre[0]+cos*of.Centre[1]
	vx, vy := q.V[0]-q.V[2]*ry, q.V[1]+q.V[2]*rx
	e = of.Mass*(vx*vx+vy*vy)/2 + of.Inertia[2][2]*q.V[2]*q.V[2]/2
	e -= of.Mass * of.Gravity[1] * (q.X[1] + ry - of.Centre[1])
	for i, f := range c.rest {
		e -= f * x[i]
	}
	return e
}

// A body under actuators that do not turn is the assembly of its deformations: B J⁻¹ in place of G.
func TestHydraulicAxesUnderABodyThatDoesNotTurn(t *testing.T) {
	p := RigidBody{Coordinates: []string{"x", "y"}, Actuators: []RigidActuator{
		{RigidLink: RigidLink{Direction: []float64{1, 0.2}, Pin: []float64{0, 0}}},
		{RigidLink: RigidLink{Direction: []float64{-0.5, 1}, Pin: []float64{0, 0}}}}}
	body := rthstest.Must(p.Body())
	rows := mat.NewDense(3, 2, []float64{1, 0.1, 0, 1, 1, -1})
	yielding := rthstest.Must((&Bilinear{Stiffness: 4e5, PostStiffness: 4e4, YieldDisplacement: 5e-3, Damping: 2e3, Mass: 90}).Make())
	springs := []Specimen{&linear{m: 90, c: 2e3, k: 4e5}, yielding, &linear{m: 10, c: 200, k: 2e5}}
	var inv, g mat.Dense
	if err := inv.Inverse(body.Jacobian(make([]float64, 2), 2)); err != nil {
		t.Fatal(err)
	}
	g.Mul(rows, &inv)
	of := []Hydraulic{hydraulic25, hydraulic25}
	commands := driven(rate/4, 0.2, of...)
	var runs [2][][]float64
	for i, load := range []*Assembly{rthstest.Must(NewAssemblyOn(body, nil, springs, rows)), rthstest.Must(NewAssembly(springs, &g))} {
		plant := hydraulicsOn(t, load, of...)
		plant.exactly()
		runs[i] = moved(plant, commands)
	}
	nearRows(t, "body", runs[0], runs[1], 1e-7)
}

// Two bodies side by side, between which no specimen stands, are two plants.
func TestHydraulicAxesUnderTwoBodies(t *testing.T) {
	slabs := []*RigidBody{slab(), slab()}
	slabs[1].Actuators[0].Base[0] -= 0.2
	of, rows := []Hydraulic{hydraulic25, hydraulic25}, mat.NewDense(2, 2, []float64{1, 0.02, 0.1, 1})
	springs := func() []Specimen { return []Specimen{&linear{m: 90, c: 2e3, k: 4e5}, &linear{m: 5, c: 50, k: 3e3}} }
	var bodies rigidbody.Bodies
	both := mat.NewDense(4, 4, nil)
	for i, s := range slabs {
		bodies = append(bodies, rthstest.Must(s.Body()))
		both.Slice(2*i, 2*i+2, 2*i, 2*i+2).(*mat.Dense).Copy(rows)
	}
	commands := driven(rate/8, 0.05, hydraulic25, hydraulic25, hydraulic25, hydraulic25)
	together := hydraulicsOn(t, rthstest.Must(NewAssemblyOn(bodies, nil, append(springs(), springs()...), both)),
		append(of, of...)...)
	together.exactly()
	got := moved(together, commands)
	for i, s := range slabs {
		alone := hydraulicsOn(t, rthstest.Must(NewAssemblyOn(rthstest.Must(s.Body()), nil, springs(), rows)), of...)
		alone.exactly()
		var own, mine [][]float64
		for k, u := range commands {
			own = append(own, u[2*i:2*i+2])
			row := got[k]
			mine = append(mine, slices.Concat(row[2*i:2*i+2], row[4+2*i:6+2*i], row[8+2*i:10+2*i], row[12+2*i:14+2*i]))
		}
		nearRows(t, fmt.Sprint("body ", i+1), mine, moved(alone, own), 1e-6)
	}
}

// In small motion the idealised plant is its model, also of a body at rest.
func TestHydraulicAxesModelInSmallMotion(t *testing.T) {
	for name, c := range hydraulicLoads(t) {
		all := &Actuators{}
		for i := range c.of {
			c.of[i].RodArea = 0 // its edges' gains are not those of the model
			all.Each = append(all.Each, &c.of[i])
		}
		p, n := hydraulicsOn(t, c.load, c.of...), len(c.of)
		for _, c := range p.all {
			c.carry(0) // as above
		}
		p.Idealise(true)
		m := rthstest.Must(lti.C2D(rthstest.Must(all.Model(AtRest(c.load))).SS, 1./rate, lti.ZOH))
		states, _ := m.A.Dims()
		u := driven(rate/2, 1e-6, c.of...)
		got, want := moved(p, u), make([][]float64, len(u))
		z, next, in, out := mat.NewVecDense(states, nil), mat.NewVecDense(states, nil), mat.NewVecDense(states, nil),
			mat.NewVecDense(2*n, nil)
		for k := range u {
			next.MulVec(m.A, z)
			in.MulVec(m.B, mat.NewVecDense(n, u[k]))
			next.AddVec(next, in)
			z, next = next, z
			out.MulVec(m.C, z)
			want[k] = slices.Clone(out.RawVector().Data)
			got[k] = append(got[k][:n:n], got[k][3*n:]...)
		}
		nearRows(t, name, got, want, 1e-4)
	}
}

// A Step allocates nothing, and a checkpoint and promises of the kit are those of any plant.
func TestHydraulicAxesPromises(t *testing.T) {
	for name, c := range hydraulicLoads(t) {
		c.of[1].ControllerRate = 2 * rate
		made := func() *hydraulicAxes { return hydraulicsOn(t, c.load, c.of...) }
		n := len(c.of)
		kit := &rthstest.Plant{Axes: n, Forces: n, RateHz: rate, Size: 1e-2, Ticks: rthstest.Draws(100, 1000),
			Make: func() rthstest.Stepper { return made() }}
		for _, b := range kit.Broken() {
			t.Errorf("%s: %s", name, b)
		}
		p, k, u := made(), 0, driven(rate, 0.3, c.of...)
		now := rths.NewReading(n, n)
		step := func() {
			p.Step(&now, u[k%rate])
			k++
		}
		if allocations := testing.AllocsPerRun(rate, step); allocations != 0 {
			t.Errorf("%s: %g allocations in a step", name, allocations)
		}
		if t.Logf("%s: %d of %d evaluations at most", name, p.worst, p.allowed); p.bounded != 0 {
			t.Errorf("%s: %d calls wanted more evaluations: want none", name, p.bounded)
		}
	}
}

func TestHydraulicAxesErrors(t *testing.T) {
	soft := func(m float64) *linear { return &linear{m: m, c: 2e3, k: 1e5} }
	for _, c := range []struct {
		set  func(a, b *Hydraulic)
		want string
	}{
		{func(a, _ *Hydraulic) { a.SupplyPressure = 0 }, "actuator 1: servo-hydraulic-nonlinear transfer system: supply_pressure_bar 0"},
		{func(a, b *Hydraulic) { a.Line, b.Line, b.Accumulator = "hall", "hall", 21 },
			`actuator 2: servo-hydraulic-nonlinear transfer system: accumulator_l 21, and 20 of actuator 1 on the same supply "hall": ` +
				"want the same number, or another supply"},
		{func(a, b *Hydraulic) { a.Line, b.Line, b.SupplyPressure = "hall", "hall", 205 }, "supply_pressure_bar 205, and 210"},
		{func(_, b *Hydraulic) { b.ControllerRate = 6144 }, "actuator 2: servo-hydraulic-nonlinear transfer system: controller_rate_hz 6144"},
		{func(a, b *Hydraulic) { a.ControllerRate, b.ControllerRate = 11*rate, 7*rate },
			"controller_rate_hz 28672 of actuator 2 with those before: they meet in parts of a sample of the test so small that it has " +
				"77: want at most 60"},
		{func(_, b *Hydraulic) { b.ValveHz = 2100 }, "actuator 2: servo-hydraulic-nonlinear transfer system: valve_hz 2100"},
		{func(_, b *Hydraulic) { b.ProportionalGain = 6000 }, "unstable with this specimen"},
		{func(_, b *Hydraulic) { b.ClevisStiffness = 1e8 }, "a motion of the actuators moves no mass"},
	} {
		a, b := hydraulic250, hydraulic250
		c.set(&a, &b)
		_, err := (&Actuators{[]TransferMaker{&a, &b}}).Make(At{RateHz: rate, Specimen: assemblyOf(t,
			[][]float64{{1, 0}, {0, 1}}, soft(900), soft(0))})
		rthstest.WantError(t, err, c.want)
	}
	a, silva := hydraulic25, silvaCode
	_, err := (&Actuators{[]TransferMaker{&a, &silva}}).Make(At{RateHz: rate, Specimen: soft(90)})
	rthstest.WantError(t, err, "actuator 2 feels its specimen, and actuator 1 is hydraulic as built: want transfer systems of one sort")
	load := hydraulicLoads(t)["a body with a platform"].load
	for want, set := range map[string]func(a *Hydraulic){
		"actuator 1: servo-hydraulic-nonlinear transfer system: valve_overlap below 0 under a platform": func(a *Hydraulic) { a.Overlap = -0.01 },
		"N of the platform at rest, and the supply": func(a *Hydraulic) {
			a.PistonArea, a.Stroke = 0.2, 0
		},
	} {
		a := hydraulic25
		set(&a)
		_, err := (&Actuators{[]TransferMaker{&a, &a, &a}}).Make(At{RateHz: rate, Specimen: load})
		rthstest.WantError(t, err, want)
	}
}
