package speed_test

import (
	"encoding/binary"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"rths"
	"rths/kit/rthstest"
	"rths/lab/rig"
	"rths/maths/signal"
	"rths/method/compensate"
	"rths/method/criteria"
	"rths/model/ground"
	"rths/model/integrate"
	"rths/model/plant"
	"rths/model/structure"
	"rths/scenario/files"
)

// The speed test runs the single-actuator benchmark with the Kalman compensator
// three times: with this package, and as two C loops that do the same and
// nothing else (kit/speed/testdata). The first C loop evaluates the four stages of
// Runge–Kutta in every step, as a textbook has it; the second uses the matrix of
// the whole step, as this package does.
//
//	RTHS_RECORDS=… go test -run TestSpeed -bench 'SISO|AgainstC' .

const speedRate = 4096.0

// sisoRun is one benchmark run of this package.
type sisoRun struct {
	loop  *rths.Loop
	sums  []rths.Summarizer
	parts sisoParts
}

// sisoParts are the parts whose matrices the C programs need.
type sisoParts struct {
	whole      *structure.Structure
	numerical  *structure.Partition
	integrator rths.Integrator
	plant      plant.Plant
	sensors    plant.Sensors
}

// newSISO makes a run over a motion at half steps. The response is judged
// against the exact reference, or one integrated as the numerical part is.
func newSISO(tb testing.TB, motion []float64, noise, exact bool) *sisoRun {
	tb.Helper()
	parts, specimen := newSISOParts(tb, noise)
	h, samples := 1/speedRate, len(motion)/2
	x, f, err := parts.sensors.Gauges(1, 1, h, 1, plant.Conversion{})
	must(tb, err)
	kf, err := rths.Find(compensate.Kinds, "kf-ning2020")
	must(tb, err)
	compensator, err := kf.Defaults().Make(compensate.At{RateHz: speedRate})
	must(tb, err)
	parts.plant, err = silvaTransfer(tb).Make(plant.At{RateHz: speedRate, Specimen: specimen})
	must(tb, err)
	var reference criteria.Reference = newRK4Reference(tb, parts.whole)
	if exact {
		reference, err = integrate.NewReference(parts.whole, h)
		must(tb, err)
	}
	track := criteria.NewTracking(speedRate, 0, 1, true)
	response := criteria.NewResponse(reference, parts.whole.N, 0, true)
	loop, err := rths.NewLoop(rths.Config{
		RateHz: speedRate, Samples: samples, Ground: motion, Timing: rths.Timing{ForceDelay: 1},
		Axes: 1, Forces: 1, Truth: true, Integrator: parts.integrator, Compensator: compensator,
		Rig:       rig.NewVirtual(parts.plant, speedConverter, x, f),
		Observers: []rths.Observer{track, response},
	})
	must(tb, err)
	return &sisoRun{loop: loop, sums: []rths.Summarizer{track, response}, parts: parts}
}

var speedConverter = signal.Converter{Quantum: 1.0 / (1 << 18), Range: 3.8}

func newSISOParts(tb testing.TB, noise bool) (sisoParts, plant.Specimen) {
	p := sisoParts{sensors: plant.PerfectSensors()}
	if noise { // 16.0 µm and 2.18 N
		p.sensors.DisplacementNoisePower, p.sensors.ForceNoisePower = 6.25e-14, 1.16e-3
	}
	var err error
	p.whole, err = (&structure.Silva2020{Case: 1}).Make()
	must(tb, err)
	kind, err := rths.Find(plant.Specimens, "silva2020")
	must(tb, err)
	specimen, err := kind.Defaults().Make()
	must(tb, err)
	m, c, k := specimen.(plant.Linear).Linear()
	p.numerical, err = p.whole.Divide(0, m, c, k)
	must(tb, err)
	p.integrator, err = (&integrate.RK4{}).Make(p.numerical, 1/speedRate)
	must(tb, err)
	return p, specimen
}

func silvaTransfer(tb testing.TB) plant.TransferMaker {
	kind, err := rths.Find(plant.Transfers, "silva2020")
	must(tb, err)
	return kind.Defaults()
}

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

// run runs to the end.
func (r *sisoRun) run(tb testing.TB) *sisoRun {
	tb.Helper()
	for !r.loop.Done() {
		if err := r.loop.Step(); err != nil {
			tb.Fatal(err)
		}
	}
	return r
}

func (r *sisoRun) results() map[string]float64 {
	out := map[string]float64{}
	for _, s := range r.sums {
		for _, v := range s.Summary() {
			out[v.Name] = v.V
		}
	}
	return out
}

