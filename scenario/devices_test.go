package scenario

import (
	"context"
	"math"
	"strings"
	"testing"

	"rths"
	"rths/kit/rthstest"
	"rths/method/learn"
	"rths/model/device"
)

// learning is a frame of two storeys: the laboratory has the device of the first, its copy in the second learns.
const learning = `
rate_hz: 1024
duration_s: 12
ground: {kind: sweep, from_hz: 0.5, to_hz: 4, amplitude_m_s2: 2, duration_s: 12}
structure: {kind: shear, masses: [4000, 4000], stiffnesses: [1.6e6, 1.2e6], damping: {modal_ratio: [0.02]}}
devices:
  - between: [[1, 2]]
    kind: bouc-wen
    stiffness: 1.1e6
    yield_force: 2900
    exponent: 2
    alpha: 0
    beta: 0
    damping: 0
    mass: 0
    post_yield_ratio: 0.05
    learn: {parameters: {stiffness: [4e5, 2e6], yield_force: [1500, 8000]}}
integrator: {kind: cr}
specimen: {kind: bouc-wen, stiffness: 8e5, yield_force: 3900, exponent: 2, alpha: 0, beta: 0, damping: 0, mass: 0, post_yield_ratio: 0.05}
transfer: {kind: second-order, omega_rad_s: 300, damping_ratio: 0.7}
compensator: {kind: inverse}
sensors: {displacement_noise: 2e-6, force_noise: 20}
limits: none
`

func played(t *testing.T, text string, sets ...string) *Run {
	t.Helper()
	r := rthstest.Must(rthstest.Must(Parse("t", []byte(text), ".", sets)).Build(context.Background(), Options{}))
	if err := r.Loop.Run(1<<20, nil); err != nil {
		t.Fatal(err)
	}
	return r
}

// The copy comes to the numbers of the specimen, and J4 and the motion of the second floor come closer to the response
// in which all devices have its law. Without learning the reference is the same.
func TestDevicesLearn(t *testing.T) {
	off := map[string]float64{}
	for _, by := range []string{"ukf", "none"} {
		r := played(t, learning, "devices[1].learn.by="+by)
		for _, v := range r.Summary() {
			if v.Name == "floor2_std_pct" {
				off[by] = v.V
			}
		}
		if by == "none" {
			if r.Learning != nil {
				t.Error("by: none learns")
			}
			continue
		}
		g := r.Learning.Groups()[0]
		for j, want := range []float64{8e5, 3900} {
			v, sd := g.Filter.Value(j)
			if !(math.Abs(v-want) < 0.01*want) || !(sd < 0.01*want) {
				t.Errorf("%s: %g ± %g: want %g", g.Parameters[j].Name, v, sd, want)
			}
		}
		if !g.Filter.White() || g.Filter.FellBack() != 0 {
			t.Errorf("white %v, fell back %d times", g.Filter.White(), g.Filter.FellBack())
		}
	}
	if !(off["ukf"] < off["none"]/3) {
		t.Errorf("floor 2 is off by %g %% with learning and by %g %% without", off["ukf"], off["none"])
	}
}

// A run goes on from a checkpoint with the same bits, in the middle of a block.
func TestLearningResumes(t *testing.T) {
	make1 := func() *Run {
		return rthstest.Must(rthstest.Must(Parse("t", []byte(learning), ".", nil)).Build(context.Background(), Options{}))
	}
	a, b := make1(), make1()
	step := func(r *Run, n int) {
		for range n {
			if err := r.Loop.Step(); err != nil {
				t.Fatal(err)
			}
		}
	}
	step(a, 3333)
	if err := b.Loop.Resume(a.Loop.Checkpoint()); err != nil {
		t.Fatal(err)
	}
	step(a, 2000)
	step(b, 2000)
	for i, v := range a.Loop.Checkpoint() {
		if w := b.Loop.Checkpoint()[i]; v != w && !(math.IsNaN(v) && math.IsNaN(w)) {
			t.Fatalf("number %d of the checkpoint is %g: want %g", i, w, v)
		}
	}
}

