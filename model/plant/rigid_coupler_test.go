package plant

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rths"
	"rths/kit/rthstest"
)

// arm is an actuator by numbers of its base and its pin.
func arm(bx, by, px, py float64) RigidActuator {
	return RigidActuator{RigidLink: RigidLink{Base: []float64{bx, by}, Pin: []float64{px, py}}}
}

// slab is held by two actuators, whose directions turn.
func slab() *RigidBody {
	return &RigidBody{Coordinates: []string{"x", "rz"}, Actuators: []RigidActuator{arm(-0.1, 0.03, -0.02, 0.05),
		arm(-0.15, -0.04, -0.01, -0.03)}}
}

// Actuators that do not turn, on a body that does not either, are a linear coupler.
func TestBodyThatDoesNotTurn(t *testing.T) {
	p := &RigidBody{Coordinates: []string{"x", "y"}, Actuators: []RigidActuator{
		{RigidLink: RigidLink{Direction: []float64{3, 1}, Pin: []float64{0.2, 0.3}}},
		{RigidLink: RigidLink{Direction: []float64{-1, 2}, Pin: []float64{0.1, 0}}}}}
	lever := rthstest.Must(p.Lever())
	b := mat.NewDense(2, 2, []float64{1, 0.3, -0.2, 1})
	var inv, g mat.Dense
	if err := inv.Inverse(lever); err != nil {
		t.Fatal(err)
	}
	g.Mul(b, &inv)
	yielding := rthstest.Must((&Bilinear{Stiffness: 4e4, PostStiffness: 4e3, YieldDisplacement: 4e-4, Damping: 2e3,
		Mass: 15}).Make())
	specimens := []Specimen{&bendy{linear{m: 10, c: 1700, k: 4e4}}, yielding}
	for name, team := range teams() {
		commands := wandering(600)
		straight := rthstest.Must((&Actuators{team}).Make(At{RateHz: rate, Specimen: rthstest.Must(NewAssembly(specimens, &g))}))
		body := rthstest.Must((&Actuators{team}).Make(At{RateHz: rate,
			Specimen: rthstest.Must(NewAssemblyOn(rthstest.Must(p.Body()), nil, specimens, b))}))
		nearRows(t, name, moved(body, commands), moved(straight, commands), 1e-9)
	}
}

// What the actuators feel is what the specimens need, in every pose: Jᵀ F = Bᵀ (m ë + c ė + k e). Rotations reach 0.1 rad,
// over which the actuators turn as much.
func TestBodyInLargeMotion(t *testing.T) {
	p := slab()
	b := mat.NewDense(2, 2, []float64{1, 0.02, 0.1, 1})
	springs := []linear{{m: 10, c: 1700, k: 4e4}, {m: 0.02, c: 2, k: 30}}
	for name, team := range teams() {
		if name == "feeling, a limit" {
			continue // its limit is not for forces of this size
		}
		body := rthstest.Must(p.Body())
		plant := rthstest.Must((&Actuators{team}).Make(At{RateHz: rate,
			Specimen: rthstest.Must(NewAssemblyOn(rthstest.Must(p.Body()), nil, []Specimen{&springs[0], &springs[1]}, b))}))
		now := rths.Reading{Motion: rths.NewMotion(2), F: make([]float64, 2)}
		q, held := rths.NewMotion(2), make([]float64, 2)
		most, worst, turned := 0.0, 0.0, 0.0
		for _, u := range wandering(1200) {
			plant.Step(&now, []float64{2 * u[0], 2 * u[1]})
			if off := body.Find(q.X, now.X); !(off < 1e-12) || !body.Motion(q.V, q.A, q.X, now.V, now.A) {
				t.Fatalf("%s: no pose at %g", name, now.X)
			}
			body.Forces(held, now.F, q.X)
			want := make([]float64, 2)
			for i, s := range springs {
				e, de, dde := mat.Dot(b.RowView(i), vec(q.X)), mat.Dot(b.RowView(i), vec(q.V)), mat.Dot(b.RowView(i), vec(q.A))
				f := s.m*dde + s.c*de + s.k*e
				for j := range want {
					want[j] += b.At(i, j) * f
				}
			}
			for j := range want {
				most, worst = max(most, math.Abs(want[j])), max(worst, math.Abs(held[j]-want[j]))
			}
			turned = max(turned, math.Abs(q.X[1]))
		}
		if !(worst <= 1e-9*most) || turned < 0.05 {
			t.Errorf("%s: forces are %.3g of %.3g N apart, turned by %.2g rad: want equal forces, and 0.05 rad", name, worst, most,
				turned)
		}
	}
}

