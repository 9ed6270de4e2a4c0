package scenario_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rths/kit/rthstest"
	"rths/model/plant"
	"rths/model/rigidbody"
	"rths/scenario"
)

// examples are the keys of a set-up of each kind.
var examples = map[string]string{
	"one-actuator":                     "",
	"two-actuators-2d":                 ", la1_m: 1.2, la2_m: 1.4, l_m: 0.8",
	"three-actuators-2d":               threeKeys + ", l1_m: 0.5, l2_m: 0.6",
	"three-actuators-2d-joint-offset":  threeKeys + ", l1_m: 0.1, l2_m: 0.5, l3_m: 0.6, l4_m: 0.1, l5_m: 0.2, l6_m: 0.1",
	"three-actuators":                  threeKeys + ", l1_m: 0.5, l2_m: 0.6, l3_m: 0.3",
	"three-actuators-joint-offset":     threeKeys + ", l2_m: 0.5, l3_m: 0.6, l5_m: 0.2, l6_m: 0.3, l7_m: 0.1",
	"inverted-v-brace-2d":              threeKeys + ", l1_m: 0.5, l2_m: 0.6",
	"inverted-v-brace-2d-joint-offset": threeKeys + ", l2_m: 0.5, l3_m: 0.6, l5_m: 0.2, l6_m: 0.1",
	"four-actuators-3d":                fourKeys,
}

const (
	threeKeys = ", la1_m: 1.2, la2_m: 1.4, la3_m: 1.5"
	fourKeys  = ", l1_m: 1.2, l2_m: 1.3, l3_m: 1.4, l4_m: 1.5, a1_m: 0.3, a2_m: 0.4, a3_m: 0.3, a4_m: 0.2, h_m: 1"
)

// onSetup is a scenario whose interface a set-up holds; more are further keys of the coupler.
func onSetup(kind, keys, more string) string {
	n := 3
	switch kind {
	case "one-actuator":
		n = 1
	case "two-actuators-2d":
		n = 2
	case "four-actuators-3d":
		n = 4
	}
	each := func(one string) string {
		return "[" + strings.Join(strings.Split(strings.Repeat(one, n), " ")[:n], ", ") + "]"
	}
	return fmt.Sprintf("rate_hz: 1024\ntiming: {target: next}\nground: {kind: sine, duration_s: 1, frequency_hz: 2, "+
		"amplitude_m_s2: 1}\nstructure: {kind: shear, masses: %s, stiffnesses: %s, damping: {modal_ratio: [0.02]}}\n"+
		"interface: %s\ncoupler: {kind: rigid-body, setup: {kind: %s%s}%s}\nintegrator: {kind: newmark-explicit}\n"+
		"specimens: [{along: %s, specimen: {kind: linear, stiffness: 1e4}}]\ntransfer: {kind: second-order}\n",
		each("1000 "), each("1e6 "), "["+"1, 2, 3, 4"[:3*n-2]+"]", kind, keys, more, each("1 "))
}

// heldBy is the body that a set-up holds.
func heldBy(kind, keys, more string) (*plant.RigidBody, *rigidbody.Body, error) {
	s, err := scenario.Parse("x.yaml", []byte(onSetup(kind, keys, more)), ".", nil)
	if err != nil {
		return nil, nil, err
	}
	p := s.Coupler.Params.(*plant.RigidBody)
	b, err := p.Body()
	return p, b, err
}

// fresco is a set-up with random lengths, and what OpenFresco makes of it.
type fresco struct {
	kind, keys string
	exact      func(d []float64) []float64 // its displacements of actuators with -nlGeom, rewritten
	small      func(d []float64) []float64 // without; nil: it has none
	phi        float64                     // turned_deg for 1° of its phiLocX; 0: none
}