// rk4Reference is the undivided structure by the integrator of the numerical
// part.
type rk4Reference struct {
	rths.Integrator
	none  rths.Reading
	empty rths.Motion
}

func newRK4Reference(tb testing.TB, s *structure.Structure) *rk4Reference {
	in, err := (&integrate.RK4{}).Make(s.Undivided(), 1/speedRate)
	must(tb, err)
	return &rk4Reference{Integrator: in}
}

func (r *rk4Reference) Step(window []float64) { r.Integrator.Step(&r.empty, window, &r.none) }
func (r *rk4Reference) State() *rths.Motion   { return r.Integrator.(rths.NumericalState).State() }

// cProblem is struct problem of testdata/siso.h, member by member.
type cProblem struct {
	Samples, Rate, Limit, Quantum, Range float64
	NoiseX, NoiseF                       float64
	B, A                                 [5]float64
	X0                                   [4]float64
	R, Quiet                             float64
	Numerical, Reference                 cStructure
	NumericalMap                         [10][6]float64
	ReferenceMap                         [8][6]float64
	PlantMap                             [6][5]float64
}

type cStructure struct {
	K, C [3][3]float64
	G, E [3]float64
}

// writeProblem writes a run for the C programs: the parts applied to unit
// vectors give the columns of all matrices.
func writeProblem(tb testing.TB, path string, motion []float64, noise bool) {
	parts := newSISO(tb, motion, noise, true).parts
	exact, err := integrate.NewReference(parts.whole, 1/speedRate)
	must(tb, err)
	p := cProblem{Samples: float64(len(motion) / 2), Rate: speedRate, Limit: 1, Quantum: speedConverter.Quantum,
		Range: speedConverter.Range}
	p.NoiseX = signal.PowerToSD(parts.sensors.DisplacementNoisePower, 1/speedRate)
	p.NoiseF = signal.PowerToSD(parts.sensors.ForceNoisePower, 1/speedRate)
	kind, err := rths.Find(compensate.Kinds, "kf-ning2020")
	must(tb, err)
	kf := kind.Defaults().(*compensate.KF)
	b, a, err := signal.Butterworth(kf.FilterOrder, kf.FilterHz, speedRate)
	must(tb, err)
	p.B, p.A, p.X0, p.R, p.Quiet = [5]float64(b), [5]float64(a), [4]float64(kf.X0), kf.R*1e-6, kf.FreezeBelow
	for j := range p.NumericalMap {
		p.NumericalMap[j] = integratorColumn(parts.integrator, j)
	}
	p.Numerical = structureOf(tb, parts.numerical)
	p.Reference = structureOf(tb, parts.whole.Undivided())
	for j := range p.ReferenceMap {
		p.ReferenceMap[j] = referenceColumn(exact, j)
	}
	for j := range p.PlantMap {
		p.PlantMap[j] = plantColumn(parts.plant, j)
	}
	f, err := os.Create(path)
	must(tb, err)
	must(tb, binary.Write(f, binary.NativeEndian, &p))
	must(tb, binary.Write(f, binary.NativeEndian, motion))
	must(tb, f.Close())
}

// unit has 1 at place j if there is such a place.
func unit(n, j int) []float64 {
	out := make([]float64, n)
	if j >= 0 && j < n {
		out[j] = 1
	}
	return out
}

// integratorColumn is the next state from unit entry j of the state, x first, and of
// [g, g half, g next; f].
func integratorColumn(in rths.Integrator, j int) [6]float64 {
	s := in.(rths.Stateful)
	rths.SetState(unit(6, j), s)
	target := rths.NewMotion(1)
	in.Step(&target, unit(3, j-6), &rths.Reading{F: unit(1, j-9)})
	return [6]float64(rths.AppendState(nil, s))
}

// structureOf is M⁻¹ times K, C, load and the places of the interface forces.
func structureOf(tb testing.TB, p *structure.Partition) (s cStructure) {
	force := mat.NewDense(3, 1, nil)
	for _, d := range p.Interface {
		force.Set(d, 0, 1)
	}
	overMass := func(m *mat.Dense, j int) [3]float64 {
		var a mat.Dense
		must(tb, a.Solve(p.M, m))
		return [3]float64(mat.Col(nil, j, &a))
	}
	for j := range 3 {
		s.K[j], s.C[j] = overMass(p.K, j), overMass(p.C, j)
	}
	s.G, s.E = overMass(p.Load, 0), overMass(force, 0)
	return s
}