func vec(x []float64) mat.Vector { return mat.NewVecDense(len(x), x) }

// In small motion an assembly on a body is the linear one, and a platform linear specimens: its mass in their place, and
// its weight as a spring.
func TestBodyAtRest(t *testing.T) {
	b := mat.NewDense(2, 2, []float64{1, 0.02, 0.1, 1})
	specimens := []Specimen{&linear{m: 10, c: 1700, k: 4e4}, &linear{m: 0.02, c: 2, k: 30}}
	var small [][]float64
	for _, u := range wandering(600) {
		small = append(small, []float64{1e-5 * u[0], 1e-5 * u[1]})
	}
	for what, on := range map[string]*Assembly{"a body": rthstest.Must(NewAssemblyOn(rthstest.Must(slab().Body()), nil,
		specimens, b)), "a platform": onHeavy(specimens...)} {
		rest := AtRest(on).(*Assembly)
		for name, team := range teams() {
			made := func(s Specimen) [][]float64 {
				return moved(rthstest.Must((&Actuators{team}).Make(At{RateHz: rate, Specimen: s})), small)
			}
			nearRows(t, what+", "+name, made(on), made(rest), 1e-5)
		}
	}
}

// A coupler whose lengths no pose has says so, and keeps the pose.
func TestNoPose(t *testing.T) {
	c := rthstest.Must(slab().Make(rate))
	axes, iface := rths.NewReading(2, 2), rths.NewReading(2, 2)
	target := rths.NewMotion(2)
	c.Axes(&target, &rths.Motion{X: []float64{1e-3, 0.01}})
	copy(axes.X, target.X)
	failer := c.(rths.Failer)
	if c.Interface(&iface, &axes); failer.Err() != nil || math.Abs(iface.X[1]-0.01) > 1e-13 {
		t.Fatalf("pose %g, %v: want 1e-3, 0.01", iface.X, failer.Err())
	}
	before := [2]float64(iface.X)
	for _, bad := range [][]float64{{-0.2, 0.3}, {math.NaN(), 0}, {1, -1}} {
		copy(axes.X, bad)
		c.Interface(&iface, &axes)
		var none *NoPose
		if !errors.As(failer.Err(), &none) || fmt.Sprint(none.X) != fmt.Sprint(bad) || !rths.Finite(iface.X[0]) ||
			math.Hypot(iface.X[0]-before[0], iface.X[1]-before[1]) > 1e-12 {
			t.Errorf("%g: pose %g, %v: want no pose", bad, iface.X, failer.Err())
		}
		copy(axes.X, target.X)
		for range 5 {
			c.Interface(&iface, &axes)
		}
		if failer.Err() != nil || math.Abs(iface.X[1]-0.01) > 1e-12 {
			t.Errorf("after %g: pose %g, %v: want the one before", bad, iface.X, failer.Err())
		}
	}
}

// Axes of the structure that are turned against those of the points: the geometry is the same.
func TestTurnedAxes(t *testing.T) {
	straight := &RigidBody{Coordinates: []string{"x", "y", "rz"}, Node: []float64{0.3, 0.1}, Actuators: []RigidActuator{
		arm(-2, 0.5, -0.3, 0.4), arm(-2, -0.5, -0.3, -0.6), arm(0.2, -3, 0.1, -0.7)}}
	turned := *straight
	turned.Turned = []float64{0, 0, 30}
	a, b := rthstest.Must(straight.Body()), rthstest.Must(turned.Body())
	sin, cos := math.Sincos(math.Pi / 6)
	x, y := make([]float64, 3), make([]float64, 3)
	a.Elongations(x, []float64{0.01, 0.02, 0.1})
	b.Elongations(y, []float64{cos*0.01 + sin*0.02, -sin*0.01 + cos*0.02, 0.1})
	for i := range x {
		rthstest.Near(t, "elongation", y[i], x[i], 1e-15)
	}
}