// frescos are set-ups of all kinds; side 1 has horizontal actuators on the left, −1 on the right. La are lengths of
// actuators, L and a of rigid links, m.
func frescos(r *rand.Rand, side float64) []fresco {
	some := func() float64 { return 0.5 + r.Float64() }
	h, s := math.Hypot, math.Sin
	c1 := func(t float64) float64 { return 2 * s(t/2) * s(t/2) } // 1 − cos
	where := map[float64]string{1: "left", -1: "right"}[side]
	La := []float64{some(), some(), some(), some()}
	L, a := make([]float64, 8), []float64{some(), some(), some(), some()}
	for i := range L {
		L[i] = 0.4 * some()
	}
	keys := fmt.Sprintf(", la1_m: %v, la2_m: %v, la3_m: %v, pos_act1: %s", La[0], La[1], La[2], where)
	for i := range 7 {
		keys += fmt.Sprintf(", l%d_m: %v", i+1, L[i+1])
	}
	upTo := func(n int) string { return keys[:strings.Index(keys, fmt.Sprintf(", l%d_m", n+1))] }
	// ESThreeActuatorsJntOff; ESThreeActuators and ESThreeActuators2d have it without offsets. L0 is left of actuator 2,
	// L1 and L2 from the node to actuators 2 and 3, L3 right of actuator 3, L5 a height, L4 and L6 depths.
	onBar := func(L0, L1, L2, L3, L4, L5, L6 float64) func(d []float64) []float64 {
		arm := L0 + L1
		if side < 0 {
			arm = L2 + L3
		}
		return func(d []float64) []float64 {
			return []float64{
				h(d[0]+side*(arm*c1(d[2])+La[0])-L5*s(d[2]), d[1]-side*arm*s(d[2])-L5*c1(d[2])) - La[0],
				h(d[0]+L1*c1(d[2])-(L5-L4)*s(d[2]), d[1]-L1*s(d[2])-(L5-L4)*c1(d[2])+La[1]) - La[1],
				h(d[0]-L2*c1(d[2])-(L5-L6)*s(d[2]), d[1]+L2*s(d[2])-(L5-L6)*c1(d[2])+La[2]) - La[2],
			}
		}
	}
	small := func(L1, L2, L5 float64) func(d []float64) []float64 {
		return func(d []float64) []float64 { return []float64{side * (d[0] - L5*d[2]), d[1] - L1*d[2], d[1] + L2*d[2]} }
	}
	// ESThreeActuatorsJntOff2d, with its polar coordinates of the pins.
	jointOffset := func(d []float64) []float64 {
		R0, R1, A0, A1 := h(L[2], L[5]), h(L[3], L[6]), math.Atan2(L[5], L[2]), math.Atan2(L[6], L[3])
		arm := L[1] + L[2]
		if side < 0 {
			arm = L[3] + L[4]
		}
		return []float64{
			h(d[0]+side*(arm*c1(d[2])+La[0]), d[1]-side*arm*s(d[2])) - La[0],
			h(d[0]-R0*math.Cos(A0+d[2])+L[2], d[1]-R0*s(A0+d[2])+La[1]+L[5]) - La[1],
			h(d[0]+R1*math.Cos(d[2]-A1)-L[3], d[1]+R1*s(d[2]-A1)+La[2]+L[6]) - La[2],
		}
	}
	same := func(d []float64) []float64 { return []float64{d[0]} }
	// The classes of the inverted V-brace have the formulas of the others.
	two, offset := onBar(0, L[1], L[2], 0, 0, 0, 0), small(L[2], L[3], 0)
	return []fresco{
		{"one-actuator", "", same, same, 0},
		{"one-actuator", ", dof: " + []string{"x", "y", "z"}[r.IntN(3)], same, same, 0},
		{"two-actuators-2d", fmt.Sprintf(", la1_m: %v, la2_m: %v, l_m: %v, pos_act: %s", La[0], La[1], L[0], where),
			func(d []float64) []float64 {
				return []float64{side * d[0], h(side*(d[0]-L[0]*s(d[1]))+La[1], -L[0]*c1(d[1])) - La[1]}
			}, func(d []float64) []float64 { return []float64{side * d[0], side * (d[0] - L[0]*d[1])} }, 0},
		{"three-actuators-2d", upTo(2), two, small(L[1], L[2], 0), 1},
		{"inverted-v-brace-2d", upTo(2), two, small(L[1], L[2], 0), 1},
		{"three-actuators-2d-joint-offset", upTo(6), jointOffset, offset, 1},
		{"inverted-v-brace-2d-joint-offset", upTo(6), jointOffset, offset, 1},
		{"three-actuators", upTo(3), onBar(0, L[1], L[2], 0, 0, L[3], 0), small(L[1], L[2], L[3]), 0},
		{"three-actuators-joint-offset", keys, onBar(L[1], L[2], L[3], L[4], L[5], L[6], L[7]), small(L[2], L[3], L[6]), 0},
		{"four-actuators-3d", fmt.Sprintf(", l1_m: %v, l2_m: %v, l3_m: %v, l4_m: %v, a1_m: %v, a2_m: %v, a3_m: %v, a4_m: %v, "+
			"h_m: %v", La[0], La[1], La[2], La[3], a[0], a[1], a[2], a[3], L[0]), fourActuators(La, a, L[0]), nil, -1},
	}
}

