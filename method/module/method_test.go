package module_test

import (
	"encoding/binary"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"rths"
	"rths/kit"
	"rths/kit/rthstest"
	"rths/method/compensate"
	"rths/method/module"
)

const rate = 4096

// exampleModule is a module that is shipped.
func exampleModule(t testing.TB, name string) []byte {
	t.Helper()
	return rthstest.Must(os.ReadFile(filepath.Join("..", "..", "examples", "wasm", name+".wasm")))
}

// attempt makes a compensator of a module, or says why not.
func attempt(code []byte, parameters map[string]float64) (rths.Compensator, error) {
	m, err := module.Compile(code)
	if err != nil {
		return nil, err
	}
	p := &module.WASM{File: "method.wasm", Parameters: parameters}
	p.Use(m)
	return p.Make(compensate.At{RateHz: rate})
}

func madeOf(t testing.TB, code []byte, parameters map[string]float64) rths.Compensator {
	t.Helper()
	return rthstest.Must(attempt(code, parameters))
}

// onRig shows a method targets and readings: a lag of 20 ms with noise, lost readings and old ones.
func onRig(ticks int, step func(target *rths.Motion, read *rths.Reading, command []float64)) {
	target, read, command := rths.NewMotion(1), rths.NewReading(1, 1), make([]float64, 1)
	x := 0.0
	for k := range ticks {
		rthstest.Sine(&target, k, rate)
		read.X[0], read.F[0], read.Age = x+1e-5*math.Sin(float64(7*k)), 1e6*x, 0
		switch k % 1000 {
		case 500:
			read.X[0], read.F[0] = math.NaN(), math.Inf(1)
		case 700, 701, 702:
			read.Age = k%1000 - 699
		}
		read.Late = k%1000 == 800
		step(&target, &read, command)
		x += (command[0] - x) / (0.02 * rate)
	}
}

// twin is adaptive.c in Go. (The conversions keep a compiler from fusing two operations.)
type twin struct {
	rate, pole, tau        float64
	weight                 [3]float64
	target, filtered       [2]float64
	low                    [2][2]float64
	a                      [3]float64
	settling, lastX        float64
	gamma, filterHz, quiet float64
}

func newTwin(t *testing.T) *twin {
	tw := &twin{rate: rate, tau: 20.0 / 1000, gamma: 10, filterHz: 20, quiet: 20 * 1e-6}
	m := newMathModule(t)
	tw.pole = m.of(0, -2*math.Pi*20/rate, 0)
	for i := range tw.weight {
		tw.weight[i] = m.of(4, 2*math.Pi*5, float64(-2*i))
	}
	tw.a = [3]float64{1, tw.tau, float64(tw.tau*tw.tau) / 5}
	return tw
}

func (tw *twin) filter(l *[2]float64, x float64) float64 {
	l[0] = x + float64(tw.pole*(l[0]-x))
	l[1] = l[0] + float64(tw.pole*(l[1]-l[0]))
	return l[1]
}

func (tw *twin) step(x, y float64, age int) float64 {
	if math.IsNaN(y) {
		y = tw.lastX
	}
	tw.lastX = y
	first := float64(float64(tw.a[1]*tw.rate) * (x - tw.target[0]))
	second := float64(float64(float64(tw.a[2]*tw.rate)*tw.rate) * (x - float64(2*tw.target[0]) + tw.target[1]))
	command := float64(tw.a[0]*x) + first + second
	tw.target = [2]float64{x, tw.target[0]}
	tw.learn(tw.filter(&tw.low[0], command), tw.filter(&tw.low[1], y), age)
	return command
}

func (tw *twin) learn(u, y float64, age int) {
	f := &tw.filtered
	z := [3]float64{y, float64((y - f[0]) * tw.rate), float64(float64((y-float64(2*f[0])+f[1])*tw.rate) * tw.rate)}
	f[0], f[1] = y, f[0]
	if age > 0 {
		tw.settling = math.Ceil(20 * tw.rate / (2 * math.Pi * tw.filterHz))
	} else if tw.settling > 0 {
		tw.settling--
	}
	if tw.settling > 0 || math.Abs(y) < tw.quiet {
		return
	}
	e, size := u, 50e-6*50e-6
	for i, v := range z {
		e -= float64(tw.a[i] * v)
		size += float64(float64(tw.weight[i]*v) * v)
	}
	start := [3]float64{1, tw.tau, float64(tw.tau*tw.tau) / 5}
	for i, v := range z {
		reach := float64(0.5 * math.Sqrt(tw.weight[i]))
		next := tw.a[i] + float64(float64(float64(float64(tw.gamma/tw.rate)*tw.weight[i])*e)/size*v)
		tw.a[i] = min(max(next, start[i]-reach), start[i]+reach)
	}
}