func TestWrongBodies(t *testing.T) {
	held := func(change func(p *RigidBody)) error {
		p := slab()
		change(p)
		_, err := p.Make(rate)
		return err
	}
	for want, change := range map[string]func(p *RigidBody){
		`coordinates[2] is "theta": want each of x, y, z, rx, ry, rz at most once`: func(p *RigidBody) { p.Coordinates[1] = "theta" },
		`coordinates[2] is "x": want each of`:                                      func(p *RigidBody) { p.Coordinates[1] = "x" },
		"2 actuators for 3 coordinates: want as many":                              func(p *RigidBody) { p.Coordinates = []string{"x", "y", "rz"} },
		"actuator 2: pin_m has 1 numbers: want x, y, z (or x, y":                   func(p *RigidBody) { p.Actuators[1].Pin = []float64{1} },
		"actuator 2: want pin_m, and base_m or direction":                          func(p *RigidBody) { p.Actuators[1].Base = nil },
		"actuator 1: direction is zero":                                            func(p *RigidBody) { p.Actuators[0].Base, p.Actuators[0].Direction = nil, []float64{0, 0} },
		"actuator 1: base_m and pin_m are 0 m apart: want its base":                func(p *RigidBody) { p.Actuators[0].Base = p.Actuators[0].Pin },
		"the actuators leave the body free to move along 1 rz":                     func(p *RigidBody) { p.Actuators[0], p.Actuators[1] = arm(-1, 0, 0, 0), arm(1, 0, 0, 0) },
		"actuator 1 is 0.01 m from the middle of its stroke":                       func(p *RigidBody) { p.Actuators[0].ZeroLength, p.Actuators[0].Stroke = 0.0724621125, 0.005 },
		"actuator 2: stroke_m -1, zero_length_m 0: want lengths of 0":              func(p *RigidBody) { p.Actuators[1].Stroke = -1 },
		"instrument 1: want pin_m, and base_m or direction":                        func(p *RigidBody) { p.Instruments = make([]RigidLink, 1) },
		"node_m has 1 numbers":                                                     func(p *RigidBody) { p.Node = []float64{1} },
		"turned_deg has 1 numbers":                                                 func(p *RigidBody) { p.Turned = []float64{1} },
	} {
		rthstest.WantError(t, held(change), want)
	}
	_, err := (&Aggregate{Of: []RigidBody{*slab()}}).Make(rate)
	rthstest.WantError(t, err, "aggregate coupler: 1 bodies with 2 coordinates: want 2 bodies or more, and 32 coordinates at most")
	wrong := two()
	wrong.Of[1].Actuators[2].Stroke = -1
	_, err = wrong.Make(rate)
	rthstest.WantError(t, err, "body 2: rigid-body coupler: actuator 3: stroke_m -1")
	wrong = two()
	wrong.Of[1].Instruments = []RigidLink{arm(1, 0, 0, 0).RigidLink}
	_, err = wrong.Make(rate)
	rthstest.WantError(t, err, "body 2: want no instruments and no platform")
	if _, err := (&RigidBody{}).Make(rate); err == nil || !strings.Contains(err.Error(), "0 coordinates: want 1 to 6") {
		t.Error(err)
	}
}

// two are two bodies side by side: the slab, and one in a plane.
func two() *Aggregate {
	return &Aggregate{Of: []RigidBody{*slab(), {Coordinates: []string{"x", "y", "rz"}, Actuators: []RigidActuator{
		arm(-2, 0.5, -0.3, 0.4), arm(-2, -0.5, -0.3, -0.6), arm(0.2, -3, 0.1, -0.7)}}}}
}

