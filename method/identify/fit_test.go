package identify

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// Taps apart: each of the interleaved series is the same fit.
func TestFitSpacing(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	const s = 3
	c, x := make([]float64, 200), make([]float64, 200)
	for i := range c {
		c[i] = r.NormFloat64()
		x[i] = 0.5 * c[i]
		if i >= s {
			x[i] += 0.4 * x[i-s]
		}
	}
	f, err := FitADM(0, 2, s, c, x)
	if err != nil || math.Abs(f.Theta[0]-2) > 1e-12 || math.Abs(f.Theta[1]+0.8) > 1e-12 {
		t.Errorf("θ = %v, %v: want 2, −0.8", f, err)
	}
}

// Commands that follow the model are its parameters again, past commands and displacements at their distances.
func TestFitOfPastCommands(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 4))
	const s = 3
	want := []float64{0.3, -0.2, 2, -0.8, 0.5}
	c, x := make([]float64, 200), make([]float64, 200)
	for i := range c {
		if x[i] = r.NormFloat64(); i >= 2*s {
			c[i] = want[0]*c[i-s] + want[1]*c[i-2*s] + want[2]*x[i] + want[3]*x[i-s] + want[4]*x[i-2*s]
		}
	}
	f, err := FitADM(2, 3, s, c, x)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range f.Theta {
		if math.Abs(v-want[i]) > 1e-12 {
			t.Errorf("θ = %g: want %g", f.Theta, want)
			break
		}
	}
}

func TestFitWrongInput(t *testing.T) {
	slow := make([]float64, 400)
	for i := range slow {
		slow[i] = 1e-3 * math.Sin(1e-5*float64(i))
	}
	for _, tc := range []struct {
		p, q, s int
		c, x    []float64
		want    string
	}{
		{0, 0, 1, slow, slow, "want 0 to 8, 1 to 8"},
		{0, 2, 0, slow, slow, "spacing 0"},
		{0, 2, 1, slow, slow[1:], "400 commands and 399 measurements"},
		{1, 3, 1, slow[:5], slow[:5], "5 samples: want at least 10 for 4 parameters"},
		{0, 2, 1, slow, make([]float64, 400), "the regressor is singular"},
		{1, 3, 1, slow, slow, "the regressor is singular"},
	} {
		if _, err := FitADM(tc.p, tc.q, tc.s, tc.c, tc.x); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("error %v: want one that says %q", err, tc.want)
		}
	}
	// a plant that hardly lags, slowly moved: told apart, but hardly
	for i := range slow {
		slow[i] = 1e-3 * (math.Sin(5e-3*float64(i)) + math.Sin(7e-3*float64(i)))
	}
	f, err := FitADM(0, 4, 1, slow[1:], slow[:399])
	if err != nil {
		t.Fatal(err)
	}
	if got := f.Warning(); !strings.Contains(got, "ill-conditioned") {
		t.Errorf("condition %.2g, warning %q", f.Condition, got)
	}
}

// The residual is the rms of what the fit leaves: of white noise on the commands its standard deviation.
func TestFitResidualIsTheNoise(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 6))
	const n, sd = 20_000, 3e-5
	c, x := make([]float64, n), make([]float64, n)
	for i := range x {
		x[i] = 1e-2 * r.NormFloat64()
		c[i] = 1.1*x[i] + sd*r.NormFloat64()
	}
	f, err := FitADM(0, 1, 1, c, x)
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(f.Residual/sd-1) > 0.02 || f.Rows != n {
		t.Errorf("residual %.4g m of %d rows: want %g m of %d", f.Residual, f.Rows, sd, n)
	}
}
