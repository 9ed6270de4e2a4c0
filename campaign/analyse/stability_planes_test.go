package analyse

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rths/kit/rthstest"
	"rths/maths/lti"
	"rths/method/stability"
	"rths/scenario"
)

// delayedSpring is an oscillator of 1000 kg, 1e5 N/m and 1000 N·s/m whose specimen is a spring.
const delayedSpring = `name: delayed spring
rate_hz: 1000
duration_s: 1
timing: {target: next}
structure: {kind: shear, masses: [1000], stiffnesses: [1e5], damping: {matrix: [[1000]]}}
integrator: {kind: cr}
initial_displacement: [0.02]
specimen: {kind: linear, stiffness: 3e4}
transfer: {kind: delay, delay_ms: 4}
compensator: {kind: pe, tau_ms: 4}
`

// layer is a layer of a plane by its column.
func (p *Plane) layer(t *testing.T, column string) [][]float64 {
	t.Helper()
	i := slices.IndexFunc(p.Layers, func(l Layer) bool { return l.Column == column })
	if i < 0 {
		t.Fatalf("%s: no layer %s", p.Name, column)
	}
	return p.Layers[i].Value
}

// own is the value of the test as it is.
func (p *Plane) own(t *testing.T, column string) float64 {
	t.Helper()
	i, j := slices.Index(p.X.At, p.X.Own), slices.Index(p.Y.At, p.Y.Own)
	if i < 0 || j < 0 {
		t.Fatalf("%s: %g and %g are not among %v and %v", p.Name, p.X.Own, p.Y.Own, p.X.At, p.Y.At)
	}
	return p.layer(t, column)[j][i]
}

// planes are those of a scenario by their names.
func planes(t *testing.T, s *scenario.Scenario) map[string]*Plane {
	t.Helper()
	out := map[string]*Plane{}
	for _, p := range rthstest.Must((&Stability{}).Maps(t.Context(), s)).Planes {
		out[p.Name] = p
	}
	return out
}

// At the test's own point the maps say what the verdict says.
func TestOwnPointIsTheVerdict(t *testing.T) {
	reduced := bench(t, "interface_dof=2", "reduce={modes: 4, up_to_hz: 8}",
		"structure={kind: shear, masses: [900, 900, 900, 900, 900, 900], damping: {modal_ratio: [0.03]}, "+
			"stiffnesses: [5e6, 5e6, 5e6, 5e6, 5e6, 5e6]}")
	for _, s := range []*scenario.Scenario{parsed(t, delayedSpring), reduced,
		parsed(t, delayedSpring, "compensator.kind=none")}[:rthstest.Draws(1, 3)] {
		v := rthstest.Must((&Stability{}).Run(t.Context(), s))
		p := planes(t, s)
		rthstest.Near(t, "critical delay, ms", p["margins"].own(t, "critical_delay_ms"), 1e3*v.Exact.Delay, 1e-8)
		rthstest.Near(t, "PSI", p["psi"].own(t, "psi"), v.Exact.PSI(), 1e-9)
		if want := 1 + len(v.Loops); len(p["margins"].Layers) != want {
			t.Errorf("%s: %d layers: want %d", s.Name, len(p["margins"].Layers), want)
		}
		for i := range v.Loops {
			l := &v.Loops[i]
			rthstest.Near(t, l.Case, p["margins"].own(t, l.Case+"_growth_per_s"), l.Growth, 1e-6)
		}
	}
}

// Of a frame whose storeys yield the maps are those of the frame at rest.
func TestMapsOfAYieldingFrame(t *testing.T) {
	s := shipped(t, "yielding-frame.yaml")
	v := verdictOf(t, "yielding-frame.yaml")
	p := planes(t, s)
	rthstest.Near(t, "critical delay, ms", p["margins"].own(t, "critical_delay_ms"), 1e3*v.Exact.Delay, 1e-8)
	for i := range v.Loops {
		l := &v.Loops[i]
		rthstest.Near(t, l.Case, p["margins"].own(t, l.Case+"_growth_per_s"), l.Growth, 1e-5*math.Abs(l.Growth))
	}
}

