package scenario

import (
	"slices"
	"testing"

	"rths/kit/rthstest"
)

// What devices have learned are values of the run, under the names of its channels: expect and studies know them.
func TestLearnedValues(t *testing.T) {
	r := played(t, learning, "duration_s=2", "expect={learn1_yield_force: {min: 3000}, learn1_fell_back: {max: 0}}")
	var names []string
	for _, v := range r.Values() {
		names = append(names, v.Name)
	}
	want := []string{"learn1_stiffness", "learn1_stiffness_sd", "learn1_yield_force", "learn1_yield_force_sd",
		"learn1_residual_N", "learn1_residual_sd_N", "learn1_residual_not_white", "learn1_fell_back"}
	if got := names[len(names)-len(want):]; !slices.Equal(got, want) {
		t.Errorf("values end in %q: want %q", got, want)
	}
	g := r.Learning.Groups()[0]
	if !slices.Equal(g.Began, []float64{1.1e6, 2900}) || g.Key() != "devices[1]" {
		t.Errorf("%s began at %g", g.Key(), g.Began)
	}
	learnt := r.Learnt()
	at := slices.IndexFunc(learnt, func(p Parameter) bool { return p.Name == "learn1_yield_force" })
	if len(learnt) != 4 || at < 0 || learnt[at].SD != want[3] || *learnt[at].Lower != 1500 || *learnt[at].Upper != 8000 {
		t.Errorf("the page gets %+v", learnt)
	}

	s := rthstest.Must(Parse("t", []byte(learning), ".", []string{"expect={learn1_yield: {min: 3000}}"}))
	_, err := s.Build(t.Context(), Options{})
	rthstest.WantError(t, err, "learn1_yield: this run has no criterion, indicator or adaptive parameter of the name")
	rthstest.WantError(t, err, "learn1_yield_force")
}
