package scenario

import (
	"math"
	"math/cmplx"
	"os"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rths/kit/rthstest"
	"rths/lab/rig"
	"rths/maths/lti"
	"rths/model/plant"
	"rths/scenario/syntax"
	"rths/scenarios"
)

// parseMultiAxial is the shipped scenario under a sine, so that no record is needed.
func parseMultiAxial(t *testing.T, sets ...string) (*Scenario, error) {
	t.Helper()
	text, err := scenarios.Files.ReadFile("benchmark-multiaxial.yaml")
	if err != nil {
		t.Fatal(err)
	}
	plain := strings.Replace(string(text), "{record: elcentro, scale: 0.4}",
		"{kind: sine, frequency_hz: 2, amplitude_m_s2: 1, duration_s: 4}", 1)
	return Parse("multi.yaml", []byte(plain), ".", sets)
}

func multiAxial(t *testing.T, sets ...string) *Scenario {
	t.Helper()
	s, err := parseMultiAxial(t, sets...)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func mustBuild(t *testing.T, sets ...string) *Run {
	t.Helper()
	r, err := multiAxial(t, sets...).Build(t.Context(), Options{RecordsDir: os.Getenv("RTHS_RECORDS")})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func finishRun(t *testing.T, r *Run) map[string]float64 {
	t.Helper()
	if err := r.Loop.Run(0, nil); err != nil {
		t.Fatal(err)
	}
	out := map[string]float64{}
	for _, v := range r.Summary() {
		out[v.Name] = v.V
	}
	return out
}

// A criterion on request judges every actuator.
func TestCriteriaOfSeveralActuators(t *testing.T) {
	values := finishRun(t, mustBuild(t, "criteria.fei=true", "duration_s=1"))
	for _, name := range []string{"FEI_1_A", "FEI_2_A"} {
		if a := values[name]; !(a > 0.5 && a < 1.5) {
			t.Errorf("%s = %g: want an amplitude near 1", name, a)
		}
	}
}

// A tick with two actuators: targets are the frame's in actuator coordinates,
// forces three, and nothing is allocated.
func TestSeveralActuators(t *testing.T) {
	r := mustBuild(t)
	for range 300 {
		if err := r.Loop.Step(); err != nil {
			t.Fatal(err)
		}
	}
	f := r.Loop.Frame()
	if len(f.Target.X) != 2 || len(f.Command) != 2 || len(f.Read.X) != 2 || len(f.InterfaceRead.F) != 3 ||
		len(f.InterfaceTarget.X) != 2 || len(f.Num.X) != 29 {
		t.Fatalf("%d targets, %d commands, %d readings, %d forces, %d coordinates, %d degrees of freedom", len(f.Target.X),
			len(f.Command), len(f.Read.X), len(f.InterfaceRead.F), len(f.InterfaceTarget.X), len(f.Num.X))
	}
	x, theta := f.Num.X[26], -f.Num.X[20] // of the controlled node
	if f.InterfaceTarget.X[0] != x || f.InterfaceTarget.X[1] != theta || theta == 0 {
		t.Errorf("interface (%g, %g), numerical part (%g, %g)", f.InterfaceTarget.X[0], f.InterfaceTarget.X[1], x, theta)
	}
	for i, sign := range []float64{1, -1} { // to first order
		if want := x + sign*0.127*theta; math.Abs(f.Target.X[i]-want) > 1e-3*math.Abs(want)+1e-6 {
			t.Errorf("target of actuator %d: %g, about %g", i+1, f.Target.X[i], want)
		}
	}
	rthstest.NoAllocation(t, func() { _ = r.Loop.Step() })
}

// Nothing is allocated whatever drives the actuators.
func TestSeveralActuatorsAllocateNothing(t *testing.T) {
	for _, kind := range []string{"ats", "adm", "msmc", "adm-msmc", "rodeac"} {
		r := mustBuild(t, "compensator.kind="+kind, "inner_loop=")
		for range 300 {
			if err := r.Loop.Step(); err != nil {
				t.Fatalf("%s: %v", kind, err)
			}
		}
		rthstest.NoAllocation(t, func() { _ = r.Loop.Step() })
	}
}

// The linear coupler is close to the exact one for the benchmark's rotations, and
// not the same.
func TestLinearCoupler(t *testing.T) {
	exact, linear := finishRun(t, mustBuild(t)), finishRun(t, mustBuild(t, "coupler.linear=true"))
	for _, key := range []string{"J2_1_true_pct", "J5_theta_true_pct"} {
		if a, b := exact[key], linear[key]; a == b || math.Abs(a/b-1) > 0.05 {
			t.Errorf("%s: %g with the exact kinematics, %g with the linear form", key, a, b)
		}
	}
}

// Noise is the same on both channels when it is shared (a pure translation), and of
// their own streams when not.
func TestSharedNoise(t *testing.T) {
	for _, c := range []struct {
		set  string
		same bool
	}{{"sensors.displacement_noise_shared=true", true}, {"sensors.displacement_noise_shared=false", false}} {
		r := mustBuild(t, c.set)
		if err := r.Loop.Step(); err != nil {
			t.Fatal(err)
		}
		f := r.Loop.Frame()
		a, b := f.Read.X[0]-f.Read.TrueX[0], f.Read.X[1]-f.Read.TrueX[1]
		if (a == b) != c.same || a == 0 {
			t.Errorf("%s: noise %g and %g", c.set, a, b)
		}
	}
}

// The whole loop decays, in all cases, on nominal and random plants: states that
// accelerations of coordinates without mass would add are not there to be found
// unstable.
func TestLoopRadiusOfTheInnerLoop(t *testing.T) {
	for _, set := range []string{"structure.case=1", "structure.case=2", "structure.case=3", "structure.case=4",
		"perturbed=3", "inner_loop="} {
		j, err := mustBuild(t, set).Loop.Jacobian()
		if err != nil {
			t.Fatal(err)
		}
		radius, err := lti.SpectralRadius(mat.NewDense(j.N, j.N, j.J))
		if err != nil || !(radius < 1) || radius < 0.99 {
			t.Errorf("%s: radius %.6f of %d states, %v: want a little below 1", set, radius, j.N, err)
		}
		if j.N < 73+8 || j.N > 125 {
			t.Errorf("%s: %d states", set, j.N)
		}
	}
}

// A perturbed plant is loaded, compensators are designed on the nominal one,
// and the resolved scenario says both.
func TestDesignIsOnTheNominalPlant(t *testing.T) {
	text, err := mustBuild(t, "perturbed=2").Scenario.YAML()
	if err != nil {
		t.Fatal(err)
	}
	again, err := Parse("again.yaml", []byte(text), ".", nil)
	if err != nil {
		t.Fatal(err)
	}
	at := again.compensatorAt()
	model, err := at.Model()
	if err != nil || at.Axes != 2 {
		t.Fatalf("%d axes, %v", at.Axes, err)
	}
	loaded, err := again.PlantModel(nil)
	if err != nil {
		t.Fatal(err)
	}
	nominal, err := multiAxial(t).compensatorAt().Model()
	if err != nil {
		t.Fatal(err)
	}
	if !mat.Equal(model.A, nominal.A) || mat.Equal(loaded.SS.A, nominal.A) {
		t.Error("want the nominal plant for the design and another on the rig")
	}
	if n, in, out := model.Dims(); n != 8 || in != 2 || out != 2 {
		t.Errorf("model of %d states, %d inputs, %d outputs: want 8, 2, 2", n, in, out)
	}
}

// What compensators are told of the numerical part alone is how it moves: an open loop
// under a sine, long enough to be steady and so small that the kinematics are linear.
func TestTargetsAlone(t *testing.T) {
	s := multiAxial(t, "loop=open", "sensors=", "ground.duration_s=30", "ground.amplitude_m_s2=0.01")
	alone, err := s.compensatorAt().Alone(2) // Hz, 1 m/s²
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.Build(t.Context(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	var peak [2]float64
	for !r.Loop.Done() {
		if err := r.Loop.Step(); err != nil {
			t.Fatal(err)
		}
		if f := r.Loop.Frame(); f.T > 25 && f.T < 29 {
			for i, x := range f.Desired {
				peak[i] = max(peak[i], math.Abs(x))
			}
		}
	}
	for i, want := range alone {
		if got := 100 * peak[i]; math.Abs(got/cmplx.Abs(want)-1) > 5e-3 {
			t.Errorf("target of actuator %d: %.5g m, alone %.5g m", i+1, got, cmplx.Abs(want))
		}
	}
}

// One compensator for each actuator stands in the file as read and as resolved.
func TestEachActuatorItsOwn(t *testing.T) {
	text, err := scenarios.Files.ReadFile("benchmark-multiaxial.yaml")
	if err != nil {
		t.Fatal(err)
	}
	plain := strings.NewReplacer("{record: elcentro, scale: 0.4}",
		"{kind: sine, frequency_hz: 2, amplitude_m_s2: 1, duration_s: 2}",
		"compensator: {kind: none}",
		"each:\n  - compensator: {kind: pe, tau_ms: 11, order: 1}\n  - compensator: {kind: inverse, tau_ms: 11}").Replace(
		string(text))
	s, err := Parse("each.yaml", []byte(plain), ".", nil)
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.Build(t.Context(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	resolved, err := s.YAML()
	if err != nil {
		t.Fatal(err)
	}
	again, err := Parse("resolved.yaml", []byte(resolved), ".", nil)
	if err != nil {
		t.Fatalf("%v\n%s", err, resolved)
	}
	r2, err := again.Build(t.Context(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	a, b := finishRun(t, r), finishRun(t, r2)
	if a["J2_1_pct"] != b["J2_1_pct"] || a["J2_1_pct"] == 0 {
		t.Errorf("J2_1 %g, of the resolved scenario %g", a["J2_1_pct"], b["J2_1_pct"])
	}
	if none := finishRun(t, mustBuild(t)); !(a["delay_1_ms"] < none["delay_1_ms"]/2 &&
		a["delay_2_ms"] < none["delay_2_ms"]/2) {
		t.Errorf("delays %g and %g ms, without compensators %g and %g", a["delay_1_ms"], a["delay_2_ms"], none["delay_1_ms"],
			none["delay_2_ms"])
	}
	lines, err := s.CompensatorSettings()
	if err != nil || len(lines) != 2 || !strings.HasPrefix(lines[1], "actuator 2 {kind: inverse") {
		t.Errorf("settings %q, %v", lines, err)
	}
}

func TestActuatorErrors(t *testing.T) {
	for _, c := range []struct{ set, want string }{
		{"coupler={}", "kind is missing: want one of frame"},
		{"coupler.offset_m=0", "want lengths up to 1000 m and an offset of at least 1e-06 m"},
		{"transfer.kind=second-order", "second-order of 1 axes: want 2, the number of actuators"},
		{"integrator.kind=rk4", "want"},
		{"structure={kind: silva2020}", "want both of kind marths"},
		{"specimen.kind=silva2020", "want both of kind marths"},
		{"interface_dof=2", "leave it out"},
		{"initial_displacement=[1]", "want a ground motion or forces"},
		{"structure.case=7", "case 7: want 1 to 4"},
		{"two_rate.main_step=4",
			"coupler: two_rate makes main steps with a leading integrator, and structure marths has coordinates without mass"},
		{"interface_motion=absolute", "coupler: interface_motion absolute: the forces of specimen marths are recovered"},
		{"timing.target=next", "closing integrator"},
		{"criteria.floors=true", "are for one actuator"},
		{"each=[{compensator: {kind: none}}]", "want one or the other"},
		{"inner_loop.kp=1e400", "want a finite number"},
		{"transfer.poles_1_hz=[1]", "1 numbers in poles_1_hz: want 2"},
	} {
		s, err := parseMultiAxial(t, c.set)
		if err == nil {
			_, err = s.Build(t.Context(), Options{})
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.set, err, c.want)
		}
	}
	s := multiAxial(t)
	bare := *s
	bare.Coupler = syntax.Choice[plant.CouplerMaker]{}
	if _, err := bare.Build(t.Context(), Options{}); err == nil || !strings.Contains(err.Error(), "coupler: missing") {
		t.Errorf("no coupler: %v", err)
	}
	s.UseEach("none", s.Compensator.Params)
	if _, err := s.Build(t.Context(), Options{}); err == nil ||
		!strings.Contains(err.Error(), "each: 1 blocks: want 2, one for each actuator") {
		t.Errorf("one compensator for two actuators: %v", err)
	}
}

// A run that leaves the kinematics has diverged, and says where. A guard takes over
// from it: the reading that fails does not end the ramp.
func TestOutOfReachHasDiverged(t *testing.T) {
	for _, c := range []struct{ limits, onTrip, status string }{
		{"limits=none", "seed=1", "diverged"},
		{"limits=[{channel: non_finite, action: ramp}]", "on_trip={velocity_m_s: 0.5, acceleration_m_s2: 50}", "tripped"},
	} {
		r := mustBuild(t, "inner_loop={kp: -40, ki: 0}", "diverged_m=100", c.limits, c.onTrip)
		err := r.Loop.Run(0, nil)
		status, reason := r.Status(err)
		if status != c.status || !strings.Contains(reason, "sine of the rotation") {
			t.Errorf("%s: %s: %s", c.limits, status, reason)
		}
		if r.Guard == nil {
			continue
		}
		if r.Guard.State() != rig.Tripped || r.Guard.Events()[0].Channel != "reading" {
			t.Errorf("guard %s, events %v", r.Guard.State(), r.Guard.Events())
		}
		for _, ch := range r.Channels {
			if strings.HasPrefix(ch.Name, "guard_command") && *ch.V != 0 {
				t.Errorf("the ramp ends with %s at %g m: want 0", ch.Name, *ch.V)
			}
		}
	}
}