// fourActuators is ESFourActuators3d. Its rotation is our rotation vector. Without a rotation it divides 0 by 0, and
// all displacements are NaN: here α is then 0.
func fourActuators(La, a []float64, height float64) func(d []float64) []float64 {
	return func(d []float64) []float64 {
		// R = Rz(α) Rx(θ) Rz(−α), θ and α of (rx, ry)
		theta, alpha := math.Hypot(d[2], d[3]), math.Atan2(d[3], d[2])
		sin, cos, ca, sa := math.Sin(theta), math.Cos(theta), math.Cos(alpha), math.Sin(alpha)
		turned := func(x, y, z float64) (float64, float64, float64) {
			x, y = ca*x+sa*y, ca*y-sa*x
			y, z = cos*y-sin*z, sin*y+cos*z
			return ca*x - sa*y, sa*x + ca*y, z
		}
		out := make([]float64, 4)
		for i, z := range []float64{0, 0, height, height} {
			if i%2 == 0 {
				x, y, up := turned(-a[i], 0, z)
				out[i] = math.Hypot(math.Hypot(La[i]+d[0]+a[i]+x, d[1]+y), up-z) - La[i]
			} else {
				x, y, up := turned(0, -a[i], z)
				out[i] = math.Hypot(math.Hypot(d[0]+x, La[i]+d[1]+a[i]+y), up-z) - La[i]
			}
		}
		return out
	}
}

// The set-ups, read from a text, have OpenFresco's displacements of actuators in large motion, and back; its formulas
// without -nlGeom are those of small motion, and so are its forces.
func TestSetupsOfOpenFresco(t *testing.T) {
	r, backs, bodies := rand.New(rand.NewPCG(11, 54)), 0, 0
	for range rthstest.Draws(5, 100) {
		for _, side := range []float64{1, -1} {
			for _, of := range frescos(r, side) {
				p, b, err := heldBy(of.kind, of.keys, "")
				if err != nil {
					t.Fatalf("%s: %v", of.kind, err)
				}
				bodies++
				n := b.Coordinates()
				d := randomly(r, 0.15, n)
				if of.kind == "four-actuators-3d" || n == 1 {
					b.Elongations(make([]float64, n), d) // from somewhere back to rest
					wantElongations(t, of.kind+" at rest", b, make([]float64, n), of.exact(make([]float64, n)))
				}
				wantElongations(t, of.kind, b, d, of.exact(d))
				if of.small != nil {
					checkSmall(t, r, b, &of)
				}
				if of.phi != 0 {
					checkTurned(t, &of, d)
				}
				if len(p.Actuators) != n || mat.Cond(b.Jacobian(d, n), 2) > 50 { // such actuators hardly hold the body
					continue
				}
				backs++
				e, q := make([]float64, n), make([]float64, n)
				b.Elongations(e, d)
				for i := range q { // from up to 3 mm or mrad away: from rest it may find another pose with these lengths
					q[i] = 0.98 * d[i]
				}
				for range 3 {
					if off := b.Pose(q, e); !(off < 1e-9) {
						t.Errorf("%s: no pose", of.kind)
					}
				}
				rthstest.NearAll(t, of.kind+" back", q, d, 1e-11)
			}
		}
	}
	if backs < bodies*8/10 {
		t.Errorf("%d poses were found again of %d: want most", backs, bodies)
	}
}

