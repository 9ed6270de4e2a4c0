package plant

import (
	"fmt"
	"math"
	"math/cmplx"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rths"
	"rths/kit/rthstest"
	"rths/maths/lti"
)

// stepModel runs a model under held commands: at the end of each sample, with
// its command still on, the outputs. The delay must be whole samples.
func stepModel(t *testing.T, m Model, hz float64, u [][]float64) (y [][]float64) {
	t.Helper()
	d := rthstest.Must(lti.C2D(m.SS, 1/hz, lti.ZOH))
	late := int(math.Round(m.Delay(0) * hz))
	if math.Abs(m.Delay(0)*hz-float64(late)) > 1e-9 {
		t.Fatalf("a delay of %g samples", m.Delay(0)*hz)
	}
	n, inputs, _ := d.Dims()
	z := mat.NewVecDense(n, nil)
	for k := range u {
		on := mat.NewVecDense(inputs, nil)
		if k >= late {
			on = mat.NewVecDense(inputs, u[k-late])
		}
		var next, gamma, out, direct mat.VecDense
		next.MulVec(d.A, z)
		gamma.MulVec(d.B, on)
		z.AddVec(&next, &gamma)
		out.MulVec(d.C, z)
		direct.MulVec(d.D, on)
		out.AddVec(&out, &direct)
		y = append(y, out.RawVector().Data)
	}
	return y
}

func column(rows [][]float64, j int) (out []float64) {
	for _, row := range rows {
		out = append(out, row[j])
	}
	return out
}

func single(u []float64) (rows [][]float64) {
	for _, v := range u {
		rows = append(rows, []float64{v})
	}
	return rows
}

// The model of every row with every linear specimen, held, is the plant, step
// by step; a delay stays a delay. The hydraulic actuator is linear when idealised, in small motion.
func TestModelIsThePlant(t *testing.T) {
	const hz = 4000 // the defaults' delays are whole samples
	for name, s := range specimens(t) {
		sp, ok := formOf(s)
		if !ok {
			continue
		}
		for _, k := range withGains() {
			p := k.Defaults()
			m, err := p.(Modelled).Model(s)
			switch _, late := rthstest.Must(makeOn(k.Defaults(), s)).(*delayed); {
			case late && (sp.m > 0 || sp.c > 0 || sp.a != nil):
				rthstest.WantError(t, err, "mass or damping")
				continue
			case sp.m == 0 && err != nil:
				rthstest.WantError(t, err, "the specimen's mass is 0 kg")
				continue
			case err != nil:
				t.Errorf("%s with %s: %v", k.Name, name, err)
				continue
			case refused(p, s): // unstable: there is a model, but no plant
				continue
			}
			made, tolerance, u := rthstest.Must(p.Make(At{RateHz: hz, Specimen: s})), 1e-9, wander(60, 1500, 1e-3)
			if ideal, ok := made.(rths.Idealiser); ok { // linear in small motion, and integrated to so much
				ideal.Idealise(true)
				tolerance, u = 5e-5, wander(60, 1500, 1e-7)
			}
			got := drive(made, u)
			y := stepModel(t, m, hz, single(u))
			for i, c := range []struct {
				name string
				got  []float64
			}{{"x", got.x}, {"f", got.f}} {
				if d := apart(c.got, column(y, i)); !(d <= tolerance*peak(c.got)) {
					t.Errorf("%s with %s: %s of the plant and its model %.2g apart, largest %.2g", k.Name, name, c.name, d,
						peak(c.got))
				}
			}
		}
	}
}

// makeOn makes the plant with a specimen, or with another that it takes.
func makeOn(p TransferMaker, s Specimen) (Plant, error) {
	if refused(p, s) {
		s = &linear{m: 1, c: 1000}
	}
	return p.Make(At{RateHz: rate, Specimen: s})
}

// BareInverse is the inverse of the model without specimen: the product of both series
// is 1.
func TestBareModelIsBare(t *testing.T) {
	for _, k := range oneAxis() {
		m, err := k.Defaults().(Modelled).Model(nil)
		if err != nil {
			t.Errorf("%s: %v", k.Name, err)
			continue
		}
		if _, _, outputs := m.SS.Dims(); outputs != 1 {
			t.Errorf("%s: %d outputs: want the displacement only", k.Name, outputs)
		}
		c := rthstest.Must(k.Defaults().(Inverter).BareInverse(6))
		s := complex(0, 0.5)
		inverse := complex(0, 0)
		for i := len(c) - 1; i >= 0; i-- {
			inverse = inverse*s + complex(c[i], 0)
		}
		g := rthstest.Must(m.SS.At(s)).At(0, 0) * cmplx.Exp(-s*complex(m.Delay(0), 0))
		if d := cmplx.Abs(g*inverse - 1); !(d <= 1e-9) {
			t.Errorf("%s: model times inverse is 1 within %.2g", k.Name, d)
		}
	}
}

// With the benchmark's specimen the model is the closed form, and its force
// the specimen's.
func TestSilvaModelIsItsClosedForm(t *testing.T) {
	m := rthstest.Must((&silvaCode).Model(benchmarkSpecimen()))
	g := benchmarkTransfer(t)
	for _, hz := range []float64{0.1, 3.6, 20, 67, 200} {
		s := complex(0, 2*math.Pi*hz)
		y := rthstest.Must(m.SS.At(s))
		want := g.At(s)
		if d := cmplx.Abs(y.At(0, 0) - want); !(d <= 1e-9*cmplx.Abs(want)) {
			t.Errorf("x/u at %g Hz: %v, want %v", hz, y.At(0, 0), want)
		}
		want *= complex(specimenMass, 0)*s*s + complex(specimenDamping, 0)*s + complex(specimenStiffness, 0)
		if d := cmplx.Abs(y.At(1, 0) - want); !(d <= 1e-9*cmplx.Abs(want)) {
			t.Errorf("f/u at %g Hz: %v, want %v", hz, y.At(1, 0), want)
		}
	}
}

func TestModelErrors(t *testing.T) {
	for _, k := range oneAxis() {
		_, err := k.Defaults().(Modelled).Model(crushable{})
		rthstest.WantError(t, err, "no linear model with a specimen that is not linear")
	}
	for _, c := range []struct {
		p    Modelled
		want string
	}{
		{&SecondOrder{Omega: 0, DampingRatio: 0.8, Gain: 1}, "omega 0 rad/s"},
		{&SecondOrder{Omega: 50, DampingRatio: 0.8, Gain: math.NaN()}, "want a finite"},
		{&FirstOrder{TauMs: 0, Gain: 1}, "tau 0 ms"},
		{&Delay{DelayMs: -1}, "delay -1 ms"},
		{&Silva2020{Gain: math.NaN()}, "gain is NaN"},
	} {
		for _, s := range []Specimen{nil, &linear{m: 1, k: 1}} {
			_, err := c.p.Model(s)
			rthstest.WantError(t, err, c.want)
		}
	}
	_, err := (&silvaCode).Model(&linear{k: 1})
	rthstest.WantError(t, err, fmt.Sprintf("the specimen's mass is %g kg", 0.0))
}
