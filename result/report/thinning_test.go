package report

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat"

	"rths/result/plotting"
)

// A sample that stands out is in the curve of the page wherever it is, at its time within the
// samples that two points stand for.
func TestPageKeepsEverySample(t *testing.T) {
	const n = 90001
	r := rand.New(rand.NewPCG(7, 8))
	for _, at := range []int{0, 1, 2, n / 2, n - 3, n - 2, n - 1, r.IntN(n), r.IntN(n), r.IntN(n)} {
		for _, peak := range []float64{-7, 7} {
			values := make([]float64, n)
			values[at] = peak
			fs := &figures{traces: []trace{timed(3, 1000, values)}}
			g := fs.grid()
			got := Unpack(t, g.encode(fs.traces[0]))
			if g.every < 2 || len(got) != g.points {
				t.Fatalf("every %d, %d of %d points", g.every, len(got), g.points)
			}
			found := false
			for i, v := range got {
				if v == peak {
					found = true
					if away := math.Abs(g.start + float64(i)*g.step() - 3 - float64(at)/1000); away > 2*g.step() {
						t.Errorf("sample %d is drawn %g s away: want at most %g", at, away, 2*g.step())
					}
				}
			}
			if !found {
				t.Errorf("sample %d is lost", at)
			}
		}
	}
}

// In one quantity over another the extremes of both stay, with their partners.
func TestPairsKeepEverySample(t *testing.T) {
	const n = 90001
	for _, at := range []int{0, 1, n / 3, n - 2, n - 1} {
		x, y := make([]float64, n), make([]float64, n)
		for k := range x {
			x[k], y[k] = math.Sin(float64(k)/500), math.Cos(float64(k)/500)
		}
		x[at], y[at] = 0.25, -7
		fs := &figures{traces: []trace{timed(0, 1000, x), timed(0, 1000, y)}}
		f := figure{}
		f.line(true, "both", 0, 1, plotting.Ink)
		fs.section("one", []figure{f})
		xs, ys := fs.grid().encodePair(fs.traces[0], fs.traces[1])
		across, up, found := Unpack(t, xs), Unpack(t, ys), false
		for i := range across {
			found = found || across[i] == 0.25 && up[i] == -7
		}
		if !found || len(across) > 40000 {
			t.Errorf("sample %d is lost, or %d points are too many", at, len(across))
		}
		found = false
		for _, p := range overQuantityPoints(fs.traces[0], fs.traces[1]) {
			found = found || p.X == 0.25 && p.Y == -7
		}
		if !found {
			t.Errorf("sample %d is lost in the image", at)
		}
	}
}

// Moments are what gonum computes of all values, also where the values are far from zero.
func TestMoments(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	x, e := make([]float64, 5000), make([]float64, 5000)
	var m moments
	for k := range x {
		x[k] = 1000 + r.NormFloat64()
		e[k] = -50 + 0.3*x[k] + 0.1*r.NormFloat64()
		m.add(x[k], e[k])
	}
	scale := 4999.0 / 5000 // gonum divides by n − 1
	for name, c := range map[string][2]float64{
		"xx": {m.xx(), scale * stat.Variance(x, nil)}, "ee": {m.ee(), scale * stat.Variance(e, nil)},
		"xe": {m.xe(), scale * stat.Covariance(x, e, nil)},
		"J2": {m.j2(), 100 * stat.StdDev(e, nil) / stat.StdDev(x, nil)},
	} {
		if math.Abs(c[0]-c[1]) > 1e-11*c[1] {
			t.Errorf("%s: %v: want %v", name, c[0], c[1])
		}
	}
}
