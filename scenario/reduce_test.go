package scenario_test

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"rths"
	"rths/campaign/analyse"
	"rths/kit/rthstest"
	"rths/method/stability"
	"rths/scenario"
	"rths/scenario/growth"
)

// soil is a soft foundation of 154 degrees of freedom with a spring taken out of it; the ground
// motion is slow beside reducedTo.
const soil = `rate_hz: 1024
timing: {target: next}
ground: {kind: clough-penzien, duration_s: 6, pga_g: 0.1, ground_rad_s: 12, corner_rad_s: 3, onset_s: 0.5, ` +
	`rise_s: 1, strong_s: 2, decay_s: 2}
structure: {kind: fe-foundation, elements_x: 12, elements_y: 7, modulus: 4e8}
integrator: {kind: gui, lambda: 3}
specimen: {kind: linear, mass: 1e3, stiffness: 2e7}
transfer: {kind: second-order, omega_rad_s: 150, damping_ratio: 0.8}
compensator: {kind: amb-fixed, initial: bare-transfer}
limits: none
`

const reducedTo = "reduce={modes: 40, up_to_hz: 8}"

var statedError = regexp.MustCompile(
	`^reduced from (\d+) to (\d+) degrees of freedom: .*: ([0-9.e+-]+) % \(at .* Hz, (?:degree of freedom \d+ )?per ` +
		`unit of .*\)$`)

// stated is the error that the notes of a run state, %, and the degrees of freedom before and after.
func stated(t *testing.T, r *scenario.Run) (pct float64, from, to int) {
	t.Helper()
	for _, note := range r.Notes {
		if m := statedError.FindStringSubmatch(note); m != nil {
			from, _ = strconv.Atoi(m[1])
			to, _ = strconv.Atoi(m[2])
			return rthstest.Must(strconv.ParseFloat(m[3], 64)), from, to
		}
	}
	t.Fatalf("no note states an error: %q", r.Notes)
	return 0, 0, 0
}

// measuredOf is the measured displacements of all actuators over a run.
func measuredOf(t *testing.T, r *scenario.Run) (out []float64) {
	t.Helper()
	steps(t, r, func(f *rths.Frame) { out = append(out, f.Read.X...) })
	return out
}

// rmsApart is the root mean square of the difference over that of want, %.
func rmsApart(got, want []float64) float64 {
	difference, size := 0.0, 0.0
	for i, v := range want {
		difference, size = difference+(got[i]-v)*(got[i]-v), size+v*v
	}
	return 100 * math.Sqrt(difference/size)
}

// What is measured in a closed loop is that of the whole structure, but for the error stated.
func TestReducedLoop(t *testing.T) {
	two := []string{"interface=[82, 96]", "specimen={kind: linear, stiffness: 1e6}"}
	for name, c := range map[string]struct{ sets []string }{
		"as it is":             {},
		"rk4":                  {sets: []string{"integrator={kind: rk4}"}},
		"average-acceleration": {sets: []string{"integrator={kind: average-acceleration}", "timing.target=current"}},
		"newmark-explicit":     {sets: []string{"integrator={kind: newmark-explicit}"}},
		"central-difference":   {sets: []string{"integrator={kind: central-difference}"}},
		"two rates":            {sets: []string{"two_rate={main_step: 8, predictor: {kind: poly3}}"}},
		"a table":              {sets: []string{"interface_motion=absolute", "specimen={kind: frame}"}},
		"a table, two rates": {sets: []string{"interface_motion=absolute", "specimen={kind: frame}",
			"two_rate={main_step: 8, predictor: {kind: linear-acceleration}, ground: predicted}"}},
		"a free field": {sets: []string{"interface_motion=free-field", "specimen={kind: frame}",
			"sensors={force_gain: 2000}"}},
		"a damper beside it": {sets: []string{"specimen={kind: tuned-mass-damper}"}},
		"two actuators":      {sets: append(two, "specimen={kind: tuned-mass-damper}")},
		"pushed": {sets: []string{"forces=[{dof: 40, history: {kind: sine, duration_s: 4, frequency_hz: 2, " +
			"amplitude_n: 1e5}}]"}},
		"an open loop": {sets: []string{"loop=open", "undivided=true"}},
	} {
		t.Run(name, func(t *testing.T) {
			like := []string{"central-difference", "newmark-explicit", "two rates", "a table", "a free field",
				"an open loop"}
			if slices.Contains(like, name) {
				rthstest.Full(t) // the others do the same
			}
			whole, reduced := built(t, soil, c.sets...), built(t, soil, append(slices.Clone(c.sets), reducedTo)...)
			pct, from, to := stated(t, reduced)
			if from != whole.Whole.N || to != reduced.Whole.N || to > 43 {
				t.Errorf("from %d to %d: want from %d to %d", from, to, whole.Whole.N, reduced.Whole.N)
			}
			apart := rmsApart(measuredOf(t, reduced), measuredOf(t, whole))
			t.Logf("%.3g %% apart, %g %% stated", apart, pct)
			if !(apart <= pct) || apart == 0 {
				t.Errorf("measured displacements are %.3g %% apart: %g %% are stated", apart, pct)
			}
		})
	}
}

