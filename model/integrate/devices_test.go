package integrate

import (
	"fmt"
	"math"
	"math/cmplx"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rths"
	"rths/kit/rthstest"
	"rths/model/device"
	"rths/model/structure"
)

// deviceLaws are one of each kind, of some 2e5 N/m or 3e3 N.
func deviceLaws() map[string]device.Law {
	return map[string]device.Law{
		"viscous 0.4":  &device.Viscous{C: 3e3, Alpha: 0.4, V0: 5e-3, K: 1e4},
		"viscous 1.6":  &device.Viscous{C: 8e3, Alpha: 1.6},
		"viscoelastic": &device.Viscoelastic{K: 5e4, C: 2e3, Branches: []device.Branch{{K: 1e5, Rate: 8}, {K: 5e4, Rate: 60}}},
		"maxwell 0.6":  &device.Maxwell{K: 3e5, C: 5e3, Alpha: 0.6},
		"lugre":        &device.LuGre{Sigma0: 4e5, Sigma1: 2e3, Sigma2: 100, Fc: 2e3, Fs: 2.4e3, Vs: 0.05},
		"friction":     &device.Friction{K: 4e5, Mu: 0.2, N: 1e4},
		"stop":         &device.Stop{K: 2e5, Travel: 0.004, Gap: true, Hook: true},
		"bilinear":     &device.Bilinear{K0: 2e5, K2: 2e4, Dy: 0.005},
		"bouc-wen":     &device.Damped{Law: &device.BoucWen{Ke: 2e5, A: 0.1, Fy: 900, N: 2, Eta1: 0.5, Eta2: 0.5}, C: 300},
	}
}

// among is a device with its linear part.
func among(number, down, up int, law device.Law) structure.Device {
	d := structure.Device{Number: number, Up: up, Down: down, Law: law}
	d.K, d.C = law.AtRest()
	return d
}

// fitted is the frame of yieldingFrame with devices.
func fitted(t rthstest.TB, list ...structure.Device) *structure.Partition {
	t.Helper()
	return rthstest.Must(rthstest.Must(yieldingFrame(t).Whole.Fit(list)).Divide(0, 0, 0, 0))
}

// A device on the ground, one over a storey and one over two storeys: every method comes to the frame and the devices
// as Coupled integrates them, which knows nothing of matrices with a linear part.
func TestDevicesAgainstTheCoupledResponse(t *testing.T) {
	const rate, seconds, finer = 1024, 3, 8
	names := slices.Sorted(func(yield func(string) bool) {
		for name := range deviceLaws() {
			if !yield(name) {
				return
			}
		}
	})
	for i, name := range names {
		law := deviceLaws()[name]
		p := fitted(t, among(1, -1, 0, law), among(2, 0, 2, law), among(3, 1, 2, law))
		rest, elements := DeviceElements(p, nil)
		ref := rthstest.Must(NewCoupled(rest, elements, 1.0/rate))
		var want [][]float64
		for k := range seconds * rate {
			at := func(k int) float64 { return quake(float64(k) / rate) }
			ref.Step([]float64{at(k), (at(k) + at(k+1)) / 2, at(k + 1)})
			want = append(want, slices.Clone(ref.State().X))
		}
		for j, kind := range Kinds {
			if (i+j)%rthstest.Draws(3, 1) != 0 { // every law, and every method, is tried three times
				continue
			}
			h := 1.0 / rate / finer
			in, target, felt := must(t, kind.Defaults(), p, h), rths.NewMotion(1), rths.NewReading(1, 1)
			var got [][]float64
			between := linearBetween(rate)
			for k := range seconds * rate * finer {
				at := float64(k) * h
				in.Step(&target, []float64{between(at), between(at + h/2), between(at + h)}, &felt)
				if k%finer == 0 {
					got = append(got, slices.Clone(in.State().X))
				}
			}
			off := apart(got, want, 1)
			if t.Logf("%s, %s: %.2g of the peak", name, kind.Name, off); !(off < 3e-4) {
				t.Errorf("%s, %s: off by %.2g of the peak", name, kind.Name, off)
			}
		}
	}
}

