package judge

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"rths"
	"rths/result/record"
)

// stops are the stop operators of each coordinate, springs that yield, which the force of a specimen is fitted with
// beside [x v 1] (Prandtl 1928, Ishlinskii 1944). They yield at the largest measured displacement over √2, 2, 2√2, ….
const stops = 10

// inPath are the columns of a coordinate: displacement, velocity, stops.
const inPath = 2 + stops

// ridge, of columns of size 1, lets nearly equal ones share their part.
const ridge = 1e-9

// averaged is the moving average of a signal over 2 half + 1 samples, every stride samples. The same average of target,
// displacement and force spoils no secant.
func averaged(x record.Signal, half, stride int) []float64 {
	var out []float64
	sum, n := 0.0, float64(2*half+1)
	for i := range x.Len() {
		sum += x.At(i)
		if from := i - 2*half; from >= 0 {
			if from%stride == 0 {
				out = append(out, sum/n)
			}
			sum -= x.At(from)
		}
	}
	return out
}

// path is displacement, velocity and stops of a coordinate.
func path(x []float64, dt, largest float64) [][]float64 {
	out := [][]float64{x, make([]float64, len(x))}
	for i := 1; i+1 < len(x); i++ {
		out[1][i] = (x[i+1] - x[i-1]) / (2 * dt)
	}
	for j := range stops {
		z, at := make([]float64, len(x)), largest*math.Pow(2, -float64(j+1)/2)
		for i := 1; i < len(x); i++ {
			z[i] = min(max(z[i-1]+x[i]-x[i-1], -at), at)
		}
		out = append(out, z)
	}
	return out
}

// columns are what forces are fitted by: [d v] of the target, 1, paths of the measured displacement, what the paths of
// the target are more, and the forces. Each coordinate has a path, and so has its difference from the one before:
// specimens yield between two floors, too.
func (t *Test) columns(half, stride int) (out [][]float64) {
	dt := float64(stride) / t.RateHz
	var targets, measured, plain, fit, more, forces [][]float64
	for i := range t.Axes {
		a := &t.Axes[i]
		targets, measured = append(targets, averaged(a.Target, half, stride)), append(measured, averaged(a.Measured, half, stride))
		forces = append(forces, averaged(a.Force, half, stride))
	}
	for i := range t.Axes[1:] {
		targets = append(targets, less(targets[i+1], targets[i]))
		measured = append(measured, less(measured[i+1], measured[i]))
	}
	for i := range targets {
		largest := max(slices.Max(measured[i]), -slices.Min(measured[i]))
		by, at := path(targets[i], dt, largest), path(measured[i], dt, largest)
		if i < len(t.Axes) {
			plain = append(plain, by[0], by[1])
		}
		fit = append(fit, at...)
		for j := range at {
			more = append(more, less(by[j], at[j]))
		}
	}
	ones := slices.Repeat([]float64{1}, len(forces[0]))
	return slices.Concat(plain, [][]float64{ones}, fit, more, forces)
}

// less is a − b.
func less(a, b []float64) []float64 {
	out := slices.Clone(a)
	floats.Sub(out, b)
	return out
}

// run is n places from one on.
func run(from, n int) (out []int) {
	for i := range n {
		out = append(out, from+i)
	}
	return out
}

// every, odd and even stops are in a fit.
const (
	every = iota
	odd
	even
)

// placesOf are the places of columns of m coordinates.
func placesOf(m, of int) (plain, fit, more, forces []int) {
	paths := (2*m - 1) * inPath
	for i := range paths {
		if j := i%inPath - 2; j < 0 || of == every || j%2 == of%2 {
			fit, more = append(fit, 2*m+1+i), append(more, 2*m+1+paths+i)
		}
	}
	return run(0, 2*m+1), append(fit, 2*m), more, run(2*m+1+2*paths, m)
}

// moments are the sums of products of columns.
type moments struct {
	n int
	v []float64 // of columns i ≤ j at i n + j
}

func newMoments(n int) *moments { return &moments{n, make([]float64, n*n)} }

// see adds a row.
func (s *moments) see(row []float64) {
	for i, a := range row {
		for j := i; j < s.n; j++ {
			s.v[i*s.n+j] += a * row[j]
		}
	}
}

// add adds other moments, times.
func (s *moments) add(o *moments, times float64) {
	for i := range s.v {
		s.v[i] += times * o.v[i]
	}
}

func sumOf(parts []*moments) *moments {
	out := newMoments(parts[0].n)
	for _, p := range parts {
		out.add(p, 1)
	}
	return out
}

// rms of a column; column 2m is of ones.
func (s *moments) rms(i, m int) float64 { return math.Sqrt(s.v[i*s.n+i] / s.v[2*m*s.n+2*m]) }

// less is s without o.
func (s *moments) less(o *moments) *moments {
	out := &moments{s.n, slices.Clone(s.v)}
	out.add(o, -1)
	return out
}

// of is the matrix of some rows and columns.
func (s *moments) of(rows, columns []int) *mat.Dense {
	out := mat.NewDense(len(rows), len(columns), nil)
	for i, r := range rows {
		for j, c := range columns {
			out.Set(i, j, s.v[min(r, c)*s.n+max(r, c)])
		}
	}
	return out
}

// fit is b of y ≈ x b by least squares, where right is xᵀ y; false: there is no such number.
func (s *moments) fit(x []int, right *mat.Dense) (*mat.Dense, bool) {
	a, size := s.of(x, x), make([]float64, len(x))
	b := mat.DenseCopyOf(right)
	for i := range x {
		if size[i] = math.Sqrt(a.At(i, i)); size[i] == 0 { // nothing moves: no part
			size[i] = 1
		}
	}
	scale := func(m *mat.Dense) { m.Apply(func(i, _ int, v float64) float64 { return v / size[i] }, m) }
	a.Apply(func(i, j int, v float64) float64 {
		if i == j {
			return 1 + ridge
		}
		return v / size[i] / size[j]
	}, a)
	scale(b)
	var out mat.Dense
	if err := out.Solve(a, b); err != nil {
		return nil, false
	}
	scale(&out)
	return &out, rths.Finite(mat.Sum(&out))
}

// law is the fit of forces with some stops.
func (s *moments) law(m, of int) (*mat.Dense, bool) {
	_, fit, _, forces := placesOf(m, of)
	return s.fit(fit, s.of(fit, forces))
}

// misfit is the part of the force, rms, that a law leaves; the largest of the coordinates.
func (s *moments) misfit(law *mat.Dense, m int) (part float64) {
	_, fit, _, forces := placesOf(m, every)
	var fitted mat.Dense
	fitted.Mul(law.T(), s.of(fit, forces))
	for i, f := range forces {
		part = max(part, 1-fitted.At(i, i)/s.v[f*s.n+f])
	}
	return math.Sqrt(max(0, part))
}

// secants are [K C]ᵀ of the force by the target: the measured force, and the one that the same motion would have had
// with a perfect actuator. That is the measured one, and what the law has more by the target than by the measured
// displacement.
func (s *moments) secants(law *mat.Dense, m, of int) (measured, perfect *mat.Dense, ok bool) {
	plain, _, more, forces := placesOf(m, of)
	right := s.of(plain, forces)
	if measured, ok = s.fit(plain, right); !ok {
		return nil, nil, false
	}
	var added mat.Dense
	added.Mul(s.of(plain, more), law.Slice(0, len(more), 0, m))
	right.Add(right, &added)
	perfect, ok = s.fit(plain, right)
	return measured, perfect, ok
}
