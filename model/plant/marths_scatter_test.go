package plant

import (
	"math"
	"math/cmplx"
	"math/rand/v2"
	"testing"
)

// The published scatter (docs/reference/benchmark-multiaxial.md, Control plant): each pole and zero times 1 + s N(0,1),
// with s = 0.055 of both zeros of command 1, 0.06 of its real poles, 0.05 of the frame's pole (one draw
// for both parts), 0.03 of every pole and zero of command 2. In the order of the draws.
var publishedScatter = []struct {
	name        string
	nominal, sd float64 // Hz, relative
	of          func(p *MaRTHS) float64
}{
	{"z1", 120, 0.055, func(p *MaRTHS) float64 { return p.Zeros1[0] }},
	{"z2", 90, 0.055, func(p *MaRTHS) float64 { return p.Zeros1[1] }},
	{"p1", 2.65, 0.06, func(p *MaRTHS) float64 { return p.Poles1[0] }},
	{"p2", 40, 0.06, func(p *MaRTHS) float64 { return p.Poles1[1] }},
	{"frame", 50, 0.05, func(p *MaRTHS) float64 { return p.Frame[0] }},
	{"z12", 3, 0.03, func(p *MaRTHS) float64 { return p.Zero12 }},
	{"p3", 3.5, 0.03, func(p *MaRTHS) float64 { return p.Poles2[0] }},
	{"p4", 18.5, 0.03, func(p *MaRTHS) float64 { return p.Poles2[1] }},
	{"z22", 5, 0.03, func(p *MaRTHS) float64 { return p.Zero22 }},
}

// Over 4000 plants every parameter has its published mean and standard deviation, within
// 4.5 standard errors, is normal as far as its fourth moment tells, and none goes with any other.
func TestMaRTHSScatterIsThePublishedOne(t *testing.T) {
	const n = 4000
	r := rand.New(rand.NewPCG(2020, 1))
	number := len(publishedScatter)
	sum, square, fourth, product := make([]float64, number), make([]float64, number), make([]float64, number),
		make([]float64, number*number)
	for range n {
		p := marthsPlant()
		p.Perturb(r.NormFloat64)
		if len(p.Draws) != number {
			t.Fatalf("%d draws: want %d", len(p.Draws), number)
		}
		q := p.scattered()
		e := make([]float64, number)
		for i, s := range publishedScatter {
			e[i] = s.of(q)/s.nominal - 1
			sum[i] += e[i]
			square[i] += e[i] * e[i]
			fourth[i] += e[i] * e[i] * e[i] * e[i]
		}
		if math.Abs(q.Frame[1]/63-q.Frame[0]/50) > 1e-12 {
			t.Fatalf("the frame's pole is scaled by %g and %g: want one factor", q.Frame[0]/50, q.Frame[1]/63)
		}
		for i := range e {
			for j := range i {
				product[i*number+j] += e[i] * e[j]
			}
		}
	}
	for i, s := range publishedScatter {
		if mean := sum[i] / n; !(math.Abs(mean) <= 4.5*s.sd/math.Sqrt(n)) {
			t.Errorf("%s: mean %g off the nominal: want less than %g", s.name, mean, 4.5*s.sd/math.Sqrt(n))
		}
		if sd := math.Sqrt(square[i] / n); !(math.Abs(sd/s.sd-1) <= 4.5/math.Sqrt(2*n)) {
			t.Errorf("%s: standard deviation %g: want %g within %g of it", s.name, sd, s.sd, 4.5/math.Sqrt(2*n))
		}
		if k := fourth[i] * n / (square[i] * square[i]); !(math.Abs(k-3) <= 4.5*math.Sqrt(24.0/n)) {
			t.Errorf("%s: fourth moment %g of the squared variance: want 3", s.name, k)
		}
		for j := range i {
			if c := product[i*number+j] / math.Sqrt(square[i]*square[j]); !(math.Abs(c) <= 4.5/math.Sqrt(n)) {
				t.Errorf("%s and %s: correlation %g: want none", s.name, publishedScatter[j].name, c)
			}
		}
	}
}

// One draw after the other: a draw of 1 moves its own parameter by one standard deviation and
// no other. The static gains stay; relative to them the plant's transfer functions follow the
// moved poles and zeros.
func TestMaRTHSDrawMovesItsOwnParameter(t *testing.T) {
	static := gains(t, marthsModel(t, marthsPlant()), 0)
	for i := range publishedScatter {
		for _, draw := range []float64{1, -2.5} {
			p := marthsPlant()
			p.Draws = make([]float64, len(publishedScatter))
			p.Draws[i] = draw
			q := p.scattered()
			hz := make([]float64, len(publishedScatter))
			for j, s := range publishedScatter {
				hz[j] = s.nominal
				if i == j {
					hz[j] *= 1 + draw*s.sd
				}
				if got := s.of(q); !(math.Abs(got-hz[j]) <= 1e-12*hz[j]) {
					t.Errorf("draw %g for %s: %s is %g Hz: want %g", draw, publishedScatter[i].name, s.name, got, hz[j])
				}
			}
			ss := marthsModel(t, p)
			for _, w := range []float64{0, 20, 300, 900} {
				s := complex(0, w/(2*math.Pi)) // in Hz, as the poles
				over := func(zero float64) complex128 { return 1 + s/complex(zero, 0) }
				f, d := hz[4], 63*hz[4]/50
				frame := (s+complex(f, 0))*(s+complex(f, 0)) + complex(d*d, 0)
				frame /= complex(f*f+d*d, 0)
				first := over(hz[0]) * over(hz[1]) / (over(hz[2]) * over(hz[3]) * frame)
				second := 1 / (over(hz[6]) * over(hz[7]) * frame)
				want := [2][2]complex128{
					{static[0][0] * first, static[0][1] * second * over(hz[5])},
					{static[1][0] * first, static[1][1] * second * over(hz[8])},
				}
				g := gains(t, ss, w)
				for a := range 2 {
					for b := range 2 {
						if !(cmplx.Abs(g[a][b]-want[a][b]) <= 1e-10*cmplx.Abs(static[a][b])) {
							t.Errorf("draw %g for %s: H%d%d at %g rad/s is %g: want %g", draw, publishedScatter[i].name, a+1, b+1, w,
								g[a][b], want[a][b])
						}
					}
				}
			}
		}
	}
}