func randomly(r *rand.Rand, size float64, n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = size * (2*r.Float64() - 1)
	}
	return out
}

func wantElongations(t *testing.T, what string, b *rigidbody.Body, d, want []float64) {
	t.Helper()
	got := make([]float64, len(d))
	b.Elongations(got, d)
	for i := range got {
		rthstest.Near(t, what, got[i], want[i], 1e-12)
	}
}

// checkTurned compares with OpenFresco's -phiLocX of 20°.
func checkTurned(t *testing.T, of *fresco, d []float64) {
	_, b, err := heldBy(of.kind, of.keys, fmt.Sprintf(", turned_deg: [0, 0, %v]", 20*of.phi))
	if err != nil {
		t.Fatal(err)
	}
	local := append([]float64{}, d...)
	sin, cos := math.Sincos(of.phi * 20 * math.Pi / 180)
	for i := 0; i+1 < len(d); i += 2 {
		local[i], local[i+1] = cos*d[i]-sin*d[i+1], sin*d[i]+cos*d[i+1]
	}
	wantElongations(t, of.kind+" turned", b, d, of.exact(local))
}

// checkSmall compares the formulas without -nlGeom, which are linear, with small motion.
func checkSmall(t *testing.T, r *rand.Rand, b *rigidbody.Body, of *fresco) {
	n := b.Coordinates()
	rest, f, forces := make([]float64, n), randomly(r, 1e4, n), make([]float64, n)
	j := b.Jacobian(rest, n)
	b.Forces(forces, f, rest)
	for k := range n {
		one, work := make([]float64, n), 0.0
		one[k] = 1
		for i, want := range of.small(one) {
			rthstest.Near(t, of.kind+" small", j.At(i, k), want, 1e-12)
			work += f[i] * want
		}
		rthstest.Near(t, of.kind+" forces", forces[k], work, 1e-8)
	}
}

// Of each kind there is an example that runs; what no laboratory has is refused in words.
func TestSetups(t *testing.T) {
	rthstest.Keeps(t, rthstest.Table(plant.Setups))
	for _, k := range plant.Setups {
		keys, known := examples[k.Name]
		if !known {
			t.Errorf("%s: want an example", k.Name)
		}
		if err := build(t.Context(), onSetup(k.Name, keys, "")); err != nil {
			t.Errorf("%s: %v", k.Name, err)
		}
	}
	const three = "three-actuators-2d"
	for _, c := range []struct{ want, kind, keys, more string }{
		{"small.yaml:6:29: coupler.setup: three-actuators-2d: la1_m is 0 m: want more than 0",
			three, ", la2_m: 1, la3_m: 1, l1_m: 1, l2_m: 1", ""},
		{"la3_m is -1 m: want more than 0", three, ", la1_m: 1, la2_m: 1, la3_m: -1, l1_m: 1, l2_m: 1", ""},
		{"l2_m is -0.5 m: want 0 or more", three, threeKeys + ", l1_m: 1, l2_m: -0.5", ""},
		{"l1_m + l2_m is 0 m: want more than 0", three, threeKeys, ""},
		{"l2_m + l3_m is 0 m: want more than 0", "three-actuators-joint-offset", threeKeys, ""},
		{"l7_m is -1 m: want 0 or more", "three-actuators-joint-offset", threeKeys + ", l2_m: 1, l7_m: -1", ""},
		{"l_m is 0 m: want more than 0", "two-actuators-2d", ", la1_m: 1, la2_m: 1", ""},
		{"h_m is 0 m: want more than 0", "four-actuators-3d", ", l1_m: 1, l2_m: 1, l3_m: 1, l4_m: 1", ""},
		{"l2_m is 0 m: want more than 0", "four-actuators-3d", ", h_m: 1, l1_m: 1, l3_m: 1, l4_m: 1", ""},
		{"a2_m is -1 m: want 0 or more", "four-actuators-3d", ", h_m: 1, l1_m: 1, l2_m: 1, l3_m: 1, l4_m: 1, a2_m: -1", ""},
		{`dof "rx": want x, y or z`, "one-actuator", ", dof: rx", ""},
		{`pos_act1 "up": want left or right`, three, examples[three] + ", pos_act1: up", ""},
		{"stroke_m has 2 numbers: want 3, one for each actuator", three, examples[three] + ", stroke_m: [0.1, 0.1]", ""},
		{"actuator 2: stroke_m -1", three, examples[three] + ", stroke_m: [0.1, -1, 0.1]", ""},
		{"coupler.coordinates: beside setup, which states them: want one or the other", three, examples[three],
			", coordinates: [x, y, rz]"},
		{"coupler.actuators: beside setup", three, examples[three], ", actuators: []"},
		{`coupler.setup: kind "five-actuators": did you mean two-actuators-2d, three-actuators-2d`, "five-actuators", "", ""},
		{"coupler.setup.la4_m: unknown key", three, examples[three] + ", la4_m: 1", ""},
	} {
		rthstest.WantError(t, build(t.Context(), onSetup(c.kind, c.keys, c.more)), c.want)
	}
}

