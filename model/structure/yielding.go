package structure

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"rths/model/device"
)

// Yielding is a storey of a structure whose restoring force follows a law: f(d) takes the
// place of k₀ d for the drift d = x[Up] − x[Down]. The stiffness matrix keeps k₀, the law's
// stiffness at rest: modes, damping and stability are those of small motion.
type Yielding struct {
	Storey   int // counted from 1
	Up, Down int // degrees of freedom of its floors, from 0; Down −1: the ground
	Law      device.Spring
}

// Drift is x[Up] − x[Down].
func (y *Yielding) Drift(x []float64) float64 {
	if y.Down < 0 {
		return x[y.Up]
	}
	return x[y.Up] - x[y.Down]
}

// Along has the coefficients of the drift over n degrees of freedom.
func (y *Yielding) Along(n int) []float64 {
	out := make([]float64, n)
	if out[y.Up] = 1; y.Down >= 0 {
		out[y.Down] = -1
	}
	return out
}

// add adds k between both floors to a stiffness matrix.
func (y *Yielding) add(to *mat.Dense, k float64) {
	along := y.Along(to.RawMatrix().Rows)
	for i, a := range along {
		for j, b := range along {
			if a*b != 0 {
				to.Set(i, j, to.At(i, j)+k*a*b)
			}
		}
	}
}

// With is the partition without yielding storeys, whose drifts meet springs of the
// stiffness k (N/m) in place of k₀.
func (p *Partition) With(k func(y *Yielding) float64) *Partition {
	out := *p
	out.Yielding, out.K = nil, mat.DenseCopyOf(p.K)
	for i := range p.Yielding {
		y := &p.Yielding[i]
		if change := k(y) - y.Law.Stiffness(); change != 0 {
			y.add(out.K, change)
		}
	}
	return &out
}

// YieldingStorey is a storey of a shear frame that yields. Its stiffness before yielding k₀
// is the one of stiffnesses.
type YieldingStorey struct {
	Storey   int             `yaml:"storey" doc:"number of the storey, from 1 at the bottom"`
	Bilinear *BilinearStorey `yaml:"bilinear,omitempty" doc:"law with kinematic hardening; want this or bouc_wen"`
	BoucWen  *BoucWenStorey  `yaml:"bouc_wen,omitempty" doc:"smooth law that may lose stiffness and strength, with a cubic spring beside it"`
}

// BilinearStorey is device.Bilinear of a storey.
type BilinearStorey struct {
	YieldDrift     float64 `yaml:"yield_drift" doc:"storey drift d_y at which the storey yields, m"`
	PostYieldRatio float64 `yaml:"post_yield_ratio" doc:"stiffness after yielding over that before, 0 to 1"`
}

// BoucWenStorey is device.BoucWen of a storey. Zero stands for the default of the
// exponent, and of η₁ and η₂ together.
type BoucWenStorey struct {
	YieldDrift     float64 `yaml:"yield_drift" doc:"storey drift d_y at which the hysteretic part would yield if it did so suddenly, m; its yield force is (1 − a) k₀ d_y"`
	PostYieldRatio float64 `yaml:"post_yield_ratio" doc:"stiffness far beyond yielding over that before, a, 0 to below 1"`
	Exponent       float64 `yaml:"exponent" doc:"sharpness of yielding N, 1 to 100; default 2"`
	Eta1           float64 `yaml:"eta1" doc:"shape of the loop η₁, -; default 0.5, if eta2 is left out too"`
	Eta2           float64 `yaml:"eta2" doc:"shape of the loop η₂, -; default 0.5, if eta1 is left out too"`
	Alpha          float64 `yaml:"alpha" doc:"degradation of stiffness α, 1/J"`
	Beta           float64 `yaml:"beta" doc:"degradation of strength β, 1/J"`
	Hardening      float64 `yaml:"hardening" doc:"cubic spring beside it k_h, N/m³"`
}

