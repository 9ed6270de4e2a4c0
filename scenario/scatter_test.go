package scenario_test

import (
	"fmt"
	"math"
	"math/cmplx"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"rths"
	"rths/kit/rthstest"
	"rths/maths/scatter"
	"rths/maths/signal"
	"rths/method/compensate"
	"rths/model/plant"
	"rths/scenario"
	"rths/scenario/doubts"
	"rths/scenario/syntax"
)

// scattered is small with a scatter of the distributions of the table.
const scattered = small + `scatter:
  transfer.omega_rad_s: {kind: normal, mean: 50, sd: 2.5}
  specimen.stiffness: {kind: uniform, from: 0.9e5, to: 1.1e5}
  specimen.mass: {kind: truncated-normal, mean: 10, sd: 1, from: 9.5, to: 12}
  transfer.damping_ratio: {kind: log-uniform, from: 0.4, to: 1.6}
`

// plantOf is the n-th plant.
func plantOf(t *testing.T, s *scenario.Scenario, n int) []rths.Value {
	t.Helper()
	return rthstest.Must(s.PerturbedPlant(n).Build(t.Context(), scenario.Options{})).Drawn
}

// The plants of a scenario have the means and standard deviations of their distributions, and
// no correlation. The tolerances are four standard errors.
func TestMomentsOfDrawnPlants(t *testing.T) {
	n := rthstest.Draws(500, 2000)
	s := parsed(t, scattered)
	x := make([][]float64, len(s.Scatter))
	for i := range n {
		for j, v := range plantOf(t, s, i+1) {
			x[j] = append(x[j], v.V)
		}
	}
	pdf := func(x float64) float64 { return math.Exp(-x*x/2) / math.Sqrt(2*math.Pi) }
	cdf := func(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }
	a, b := -0.5, 2.0 // the bounds of the mass in standard deviations
	z := cdf(b) - cdf(a)
	shift := (pdf(a) - pdf(b)) / z
	l := math.Log(4)
	for j, want := range []struct{ mean, sd float64 }{
		{50, 2.5},
		{1e5, 2e4 / math.Sqrt(12)},
		{10 + shift, math.Sqrt(1 + (a*pdf(a)-b*pdf(b))/z - shift*shift)},
		{1.2 / l, math.Sqrt((1.6*1.6-0.4*0.4)/(2*l) - 1.2/l*1.2/l)},
	} {
		mean, sd := meanSD(x[j])
		t.Logf("%s: mean %.6g of %.6g, sd %.5g of %.5g", s.Scatter[j].Key, mean, want.mean, sd, want.sd)
		rthstest.Near(t, "mean of "+s.Scatter[j].Key, mean, want.mean, 4*want.sd/math.Sqrt(float64(n)))
		// that of a normal variable, the largest of the four
		rthstest.Near(t, "standard deviation of "+s.Scatter[j].Key, sd, want.sd, 4*want.sd/math.Sqrt(2*float64(n)))
		for k := range j {
			other, otherSD := meanSD(x[k])
			r := 0.0
			for i := range n {
				r += (x[j][i] - mean) * (x[k][i] - other) / (float64(n) * sd * otherSD)
			}
			rthstest.Near(t, "correlation", r, 0, 4/math.Sqrt(float64(n)))
		}
	}
}

func meanSD(x []float64) (mean, sd float64) {
	for _, v := range x {
		mean += v / float64(len(x))
	}
	for _, v := range x {
		sd += (v - mean) * (v - mean) / float64(len(x))
	}
	return mean, math.Sqrt(sd)
}

// Plant n depends on seed, n and the keys before it alone.
func TestDrawnPlantIsTheSame(t *testing.T) {
	want := plantOf(t, parsed(t, scattered), 7)
	for _, sets := range [][]string{
		{"sensors={displacement_noise: 1e-5, force_noise: 1}"}, {"compensator.kind=kf"}, {"transfer.gain=0.9"},
		{"rate_hz=2048"},
		{"scatter.transfer.gain.kind=uniform"}, {"scatter.transfer.damping_ratio.to=1.7"},
	} {
		got := plantOf(t, parsed(t, scattered, sets...), 7)
		if !slices.Equal(got[:3], want[:3]) {
			t.Errorf("%v: %v, want %v", sets, got[:3], want[:3])
		}
	}
	for what, other := range map[string][]rths.Value{"plant 8": plantOf(t, parsed(t, scattered), 8),
		"seed 2": plantOf(t, parsed(t, scattered, "seed=2"), 7)} {
		for i := range want {
			if other[i].V == want[i].V {
				t.Errorf("%s has %s of plant 7 with seed 1", what, want[i].Name)
			}
		}
	}
}

