package analyse

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"rths"
	"rths/kit/rthstest"
	"rths/model/plant"
)

const hydraulicRate = 2048 // Hz

// hydraulicOf is an actuator of the table.
func hydraulicOf(name string) plant.Hydraulic {
	kind := rthstest.Must(rths.Find(plant.Transfers, name))
	return *kind.Defaults().(*plant.Hydraulic)
}

// experiments are steps, two sweeps, ramps at three speeds and a slow sine, one after another.
func experiments(p *plant.Hydraulic) (u []float64) {
	stroke := 1 / p.ProportionalGain // m, of the command, that opens the valve fully
	add := func(seconds float64, of func(s float64) float64) {
		for k := range int(seconds * hydraulicRate) {
			u = append(u, of(float64(k)/hydraulicRate))
		}
	}
	add(0.2, func(float64) float64 { return 0 })
	for _, size := range []float64{0.2, -0.2, 1.6, -1.6, 0} {
		add(0.3, func(float64) float64 { return size * stroke })
	}
	for _, size := range []float64{0.05, 0.3} {
		const seconds, from, to = 2.0, 1.0, 60.0
		ratio := math.Log(to / from)
		add(seconds, func(s float64) float64 {
			turns := from * seconds / ratio * (math.Exp(s/seconds*ratio) - 1)
			return size * stroke * math.Sin(2*math.Pi*turns) * min(1, (seconds-s)/0.2)
		})
	}
	for _, speed := range []float64{0.002, 0.01, 0.04} { // m/s
		add(1, func(s float64) float64 { return speed * (math.Abs(math.Mod(s+0.25, 1)-0.5) - 0.25) })
	}
	add(1, func(s float64) float64 { return 0.04 * stroke * math.Sin(2*math.Pi*s) })
	return u
}

// drawn are an actuator near those of the table, and a first guess that is wrong by up to a factor of 1.5.
// Those that are not stable with the specimen are drawn again.
func drawn(r *rand.Rand, name string) (truth, guess plant.Hydraulic) {
	truth = hydraulicOf(name)
	guess = truth
	within := func(factor float64) float64 { return math.Pow(factor, 2*r.Float64()-1) }
	for _, u := range unknowns {
		if u.absolute > 0 {
			*u.of(&truth) = -0.02 + 0.05*r.Float64()
			continue
		}
		*u.of(&truth) *= within(1.3)
		*u.of(&guess) = *u.of(&truth) * within(1.5)
	}
	for _, p := range []*plant.Hydraulic{&truth, &guess} {
		p.StaticForce = max(p.StaticForce, 1.1*p.CoulombForce)
		p.BristleDamping = min(p.BristleDamping, 7*p.CoulombForce)
	}
	test := hydraulicLoading(&truth, &guess, name)
	for _, p := range []*plant.Hydraulic{&truth, &guess} {
		if _, err := p.Make(plant.At{RateHz: hydraulicRate, Specimen: rthstest.Must(test.Specimen.Make())}); err != nil {
			return drawn(r, name)
		}
	}
	return truth, guess
}

// hydraulicLoading is a test of an actuator with five times its mass on a spring, without measurements.
func hydraulicLoading(truth, guess *plant.Hydraulic, kind string) *HydraulicTest {
	m, k := 5*truth.MovingMass, truth.Force/truth.Stroke/2
	t := &HydraulicTest{RateHz: hydraulicRate, Guess: *guess, Kind: kind, Command: experiments(truth),
		Specimen: &plant.LinearSpecimen{Mass: m, Stiffness: k, Damping: 2 * 0.02 * math.Sqrt(k*m)}}
	t.Measured, t.Force = make([]float64, len(t.Command)), make([]float64, len(t.Command))
	return t
}

// measure takes displacements and forces with noise of 1 µm and 0.05 % of the rated force, each like a part of the one
// before.
func (t *HydraulicTest) measure(x, f []float64, r *rand.Rand, like float64) {
	var ex, ef float64
	for k := range t.Command {
		ex = like*ex + math.Sqrt(1-like*like)*r.NormFloat64()
		ef = like*ef + math.Sqrt(1-like*like)*r.NormFloat64()
		t.Measured[k], t.Force[k] = x[k]+1e-6*ex, f[k]+5e-4*t.Guess.Force*ef
	}
}

// within counts the held parameters within two standard errors of the truth.
func (r *HydraulicFit) within(t testing.TB, name string, truth *plant.Hydraulic) (in, held int) {
	t.Helper()
	for _, p := range r.Parameters {
		if !p.Held {
			t.Logf("%s: %s is not held: %s", name, p.Key, p.Why)
			continue
		}
		for _, u := range unknowns {
			if u.key != p.Key {
				continue
			}
			if held++; math.Abs(p.Value-*u.of(truth)) < 2*p.Error {
				in++
			} else {
				t.Logf("%s: %s is %.6g ± %.2g: want %.6g", name, p.Key, p.Value, p.Error, *u.of(truth))
			}
		}
	}
	return in, held
}

var hydraulicSizes = []string{"servo-hydraulic-25kN", "servo-hydraulic-nonlinear", "servo-hydraulic-2500kN"}

