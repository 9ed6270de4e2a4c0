package structure

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"rths"
	"rths/model/device"
)

// Device acts between two degrees of freedom of a structure, or between one and the ground, by a law f(d, ḋ, z) of its
// deformation d = x[Up] − x[Down]. The matrices of the structure have its linear part K d + C ḋ, which is the law at
// rest: modes and stability are those of small motion. Integrators add the rest.
//
// A device with Storey is the storey of a shear frame itself: its law takes the place of the storey's stiffness. Others
// stand beside the structure.
type Device struct {
	Storey   int     // counted from 1; 0: a device beside the structure
	Number   int     // of a device beside the structure, counted from 1
	Up, Down int     // degrees of freedom from 0; Down −1: the ground
	K, C     float64 // linear part, N/m and N·s/m
	Law      device.Law
	Learned  []device.Parameter // of the law, which may change within their bounds
}

// Name is what people call it.
func (d *Device) Name() string {
	if d.Storey > 0 {
		return fmt.Sprintf("storey %d", d.Storey)
	}
	return fmt.Sprintf("device %d", d.Number)
}

// Err is why the law has failed; nil: it has not, or cannot. See rths.Failer.
func (d *Device) Err() error {
	if law, ok := d.Law.(rths.Failer); ok && law.Err() != nil {
		return fmt.Errorf("%s: %w", d.Name(), law.Err())
	}
	return nil
}

// Deformation is x[Up] − x[Down].
func (d *Device) Deformation(x []float64) float64 {
	if d.Down < 0 {
		return x[d.Up]
	}
	return x[d.Up] - x[d.Down]
}

// Along has the coefficients of the deformation over n degrees of freedom.
func (d *Device) Along(n int) []float64 {
	out := make([]float64, n)
	if out[d.Up] = 1; d.Down >= 0 {
		out[d.Down] = -1
	}
	return out
}

// Steepest is the largest stiffness and damping of the law, and the rate of its states, within the bounds of what is
// learned.
func (d *Device) Steepest() (k, c, rate float64) { return device.Steepest(d.Law, d.Learned) }

// add adds v between both degrees of freedom to a matrix.
func (d *Device) add(to *mat.Dense, v float64) {
	along := d.Along(to.RawMatrix().Rows)
	for i, a := range along {
		for j, b := range along {
			if a*b != 0 {
				to.Set(i, j, to.At(i, j)+v*a*b)
			}
		}
	}
}

// Memory is the states of devices and the paths along which they move.
type Memory struct {
	Paths []*device.Path
	Z     []float64   // of all
	Each  [][]float64 // of each: views of Z
}

// NewMemory is devices at rest, for steps of h (s).
func NewMemory(list []Device, h float64) (*Memory, error) {
	m, states := &Memory{}, 0
	for i := range list {
		d := &list[i]
		path, err := device.NewPath(d.Law, h, d.Learned...)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", d.Name(), err)
		}
		m.Paths, states = append(m.Paths, path), states+d.Law.States()
	}
	m.Hold(make([]float64, states))
	return m, nil
}

// Hold has the states in the slice given.
func (m *Memory) Hold(state []float64) {
	m.Z, m.Each = state, nil
	for _, p := range m.Paths {
		n := p.States()
		m.Each, state = append(m.Each, state[:n:n]), state[n:]
	}
}

// BackwardRate is the slope at the newest of three deformations h (s) apart, by differences of order 2.
func BackwardRate(d, d1, d2, h float64) float64 { return (3*d - 4*d1 + d2) / (2 * h) }

// Fit is the structure with devices beside it. Their linear parts enter K and C after the structure's own damping was
// made of its matrices: they do not change it.
func (s *Structure) Fit(list []Device) (*Structure, error) {
	if len(list) == 0 {
		return s, nil
	}
	if s.Sparse != nil {
		return nil, fmt.Errorf("a structure of %d degrees of freedom is held as sparse matrices, whose steps are linear: for "+
			"devices want shear, oscillator or matrices, of at most %d", s.N, DenseUpTo)
	}
	out := *s
	out.K, out.C = mat.DenseCopyOf(s.K), mat.DenseCopyOf(s.C)
	out.Devices = append([]Device(nil), s.Devices...)
	for i := range list {
		d := list[i]
		if d.Up < 0 || d.Up >= s.N || d.Down < -1 || d.Down >= s.N || d.Up == d.Down {
			return nil, fmt.Errorf("%s between degrees of freedom %d and %d: want two of 0, the ground, and 1 to %d", d.Name(),
				d.Down+1, d.Up+1, s.N)
		}
		d.add(out.K, d.K)
		d.add(out.C, d.C)
		out.Devices = append(out.Devices, d)
	}
	return &out, nil
}

// With is the partition without devices and yielding storeys, with a stiffness k (N/m) and a damping c (N·s/m) in the
// place of each.
func (p *Partition) With(linear func(d *Device) (k, c float64)) *Partition {
	out := *p
	out.Devices, out.K, out.C = nil, mat.DenseCopyOf(p.K), mat.DenseCopyOf(p.C)
	for i := range p.Devices {
		d := &p.Devices[i]
		k, c := linear(d)
		if k != d.K {
			d.add(out.K, k-d.K)
		}
		if c != d.C {
			d.add(out.C, c-d.C)
		}
	}
	return &out
}
