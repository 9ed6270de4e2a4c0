package integrate

import (
	"math"
	"math/cmplx"
	"testing"

	"rths/kit/rthstest"
	"rths/model/structure"
)

// Closed forms of x″ + 2ζω x′ + ω² x = load from rest, ζ < 1 (A.K. Chopra,
// Dynamics of Structures, ch. 3 and 4). The ground pushes with −a_g.

// afterJump is the response to a load of 1 from t = 0 on.
func afterJump(omega, zeta, t float64) float64 {
	wd := omega * math.Sqrt(1-zeta*zeta)
	s, c := math.Sincos(wd * t)
	return (1 - math.Exp(-zeta*omega*t)*(c+zeta*omega/wd*s)) / (omega * omega)
}

// afterRamp is displacement and velocity under the load t.
func afterRamp(omega, zeta, t float64) (x, v float64) {
	wd := omega * math.Sqrt(1-zeta*zeta)
	s, c := math.Sincos(wd * t)
	e := math.Exp(-zeta * omega * t)
	x = (t - 2*zeta/omega + e*(2*zeta/omega*c+(2*zeta*zeta-1)/wd*s)) / (omega * omega)
	return x, afterJump(omega, zeta, t) // the load's derivative is the jump
}

// afterSine is the response to sin Ωt: the steady state plus the free
// vibration that starts it from rest.
func afterSine(omega, zeta, drive, t float64) float64 {
	wd := omega * math.Sqrt(1-zeta*zeta)
	gain := 1 / complex(omega*omega-drive*drive, 2*zeta*omega*drive)
	steady := func(t float64) float64 { return imag(gain * cmplx.Exp(complex(0, drive*t))) }
	a := -steady(0)
	b := (-drive*real(gain) + zeta*omega*a) / wd
	s, c := math.Sincos(wd * t)
	return steady(t) + math.Exp(-zeta*omega*t)*(a*c+b*s)
}

// The closed forms satisfy their equation, by differences, and start at rest.
func TestClosedForms(t *testing.T) {
	const omega, zeta, drive, d = 7.0, 0.1, 11.0, 1e-4
	for name, c := range map[string]struct{ x, load func(t float64) float64 }{
		"jump": {func(t float64) float64 { return afterJump(omega, zeta, t) }, func(float64) float64 { return 1 }},
		"ramp": {func(t float64) float64 { x, _ := afterRamp(omega, zeta, t); return x },
			func(t float64) float64 { return t }},
		"sine": {func(t float64) float64 { return afterSine(omega, zeta, drive, t) },
			func(t float64) float64 { return math.Sin(drive * t) }},
	} {
		rthstest.Near(t, name+" at 0", c.x(0), 0, 1e-16)
		rthstest.Near(t, name+" just after 0", c.x(d), 0, d*d)
		for _, at := range []float64{0.05, 0.3, 1} {
			v := (c.x(at+d) - c.x(at-d)) / (2 * d)
			a := (c.x(at+d) - 2*c.x(at) + c.x(at-d)) / (d * d)
			rthstest.Near(t, name+": load", a+2*zeta*omega*v+omega*omega*c.x(at), c.load(at), 1e-5)
		}
	}
}

// sineResponse is a classically damped structure under the ground acceleration
// sin Ωt, by modal superposition: all DOF at steps of h.
func sineResponse(t rthstest.TB, p *structure.Partition, drive, h float64, steps int) (x [][]float64) {
	t.Helper()
	modes, err := p.Whole.Modes()
	if err != nil {
		t.Fatalf("%v", err)
	}
	x = make([][]float64, steps)
	for k := range x {
		x[k] = make([]float64, p.N())
		for _, m := range modes {
			share := 0.0 // φᵀ M Γ
			for i, v := range m.Shape {
				share += v * p.Load.At(i, 0)
			}
			q := -share * afterSine(m.Omega, m.Ratio, drive, float64(k)*h)
			for i, v := range m.Shape {
				x[k][i] += v * q
			}
		}
	}
	return x
}

// wantOrder compares a method with the closed form of a three-storey frame
// under sin Ωt at three steps and wants the error to fall with the given order.
func wantOrder(t *testing.T, m Maker, order float64) {
	t.Helper()
	const drive, coarse, duration = 9.0, 1.0 / 512, 2.0
	p := shearFrame(t, 3)
	var errs []float64
	for _, every := range []int{1, 2, 4} {
		h := coarse / float64(every)
		all := shake(must(t, m, p, h), h, int(duration/h), func(t float64) float64 { return math.Sin(drive * t) })
		var common [][]float64
		for k := 0; k < len(all); k += every {
			common = append(common, all[k])
		}
		errs = append(errs, rms(common, sineResponse(t, p, drive, coarse, len(common))))
	}
	rthstest.Near(t, "order from h to h/2", slope(errs[0], errs[1]), order, 0.05)
	rthstest.Near(t, "order from h/2 to h/4", slope(errs[1], errs[2]), order, 0.05)
}