// The loop linearised about rest has the numbers learned so far: a tick's Jacobian is that of devices so stated.
func TestJacobianOfWhatWasLearned(t *testing.T) {
	r := rthstest.Must(rthstest.Must(Parse("t", []byte(learning), ".", nil)).Build(context.Background(), Options{}))
	before := rthstest.Must(r.Loop.Jacobian())
	*r.Learning.Groups()[0].Parameters[0].V = 5e5
	after := rthstest.Must(r.Loop.Jacobian())
	other := rthstest.Must(rthstest.Must(Parse("t", []byte(learning), ".",
		[]string{"devices[1].stiffness=5e5"})).Build(context.Background(), Options{}))
	want := rthstest.Must(other.Loop.Jacobian())
	near := func(a, b *rths.Jacobian) (off float64) {
		for i := range a.J {
			off = max(off, math.Abs(a.J[i]-b.J[i])/(1+math.Abs(b.J[i])))
		}
		return off
	}
	if len(after.J) != len(want.J) || !(near(after, want) < 0.05) || !(near(before, want) > 2*near(after, want)) {
		t.Errorf("off by %g, before by %g", near(after, want), near(before, want))
	}
}

// All kinds of devices build and run; each has its law with its linear part in the matrices, least damping of what is
// learned.
func TestEveryKindOfDevice(t *testing.T) {
	head, _, _ := strings.Cut(learning, "devices:")
	_, tail, _ := strings.Cut(learning, "integrator:")
	for _, kind := range []string{"{kind: linear, stiffness: 1e5, damping: 300}", "{kind: viscous-damper, exponent: 0.5, damping: 2000}",
		"{kind: maxwell}", "{kind: maxwell, exponent: 0.5, damping: 3000}", "{kind: viscoelastic}", "{kind: fractional}",
		"{kind: friction}", "{kind: lugre}", "{kind: stop}", "{kind: bilinear}", "{kind: bouc-wen, mass: 0}"} {
		between := "devices:\n  - " + strings.Replace(kind, "{", "{between: [[0, 1], [1, 2], [0, 2]], ", 1) + "\n"
		r := played(t, head+between+"integrator:"+tail, "duration_s=2", "timing.target=current")
		if n := len(r.Whole.Devices); n != 3 {
			t.Errorf("%s: %d devices: want 3", kind, n)
		}
		for i := range r.Whole.Devices {
			d := &r.Whole.Devices[i]
			k, c := d.Law.AtRest()
			if d.Number != i+1 || d.K != k || d.C != c {
				t.Errorf("%s: device %d has %g, %g in the matrices: want %g, %g", kind, d.Number, d.K, d.C, k, c)
			}
		}
	}
	r := rthstest.Must(rthstest.Must(Parse("t", []byte(head+`devices:
  - {between: [[1, 2]], kind: linear, stiffness: 1e5, damping: 300, learn: {by: rls, parameters: {damping: [100, 900]}}}
integrator:`+tail), ".", nil)).Build(context.Background(), Options{}))
	if d := r.Whole.Devices[0]; d.C != 100 || d.K != 1e5 {
		t.Errorf("%g N·s/m in the matrices: want the least, 100", d.C)
	}
	if _, ok := r.Learning.Groups()[0].Filter.(*learn.RLS); !ok {
		t.Errorf("%T", r.Learning.Groups()[0].Filter)
	}
	if _, ok := r.Whole.Devices[0].Law.(*device.Viscoelastic); !ok {
		t.Errorf("%T", r.Whole.Devices[0].Law)
	}
}