// Springs on two actuators are taken out of the reduction of a structure of sparse matrices, of which
// they are not. The loop is that of the same structure with dense matrices, reduced or not.
func TestReducedWithSpringsTakenOut(t *testing.T) {
	sets := []string{"interface=[3, 60]", "specimen={kind: linear, stiffness: 1e5}", "indicators=", "limits=none",
		"timing.target=next",
		"forces=[{dof: 7, history: {kind: sine, duration_s: 2, frequency_hz: 1, amplitude_n: 2000}}]", "duration_s=2",
		"ground={kind: sine, duration_s: 2, frequency_hz: 1, amplitude_m_s2: 1}",
		"more_ground[1].motion={kind: sine, duration_s: 2, frequency_hz: 1.5}", "integrator={kind: cr}"}
	sparse, dense := strings.Replace(tall(101, rayleigh), "interface_dof: 3\n", "", 1),
		strings.Replace(tall(101, asMatrix(101)), "interface_dof: 3\n", "", 1)
	_, err := parsed(t, sparse, sets...).Build(t.Context(), scenario.Options{})
	rthstest.WantError(t, err, "specimen 1 is taken out of a structure of 101 degrees of freedom held as sparse matrices")
	whole := measuredOf(t, built(t, dense, sets...))
	sets = append(sets, "reduce={modes: 40, up_to_hz: 10}")
	for _, text := range []string{sparse, dense} {
		r := built(t, text, sets...)
		pct, _, to := stated(t, r)
		if to != 43 { // the force's degree of freedom is kept too
			t.Errorf("%d degrees of freedom: want 43", to)
		}
		apart := rmsApart(measuredOf(t, r), whole)
		t.Logf("%.3g %% apart, %g %% stated", apart, pct)
		if !(apart <= pct) {
			t.Errorf("measured displacements are %.3g %% apart: %g %% are stated", apart, pct)
		}
	}
}

// Judged are the degrees of freedom that are kept, by their numbers in the scenario.
func TestReducedIsJudgedAtItsInterface(t *testing.T) {
	names := func(sets ...string) (out []string) {
		for _, v := range built(t, soil, append([]string{reducedTo}, sets...)...).Summary() {
			if strings.HasPrefix(v.Name, "J") && !strings.HasPrefix(v.Name, "J1") && !strings.HasPrefix(v.Name, "J2") &&
				!strings.HasPrefix(v.Name, "J3") || strings.Contains(v.Name, "floor") && v.Name != "J2_floor_pct" {
				out = append(out, v.Name)
			}
		}
		slices.Sort(out)
		return out
	}
	if got, want := names(), []string{"J4_pct", "J4_rms_pct", "J4_true_pct", "J5_centred_pct", "J5_pct",
		"J5_true_pct"}; !slices.Equal(got, want) {
		t.Errorf("one actuator: %q: want %q", got, want)
	}
	got := strings.Join(names("reduce.up_to_hz=7", "interface=[82, 96]", "specimen={kind: linear, stiffness: 1e6}",
		"forces=[{dof: 40, history: {kind: sine, duration_s: 4}}]"), " ")
	for _, want := range []string{"J7_x82_pct", "J7_x96_pct", "x40_pct"} {
		if !strings.Contains(got, want) {
			t.Errorf("two actuators: %s: want %s", got, want)
		}
	}
	if strings.Contains(got, "x1_") {
		t.Errorf("two actuators: %s: want no modal coordinates", got)
	}
	_, err := parsed(t, soil, reducedTo, "criteria.floors=true").Build(t.Context(), scenario.Options{})
	rthstest.WantError(t, err,
		"criteria: floors and floor_spectra are for the floors of a structure, and a reduced one has modal coordinates in "+
			"their place: want them off, or no reduce")
}