// A run of plant n has the bits of a run with the drawn values as its nominal ones: all of
// them reach the physics. The compensator is none, which knows no plant.
func TestDrawnPlantIsAPlant(t *testing.T) {
	two := strings.Replace(small,
		"specimen: {kind: linear, mass: 10, damping: 100, stiffness: 1e5}\ntransfer: {kind: second-order}\n",
		"interface: [1, 2]\nspecimens: [{specimen: {kind: linear, stiffness: 1e5}}, {specimen: {kind: linear, stiffness: "+
			"2e5}}]\neach: [{transfer: {kind: delay, delay_ms: 3}}, {transfer: {kind: delay, delay_ms: 8}}]\ncompensator: "+
			"{kind: none}\n", 1)
	for name, c := range map[string]struct{ text, scatter string }{
		"one actuator": {small,
			"transfer.omega_rad_s: {kind: normal, mean: 50, sd: 2.5}, transfer.damping_ratio: {kind: uniform, from: 0.7, to: " +
				"0.9}, specimen.stiffness: {kind: normal, mean: 1e5, sd: 1e4}, specimen.damping: {kind: uniform, from: " +
				"50, to: 150}"},
		"sensors": {small,
			"sensors.displacement_gain: {kind: normal, mean: 1, sd: 0.01}, sensors.force_offset: {kind: normal, sd: 3}, " +
				"sensors.displacement_noise: {kind: uniform, from: 1e-6, to: 2e-6}, sensors.acceleration_noise: {kind: uniform}"},
		"lists": {strings.Replace(small, "{kind: second-order}", "{kind: tf, num: [2500], den: [1, 80, 2500]}", 1),
			"'transfer.num[1]': {kind: normal, mean: 2500, sd: 50}, 'transfer.den[2]': {kind: normal, mean: 80, sd: 5}"},
		"several": {two,
			"'specimens[2].specimen.stiffness': {kind: normal, mean: 2e5, sd: 2e4}, 'each[2].transfer.delay_ms': {kind: " +
				"truncated-normal, mean: 8, sd: 1, from: 4, to: 12}, sensors.force_gain: {kind: normal, mean: 1, sd: 0.01}"},
		"for all": {strings.Replace(small, "specimen:", "interface: [1, 2]\nspecimen:", 1),
			"transfer.omega_rad_s: {kind: normal, mean: 50, sd: 2.5}, specimen.stiffness: {kind: normal, mean: 1e5, sd: 1e4}"},
	} {
		text := c.text
		if name == "sensors" {
			text += "sensors: {acceleration: true}\n"
		}
		r := built(t, text, "perturbed=5", "scatter={"+c.scatter+"}")
		var sets []string
		for _, v := range r.Drawn {
			sets = append(sets, fmt.Sprintf("%s=%v", v.Name, v.V))
		}
		if name == "lists" {
			sets = []string{fmt.Sprintf("transfer.num=[%v]", r.Drawn[0].V),
				fmt.Sprintf("transfer.den=[1, %v, 2500]", r.Drawn[1].V)}
		}
		given, nominal := built(t, text, sets...), built(t, text)
		same := true
		steps(t, r, func(f *rths.Frame) {
			if err := given.Loop.Step(); err != nil {
				t.Fatal(err)
			}
			g := given.Loop.Frame()
			if !slices.Equal(f.Read.X, g.Read.X) || !slices.Equal(f.Read.F, g.Read.F) || !slices.Equal(f.Read.A, g.Read.A) {
				t.Fatalf("%s: at %g s %v %v: with the values of %v %v %v", name, f.T, f.Read.X, f.Read.F, sets, g.Read.X, g.Read.F)
			}
			if err := nominal.Loop.Step(); err != nil {
				t.Fatal(err)
			}
			same = same && slices.Equal(f.Read.X, nominal.Loop.Frame().Read.X)
		})
		if same {
			t.Errorf("%s: %v is the nominal plant", name, r.Drawn)
		}
	}
}

