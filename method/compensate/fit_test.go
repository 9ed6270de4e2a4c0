package compensate

import (
	"math"
	"math/rand/v2"
	"testing"

	"rths/method/identify"
)

// On noise-free data of a plant of the model's form the fit is the plant; its P0 is
// the inverse of Φ'Φ, formed here element by element (paper 000 eq. 4).
func TestFitFindsTheModel(t *testing.T) {
	p := newHeldPlant(50, 0.8, 1/wangRate)
	r := rand.New(rand.NewPCG(1, 2))
	var c, x []float64
	for range 300 {
		c, x = append(c, 0.01*r.NormFloat64()), append(x, 0)
		p.step(c[len(c)-1])
		x[len(x)-1] = p.x
	}
	f, err := identify.FitADM(1, 3, 1, c, x)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range p.exact() {
		if math.Abs(f.Theta[i]-want) > 1e-10*math.Abs(want) {
			t.Errorf("θ%d = %.12g: want %.12g", i+1, f.Theta[i], want)
		}
	}
	if f.Residual > 1e-14 || f.Warning() != "" {
		t.Errorf("residual %.2g m, warning %q: want none", f.Residual, f.Warning())
	}
	for a := range 4 { // P0 Φ'Φ = I
		for b := range 4 {
			sum := 0.0
			for k := range 4 {
				for i := 2; i < len(c); i++ {
					row := []float64{c[i-1], x[i], x[i-1], x[i-2]}
					sum += f.P0[a*4+k] * row[k] * row[b]
				}
			}
			want := 0.0
			if a == b {
				want = 1
			}
			if math.Abs(sum-want) > 1e-8 {
				t.Errorf("P0 Φ'Φ (%d, %d) = %.3g: want %g", a, b, sum, want)
			}
		}
	}
}
