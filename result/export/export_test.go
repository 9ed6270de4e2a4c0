package export

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rths"
	"rths/kit/rthstest"
	"rths/maths/lti"
	"rths/method/compensate"
	"rths/scenario"
)

// tick is what a compensator gets in a sample.
type tick struct {
	target rths.Motion
	read   rths.Reading
}

// stream is the motion of a run: targets and readings.
type stream []tick

func (s *stream) Observe(f *rths.Frame) {
	clone := func(v []float64, n int) []float64 { return append(make([]float64, 0, n), v...) }
	t := tick{rths.Motion{X: clone(f.Target.X, 4), V: clone(f.Target.V, 4), A: clone(f.Target.A, 4)},
		rths.Reading{Motion: rths.Motion{X: clone(f.Read.X, 4), A: clone(f.Read.A, 4)}, F: clone(f.Read.F, 4),
			Age: f.Read.Age, Late: f.Read.Late}}
	*s = append(*s, t)
}

// commands are those of a Go object.
func (s stream) commands(c rths.Compensator, axes int) (out []float64) {
	command := make([]float64, axes)
	for i := range s {
		c.Step(command, &s[i].target, &s[i].read)
		out = append(out, command...)
	}
	return out
}

// bytes are the inputs for the program of a test.
func (s stream) bytes(axes, forces int) (out []byte) {
	put := func(v []float64, n int) {
		for i := range n {
			x := 0.0
			if i < len(v) {
				x = v[i]
			}
			out = binary.LittleEndian.AppendUint64(out, math.Float64bits(x))
		}
	}
	for _, t := range s {
		put(t.target.X, axes)
		put(t.target.V, axes)
		put(t.target.A, axes)
		put(t.read.X, axes)
		put(t.read.F, forces)
		late := 0.0
		if t.read.Late {
			late = 1
		}
		put(t.read.A, len(t.read.A))
		put([]float64{float64(t.read.Age), late}, 2)
	}
	return out
}

// harness reads inputs and writes commands.
const harness = `#include <stdio.h>
#include "x.c"
static x_t c;
int main(void)
{
	double in[INPUTS], out[X_AXES];
	x_input i;
	int k;
	x_init(&c);
	while (fread(in, sizeof in, 1, stdin) == 1) {
		const double *p = in;
		for (k = 0; k < X_AXES; k++) i.target[k] = *p++;
		for (k = 0; k < X_AXES; k++) i.velocity[k] = *p++;
		for (k = 0; k < X_AXES; k++) i.acceleration[k] = *p++;
		for (k = 0; k < X_AXES; k++) i.measured[k] = *p++;
		for (k = 0; k < X_FORCES; k++) i.force[k] = *p++;
		ACCELERATIONS
		i.age = (int)*p++;
		i.late = *p != 0;
		x_step(&c, &i, out);
		fwrite(out, sizeof out, 1, stdout);
	}
	return 0;
}
`

// flags are those of every build.
var flags = []string{"-std=c99", "-O2", "-ffp-contract=off", "-Wall", "-Wextra", "-Wpedantic", "-Werror"}

// compilers are those that a laboratory has.
var compilers = []string{"gcc", "clang"}

// build compiles an export with a compiler.
func build(t *testing.T, cc string, s Source, more ...string) string {
	t.Helper()
	if _, err := exec.LookPath(cc); err != nil {
		t.Skipf("want %s installed", cc)
	}
	dir := t.TempDir()
	s.Name = "x"
	files, err := C(s)
	if err != nil {
		t.Fatal(err)
	}
	files["main.c"] = strings.NewReplacer("INPUTS", strconv.Itoa(s.columns()), "ACCELERATIONS",
		s.accelerated("for (k = 0; k < X_AXES; k++) i.measured_acceleration[k] = *p++;")).Replace(harness)
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	program := filepath.Join(dir, "program")
	args := append(append([]string{"-o", program, filepath.Join(dir, "main.c")}, flags...), more...)
	if out, err := exec.Command(cc, append(args, "-lm")...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s\n%s", cc, err, out, files["x.c"])
	}
	return program
}