// Devices that relax come to the start of a test as their reference does.
func TestDevicesAtTheStart(t *testing.T) {
	const slow = "devices=[{between: [[0, 1], [1, 2]], kind: viscoelastic, branch_stiffnesses: [1e6, 1e6], relaxation_times_s: [10, 1]}]"
	r := played(t, learning, slow, "initial_displacement=[0.02, 0.03]", "specimen={kind: linear, stiffness: 1}",
		"transfer={kind: ideal}", "compensator={kind: none}", "sensors={}", "rate_hz=2048")
	for _, v := range r.Summary() {
		if v.Name == "floor2_std_pct" && !(v.V < 0.1) {
			t.Errorf("%g %% off the reference: want less than 0.1", v.V)
		}
	}
}

// Wrong devices are refused with their place.
func TestWrongDevices(t *testing.T) {
	for _, c := range []struct{ want, set string }{
		{"devices[1].between: degree of freedom 3: want 1 to 2, or 0 for the ground", "devices[1].between=[[1, 3]]"},
		{"devices[1].between: 2 and 2: want two degrees of freedom", "devices[1].between=[[2, 2]]"},
		{"devices[1].between: [2, 0]: want the ground first, [0, 2]", "devices[1].between=[[2, 0]]"},
		{"devices[1].between: [1]: want pairs", "devices[1].between=[[1]]"},
		{"devices[1].between: missing", "devices[1].between=[]"},
		{"devices[1]: mass 5 kg: want 0: a device has no mass", "devices[1].mass=5"},
		{"devices[1].learn.parameters.yield_forc: cannot be learned: did you mean yield_force?: want one of",
			"devices[1].learn.parameters={yield_forc: [1, 2]}"},
		{"devices[1].learn.parameters.stiffness: [2e+06, 3e+06]: want bounds above 0 around 1.1e+06 N/m, the value where the test begins",
			"devices[1].learn.parameters={stiffness: [2e6, 3e6]}"},
		{"devices[1].learn.parameters.stiffness: [2e+06]: want the least and the largest value, as in [550000, 2.2e+06]",
			"devices[1].learn.parameters={stiffness: [2e6]}"},
		{"devices[1].learn.parameters: missing", "devices[1].learn.parameters={}"},
		{"devices[1].learn.parameters: at a corner of the bounds: post_yield_ratio 1.5, exponent 2: want below 1",
			"devices[1].learn.parameters={post_yield_ratio: [0.01, 1.5]}"},
		{`devices[1].learn.by: "ekf": want ukf, rls or none`, "devices[1].learn.by=ekf"},
		{"devices[1].learn: stiffness: the force is not linear in it", "devices[1].learn.by=rls"},
		{`devices[1].learn.from: "test": want specimen`, "devices[1].learn.from=test"},
		{"devices[1].learn: with force: computed, which has the law of the model and nothing to learn from", "force=computed"},
		{"devices[1].learn.still_below: -1 m/s", "devices[1].learn.still_below=-1"},
		{"specimen: mass 3 kg: the measured force has its inertia, which devices would learn", "specimen.mass=3"},
		{"devices[1].learn: with process: own", "two_rate={main_step: 4, predictor: {kind: poly3}, process: own}"},
		{"reduce: device 1 has a law of its own", "reduce={modes: 1, up_to_hz: 10}"},
	} {
		s, err := Parse("t", []byte(learning), ".", []string{c.set})
		if err == nil {
			_, err = s.Build(context.Background(), Options{})
		}
		rthstest.WantError(t, err, c.want)
	}
}

// Devices of a prescribed target have nothing to stand in.
func TestDevicesWithoutStructure(t *testing.T) {
	_, err := Parse("t", []byte("rate_hz: 1024\nloop: open\ntarget: {kind: sine, amplitude_m: 0.01, frequency_hz: 1}\n"+
		"devices: [{between: [[0, 1]], kind: stop}]\nspecimen: {kind: stop}\ntransfer: {kind: ideal}\n"), ".", nil)
	rthstest.WantError(t, err, "devices: without a structure of this program")
}

