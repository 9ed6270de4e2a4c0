package analyse

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rths"
	"rths/kit/rthstest"
	"rths/method/criteria"
	"rths/model/plant"
	"rths/scenario"
)

const explainRate = 1024 // Hz

// planted is a test whose tracking error has a known cause.
type planted struct {
	test     *Explain
	cause    Cause
	truth    plant.Hydraulic
	commands []float64 // that reach the actuator
	plain    plant.Hydraulic
	sent     []float64 // without the cause
	scale    float64   // of the commands without the cause, 1 or small
	rng      *rand.Rand
}

// plantedTest draws a motion of 8 s, a compensator that knows the rehearsal's lag, an actuator that is a few % from the
// rehearsal's, and a cause. The stronger the cause, the larger size.
func plantedTest(seed uint64, cause Cause, size float64) *planted {
	r := rand.New(rand.NewPCG(seed, 100+uint64(cause)))
	rehearsed := hydraulicOf(hydraulicSizes[seed%3])
	spread := func(from, to float64) float64 { return from * math.Pow(to/from, r.Float64()) }
	k := rehearsed.Force / rehearsed.Stroke / spread(2, 6)
	specimen := &plant.LinearSpecimen{Mass: 5 * rehearsed.MovingMass, Stiffness: k}
	specimen.Damping = 2 * 0.02 * math.Sqrt(k*specimen.Mass)
	p := &planted{cause: cause, truth: rehearsed, rng: r, scale: 1}
	p.truth.RatedFlow *= spread(0.95, 1.05)
	p.truth.BulkModulus *= spread(0.9, 1.1)
	p.truth.CoulombForce *= 0.02
	p.truth.StaticForce *= 0.02
	p.truth.BristleDamping *= 0.02
	part := spread(0.1, 0.3)
	n := 8 * explainRate
	e := &Explain{RateHz: explainRate, Rehearsed: rehearsed, Specimen: specimen, Target: make([]float64, n)}
	p.test, p.plain = e, p.truth
	top, speed := p.plant(seed, size, part, spread)
	target := motion(r, top, speed)
	e.Command = make([]float64, n)
	for k := range n {
		e.Target[k] = target(float64(k) / explainRate)
	}
	inverse := p.inverseOf(&rehearsed)
	for k := range n {
		e.Command[k] = inverse(target, float64(k)/explainRate)
	}
	p.commands, p.sent = slices.Clone(e.Command), slices.Clone(e.Command)
	switch cause {
	case constantDelay:
		copy(p.commands, shifted(e.Command, math.Round(spread(6, 20)*size)))
	case lateTicks:
		e.Late = make([]float64, n)
		for k := 1; k < n; {
			k += 1 + int(r.ExpFloat64()*60)
			for range 5 + r.IntN(int(20*size)) {
				if k < n {
					e.Late[k], p.commands[k] = 1, p.commands[k-1]
				}
				k++
			}
		}
	}
	return p
}