// Beside a set-up stand instruments and the place of the node; the text that a manifest has states the body.
func TestSetupIsABody(t *testing.T) {
	const kind = "three-actuators-2d"
	p, _, err := heldBy(kind, examples[kind]+", stroke_m: [0.2, 0.1, 0.3]",
		", node_m: [0.1, 0], instruments: [{base_m: [2, 1], pin_m: [0.6, 0]}]")
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Instruments) != 1 || p.Node[0] != 0.1 || p.Actuators[1].Stroke != 0.1 {
		t.Errorf("%+v: want its instrument, its node and its strokes", p)
	}
	s := rthstest.Must(scenario.Parse("x.yaml", []byte(onSetup(kind, examples[kind], "")), ".", nil))
	text := rthstest.Must(s.YAML())
	if strings.Contains(text, "setup") || !strings.Contains(text, "pin_m") {
		t.Errorf("%s: want the points", text)
	}
	again := rthstest.Must(scenario.Parse("x.yaml", []byte(text), ".", nil))
	if rthstest.Must(again.YAML()) != text {
		t.Error("the text is another one when it is read again")
	}
}

// lines are the vectors from base to pin of actuators in a plane, in a pose x, y, rz.
func lines(p *plant.RigidBody, d []float64) (out [][2]float64) {
	sin, cos := math.Sincos(d[2])
	for _, a := range p.Actuators {
		out = append(out, [2]float64{d[0] + cos*a.Pin[0] - sin*a.Pin[1] - a.Base[0],
			d[1] + sin*a.Pin[0] + cos*a.Pin[1] - a.Base[1]})
	}
	return out
}