// The error falls by 4 when the step is halved, for laws with a smooth force along a motion that keeps its direction.
func TestDevicesKeepTheOrder(t *testing.T) {
	const seconds, finest = 2, 16384
	for _, name := range []string{"viscous 1.6", "viscoelastic", "maxwell 0.6", "lugre"} {
		law := deviceLaws()[name]
		p := fitted(t, among(1, -1, 0, law), among(2, 0, 2, law))
		want := shake(must(t, &RK4{}, p, 1.0/finest), 1.0/finest, seconds*finest+1, pulling)
		for _, kind := range Kinds {
			if kind.Name == "rk4" { // compared with itself
				continue
			}
			off := func(rate int) float64 {
				return apart(shake(must(t, kind.Defaults(), p, 1/float64(rate)), 1/float64(rate), seconds*rate+1, pulling), want,
					finest/rate)
			}
			coarse, fine := off(512), off(1024)
			got := slope(coarse, fine)
			if t.Logf("%s, %s: %.3g and %.3g of the peak, order %.3f", name, kind.Name, coarse, fine, got); !(got > 1.85) {
				t.Errorf("%s, %s: order %.3f, errors %.3g and %.3g: want 2", name, kind.Name, got, coarse, fine)
			}
		}
	}
}

// A Maxwell damper on one mass has three roots, of λ³ + λ²/τ + (k + k₁)/m λ + k/(m τ) = 0: a mass released from rest
// follows their exponentials.
func TestMaxwellDeviceHasItsThreeRoots(t *testing.T) {
	const m, k, k1, rate1, h = 1000.0, 9e4, 6e4, 12.0, 1e-3
	s := mustStructure(t, &structure.Shear{Masses: []float64{m}, Stiffnesses: []float64{k},
		Damping: structure.Damping{ModalRatio: []float64{0}}})
	law := &device.Viscoelastic{Branches: []device.Branch{{K: k1, Rate: rate1}}}
	p := rthstest.Must(rthstest.Must(s.Fit([]structure.Device{among(1, -1, 0, law)})).Divide(0, 0, 0, 0))
	roots := cubic(rate1, (k+k1)/m, k/m*rate1)
	// x = Σ cᵢ e^(λᵢt) with x = x₀, ẋ = 0, ẍ = −k x₀/m.
	const x0 = 0.01
	a, b := mat.NewCDense(3, 3, nil), []complex128{x0, 0, -k / m * x0}
	for j, l := range roots {
		for i := range 3 {
			a.Set(i, j, cmplx.Pow(l, complex(float64(i), 0)))
		}
	}
	c := solve3(a, b)
	for _, kind := range Kinds {
		in := must(t, kind.Defaults(), p, h)
		start, ok := in.(Starter)
		if !ok {
			continue
		}
		if err := start.Start([]float64{x0}, []float64{0}); err != nil {
			t.Fatal(err)
		}
		x := shake(in, h, 1500, func(float64) float64 { return 0 })
		worst := 0.0
		for step, got := range x {
			want := 0i
			for j, l := range roots {
				want += c[j] * cmplx.Exp(l*complex(float64(step)*h, 0))
			}
			worst = max(worst, math.Abs(got[0]-real(want))/x0)
		}
		if t.Logf("%s: %.2g of the release", kind.Name, worst); !(worst < 2e-3) {
			t.Errorf("%s: off by %.2g of the release", kind.Name, worst)
		}
	}
}

// cubic has the roots of λ³ + a λ² + b λ + c.
func cubic(a, b, c float64) [3]complex128 {
	z := [3]complex128{1, 0.4 + 0.9i, cmplx.Pow(0.4+0.9i, 2)}
	for i := range z {
		z[i] *= complex(math.Sqrt(b), 0)
	}
	for range 200 { // Durand and Kerner
		for i, x := range z {
			q := 1 + 0i
			for j, y := range z {
				if j != i {
					q *= x - y
				}
			}
			z[i] -= (((x+complex(a, 0))*x+complex(b, 0))*x + complex(c, 0)) / q
		}
	}
	return z
}

// solve3 solves three equations by Cramer's rule.
func solve3(a *mat.CDense, b []complex128) (x [3]complex128) {
	det := func(column int) complex128 {
		at := func(i, j int) complex128 {
			if j == column {
				return b[i]
			}
			return a.At(i, j)
		}
		return at(0, 0)*(at(1, 1)*at(2, 2)-at(1, 2)*at(2, 1)) - at(0, 1)*(at(1, 0)*at(2, 2)-at(1, 2)*at(2, 0)) +
			at(0, 2)*(at(1, 0)*at(2, 1)-at(1, 1)*at(2, 0))
	}
	for i := range x {
		x[i] = det(i) / det(-1)
	}
	return x
}

