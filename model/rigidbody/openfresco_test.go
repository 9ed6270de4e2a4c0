package rigidbody

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rths/kit/rthstest"
)

// The fixed set-ups of OpenFresco (SRC/experimentalSetup, 2025-07) are bodies with these links. La are lengths of
// actuators, L and a of rigid links, all m. Node and pins of a plane stand on one line, unless joints are offset.
//
//	ESOneActuator            one link along x
//	ESTwoActuators2d         x, rz (y is held): two parallel actuators, L apart
//	ESThreeActuators2d       one along x, two along y; ESInvertedVBrace2d has the same kinematics
//	ESThreeActuatorsJntOff2d the same with pins that rigid links hold off the line
//	ESFourActuators3d        x, y, rx, ry: two pairs at two heights. Its rotation is our rotation vector
//	ESAggregator             several of them side by side: several tests' degrees of freedom, no geometry of its own
type setup struct {
	name   string
	coords []int
	links  []Link
	exact  func(d []float64) []float64 // its -nlGeom, rewritten
	small  func(d []float64) []float64 // without; nil: it has none
}

func flat(bx, by, px, py float64) Link { return Link{Base: vector{bx, by, 0}, Pin: vector{px, py, 0}} }

// setups are all of them with random lengths; side 1 has the horizontal actuators on the left, −1 on the right.
func setups(r *rand.Rand, side float64) []setup {
	some := func() float64 { return 0.5 + r.Float64() }
	h, s := math.Hypot, math.Sin
	c1 := func(t float64) float64 { return 2 * s(t/2) * s(t/2) } // 1 − cos
	La := []float64{some(), some(), some(), some()}
	L0, L1, off0, off1, out := some(), some(), 0.3*some(), 0.3*some(), 0.3*some()
	a := []float64{some(), some(), some(), some()}
	height := some()
	// ESThreeActuators2d: actuator 1 pulls at the outer pin of its side.
	arm := L0
	if side < 0 {
		arm = L1
	}
	R0, R1, A0, A1 := h(L0, off0), h(L1, off1), math.Atan2(off0, L0), math.Atan2(off1, L1)
	return []setup{
		{"ESOneActuator", []int{X}, []Link{flat(-side*La[0], 0, 0, 0)},
			func(d []float64) []float64 { return []float64{side * d[0]} }, nil},
		{"ESTwoActuators2d", []int{X, RZ}, []Link{flat(-side*La[0], 0, 0, 0), flat(-side*La[1], L0, 0, L0)},
			func(d []float64) []float64 {
				return []float64{side * d[0], h(side*(d[0]-L0*s(d[1]))+La[1], -L0*c1(d[1])) - La[1]}
			}, func(d []float64) []float64 { return []float64{side * d[0], side * (d[0] - L0*d[1])} }},
		{"ESThreeActuators2d", []int{X, Y, RZ}, []Link{flat(-side*(arm+La[0]), 0, -side*arm, 0), flat(-L0, -La[1], -L0, 0),
			flat(L1, -La[2], L1, 0)},
			func(d []float64) []float64 {
				return []float64{
					h(d[0]+side*(arm*c1(d[2])+La[0]), d[1]-side*arm*s(d[2])) - La[0],
					h(d[0]+L0*c1(d[2]), d[1]-L0*s(d[2])+La[1]) - La[1],
					h(d[0]-L1*c1(d[2]), d[1]+L1*s(d[2])+La[2]) - La[2],
				}
			}, func(d []float64) []float64 { return []float64{side * d[0], d[1] - L0*d[2], d[1] + L1*d[2]} }},
		{"ESThreeActuatorsJntOff2d", []int{X, Y, RZ}, []Link{flat(-side*(arm+out+La[0]), 0, -side*(arm+out), 0),
			flat(-L0, -off0-La[1], -L0, -off0), flat(L1, -off1-La[2], L1, -off1)},
			func(d []float64) []float64 {
				return []float64{
					h(d[0]+side*((arm+out)*c1(d[2])+La[0]), d[1]-side*(arm+out)*s(d[2])) - La[0],
					h(d[0]-R0*math.Cos(A0+d[2])+L0, d[1]-R0*s(A0+d[2])+La[1]+off0) - La[1],
					h(d[0]+R1*math.Cos(d[2]-A1)-L1, d[1]+R1*s(d[2]-A1)+La[2]+off1) - La[2],
				}
			}, func(d []float64) []float64 { return []float64{side * d[0], d[1] - L0*d[2], d[1] + L1*d[2]} }},
		{"ESFourActuators3d", []int{X, Y, RX, RY}, []Link{
			{Base: vector{-a[0] - La[0], 0, 0}, Pin: vector{-a[0], 0, 0}},
			{Base: vector{0, -a[1] - La[1], 0}, Pin: vector{0, -a[1], 0}},
			{Base: vector{-a[2] - La[2], 0, height}, Pin: vector{-a[2], 0, height}},
			{Base: vector{0, -a[3] - La[3], height}, Pin: vector{0, -a[3], height}}},
			func(d []float64) []float64 {
				// R = Rz(α) Rx(θ) Rz(−α), θ and α of (rx, ry)
				theta, alpha := h(d[2], d[3]), math.Atan2(d[3], d[2])
				sin, cos, ca, sa := s(theta), math.Cos(theta), math.Cos(alpha), s(alpha)
				turned := func(x, y, z float64) (float64, float64, float64) {
					x, y = ca*x+sa*y, ca*y-sa*x
					y, z = cos*y-sin*z, sin*y+cos*z
					return ca*x - sa*y, sa*x + ca*y, z
				}
				out := make([]float64, 4)
				for i, z := range []float64{0, 0, height, height} {
					px, py := -a[i], 0.0
					if i%2 == 1 {
						px, py = 0, -a[i]
					}
					x, y, up := turned(px, py, z)
					if i%2 == 0 {
						out[i] = h(h(La[i]+d[0]+a[i]+x, d[1]+y), up-z) - La[i]
					} else {
						out[i] = h(h(d[0]+x, La[i]+d[1]+a[i]+y), up-z) - La[i]
					}
				}
				return out
			}, nil},
	}
}