// The example commands what the same method in Go commands, to the bit; and it learns.
func TestExampleIsItsTwin(t *testing.T) {
	c, tw, k := madeOf(t, exampleModule(t, "adaptive"), nil), newTwin(t), 0
	onRig(8*rate, func(target *rths.Motion, read *rths.Reading, command []float64) {
		c.Step(command, target, read)
		age := read.Age
		if read.Late {
			age = 1
		}
		if want := tw.step(target.X[0], read.X[0], age); math.Float64bits(command[0]) != math.Float64bits(want) {
			t.Fatalf("tick %d: command %v: want %v", k, command[0], want)
		}
		k++
	})
	if got := rths.AppendAdaptation(nil, c); !slices.Equal(got, tw.a[:]) || math.Abs(got[2]) > 0.9*tw.tau*tw.tau/5 {
		t.Errorf("learnt %g: want %g, with a2 near 0, as the rig is of order 1", got, tw.a)
	}
}

// The template is kind inverse, to the bit of rounding α.
func TestTemplateIsInverse(t *testing.T) {
	c, want := madeOf(t, exampleModule(t, "template"), map[string]float64{"tau_ms": 15}),
		rthstest.Must((&compensate.Inverse{Lag: compensate.Lag{Delay: "given", TauMs: 15}}).Make(compensate.At{RateHz: rate}))
	expected := make([]float64, 1)
	onRig(rate, func(target *rths.Motion, read *rths.Reading, command []float64) {
		c.Step(command, target, read)
		want.Step(expected, target, read)
		rthstest.Near(t, "command", command[0], expected[0], 1e-14)
	})
}

// Both examples keep what every compensator keeps, and so does the sound one of mistakes.c.
func TestWASMConformance(t *testing.T) {
	rthstest.Long(t)
	for name, code := range map[string][]byte{"template": exampleModule(t, "template"),
		"adaptive": exampleModule(t, "adaptive"), "sound": read(t, "sound"), "with rates": read(t, "with_rates")} {
		t.Run(name, func(t *testing.T) { rthstest.Keeps(t, brokenBy(t, code)) })
	}
}

func brokenBy(t *testing.T, code []byte) []kit.Broken {
	c := kit.Compensator{Axes: 1, RateHz: rate, Limit: 0.1, Make: func() rths.Compensator { return madeOf(t, code, nil) }}
	return c.Broken()
}

// The kit sees the mistakes that a module may make in its steps.
func TestKitSeesMistakes(t *testing.T) {
	rthstest.Long(t)
	for name, want := range map[string]string{
		"trap":         kit.NeverFails + ": tick 100: step traps: integer divide by zero",
		"far":          kit.NeverFails + ": tick 100: step traps: out of bounds memory access",
		"deep":         kit.NeverFails + ": tick 0: step traps: out of bounds memory access",
		"not_a_number": kit.NeverFails + ": tick 100: step gave a command of NaN",
		"grows":        kit.NoAllocations,
		"hidden":       kit.Resumes,
		"frozen_not":   kit.Freezes,
		"old":          kit.OldTeachNo,
		"large":        kit.Bounded,
	} {
		broken := brokenBy(t, read(t, name))
		if !slices.ContainsFunc(broken, func(b kit.Broken) bool { return strings.HasPrefix(b.String(), want) }) {
			t.Errorf("%s: broken %q: want %q", name, broken, want)
		}
	}
}

