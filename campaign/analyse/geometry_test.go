package analyse

import (
	"context"
	"math"
	"strings"
	"testing"

	"rths/kit/rthstest"
	"rths/model/plant"
	"rths/scenario"
)

// beam is a body in a plane on two vertical actuators 1 m apart, and one along x.
const beam = `
rate_hz: 1024
ground: {kind: sine, duration_s: 4, frequency_hz: 1.2, amplitude_m_s2: 2}
structure:
  kind: matrices
  mass: [[10e3, 0, 0], [0, 10e3, 2e3], [0, 2e3, 5e3]]
  stiffness: [[1e6, 0, 0], [0, 4e6, 0], [0, 0, 0.5e6]]
  damping: {modal_ratio: [0.03]}
  influence: [1, 0.3, 0]
interface: [1, 2, 3]
coupler:
  kind: rigid-body
  coordinates: [x, y, rz]
  node_m: [0, 1]
  actuators:
    - {base_m: [-2, 1], pin_m: [-0.5, 1], stroke_m: 0.2}
    - {base_m: [-0.5, 0], pin_m: [-0.5, 1], stroke_m: 0.2}
    - {base_m: [0.5, 0], pin_m: [0.5, 1], stroke_m: 0.2}
integrator: {kind: newmark-explicit}
specimens:
  - {along: [1, 0, 0], specimen: {kind: linear, stiffness: 0.2e6, damping: 2e3}}
  - {along: [0, 1, 0.4], specimen: {kind: linear, stiffness: 0.6e6}}
transfer: {kind: ideal}
compensator: {kind: none}
limits: none
`

func geometryOf(t *testing.T, text string, sets ...string) (*Geometry, *scenario.Run) {
	t.Helper()
	s := rthstest.Must(scenario.Parse("t", []byte(text), ".", sets))
	r := rthstest.Must(s.Build(context.Background(), scenario.Options{Shared: scenario.NewShared()}))
	return rthstest.Must(GeometryOf(context.Background(), r)), r
}