// Parameters of random actuators are found within two standard errors in 90 % of cases, from first guesses that are
// wrong by up to a factor of 1.5, with white noise and with noise that is correlated in time.
func TestHydraulicIsFound(t *testing.T) {
	rthstest.Long(t)
	in, held, all := 0, 0, 0
	for i := range rthstest.Draws(2, 20) {
		r := rand.New(rand.NewPCG(uint64(i), 11))
		kind := hydraulicSizes[i%len(hydraulicSizes)]
		truth, guess := drawn(r, kind)
		test := hydraulicLoading(&truth, &guess, kind)
		run := rthstest.Must(test.simulate(&truth))
		test.measure(run.x, run.f, r, []float64{0, 0.9}[i%2])
		found := rthstest.Must(test.Run())
		a, b := found.within(t, fmt.Sprint(i, " ", kind), &truth)
		in, held, all = in+a, held+b, all+len(found.Parameters)
		t.Logf("%d %s: %d of %d, %d rounds, %d runs; %q", i, kind, a, b, found.Rounds, found.Runs, found.Notes)
	}
	t.Logf("%d of %d held within two standard errors; %d parameters", in, held, all)
	if in < held*9/10 || held < all*9/10 {
		t.Errorf("%d of %d held parameters within two standard errors, of %d: want 90 %% and 90 %%", in, held, all)
	}
}

// What the data do not hold is not printed as found.
func TestHydraulicDoubts(t *testing.T) {
	rthstest.Long(t)
	truth := hydraulicOf(hydraulicSizes[1])
	truth.Overlap = 0.005
	for name, c := range map[string]struct {
		change func(*HydraulicTest) // of the guess, after the measurement
		size   float64              // of the commands
		note   string
		open   []string // not held
	}{
		"small moves": {func(*HydraulicTest) {}, 0.1,
			"the valve never opened more than 27 %: nothing in these data saturates",
			[]string{"valve_slew"}},
		"another specimen": {func(t *HydraulicTest) { t.Specimen.(*plant.LinearSpecimen).Mass *= 1.2 }, 1,
			"N of the force, ", nil},
		"no dry friction in the guess": {func(t *HydraulicTest) { t.Guess.CoulombForce, t.Guess.StaticForce = 0, 0 }, 1,
			"not looked for, because the first guess has none: coulomb_force_n, static_force_n",
			[]string{"stribeck_speed_m_s", "presliding_um", "bristle_damping"}},
	} {
		test := hydraulicLoading(&truth, &truth, "")
		n := 2 * hydraulicRate // the steps
		test.Command, test.Measured, test.Force = test.Command[:n], test.Measured[:n], test.Force[:n]
		scale(test.Command, c.size)
		run := rthstest.Must(test.simulate(&truth))
		test.measure(run.x, run.f, rand.New(rand.NewPCG(1, 1)), 0)
		c.change(test)
		found, err := test.Run()
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if all := strings.Join(found.Notes, "\n"); !strings.Contains(all, c.note) {
			t.Errorf("%s: notes %q: want %q", name, all, c.note)
		}
		for _, p := range found.Parameters {
			if p.Held && slices.Contains(c.open, p.Key) {
				t.Errorf("%s: %s is held", name, p.Key)
			}
		}
	}
}

// Data of the first guess itself, without noise, leave it as it is.
func TestHydraulicExact(t *testing.T) {
	rthstest.Long(t)
	truth := hydraulicOf(hydraulicSizes[0])
	test := hydraulicLoading(&truth, &truth, "")
	n := 4 * hydraulicRate // steps and a sweep
	test.Command, test.Measured, test.Force = test.Command[:n], test.Measured[:n], test.Force[:n]
	run := rthstest.Must(test.simulate(&truth))
	test.Measured, test.Force = run.x, run.f
	for _, p := range rthstest.Must(test.Run()).Parameters {
		if p.Held {
			rthstest.Near(t, p.Key, p.Value, p.Guess, 1e-3*math.Abs(p.Guess)+1e-6)
		}
	}
}

// Derivatives that are found at the same time are those of one run after another, to the bit.
func TestHydraulicSlopesShareNothing(t *testing.T) {
	truth := hydraulicOf(hydraulicSizes[0])
	test := hydraulicLoading(&truth, &truth, "")
	n := 500
	test.Command, test.Measured, test.Force = test.Command[:n], make([]float64, n), make([]float64, n)
	f := &hydraulicFitter{HydraulicTest: test, start: truth, of: unknowns[:4],
		steps: []float64{difference, difference, difference, difference}}
	z := make([]float64, len(f.of))
	at := rthstest.Must(test.simulate(f.at(z)))
	j := rthstest.Must(f.slopes(z, at))
	for i := range f.of {
		to := slices.Clone(z)
		to[i] += difference
		run := rthstest.Must(test.simulate(f.at(to)))
		for c := range j {
			for k := range n {
				if want := (at.r[c][k] - run.r[c][k]) / difference; j[c].At(i, k) != want {
					t.Fatalf("%s, sample %d: %g, one after another %g", f.of[i].key, k, j[c].At(i, k), want)
				}
			}
		}
	}
}