// springDelay is the critical delay of m ẍ + c ẋ + kn x + ke x(t − τ): |kn − mω² + jcω| = ke is a quadratic in ω², and
// the delay turns −ke to the numerical part's dynamic stiffness.
func springDelay(m, c, kn, ke float64) float64 {
	b := c*c/(m*m) - 2*kn/m
	disc := b*b - 4*(kn*kn-ke*ke)/(m*m)
	out := math.Inf(1)
	for _, sign := range []float64{-1, 1} {
		if w2 := (-b + sign*math.Sqrt(disc)) / 2; disc >= 0 && w2 > 0 {
			w := math.Sqrt(w2)
			out = min(out, math.Mod(math.Atan2(c*w, m*w2-kn)+2*math.Pi, 2*math.Pi)/w)
		}
	}
	return out
}

// Of a delayed spring every cell has the closed form, with stiffness φ² k and damping φ c at φ times the frequency; a
// share of the stiffness too small for a critical delay has none.
func TestMarginsOfADelayedSpring(t *testing.T) {
	p := planes(t, parsed(t, delayedSpring))["margins"]
	none := 0
	for j, ratio := range p.Y.At {
		for i, hz := range p.X.At {
			w := 2 * math.Pi * hz
			k, c := 1000*w*w, 100*w
			want := 1e3 * springDelay(1000, c, (1-ratio)*k, ratio*k)
			got := p.layer(t, "critical_delay_ms")[j][i]
			if math.IsInf(want, 1) {
				none++
			}
			if got != want && !(math.Abs(got-want) <= 1e-6*want) {
				t.Errorf("%g Hz, ratio %g: %g ms: want %g", hz, ratio, got, want)
			}
		}
	}
	if none == 0 {
		t.Error("no cell without critical delay")
	}
}

// Another cell is the verdict of the test with the stiffness, damping and specimen of this cell.
func TestCellsAreTests(t *testing.T) {
	p := planes(t, parsed(t, delayedSpring))
	for _, at := range [][2]int{{2, 9}, {9, 4}, {11, 15}} {
		hz, ratio := p["margins"].X.At[at[0]], p["margins"].Y.At[at[1]]
		w := 2 * math.Pi * hz
		v := rthstest.Must((&Stability{}).Run(t.Context(), parsed(t, delayedSpring,
			fmt.Sprintf("structure.stiffnesses=[%v]", 1000*w*w), fmt.Sprintf("structure.damping.matrix=[[%v]]", 100*w),
			fmt.Sprintf("specimen.stiffness=%v", ratio*1000*w*w))))
		for i := range v.Loops {
			l := &v.Loops[i]
			got := p["margins"].layer(t, l.Case+"_growth_per_s")[at[1]][at[0]]
			rthstest.Near(t, fmt.Sprintf("%s at %g Hz, ratio %g", l.Case, hz, ratio), got, l.Growth, 1e-6)
		}
	}
	for _, at := range [][2]int{{0, 3}, {5, 0}, {10, 7}} {
		m, c := p["psi"].X.At[at[0]], p["psi"].Y.At[at[1]]
		v := rthstest.Must((&Stability{}).Run(t.Context(), parsed(t, delayedSpring, fmt.Sprintf("specimen.mass=%v", m),
			fmt.Sprintf("specimen.damping=%v", c))))
		rthstest.Near(t, fmt.Sprintf("PSI of %g kg, %g N·s/m", m, c), p["psi"].layer(t, "psi")[at[1]][at[0]], v.Exact.PSI(),
			1e-9)
	}
	// from half of the mass on no delay is tolerated
	if last := p["psi"].layer(t, "psi")[0]; !math.IsNaN(last[len(last)-1]) || math.IsNaN(last[len(last)-2]) {
		t.Errorf("PSI over the mass %v: want none at the last, half of the mass", last)
	}
}

// twoRates is the delayed spring in main steps, on an actuator that is where it should be at the end of a sample.
const twoRates = `name: two rates
rate_hz: 1000
duration_s: 1
timing: {target: next}
structure: {kind: shear, masses: [1000], stiffnesses: [1e5], damping: {matrix: [[400]]}}
integrator: {kind: gui, lambda: 3}
two_rate: {main_step: 20, predictor: {kind: poly2}}
initial_displacement: [0.02]
specimen: {kind: linear, stiffness: 4e4}
transfer: {kind: tf, num: [1], den: [1]}
compensator: {kind: none}
limits: none
`