// damping is a dashpot that the matrices do not have.
type damping struct{ c float64 }

func (l damping) States() int                             { return 0 }
func (l damping) Force(_, v float64, _ []float64) float64 { return l.c * v }
func (l damping) Rate(_, _ []float64, _ float64)          {}
func (l damping) Commit([]float64, float64)               {}
func (l damping) AtRest() (k, c float64)                  { return 0, 0 }
func (l damping) Steepest() (k, c, rate float64)          { return 0, l.c, 0 }
func (l damping) Stored(float64, []float64) float64       { return 0 }

// silent does not say how much it damps.
type silent struct{ device.Law }

func (l silent) Steepest() (k, c, rate float64) { return 0, 0, 0 }

// Damping beyond the matrices is stable up to 4 M/h² = K + 4 c/h, of Gui-λ up to 4 M/h² + 4 K/λ: below, the spectral
// radius is 1 at most, beyond it the integrator is refused. KR-α finds its limit by its own radius. Average acceleration
// has no limit.
func TestDampingThatBreaksExplicitSteps(t *testing.T) {
	const h, omega = 0.01, 0.8
	for _, kind := range Kinds {
		refused := 0
		for _, part := range []float64{0.3, 0.98, 1.02, 4} {
			p := sdof(omega/h, 0.0)
			m, k := p.M.At(0, 0), p.K.At(0, 0)
			limit := (4*m/(h*h) - k) * h / 4
			if g, ok := kind.Defaults().(*Gui); ok {
				limit += k * h / g.Lambda
			} else if kind.Name == "cr" {
				limit += k * h / 4
			}
			p.Devices = []structure.Device{{Number: 1, Up: 0, Down: -1, Law: damping{part * limit}}}
			_, err := kind.Defaults().Make(p, h)
			if err != nil {
				refused++
				if !strings.Contains(err.Error(), "device 1 with a damping of up to") {
					t.Errorf("%s: %v", kind.Name, err)
				}
			}
			p.Devices[0].Law = silent{p.Devices[0].Law}
			in, failed := kind.Defaults().Make(p, h)
			if failed != nil {
				t.Fatal(failed)
			}
			r := radius(t, iteration(in.(integrator), p))
			if t.Logf("%s, %g of the limit: radius %.4f, %v", kind.Name, part, r, err); (r > 1+1e-6) != (err != nil) {
				t.Errorf("%s, %g of the limit: radius %g, %v", kind.Name, part, r, err)
			}
		}
		if want := kind.Name != "average-acceleration"; (refused > 0) != want {
			t.Errorf("%s: %d of 4 refused", kind.Name, refused)
		}
	}
}

// What is shown balances the forces at t_k, with every law. An explicit method has the rate of a device by backward
// differences.
func TestDeviceForcesBalance(t *testing.T) {
	const rate = 512
	for name, law := range deviceLaws() {
		p := fitted(t, among(1, -1, 0, law), among(2, 0, 2, law))
		for _, kind := range Kinds {
			in, target, felt := must(t, kind.Defaults(), p, 1.0/rate), rths.NewMotion(1), rths.NewReading(1, 1)
			_, explicit := in.(*deviceStep)
			past, worst, most := make([][2]float64, 2), 0.0, 0.0
			for k := range rate {
				at := float64(k) / rate
				felt.F[0] = 500 * math.Sin(17*at)
				in.Step(&target, []float64{quake(at), quake(at + 0.5/rate), quake(at + 1.0/rate)}, &felt)
				derive(in, &target)
				s := in.State()
				rest := combine([]float64{1, 1, 1, 1}, times(p.M, s.A), times(p.C, s.V), times(p.K, s.X),
					pull(p, []float64{quake(at)}, felt.F))
				for i := range p.Devices {
					d, c := &p.Devices[i], in.(rths.Channeler).Channels()[2*i:]
					x, v := d.Deformation(s.X), d.Deformation(s.V)
					if explicit {
						v = (3*x - 4*past[i][0] + past[i][1]) * rate / 2
					}
					past[i] = [2]float64{x, past[i][0]}
					rthstest.Near(t, "deformation shown", *c[0].V, x, 1e-15)
					for dof, a := range d.Along(3) {
						rest[dof] += a * (*c[1].V - d.K*x - d.C*v)
					}
				}
				worst, most = max(worst, largest(rest)), max(most, largest(times(p.K, s.X)))
			}
			if !(worst <= 1e-9*most) {
				t.Errorf("%s, %s: forces are out of balance by %.2g of the largest", name, kind.Name, worst/most)
			}
		}
	}
}

