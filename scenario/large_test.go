package scenario_test

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"

	"rths"
	"rths/scenario"
	"rths/scenario/growth"
)

// tall is a shear frame of n storeys, shaken and pushed, with a specimen at
// floor 3. Damping is a block.
func tall(n int, damping string) string {
	list := func(of func(i int) float64) string {
		var out []string
		for i := range n {
			out = append(out, fmt.Sprintf("%g", of(i)))
		}
		return "[" + strings.Join(out, ", ") + "]"
	}
	same := func(v float64) func(int) float64 { return func(int) float64 { return v } }
	return strings.Join([]string{
		"name: tall", "rate_hz: 1024", "duration_s: 0.25", "interface_dof: 3",
		"ground: {kind: sine, duration_s: 0.2, frequency_hz: 5, amplitude_m_s2: 1}",
		"more_ground: [{influence: " + list(func(i int) float64 { return float64(i % 3) }) +
			", motion: {kind: sine, duration_s: 0.25, frequency_hz: 2}}]",
		"forces: [{dof: 7, history: {kind: pulse, onset_s: 0.05, length_s: 0.05, amplitude_n: 2000, duration_s: 0.2}}]",
		"structure: {kind: shear, masses: " + list(same(1000)) + ", stiffnesses: " + list(same(1e8)) + ", damping: " +
			damping + "}",
		"specimen: {kind: linear, mass: 20, damping: 300, stiffness: 1e5}",
		"transfer: {kind: second-order, omega_rad_s: 150, damping_ratio: 0.8}",
		"indicators: {energies: true, c_sw_j: 1, c_eei_j: 1}", "",
	}, "\n")
}

// rayleigh is a block of damping that keeps a structure sparse; asMatrix is the same
// damping of tall(n) as a full matrix, which makes it dense.
const a0, a1 = 0.2, 1e-4

var rayleigh = func() string {
	// ratio = (a0/ω + a1 ω)/2 at both frequencies, whose product is a0/a1.
	w1 := 10.0
	w2 := a0 / a1 / w1
	return fmt.Sprintf("{rayleigh: {ratio: %.17g, freq_hz: [%.17g, %.17g]}}", (a0/w1+a1*w1)/2, w1/(2*math.Pi),
		w2/(2*math.Pi))
}()

func asMatrix(n int) string {
	var rows []string
	for i := range n {
		row := make([]string, n)
		for j := range row {
			row[j] = "0"
		}
		row[i] = fmt.Sprintf("%.17g", a0*1000+a1*2e8)
		if i == n-1 {
			row[i] = fmt.Sprintf("%.17g", a0*1000+a1*1e8)
		}
		if i > 0 {
			row[i-1] = fmt.Sprintf("%.17g", -a1*1e8)
		}
		if i < n-1 {
			row[i+1] = fmt.Sprintf("%.17g", -a1*1e8)
		}
		rows = append(rows, "["+strings.Join(row, ", ")+"]")
	}
	return "{matrix: [" + strings.Join(rows, ", ") + "]}"
}

var integrators = []string{"rk4", "central-difference", "newmark-explicit", "average-acceleration", "cr", "gui"}

// A loop around a sparse frame is the loop around the same frame with dense matrices:
// targets, measured forces and energies.
func TestLargeFrameRunsAsDense(t *testing.T) {
	const n = 101
	full := asMatrix(n)
	for _, kind := range integrators {
		t.Run(kind, func(t *testing.T) {
			// A text as long as a matrix is parsed once, not copied into sets.
			sparse, dense := built(t, tall(n, rayleigh), "integrator.kind="+kind),
				built(t, tall(n, full), "integrator.kind="+kind)
			if sparse.Whole.Sparse == nil || dense.Whole.Sparse != nil {
				t.Fatal("want sparse matrices and dense ones")
			}
			var x, f [2][]float64
			for i, r := range []*scenario.Run{sparse, dense} {
				steps(t, r, func(now *rths.Frame) {
					x[i], f[i] = append(x[i], now.Target.X[0]), append(f[i], now.Read.F[0])
				})
			}
			sameHistory(t, "target", x[0], x[1])
			sameHistory(t, "force", f[0], f[1])
			for _, name := range []string{"input_work_max_J", "sw_max_pct", "eei_max_pct", "sw_end_pct"} {
				a, b := named(t, sparse.Indicators(), name), named(t, dense.Indicators(), name)
				if !(math.Abs(a-b) <= 1e-9*math.Abs(b)) {
					t.Errorf("%s is %.12g: want %.12g", name, a, b)
				}
			}
			if a, b := result(t, sparse, "J2_pct"), result(t, dense, "J2_pct"); !(math.Abs(a-b) <= 1e-9*b) {
				t.Errorf("J2 is %.12g %%: want %.12g", a, b)
			}
		})
	}
}