// A bad module is refused with what was found and what is wanted.
func TestBadModulesAreRefused(t *testing.T) {
	sound := read(t, "sound")
	// a section of one table with 2²⁰ functions
	table := append([]byte("\x00asm\x01\x00\x00\x00\x04\x06\x01\x70\x00"), 0x80, 0x80, 0x40)
	patched := func(old, by string) []byte {
		return []byte(strings.Replace(string(sound), old, by, 1))
	}
	for _, c := range []struct {
		what string
		code []byte
		want string
	}{
		{"nothing", nil, `begins with "": want a WebAssembly module`},
		{"a source", []byte("#include \"rths.h\"\n"), "want a WebAssembly module, as clang --target=wasm32 builds it"},
		{"a component", []byte("\x00asm\x0d\x00\x01\x00"), "a WebAssembly component"},
		{"half", sound[:len(sound)/2], "the file ends in the middle of a module"},
		{"spoilt code", append(slices.Clone(sound[:len(sound)-40]), make([]byte, 40)...), "want a module for wasm32"},
		{"large file", make([]byte, module.LargestModule+1), "want at most 1048576"},
		{"large table", table, "a table of 1048576 functions: want at most 65536"},
		{"no step", patched("\x04step", "\x04stop"), "no function step is exported: want double step(void)"},
		{"no memory", patched("\x06memory", "\x06memorx"), "no memory is exported"},
		{"wrong step", read(t, "wrong_step"),
			"function step takes f32 and returns f32: want double step(void), which takes nothing and returns f64"},
		{"wrong init", read(t, "wrong_init"),
			"function init takes i32 and returns i32: want const char *init(double rate_hz, double lead), which takes f64, " +
				"f64 and returns i32"},
		{"system", read(t, "system"), `imports "clock_time_get" of "wasi_snapshot_preview1", a part of an operating system`},
		{"undefined", read(t, "undefined"), `imports "tanh" of "env", a function that no source defines`},
		{"large memory", read(t, "large_memory"), "min 512 pages"},
		{"outside", read(t, "outside"), "state before: 2 doubles at address 4294967280 are outside the memory of "},
		{"far table", read(t, "far_table"), "entry 1 of the table: address 4294967280 is outside the memory"},
		{"trap in table", read(t, "trap_table"), "table traps: unreachable"},
		{"endless table", read(t, "endless_table"), "the table has no end"},
		{"no now", read(t, "no_now"), "not one entry of kind now"},
		{"bad kind", read(t, "bad_kind"), "kind 77: want 1 to 7"},
		{"bad name", read(t, "bad_name"), `a name of "my state": want a letter`},
		{"an int", read(t, "whole"), "state whole has no double in it: want a variable of type double"},
		{"twice", read(t, "twice"), "state before stands twice"},
		{"trap in init", read(t, "trap_init"), "file: method.wasm: init traps: unreachable"},
		{"refuses", read(t, "refuses"), "file: method.wasm refuses: the moon is in the wrong place"},
		{"wrong text", read(t, "wrong_text"), "init returned 4294967295: want 0, or the address of a text"},
	} {
		if made, err := attempt(c.code, nil); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, %v: want an error that says %q", c.what, made, err, c.want)
		}
	}
}

// Parameters go to the module, those left out are filled in, and a wrong one is an error of its key.
func TestParametersOfModule(t *testing.T) {
	m := rthstest.Must(module.Compile(exampleModule(t, "adaptive")))
	p := &module.WASM{File: "m.wasm", Parameters: map[string]float64{"tau_ms": 12}}
	p.Use(m)
	c := rthstest.Must(p.Make(compensate.At{RateHz: rate}))
	if p.Parameters["tau_ms"] != 12 || p.Parameters["filter_hz"] != 20 || len(p.Parameters) != 4 {
		t.Errorf("parameters %v: want tau_ms 12 and the others as in the module", p.Parameters)
	}
	if ch := c.(rths.Channeler).Channels(); len(ch) != 3 || ch[1].Name != "a1" || ch[1].Unit != "s" || *ch[1].V != 0.012 {
		t.Errorf("channels %+v: want a1 = 0.012 s second", ch)
	}
	for _, bad := range []struct {
		code       []byte
		name       string
		v          float64
		key, wants string
	}{
		{exampleModule(t, "adaptive"), "tau", 1, "parameters.tau",
			"no such parameter of method.wasm: want one of filter_hz, gamma_1_s, quiet_um, tau_ms"},
		{read(t, "hidden"), "a", 1, "parameters.a", "want one of gain"},
		{read(t, "old"), "a", 1, "parameters.a", "method.wasm has none"},
		{read(t, "refuses_gain"), "gain", 2, "parameters.gain", "2, which method.wasm refuses: want at most 1"},
	} {
		_, err := attempt(bad.code, map[string]float64{bad.name: bad.v})
		var key *module.KeyError
		if !errors.As(err, &key) || key.Key != bad.key || !strings.Contains(key.Err.Error(), bad.wants) {
			t.Errorf("%s: %v: want an error of %s that says %q", bad.name, err, bad.key, bad.wants)
		}
	}
}

