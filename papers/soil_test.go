package papers

import (
	"context"
	"math"
	"strings"
	"testing"

	"rths/lti"
	"rths/rthstest"
)

// soilRows runs the soil–structure test; rows by method and signal.
func soilRows(t *testing.T, thickness float64) map[string]map[string]Row {
	t.Helper()
	s := DefaultSoil()
	s.Thickness, s.Workers = thickness, 2
	suite, err := s.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]map[string]Row{}
	for _, row := range suite.Rows {
		m := row.Get("method").(string)
		if out[m] == nil {
			out[m] = map[string]Row{}
		}
		out[m][row.Get("signal").(string)] = row
	}
	return out
}

// On the foundation as assumed, of 1 m thickness, reference, none and force
// correction come to their end and every predictor diverges: the first modes of the
// foundation lie at ω Δt = 1.4, 1.6 and 1.9, where predictors magnify (Fig. 7).
func TestSoilOnAThinFoundation(t *testing.T) {
	part, err := soilFoundation(1)
	if err != nil {
		t.Fatal(err)
	}
	// An independent program: frequencies, static stiffness at the interface, and the part
	// of it that the first storey of the frame has, scaled by 2000 to the prototype.
	omega, err := part.Sparse.Lowest(3)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []float64{11.140620282, 13.247213985, 15.077356810} {
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
	if give := x[part.Interface[0]]; math.Abs(give*1949484779.75-1) > 1e-8 || math.Abs(soilSimilitude*15246*give-0.015641) > 1e-6 {
		t.Errorf("static stiffness %.9g N/m, share of the first storey %.6f: want 1.94948478e9 and 0.015641", 1/give, soilSimilitude*15246*give)
	}
	rows := soilRows(t, 1)
	for method, want := range map[string]string{
		"reference": "completed", "none": "completed", "force-correction": "completed",
		"poly3": "diverged", "newmark-explicit": "diverged", "dual-explicit": "diverged",
	} {
		row := rows[method]["disp0"]
		if row.Get("status") != want {
			t.Errorf("%s: %v, want %s", method, row.Get("status"), want)
		}
		if e := row.Float("peak_error_pct"); math.IsNaN(e) != (want == "diverged") {
			t.Errorf("%s: peak error %g %% of a test that has %s", method, e, want)
		}
	}
	// The published size of displacement, and the peak of the wave.
	ref := rows["reference"]
	if peak := 1e3 * ref["disp0"].Float("peak"); !(peak > 2 && peak < 5) {
		t.Errorf("reference displacement %.2f mm: want the size of 2.73 mm", peak)
	}
	if peak := ref["acc0"].Float("peak") / 9.80665; !(math.Abs(peak-0.15) < 0.015) {
		t.Errorf("table acceleration %.3f g: want about 0.15 g, the foundation is stiff", peak)
	}
}

// On a thick foundation all methods come to their end, and Newmark's is the worst in
// spectrum, as published.
func TestSoilOnAThickFoundation(t *testing.T) {
	rthstest.Long(t)
	rows := soilRows(t, 30)
	for _, method := range SoilMethods {
		row := rows[method]["disp0"]
		if e := row.Float("peak_error_pct"); !(e < 2) {
			t.Errorf("%s: peak error %g %%", method, e)
		}
		if method != "newmark-explicit" && !(row.Float("spectrum_error_pct") < rows["newmark-explicit"]["disp0"].Float("spectrum_error_pct")) {
			t.Errorf("%s: spectrum off by %g %%: want less than by Newmark's method", method, row.Float("spectrum_error_pct"))
		}
	}
}

// A foundation that does not give moves with the free field; a rigid frame on the
// table would have the same acceleration everywhere.
func TestSoilReferenceFollowsTheFreeField(t *testing.T) {
	rthstest.Long(t)
	s := DefaultSoil()
	field, err := s.field()
	if err != nil {
		t.Fatal(err)
	}
	rows := soilRows(t, 1e5)
	near := rows["reference"]["disp0"].Float("peak")
	if want := largest(field); !(math.Abs(near-want) < 1e-3*want) {
		t.Errorf("peak %g m: want that of the free field, %g m", near, want)
	}
}

// The floors followed beside the test are those of the frame: the base shear they
// have is the force of the table's own.
func TestFloorsAreThoseOfTheFrame(t *testing.T) {
	spec, err := soilSpecimen()
	if err != nil {
		t.Fatal(err)
	}
	f := newFloors(spec)
	for k := range 2000 { // the base at 1 Hz: far below the frame, it moves as one
		w := 2 * math.Pi * float64(k) / soilRateHz
		v := 0.01 * math.Sin(w) * math.Min(1, w/2)
		acc := f.step(v)
		var inertia float64
		for _, a := range acc {
			inertia += 14.274 * a
		}
		if math.Abs(inertia-f.force[0]) > 1e-9 {
			t.Fatalf("sample %d: inertia of the floors %g N, base shear %g N", k, inertia, f.force[0])
		}
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
		s := DefaultSoil()
		spoil(&s)
		if _, err := s.Run(context.Background()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v: want %q", err, want)
		}
	}
}
