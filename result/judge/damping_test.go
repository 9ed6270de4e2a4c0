package judge

import (
	"encoding/json"
	"math"
	"math/cmplx"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rths/kit/rthstest"
	"rths/model/structure"
	"rths/result/record"
)

// plantedErrors is a test in steady state whose specimen moves by gain times the target, late: numbers of each
// actuator.
type plantedErrors struct {
	p            *structure.Partition
	k, c         *mat.Dense // of the specimen, by the interface coordinates
	gain, lateS  []float64
	rateHz       float64
	noise, fault float64 // m, and of the force its part of the rms
}

// dynamic is (M p² + C p + K) with the specimen, whose force comes late.
func (e *plantedErrors) dynamic(s complex128) [][]complex128 {
	n := e.p.N()
	a := make([][]complex128, n)
	for i := range a {
		a[i] = make([]complex128, n)
		for j := range a[i] {
			a[i][j] = s*s*complex(e.p.M.At(i, j), 0) + s*complex(e.p.C.At(i, j), 0) + complex(e.p.K.At(i, j), 0)
		}
	}
	for i, to := range e.p.Interface {
		for j, from := range e.p.Interface {
			a[to][from] += e.force(i, j, s)
		}
	}
	return a
}

// force is force i of the specimen per target j.
func (e *plantedErrors) force(i, j int, s complex128) complex128 {
	return (complex(e.k.At(i, j), 0) + s*complex(e.c.At(i, j), 0)) * e.moved(j, s)
}

// moved is measured displacement j per its target.
func (e *plantedErrors) moved(j int, s complex128) complex128 {
	return complex(e.gain[j], 0) * cmplx.Exp(-s*complex(e.lateS[j], 0))
}

// solve is x of a x = b, and the determinant of a.
func solve(a [][]complex128, b []complex128) (x []complex128, det complex128) {
	n, det := len(a), 1
	for i := range n {
		for r := i + 1; r < n; r++ {
			f := a[r][i] / a[i][i]
			for j := i; j < n; j++ {
				a[r][j] -= f * a[i][j]
			}
			b[r] -= f * b[i]
		}
		det *= a[i][i]
	}
	x = make([]complex128, n)
	for i := n - 1; i >= 0; i-- {
		x[i] = b[i]
		for j := i + 1; j < n; j++ {
			x[i] -= a[i][j] * x[j]
		}
		x[i] /= a[i][i]
	}
	return x, det
}

// root is the eigenvalue next to one without control errors.
func (e *plantedErrors) root(from complex128) complex128 {
	det := func(s complex128) complex128 {
		_, d := solve(e.dynamic(s), make([]complex128, e.p.N()))
		return d
	}
	s := from
	for range 50 {
		h := s * 1e-6
		s -= det(s) * 2 * h / (det(s+h) - det(s-h))
	}
	return s
}

// test is the record of a ground motion of 100 random lines about mode 1. The first target is 10 mm rms.
func (e *plantedErrors) test(r *rand.Rand, hz, seconds float64) *Test {
	n, m := int(seconds*e.rateHz), len(e.gain)
	v := make([][]float64, 3*m+1) // target, displacement, force of an actuator; ground
	for i := range v {
		v[i] = make([]float64, n)
	}
	for range 100 {
		w := 2 * math.Pi * hz * math.Pow(8, 2*r.Float64()-1.2)
		s, b := complex(0, w), make([]complex128, e.p.N())
		phase := cmplx.Exp(complex(0, 2*math.Pi*r.Float64()))
		for i := range b {
			b[i] = -complex(e.p.Whole.M.At(i, i), 0) * phase * complex(1/(1+math.Pow(w/(4*math.Pi*hz), 2)), 0)
		}
		x, _ := solve(e.dynamic(s), b)
		turn, now := cmplx.Exp(s/complex(e.rateHz, 0)), make([]complex128, 3*m+1)
		now[3*m] = -b[0] / complex(e.p.Whole.M.At(0, 0), 0)
		for i, dof := range e.p.Interface {
			now[3*i], now[3*i+1] = x[dof], x[dof]*e.moved(i, s)
			for j, from := range e.p.Interface {
				now[3*i+2] += e.force(i, j, s) * x[from]
			}
		}
		for k := range n {
			for i := range now {
				v[i][k] += real(now[i])
				now[i] *= turn
			}
		}
	}
	scale := 0.01 / rms(v[0])
	t := &Test{RateHz: e.rateHz, Ground: record.SignalOf(v[3*m]).Times(scale)}
	for i := range m {
		size := rms(v[3*i+2])
		for k := range n {
			for j := 3 * i; j < 3*i+3; j++ {
				v[j][k] *= scale
			}
			v[3*i+1][k] += e.noise * r.NormFloat64()
			v[3*i+2][k] += e.fault * size * scale * r.NormFloat64()
		}
		t.Axes = append(t.Axes, Axis{Target: record.SignalOf(v[3*i]), Measured: record.SignalOf(v[3*i+1]),
			Force: record.SignalOf(v[3*i+2])})
	}
	return t
}