// Bodies with OpenFresco's geometries have its displacements of actuators in large motion, and back; its formulas
// without -nlGeom are those of small motion, and so are its forces.
func TestSetupsOfOpenFresco(t *testing.T) {
	r, backs, draws := rand.New(rand.NewPCG(11, 54)), 0, rthstest.Draws(20, 200)
	for range draws {
		for _, side := range []float64{1, -1} {
			for _, s := range setups(r, side) {
				b := rthstest.Must(New(s.links, s.coords))
				n := len(s.coords)
				e, q := make([]float64, n), make([]float64, n)
				d := pose(r, 0.15)[:n]
				b.Elongations(e, d)
				for i, want := range s.exact(d) {
					rthstest.Near(t, s.name, e[i], want, 1e-12)
				}
				if s.small != nil {
					checkSmall(t, r, b, &s)
				}
				if mat.Cond(b.Jacobian(d, n), 2) > 50 { // such actuators hardly hold the body
					continue
				}
				backs++
				for i := range q { // from up to 3 mm or mrad away: from rest it may find another pose with these lengths
					q[i] = 0.98 * d[i]
				}
				for range 3 {
					if off := b.Pose(q, e); !(off < 1e-9) {
						t.Errorf("%s: no pose", s.name)
					}
				}
				for i := range d {
					rthstest.Near(t, s.name+" back", q[i], d[i], 1e-11)
				}
			}
		}
	}
	if backs < 9*draws { // of 10
		t.Errorf("%d poses were found again of %d: want most", backs, 10*draws)
	}
}

// checkSmall compares the formulas without -nlGeom, which are linear, with small motion.
func checkSmall(t *testing.T, r *rand.Rand, b *Body, s *setup) {
	n := len(s.coords)
	rest, f, forces := make([]float64, n), pose(r, 1e4)[:n], make([]float64, n)
	j := b.Jacobian(rest, n)
	b.Forces(forces, f, rest)
	for k := range n {
		one, work := make([]float64, n), 0.0
		one[k] = 1
		for i, want := range s.small(one) {
			rthstest.Near(t, s.name+" small", j.At(i, k), want, 1e-12)
			work += f[i] * want
		}
		rthstest.Near(t, s.name+" forces", forces[k], work, 1e-8)
	}
}

// The forces of ESTwoActuators2d with -nlGeom, to the left: its moment of the second actuator takes fy1 L sin θ off, where
// virtual work adds it. With θ₁ = asin(L (1 − cos θ)/l₁) the two are 2 F₁ L sin θ₁ sin θ apart: 0.01 % of F₁ L at 0.05 rad.
func TestMomentOfOpenFresco(t *testing.T) {
	const La, L, F0, F1 = 1.5, 1.2, 700.0, 900.0
	b := rthstest.Must(New([]Link{flat(-La, 0, 0, 0), flat(-La, L, 0, L)}, []int{X, RZ}))
	e, forces := make([]float64, 2), make([]float64, 2)
	for _, d := range [][]float64{{0.01, 0.05}, {-0.1, 0.3}} {
		b.Elongations(e, d)
		b.Forces(forces, []float64{F0, F1}, d)
		theta1 := math.Asin(L * (1 - math.Cos(d[1])) / (La + e[1]))
		fx, fy := F1*math.Cos(theta1), F1*math.Sin(theta1)
		rthstest.Near(t, "force", forces[0], F0+fx, 1e-9)
		rthstest.Near(t, "moment", forces[1], -fx*L*math.Cos(d[1])+fy*L*math.Sin(d[1]), 1e-9)
		theirs := -fx*L*math.Cos(d[1]) - fy*L*math.Sin(d[1])
		rthstest.Near(t, "difference", forces[1]-theirs, 2*F1*L*math.Sin(theta1)*math.Sin(d[1]), 1e-9)
	}
}
