package plant

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rths"
	"rths/kit/rthstest"
)

// heavy is slab with a mass of its own.
func heavy() *RigidBody {
	p := slab()
	p.Platform = &Platform{Mass: 8, Centre: []float64{0.01, 0.06}, Inertia: []float64{0.03}, Gravity: []float64{0, -9.81}}
	return p
}

// onHeavy are specimens on heavy.
func onHeavy(specimens ...Specimen) *Assembly {
	p := heavy()
	return rthstest.Must(NewAssemblyOn(rthstest.Must(p.Body()), rthstest.Must(p.OwnMass()), specimens,
		mat.NewDense(2, 2, []float64{1, 0.02, 0.1, 1})))
}

// The actuators hold specimens and platform in large motions, Jᵀ (F + F₀) = Bᵀ s + M q̈ + h + w, and the coupler leaves the
// forces of the specimens: exactly without motion, and with accelerometers but for the differences of poses.
func TestPlatformInLargeMotion(t *testing.T) {
	p := heavy()
	b := mat.NewDense(2, 2, []float64{1, 0.02, 0.1, 1})
	springs := []linear{{m: 10, c: 1700, k: 4e4}, {m: 0.02, c: 2, k: 30}}
	for name, team := range teams() {
		if name == "feeling, a limit" {
			continue // its limit is not for forces of this size
		}
		body := rthstest.Must(p.Body())
		system := rthstest.Must((&Actuators{team}).Make(At{RateHz: rate, Specimen: onHeavy(&springs[0], &springs[1])}))
		carried := newCarried(body, rthstest.Must(p.OwnMass()))
		coupler := rthstest.Must(p.Make(rate))
		now := rths.Reading{Motion: rths.NewMotion(2), F: make([]float64, 2)}
		iface := rths.NewReading(2, 2)
		q, held := rths.NewMotion(2), make([]float64, 2)
		var most, worst, left, own, turned float64
		for _, u := range wandering(1200) {
			system.Step(&now, []float64{2 * u[0], 2 * u[1]})
			if off := body.Find(q.X, now.X); !(off < 1e-12) || !body.Motion(q.V, q.A, q.X, now.V, now.A) {
				t.Fatalf("%s: no pose at %g", name, now.X)
			}
			body.Forces(held, now.F, q.X)
			felt := held[0]
			carried.add(held, -1, q.X, q.V, q.A)
			coupler.Interface(&iface, &now)
			want := make([]float64, 2)
			for i, s := range springs {
				e, de, dde := mat.Dot(b.RowView(i), vec(q.X)), mat.Dot(b.RowView(i), vec(q.V)), mat.Dot(b.RowView(i), vec(q.A))
				for j := range want {
					want[j] += b.At(i, j) * (s.m*dde + s.c*de + s.k*e)
				}
			}
			for j := range want {
				most, worst = max(most, math.Abs(want[j])), max(worst, math.Abs(held[j]-want[j]))
				left = max(left, math.Abs(iface.F[j]-want[j]))
			}
			own, turned = max(own, math.Abs(felt-want[0])), max(turned, math.Abs(q.X[1]))
		}
		if !(worst <= 1e-9*most) || turned < 0.05 || own < 0.05*most {
			t.Errorf("%s: forces are %.3g of %.3g N apart, the platform's %.3g N, turned by %.2g rad: want equal forces, a "+
				"twentieth, and 0.05 rad", name, worst, most, own, turned)
		}
		if !(left <= 2e-3*own) {
			t.Errorf("%s: the coupler leaves %.3g of the platform's %.3g N: want 0.2 %% at most", name, left, own)
		}
	}
}

// Without accelerometers the weight alone is taken away. A weight that is not from the middle of the actuators turns the
// load cells' forces with the pose.
func TestPlatformAtEveryPose(t *testing.T) {
	p := heavy()
	body, coupler := rthstest.Must(p.Body()), rthstest.Must(p.Make(rate))
	springs := onHeavy(&linear{k: 4e4}, &linear{k: 30})
	axes, iface, m := rths.NewReading(2, 2), rths.NewReading(2, 2), rths.NewMotion(2)
	poses := [][]float64{{1e-12, 0}, {0, 1e-12}} // as a Jacobian is probed
	for k := range 40 {
		poses = append(poses, []float64{1e-4 * float64(k), 4e-3 * float64(k)})
	}
	for _, q := range poses {
		body.Elongations(m.X, q)
		springs.Rate(nil, axes.F, nil, &m)
		copy(axes.X, m.X)
		copy(axes.TrueX, m.X)
		copy(axes.TrueF, axes.F)
		coupler.Interface(&iface, &axes)
		for i, row := range [][]float64{{1, 0.1}, {0.02, 1}} { // Bᵀ s
			want := row[0]*4e4*(q[0]+0.02*q[1]) + row[1]*30*(0.1*q[0]+q[1])
			size := 4e4*math.Abs(q[0]) + 30*math.Abs(q[1]) + 1e-15
			rthstest.Near(t, "force", iface.F[i]/size, want/size, 1e-9)
			rthstest.Near(t, "true force", iface.TrueF[i]/size, want/size, 1e-9)
		}
	}
}