// mainStepRadius is the spectral radius of one main step h of the Gui-λ method with the force f ke ũ of the predicted
// displacement ũ[i] = Σ w[k] u[i−1−k] (paper 003, eqs 2 to 4): of the matrix that takes u̇[i], u[i], u[i−1] … a step
// on.
func mainStepRadius(h, f float64, w []float64) float64 {
	const m, c, ke, lambda = 1000, 400, 4e4, 3.0
	const kn = 1e5 - ke
	alpha := 2 * lambda * m / (2*lambda*m + lambda*h*c + 2*h*h*kn)
	n := 2 + len(w)
	a := mat.NewDense(n, n, nil)
	a.Set(0, 0, 1-h*alpha*c/m)
	a.Set(0, 1, -h*alpha*kn/m)
	for k, v := range w {
		a.Set(0, 2+k, -h*alpha*f*ke/m*v)
	}
	for j := range n { // u[i+1] = u[i] + h u̇[i+1]
		a.Set(1, j, h*a.At(0, j))
	}
	a.Set(1, 1, a.At(1, 1)+1)
	for k := 2; k < n; k++ {
		a.Set(k, k-1, 1)
	}
	return rthstest.Must(lti.SpectralRadius(a))
}

// Every cell is the radius of the closed form, stable or not; the table names the stable main steps.
func TestMainStepsOfTheClosedForm(t *testing.T) {
	p := planes(t, parsed(t, twoRates))
	weights := map[string][]float64{"none": {1}, "poly2": {3, -3, 1}, "poly3": {4, -6, 4, -1},
		"poly4": {5, -10, 10, -5, 1}}
	grows := 0
	for j, factor := range p["steps"].Y.At {
		for i, ms := range p["steps"].X.At {
			want := mainStepRadius(ms/1e3, factor, weights["poly2"])
			if want > 1 {
				grows++
			}
			rthstest.Near(t, fmt.Sprintf("%g ms, %g times the force", ms, factor), p["steps"].Layers[0].Value[j][i], want,
				1e-7*want)
		}
	}
	if all := len(p["steps"].X.At) * len(p["steps"].Y.At); grows == 0 || grows == all {
		t.Errorf("%d of %d cells grow: want some", grows, all)
	}
	for j, name := range p["predictors"].Y.Names {
		for i, ms := range p["predictors"].X.At {
			if w := weights[name]; w != nil {
				want := mainStepRadius(ms/1e3, 1, w)
				rthstest.Near(t, fmt.Sprintf("%s, %g ms", name, ms), p["predictors"].Layers[0].Value[j][i], want, 1e-7*want)
			}
		}
	}
	var text bytes.Buffer
	printSteps(&text, p["predictors"])
	rthstest.Contains(t, text.String(), "spectral radius at 20 ms", "dual-explicit")
	if got := stableOf([]float64{1, 2, 3, 4, 5, 6}, []float64{0.9, 1, 1.1, math.NaN(), 0.99, 1.2}); got != "1 to 2, 5" {
		t.Error(got)
	}
	if got := stableOf([]float64{1}, []float64{1.1}); got != "none" {
		t.Error(got)
	}
}

// The test's own main step is the verdict's, per sample; the error of no prediction is |e^{−jΩ} − 1| = 2 sin Ω/2.
func TestOwnMainStepIsTheVerdict(t *testing.T) {
	s := shipped(t, "two-rate.yaml")
	v := rthstest.Must((&Stability{}).Run(t.Context(), s))
	p := map[string]*Plane{}
	for _, plane := range rthstest.Must(mainSteps(t.Context(), s)) {
		p[plane.Name] = plane
	}
	for _, name := range []string{"steps", "predictors"} {
		rthstest.Near(t, name, p[name].own(t, "spectral_radius"), math.Pow(v.Loops[1].Radius, 20), 1e-9)
	}
	rthstest.Contains(t, p["steps"].Caption, "The main step of the test is 20 samples of 1/2048 s: 9.766 ms.")
	omega := 2 * math.Pi * v.Loops[1].slowest().FreqHz * 20 / 2048
	none := p["predictors"].layer(t, "prediction_error_pct")[0]
	rthstest.Near(t, "error without prediction, %", none[slices.Index(p["predictors"].X.At, p["predictors"].X.Own)],
		200*math.Sin(omega/2), 1e-9)
	rows := p["predictors"].Rows()
	if got := rows[len(rows)-1].Get("predictor"); got != "dual-explicit" || len(rows) != 7*len(p["predictors"].X.At) {
		t.Errorf("last of %d rows: predictor %v", len(rows), got)
	}
}