// A module that asks for them gets the target's velocity and acceleration, and what is made of it says so;
// no other does.
func TestRatesOfModule(t *testing.T) {
	for name, wants := range map[string]struct{ rates, learns bool }{
		"sound": {false, false}, "old": {false, true}, "with_rates": {true, false}, "learns_with_rates": {true, true},
	} {
		c := madeOf(t, read(t, name), nil)
		_, rates := rths.As[rths.RateUser](c)
		_, learns := rths.As[rths.Adaptive](c)
		if rates != wants.rates || learns != wants.learns {
			t.Errorf("%s: looks at rates %v, learns %v: want %+v", name, rates, learns, wants)
		}
	}
	with, learning, learnt := madeOf(t, read(t, "with_rates"), nil), madeOf(t, read(t, "learns_with_rates"), nil), 0.0
	onRig(rate, func(target *rths.Motion, read *rths.Reading, command []float64) {
		with.Step(command, target, read)
		rthstest.Near(t, "command", command[0], target.X[0]+0.01*target.V[0]+0.0001*target.A[0], 1e-15)
		if learning.Step(command, target, read); read.Age == 0 && !read.Late {
			learnt += float64(1e-6 * target.V[0])
		}
	})
	if got := rths.AppendAdaptation(nil, learning); len(got) != 1 || got[0] != learnt || learnt == 0 {
		t.Errorf("learnt %g: want %g", got, learnt)
	}
}

// The meter ends a module that does not return: a loop, calls without a loop, a loop of
// instructions that take a millisecond each.
func TestEndlessLoopsEnd(t *testing.T) {
	for _, name := range []string{"endless", "tree", "fills"} {
		c, k := madeOf(t, read(t, name), nil), 0
		onRig(200, func(target *rths.Motion, read *rths.Reading, command []float64) {
			c.Step(command, target, read)
			if err := c.(rths.Failer).Err(); (err != nil) != (k >= 100) {
				t.Fatalf("%s, tick %d: %v", name, k, err)
			}
			k++
		})
		rthstest.WantError(t, c.(rths.Failer).Err(),
			"step did not return after 134 million bytes of code: want a loop that ends")
	}
	_, err := attempt(read(t, "endless_init"), nil)
	rthstest.WantError(t, err, "init did not return after 134 million bytes of code")
}

// The meter is set anew in each tick, and changes nothing that is computed.
func TestLongStepsGoOn(t *testing.T) {
	for name, ticks := range map[string]int{"slow": 5, "wide": 1000} {
		c := madeOf(t, read(t, name), nil)
		onRig(ticks, func(target *rths.Motion, read *rths.Reading, command []float64) {
			if c.Step(command, target, read); target.X[0] != 0 && (command[0] != target.X[0] || c.(rths.Failer).Err() != nil) {
				t.Fatalf("%s: command %g, %v: want %g", name, command[0], c.(rths.Failer).Err(), target.X[0])
			}
		})
	}
}

// A step that fails leaves the command as it was, for ever.
func TestFailedStepHolds(t *testing.T) {
	for _, name := range []string{"trap", "not_a_number"} {
		c, k, last := madeOf(t, read(t, name), nil), 0, 0.0
		onRig(300, func(target *rths.Motion, read *rths.Reading, command []float64) {
			command[0] = math.NaN()
			c.Step(command, target, read)
			failed := c.(rths.Failer).Err() != nil
			if want := map[bool]float64{true: last, false: target.X[0]}[k >= 100]; command[0] != want || failed != (k >= 100) {
				t.Fatalf("%s, tick %d: command %g, %v: want %g", name, k, command[0], c.(rths.Failer).Err(), want)
			}
			last = command[0]
			k++
		})
	}
}

// Instances of one module know nothing of each other, in several goroutines.
func TestInstancesAreApart(t *testing.T) {
	m := rthstest.Must(module.Compile(exampleModule(t, "adaptive")))
	want := modulesCommands(t, exampleModule(t, "adaptive"))
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 3 {
				p := &module.WASM{File: "m.wasm"}
				p.Use(m)
				c, k := rthstest.Must(p.Make(compensate.At{RateHz: rate})), 0
				onRig(4096, func(target *rths.Motion, read *rths.Reading, command []float64) {
					if c.Step(command, target, read); command[0] != want[k] {
						t.Errorf("tick %d: %g: want %g", k, command[0], want[k])
					}
					k++
				})
			}
		})
	}
	all.Wait()
}

