package rigidbody

import (
	"math"
	"math/rand/v2"
	"testing"

	"rths/kit/rthstest"
)

// somePlatform has its axes along those of the points.
func somePlatform(r *rand.Rand) Platform {
	p := Platform{Mass: 100 + 900*r.Float64(), Gravity: vector{r.NormFloat64(), r.NormFloat64(), -9.81}}
	var extent vector // of a box
	for i := range 3 {
		p.Centre[i], extent[i] = 0.5*r.NormFloat64(), 0.2+r.Float64()
	}
	for i := range 3 {
		p.Inertia[i][i] = p.Mass * (dot(extent, extent) - extent[i]*extent[i]) / 12
	}
	return p
}

// points are six mass points with mass, centre and moments of inertia of a platform, as pins that are seen along x, y
// and z: at a_i to both sides of the centre, a_i² = 3/(2m) (I_j + I_k − I_i).
func points(p *Platform) (links []Link) {
	for i := range 3 {
		a := math.Sqrt(1.5 / p.Mass * (p.Inertia[0][0] + p.Inertia[1][1] + p.Inertia[2][2] - 2*p.Inertia[i][i]))
		for _, side := range []float64{-1, 1} {
			pin := p.Centre
			pin[i] += side * a
			for k := range 3 {
				along := vector{}
				along[k] = 1
				links = append(links, Link{Pin: pin, Parallel: along})
			}
		}
	}
	return links
}

// A platform is held as six mass points are, whose accelerations and virtual work are those of links: in any pose, with
// any motion, in a node's turned axes, and in some coordinates only.
func TestPlatformIsItsPoints(t *testing.T) {
	r := rand.New(rand.NewPCG(54, 1))
	for range rthstest.Draws(50, 500) {
		p := somePlatform(r)
		node, turned := vector{r.NormFloat64(), r.NormFloat64(), r.NormFloat64()}, vector{0.3 * r.NormFloat64(), 0.3, -0.2}
		coords := six
		if r.IntN(2) == 0 {
			coords = []int{X, RZ, RX}
		}
		links := points(&p)
		for i := range links {
			links[i] = links[i].From(node, turned)
		}
		body, n := rthstest.Must(New(links, coords)), len(coords)
		seen := p.From(node, turned)
		q, rate, bend := pose(r, 0.6)[:n], pose(r, 3)[:n], pose(r, 20)[:n]
		v, force, want, got := make([]float64, 18), make([]float64, 18), make([]float64, n), make([]float64, n)
		body.Rates(v, force, q, rate, bend)
		for i := range force {
			force[i] = p.Mass / 6 * (force[i] - dot(links[i].Parallel, seen.Gravity))
		}
		body.Forces(want, force, q)
		body.Hold(got, &seen, q, rate, bend)
		size := 0.0
		for _, f := range want {
			size = max(size, math.Abs(f))
		}
		for i := range got {
			rthstest.Near(t, "force of a platform over that of its points", got[i]/size, want[i]/size, 1e-12)
		}

		// M is what q̈ adds, and Bend its inverse.
		mass, none, moved := make([]float64, n*n), make([]float64, n), make([]float64, n)
		body.MassOf(mass, &seen, q)
		body.Hold(none, &seen, q, rate, make([]float64, n))
		for i := range n {
			for j := range n {
				moved[i] += mass[i*n+j] * bend[j]
			}
			rthstest.Near(t, "force of inertia", moved[i]/size, (got[i]-none[i])/size, 1e-12)
			rthstest.Near(t, "symmetry", mass[i]/mass[0], mass[i*n]/mass[0], 1e-12)
		}
		if back := make([]float64, n); !body.Bend(back, mass, moved) {
			t.Error("a mass matrix without inverse")
		} else {
			for i := range n {
				sum := 0.0
				for j := range n {
					sum += mass[i*n+j] * back[j]
				}
				rthstest.Near(t, "force of the acceleration that Bend finds", sum/size, moved[i]/size, 1e-12)
			}
		}
	}
}

// What a platform is not: without mass, or with a moment of inertia above the sum of the others.
func TestWrongPlatforms(t *testing.T) {
	sound := Platform{Mass: 3, Inertia: matrix{{1, 0, 0}, {0, 2, 0}, {0, 0, 3}}}
	if err := sound.Check(); err != nil {
		t.Error(err)
	}
	flat := Platform{Mass: 3, Inertia: matrix{2: {0, 0, 3}}}
	if err := flat.Check(); err != nil {
		t.Error(err)
	}
	for want, change := range map[string]func(p *Platform){
		"a mass of 0 kg: want more than 0":                       func(p *Platform) { p.Mass = 0 },
		"NaN: want finite numbers":                               func(p *Platform) { p.Centre[1] = math.NaN() },
		"want moments of inertia of 0 or more":                   func(p *Platform) { p.Inertia[0][0] = -1e-3 },
		"at most 100 m/s²":                                       func(p *Platform) { p.Gravity[2] = -9810 },
		"moments of inertia 1, 2, 3.1 kg·m²: want the largest":   func(p *Platform) { p.Inertia[2][2] = 3.1 },
		"moments of inertia 1000, 2, 3 kg·m²: want the largest ": func(p *Platform) { p.Inertia[0][0] = 1000 },
	} {
		p := sound
		change(&p)
		rthstest.WantError(t, p.Check(), want)
	}
}