// Bodies side by side move and push as each does alone, without memory; a body without a pose is named.
func TestAggregate(t *testing.T) {
	all := rthstest.Must(two().Make(rate))
	rthstest.Keeps(t, rthstest.Coupler(5, 2, 0.05, func() rths.Coupler { return rthstest.Must(two().Make(rate)) }))
	target, from := rths.NewMotion(5), rths.NewMotion(5)
	for i := range from.X {
		from.X[i], from.V[i], from.A[i] = 0.01*float64(i+1), 0.1*float64(i-2), float64(2-i)
	}
	axes, iface := rths.NewReading(5, 5), rths.NewReading(5, 5)
	for range 5 {
		all.Axes(&target, &from)
		copy(axes.X, target.X)
		copy(axes.TrueX, target.X)
		for i := range axes.F {
			axes.F[i], axes.TrueF[i] = float64(100*i-200), float64(50*i)
		}
		all.Interface(&iface, &axes)
	}
	rthstest.NearAll(t, "pose", iface.X, from.X, 1e-12)
	rthstest.NearAll(t, "true pose", iface.TrueX, from.X, 1e-12)
	at := 0
	for i := range two().Of {
		body := rthstest.Must(two().Of[i].Body())
		n := body.Coordinates()
		x, v, a, f := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
		body.Elongations(x, from.X[at:at+n])
		body.Rates(v, a, from.X[at:at+n], from.V[at:at+n], from.A[at:at+n])
		body.Forces(f, axes.F[at:at+n], from.X[at:at+n])
		rthstest.NearAll(t, "displacement", target.X[at:at+n], x, 1e-14)
		rthstest.NearAll(t, "velocity", target.V[at:at+n], v, 1e-14)
		rthstest.NearAll(t, "acceleration", target.A[at:at+n], a, 1e-14)
		rthstest.NearAll(t, "force", iface.F[at:at+n], f, 1e-9)
		at += n
	}
	channels := all.(aggregated).Channels()
	if channels[1].Name != "pose_1_rz" || channels[2].Name != "pose_2_x_m" {
		t.Errorf("channels %+v: want the numbers of the bodies", channels)
	}
	failer := all.(rths.Failer)
	axes.X[4] = math.NaN()
	var none *NoPose
	if all.Interface(&iface, &axes); !errors.As(failer.Err(), &none) || !strings.HasPrefix(failer.Err().Error(), "body 2: ") {
		t.Errorf("%v: want that of body 2", failer.Err())
	}
}

// An assembly on bodies side by side is that on each of them.
func TestAssemblyOnSeveralBodies(t *testing.T) {
	specimens := []Specimen{&linear{m: 10, c: 1700, k: 4e4}, &linear{m: 0.02, c: 2, k: 30}}
	b, both := mat.NewDense(2, 2, []float64{1, 0.02, 0.1, 1}), mat.NewDense(4, 4, nil)
	both.Slice(0, 2, 0, 2).(*mat.Dense).Copy(b)
	both.Slice(2, 4, 2, 4).(*mat.Dense).Copy(b)
	p := &Aggregate{Of: []RigidBody{*slab(), *slab()}}
	made := func(team []TransferMaker, body Embodied, specimens []Specimen, b *mat.Dense) Plant {
		return rthstest.Must((&Actuators{team}).Make(At{RateHz: rate,
			Specimen: rthstest.Must(NewAssemblyOn(rthstest.Must(body.Held()), nil, specimens, b))}))
	}
	for name, team := range teams() {
		commands := wandering(600)
		var half, all [][]float64
		for _, u := range commands {
			half = append(half, []float64{0.5 * u[0], 0.5 * u[1]})
			all = append(all, []float64{u[0], u[1], 0.5 * u[0], 0.5 * u[1]})
		}
		side := made(append(slices.Clone(team), team...), p, append(slices.Clone(specimens), specimens...), both)
		got := moved(side, all)
		now := rths.Reading{Motion: rths.NewMotion(4), F: make([]float64, 4)}
		rthstest.NoAllocation(t, func() { side.Step(&now, all[0]) })
		for i, alone := range [][][]float64{commands, half} {
			var of [][]float64
			for _, row := range got { // motion and forces of a body, of those of both
				var one []float64
				for at := 2 * i; at < len(row); at += 4 {
					one = append(one, row[at:at+2]...)
				}
				of = append(of, one)
			}
			nearRows(t, fmt.Sprintf("%s, body %d", name, i+1), of, moved(made(team, slab(), specimens, b), alone), 1e-9)
		}
	}
}
