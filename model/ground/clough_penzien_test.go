package ground

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/dsp/fourier"

	"rths/kit/rthstest"
)

// firmSoil has the default parameters.
func firmSoil() *CloughPenzien { return defaultCloughPenzien().(*CloughPenzien) }

// The spectrum written as the equation in the package's comment.
func TestCloughPenzienDensity(t *testing.T) {
	p := firmSoil()
	wg, zg, wf, zf := 15.6, 0.6, 1.5, 0.6
	for _, w := range []float64{0, 0.1, 1.5, 5, 15.6, 40, 300} {
		soil := (math.Pow(wg, 4) + 4*zg*zg*wg*wg*w*w) / (sq(wg*wg-w*w) + 4*zg*zg*wg*wg*w*w)
		corner := math.Pow(w, 4) / (sq(wf*wf-w*w) + 4*zf*zf*wf*wf*w*w)
		if got := p.Density(w); math.Abs(got-soil*corner) > 1e-12 {
			t.Errorf("S(%g rad/s) = %g, want %g", w, got, soil*corner)
		}
	}
	// Special values: nothing at zero; at ωg the soil alone has 1 + 1/(4ζg²);
	// the corner filter alone has 1/(4ζf²) at ωf.
	p.CornerRadS = 1e-3
	if got, want := p.Density(15.6), 1+1/(4*0.36); math.Abs(got-want) > 1e-6 {
		t.Errorf("S(ωg) = %g, want %g", got, want)
	}
	p.CornerRadS, p.GroundRadS = 1.5, 1e6
	if got, want := p.Density(1.5), 1/(4*0.36); math.Abs(got-want) > 1e-6 {
		t.Errorf("S(ωf) = %g, want %g", got, want)
	}
}

// Jennings, Housner & Tsai: parabola, plateau, exponential.
func TestEnvelope(t *testing.T) {
	p := firmSoil()
	for at, want := range map[float64]float64{-1: 0, 0: 0, 2: 0.25, 4: 1, 10: 1, 15: 1, 25: math.Exp(-1),
		45: math.Exp(-3)} {
		if got := p.Envelope(at); math.Abs(got-want) > 1e-15 {
			t.Errorf("envelope at %g s: %g, want %g", at, got, want)
		}
	}
	p.Rise, p.Strong = 0, 0
	if p.Envelope(0) != 1 || p.Envelope(10) != math.Exp(-1) {
		t.Error("an envelope without rise and plateau does not begin at 1")
	}
}

func TestCloughPenzienPeakAndOnset(t *testing.T) {
	p := firmSoil()
	p.Onset, p.PGA = 5, 0.4
	for seed := range uint64(20) {
		m := motion(t, p, seed)
		if math.Abs(m.PGA()-0.4*9.80665) > 1e-12 || m.Duration() != 50 || m.Dt != 0.01 {
			t.Fatalf("seed %d: PGA %g, %g s, step %g s: want 3.92266, 50, 0.01", seed, m.PGA(), m.Duration(), m.Dt)
		}
		for i, a := range m.A[:501] {
			if a != 0 {
				t.Fatalf("seed %d: a(%g s) = %g before the onset", seed, float64(i)*m.Dt, a)
			}
		}
	}
}

// The average periodogram of 2000 realisations agrees with the formula. A Hann
// window keeps leakage below a percent of this smooth spectrum; an average of
// 2000 chi-square variables of two degrees scatters by 1/√2000 = 2.2 %, so 12 %
// is beyond five deviations. The sum over all frequencies scatters far less.
func TestAveragePeriodogramIsTheSpectrum(t *testing.T) {
	const n, dt = 2048, 0.02
	runs := float64(rthstest.Draws(500, 2000))
	p := firmSoil()
	density := func(hz float64) float64 { return p.Density(2 * math.Pi * hz) }
	window, norm := make([]float64, n), 0.0
	for i := range window {
		window[i] = 0.5 - 0.5*math.Cos(2*math.Pi*float64(i)/n)
		norm += sq(window[i])
	}
	fft, mean := fourier.NewFFT(n), make([]float64, n/2+1)
	rng, a, sum := stream(7), make([]float64, n), 0.0
	for range int(runs) {
		gaussian(a, dt, density, rng)
		for i := range a {
			sum += sq(a[i])
			a[i] *= window[i]
		}
		for k, c := range fft.Coefficients(nil, a) {
			mean[k] += 2 * dt / norm / runs * (real(c)*real(c) + imag(c)*imag(c)) // one-sided, per Hz
		}
	}
	variance, got := 0.0, 0.0
	for k := 1; k < n/2; k++ {
		hz := float64(k) / (n * dt)
		variance += density(hz) / (n * dt)
		got += mean[k] / (n * dt)
		if k > 2 && math.Abs(mean[k]/density(hz)-1) > 5.4/math.Sqrt(runs) && hz > 0.2 {
			t.Errorf("%.3f Hz: %.4g, want %.4g", hz, mean[k], density(hz))
		}
	}
	if math.Abs(got/variance-1) > 0.5/math.Sqrt(runs) || math.Abs(sum/(n*runs)/variance-1) > 0.5/math.Sqrt(runs) {
		t.Errorf("variance %g by frequency, %g by time: want %g", got, sum/(n*runs), variance)
	}
}

// The process is Gaussian: kurtosis 3, and 2.28 % of the values above two
// standard deviations.
func TestProcessIsGaussian(t *testing.T) {
	a, rng := make([]float64, 1<<18), stream(11)
	gaussian(a, 0.01, func(hz float64) float64 { return firmSoil().Density(2 * math.Pi * hz) }, rng)
	s, fourth, above := rms(a), 0.0, 0
	for _, v := range a {
		fourth += sq(sq(v/s)) / float64(len(a))
		if v > 2*s {
			above++
		}
	}
	if share := float64(above) / float64(len(a)); math.Abs(fourth-3) > 0.1 || math.Abs(share-0.0228) > 0.002 {
		t.Errorf("kurtosis %g, %g above 2σ: want 3, 0.0228", fourth, share)
	}
}

// The end of a realisation does not repeat its beginning.
func TestProcessIsNotPeriodic(t *testing.T) {
	a, rng, wrap, power := make([]float64, 512), stream(5), 0.0, 0.0
	for range 400 {
		gaussian(a, 0.01, func(hz float64) float64 { return firmSoil().Density(2 * math.Pi * hz) }, rng)
		wrap += a[0] * a[len(a)-1]
		power += a[0] * a[0]
	}
	if math.Abs(wrap/power) > 0.2 { // 1/√400 = 0.05
		t.Errorf("correlation of the ends %g, want about 0", wrap/power)
	}
}