// plant gives the actuator its cause, and says up to which frequency, Hz, and speed, m/s, the test goes. Without cause the
// speed is a part of the actuator's.
func (p *planted) plant(seed uint64, size, part float64, spread func(from, to float64) float64) (top, speed float64) {
	e, rehearsed := p.test, &p.test.Rehearsed
	v0 := rehearsed.RatedFlow / 6e4 * math.Sqrt(rehearsed.SupplyPressure/70) / (rehearsed.PistonArea * 1e-4)
	top, speed = 5, part*v0
	switch p.cause {
	case resonance:
		p.plain = p.truth
		p.truth.BulkModulus *= spread(0.4, 0.7) / size
		top = 8
	case amplitudeDelay:
		p.truth.Overlap = min(0.3, spread(0.03, 0.08)*size)
		speed *= 0.5
	case saturation:
		switch seed % 4 {
		case 0, 1:
			p.plain.ValveSlew = 0
			p.truth.ValveSlew = spread(1, 3) / size
			speed *= 1.5
		case 2:
			p.plain.PumpFlow, p.plain.Accumulator = 0, 0
			e.Rehearsed.Accumulator *= 0.2
			p.truth.PumpFlow, p.truth.Accumulator = spread(0.05, 0.2)*p.truth.PumpFlow/size, e.Rehearsed.Accumulator
			speed *= 2
		case 3:
			speed, p.scale = min(4, spread(1.1, 1.5)*size)*v0, 0.01
			p.truth.CoulombForce, p.truth.StaticForce = 0, 0
			p.plain = p.truth
			p.plain.PumpFlow, p.plain.Accumulator = 0, 0
		}
	case friction:
		p.truth.CoulombForce = spread(0.03, 0.1) * size * rehearsed.Force
		p.truth.StaticForce = spread(1, 1.4) * p.truth.CoulombForce
		p.truth.BristleDamping = rehearsed.BristleDamping * spread(0.5, 2)
	case backlash:
		full := rehearsed.PistonArea * rehearsed.SupplyPressure * 10
		p.truth.ClevisStiffness = full / spread(3e-5, 1e-4)
		p.truth.ClevisDamping = 2 * spread(0.03, 0.1) * math.Sqrt(p.truth.ClevisStiffness*p.truth.MovingMass)
		p.plain = p.truth
		p.truth.ClevisPlay = spread(0.3, 1) * size
	}
	return top, speed
}

// motion is a random motion up to a frequency, Hz, with a rise, and its largest speed.
func motion(r *rand.Rand, top, speed float64) func(t float64) float64 {
	var hz, phase, size []float64
	for range 12 {
		f := 0.4 * math.Pow(top/0.4, r.Float64())
		hz, phase, size = append(hz, f), append(phase, 2*math.Pi*r.Float64()), append(size, (0.3+r.Float64())/math.Sqrt(f))
	}
	of := func(t float64) (x float64) {
		for i, f := range hz {
			x += size[i] * math.Sin(2*math.Pi*f*t+phase[i])
		}
		return x * min(1, math.Max(0, t)/1.5) * min(1, math.Max(0, 8-t)/1.5)
	}
	most := 0.0
	for t := 0.0; t < 8; t += 1e-3 {
		most = max(most, math.Abs(of(t+1e-3)-of(t))*1e3)
	}
	return func(t float64) float64 { return of(t) * speed / most }
}

// inverseOf is what a compensator of order 3 that knows the linear actuator makes of a target.
func (p *planted) inverseOf(of *plant.Hydraulic) func(target func(float64) float64, t float64) float64 {
	linear := *of.Unbounded()
	linear.CoulombForce, linear.StaticForce = 0, 0
	run := rthstest.Must(playHydraulic(&linear, plant.At{RateHz: explainRate, Specimen: rthstest.Must(p.test.Specimen.Make())},
		p.test.Target))
	rates := func(x func(int) float64, k int) []float64 {
		const h = 4
		v := (x(k+h) - x(k-h)) / (2 * h) * explainRate
		a := (x(k+h) - 2*x(k) + x(k-h)) / (h * h) * explainRate * explainRate
		j := (x(k+2*h) - 2*x(k+h) + 2*x(k-h) - x(k-2*h)) / (2 * h * h * h) * explainRate * explainRate * explainRate
		return []float64{x(k), v, a, j}
	}
	x := func(k int) float64 { return run.x[min(max(k, 0), len(run.x)-1)] }
	a, b := mat.NewDense(len(run.x), 4, nil), mat.NewVecDense(len(run.x), p.test.Target)
	for k := range run.x {
		a.SetRow(k, rates(x, k))
	}
	var c mat.VecDense
	if err := c.SolveVec(a, b); err != nil {
		panic(err)
	}
	return func(target func(float64) float64, t float64) (u float64) {
		for i, v := range rates(func(k int) float64 { return target(t + float64(k)/explainRate) }, 0) {
			u += c.AtVec(i) * v
		}
		return u
	}
}