// A released frame begins with its devices as they were brought there: what relaxes has settled, what slides has slid.
func TestDevicesStart(t *testing.T) {
	laws := deviceLaws()
	p := fitted(t, among(1, -1, 0, laws["viscoelastic"]), among(2, 0, 2, laws["friction"]), among(3, 1, 2, laws["stop"]))
	x0 := []float64{0.006, 0.010, 0.020} // deformations 6, 14 and 10 mm
	for _, kind := range Kinds {
		in, ok := must(t, kind.Defaults(), p, 1.0/1024).(Starter)
		if !ok {
			continue
		}
		if err := in.Start(x0, []float64{0}); err != nil {
			t.Fatal(err)
		}
		target := rths.NewMotion(1)
		in.(rths.Integrator).Step(&target, []float64{0, 0, 0}, &rths.Reading{F: []float64{0}})
		c := in.(rths.Channeler).Channels()
		for i, want := range []float64{5e4 * 0.006, 2e3, 2e5 * 0.006} {
			rthstest.Near(t, fmt.Sprintf("%s: device %d", kind.Name, i+1), *c[2*i+1].V, want, 1e-6*want)
		}
		if c[0].Name != "device1_deformation_m" || c[3].Name != "device2_force_N" || c[3].Floor != 2 {
			t.Errorf("channels %q, %q", c[0].Name, c[3].Name)
		}
	}
}

// Idealised devices have the law at rest with its numbers of the moment, though the matrices have others.
func TestIdealisedDeviceThatHasLearned(t *testing.T) {
	const h = 1.0 / 1024
	law := &device.Viscoelastic{K: 1e5, C: 500}
	d := among(1, 0, 1, law)
	d.Learned = []device.Parameter{{Name: "stiffness", V: &law.K, Low: 5e4, High: 3e5}}
	p := fitted(t, d)
	for _, kind := range Kinds {
		in := must(t, kind.Defaults(), p, h)
		in.(rths.Idealiser).Idealise(true)
		law.K = 2.5e5
		x := shake(in, h, 1024, quake)
		law.K = 1e5
		other := fitted(t, among(1, 0, 1, &device.Viscoelastic{K: 2.5e5, C: 500}))
		if off := apart(x, shake(must(t, kind.Defaults(), other, h), h, 1024, quake), 1); !(off < 1e-3) {
			t.Errorf("%s: off by %g", kind.Name, off)
		}
		if off := apart(x, shake(must(t, kind.Defaults(), p, h), h, 1024, quake), 1); !(off > 0.05) {
			t.Errorf("%s: the stiffness of the moment does nothing", kind.Name)
		}
	}
}

// BenchmarkDevices is a step of 40 storeys with a device in each, beside that of the frame alone.
func BenchmarkDevices(b *testing.B) {
	masses, stiffnesses := make([]float64, 40), make([]float64, 40)
	for i := range masses {
		masses[i], stiffnesses[i] = 1e4, 2e7
	}
	s := mustStructure(b, &structure.Shear{Masses: masses, Stiffnesses: stiffnesses,
		Damping: structure.Damping{ModalRatio: []float64{0.02}}})
	for name, law := range map[string]device.Law{
		"none": nil, "lugre": deviceLaws()["lugre"], "bouc-wen": deviceLaws()["bouc-wen"],
	} {
		var list []structure.Device
		for i := range masses {
			if law != nil {
				list = append(list, among(i+1, i-1, i, law))
			}
		}
		p := rthstest.Must(rthstest.Must(s.Fit(list)).Divide(0, 0, 0, 0))
		in, target, felt := must(b, &CR{}, p, 1.0/1024), rths.NewMotion(1), rths.NewReading(1, 1)
		ground, k := make([]float64, 3), 0
		b.Run(name, func(b *testing.B) {
			for range b.N {
				ground[0] = quake(float64(k%8192) / 1024)
				in.Step(&target, ground, &felt)
				k++
			}
		})
	}
}