// What is measured on plant n is what was drawn: force over displacement of a spring, the
// gain of a sensor, the delay of the second of two actuators, and the natural frequency of a
// transfer system.
func TestDrawnValuesAreMeasured(t *testing.T) {
	r := built(t, `rate_hz: 1000
interface: [1, 2]
ground: {kind: sine, frequency_hz: 2, amplitude_m_s2: 1, duration_s: 2}
structure: {kind: shear, masses: [1000, 1000], stiffnesses: [1e6, 1e6], damping: {modal_ratio: [0.02]}}
specimens: [{specimen: {kind: linear, stiffness: 1e5}}, {specimen: {kind: linear, stiffness: 1e5}}]
each: [{transfer: {kind: delay, delay_ms: 8}}, {transfer: {kind: delay, delay_ms: 8}}]
perturbed: 3
scatter:
  specimens[2].specimen.stiffness: {kind: normal, mean: 1e5, sd: 1e4}
  each[2].transfer.delay_ms: {kind: uniform, from: 5, to: 6}
  sensors.displacement_gain: {kind: normal, mean: 1, sd: 0.02}
`)
	k, ms, gain := r.Drawn[0].V, r.Drawn[1].V, r.Drawn[2].V
	var command []float64
	whole := int(ms)
	late := 0
	steps(t, r, func(f *rths.Frame) {
		command = append(command, f.Command[1])
		rthstest.Near(t, "force over displacement", f.Read.TrueF[1], k*f.Read.TrueX[1], 1e-9*math.Abs(k*f.Read.TrueX[1]))
		rthstest.Near(t, "nominal force over displacement", f.Read.TrueF[0], 1e5*f.Read.TrueX[0],
			1e-9*math.Abs(1e5*f.Read.TrueX[0]))
		rthstest.Near(t, "reading over displacement", f.Read.X[0], gain*f.Read.TrueX[0], 1e-12*math.Abs(f.Read.TrueX[0]))
		if i := len(command) - 2 - whole; i >= 1 { // a reading is of the end of the sample before
			part := ms - float64(whole)
			rthstest.Near(t, "displacement", f.Read.TrueX[1], (1-part)*command[i]+part*command[i-1], 1e-15)
			late++
		}
	})
	t.Logf("stiffness %.4g N/m, delay %.3f ms, gain %.4f, %d samples", k, ms, gain, late)
	s := parsed(t, scattered).PerturbedPlant(4)
	m := rthstest.Must(s.PlantModel(nil))
	values := plantOf(t, s, 4)
	omega, ratio := values[0].V, values[3].V
	for _, hz := range []float64{0.5, 5, 50} {
		jw := complex(0, 2*math.Pi*hz)
		want := complex(omega*omega, 0) / (jw*jw + complex(2*ratio*omega, 0)*jw + complex(omega*omega, 0))
		rthstest.Near(t, "frequency response", cmplx.Abs(m.SS.Response(0, 0)(hz)-want), 0, 1e-12)
	}
}

// perturbed: 0 is the nominal plant: the scenario runs to the same bits with scatter and
// without, with one actuator and with two.
func TestScatterLeavesTheNominalPlant(t *testing.T) {
	for _, sets := range [][]string{{"compensator.kind=adm3"}, {"interface=[1, 2]", "compensator.kind=kf"},
		{"interface=[1, 2]", "limits=none", "compensator.kind=kalman-inverse", "transfer.kind=silva2020",
			"specimen.kind=bouc-wen", "specimen.stiffness=1e5"}} {
		a, b := built(t, small, sets...), built(t, small,
			append(sets, "scatter.transfer.gain={kind: normal, mean: 1, sd: 0.01}",
				"scatter.specimen.stiffness={kind: normal, mean: 1e5, sd: 1e4}")...)
		if len(b.Drawn) > 0 || a.Name != b.Name {
			t.Errorf("%v: %q drew %v", sets, b.Name, b.Drawn)
		}
		steps(t, a, func(f *rths.Frame) {
			if err := b.Loop.Step(); err != nil {
				t.Fatal(err)
			}
			if g := b.Loop.Frame(); !slices.Equal(f.Read.X, g.Read.X) || !slices.Equal(f.Command, g.Command) {
				t.Fatalf("%v: at %g s %v, with scatter %v", sets, f.T, f.Read.X, g.Read.X)
			}
		})
	}
}

