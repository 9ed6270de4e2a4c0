package analyse

import (
	"context"
	"math"
	"strings"
	"testing"

	"rths/kit/rthstest"
	"rths/scenario"
)

// learner is a frame of two storeys with the specimen in the first and a device that learns in the second.
const learner = `
rate_hz: 1024
duration_s: 6
ground: {kind: sweep, from_hz: 0.5, to_hz: 4, amplitude_m_s2: 2, duration_s: 6}
structure: {kind: shear, masses: [4000, 4000], stiffnesses: [1.6e6, 1.2e6], damping: {modal_ratio: [0.02]}}
devices:
  - between: [[1, 2]]
    kind: friction
    coefficient: 0.1
    normal_force: 2e4
    stick_stiffness: 2e6
    learn: {parameters: {coefficient: [0.05, 0.3]}}
integrator: {kind: cr}
specimen: {kind: friction, coefficient: 0.12, normal_force: 2e4, stick_stiffness: 2e6}
transfer: {kind: second-order, omega_rad_s: 300, damping_ratio: 0.7}
compensator: {kind: inverse}
limits: none
`

func linted(t *testing.T, sets ...string) (notes string, err error) {
	t.Helper()
	s := rthstest.Must(scenario.Parse("t", []byte(learner), ".", sets))
	build := func(ctx context.Context, s *scenario.Scenario, o scenario.Options) (*scenario.Run, error) {
		return s.Build(ctx, o)
	}
	r, _, err := Lint(context.Background(), "t", s, scenario.Options{}, false, build,
		func(set string) (*scenario.Scenario, error) { return s.With(set) })
	if r != nil {
		notes = strings.Join(r.Notes, "\n")
	}
	return notes, err
}

// A coefficient of friction is told by the motion; with the normal force beside it only their product is, which is said,
// or refused where the scenario asks for it.
func TestWhatTheMotionTells(t *testing.T) {
	both := "devices[1].learn.parameters={coefficient: [0.05, 0.3], normal_force: [1e4, 4e4]}"
	for _, c := range []struct {
		want string
		sets []string
	}{
		{"devices[1].learn: the predicted motion tells 1 of 1 parameters apart", nil},
		{"devices[1].learn: the predicted motion tells 1 of 2 parameters apart; least of all it tells +0.", []string{both}},
		{"the loop is stable at 4 corners of what devices may learn, and at 8 points within", []string{both}},
	} {
		notes, err := linted(t, c.sets...)
		if err != nil || !strings.Contains(notes, c.want) {
			t.Errorf("%v: %s, %v: want %q", c.sets, notes, err, c.want)
		}
	}
	_, err := linted(t, both, "devices[1].learn.distinct=true")
	rthstest.WantError(t, err, "devices[1].learn.distinct: the predicted motion tells 1 of 2 parameters apart")
	if _, err := linted(t, "devices[1].learn.distinct=true"); err != nil {
		t.Error(err)
	}
	s := rthstest.Must(scenario.Parse("t", []byte(learner), ".", []string{both}))
	o := rthstest.Must(Observe(context.Background(), s, scenario.Options{}))[0]
	// The slopes by both are proportional, as c ∂F/∂c = N ∂F/∂N: c and N fall and rise together.
	half := []float64{0.125, 1.5e4}
	w := []float64{half[0] * 2e4, half[1] * 0.1} // half widths times the slopes of c N
	rthstest.Near(t, "weakest", o.Weakest[0]*w[0]+o.Weakest[1]*w[1], 0, 0.1*math.Hypot(w[0], w[1]))
	if o.Rank != 1 || !(o.SD[0] > 1) || !(o.SD[1] > 1) {
		t.Errorf("%+v", o)
	}
}