// A body that stands still, however far from where it was surveyed, gives no force of motion, also in the first tick. An
// old reading leaves the forces as they were, and the first new one after it those of its motion.
func TestPlatformWithOldReadings(t *testing.T) {
	p := heavy()
	p.Platform.Gravity = nil
	body, coupler := rthstest.Must(p.Body()), rthstest.Must(p.Make(rate))
	axes, iface := rths.NewReading(2, 2), rths.NewReading(2, 2)
	axes.A = make([]float64, 2)
	q, v, a := make([]float64, 2), make([]float64, 2), make([]float64, 2)
	size := 0.0
	for k := range 400 {
		at := float64(max(k-50, 0)) / rate // at rest, then with constant acceleration
		for i, acc := range []float64{2, 15} {
			q[i], v[i], a[i] = 0.002*float64(i+1)+acc*at*at/2, acc*at, acc
			if k <= 50 {
				a[i] = 0
			}
		}
		if axes.Age = max(0, min(k-300, 20)); k == 330 {
			axes.Age = 0
		}
		if axes.Age == 0 {
			body.Elongations(axes.X, q)
			body.Rates(make([]float64, 2), axes.A, q, v, a)
		}
		before := [2]float64(iface.F)
		coupler.Interface(&iface, &axes)
		size = max(size, math.Abs(iface.F[0]))
		want := make([]float64, 2)
		body.Hold(want, rthstest.Must(p.OwnMass()), q, v, a)
		switch {
		case axes.Age > 0 && k > 300:
			rthstest.Near(t, "force of an old reading", iface.F[0], before[0], 1e-9)
		case k <= 50:
			rthstest.Near(t, "force at rest", iface.F[0], 0, 1e-9)
		default: // rates of differences are half a sample, or half of the gap, late
			rthstest.Near(t, "force in motion over its size", -iface.F[0]/size, want[0]/size, 0.03)
		}
	}
}

// A force that is limited counts with the weight that the actuator holds at rest.
func TestPlatformAndForceLimit(t *testing.T) {
	most, err := heavy().Weighs()
	if err != nil || most < 5 {
		t.Fatal(most, err)
	}
	limited := silvaCode
	limited.ForceLimit = 1.2 * most
	now := rths.Reading{Motion: rths.NewMotion(2), F: make([]float64, 2)}
	system := rthstest.Must((&Actuators{[]TransferMaker{&limited, &limited}}).Make(At{RateHz: rate,
		Specimen: onHeavy(&linear{m: 10, c: 1700, k: 4e4}, &linear{m: 0.02, c: 2, k: 30})}))
	carried := newCarried(rthstest.Must(heavy().Body()), rthstest.Must(heavy().OwnMass()))
	up, down := 0.0, 0.0
	for _, u := range wandering(1200) {
		system.Step(&now, u)
		for i, f := range now.F {
			up, down = max(up, f+carried.rest[i]), min(down, f+carried.rest[i])
		}
	}
	if limit := limited.ForceLimit; up > limit*(1+1e-12) || down < -limit*(1+1e-12) || up < 0.99*limit || down > -0.99*limit {
		t.Errorf("whole forces %g to %g N: want up to the limit of %g N", down, up, limit)
	}
}

// The coupler with a platform keeps the promises of couplers.
func TestPlatformConforms(t *testing.T) {
	rthstest.Keeps(t, rthstest.Coupler(2, 2, 0.05, func() rths.Coupler { return rthstest.Must(heavy().Make(rate)) }))
}

func TestWrongPlatform(t *testing.T) {
	for want, change := range map[string]func(p *Platform){
		"platform: centre_m is missing":              func(p *Platform) { p.Centre = nil },
		"platform.centre_m has 1 numbers":            func(p *Platform) { p.Centre = []float64{1} },
		"platform.gravity_m_s2 has 1 numbers":        func(p *Platform) { p.Gravity = []float64{9.81} },
		"platform.inertia_kg_m2 has 2 numbers":       func(p *Platform) { p.Inertia = []float64{1, 1} },
		"platform: a mass of -1 kg: want more":       func(p *Platform) { p.Mass = -1 },
		"platform: moments of inertia 1, 0, 0 kg·m²": func(p *Platform) { p.Inertia = []float64{1, 0, 0} },
	} {
		p := heavy()
		change(p.Platform)
		_, err := p.Make(rate)
		rthstest.WantError(t, err, "rigid-body coupler: "+want)
	}
}

// BenchmarkPlatform is a tick of the coupler of a table on six actuators: with its own mass, and without.
func BenchmarkPlatform(b *testing.B) {
	p := &RigidBody{Coordinates: coordinateNames}
	for i := range 6 {
		turn := math.Pi / 3 * float64(i)
		near, far := turn-0.2+0.4*float64(i%2), turn+0.4-0.8*float64(i%2)
		p.Actuators = append(p.Actuators, RigidActuator{RigidLink: RigidLink{Base: []float64{1.5 * math.Cos(far),
			1.5 * math.Sin(far), -1.8}, Pin: []float64{0.8 * math.Cos(near), 0.8 * math.Sin(near), 0}}})
	}
	for _, own := range []*Platform{nil, {Mass: 900, Centre: []float64{0, 0, 0.1}, Inertia: []float64{90, 90, 150}}} {
		p.Platform = own
		coupler := rthstest.Must(p.Make(1024))
		axes, iface, to, from := rths.NewReading(6, 6), rths.NewReading(6, 6), rths.NewMotion(6), rths.NewMotion(6)
		axes.TrueX, iface.TrueX, axes.A = nil, nil, make([]float64, 6)
		b.Run(map[bool]string{true: "none", false: "own mass"}[own == nil], func(b *testing.B) {
			for k := range b.N {
				for i := range from.X {
					from.X[i], from.V[i] = 0.01*math.Sin(0.01*float64(k+i)), 0.1*math.Cos(0.01*float64(k+i))
				}
				coupler.Axes(&to, &from)
				copy(axes.X, to.X)
				copy(axes.A, to.A)
				coupler.Interface(&iface, &axes)
			}
			if err := coupler.(rths.Failer).Err(); err != nil {
				b.Fatal(err)
			}
		})
	}
}
