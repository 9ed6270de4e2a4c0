package structure

import (
	"errors"
	"fmt"
	"math"

	"rths/model/device"
)

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
		s.Devices = append(s.Devices, Device{Storey: y.Storey, Up: y.Storey - 1, Down: y.Storey - 2,
			K: p.Stiffnesses[y.Storey-1], Law: law})
	}
	return nil
}

// law is the law of the storey.
func (y *YieldingStorey) law(stiffnesses []float64) (device.Law, error) {
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

func (b *BilinearStorey) law(k0 float64) (device.Law, error) {
	if err := checkYield(b.YieldDrift); err != nil {
		return nil, fmt.Errorf("bilinear: %w", err)
	}
	if !(b.PostYieldRatio >= 0 && b.PostYieldRatio <= 1) {
		return nil, fmt.Errorf("bilinear: post_yield_ratio %g: want 0 to 1", b.PostYieldRatio)
	}
	return &device.Bilinear{K0: k0, K2: b.PostYieldRatio * k0, Dy: b.YieldDrift}, nil
}

func (b *BoucWenStorey) law(k0 float64) (device.Law, error) {
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