// inC runs the program of an export.
func inC(t *testing.T, program string, input []byte) []float64 {
	t.Helper()
	run := exec.Command(program)
	run.Stdin = bytes.NewReader(input)
	var errs bytes.Buffer
	run.Stderr = &errs
	out, err := run.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, errs.String())
	}
	return numbers(t, out)
}

// numbers are what a program has written.
func numbers(t *testing.T, out []byte) []float64 {
	t.Helper()
	values := make([]float64, len(out)/8)
	if err := binary.Read(bytes.NewReader(out), binary.LittleEndian, values); err != nil {
		t.Fatal(err)
	}
	return values
}

// laboratory is a shipped scenario with changes.
type laboratory struct {
	file string
	sets []string
}

// benchmark is the single-actuator benchmark with a method, and with the sensors that it wants.
func benchmark(kind string) laboratory {
	sets := []string{"compensator={kind: " + kind + "}"}
	if strings.HasPrefix(kind, "tvc") {
		sets = append(sets, "sensors.acceleration=true")
	}
	return laboratory{"benchmark-siso.yaml", sets}
}

// built is the laboratory ready to run. Without records, or in a short test, the ground is synthetic.
func (l laboratory) built(t *testing.T) *scenario.Run {
	t.Helper()
	sets := []string{"limits=none"}
	if !full() || os.Getenv("RTHS_RECORDS") == "" {
		sets = append(sets,
			"ground={kind: clough-penzien, duration_s: 2, pga_g: 0.2, onset_s: 0.2, rise_s: 0.5, strong_s: 1, decay_s: 0.3}")
	} else {
		sets = append(sets, "ground={record: elcentro, scale: 0.4}", "duration_s=40")
	}
	s, err := scenario.Shipped(l.file, append(sets, l.sets...)...)
	if err != nil {
		t.Fatal(err)
	}
	run, err := s.Build(t.Context(), scenario.Options{RecordsDir: os.Getenv("RTHS_RECORDS")})
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// motion is that of a run, and of another method's run where this one diverged. Rough input follows.
func (l laboratory) motion(t *testing.T) stream {
	var motion stream
	run := l.built(t)
	run.Loop.Attach(&motion)
	if err := run.Loop.Run(0, nil); err != nil {
		l.sets = append(l.sets, "compensator={kind: mbc}", "fallback=")
		run = l.built(t)
		run.Loop.Attach(&motion)
		_ = run.Loop.Run(0, nil)
	}
	part := min(len(motion), 9000)
	return append(motion, motion[len(motion)-part:].rough()...)
}

// rough is a motion with readings that are old, late, lost or beyond all measure, and with a silence of a second.
func (s stream) rough() (out stream) {
	random := rand.New(rand.NewPCG(3, 9))
	worst := []float64{math.NaN(), math.Inf(1), math.Inf(-1), 1e300, -1.7e308, 0, math.Copysign(0, -1), 5e-324}
	silent, held := 0, s[0].read
	for i, v := range s {
		read := &v.read
		if i == len(s)/3 {
			silent = 4096
		}
		switch {
		case silent > 0 || random.IntN(1000) < 300 && i > len(s)/2:
			age := held.Age + 1
			*read, read.Age = held, age
			silent = max(silent-1, 0)
		case random.IntN(200) == 0:
			read.X = []float64{worst[random.IntN(len(worst))], worst[random.IntN(len(worst))], 0, 0}[:len(read.X):4]
		case len(read.A) > 0 && random.IntN(200) == 0:
			read.A = []float64{worst[random.IntN(len(worst))], 0, 0, 0}[:len(read.A):4]
		case random.IntN(200) == 0:
			read.F = []float64{worst[random.IntN(len(worst))], 0, 0, 0}[:len(read.F):4]
		case random.IntN(200) == 0:
			read.Late = true
		}
		held = *read
		out = append(out, v)
	}
	return out
}

// source is a compensator of a laboratory for an export.
func source(c rths.Compensator, at tick) Source {
	return Source{Name: "x", Title: "test", Program: "test", Compensator: c, RateHz: 4096, Axes: len(at.target.X),
		Forces: len(at.read.F), Accelerated: len(at.read.A) > 0}
}

// full is a test of all cases.
func full() bool { return rthstest.All() }

// fromTheStart wants the commands of Go, to the bit, from the C of a method.
func fromTheStart(t *testing.T, c rths.Compensator, motion stream, more ...string) {
	t.Helper()
	compareAll(t, c, motion, motion, 0, more...)
}

// brisk are the flags for every method of the table: with RTHS_FULL=1 they are optimised.
func brisk() []string {
	if rthstest.Draws(0, 1) == 1 {
		return nil
	}
	return []string{"-O0"}
}

// quick are flags of the many builds of a test of some cases. Its few others, and all of a test of all cases, optimise.
func quick() []string {
	if full() {
		return nil
	}
	return []string{"-O0"}
}

// frozenAmid wants the same with its parameters frozen, from amid the motion on.
func frozenAmid(t *testing.T, c rths.Compensator, motion stream, more ...string) {
	t.Helper()
	half := len(motion) / 2
	motion[:half].commands(c, len(motion[0].target.X))
	if a, ok := rths.As[rths.Adaptive](c); ok {
		a.Freeze(true)
	}
	compareAll(t, c, motion[half:], motion, 1, more...)
}

// compareAll compares with all compilers, or with one. The motion that follows is not what the source looks at.
func compareAll(t *testing.T, c rths.Compensator, motion, whole stream, one int, more ...string) {
	t.Helper()
	axes, forces := len(whole[0].target.X), len(whole[0].read.F)
	some := compilers
	if !full() {
		some = compilers[one : one+1]
	}
	var programs []string
	for _, cc := range some {
		programs = append(programs, build(t, cc, source(c, whole[0]), more...)) // of the object as it is now
	}
	input, want := motion.bytes(axes, forces), motion.commands(c, axes)
	for i, program := range programs {
		compare(t, some[i], inC(t, program, input), want)
	}
}

// The C of every method of the table gives the commands of the Go object to the bit.
func TestCIsGo(t *testing.T) {
	var seen sync.Map // Go types with frozen parameters
	for _, kind := range compensate.Kinds {
		t.Run(kind.Name, func(t *testing.T) {
			t.Parallel()
			l := benchmark(kind.Name)
			motion := l.motion(t)
			fromTheStart(t, l.built(t).Compensator(), motion, brisk()...)
			c := l.built(t).Compensator()
			_, learns := rths.As[rths.Adaptive](c)
			if _, again := seen.LoadOrStore(reflect.TypeOf(c), true); learns && !again || full() {
				frozenAmid(t, c, motion, brisk()...)
			}
		})
	}
}

// So does the C of what stands in other laboratories: several actuators, timing next, an inner loop, chains.
func TestCIsGoElsewhere(t *testing.T) {
	like := []string{"frame", "frame, msmc", "frame, rodeac", "storeys, kalman-inverse", "storeys, mbc", "next, adm",
		"next, ats", "next, cats", "next, kalman-inverse", "next, hinf", "ats, motion too small",
		"feedforward and feedback", "ats and feedback", "kf and feedback"} // of others
	for name, l := range map[string]laboratory{
		"frame":              {"benchmark-multiaxial.yaml", []string{"compensator={kind: none}"}},
		"frame, amb on each": {"benchmark-multiaxial.yaml", []string{"compensator={kind: amb}"}},
		"frame, msmc":        {"benchmark-multiaxial.yaml", []string{"compensator={kind: msmc}", "inner_loop="}},
		"frame, adm-msmc":    {"benchmark-multiaxial.yaml", []string{"compensator={kind: adm-msmc}", "inner_loop="}},
		"frame, rodeac":      {"benchmark-multiaxial.yaml", []string{"compensator={kind: rodeac}", "inner_loop="}},
		"frame, rodeac and msmc": {"benchmark-multiaxial.yaml",
			[]string{"compensator={kind: chain, of: [{kind: rodeac}, {kind: msmc}]}", "inner_loop="}},
		"storeys, amb":            {"two-storeys.yaml", nil},
		"storeys, kalman-inverse": {"two-storeys.yaml", []string{"compensator={kind: kalman-inverse}"}},
		"storeys, mbc":            {"two-storeys.yaml", []string{"compensator={kind: mbc}"}},
		"storeys, chains": {"two-storeys.yaml",
			[]string{"compensator={kind: chain, join: parallel, of: [{kind: adm}, {kind: lqg}]}"}},
		"next, inner loop": {"benchmark-siso.yaml",
			[]string{"timing.target=next", "compensator={kind: mbc}", "inner_loop={kp: 0.5, ki: 10}"}},
		"next, adm": {"benchmark-siso.yaml", []string{"timing.target=next", "compensator={kind: adm4}"}},
		"next, adm, targets": {"benchmark-siso.yaml",
			[]string{"timing.target=next", "compensator={kind: adm, p: 2, history: target, hold_unstable: true}"}},
		"next, ats": {"benchmark-siso.yaml",
			[]string{"timing.target=next", "compensator={kind: ats, order: 3}"}},
		"next, cats": {"benchmark-siso.yaml",
			[]string{"timing.target=next", "compensator={kind: cats, error_below_m: 1e-5}"}},
		"next, kf": {"benchmark-siso.yaml",
			[]string{"timing.target=next",
				"compensator={kind: kf, extra_samples: 1, lower: [-50, -50, -50, -50], upper: [50, 50, 50, 50]}"}},
		"next, forward-prediction": {"benchmark-siso.yaml",
			[]string{"timing.target=next", "compensator={kind: forward-prediction, order: 2}"}},
		"next, kalman-inverse": {"benchmark-siso.yaml",
			[]string{"timing.target=next", "compensator={kind: kalman-inverse}"}},
		"next, mbc-lqg": {"benchmark-siso.yaml",
			[]string{"timing.target=next", "compensator={kind: mbc-lqg, derivatives: backward}"}},
		"next, hinf": {"benchmark-siso.yaml", []string{"timing.target=next", "compensator={kind: hinf}"}},
		"next, mpc at its bounds": {"benchmark-siso.yaml",
			[]string{"timing.target=next", "compensator={kind: mpc, limit_m: 1e-3, rate_m_s: 0.05}"}},
		"adm, measured": {"benchmark-siso.yaml",
			[]string{"compensator={kind: adm, p: 1, spacing: 20, history: measured, forgetting: 0.5, p0: [1e-6], " +
				"suspend_below_m: 0}"}},
		"adm, zeros outside": {"benchmark-siso.yaml",
			[]string{"timing.target=next", "compensator={kind: adm4, theta0: [1.5, 100, -150, 50.5], history: measured}"}},
		"ats, motion too small": {"benchmark-siso.yaml", []string{"compensator={kind: ats, suspend_rms_m: 1e-4}"}},
		"pi without converters": {"benchmark-siso.yaml", []string{"compensator={kind: pi, quantum_m: 0, range_m: 0}"}},
		"ss with feedback": {"benchmark-siso.yaml",
			[]string{"compensator={kind: ss, domain: z, a: [[0.5]], b: [[0.1, -0.1]], c: [[1]], d: [[1, -0.1]]}"}},
		"lqg that overflows": {"benchmark-siso.yaml",
			[]string{"compensator={kind: lqg, noise_um: 1e-3, disturbance_um: 1e5}"}},
		"feedback only": {"benchmark-siso.yaml",
			[]string{"compensator={kind: chain, join: parallel, of: [{kind: lqg}, {kind: hinf}]}"}},
		"two stages":               {"two-stage.yaml", nil},
		"table with a payload":     {"shake-table-payload.yaml", []string{"compensator={kind: tvc-rls}"}},
		"storeys, tvc":             {"two-storeys.yaml", []string{"compensator={kind: tvc}", "sensors.acceleration=true"}},
		"feedforward and feedback": {"amb-with-feedback.yaml", nil},
		"ats and feedback": {"amb-with-feedback.yaml",
			[]string{"compensator={kind: chain, join: parallel, of: [{kind: ats}, {kind: lqg}]}"}},
		"kf and feedback": {"amb-with-feedback.yaml",
			[]string{"compensator={kind: chain, join: parallel, of: [{kind: kf}, {kind: lqg}]}"}},
		"kalman and feedback": {"amb-with-feedback.yaml",
			[]string{"compensator={kind: chain, join: parallel, of: [{kind: kalman-inverse}, {kind: lqg}]}"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if slices.Contains(like, name) {
				rthstest.Full(t)
			}
			asInGo(t, l)
		})
	}
}

// So does the C of a fallback, in a motion in which it acts.
func TestCFallsBackAsGo(t *testing.T) {
	like := []string{"fallback, residual, kf", "fallback, residual, cats", "fallback, forward",
		"fallback of two stages"} // of others
	for name, l := range map[string]laboratory{
		"fallback, kalman, bound": {"benchmark-siso.yaml",
			[]string{"compensator={kind: kalman-inverse, lag_sd: 1e-3, loading: none, delay_ms: 0.1}",
				"fallback={kind: mbc, residual_pct: 0, at_bounds_s: 0.01, stale_s: 0}"}},
		"fallback within limits": {"benchmark-siso.yaml",
			[]string{"compensator={kind: ats}", "fallback={kind: mbc}", "transfer.stroke_m=0.004", "transfer.rate_m_s=0.05"}},
		"fallback, stale": {"benchmark-siso.yaml", []string{"compensator={kind: ats}", "fallback={kind: mbc}"}},
		"fallback, at a bound": {"benchmark-siso.yaml",
			[]string{"compensator={kind: amb, a: [1, 0.02, 1e-4, 1e-6], lower: [0.999, 0.02, 1e-4, 1e-6], upper: [1.001, " +
				"0.0201, 1.1e-4, 1e-6]}", "fallback={kind: amb-galmez2021, at_bounds_s: 0.1}"}},
		"fallback, residual, kf": {"benchmark-siso.yaml",
			[]string{"compensator={kind: kf}", "fallback={kind: pe, residual_pct: 1, residual_s: 0.01, blend_s: 0.05}"}},
		"fallback, residual, adm": {"benchmark-siso.yaml",
			[]string{"timing.target=next", "compensator={kind: adm4}",
				"fallback={kind: inverse, residual_pct: 1, residual_s: 0.01}"}},
		"fallback, residual, cats": {"benchmark-siso.yaml",
			[]string{"compensator={kind: cats}", "fallback={kind: kf, residual_pct: 1, residual_s: 0.01, at_bounds_s: 0.5}"}},
		"fallback, kalman-inverse": {"benchmark-siso.yaml",
			[]string{"sensors={displacement_noise: 1e-9}",
				"compensator={kind: kalman-inverse, bare: [1.1, 0.02, 1e-4], lag_sd: 0}",
				"fallback={kind: amb, residual_pct: 0.01, residual_s: 0.01, stale_s: 0}"}},
		"fallback, forward": {"benchmark-siso.yaml",
			[]string{"compensator={kind: forward-prediction, tau_ms: 5, max_tau_ms: 6}",
				"fallback={kind: none, at_bounds_s: 0.01, stale_s: 0}"}},
		"fallback of a chain": {"amb-with-feedback.yaml",
			[]string{"fallback={kind: mbc, residual_pct: 1, residual_s: 0.01, stale_s: 0}"}},
		"fallback of two stages": {"two-stage.yaml",
			[]string{"fallback={kind: pe, tau_ms: 23, residual_pct: 1, residual_s: 0.01}"}},
		"fallback of rodeac": {"benchmark-multiaxial.yaml",
			[]string{"compensator={kind: rodeac}", "inner_loop=", "fallback={kind: none, residual_pct: 1, residual_s: 0.01}"}},
		"fallbacks of two": {"two-storeys.yaml", []string{"compensator={kind: ats}", "fallback={kind: mbc}"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if slices.Contains(like, name) {
				rthstest.Full(t)
			}
			if s, ok := rths.As[compensate.Switch](asInGo(t, l)); ok && len(s.Falls()) == 0 {
				t.Error("the fallback never acted: want a motion in which it does")
			}
		})
	}
}

// asInGo compares a laboratory's compensator from the start and, where there is time, from the midst of a run.
func asInGo(t *testing.T, l laboratory) rths.Compensator {
	t.Helper()
	motion, c := l.motion(t), l.built(t).Compensator()
	fromTheStart(t, c, motion, quick()...)
	if full() {
		frozenAmid(t, l.built(t).Compensator(), motion)
	}
	return c
}

// Converters and bounds that are switched off in Go are so in C.
func TestIdealised(t *testing.T) {
	for _, kind := range []string{"pi", "smc", "mpc"} {
		l := benchmark(kind)
		motion, c := l.motion(t), l.built(t).Compensator()
		i, _ := rths.As[rths.Idealiser](c)
		i.Idealise(true)
		fromTheStart(t, c, motion)
	}
}

// Who asks for the way back before the export gets it in C.
func TestFallbackReturns(t *testing.T) {
	l := laboratory{"benchmark-siso.yaml", []string{"compensator={kind: ats}", "fallback={kind: mbc}"}}
	motion, c := l.motion(t), l.built(t).Compensator()
	most := len(motion) - 3000
	motion[:most].commands(c, 1)
	s, _ := rths.As[compensate.Switch](c)
	if len(s.Falls()) != 1 {
		t.Fatalf("%d falls, want 1", len(s.Falls()))
	}
	s.Return()
	compareAll(t, c, motion[most:], motion, 0)
	if falls := s.Falls(); len(falls) < 2 || !falls[1].Back {
		t.Errorf("falls %v: want the way back", falls)
	}
}

// A system that is large enough for BLAS is added up as in C.
func TestCIsGoOfALargeSystem(t *testing.T) {
	const axes, order = 4, 4
	n := axes * order
	model := lti.SS{A: mat.NewDense(n, n, nil), B: mat.NewDense(n, axes, nil), C: mat.NewDense(axes, n, nil),
		D: mat.NewDense(axes, axes, nil)}
	for i := range n { // chains of first-order lags
		model.A.Set(i, i, -200-10*float64(i))
		if i%order > 0 {
			model.A.Set(i, i-1, 200+10*float64(i))
		} else {
			model.B.Set(i, i/order, 200+10*float64(i))
		}
	}
	for i := range axes {
		model.C.Set(i, (i+1)*order-1, 1)
	}
	at := compensate.At{RateHz: 4096, Axes: axes, Model: func() (lti.SS, error) { return model, nil }}
	made := func() rths.Compensator {
		i := slices.IndexFunc(compensate.Kinds, func(k rths.Kind[compensate.Maker]) bool { return k.Name == "msmc" })
		c, err := compensate.Kinds[i].Defaults().Make(at)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	random := rand.New(rand.NewPCG(1, 4))
	var motion stream
	for range 3000 {
		v := tick{target: rths.NewMotion(axes), read: rths.NewReading(axes, 0)}
		for i := range axes {
			v.target.X[i], v.read.X[i] = 1e-3*random.NormFloat64(), 1e-3*random.NormFloat64()
		}
		motion = append(motion, v)
	}
	if rows := reflect.ValueOf(made()).Elem().FieldByName("out").Len(); rows < 28 {
		t.Fatalf("a system of %d rows: want 28", rows)
	}
	fromTheStart(t, made(), motion)
}

// The C reads and writes nothing but its own memory, and does nothing that C leaves undefined.
func TestSanitizers(t *testing.T) {
	for _, kind := range compensate.Kinds {
		some := []string{"adm4", "mpc", "ats", "kalman-inverse"}[:rthstest.Draws(2, 4)]
		if !full() && !slices.Contains(some, kind.Name) {
			continue
		}
		t.Run(kind.Name, func(t *testing.T) {
			t.Parallel()
			l := benchmark(kind.Name)
			motion, c := l.motion(t), l.built(t).Compensator()
			program := build(t, "gcc", source(c, motion[0]), "-O1", "-g", "-fsanitize=address,undefined",
				"-fno-sanitize-recover=all")
			compare(t, "gcc", inC(t, program, motion.bytes(1, 1)), motion.commands(c, 1))
		})
	}
}

func compare(t *testing.T, how string, got, want []float64) {
	t.Helper()
	if len(got) != len(want) || len(want) == 0 {
		t.Fatalf("%s: %d commands of C, %d of Go", how, len(got), len(want))
	}
	for i := range got {
		if math.Float64bits(got[i]) != math.Float64bits(want[i]) {
			t.Fatalf("%s: command %d: C %v, Go %v", how, i, got[i], want[i])
		}
	}
}

// Compensators that C cannot have.
type (
	withMap   struct{ m map[string]float64 }
	withParts struct{ front, back []float64 }
	withFunc  struct{ f func() }
	partless  struct{ x float64 }
	inside    struct {
		all  []float64
		some *float64
	}
	pointing struct {
		all []sub
		one *sub
	}
	sub  struct{ x float64 }
	Sub  struct{ x float64 }
	both struct {
		a sub
		b Sub
	}
	wide struct{ n int }
	rows struct{ m [][]float64 }
)

func (*withMap) Step([]float64, *rths.Motion, *rths.Reading)   {}
func (*withParts) Step([]float64, *rths.Motion, *rths.Reading) {}
func (*withFunc) Step([]float64, *rths.Motion, *rths.Reading)  {}
func (*partless) Step([]float64, *rths.Motion, *rths.Reading)  {}
func (*inside) Step([]float64, *rths.Motion, *rths.Reading)    {}
func (*pointing) Step([]float64, *rths.Motion, *rths.Reading)  {}
func (*both) Step([]float64, *rths.Motion, *rths.Reading)      {}
func (*rows) Step([]float64, *rths.Motion, *rths.Reading)      {}
func (*wide) Step([]float64, *rths.Motion, *rths.Reading)      {}

// What has no counterpart in C is an error with the reason.
func TestNotC(t *testing.T) {
	array, subs := make([]float64, 9), make([]sub, 3)
	for _, tc := range []struct {
		c    rths.Compensator
		want string
	}{
		{&withMap{map[string]float64{}}, "c->outer.m is a map[string]float64, which has no counterpart in C"},
		{&withFunc{func() {}}, "c->outer.f is a func(), which has no counterpart in C"},
		{&withParts{array[:5], array[3:]}, "a []float64 and a []float64 share memory, which has no counterpart in C"},
		{&inside{array, &array[3]}, "share memory"},
		{&pointing{subs, &subs[1]}, "a []export.sub and a *export.sub share memory"},
		{&rows{[][]float64{{1}}}, "c->outer.m is a [][]float64, which has no counterpart in C"},
		{&both{sub{1}, Sub{2}}, "export.sub and export.Sub have one name in C"},
		{&partless{1}, "the method partless is not written in C"},
		{&wide{1 << 40}, "too large a number for an int of C"},
	} {
		_, err := C(Source{Name: "x", Compensator: tc.c, Axes: 1})
		if n := (*NotC)(nil); !errors.As(err, &n) || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%T: error %v, want %s", tc.c, err, tc.want)
		}
	}
	if _, err := C(Source{Name: "Two words", Compensator: &partless{}}); err == nil ||
		!strings.Contains(err.Error(), "want a word of C") {
		t.Errorf("error %v", err)
	}
}

// A slice within another one is the same memory in C.
func TestSlicesShareAnArray(t *testing.T) {
	array := []float64{1, 2, 3, 4, 5}
	m, err := newModel(&withParts{array[1:3], array})
	if err != nil {
		t.Fatal(err)
	}
	init := strings.Join(m.start, "\n")
	for _, want := range []string{"c->m1.front = c->m2 + 1;", "c->m1.front_len = 2;", "c->m1.back = c->m2;",
		"c->m1.back_len = 5;"} {
		if !strings.Contains(init, want) {
			t.Errorf("init has no %s:\n%s", want, init)
		}
	}
}