func rms(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v * v / float64(len(x))
	}
	return math.Sqrt(sum)
}

// frame is a shear frame of some storeys with 3 % damping, divided at the first floor.
func frame(t *testing.T, storeys int, hz, part float64) (p *structure.Partition, k, c float64) {
	t.Helper()
	const m = 1e4
	stiff := m * math.Pow(2*math.Pi*hz, 2) * math.Pow(float64(storeys), 2) / 2.4
	n := storeys
	mass, stiffness, damping := mat.NewDense(n, n, nil), mat.NewDense(n, n, nil), mat.NewDense(n, n, nil)
	for i := range n {
		mass.Set(i, i, m)
		stiffness.Set(i, i, stiffness.At(i, i)+stiff)
		if i > 0 {
			stiffness.Set(i-1, i-1, stiffness.At(i-1, i-1)+stiff)
			stiffness.Set(i-1, i, -stiff)
			stiffness.Set(i, i-1, -stiff)
		}
	}
	damping.Scale(2*0.04/(2*math.Pi*hz), stiffness)
	whole := &structure.Structure{N: n, M: mass, C: damping, K: stiffness, Gamma: structure.Ones(n)}
	k, c = part*stiff, part*stiff*2*0.04/(2*math.Pi*hz)
	return rthstest.Must(whole.Divide(0, 0, c, k)), k, c
}

func alone(v float64) *mat.Dense { return mat.NewDense(1, 1, []float64{v}) }

// modeOf is mode 1 with a spring and a dashpot at the first interface coordinate.
func modeOf(p *structure.Partition, k, c float64) complex128 {
	part := rthstest.Must(newNumericalPart(p, mat.NewDense(1, 1, []float64{k})))
	return rthstest.Must(part.mode1(mat.NewDense(2, 1, []float64{k, c})))
}

// Delays of 0.2 to 5 ms and gains of 0.9 to 1.1 in three frames and four records: the added damping of mode 1 is that
// of the complex eigenvalues within 0.02 points in 95 % of tests, and its interval holds it.
func TestAddedDamping(t *testing.T) {
	near, inside, all := 0, 0, 0
	for storeys := 1; storeys <= 3; storeys++ {
		p, k, c := frame(t, storeys, 1.5, 0.3)
		pure := modeOf(p, k, c)
		for record := range rthstest.Draws(2, 4) {
			r := rand.New(rand.NewPCG(uint64(record), uint64(storeys)))
			for _, lateMs := range []float64{0, 0.2, 1, 2.5, 5} {
				e := &plantedErrors{p: p, k: alone(k), c: alone(c), gain: []float64{0.9 + 0.2*r.Float64()}, lateS: []float64{lateMs / 1e3}, rateHz: 512, noise: 5e-6,
					fault: 1e-3}
				if lateMs == 0 {
					e.gain[0] = 1
				}
				if record == 1 {
					e.noise = 1.5e-4 // 7 % of the velocity
				}
				d := e.test(r, 1.5, 20).AddedDamping(p)
				late := e.root(pure)
				want := ratio(late) - ratio(pure)
				all++
				off := math.Abs(d.Added - want)
				if off < 2e-4 {
					near++
				}
				if off < 2*d.AddedSE+1e-5 {
					inside++
				}
				if d.CannotTell != "" || math.Abs(d.Moved-(cmplx.Abs(late)/cmplx.Abs(pure)-1)) > 1e-3 {
					t.Errorf("%d storeys, %g ms, gain %.3f: %+v: want frequency moved by %.4g", storeys, lateMs, e.gain[0], d,
						cmplx.Abs(late)/cmplx.Abs(pure)-1)
				}
				if lateMs == 0 && off > 3*d.AddedSE+2e-5 {
					t.Errorf("a perfect actuator has added %.3g ± %.2g points", 100*d.Added, 200*d.AddedSE)
				}
				if storeys == 2 && record < 2 {
					t.Logf("%g ms, gain %.3f: %.4g ± %.2g points, want %.4g; %s", lateMs, e.gain[0], 100*d.Added, 200*d.AddedSE,
						100*want, d.Sentence())
				}
			}
		}
	}
	t.Logf("%d of %d within 0.02 points, %d within the interval", near, all, inside)
	if 100*near < 95*all || 100*inside < 95*all {
		t.Errorf("%d of %d within 0.02 points, %d within the interval: want 95 %%", near, all, inside)
	}
}