// Compensators are made for the nominal plant: their settings, and the parameters that they
// start with, are those of perturbed: 0. So is the scenario of the record.
func TestCompensatorsDoNotSeeTheDraw(t *testing.T) {
	made := 0
	for _, set := range rthstest.Compensators(compensate.Kinds) {
		nominal := parsed(t, scattered, set, "scatter.sensors.displacement_gain={kind: normal, mean: 1, sd: 0.1}")
		plants := nominal.PerturbedPlant(3)
		a, err := nominal.CompensatorSettings()
		b, drawnErr := plants.CompensatorSettings()
		if fmt.Sprint(err) != fmt.Sprint(drawnErr) || !slices.Equal(a, b) {
			t.Errorf("%s: %q, %v: plant 3 has %q, %v", set, a, err, b, drawnErr)
		}
		x, err := nominal.Build(t.Context(), scenario.Options{})
		y, drawnErr := plants.Build(t.Context(), scenario.Options{})
		if err != nil || drawnErr != nil {
			continue // some want another scenario
		}
		made++
		if !slices.Equal(x.Parameters(), y.Parameters()) {
			t.Errorf("%s: %v, plant 3 has %v", set, x.Parameters(), y.Parameters())
		}
		if p, q := rthstest.Must(x.Scenario.YAML()), rthstest.Must(y.Scenario.YAML()); strings.Replace(q, "perturbed: 3\n",
			"", 1) != p {
			t.Errorf("%s: the scenario of the record is\n%s\nwant that of the nominal plant\n%s", set, q, p)
		}
	}
	if made < 10 {
		t.Errorf("%d compensators were made", made)
	}
}

// The published scatter is drawn as the makers draw it, and what was drawn is named. With
// scatter it is not drawn.
func TestPublishedScatterIsNamed(t *testing.T) {
	text := strings.NewReplacer("{kind: second-order}", "{kind: silva2020}",
		"{kind: linear, mass: 10, damping: 100, stiffness: 1e5}", "{kind: silva2020, stiffness: 1e5}").Replace(small)
	r := built(t, text, "perturbed=3")
	specimen := rthstest.Must(rths.Find(plant.Specimens, "silva2020")).Defaults().(*plant.SilvaSpecimen)
	transfer := rthstest.Must(rths.Find(plant.Transfers, "silva2020")).Defaults().(*plant.Silva2020)
	specimen.Stiffness = 1e5
	normal := rand.New(signal.Stream(1, "plant 3")).NormFloat64
	specimen.Perturb(normal)
	transfer.Perturb(normal)
	want := []rths.Value{{Name: "specimen.stiffness", V: specimen.Stiffness},
		{Name: "transfer.alpha3", V: transfer.Alpha3}, {Name: "transfer.beta1", V: transfer.Beta1},
		{Name: "transfer.beta2", V: transfer.Beta2}}
	for i, doc := range []string{"100000", "3.3", "425", "99976"} {
		want[i].Doc = "drawn, the nominal value is " + doc
	}
	if !slices.Equal(r.Drawn, want) {
		t.Errorf("drawn %v, want %v", r.Drawn, want)
	}
	r = built(t, text, "perturbed=3", "scatter={transfer.alpha3: {kind: normal, mean: 13.3, sd: 0.1}}")
	if len(r.Drawn) != 1 || r.Drawn[0].Name != "transfer.alpha3" {
		t.Errorf("with scatter %v was drawn: want alpha3 alone", r.Drawn)
	}
	r = rthstest.Must(rthstest.Must(scenario.Shipped("benchmark-multiaxial.yaml", "perturbed=2",
		"ground={kind: sine, duration_s: 1, frequency_hz: 2, amplitude_m_s2: 1}")).Build(t.Context(), scenario.Options{}))
	if len(r.Drawn) != 9 || r.Drawn[8].Name != "transfer.draws[9]" {
		t.Errorf("drawn %v: want the nine draws of the loading system", r.Drawn)
	}
}

// The scenario of the record has the block, and runs again to the same bits.
func TestScatterReadsBack(t *testing.T) {
	for _, sets := range [][]string{nil, {"interface=[1, 2]"},
		{"transfer={kind: tf, num: [2500], den: [1, 80, 2500]}",
			"scatter={'transfer.num[1]': {kind: normal, mean: 2500, sd: 20}}"}} {
		first := built(t, scattered, append(sets, "perturbed=4", "compensator.kind=kf")...)
		text := rthstest.Must(first.Scenario.YAML())
		second := built(t, text)
		if !slices.Equal(first.Drawn, second.Drawn) || rthstest.Must(second.Scenario.YAML()) != text {
			t.Errorf("%v: read back it is\n%s\nwas\n%s", sets, rthstest.Must(second.Scenario.YAML()), text)
		}
		steps(t, first, func(f *rths.Frame) {
			if err := second.Loop.Step(); err != nil {
				t.Fatal(err)
			}
			if g := second.Loop.Frame(); !slices.Equal(f.Read.X, g.Read.X) {
				t.Fatalf("%v: at %g s %v, again %v", sets, f.T, f.Read.X, g.Read.X)
			}
		})
	}
}