// The resolved scenario has the numbers of the undivided structure, and gives the same run.
func TestReducedReadsBack(t *testing.T) {
	r := built(t, soil, reducedTo)
	text := rthstest.Must(r.Scenario.YAML())
	for _, want := range []string{"interface_dof: 83\n", "reduce:\n  modes: 40\n  up_to_hz: 8"} {
		if !strings.Contains(text, want) {
			t.Errorf("want %q in\n%s", want, text)
		}
	}
	again := built(t, text)
	if !slices.Equal(measuredOf(t, again), measuredOf(t, r)) {
		t.Error("the resolved scenario gives another run")
	}
}

// Delays and roots are looked for in the reduced structure: they are near those of the whole one.
func TestReducedIsLookedAt(t *testing.T) {
	p, m, c, k, err := parsed(t, soil, reducedTo).Partition()
	if err != nil || p.N() != 41 || p.Interface[0] != 0 || m != 1e3 || c != 0 || k != 2e7 {
		t.Fatalf("%d degrees of freedom, interface %v, specimen %g, %g, %g, %v", p.N(), p.Interface, m, c, k, err)
	}
	dense := tall(100, asMatrix(100))
	hybrid := func(sets ...string) float64 {
		p, m, c, k, err := parsed(t, dense, append(sets, "specimen={kind: linear, mass: 20, stiffness: 5e6}")...).Partition()
		if err != nil {
			t.Fatal(err)
		}
		h := rthstest.Must(stability.NewHybrid(p, m, c, k))
		return rthstest.Must(h.Critical()).Delay
	}
	whole, reduced := hybrid(), hybrid("reduce={modes: 40, up_to_hz: 15}")
	if !(math.Abs(reduced-whole) < 0.002*whole) || reduced == whole {
		t.Errorf("critical delay %g s: the whole structure's is %g s", reduced, whole)
	}
	if radius := rthstest.Must(growth.Radius(t.Context(), built(t, soil, reducedTo))); !(radius > 0.9 && radius <= 1) {
		t.Errorf("spectral radius %g", radius)
	}
}

// Whoever looks at a part of a reduced test has the reduction of the run, which keeps the degrees of freedom of
// forces, and is judged by all ground motions.
func TestReductionIsTheSameForAllWhoLook(t *testing.T) {
	for _, more := range [][]string{nil, {"ground="},
		{"more_ground=[{influence: [" + strings.TrimSuffix(strings.Repeat("0, 1, ", 77), ", ") +
			"], motion: {kind: sine, duration_s: 1, frequency_hz: 2}}]"}} {
		sets := append([]string{reducedTo, "forces=[{dof: 40, history: {kind: sine, duration_s: 4}}]"}, more...)
		run := built(t, soil, sets...)
		s := parsed(t, soil, sets...)
		still := rthstest.Must(s.AtRest(t.Context()))
		p, _, _, _, err := s.Partition()
		if err != nil {
			t.Fatal(err)
		}
		if run.Whole.N != 42 || still.Whole.N != run.Whole.N || p.N() != run.Whole.N {
			t.Errorf("a run has %d degrees of freedom, at rest %d, its partition %d: want 42", run.Whole.N, still.Whole.N, p.N())
		}
		if !slices.Contains(still.Notes, run.Notes[0]) && !slices.Contains(still.Notes, run.Notes[1]) {
			t.Errorf("at rest %q: want what the run notes, %q", still.Notes, run.Notes)
		}
		radius := rthstest.Must(growth.Radius(t.Context(), run))
		if !(math.Abs(rthstest.Must(growth.Radius(t.Context(), still))-
			radius) < 1e-9) {
			t.Errorf("spectral radius %.12f at rest: the run's is %.12f",
				rthstest.Must(growth.Radius(t.Context(), still)), radius)
		}
		if len(more) == 0 {
			rthstest.Must(analyse.NewOpenLoop(s))
		}
	}
}