// What a record does not hold is not told.
func TestAddedDampingCannotTell(t *testing.T) {
	p, k, c := frame(t, 2, 1.5, 0.3)
	e := &plantedErrors{p: p, k: alone(k), c: alone(c), gain: []float64{1}, lateS: []float64{2e-3}, rateHz: 512}
	for name, change := range map[string]func(*Test){
		"the record has no force": func(t *Test) { t.Axes[0].Force = record.Signal{} },
		"the record has 2.4 periods of mode 1: want 12": func(t *Test) {
			a := &t.Axes[0]
			for _, s := range []*record.Signal{&a.Target, &a.Measured, &a.Force} {
				*s = record.SignalOf(s.Values()[:1024])
			}
		},
		"the specimen does not move": func(t *Test) {
			zero := make([]float64, t.Samples())
			t.Axes[0].Target, t.Axes[0].Measured = record.SignalOf(zero), record.SignalOf(zero)
		},
		"the noise of the measured displacement is ": func(t *Test) {
			r, x := rand.New(rand.NewPCG(1, 1)), t.Axes[0].Measured.Values()
			for k := range x {
				x[k] += 2e-3 * r.NormFloat64()
			}
			t.Axes[0].Measured = record.SignalOf(x)
		},
		"the force does not follow the displacement": func(t *Test) {
			f := t.Axes[0].Force.Values()
			f[700] = math.NaN()
			t.Axes[0].Force = record.SignalOf(f)
		},
		"no stiffness, damping and yielding explain ": func(t *Test) { // half of the record comes late
			a := &t.Axes[0]
			x := a.Target.Values()
			copy(x[len(x)/2:], a.Target.Values()[len(x)/2-60:])
			a.Measured = record.SignalOf(x)
		},
	} {
		test := e.test(rand.New(rand.NewPCG(1, 2)), 1.5, 20)
		change(test)
		d := test.AddedDamping(p)
		if !strings.Contains(d.CannotTell, name) || !strings.HasPrefix(d.Sentence(), "Cannot tell") {
			t.Errorf("%q: %+v: want it to say so", name, d)
		}
		if text := string(rthstest.Must(json.Marshal(d))); strings.Contains(text, "ratio") {
			t.Errorf("%s: want no numbers", text)
		}
	}
}

// A numerical part of many degrees of freedom is reduced to few shapes: mode 1 with any specimen is that of the whole.
func TestReducedNumericalPart(t *testing.T) {
	for _, storeys := range []int{13, 40} {
		p, k, c := frame(t, storeys, 0.4, 0.5)
		whole := &numericalPart{p.M, p.C, p.K, mat.NewDense(storeys, 1, append([]float64{1}, make([]float64, storeys-1)...))}
		reduced := rthstest.Must(newNumericalPart(p, mat.NewDense(1, 1, []float64{k})))
		if n, _ := reduced.m.Dims(); n > wholeUpTo {
			t.Fatalf("%d shapes of %d storeys", n, storeys)
		}
		for _, times := range []float64{0.1, 0.5, 1, 3} {
			by := mat.NewDense(2, 1, []float64{times * k, 3 / times * c})
			want, got := rthstest.Must(whole.mode1(by)), rthstest.Must(reduced.mode1(by))
			if cmplx.Abs(got-want) > 1e-6*cmplx.Abs(want) {
				t.Errorf("%d storeys, %g k: %.8g: want %.8g", storeys, times, got, want)
			}
		}
	}
}

