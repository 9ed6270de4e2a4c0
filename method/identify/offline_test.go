package identify

import (
	"fmt"
	"math"
	"math/cmplx"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rths/kit/rthstest"
	"rths/maths/lti"
)

// A test recorded from taps gives these taps back where the motion tells them: as a
// response up to some Hz.
func TestOfflineTestFindsTheInverse(t *testing.T) {
	of := Offline{RateHz: 1024, Lead: 1, Taps: 4}
	want := []float64{30, -55, 38, -12}
	var x, y []float64
	r := rand.New(rand.NewPCG(9, 9))
	position, speed := 0.0, 0.0
	for k := range 20 * 1024 {
		acceleration := 0.5*r.NormFloat64() - 200*position - 3*speed
		speed += acceleration / 1024
		position += speed / 1024
		x = append(x, position)
		u := 0.0
		for i, v := range want {
			if k >= i {
				u += v * x[k-i]
			}
		}
		y = append(y, u)
	}
	// The command of tick k belongs to the displacement of tick k + 1.
	theta, p0, err := of.Recorded(y[1:], x[:len(x)-1])
	if err != nil {
		t.Fatal(err)
	}
	if len(p0) != 16 || p0[1] != p0[4] {
		t.Errorf("P(0) %g: want a symmetric 4×4 matrix", p0)
	}
	response := func(theta []float64, hz float64) complex128 {
		sum := complex(0, 0)
		for i, v := range theta {
			sum += complex(v, 0) * cmplx.Exp(complex(0, -2*math.Pi*hz*float64(i)/1024))
		}
		return sum
	}
	// Where there is little motion the ridge takes something away.
	for hz, tol := range map[float64]float64{0.5: 1e-3, 2: 1e-3, 5: 1e-2} {
		if got, want := response(theta, hz), response(want, hz); cmplx.Abs(got-want) > tol*cmplx.Abs(want) {
			t.Errorf("%g Hz: %.5g, want %.5g", hz, got, want)
		}
	}
	if _, _, err := of.Recorded(y, x[1:]); err == nil {
		t.Error("lists of different lengths are accepted")
	}
	of.Taps = 0
	if _, _, err := of.Recorded(y, x); err == nil {
		t.Error("no taps are accepted")
	}
	of.Taps = 4
	if _, _, err := of.Recorded(make([]float64, 100), make([]float64, 100)); err == nil {
		t.Error("silence is fitted")
	}
}

// The calculated test has the spectrum of its motion: of a structure of 2 Hz and 10 % damping under white noise, or,
// where the numerical part is known, of this part on the soil of Kanai and Tajimi, 2.48 Hz and 60 %. Its lines are the
// middles of 200 equal parts of the band.
func TestCalculatedTestHasItsSpectrum(t *testing.T) {
	loop, err := lti.NewSS(mat.NewDense(1, 1, []float64{0.5}), mat.NewDense(1, 1, []float64{0.5}),
		mat.NewDense(1, 1, []float64{1}), mat.NewDense(1, 1, nil), 1./1024)
	if err != nil {
		t.Fatal(err)
	}
	var asked []float64
	known := Offline{RateHz: 1024, Taps: 2, Alone: func(hz float64) ([]complex128, error) {
		asked = append(asked, hz)
		return []complex128{2}, nil
	}}
	for _, hz := range []float64{0.1, 2, 2.4828, 7} {
		motion := func(o Offline) (x, gain float64) {
			of, y, err := o.motion(loop, hz)
			if err != nil {
				t.Fatal(err)
			}
			return cmplx.Abs(of[0]), cmplx.Abs(y[0] / of[0])
		}
		power := func(u, zeta, top float64) float64 { return (1 + top*u*u) / (math.Pow(1-u*u, 2) + 4*zeta*zeta*u*u) }
		z := cmplx.Exp(complex(0, 2*math.Pi*hz/1024))
		x, gain := motion(Offline{RateHz: 1024})
		rthstest.Near(t, "a structure of 2 Hz", x, math.Sqrt(power(hz/2, 0.1, 0)), 1e-9*x)
		rthstest.Near(t, "gain of the loop", gain, cmplx.Abs(0.5/(z-0.5)), 1e-12)
		u := hz / (15.6 / (2 * math.Pi))
		x, _ = motion(known)
		rthstest.Near(t, "twice the soil", x, 2*math.Sqrt(power(u, 0.6, 4*0.6*0.6)), 1e-9*x)
	}
	asked = nil
	if _, _, err := known.Calculated(loop); err != nil {
		t.Fatal(err)
	}
	width := asked[1] - asked[0]
	for l, hz := range asked {
		rthstest.Near(t, "a line, Hz", hz, (float64(l)+0.5)*width, 1e-9)
	}
	rthstest.Near(t, "the band, Hz", float64(len(asked))*width, offlineHz, 1e-9)
	if len(asked) != 200 {
		t.Errorf("%d lines: want 200", len(asked))
	}
}

// An actuator that does not move in the calculated test is told by its number.
func TestCalculatedTestOfAnActuatorThatStands(t *testing.T) {
	for stands := range 2 {
		c := []float64{0.5, 0, 0, 0.5}
		c[3*stands] = 0
		loop := lti.SS{
			A: mat.NewDense(2, 2, []float64{0.5, 0, 0, 0.5}), B: mat.NewDense(2, 2, []float64{1, 0, 0, 1}),
			C: mat.NewDense(2, 2, c), D: mat.NewDense(2, 2, nil), Dt: 1.0 / 1024,
		}
		_, _, err := Offline{RateHz: 1024, Taps: 2}.Calculated(loop)
		rthstest.WantError(t, err, fmt.Sprintf("actuator %d: the displacements do not move", stands+1))
	}
}
