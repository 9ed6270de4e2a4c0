package learn

import (
	"fmt"
	"math"
	"testing"

	"rths"
	"rths/kit/rthstest"
	"rths/model/device"
	"rths/model/integrate"
	"rths/model/structure"
)

// standard are the parameters c and α of a damper, their standard deviations and covariance at some ticks, by
// kit/independent/learning.py.
var standard = map[int][]float64{
	0:    {12189.282215079969, 0.33348496324647725, 705.24755949009977, 0.033705186690042542, 15.270845673894229},
	9:    {12258.673193014134, 0.3290160001656946, 667.35652288304857, 0.029420972503837402, 18.95461671567103},
	99:   {12569.091232880393, 0.35179504176107623, 298.58985037829314, 0.011228359712686771, 3.2762561223229953},
	999:  {12585.724976321297, 0.35354527113731704, 52.325404299194354, 0.0021278055373638873, 0.10087645892135635},
	2999: {12539.15250391763, 0.35197656484749951, 34.267330796574996, 0.0014070938681031732, 0.040652592495995024},
}

// Of a law without states the filter is the standard form, as a program with numpy's matrices has it: to 1e-9, also
// where the bounds narrow the spread.
func TestFilterIsTheStandardForm(t *testing.T) {
	l := &device.Viscous{C: 1e4, Alpha: 0.4, V0: 1e-3}
	u := rthstest.Must(NewUKF(l, []device.Parameter{bounded("c", &l.C, 5e3, 3e4), bounded("alpha", &l.Alpha, 0.25, 0.44)},
		Settings{RateHz: 512, Noise: 300, PinnedS: 1e3}))
	truth, seen := device.Viscous{C: 1.25e4, Alpha: 0.35, V0: 1e-3}, 0
	for k := range 3000 {
		now, odd := float64(k)/512, float64(k)*float64(k)
		v := 0.2*math.Sin(3*now) + 0.15*math.Cos(11*now)
		u.Step(0, v, truth.Force(0, v, nil)+300*(math.Sin(1.7*odd)+math.Cos(0.3*odd)), false)
		want, ok := standard[k]
		if !ok {
			continue
		}
		seen++
		c, sdC := u.Value(0)
		alpha, sdAlpha := u.Value(1)
		for i, got := range []float64{c, alpha, sdC, sdAlpha, u.cov[1] * 1e4 * 0.4} {
			rthstest.Near(t, fmt.Sprintf("tick %d, number %d", k, i), got, want[i], 1e-9*math.Abs(want[i]))
		}
	}
	if seen != 5 {
		t.Errorf("%d ticks of 5", seen)
	}
}

// wholeRun are F_c, F_s (N), their standard deviations and covariance, and the displacements (m) of three floors with
// two LuGre devices that learn, at some ticks, by the same program.
var wholeRun = map[int][]float64{
	256: {987.7930774862695, 1377.9571961686433, 22.922369839789493, 40.42872310050309, -855.9141347038177,
		-0.002715483003140829, -0.0031906696521973392, -0.004515152338080493},
	600: {1024.1017408211048, 1340.6144198961256, 17.844858682899034, 29.21013490958816, -484.2015608097792,
		0.004428620632042756, 0.004442338066514063, 0.006687320202052385},
	1111: {1098.2185927958983, 1236.9317789927481, 5.472768057412735, 13.670135950294156, -59.728343256777684,
		-0.021907780578637674, -0.036668977350093314, -0.04001704023442758},
	1800: {1099.8858862561224, 1242.3406379613746, 3.4056302119161717, 9.439352888050664, -23.956849697161555,
		-0.01855633681632292, -0.030842916087893305, -0.041743206488534454},
}

// nearRun wants parameters, and displacements of up to 0.04 m, to 1e-9, and the covariance to 2e-8: ∂z/∂θ is a
// difference over 1e-6 of θ, whose rounding moves the covariance by 5e-9. (The exact ∂z/∂θ moves it by 7e-7, and
// parameters by 6e-8.)
func nearRun(t *testing.T, k int, got, want []float64) {
	t.Helper()
	if len(got) != 8 || len(want) != 8 {
		t.Fatalf("tick %d: %d numbers: want 8", k, len(got))
	}
	for i, w := range want {
		off := 1e-9 * math.Abs(w)
		if i >= 5 {
			off = 1e-9 * 0.04
		} else if i >= 2 {
			off = 2e-8 * math.Abs(w)
		}
		rthstest.Near(t, fmt.Sprintf("tick %d, number %d", k, i), got[i], w, off)
	}
}