// LearnedKeys are in order, and Where sets them and learns no more.
func TestWhereDevicesMayCome(t *testing.T) {
	s := rthstest.Must(Parse("t", []byte(learning), ".", nil))
	keys := s.LearnedKeys()
	if len(keys) != 2 || keys[0] != (LearnedKey{"devices[1].stiffness", 4e5, 1.1e6, 2e6}) ||
		keys[1] != (LearnedKey{"devices[1].yield_force", 1500, 2900, 8000}) {
		t.Fatalf("%+v", keys)
	}
	there := rthstest.Must(s.Where([]float64{5e5, 2000}))
	r := rthstest.Must(there.Build(context.Background(), Options{}))
	law := r.Whole.Devices[0].Law.(*device.Damped).Law.(*device.BoucWen)
	if law.Ke != 5e5 || law.Fy != 2000 || len(there.LearnedKeys()) != 0 || len(s.LearnedKeys()) != 2 {
		t.Errorf("%+v, %d keys", law, len(there.LearnedKeys()))
	}
}

// What was learned leaves as blocks of a scenario: they build, begin where the test ended, and scatter by its standard
// deviations; the comments have the covariance.
func TestLearnedFragment(t *testing.T) {
	r := played(t, learning)
	text := rthstest.Must(r.Learned())
	f := r.Learning.Groups()[0].Filter
	k, sd := f.Value(0)
	for _, want := range []string{"# devices[1].stiffness: ", " ± ", "#   covariance with stiffness: ", "correlation "} {
		rthstest.Contains(t, text, want)
	}
	head, _, _ := strings.Cut(learning, "devices:")
	_, tail, _ := strings.Cut(learning, "integrator:")
	before, after, _ := strings.Cut(tail, "specimen: {kind: bouc-wen, stiffness: 8e5")
	_, after, _ = strings.Cut(after, "\n")
	s := rthstest.Must(Parse("next", []byte(head+text+"integrator:"+before+after), ".", nil))
	keys := s.LearnedKeys()
	if len(keys) != 2 || math.Abs(keys[0].Begin-k) > 1e-5*k || len(s.Scatter) != 2 || s.Scatter[0].Key != "specimen.stiffness" {
		t.Fatalf("%+v, %d that scatter", keys, len(s.Scatter))
	}
	drawn := rthstest.Must(s.PerturbedPlant(3).Build(context.Background(), Options{})).Drawn
	if len(drawn) != 2 || drawn[0].V == keys[0].Begin || math.Abs(drawn[0].V-k) > 6*sd {
		t.Errorf("drawn %+v: want within some %g of %g", drawn, sd, k)
	}
	if text, err := played(t, learning, "devices[1].learn.by=none", "duration_s=1").Learned(); text != "" || err != nil {
		t.Errorf("%q, %v: want nothing", text, err)
	}
}

// No devices make the builder panic, nor the first ticks of what it builds.
func FuzzDevices(f *testing.F) {
	head, _, _ := strings.Cut(learning, "devices:")
	_, tail, _ := strings.Cut(learning, "integrator:")
	f.Add("between: [[1, 2]], kind: bouc-wen, stiffness: 1e6, learn: {parameters: {stiffness: [4e5, 2e6]}}")
	f.Add("between: [[0, 1], [0, 2]], kind: lugre, backlash: 1e-3")
	f.Add("between: [[1, 2]], kind: viscoelastic, learn: {by: rls, parameters: {\"branch_stiffnesses[1]\": [1, 1e6]}}")
	f.Add("between: [[0, 2]], kind: maxwell, exponent: 0.3, learn: {parameters: {exponent: [0.2, 0.9], damping: [1, 1e9]}}")
	f.Add("between: [[0, 2]], kind: stop, travel: 1e-3, side: gap")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := Parse("t", []byte(head+"devices: [{"+text+"}]\nintegrator:"+tail), ".", []string{"duration_s=0.05"})
		if err != nil {
			return
		}
		r, err := s.Build(context.Background(), Options{})
		if err != nil {
			return
		}
		for range 20 {
			if r.Loop.Step() != nil {
				break
			}
		}
		if _, err := r.Learned(); err != nil {
			t.Errorf("what was learned: %v", err)
		}
	})
}
