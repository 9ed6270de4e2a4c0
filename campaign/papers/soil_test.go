package papers

import (
	"math"
	"strings"
	"testing"

	"rths/campaign/suite"
	"rths/kit/rthstest"
	"rths/maths/lti"
	"rths/model/plant"
	"rths/scenario"
)

// soilRows runs the soil–structure test; rows by method and signal.
func soilRows(t *testing.T, thickness float64) map[string]map[string]soilRow {
	t.Helper()
	s := newSoil()
	s.Thickness = thickness
	rows, err := s.rows(t.Context(), suite.Lab{Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]map[string]soilRow{}
	for _, row := range rows {
		if out[row.Method] == nil {
			out[row.Method] = map[string]soilRow{}
		}
		out[row.Method][row.Signal] = row
	}
	return out
}

// Of the foundation, by kit/independent/soil.py: frequencies, static stiffness at the
// interface (N/m), and the part of it that the first storey of the frame has, scaled by 2000
// to the prototype.
var soilModesHz = []float64{11.140620282, 13.247213985, 15.077356810}

const soilStiffness, soilShare = 1949484779.75, 0.015641

// On the foundation as assumed, of 1 m thickness, reference, none and force
// correction come to their end and every predictor diverges: the first modes of the
// foundation lie at ω Δt = 1.4, 1.6 and 1.9, where predictors magnify (Fig. 7).
func TestSoilOnAThinFoundation(t *testing.T) {
	sc, err := newSoil().scenario(0)
	if err != nil {
		t.Fatal(err)
	}
	whole, err := sc.Structure.Params.Make()
	if err != nil {
		t.Fatal(err)
	}
	part, err := whole.Attach(whole.Interface, 0)
	if err != nil {
		t.Fatal(err)
	}
	omega, err := part.Sparse.Lowest(3)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range soilModesHz {
		if hz := omega[i] / (2 * math.Pi); math.Abs(hz/want-1) > 1e-8 {
			t.Errorf("mode %d at %.9f Hz: want %.9f", i+1, hz, want)
		}
	}
	solver, err := lti.NewBanded(part.Sparse.K)
	if err != nil {
		t.Fatal(err)
	}
	x := make([]float64, part.N())
	x[part.Interface[0]] = 1
	solver.Solve(x)
	if give := x[part.Interface[0]]; math.Abs(give*soilStiffness-1) > 1e-8 ||
		math.Abs(sc.Sensors.ForceGain*15246*give-soilShare) > 1e-6 {
		t.Errorf("static stiffness %.9g N/m, share of the first storey %.6f: want %.9g and %g", 1/give,
			sc.Sensors.ForceGain*15246*give, soilStiffness, soilShare)
	}
	rows := soilRows(t, 1)
	for method, want := range map[string]string{
		"reference": "completed", "none": "completed", "force-correction": "completed",
		"poly3": "diverged", "newmark-explicit": "diverged", "dual-explicit": "diverged",
	} {
		row := rows[method]["disp0"]
		if row.Status != want {
			t.Errorf("%s: %v, want %s", method, row.Status, want)
		}
		if e := row.PeakError; math.IsNaN(e) != (want == "diverged") {
			t.Errorf("%s: peak error %g %% of a test that has %s", method, e, want)
		}
	}
	// The published size of displacement, and the peak of the wave.
	ref := rows["reference"]
	if peak := 1e3 * ref["disp0"].Peak; !(peak > 2 && peak < 5) {
		t.Errorf("reference displacement %.2f mm: want the size of 2.73 mm", peak)
	}
	if peak := ref["acc0"].Peak / 9.80665; !(math.Abs(peak-0.15) < 0.015) {
		t.Errorf("table acceleration %.3f g: want about 0.15 g, the foundation is stiff", peak)
	}
}

// On a thick foundation all methods come to their end, and Newmark's is the worst in
// spectrum, as published.
func TestSoilOnAThickFoundation(t *testing.T) {
	rthstest.Long(t)
	rows := soilRows(t, 30)
	for _, m := range soilMethods {
		row := rows[m.name]["disp0"]
		if m.whole { // as large as published: the free field has motion up to 20 Hz
			if row.Status != "completed" || !(row.SpectrumError > 5) {
				t.Errorf("%s: %s, spectrum off by %g %%: want more than 5 %%", m.name, row.Status, row.SpectrumError)
			}
			continue
		}
		if !(row.PeakError < 2) {
			t.Errorf("%s: peak error %g %%", m.name, row.PeakError)
		}
		if m.name != "newmark-explicit" && !(row.SpectrumError < rows["newmark-explicit"]["disp0"].SpectrumError) {
			t.Errorf("%s: spectrum off by %g %%: want less than by Newmark's method", m.name, row.SpectrumError)
		}
	}
}

// A foundation that does not give moves with the free field: the wave, integrated twice.
func TestSoilReferenceFollowsTheFreeField(t *testing.T) {
	rthstest.Long(t)
	sc, err := newSoil().scenario(0)
	if err != nil {
		t.Fatal(err)
	}
	wave, err := freeField(sc)
	if err != nil {
		t.Fatal(err)
	}
	h := 1 / sc.RateHz
	var x, v, want float64
	for k := range wave.Samples - 1 { // linear between samples
		a, b := wave.Half[2*k], wave.Half[2*k+2]
		x, v = x+h*v+h*h*(2*a+b)/6, v+h*(a+b)/2
		want = max(want, math.Abs(x))
	}
	s := newSoil()
	s.Thickness = 1e5
	reference, err := s.run(t.Context(), suite.Lab{}, 0)
	if err != nil {
		t.Fatal(err)
	}
	if near := reference.rows("reference", reference)[0].Peak; !(math.Abs(near-want) < 1e-3*want) {
		t.Errorf("peak %g m: want the free field's, %g m", near, want)
	}
}

// The floors computed from the table's displacement agree with the frame on it: the
// base shear of their inertia is the measured force.
func TestFloorsAreThoseOfTheFrame(t *testing.T) {
	sc, err := newSoil().scenario(1)
	if err != nil {
		t.Fatal(err)
	}
	run, err := sc.Build(t.Context(), scenario.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var x, force []float64
	if err := run.Loop.Run(1, func() bool {
		f := run.Loop.Frame()
		x, force = append(x, f.Read.TrueX[0]), append(force, f.Read.TrueF[0])
		return f.T < 6
	}); err != nil {
		t.Fatal(err)
	}
	frame := sc.Specimen.Params.(*plant.Frame)
	signals, err := onTable(frame, x, 1/sc.RateHz)
	if err != nil {
		t.Fatal(err)
	}
	var off, most float64
	for k := range signals[0] {
		inertia := 0.0
		for i, m := range frame.Masses {
			inertia += m * signals[2+i][k]
		}
		off, most = max(off, math.Abs(inertia-force[k])), max(most, math.Abs(force[k]))
	}
	if !(off < 0.01*most) || most == 0 {
		t.Errorf("inertia of the floors differs by %g N from a force of up to %g N: want 1 %% at most", off, most)
	}
}

func TestSoilErrors(t *testing.T) {
	for want, spoil := range map[string]func(s *Soil){
		"main step of 0 samples: want 1 to 1000":  func(s *Soil) { s.Steps = 0 },
		"thickness NaN m: want more than 0":       func(s *Soil) { s.Thickness = math.NaN() },
		"duration 0 s: want 1 to 1000":            func(s *Soil) { s.Duration = 0 },
		"lambda -1: want more than 0":             func(s *Soil) { s.Lambda = -1 },
		"gui with lambda 11.5: step 0.01953 s (5": func(s *Soil) { s.Lambda = 11.5 },
	} {
		s := newSoil()
		spoil(s)
		if _, err := s.rows(t.Context(), suite.Lab{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v: want %q", err, want)
		}
	}
}