// Where OpenFresco's forces with -nlGeom are not those of virtual work (sources of 2025-07): in each case a change of its
// formula gives virtual work, and as it is written it differs by what the test states.
func TestForcesOfOpenFresco(t *testing.T) {
	const La1, La2, La3, L1, L2, L3 = 1.2, 1.4, 1.9, 0.5, 0.6, 0.3
	f := []float64{700, -900, 400}
	for _, d := range [][]float64{{0, 0, 0}, {0.05, -0.03, 0.2}} {
		sin, cos := math.Sincos(d[2])
		at := func(kind, keys string) (v [][2]float64, l, work []float64) {
			p, b, err := heldBy(kind, fmt.Sprintf(", la1_m: %v, la2_m: %v, la3_m: %v%s", La1, La2, La3, keys), "")
			if err != nil {
				t.Fatal(err)
			}
			v, work = lines(p, d), make([]float64, 3)
			for _, one := range v {
				l = append(l, math.Hypot(one[0], one[1]))
			}
			b.Forces(work, f, d)
			return v, l, work
		}

		// ESThreeActuators2d and ESThreeActuators, right: the vertical force of actuator 1 takes La2 for La3. The second class
		// has the horizontal forces of actuators 2 and 3 with the wrong sign, too.
		right := func(v [][2]float64, l []float64, la, sign, L3 float64) []float64 {
			fx := []float64{f[0] * (La1 - v[2][0]) / l[0], -f[1] * v[1][0] / l[1], -f[2] * v[2][0] / l[2]}
			fy := []float64{f[0] * (v[2][1] - la) / l[0], f[1] * v[1][1] / l[1], f[2] * v[2][1] / l[2]}
			return []float64{-fx[0] + sign*(fx[1]+fx[2]), fy[0] + fy[1] + fy[2],
				sign*fx[1]*(L1*sin-L3*cos) - fy[1]*(L1*cos+L3*sin) + (fx[0]-sign*fx[2])*(L2*sin+L3*cos) +
					(fy[0]+fy[2])*(L2*cos-L3*sin)}
		}
		v, l, work := at("three-actuators-2d", ", l1_m: 0.5, l2_m: 0.6, pos_act1: right")
		rthstest.NearAll(t, "2d, La3", right(v, l, La3, -1, 0), work, 1e-9)
		wrong := f[0] * (La3 - La2) / l[0]
		rthstest.NearAll(t, "2d, as written", right(v, l, La2, -1, 0),
			[]float64{work[0], work[1] + wrong, work[2] + wrong*L2*cos}, 1e-9)
		v, l, work = at("three-actuators", ", l1_m: 0.5, l2_m: 0.6, l3_m: 0.3, pos_act1: right")
		rthstest.NearAll(t, "three, La3 and signs", right(v, l, La3, -1, L3), work, 1e-9)
		rthstest.Near(t, "three, signs as written", right(v, l, La3, 1, L3)[0]-work[0],
			-2*(f[1]*v[1][0]/l[1]+f[2]*v[2][0]/l[2]), 1e-9)

		// ESThreeActuatorsJntOff: the moment is about the bar, not about the node L6 below it. (Left; right is the same.)
		v, l, work = at("three-actuators-joint-offset", ", l1_m: 0.1, l2_m: 0.5, l3_m: 0.6, l5_m: 0.2, l6_m: 0.3, l7_m: 0.15")
		moment := 0.0
		for i, pin := range [][2]float64{{-0.6, 0}, {-0.5, -0.2}, {0.6, -0.15}} { // from the middle of the bar
			x, y := cos*pin[0]-sin*pin[1], sin*pin[0]+cos*pin[1]
			moment += f[i] * (x*v[i][1] - y*v[i][0]) / l[i]
		}
		rthstest.Near(t, "joint offset, as written", work[2]-moment, -0.3*(cos*work[0]+sin*work[1]), 1e-9)

		// ESThreeActuators, velocity of actuator 1, left: L3 is not in it.
		_, b, err := heldBy("three-actuators", fmt.Sprintf(", la1_m: %v, la2_m: %v, la3_m: %v, l1_m: %v, l2_m: %v, l3_m: %v",
			La1, La2, La3, L1, L2, L3), "")
		if err != nil {
			t.Fatal(err)
		}
		rate, got := []float64{0.2, 0.1, 0.5}, make([]float64, 3)
		b.Rates(got, make([]float64, 3), d, rate, make([]float64, 3))
		velocity := func(L3 float64) float64 {
			x, y := d[0]+L1*(1-cos)-L3*sin+La1, d[1]-L1*sin-L3*(1-cos)
			return (x*(rate[0]+(L1*sin-L3*cos)*rate[2]) + y*(rate[1]-(L1*cos+L3*sin)*rate[2])) / math.Hypot(x, y)
		}
		rthstest.Near(t, "velocity with L3", velocity(L3), got[0], 1e-12)
		if off := velocity(0) - got[0]; !(math.Abs(off) > 0.9*L3*rate[2]) {
			t.Errorf("velocity as written differs by %.3g m/s: want about L3 times the angular velocity", off)
		}
	}
}

// ESTwoActuators2d with -nlGeom, left: its moment of the second actuator takes fy1 L sin θ off, where virtual work adds
// it. With θ₁ = asin(L (1 − cos θ)/l₁) the two are 2 F₁ L sin θ₁ sin θ apart: 0.01 % of F₁ L at 0.05 rad.
func TestMomentOfOpenFresco(t *testing.T) {
	const La, L, F0, F1 = 1.5, 1.2, 700.0, 900.0
	_, b, err := heldBy("two-actuators-2d", ", la1_m: 1.5, la2_m: 1.5, l_m: 1.2", "")
	if err != nil {
		t.Fatal(err)
	}
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