// referenceColumn is the next state from unit entry j of the state, x first, and of
// [g, g next].
func referenceColumn(r *integrate.Reference, j int) [6]float64 {
	rths.SetState(unit(6, j), r)
	window := make([]float64, 3)
	switch j {
	case 6:
		window[0] = 1
	case 7:
		window[2] = 1
	}
	r.Step(window)
	return [6]float64(rths.AppendState(nil, r))
}

// plantColumn is the next state from unit entry j of state and command.
func plantColumn(p plant.Plant, j int) [5]float64 {
	s := p.(rths.Stateful)
	rths.SetState(unit(5, j), s)
	now := rths.NewReading(1, 1)
	p.Step(&now, unit(1, j-5))
	return [5]float64(rths.AppendState(nil, s))
}

// cPrograms compiles both programs, or skips the test.
func cPrograms(tb testing.TB) (stages, maps string) {
	tb.Helper()
	gcc, err := exec.LookPath("gcc")
	if err != nil {
		tb.Skip("no gcc: nothing to compare with")
	}
	dir := tb.TempDir()
	compile := func(name string, more ...string) string {
		out := filepath.Join(dir, name)
		args := append([]string{"-O3", "-march=native", "-o", out, filepath.Join("testdata", "siso.c")}, more...)
		if text, err := exec.Command(gcc, append(args, "-lm")...).CombinedOutput(); err != nil {
			tb.Fatalf("gcc %s: %v\n%s", strings.Join(args, " "), err, text)
		}
		return out
	}
	return compile("siso_stages"), compile("siso_maps", "-DMAPS")
}

// runC runs a C program: the times of all runs, ns per step, and the criteria.
func runC(tb testing.TB, program, problem string, runs int) (times []float64, values map[string]float64) {
	tb.Helper()
	text, err := exec.Command(program, problem, strconv.Itoa(runs)).Output()
	must(tb, err)
	values = map[string]float64{}
	for line := range strings.Lines(string(text)) {
		name, number, _ := strings.Cut(strings.TrimSpace(line), " ")
		v, err := strconv.ParseFloat(number, 64)
		must(tb, err)
		if name == "ns/step" {
			times = append(times, v)
		} else {
			values[name] = v
		}
	}
	return times, values
}

// speedMotion is the record of the benchmark, El Centro × 0.4, or, without the
// folder of records, something of its kind; at half steps.
func speedMotion(tb testing.TB, seconds float64) []float64 {
	tb.Helper()
	if dir := os.Getenv("RTHS_RECORDS"); dir != "" {
		at := ground.At{Files: files.Disk{}, RecordsDir: dir}
		path, err := at.Find("elcentro")
		must(tb, err)
		m, err := at.Read(path, ground.Want{})
		must(tb, err)
		return m.Scaled(0.4).HalfSteps(speedRate, min(m.Samples(speedRate), int(seconds*speedRate)))
	}
	out := make([]float64, 2*int(seconds*speedRate)+1)
	for j := range out {
		t := float64(j)/(2*speedRate) - 1 // a second of rest
		if t < 0 {
			continue
		}
		for i, hz := range []float64{0.7, 1.3, 1.9, 2.6, 3.4, 4.1, 5.3, 7.7, 11} {
			out[j] += 0.35 * t * math.Exp(-0.2*t-0.03*hz) * math.Sin(2*math.Pi*hz*t+float64(i*i))
		}
	}
	return out
}

// maxima are the criteria that a single noise sample decides.
var maxima = map[string]bool{"J3_pct": true, "J5_pct": true, "peak_centred_pct": true, "J5_centred_pct": true}

// Both C programs do the work of a run of this package: without noise all
// criteria agree to rounding.
func TestSpeedReference(t *testing.T) {
	stages, maps := cPrograms(t)
	motion := speedMotion(t, 10)
	for _, tc := range []struct {
		name, program string
		noise, exact  bool // exact: the reference structure is held exactly, not by Runge–Kutta
		tolerance     float64
	}{
		{"stages", stages, false, false, 1e-6},
		{"maps", maps, false, true, 1e-6},
		{"stages, exact reference", stages, false, true, 1e-2}, // RK4 is 4e-8 m off
		{"stages with noise", stages, true, false, 0.2},        // another realisation
		{"maps with noise", maps, true, true, 0.2},
	}[:rthstest.Draws(3, 5)] {
		t.Run(tc.name, func(t *testing.T) {
			problem := filepath.Join(t.TempDir(), "problem.bin")
			writeProblem(t, problem, motion, tc.noise)
			_, got := runC(t, tc.program, problem, 1)
			want := newSISO(t, motion, tc.noise, tc.exact).run(t).results()
			if len(got) != len(want) {
				t.Errorf("%d criteria, want %d", len(got), len(want))
			}
			for name, w := range want {
				tolerance := tc.tolerance
				if tc.noise && maxima[name] {
					tolerance = 0.6 // the largest of thousands of noise samples
				}
				if g, ok := got[name]; !ok || !(math.Abs(g-w) <= tolerance) {
					t.Errorf("%s = %.9g, want %.9g ± %g", name, g, w, tolerance)
				}
			}
		})
	}
}