// sameHistory compares histories to 1e-11 of the peak.
func sameHistory(t *testing.T, what string, got, want []float64) {
	t.Helper()
	peak := 0.0
	for _, v := range want {
		peak = max(peak, math.Abs(v))
	}
	if peak == 0 {
		t.Fatalf("%s is 0 throughout", what)
	}
	for k := range want {
		if d := math.Abs(got[k] - want[k]); !(d <= 1e-11*peak) {
			t.Fatalf("%s of tick %d is %.15g: want %.15g (%.2g of the peak apart)", what, k, got[k], want[k], d/peak)
		}
	}
}

// Notes say what a large frame leaves out; floors are as of any frame.
func TestLargeFrameSaysWhatIsLeftOut(t *testing.T) {
	text := tall(400, rayleigh)
	r := built(t, strings.Replace(text, "more_ground", "# ", 1), "criteria.floors=true")
	if len(r.Notes) != 1 || !strings.Contains(r.Notes[0],
		"no reference response for a shear of 400 degrees of freedom held as sparse matrices: criteria J4 to J9 are "+
			"missing") {
		t.Errorf("notes %q: want that J4 to J9 are missing", r.Notes)
	}
	_, err := growth.Roots(t.Context(), r)
	var many *growth.TooManyStates
	if !errors.As(err, &many) || many.States != 804 {
		t.Errorf("error %v: want one of 804 states", err)
	}
	steps(t, r, nil)
	if shear := result(t, r, "base_shear_peak_kN"); !(shear > 0) {
		t.Errorf("base shear %g kN: want more than 0", shear)
	}
	for _, c := range []struct{ set, want string }{
		{"indicators.c_sw_j=0",
			"energies: no reference response for a shear of 400 degrees of freedom held as sparse matrices: want c_sw_j " +
				"and c_eei_j"},
		{"structure.damping={modal_ratio: [0.02], rayleigh: {ratio: 0.02}}",
			"structure: shear frame: damping: want only one of"},
		{"rate_hz=100", "integrator: rk4: step 0.01 s (100 Hz) is unstable"},
		{"interface_dof=401", "interface_dof: 401: want 1 to 400"},
		{"specimen.mass=1000", "specimen: partition: the specimen's mass 1000 kg leaves 0 kg at degree of freedom 3"},
		{"specimen.stiffness=3e8",
			"specimen: its stiffness of 3e+08 N/m leaves -2.66667e+08 N/m to the numerical part at degree of freedom 3: the " +
				"undivided structure, of which the specimen is a part, has 3.33333e+07 N/m there: want a softer specimen, or a " +
				"structure that contains it (degree of freedom 3 is floor 3, on storeys 1 to 3)"},
		{"interface_dof=400", ""},
	} {
		err := build(t.Context(), text, c.set)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: error %v: want one that says %q", c.set, err, c.want)
		}
	}
}

// Loops of a sparse and of the same dense frame have equal roots.
func TestRootsOfASparseFrame(t *testing.T) {
	const n = 101
	var radius [2]float64
	for i, damping := range []string{rayleigh, asMatrix(n)} {
		var err error
		if radius[i], err = growth.Radius(t.Context(), built(t, tall(n, damping))); err != nil {
			t.Fatal(err)
		}
	}
	if d := radius[0] - radius[1]; !(math.Abs(d) < 1e-11) || radius[1] == 0 {
		t.Errorf("spectral radius %.14f: want %.14f", radius[0], radius[1])
	}
}

// No dense matrix is made for a large frame: to build its loop, and to refuse the
// roots, takes less than 1500 numbers for a storey (a matrix of a step has 8000). A
// frame of twice as many storeys takes as many for each.
func TestLargeFrameIsBuiltInLinearMemory(t *testing.T) {
	perStorey := func(n int, kind string) float64 {
		s := parsed(t, tall(n, rayleigh), "integrator.kind="+kind)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		r, err := s.Build(t.Context(), scenario.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := growth.Roots(t.Context(), r); err == nil {
			t.Errorf("%s: roots of %d storeys are looked for", kind, n)
		}
		runtime.ReadMemStats(&after)
		return float64(after.TotalAlloc-before.TotalAlloc) / float64(8*n)
	}
	for _, kind := range integrators {
		few, many := perStorey(1000, kind), perStorey(2000, kind)
		if !(many < 1500 && many < 1.2*few) {
			t.Errorf("%s: %.0f numbers for each of 1000 storeys, %.0f for each of 2000: want the same, below 1500", kind, few,
				many)
		}
	}
}

// BenchmarkLargeFrame builds the loop of a shear frame and computes its roots: most of the
// time of rths lint.
func BenchmarkLargeFrame(b *testing.B) {
	for _, n := range []int{50, 100, 200, 400, 800, 1600, 3200, 10000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			s, err := parse(tall(n, rayleigh), "integrator.kind=central-difference")
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				r, err := s.Build(b.Context(), scenario.Options{})
				if err != nil {
					b.Fatal(err)
				}
				var many *growth.TooManyStates
				if _, err := growth.Roots(b.Context(), r); err != nil && !errors.As(err, &many) {
					b.Fatal(err)
				}
			}
		})
	}
}