func TestHydraulicRefuses(t *testing.T) {
	truth := hydraulicOf(hydraulicSizes[0])
	for _, c := range []struct {
		want  string
		spoil func(t *HydraulicTest)
	}{
		{"200 samples, 0.0977 s: too short for steps, sweeps and a ramp: want at least 200 samples and 1 s",
			func(t *HydraulicTest) {
				t.Command, t.Measured, t.Force = t.Command[:200], t.Measured[:200], t.Force[:200]
			}},
		{"the measurement is 0 throughout: want a test that moves", func(t *HydraulicTest) { scale(t.Measured, 0) }},
		{"the force is 0 throughout: want the load cell between piston and specimen",
			func(t *HydraulicTest) { scale(t.Force, 0) }},
		{"force of row 8 is NaN: want a finite number", func(t *HydraulicTest) { t.Force[7] = math.NaN() }},
		{"the measurement begins at 20 mm, of ", func(t *HydraulicTest) { t.Measured[0] = 0.02 }},
		{"the force is 0.001 times that of the first guess with this specimen: want its unit",
			func(t *HydraulicTest) { scale(t.Force, 1e-3) }},
		{"the measurement is 1e+03 times that of the first guess", func(t *HydraulicTest) { scale(t.Measured, 1e3) }},
		{"the force has the other sign than the first guess's", func(t *HydraulicTest) { scale(t.Force, -1) }},
		{"the first guess: servo-hydraulic-nonlinear transfer system: valve_hz 0: want 0.1",
			func(t *HydraulicTest) { t.Guess.ValveHz = 0 }},
	} {
		test := hydraulicLoading(&truth, &truth, "")
		run := rthstest.Must(test.simulate(&truth))
		test.Measured, test.Force = run.x, run.f
		c.spoil(test)
		_, err := test.Run()
		rthstest.WantError(t, err, c.want)
	}
}

func scale(v []float64, f float64) {
	for k := range v {
		v[k] *= f
	}
}

// The same with measurements of another program (kit/independent/hydraulic.c), which integrates the actuator in 32
// steps of each of its own samples, two to one of the data. RTHS_FULL=all tries 20 actuators, else two.
func TestProgramOfHydraulicLoading(t *testing.T) {
	actuators := 2
	if rthstest.All() {
		actuators = 20
	}
	var args []string
	tests, truths := make([]*HydraulicTest, actuators), make([]plant.Hydraulic, actuators)
	for i := range tests {
		r, kind := rand.New(rand.NewPCG(uint64(i), 12)), hydraulicSizes[i%len(hydraulicSizes)]
		truth, guess := drawn(r, kind)
		tests[i], truths[i] = hydraulicLoading(&truth, &guess, kind), truth
		var commands strings.Builder
		for _, u := range tests[i].Command {
			fmt.Fprintf(&commands, "%.17g %.17g\n", u, u)
		}
		file, sp := filepath.Join(t.TempDir(), "commands"), tests[i].Specimen.(*plant.LinearSpecimen)
		if err := os.WriteFile(file, []byte(commands.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		args = append(args, fmt.Sprint("name=", i), "commands="+file, "every=2",
			fmt.Sprint("seconds=", float64(len(tests[i].Command))/hydraulicRate), fmt.Sprint("mass=", sp.Mass),
			fmt.Sprint("stiffness=", sp.Stiffness))
		args = append(args, hydraulicArgs(&truth)...)
	}
	measured := rthstest.Independent(t, "hydraulic.c", args...)
	in, held := 0, 0
	for i, test := range tests {
		x, f := measured[fmt.Sprint(i, "/x")], measured[fmt.Sprint(i, "/f")]
		if len(x) != len(test.Command) {
			t.Fatalf("%d numbers: want %d", len(x), len(test.Command))
		}
		test.measure(append([]float64{0}, x...), append([]float64{0}, f...), rand.New(rand.NewPCG(uint64(i), 13)), 0)
		found := rthstest.Must(test.Run())
		a, b := found.within(t, fmt.Sprint(i, " ", test.Kind), &truths[i])
		in, held = in+a, held+b
		t.Logf("%d %s: %d of %d; %.4g µm, %.4g N; %q", i, test.Kind, a, b, 1e6*found.Residual[0], found.Residual[1],
			found.Notes)
	}
	t.Logf("%d of %d held parameters of %d actuators within two standard errors", in, held, actuators)
	if in < held*9/10 || held < 10*actuators {
		t.Errorf("%d of %d held parameters within two standard errors: want 90 %% of 10 or more an actuator", in, held)
	}
}

// hydraulicArgs are the numbers of an actuator for kit/independent/hydraulic.c.
func hydraulicArgs(p *plant.Hydraulic) (args []string) {
	for j, v := 0, reflect.ValueOf(*p); j < v.NumField(); j++ {
		if key, _, _ := strings.Cut(v.Type().Field(j).Tag.Get("yaml"), ","); key != "" && !v.Field(j).IsZero() {
			args = append(args, fmt.Sprint(key, "=", v.Field(j)))
		}
	}
	return args
}