// Instances that nobody uses leave nothing: 10 000 of them, as in a study, of 64 KiB and more each.
func TestInstancesAreForgotten(t *testing.T) {
	m := rthstest.Must(module.Compile(exampleModule(t, "adaptive")))
	heap := func() int64 {
		var s runtime.MemStats
		for range 4 { // cleanups run after a collection
			runtime.GC()
			time.Sleep(10 * time.Millisecond)
		}
		runtime.ReadMemStats(&s)
		return int64(s.HeapAlloc)
	}
	one := func() {
		p := &module.WASM{File: "m.wasm"}
		p.Use(m)
		rthstest.Must(p.Make(compensate.At{RateHz: rate}))
	}
	one()
	before := heap()
	for range 10_000 {
		one()
	}
	if grown := heap() - before; grown > 1<<20 {
		t.Errorf("10 000 instances left %d bytes: want less than 16 of them", grown)
	}
	runtime.KeepAlive(m)
}

func TestWASMAllocatesNothing(t *testing.T) {
	c := madeOf(t, exampleModule(t, "adaptive"), nil)
	target, read, command := rths.NewMotion(1), rths.NewReading(1, 1), make([]float64, 1)
	rthstest.NoAllocation(t, func() {
		target.X[0] += 1e-6
		c.Step(command, &target, &read)
	})
}

// mathModule is the functions of rths.h.
type mathModule struct{ t *testing.T }

func newMathModule(t *testing.T) *mathModule { return &mathModule{t} }

// table is a function at several values.
func (m *mathModule) table(which int, y float64, x ...float64) (out []float64) {
	c := madeOf(m.t, read(m.t, "math"), map[string]float64{"which": float64(which), "y": y})
	target, reading, command := rths.NewMotion(1), rths.NewReading(1, 1), make([]float64, 1)
	for _, target.X[0] = range x {
		c.Step(command, &target, &reading)
		out = append(out, *c.(rths.Channeler).Channels()[0].V)
	}
	return out
}

func (m *mathModule) of(which int, x, y float64) float64 { return m.table(which, y, x)[0] }

// The functions of rths.h are as exact as rths.h says.
func TestMathOfHeader(t *testing.T) {
	rthstest.Long(t)
	m, r := newMathModule(t), rand.New(rand.NewPCG(1, 2))
	draw := func(from, to float64) (x []float64) {
		for range 20_000 {
			x = append(x, from+(to-from)*r.Float64())
		}
		return x
	}
	positive := draw(-300, 300)
	for i := range positive {
		positive[i] = math.Pow(10, positive[i])
	}
	for _, f := range []struct {
		name     string
		which    int
		y        float64
		of       func(float64) float64
		x        []float64
		relative float64
		absolute float64
	}{
		{"exp", 0, 0, math.Exp, draw(-708, 709.7), 1e-15, 0},
		{"exp", 0, 0, math.Exp, draw(-1, 1), 1e-15, 0},
		{"log", 1, 0, math.Log, positive, 1e-15, 0},
		{"log", 1, 0, math.Log, draw(0.5, 2), 1e-15, 1e-16},
		// (math.Log on amd64 gives −709 for 5e−324)
		{"log of a subnormal number", 1, 0, func(x float64) float64 { return math.Log(x*0x1p54) - 54*math.Ln2 },
			[]float64{5e-324, 1e-310}, 1e-15, 0},
		{"sin", 2, 0, math.Sin, draw(-1e5, 1e5), 0, 1e-15},
		{"sin", 2, 0, math.Sin, draw(-4, 4), 0, 1e-15},
		{"cos", 3, 0, math.Cos, draw(-1e5, 1e5), 0, 1e-15},
		{"cos", 3, 0, math.Cos, draw(-4, 4), 0, 1e-15},
		{"pow", 4, 1.5, func(x float64) float64 { return math.Pow(x, 1.5) }, draw(0, 1e3), 1e-15 * (1 + 1.5*math.Log(1e3)),
			1e-300},
		{"pow", 4, -4, func(x float64) float64 { return math.Pow(x, -4) }, draw(1, 1e3), 1e-15 * (1 + 4*math.Log(1e3)), 0},
	} {
		for i, got := range m.table(f.which, f.y, f.x...) {
			want := f.of(f.x[i])
			if !(math.Abs(got-want) <= f.relative*math.Abs(want)+f.absolute) {
				t.Fatalf("%s(%g) = %.17g: want %.17g (relative difference %.2g)", f.name, f.x[i], got, want, got/want-1)
			}
		}
	}
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct {
		which      int
		x, y, want float64
	}{
		{0, 710, 0, inf}, {0, -710, 0, 0}, {0, inf, 0, inf}, {0, -inf, 0, 0}, {0, nan, 0, nan}, {0, 0, 0, 1},
		{1, 0, 0, -inf}, {1, -1, 0, nan}, {1, inf, 0, inf}, {1, nan, 0, nan}, {1, 1, 0, 0},
		{2, 1e6, 0, nan}, {2, nan, 0, nan}, {3, inf, 0, nan}, {2, 0, 0, 0}, {3, 0, 0, 1},
		{4, 0, 2, 0}, {4, 0, -1, inf}, {4, -2, 3, nan}, {4, 5, 0, 1}, {4, 1, 7, 1},
		{5, 9, 0, 3}, {6, -2, 0, 2}, {7, -1.5, 0, -2}, {8, 1.2, 0, 2}, {9, 1, 2, 1}, {10, 1, 2, 2}, {11, 1, 0, 1},
		{11, inf, 0, 0}, {11, nan, 0, 0},
	} {
		if got := m.of(c.which, c.x, c.y); got != c.want && !(math.IsNaN(got) && math.IsNaN(c.want)) {
			t.Errorf("function %d of %g, %g is %g: want %g", c.which, c.x, c.y, got, c.want)
		}
	}
}