// Two actuators hold the first two floors of a frame, whose first two storeys are specimens: the second one's force
// depends on both coordinates. The errors of each actuator count.
func TestAddedDampingOfSeveralCoordinates(t *testing.T) {
	near, inside, all := 0, 0, 0
	for record := range rthstest.Draws(2, 8) {
		one, k, c := frame(t, 3, 1.5, 0.3)
		p := rthstest.Must(one.Whole.Between([]int{0, 1}, []structure.Share{{Along: []float64{1, 0, 0}, C: c, K: k},
			{Along: []float64{-1, 1, 0}, C: 2 * c, K: 2 * k}}))
		by := func(v float64) *mat.Dense { return mat.NewDense(2, 2, []float64{3 * v, -2 * v, -2 * v, 2 * v}) }
		pure := &plantedErrors{p: p, k: by(k), c: by(c), gain: []float64{1, 1}, lateS: []float64{0, 0}}
		r := rand.New(rand.NewPCG(uint64(record), 9))
		for _, lateMs := range [][]float64{{0, 0}, {1, 1}, {3, 0}, {0, 3}, {1, 5}} {
			e := &plantedErrors{p: p, k: by(k), c: by(c), gain: []float64{0.95 + 0.1*r.Float64(), 0.95 + 0.1*r.Float64()},
				lateS: []float64{lateMs[0] / 1e3, lateMs[1] / 1e3}, rateHz: 512, noise: 5e-6, fault: 1e-3}
			if lateMs[0]+lateMs[1] == 0 {
				e.gain = []float64{1, 1}
			}
			d := e.test(r, 1.5, 30).AddedDamping(p)
			start := rthstest.Must(rthstest.Must(newNumericalPart(p, by(k))).mode1(mat.NewDense(4, 2,
				[]float64{3 * k, -2 * k, 3 * c, -2 * c, -2 * k, 2 * k, -2 * c, 2 * c})))
			late := e.root(start)
			want := ratio(late) - ratio(pure.root(start))
			all++
			if math.Abs(d.Added-want) < 2e-4 {
				near++
			}
			if math.Abs(d.Added-want) < 2*d.AddedSE+1e-5 {
				inside++
			}
			if d.CannotTell != "" {
				t.Error(d.CannotTell)
			}
		}
	}
	t.Logf("%d of %d within 0.02 points, %d within the interval", near, all, inside)
	if 100*near < 95*all || 100*inside < 95*all {
		t.Errorf("%d of %d within 0.02 points, %d within the interval: want 95 %%", near, all, inside)
	}
}

// The filter model finds frequency and damping of a response with its control errors: those of the complex eigenvalues.
func TestSwing(t *testing.T) {
	near, inside, all := 0, 0, 0
	for storeys := 1; storeys <= 3; storeys++ {
		p, k, c := frame(t, storeys, 1.5, 0.3)
		for record := range rthstest.Draws(2, 8) {
			r := rand.New(rand.NewPCG(uint64(record), uint64(storeys)))
			for _, lateMs := range []float64{0, 2, 5} {
				e := &plantedErrors{p: p, k: alone(k), c: alone(c), gain: []float64{1}, lateS: []float64{lateMs / 1e3}, rateHz: 512}
				want := e.root(modeOf(p, k, c))
				s := e.test(r, 1.5, 30).Swing()
				all++
				if math.Abs(s.Ratio-ratio(want)) < 2e-3 {
					near++
				}
				if math.Abs(s.Ratio-ratio(want)) < 2*s.RatioSE+1e-5 {
					inside++
				}
				if s.CannotTell != "" || math.Abs(s.FreqHz-cmplx.Abs(want)/2/math.Pi) > 0.005 {
					t.Errorf("%s: want %.4g Hz", s.Sentence(), cmplx.Abs(want)/2/math.Pi)
				}
			}
		}
	}
	if 100*near < 95*all || 100*inside < 95*all {
		t.Errorf("%d of %d within 0.2 points, %d within the interval: want 95 %%", near, all, inside)
	}
	for why, change := range map[string]func(*Test){
		"zero 0 times": func(t *Test) { t.Axes[0].Target = record.SignalOf(make([]float64, t.Samples())) },
		"no pole":      func(t *Test) { t.Ground = record.SignalBy(t.Samples(), func(int) float64 { return math.NaN() }) },
		"differ": func(t *Test) {
			r := rand.New(rand.NewPCG(3, 3)) // a target that the ground motion does not move
			t.Ground = record.SignalBy(t.Samples(), func(int) float64 { return r.NormFloat64() })
			t.Axes[0].Target = record.SignalOf(rthstest.Slow(r, t.RateHz, t.Samples()))
		},
	} {
		p, k, c := frame(t, 1, 1.5, 0.3)
		e := &plantedErrors{p: p, k: alone(k), c: alone(c), gain: []float64{1}, lateS: []float64{0}, rateHz: 512}
		test := e.test(rand.New(rand.NewPCG(1, 1)), 1.5, 30)
		change(test)
		if s := test.Swing(); !strings.Contains(s.CannotTell, why) {
			t.Errorf("%s: want %q", s.Sentence(), why)
		}
	}
}
