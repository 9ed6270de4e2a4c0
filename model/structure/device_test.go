package structure

import (
	"testing"

	"gonum.org/v1/gonum/mat"

	"rths/kit/rthstest"
	"rths/model/device"
)

// Devices add their linear part to K and C between their ends; With takes it out again. The structure that they were
// fitted to stays as it was.
func TestFit(t *testing.T) {
	s := rthstest.Must((&Shear{Masses: []float64{1000, 900, 800}, Stiffnesses: []float64{4e5, 3e5, 2e5},
		Damping: Damping{ModalRatio: []float64{0.02}}}).Make())
	k, c := mat.DenseCopyOf(s.K), mat.DenseCopyOf(s.C)
	law := &device.Viscoelastic{K: 5e4, C: 700}
	f := rthstest.Must(s.Fit([]Device{{Number: 1, Up: 2, Down: 0, K: 5e4, C: 700, Law: law},
		{Number: 2, Up: 1, Down: -1, K: 3e4, Law: law}}))
	var more, moreC mat.Dense
	more.Sub(f.K, k)
	moreC.Sub(f.C, c)
	if want := mat.NewDense(3, 3, []float64{5e4, 0, -5e4, 0, 3e4, 0, -5e4, 0, 5e4}); !mat.EqualApprox(&more, want, 1e-9) {
		t.Errorf("K has %v more: want %v", more, want)
	}
	if want := mat.NewDense(3, 3, []float64{700, 0, -700, 0, 0, 0, -700, 0, 700}); !mat.EqualApprox(&moreC, want, 1e-9) {
		t.Errorf("C has %v more: want %v", moreC, want)
	}
	if !mat.Equal(s.K, k) || !mat.Equal(s.C, c) || len(s.Devices) != 0 || len(f.Devices) != 2 {
		t.Error("the structure without devices has changed")
	}
	rest := f.Undivided().With(func(*Device) (k, c float64) { return 0, 0 })
	if !mat.EqualApprox(rest.K, k, 1e-9) || !mat.EqualApprox(rest.C, c, 1e-9) || rest.Devices != nil {
		t.Errorf("without the linear part K is %v, C %v", rest.K, rest.C)
	}
	if again := rthstest.Must(f.Fit(nil)); again != f {
		t.Error("no devices: want the structure itself")
	}
	if d := f.Devices[0]; d.Name() != "device 1" || d.Deformation([]float64{1, 2, 5}) != 4 {
		t.Errorf("%s is deformed by %g", d.Name(), d.Deformation([]float64{1, 2, 5}))
	}
}

// Devices at degrees of freedom that are not there, and in a sparse structure, are refused.
func TestFitRefuses(t *testing.T) {
	s := rthstest.Must((&Shear{Masses: []float64{1000, 900}, Stiffnesses: []float64{4e5, 3e5}}).Make())
	law := &device.Viscoelastic{K: 1}
	for _, d := range []Device{{Up: 2, Down: 0}, {Up: 0, Down: 2}, {Up: 1, Down: 1}, {Up: -1, Down: 0}, {Up: 0, Down: -2}} {
		d.Number, d.Law = 7, law
		_, err := s.Fit([]Device{d})
		rthstest.WantError(t, err, "device 7 between degrees of freedom")
		rthstest.WantError(t, err, "want two of 0, the ground, and 1 to 2")
	}
	tall := &Structure{N: 5000, Sparse: &Sparse{}}
	_, err := tall.Fit([]Device{{Number: 1, Law: law}})
	rthstest.WantError(t, err, "5000 degrees of freedom is held as sparse matrices, whose steps are linear: for devices want shear, oscillator or "+
		"matrices, of at most 100")
}