func TestReduceIsRefused(t *testing.T) {
	for _, c := range []struct{ text, set, want string }{
		{soil, "reduce={modes: 40, up_to_hz: 200}",
			"reduce: the highest of 40 modes is at 15.45 Hz, below up_to_hz 200: want more modes, or up_to_hz of at most 15.4"},
		{soil, "reduce={modes: 40, up_to_hz: 15}", "with an error of at most 5 %; up to up_to_hz 15 the largest error is"},
		{soil, "reduce={modes: 0, up_to_hz: 8}", "reduce: modes 0: want 1 or more"},
		{soil, "reduce={modes: 40}", "reduce: up_to_hz 0: want more than 0, the highest frequency that matters to the test"},
		{soil, "reduce={modes: 201, up_to_hz: 8}", "reduce: modes 201: want 1 to 200"},
		{small, "reduce={modes: 1, up_to_hz: 8}",
			"reduce: modes 1: beside the degrees of freedom that are kept the structure has 1: want fewer modes, or leave " +
				"reduce out, which keeps them all"},
		{soil + "initial_displacement: [1]\n", reducedTo, "reduce: beside initial_displacement"},
		{openLoop, reducedTo, "reduce: has no effect with a prescribed target: leave it out"},
		{shipped(t, "benchmark-multiaxial.yaml"), reducedTo,
			"reduce: beside structure marths, which brings its own partition: leave it out"},
		{soil, "interface_dof=155", "interface_dof: 155: want 1 to 154"},
		{strings.Replace(soil, "specimen: {kind: linear, mass: 1e3, stiffness: 2e7}\n", "", 1) +
			"interface: [82, 96]\nspecimen: {kind: linear, stiffness: 1e12}\n", reducedTo,
			"(degrees of freedom of the reduced structure: the degrees of freedom of interface come first)"},
		{small, "structure={kind: matrices, mass: [[1, 0, 0], [0, 1, 0], [0, 0, 1]], stiffness: [[1, 0, 0], [0, 1, -1], " +
			"[0, -1, 1]]}", "reduce: with the interface held, the rest of the structure moves without force"},
		{strings.Replace(small, "damping: {modal_ratio: [0.02]}",
			"yielding: [{storey: 1, bilinear: {yield_drift: 0.01, post_yield_ratio: 0.1}}]", 1), reducedTo,
			"reduce: storey 1 has a law of its own, and modes belong to a linear structure: want no yielding storeys and no devices, or leave " +
				"reduce out"},
		{strings.Replace(tall(60, "{}"), "duration_s: 0.25", "duration_s: 0.3", 1), "reduce={modes: 20, up_to_hz: 10}",
			"(the structure has no damping: near its natural frequencies the error has no bound)"},
	} {
		sets := []string{c.set}
		if !strings.HasPrefix(c.set, "reduce") {
			sets = append(sets, "reduce={modes: 1, up_to_hz: 0.01}")
		}
		s, err := parse(c.text, sets...)
		if err == nil {
			_, err = s.Build(t.Context(), scenario.Options{})
		}
		rthstest.WantError(t, err, c.want)
	}
	_, err := parsed(t, soil, "interface=[3, 155]", "reduce={modes: 4, up_to_hz: 1}").Build(t.Context(),
		scenario.Options{})
	rthstest.WantError(t, err, "interface: degree of freedom 155: want 1 to 154, counted from 1")
}
