package plant

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"rths"
)

// Frame is a linear shear frame on a shake table: the actuator moves the frame's base
// (Gálmez 2021, section 3.3; Zhu et al. 2014, section 4.2). With x the displacement of
// the base and y the displacements of the floors relative to the base
//
//	m_i (ÿ_i + ẍ) + Σ_j (c_ij ẏ_j + k_ij y_j) = 0
//	f = Σ_i m_i (ÿ_i + ẍ) = −Σ_ij (c_ij ẏ_j + k_ij y_j)                 (3.14)
//
// f is the reaction of the base, which resists the base's motion. The states are y and
// the absolute velocities w = ẏ + ẋ of the floors. The frame stands beside the structure,
// from which nothing is taken out.
//
// The table must make the absolute motion of the interface, ground motion included
// (scenario key interface_motion: absolute). With the motion relative to the ground the
// floors would miss the ground's acceleration. The similitude c_m c_a of a model's masses
// and accelerations is a gain of the force sensor. Not for frames that yield or rock.
type Frame struct {
	Masses       []float64 `yaml:"masses" doc:"floor masses from the bottom, kg"`
	Stiffnesses  []float64 `yaml:"stiffnesses" doc:"storey stiffnesses from the bottom, N/m"`
	DampingRatio float64   `yaml:"damping_ratio" doc:"damping ratio of all modes, 0 to below 1"`
	Mass         float64   `yaml:"mass" doc:"mass of the base, moved by the actuator, kg"`
}

// newFrame is the three-storey frame of Zhu et al. 2014: 2.6, 8.1 and 12.6 Hz and
// equal masses leave two shear chains, this is one of them; 2 % is an assumption.
func newFrame() *Frame {
	return &Frame{Masses: []float64{14.274, 14.274, 14.274}, Stiffnesses: []float64{15246, 29073, 28426},
		DampingRatio: 0.02}
}

// Make checks the parameters and assembles the frame.
func (p *Frame) Make() (Specimen, error) {
	n := len(p.Masses)
	if n == 0 || n > mostFloors || len(p.Stiffnesses) != n {
		return nil, fmt.Errorf("frame specimen: %d masses and %d stiffnesses: want one of each per floor, 1 to %d floors", n,
			len(p.Stiffnesses), mostFloors)
	}
	list := []quantity{{"mass", "kg", p.Mass, false}}
	for i := range n {
		list = append(list, quantity{fmt.Sprintf("masses[%d]", i+1), "kg", p.Masses[i], true},
			quantity{fmt.Sprintf("stiffnesses[%d]", i+1), "N/m", p.Stiffnesses[i], true})
	}
	if err := checkQuantities("frame", list...); err != nil {
		return nil, err
	}
	if !(p.DampingRatio >= 0 && p.DampingRatio < 1) {
		return nil, fmt.Errorf("frame specimen: damping_ratio %g: want 0 to below 1", p.DampingRatio)
	}
	f := &frame{n: n, base: p.Mass, masses: append([]float64(nil), p.Masses...), k: mat.NewDense(n, n, nil)}
	for i, s := range p.Stiffnesses {
		f.k.Set(i, i, f.k.At(i, i)+s)
		if i > 0 {
			f.k.Set(i-1, i-1, f.k.At(i-1, i-1)+s)
			f.k.Set(i, i-1, -s)
			f.k.Set(i-1, i, -s)
		}
	}
	return f, f.damp(p.DampingRatio)
}

// mostFloors keeps the eigenvalues of a frame small work.
const mostFloors = 100

type frame struct {
	n      int
	base   float64
	masses []float64
	k, c   *mat.Dense
	rate   float64 // fastest, 1/s
}

// damp makes C = M Φ diag(2ζω) Φᵀ M of the mass-normalised modes, which with
// Φ = M^−½ Y, Y the eigenvectors of M^−½ K M^−½, is M^½ Y diag(2ζω) Yᵀ M^½.
func (f *frame) damp(ratio float64) error {
	a := mat.NewSymDense(f.n, nil)
	for i := range f.n {
		for j := i; j < f.n; j++ {
			a.SetSym(i, j, f.k.At(i, j)/math.Sqrt(f.masses[i]*f.masses[j]))
		}
	}
	var e mat.EigenSym
	if !e.Factorize(a, true) {
		return errors.New(
			"frame specimen: the eigenvalue iteration did not converge: want masses and stiffnesses of a real frame")
	}
	var y mat.Dense
	e.VectorsTo(&y)
	f.c = mat.NewDense(f.n, f.n, nil)
	for mode, square := range e.Values(nil) {
		omega := math.Sqrt(max(square, 0))
		f.rate = max(f.rate, omega*(1+2*ratio))
		for i := range f.n {
			for j := range f.n {
				v := 2 * ratio * omega * y.At(i, mode) * y.At(j, mode) * math.Sqrt(f.masses[i]*f.masses[j])
				f.c.Set(i, j, f.c.At(i, j)+v)
			}
		}
	}
	return nil
}

func (f *frame) Mass() float64 { return f.base }
func (f *frame) States() int   { return 2 * f.n }

func (f *frame) Rate(dz, force, z []float64, m *rths.Motion) {
	y, w, v := z[:f.n], z[f.n:], m.V[0]
	force[0] = 0
	for i, mass := range f.masses {
		k, c := f.k.RawRowView(i), f.c.RawRowView(i)
		p := 0.0
		for j := range f.n {
			p += k[j]*y[j] + c[j]*(w[j]-v)
		}
		dz[i], dz[f.n+i] = w[i]-v, -p/mass
		force[0] -= p
	}
}

// Steepest is the first storey with all dashpots, and the highest mode.
func (f *frame) Steepest() (k, c, rate float64) {
	return mat.Sum(f.k), mat.Sum(f.c), f.rate
}

func (f *frame) form() (form, bool) {
	n := f.n
	out := form{m: f.base, c: mat.Sum(f.c), a: mat.NewDense(2*n, 2*n, nil), b: mat.NewDense(2*n, 2, nil),
		cz: make([]float64, 2*n)}
	for i, mass := range f.masses {
		out.a.Set(i, n+i, 1)
		out.b.Set(i, 1, -1)
		for j := range n {
			k, c := f.k.At(i, j), f.c.At(i, j)
			out.a.Set(n+i, j, -k/mass)
			out.a.Set(n+i, n+j, -c/mass)
			out.b.Set(n+i, 1, out.b.At(n+i, 1)+c/mass)
			out.cz[j] -= k
			out.cz[n+j] -= c
		}
	}
	return out, true
}