// measure takes the motions with and without the cause, and returns the part of the error that the cause makes.
func (p *planted) measure(with, without []float64) float64 {
	e, r := p.test, p.rng
	base := rms(centred(e.Target, make([]float64, len(e.Target))))
	e.Measured = slices.Clone(with)
	planted := make([]float64, len(with))
	noisy, drift := 2e-4*base, func(float64) float64 { return 0 }
	switch p.cause {
	case noise:
		noisy = 0.05 * base * (0.6 + r.Float64())
	case notInTheModel:
		slow := motion(r, 1.5, 1)
		size := 0.0
		for k := range with {
			size += slow(float64(k)/explainRate) * slow(float64(k)/explainRate) / float64(len(with))
		}
		much := base * (0.08 + 0.1*r.Float64())
		drift = func(t float64) float64 { return slow(t) / math.Sqrt(size) * much }
	}
	failure := make([]float64, len(with))
	for k := range with {
		extra := noisy*r.NormFloat64() + drift(float64(k)/explainRate)
		e.Measured[k] += extra
		planted[k] = with[k] - without[k]
		if p.cause == noise || p.cause == notInTheModel {
			planted[k] = extra
		}
		failure[k] = e.Measured[k] - e.Target[k]
	}
	rest := 0.0
	for k := range failure {
		rest += (failure[k] - planted[k]) * (failure[k] - planted[k]) / float64(len(failure))
	}
	return rms(planted) / (rms(planted) + math.Sqrt(rest))
}

// explained are the answers to tests of one cause.
type explained struct{ seen, named, cannot int }

func (a *explained) take(t *testing.T, p *planted, i int, share float64) {
	t.Helper()
	out, err := p.test.Run()
	if err != nil {
		t.Errorf("%s %d: %v", p.cause, i, err)
		return
	}
	a.seen++
	switch {
	case out.Why != "":
		a.cannot++
	case out.First == p.cause:
		a.named++
		return
	}
	t.Logf("%s %d (%.2f of the error): %s; parts %.2f; %+v", p.cause, i, share, out.Sentence(), out.Shares, out.numbers())
}

// move is an actuator's displacement under commands of some size, by the plant; nil: it is not stable.
func (p *planted) move(of *plant.Hydraulic, commands []float64, size float64) []float64 {
	u := slices.Clone(commands)
	scale(u, size)
	run, err := playHydraulic(of, plant.At{RateHz: explainRate, Specimen: rthstest.Must(p.test.Specimen.Make())}, u)
	if err != nil {
		return nil
	}
	scale(run.x, 1/size)
	return run.x
}

// lost reports whether the error is that of a lost run, which a guard ends: an actuator in a limit cycle.
func (p *planted) lost() bool {
	return 100*nrmse(p.test.Measured, p.test.Target) > criteria.LostJ2
}

// plantedHalf is a test whose cause makes at least half of the error by the plant, and which is not lost; nil: none was
// found.
func plantedHalf(seed uint64, c Cause) *planted {
	for _, size := range []float64{1, 1.5, 2.2, 3.3} {
		p := plantedTest(seed, c, size)
		with, without := p.move(&p.truth, p.commands, 1), p.move(&p.plain, p.sent, p.scale)
		if with == nil || without == nil {
			return nil
		}
		if p.measure(with, without) > 0.5 {
			if p.lost() {
				return nil
			}
			return p
		}
	}
	return nil
}