// A loop that is stable with the law as it begins and unstable at a corner of what may be learned is refused, with the
// corner; rths stability counts the corners.
func TestUnstableWhereDevicesMayCome(t *testing.T) {
	spring := strings.Replace(learner, `kind: friction
    coefficient: 0.1
    normal_force: 2e4
    stick_stiffness: 2e6
    learn: {parameters: {coefficient: [0.05, 0.3]}}`, `kind: linear
    stiffness: 1e3
    learn: {parameters: {stiffness: [1e2, 1e11]}}`, 1)
	s := rthstest.Must(scenario.Parse("t", []byte(spring), ".", []string{"integrator.kind=central-difference"}))
	_, err := s.Build(context.Background(), scenario.Options{})
	rthstest.WantError(t, err, "device 1 with a tangent of up to 1e+11 N/m")
	// An actuator lags on a stiff specimen below a light floor, which a stiff device ties to the heavy one above.
	s = rthstest.Must(scenario.Parse("t", []byte(spring), ".", []string{"devices[1].learn.parameters={stiffness: [1e2, 3e7]}",
		"devices[1].stiffness=2.9e7", "compensator={kind: none}", "specimen={kind: linear, stiffness: 1.2e6}", "transfer={kind: delay, delay_ms: 2}",
		"integrator={kind: average-acceleration}", "structure.masses=[400, 4000]", "structure.damping={modal_ratio: [0.05]}"}))
	build := func(ctx context.Context, s *scenario.Scenario, o scenario.Options) (*scenario.Run, error) {
		return s.Build(ctx, o)
	}
	_, _, err = Lint(context.Background(), "t", s, scenario.Options{}, false, build, nil)
	rthstest.WantError(t, err, "t: the loop is unstable where devices may come to in learning, devices[1].stiffness 100: its spectral")
	v := rthstest.Must((&Stability{}).Run(context.Background(), s))
	if len(v.Learned) != 10 || len(v.LearnedRows()) != 10 || v.Learned[1].Case != "devices[1].stiffness 3e+07" {
		t.Fatalf("%d points, %q", len(v.Learned), v.Learned[1].Case)
	}
	var out strings.Builder
	v.Print(&out, nil)
	if !strings.Contains(out.String(), "10 points of what devices may learn, corners and within: 2 unstable") ||
		!strings.Contains(out.String(), "unstable with devices[1].stiffness 100\n") {
		t.Error(out.String())
	}
	if text := string(rthstest.Must(v.Document(nil, nil).MarshalJSON())); !strings.Contains(text, `"learned":[{"where":"devices[1]`) {
		t.Error(text)
	}
}

// A box of seven parameters has as many corners as are looked at, and its points are within.
func TestBoxPoints(t *testing.T) {
	var keys []scenario.LearnedKey
	for i := range 7 {
		keys = append(keys, scenario.LearnedKey{Key: "k", Low: float64(i), High: float64(i) + 2})
		points := boxPoints(keys)
		want := min(1<<(i+1), mostCorners) + within
		if len(points) != want {
			t.Errorf("%d parameters: %d points: want %d", i+1, len(points), want)
		}
		for n, p := range points {
			for j, v := range p {
				corner := v == keys[j].Low || v == keys[j].High
				if !(v >= keys[j].Low && v <= keys[j].High) || corner != (n < len(points)-within) {
					t.Fatalf("point %d: %g", n, p)
				}
			}
		}
	}
	if boxPoints(nil) != nil {
		t.Error("no parameters: want no points")
	}
}

// A law whose stiffness falls with the energy gives back more than it has taken, and is doubted; a passive one is not.
func TestActiveDevices(t *testing.T) {
	soft := strings.Replace(learner, `kind: friction
    coefficient: 0.1
    normal_force: 2e4
    stick_stiffness: 2e6
    learn: {parameters: {coefficient: [0.05, 0.3]}}`, `{kind: bouc-wen, between: [[0, 1], [1, 2]], mass: 0, stiffness: 2e5,
     yield_force: 800, exponent: 2, beta: 0, alpha: 0.1}`, 1)
	soft = strings.Replace(soft, "between: [[1, 2]]\n    {kind", "{kind", 1)
	for alpha, want := range map[string]string{"devices[1].alpha=0.5": "device 1 may give energy: in a motion of", "devices[1].alpha=0": ""} {
		s := rthstest.Must(scenario.Parse("t", []byte(soft), ".", []string{alpha}))
		r := rthstest.Must(s.Build(context.Background(), scenario.Options{}))
		doubts := activeDevices(r)
		if (want == "") != (len(doubts) == 0) || len(doubts) > 1 || want != "" && !strings.Contains(doubts[0], want) {
			t.Errorf("%s: %q: want %q", alpha, doubts, want)
		}
	}
}