// With an ideal transfer system the test does what was predicted: displacements and forces of the actuators.
func TestPredictedIsWhatTheTestDoes(t *testing.T) {
	g, r := geometryOf(t, beam)
	n := len(g.Actuators)
	low, high, force, speed := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	last := make([]float64, n)
	err := r.Loop.Run(1, func() bool {
		read := &r.Loop.Frame().Read
		for i := range n {
			low[i], high[i] = min(low[i], read.X[i]), max(high[i], read.X[i])
			force[i] = max(force[i], math.Abs(read.F[i]))
			speed[i] = max(speed[i], math.Abs(read.X[i]-last[i])*1024)
		}
		copy(last, read.X)
		return true
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, u := range g.Actuators {
		if high[i] < 1e-3 || force[i] < 100 {
			t.Errorf("actuator %d hardly moves: %g m, %g N", i+1, high[i], force[i])
		}
		rthstest.Near(t, "longest", u.Most, high[i], 0.01*high[i])
		rthstest.Near(t, "shortest", u.Least, low[i], -0.01*low[i])
		rthstest.Near(t, "force", u.Force, force[i], 0.02*force[i])
		rthstest.Near(t, "speed", u.Speed, speed[i], 0.02*speed[i])
		rthstest.Near(t, "use of the stroke", u.StrokePct, 100*max(high[i], -low[i])/0.2, 1)
	}
}

// Two parallel links b apart, at x and y of a node between them: J has known singular values. Condition numbers do not
// depend on the unit of length.
func TestCondition(t *testing.T) {
	g, _ := geometryOf(t, beam)
	// rows: x; y − 0.5 θ; y + 0.5 θ. The pins are 0.5 m from the node, so rotations are times 0.5 m: √2, √2 and 1.
	rthstest.Near(t, "length", g.LengthM, 0.5, 1e-12)
	rthstest.Near(t, "condition number", g.Condition, math.Sqrt2, 1e-9)
	if !(g.Worst > g.Condition) {
		t.Errorf("worst %g, at rest %g", g.Worst, g.Condition)
	}
}

// What is said of a wrong point is what a coupler with that point does: it finds another pose of the displacements.
func TestMisplaced(t *testing.T) {
	g, _ := geometryOf(t, beam)
	for _, m := range []*Misplaced{g.Point, g.Axes} {
		wrong := *g.Body
		wrong.Actuators = append([]plant.RigidActuator{}, g.Body.Actuators...)
		switch m.Key {
		case "turned_deg":
			wrong.Turned = []float64{0, 0, 0.1}
		default:
			a := &wrong.Actuators[m.Actuator-1]
			p := &a.Pin
			if m.Key == "base_m" {
				p = &a.Base
			}
			*p = []float64{(*p)[0] + 1e-3*m.Direction[0], (*p)[1] + 1e-3*m.Direction[1]}
		}
		right, other := rthstest.Must(g.Body.Body()), rthstest.Must(wrong.Body())
		e, q := make([]float64, 3), make([]float64, 3)
		right.Elongations(e, m.Pose)
		other.Find(q, e)
		by := math.Hypot(q[0]-m.Pose[0], q[1]-m.Pose[1])
		if rthstest.Near(t, m.Key+", m", m.M, by, 0.02*by); by < 1e-6 {
			t.Errorf("%s: the pose is %g m off: want more", m.Key, by)
		}
		rthstest.Near(t, m.Key+", rad", m.Rad, math.Abs(q[2]-m.Pose[2]), 0.02*math.Abs(q[2]-m.Pose[2])+1e-9)
	}
}

// Warnings name the actuator, what it is to do, and what it can.
func TestDoubtsOfGeometry(t *testing.T) {
	for _, c := range []struct {
		set, want string
	}{
		{"coupler.actuators[1].stroke_m=0.01", "coupler.actuators[1].stroke_m: the stroke of actuator 1 ends inside the " +
			"predicted motion: it goes from -"},
		{"coupler.actuators[2].zero_length_m=0.802", ": the stroke of actuator 2 ends inside"},
		{"transfer={kind: second-order, stroke_m: 0.002}", "actuator 1 is to move by "},
		{"transfer={kind: second-order, rate_m_s: 0.02}", "above its rating of 20 mm/s"},
		{"transfer={kind: second-order, force_n: 500}", "is to push or pull with "},
		{"coupler.actuators[3]={base_m: [-0.5, 2], pin_m: [-0.498, 1]}", "the actuators hardly hold the body: the " +
			"condition number of their geometry is "},
		{"coupler.actuators[3]={base_m: [-2, 0.95], pin_m: [0.5, 1]}", "within the strokes, 0.2"},
		{"coupler.actuators[3]={base_m: [-2, 0.99], pin_m: [0.5, 1]}", "within the predicted motion there is a pose " +
			"in which the actuators do not hold the body: "},
	} {
		_, r := geometryOf(t, beam, c.set)
		if all := strings.Join(r.Warnings, "\n"); !strings.Contains(all, c.want) {
			t.Errorf("%s: warnings %q: want %q", c.set, all, c.want)
		}
	}
	if _, r := geometryOf(t, beam); len(r.Warnings) > 0 {
		t.Errorf("warnings %q: want none", r.Warnings)
	}
}

// In the singular pose that is found, within the strokes, the condition number has no bound.
func TestSingularPose(t *testing.T) {
	g, _ := geometryOf(t, beam, "coupler.actuators[3]={base_m: [0.3, 0], pin_m: [0.3, 0.9], stroke_m: 0.5}",
		"coupler.actuators[1].stroke_m=0.8", "coupler.actuators[2].stroke_m=0.8")
	if g.Singular == nil || g.Singular.Predicted {
		t.Fatalf("singular pose %v: want one within the strokes", g.Singular)
	}
	body := rthstest.Must(g.Body.Body())
	s := &survey{Geometry: g, body: body}
	if c, _ := s.condition(g.Singular.Pose); !(c > 1e8) {
		t.Errorf("condition number %g in the singular pose %v: want one without bound", c, g.Singular.Pose)
	}
	if !(g.Singular.Times > 1) {
		t.Errorf("%g times the predicted motion: want more than 1", g.Singular.Times)
	}
	if !s.inStroke(g.Singular.Pose) {
		t.Errorf("the singular pose %v is beyond a stroke", g.Singular.Pose)
	}
}

// A motion beyond all strokes is one to warn of, other couplers have no geometry, and without a reference response no
// motion is predicted.
func TestGeometryWithoutMotion(t *testing.T) {
	g, r := geometryOf(t, beam, "ground.amplitude_m_s2=1e6")
	if g == nil || len(r.Warnings) == 0 {
		t.Errorf("a motion beyond all strokes: warnings %v", r.Warnings)
	}
	if g, _ := geometryOf(t, learner); g != nil {
		t.Errorf("geometry %v of one actuator: want none", g)
	}
	var b strings.Builder
	(&Geometry{Body: &plant.RigidBody{}, Condition: 2}).Print(&b)
	(*Geometry)(nil).Print(&b)
	if !strings.Contains(b.String(), "no motion of the actuators is predicted") {
		t.Errorf("%q", b.String())
	}
}