// A specimen beside the structure has the map over main steps alone, and with a computed force no other force.
func TestMainStepsBesideTheStructure(t *testing.T) {
	sets := []string{"specimen={kind: viscous-damper, damping: 500}", "force=computed"}
	m := rthstest.Must((&Stability{}).Maps(t.Context(), parsed(t, twoRates, sets...)))
	if m.Points != nil || len(m.Planes) != 2 || !strings.Contains(m.Note, "stands beside the structure") {
		t.Errorf("%d points, %d planes, note %q", len(m.Points), len(m.Planes), m.Note)
	}
	if f := m.Planes[0].Y.At; len(f) != 1 || f[0] != 1 {
		t.Errorf("forces %v: want 1 alone", f)
	}
	var keys []string
	for _, c := range m.cells(2) {
		keys = append(keys, c.Key)
	}
	if !slices.Equal(keys, []string{"steps", "predictors"}) {
		t.Errorf("tables %q", keys)
	}
}

// The poles are those of the delays that the verdict prints: the undivided structure's modes without delay, and to the
// right of the axis beyond the critical delay.
func TestPolesOfTheVerdict(t *testing.T) {
	v := verdictOf(t, "demo.yaml")
	p := v.Poles
	if len(p.Sets) != 3 || p.Sets[1].Case != "uncompensated" || p.Sets[2].Case != "compensated" {
		t.Fatalf("sets %+v", p.Sets)
	}
	for i, set := range p.Sets {
		want := 0.0
		if i > 0 {
			want = v.Loops[i-1].Delay(v.At()).LoopMs
		}
		rthstest.Near(t, set.Case+", ms", 1e3*set.Delay, want, 1e-12)
		right := stability.Rightmost(set.Poles)
		if (real(right) > 0) != (set.Delay > v.Exact.Delay) {
			t.Errorf("%s: rightmost pole %g with %g s, critical delay %g s", set.Case, right, set.Delay, v.Exact.Delay)
		}
		if len(set.Impulse) != len(p.T) {
			t.Errorf("%s: %d values at %d instants", set.Case, len(set.Impulse), len(p.T))
		}
	}
	first := stability.Rightmost(p.Sets[0].Poles)
	rthstest.Near(t, "first mode, 1/s", real(first), -0.05*2*math.Pi*v.ModesHz[1], 1e-3)
	if end := p.T[len(p.T)-1]; math.Abs(math.Log(5)/end-real(stability.Rightmost(p.Sets[1].Poles))) > 0.01 {
		t.Errorf("responses of %g s: want motion that grows to five times", end)
	}
	if rows := p.rows(); rows[0].Get("loop") != "undivided" {
		t.Errorf("first row %v", rows[0])
	}
	if v := verdictOf(t, "two-rate.yaml"); v.Poles != nil {
		t.Errorf("poles with main steps, whose delays are not known: %+v", v.Poles.Sets)
	}
}

// A loop that comes too early has no poles: its equation has no solution.
func TestNoPolesAhead(t *testing.T) {
	v := rthstest.Must((&Stability{}).Run(t.Context(), parsed(t, delayedSpring, "compensator.tau_ms=30")))
	last := v.Poles.Sets[2]
	if !(last.Delay < 0) || last.Poles != nil {
		t.Errorf("%+v: want a delay below 0 and no poles", last)
	}
}

// The own value takes the place of the nearest, or stands behind the last.
func TestAxisHasTheOwn(t *testing.T) {
	for _, c := range []struct {
		own  float64
		want []float64
	}{{0, []float64{0, 1, 2}}, {1.2, []float64{0, 1.2, 2}}, {2.4, []float64{0, 1, 2.4}}, {2.6, []float64{0, 1, 2, 2.6}}} {
		if got := newAxis("x", "x", 0, 2, 2, c.own).At; !slices.Equal(got, c.want) {
			t.Errorf("own %g: %v, want %v", c.own, got, c.want)
		}
	}
	if got := mainStepsAbout(4); !slices.Equal(got, []int{1, 2, 3, 4, 5, 6, 8, 10, 13, 16}) {
		t.Errorf("main steps about 4: %v", got)
	}
}

// What Ctrl-C ends has no maps.
func TestMapsStop(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, text := range []string{delayedSpring, twoRates} {
		if m, err := (&Stability{}).Maps(ctx, parsed(t, text)); !errors.Is(err, context.Canceled) {
			t.Errorf("%v, error %v: want the context's", m, err)
		}
	}
}