// The loader takes any bytes, in bounded memory.
func FuzzCompileWASM(f *testing.F) {
	for name := range mistakes {
		f.Add(read(f, name))
	}
	f.Add(exampleModule(f, "adaptive"))
	f.Add(binary.AppendUvarint([]byte("\x00asm\x01\x00\x00\x00\x04\x06\x01\x70\x00"), 1<<20))
	f.Fuzz(func(t *testing.T, code []byte) {
		c, err := attempt(code, nil)
		if err != nil {
			return
		}
		target, read, command := rths.NewMotion(1), rths.NewReading(1, 1), []float64{math.NaN()}
		if _, rates := c.(rths.RateUser); !rates {
			target.V, target.A = nil, nil
		}
		saved := rths.AppendState(nil, c)
		for range 3 {
			c.Step(command, &target, &read)
		}
		if rest := rths.SetState(saved, c); len(rest) > 0 || !rths.Finite(command[0]) {
			t.Errorf("command %g, %d numbers of a state left", command[0], len(rest))
		}
	})
}

// A tick of the adaptive example, beside the method of the table that is most like it. See
// docs/internals/performance.md.
func BenchmarkOwnMethod(b *testing.B) {
	for _, c := range []struct {
		name string
		of   rths.Compensator
	}{
		{"template", madeOf(b, exampleModule(b, "template"), nil)},
		{"adaptive", madeOf(b, exampleModule(b, "adaptive"), nil)},
		{"amb-order-2", rthstest.Must((&compensate.AMB{Order: 2, Initial: "given", A: []float64{1, 0.02, 8e-5},
			FilterOrder: 4, FilterHz: 20, FreezeBelow: 20e-6}).Make(compensate.At{RateHz: rate}))},
	} {
		b.Run(c.name, func(b *testing.B) {
			targets := make([]float64, 4096)
			for k := range targets {
				targets[k] = 3e-3 * math.Sin(2*math.Pi*3.6*float64(k)/rate)
			}
			target, read, command, k := rths.NewMotion(1), rths.NewReading(1, 1), make([]float64, 1), 0
			b.ReportAllocs()
			for b.Loop() {
				k = (k + 1) % 4096
				target.X[0], read.X[0] = targets[k], 0.9*targets[(k+4016)%4096]
				c.of.Step(command, &target, &read)
			}
		})
	}
}

// Compiling, and making an instance of what is compiled.
func BenchmarkMakeOwnMethod(b *testing.B) {
	code := exampleModule(b, "adaptive")
	b.Run("compile", func(b *testing.B) {
		for b.Loop() {
			rthstest.Must(module.Compile(code))
		}
	})
	b.Run("instance", func(b *testing.B) {
		p := &module.WASM{File: "m.wasm"}
		p.Use(rthstest.Must(module.Compile(code)))
		for b.Loop() {
			rthstest.Must(p.Make(compensate.At{RateHz: rate}))
		}
	})
}