// Every distribution of the table is doubted far from the nominal value, with both numbers,
// and not at it.
func TestScatterAboutAnotherValue(t *testing.T) {
	for _, k := range scatter.Kinds {
		s := parsed(t, small, "transfer.gain=0.5", "scatter.transfer.gain.kind="+k.Name)
		if d := doubts.Of(s); len(d) != 0 {
			t.Errorf("%s: %q at 0.5", k.Name, d)
		}
		s = parsed(t, small, "specimen.damping=77", "scatter.specimen.damping.kind="+k.Name)
		if d := doubts.Of(s); len(d) != 1 || !strings.Contains(d[0], "scatter.specimen.damping: ") ||
			!strings.Contains(d[0], "the nominal value is 77, ") {
			t.Errorf("%s: %q at 77", k.Name, d)
		}
	}
	d := doubts.Of(parsed(t, scattered, "transfer.omega_rad_s=60"))
	if len(d) != 1 || !strings.Contains(d[0],
		"scatter.transfer.omega_rad_s: mean 50, sd 2.5: the nominal value is 60, 4 standard deviations from the mean") {
		t.Errorf("doubts %q", d)
	}
}

// Every number of every specimen, transfer system and sensor scatters, but for ratings and
// the ranges of the published scatter. A kind that the tables will have is one of them.
func TestEveryNumberOfThePlantScatters(t *testing.T) {
	tried := map[string]int{}
	try := func(family string, p syntax.ParamDoc, sets ...string) {
		key := strings.ReplaceAll(family+"."+p.Key, "[]", "[1]")
		if strings.Contains(key, ".varies[1]") {
			sets = append(sets, "transfer.varies=[{parameter: gain}]")
		}
		for v := reflect.ValueOf(p.Default); ; v = v.Index(0) {
			if v.Kind() == reflect.Float64 {
				break
			}
			if v.Kind() != reflect.Slice || v.Len() == 0 {
				return
			}
			key += "[1]"
		}
		_, err := parse(small, append(sets, "scatter."+key+".kind=uniform")...)
		refused := strings.HasSuffix(p.Key, "_range") && family == "specimen" ||
			slices.Contains([]string{"stroke_m", "rate_m_s", "force_n"}, p.Key)
		if (err != nil) != refused {
			t.Errorf("%v %s: %v", sets, key, err)
		}
		tried[family]++
	}
	for _, f := range scenario.Families() {
		for _, k := range f.Kinds {
			for _, p := range k.Params {
				if f.Key == "specimen" || f.Key == "transfer" {
					try(f.Key, p, f.Key+".kind="+k.Name)
				}
			}
		}
	}
	for _, b := range scenario.Blocks() {
		for _, p := range b.Params {
			if b.Key == "sensors" {
				try(b.Key, p)
			}
		}
	}
	if tried["specimen"] < 45 || tried["transfer"] < 70 || tried["sensors"] < 11 {
		t.Errorf("keys %v: want those of all kinds", tried)
	}
}

// The adaptive compensator of the shipped scenario follows every actuator that the scatter
// makes, from θ0 of the nominal actuator: J2 without noise is 0.14 % on the nominal one.
func TestShippedScatter(t *testing.T) {
	records := rthstest.Records(t)
	worst, apart := 0.0, 0.0
	for n := range rthstest.Draws(4, 60) {
		s := rthstest.Must(scenario.Shipped("wang2020-sdof.yaml", fmt.Sprintf("perturbed=%d", n+1)))
		r := rthstest.Must(s.Build(t.Context(), scenario.Options{RecordsDir: records}))
		steps(t, r, nil)
		worst, apart = max(worst, rthstest.Value(t, r.Summary(), "J2_true_pct")), max(apart, math.Abs(r.Drawn[0].V-50))
	}
	t.Logf("largest J2 %.3f %%, ω up to %.2f rad/s from the nominal one", worst, apart)
	if !(worst < 0.2) || !(apart > 1) {
		t.Errorf("largest J2 %.3g %%, ω up to %.3g rad/s from the nominal one: want below 0.2 %%, and plants that differ",
			worst, apart)
	}
}