// A step of a run does not allocate; the benchmark measures a step of the whole
// benchmark run.
func BenchmarkSISO(b *testing.B) {
	motion := speedMotion(b, 60)
	benchmarkLoop(b, func() *rths.Loop { return newSISO(b, motion, true, true).loop })
}

// What the default limits of its rig cost a step: the loop with and without them.
func BenchmarkGuardedSISO(b *testing.B) {
	motion := speedMotion(b, 60)
	newLoop := func(guard bool) *rths.Loop {
		l := newSISO(b, motion, true, true).loop
		if guard {
			l = guarded(b, l)
		}
		return l
	}
	rthstest.InTurns(b, len(motion)/2/512, [2]string{"ns/step", "ns/guarded-step"}, func() [2]*rths.Loop {
		return [2]*rths.Loop{newLoop(false), newLoop(true)}
	})
}

func benchmarkLoop(b *testing.B, made func() *rths.Loop) {
	l := made()
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		if l.Done() {
			b.StopTimer()
			l = made()
			b.StartTimer()
		}
		if err := l.Step(); err != nil {
			b.Fatal(err)
		}
	}
}

// guarded is a loop with a guard around its rig, which no limit of it trips.
func guarded(b *testing.B, l *rths.Loop) *rths.Loop {
	c := l.Config()
	g, err := rig.NewGuard(c.Rig, rig.GuardConfig{
		RateHz: c.RateHz, Axes: 1, Forces: 1, Stroke: 0.05,
		Profile: rig.Profile{Velocity: 0.02, Acceleration: 0.5, WithinS: 30},
		Limits: []rig.Limit{
			{Channel: "command_m", Trip: 0.05, Action: rig.Ramp},
			{Channel: "command_rate_m_s", Warn: 0.025, Trip: 15, Action: rig.Ramp},
			{Channel: "measured_m", Trip: 0.05, Action: rig.Ramp},
			{Channel: "error_m", Trip: 0.025, Action: rig.Ramp}, {Channel: "force_N", Trip: 1e5, Action: rig.Ramp},
		},
	})
	if err != nil || g.Arm() != nil {
		b.Fatal(err)
	}
	c.Rig, c.Observers = g, append(c.Observers, g.Observer())
	l, err = rths.NewLoop(c)
	if err != nil {
		b.Fatal(err)
	}
	return l
}

// The three programs take turns, so that whatever else the machine does hits
// all; the smallest time of each is the one least disturbed.
func BenchmarkAgainstC(b *testing.B) {
	const rounds, runs = 15, 3
	stages, maps := cPrograms(b)
	motion := speedMotion(b, 60)
	problem := filepath.Join(b.TempDir(), "problem.bin")
	writeProblem(b, problem, motion, true)
	times := map[string][]float64{}
	for b.Loop() {
		for range rounds {
			for name, program := range map[string]string{"stages": stages, "maps": maps} {
				t, _ := runC(b, program, problem, runs)
				times[name] = append(times[name], t...)
			}
			for range runs {
				r := newSISO(b, motion, true, true)
				start := time.Now()
				r.run(b)
				times["go"] = append(times["go"], float64(time.Since(start).Nanoseconds())/float64(len(motion)/2))
			}
		}
	}
	b.ReportMetric(0, "ns/op")
	for name, t := range times {
		slices.Sort(t)
		b.ReportMetric(t[0], name+"-min-ns/step")
		b.ReportMetric(t[len(t)/2], name+"-median-ns/step")
	}
	for _, name := range []string{"stages", "maps"} {
		b.ReportMetric(times["go"][0]/times[name][0], "go/"+name+"-min")
		b.ReportMetric(times["go"][len(times["go"])/2]/times[name][len(times[name])/2], "go/"+name+"-median")
	}
}