// yields makes the yielding storeys of the frame.
func (p *Shear) yields(s *Structure) error {
	seen := map[int]bool{}
	for i, y := range p.Yielding {
		law, err := y.law(p.Stiffnesses)
		switch {
		case err == nil && seen[y.Storey]:
			err = fmt.Errorf("storey %d is there twice: want one law for a storey", y.Storey)
		case err == nil && s.Sparse != nil:
			err = fmt.Errorf("a frame of %d floors is held as sparse matrices, whose steps are linear: want at most %d floors",
				s.N, DenseUpTo)
		}
		if err != nil {
			return fmt.Errorf("yielding[%d]: %w", i+1, err)
		}
		seen[y.Storey] = true
		s.Yielding = append(s.Yielding, Yielding{Storey: y.Storey, Up: y.Storey - 1, Down: y.Storey - 2, Law: law})
	}
	return nil
}

// law is the law of the storey.
func (y *YieldingStorey) law(stiffnesses []float64) (device.Spring, error) {
	if n := len(stiffnesses); y.Storey < 1 || y.Storey > n {
		return nil, fmt.Errorf("storey %d: want 1 to %d, counted from the bottom", y.Storey, n)
	}
	k0 := stiffnesses[y.Storey-1]
	switch {
	case y.Bilinear != nil && y.BoucWen == nil:
		return y.Bilinear.law(k0)
	case y.BoucWen != nil && y.Bilinear == nil:
		return y.BoucWen.law(k0)
	}
	return nil, fmt.Errorf("storey %d: want one of bilinear and bouc_wen, as in bilinear: {yield_drift: 0.01, "+
		"post_yield_ratio: 0.05}", y.Storey)
}

func (b *BilinearStorey) law(k0 float64) (device.Spring, error) {
	if err := checkYield(b.YieldDrift); err != nil {
		return nil, fmt.Errorf("bilinear: %w", err)
	}
	if !(b.PostYieldRatio >= 0 && b.PostYieldRatio <= 1) {
		return nil, fmt.Errorf("bilinear: post_yield_ratio %g: want 0 to 1", b.PostYieldRatio)
	}
	return &device.Bilinear{K0: k0, K2: b.PostYieldRatio * k0, Dy: b.YieldDrift}, nil
}

func (b *BoucWenStorey) law(k0 float64) (device.Spring, error) {
	l := &device.BoucWen{
		Ke: k0, A: b.PostYieldRatio, Fy: (1 - b.PostYieldRatio) * k0 * b.YieldDrift, N: b.Exponent,
		Eta1: b.Eta1, Eta2: b.Eta2, Alpha: b.Alpha, Beta: b.Beta, Kh: b.Hardening,
	}
	if l.N == 0 {
		l.N = 2
	}
	if l.Eta1 == 0 && l.Eta2 == 0 {
		l.Eta1, l.Eta2 = 0.5, 0.5
	}
	if err := errors.Join(checkYield(b.YieldDrift), b.check(l)); err != nil {
		return nil, fmt.Errorf("bouc_wen: %w", err)
	}
	return l, nil
}

func (b *BoucWenStorey) check(l *device.BoucWen) error {
	switch {
	case !(l.A >= 0 && l.A < 1):
		return fmt.Errorf("post_yield_ratio %g: want 0 to below 1", l.A)
	case !(l.N >= 1 && l.N <= 100):
		return fmt.Errorf("exponent %g: want 1 to 100", l.N)
	}
	for _, q := range []struct {
		key string
		v   float64
	}{{"eta1", l.Eta1}, {"eta2", l.Eta2}, {"alpha", l.Alpha}, {"beta", l.Beta}, {"hardening", l.Kh}} {
		if !(q.v >= 0) || math.IsInf(q.v, 1) {
			return fmt.Errorf("%s %g: want 0 or more", q.key, q.v)
		}
	}
	return nil
}

func checkYield(d float64) error {
	if !(d > 0) || math.IsInf(d, 1) {
		return fmt.Errorf("yield_drift %g m: want more than 0, such as 0.01", d)
	}
	return nil
}