// A whole run is that of the program: blocks, the state of the law at every sigma point, and the integrator whose
// devices have what was learned.
func TestRunIsThatOfTheProgram(t *testing.T) {
	const rate, block = 1024.0, 4
	law := &device.LuGre{Sigma0: 4e5, Sigma1: 2e3, Sigma2: 100, Fc: 800, Fs: 1000, Vs: 0.05}
	truth := *law
	truth.Fc, truth.Fs = 1100, 1250
	p := []device.Parameter{bounded("coulomb_force", &law.Fc, 400, 2500), bounded("static_force", &law.Fs, 500, 1500)}
	u := rthstest.Must(NewUKF(law, p, Settings{RateHz: rate / block, Noise: 25, StillBelow: 0.01, PinnedS: 1e3}))
	frame := rthstest.Must((&structure.Shear{
		Masses: []float64{1000, 900, 800}, Stiffnesses: []float64{4e5, 3e5, 2e5},
		Damping: structure.Damping{Matrix: structure.Rows([][]float64{{1100, -400, 0}, {-400, 900, -300}, {0, -300, 500}})},
	}).Make())
	part := rthstest.Must(rthstest.Must(frame.Fit([]structure.Device{
		{Number: 1, Up: 2, Down: 0, K: law.Sigma0, C: law.Sigma2, Law: law, Learned: p},
		{Number: 2, Up: 0, Down: 1, K: law.Sigma0, C: law.Sigma2, Law: law, Learned: p},
		{Number: 3, Up: 0, Down: -1, K: 1e4, Law: &device.Viscous{C: 3e3, Alpha: 0.4, V0: 5e-3, K: 1e4}},
	})).Divide(1, 0, 0, 0))
	central := rthstest.Must((&integrate.CentralDifference{}).Make(part, 1/rate))
	group := &Group{Name: "learn1", Number: 1, Parameters: p, Filter: u}
	in := rthstest.Must(NewIntegrator(central, []*Group{group}, 0, rate, block))
	felt, target, z, before, seen := rths.NewReading(1, 1), rths.NewMotion(1), make([]float64, 1), 0.0, 0
	in.UseReading(&felt)
	ground := func(t float64) float64 {
		return (1 - math.Exp(-4*t*t)) * (2*math.Sin(8.2*t) + 1.5*math.Sin(26*t+1))
	}
	for k := range 1801 {
		now, odd := float64(k)/rate, float64(k)*float64(k)
		x := 0.02*math.Sin(5*now)*math.Sin(0.7*now) + 0.006*math.Sin(13*now)
		v := (x - before) * rate
		truth.Flow(z, v, 1/rate, 1)
		before, felt.X[0] = x, x
		felt.F[0] = truth.Force(x, v, z) + 25*(math.Sin(1.7*odd)+math.Cos(0.3*odd))
		in.Step(&target, []float64{ground(now), ground(now + 0.5/rate), ground(now + 1/rate)}, &felt)
		want, ok := wholeRun[k]
		if !ok {
			continue
		}
		seen++
		fc, sdFc := u.Value(0)
		fs, sdFs := u.Value(1)
		got := []float64{fc, fs, sdFc, sdFs, u.Covariance(0, 1)}
		nearRun(t, k, append(got, central.(rths.NumericalState).State().X...), want)
	}
	if seen != len(wholeRun) {
		t.Errorf("%d ticks of %d", seen, len(wholeRun))
	}
}

func TestProgramOfTheFilter(t *testing.T) {
	got := rthstest.Independent(t, "learning.py")
	if len(got) != len(standard)+len(wholeRun) {
		t.Errorf("%d lines: want %d", len(got), len(standard)+len(wholeRun))
	}
	for k, want := range standard {
		rthstest.NearAll(t, fmt.Sprintf("tick %d, number", k), got[fmt.Sprint(k)], want, 1e-11)
	}
	for k, want := range wholeRun {
		nearRun(t, k, got[fmt.Sprintf("run-%d", k)], want)
	}
}