// program moves both actuators by kit/independent/hydraulic.c, whose samples are four to one of the data.
func (p *planted) program(t *testing.T) (with, without []float64) {
	var args []string
	specimen := p.test.Specimen.(*plant.LinearSpecimen)
	for i, of := range []struct {
		actuator *plant.Hydraulic
		commands []float64
		size     float64
	}{{&p.truth, p.commands, 1}, {&p.plain, p.sent, p.scale}} {
		var text strings.Builder
		for _, u := range of.commands {
			text.WriteString(strings.Repeat(fmt.Sprintf("%.17g ", u*of.size), 4) + "\n")
		}
		file := filepath.Join(t.TempDir(), "commands")
		if err := os.WriteFile(file, []byte(text.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		args = append(args, fmt.Sprint("name=", i), "commands="+file, "every=4",
			fmt.Sprint("seconds=", float64(len(of.commands))/explainRate), fmt.Sprint("mass=", specimen.Mass),
			fmt.Sprint("stiffness=", specimen.Stiffness))
		args = append(args, hydraulicArgs(of.actuator)...)
	}
	motions := rthstest.Independent(t, "hydraulic.c", args...)
	with, without = append([]float64{0}, motions["0/x"]...), append([]float64{0}, motions["1/x"]...)
	if n := len(p.test.Target); len(with) <= n || len(without) <= n {
		t.Fatalf("%d and %d numbers: want %d", len(with), len(without), n)
	}
	scale(without, 1/p.scale)
	return with[:len(p.test.Target)], without[:len(p.test.Target)]
}

// freshSeed is the first of the seeds that nobody had looked at when the fit was last changed. ADR 79 says what was set
// after which seeds.
const freshSeed = 20000

// Causes that make at least half of the error are named first in 18 of 20 tests, and another one in at most 1, with
// displacements of another program. Runs whose error is above criteria.LostJ2 are lost: a guard ends them, and they are
// not among the tests. RTHS_FULL=all tries all, else one test of friction.
func TestProgramOfExplain(t *testing.T) {
	draws, list := 1, []Cause{friction} // the quickest
	if rthstest.All() {
		draws, list = 20, nil
		for c := range causes {
			list = append(list, c)
		}
	}
	for _, c := range list {
		t.Run(c.String(), func(t *testing.T) {
			var a explained
			for seed := uint64(freshSeed); a.seen < draws && seed < freshSeed+uint64(10*draws); seed++ {
				p := plantedHalf(seed, c)
				if p == nil {
					continue
				}
				p.rng = rand.New(rand.NewPCG(seed, 14))
				if share := p.measure(p.program(t)); share >= 0.5 && !p.lost() {
					a.take(t, p, int(seed), share)
				}
			}
			wrong := a.seen - a.named - a.cannot
			t.Logf("%d of %d named, %d cannot tell, %d wrong", a.named, a.seen, a.cannot, wrong)
			if a.seen < draws || 20*wrong > a.seen || 20*a.named < 18*a.seen {
				t.Errorf("%d of %d named, %d wrong: want 90 %% and 5 %%", a.named, a.seen, wrong)
			}
		})
	}
}

// The parts are the error, at every sample.
func TestExplainAddsUp(t *testing.T) {
	rthstest.Long(t)
	p := plantedHalf(1, lateTicks)
	out := rthstest.Must(p.test.Run())
	for k := range p.test.Target {
		sum := 0.0
		for _, part := range out.Parts {
			sum += part[k]
		}
		rthstest.Near(t, fmt.Sprint("sample ", k), sum, p.test.Measured[k]-p.test.Target[k], 1e-12)
	}
	if out.First != lateTicks || out.Why != "" {
		t.Errorf("%s; %.2f", out.Sentence(), out.Shares)
	}
}

// White noise is noise; a slow sine is not.
func TestExplainNoise(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	v, sine := make([]float64, 8192), make([]float64, 8192)
	for k := range v {
		sine[k] = math.Sin(2 * math.Pi * 5 * float64(k) / 8192)
		v[k] = r.NormFloat64()
	}
	if share := rms(white(v)) / rms(v); share < 0.97 {
		t.Errorf("noise is %.3g of white noise: want above 0.97", share)
	}
	for k := range v {
		v[k] = 0.1*v[k] + sine[k]
	}
	left := white(v)
	for k := range v {
		left[k] = v[k] - left[k] - sine[k]
	}
	if share := rms(left) / rms(sine); share > 0.02 {
		t.Errorf("the sine without noise is %.3g of it off: want 0.02 or less", share)
	}
}

// The lag of a delayed signal is its delay, to a hundredth of a sample; commands that a plant gets late are the shifted
// ones.
func TestExplainDelays(t *testing.T) {
	p := plantedTest(0, constantDelay, 1)
	for _, samples := range []float64{0, 0.25, 7.5, -3} {
		rthstest.Near(t, fmt.Sprint(samples), lag(p.test.Target, shifted(p.test.Target, samples), explainRate)*explainRate,
			samples, 0.01)
	}
	const samples = 3.25
	for k := range p.commands {
		p.commands[k] -= p.sent[0]
	}
	late := rthstest.Must((&delayedActuator{Actuator{p.truth, (samples + 1) / explainRate}, 1. / explainRate}).Make(
		plant.At{RateHz: explainRate, Specimen: rthstest.Must(p.test.Specimen.Make())}))
	want := p.move(&p.truth, shifted(p.commands, samples), 1)
	now := rths.NewReading(1, 1)
	for k := range 2000 {
		rthstest.Near(t, fmt.Sprint("sample ", k), now.X[0], want[k], 1e-12)
		late.Step(&now, p.commands[k:k+1])
	}
}

func TestExplainRefuses(t *testing.T) {
	for _, c := range []struct {
		want  string
		spoil func(e *Explain)
	}{
		{"1 s: too short to tell causes: want at least 2 s", func(e *Explain) {
			n := explainRate
			e.Target, e.Command, e.Measured = e.Target[:n], e.Command[:n], e.Measured[:n]
		}},
		{"the command is 0 throughout: want a test that moves", func(e *Explain) { scale(e.Command, 0) }},
		{"command of row 8 is NaN: want a finite number", func(e *Explain) { e.Command[7] = math.NaN() }},
		{"the measurement is 1e+03 times the command: want its unit", func(e *Explain) { scale(e.Measured, 1e3) }},
		{"command and measurement begin at 10 mm and 10 mm: want a test from rest at 0", func(e *Explain) {
			at := 0.01 - e.Command[0]
			for k := range e.Command {
				e.Command[k] += at
			}
			copy(e.Measured, e.Command)
		}},
		{"the measurement has the other sign than the command", func(e *Explain) { scale(e.Measured, -1) }},
		{"the measurement is the target: there is no error to explain", func(e *Explain) { copy(e.Measured, e.Target) }},
		{"the rehearsal's actuator: servo-hydraulic-nonlinear transfer system: valve_hz 0: want 0.1",
			func(e *Explain) { e.Rehearsed.ValveHz = 0 }},
	} {
		e := plantedTest(0, noise, 1).test
		e.Measured = slices.Clone(e.Command)
		c.spoil(e)
		_, err := e.Run()
		rthstest.WantError(t, err, c.want)
	}
}

const openSine = `
rate_hz: 1024
loop: open
duration_s: 6
target: {kind: sine, frequency_hz: 5, amplitude_m: 0.005}
specimen: {kind: linear, mass: 900, damping: 2e4, stiffness: 4e6}
transfer: {kind: servo-hydraulic-nonlinear}
compensator: {kind: none}
`

// Recorded commands have command_delay in them, and not the sample of a rig that ticks by itself.
func TestExplainWire(t *testing.T) {
	for _, c := range []struct {
		sets []string
		want float64 // samples
	}{
		{nil, 0},
		{[]string{"timing.command_delay=4"}, 0},
		{[]string{"timing.command_delay=4", "rig.kind=udp", "rig.clock=rig"}, 1},
	} {
		s := rthstest.Must(scenario.Parse("sine", []byte(openSine), ".", c.sets))
		rthstest.Near(t, fmt.Sprint(c.sets), wire(s)*s.RateHz, c.want, 1e-12)
	}
}

// A sine comes by its delay late, and not by a period, 85 samples, more or less. Its ends are worth half a sample.
func TestExplainLagOfASine(t *testing.T) {
	const samples, hz = 20, 12
	target, v := make([]float64, 6*explainRate), make([]float64, 6*explainRate)
	for k := range target {
		target[k] = math.Sin(2 * math.Pi * hz * float64(k) / explainRate)
		v[k] = 0.3 * math.Sin(2*math.Pi*hz*(float64(k)-samples)/explainRate) * min(1, float64(k)/100)
	}
	rthstest.Near(t, "lag, samples", lag(target, v, explainRate)*explainRate, samples, 0.5)
}

// A column may count late ticks; a test may end early; a length that is a prime is transformed.
func TestExplainRows(t *testing.T) {
	if got, want := ticksLate([]float64{0, 0, 1, 1, 3, 3}), []float64{0, 0, 1, 0, 2, 0}; !slices.Equal(got, want) {
		t.Errorf("late ticks %g: want %g", got, want)
	}
	if got, want := ticksLate([]float64{0, 1, 1, 0}), []float64{0, 1, 1, 0}; !slices.Equal(got, want) {
		t.Errorf("late ticks %g: want %g", got, want)
	}
	e := plantedTest(0, lateTicks, 1).test
	e.Measured = slices.Clone(e.Command)
	e.Until(2.5)
	for i, v := range [][]float64{e.Target, e.Command, e.Measured, e.Late} {
		if len(v) != 2.5*explainRate {
			t.Errorf("column %d has %d rows: want %g", i, len(v), 2.5*explainRate)
		}
	}
	r, v := rand.New(rand.NewPCG(1, 2)), make([]float64, 8191)
	for k := range v {
		v[k] = r.NormFloat64()
	}
	if got := white(v); len(got) != len(v) || rms(got) < 0.97*rms(v) {
		t.Errorf("noise is %.3g of white noise in %d of %d samples: want above 0.97", rms(got)/rms(v), len(got), len(v))
	}
}

// A lost run says so.
func TestExplainLost(t *testing.T) {
	for percent, want := range map[float64]int{19.9: 0, 20.1: 1} {
		out := Explanation{ErrorM: percent / 100 * 0.05, TargetM: 0.05}
		if got := out.notes(); len(got) != want || want == 1 && !strings.Contains(got[0], "the run is lost") {
			t.Errorf("%g %%: %q: want %d notes", percent, got, want)
		}
	}
}

// A boxed step is least in the box: inside the gradient is 0, at a bound it points outwards. A knob that shows nothing
// leaves the others their step.
func TestExplainBoxed(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		m := 1 + r.IntN(2)
		j := mat.NewDense(m, 20, nil)
		j.Apply(func(_, _ int, _ float64) float64 { return r.NormFloat64() }, j)
		h, g := mat.NewSymDense(m, nil), mat.NewVecDense(m, nil)
		h.SymOuterK(1, j)
		for i := range m {
			g.SetVec(i, 20*r.NormFloat64())
		}
		step, ok := boxed(h, g, 0)
		if !ok {
			t.Fatal("no step")
		}
		for i, s := range step {
			left := g.AtVec(i)
			for k, o := range step {
				left -= h.At(i, k) * o
			}
			if math.Abs(s) > 1 || math.Abs(s) < 1 && math.Abs(left) > 1e-9 || math.Abs(s) == 1 && left*s < -1e-9 {
				t.Errorf("step %g of %g has the gradient %g", s, step, left)
			}
		}
	}
	h := mat.NewSymDense(2, []float64{4, 0, 0, 1e-12})
	if step, ok := boxed(h, mat.NewVecDense(2, []float64{2, 1}), 0); !ok || step[0] != 0.5 || step[1] != 1 {
		t.Errorf("step %g: want 0.5 and 1", step)
	}
}

// The virtual error of the rehearsal's linear actuator has the sensor's noise in it, which is no resonance.
func TestExplainVirtualNoise(t *testing.T) {
	v := VirtualErrors{Error: 0.1, Plain: 0.1, Without: map[Cause]float64{}}
	rthstest.Near(t, "share", v.share(resonance, [causes]float64{resonance: 0.3, noise: 0.8}), 0.6, 1e-12)
	rthstest.Near(t, "share of a quiet test", v.share(resonance, [causes]float64{resonance: 0.3}), 1, 1e-12)
}
