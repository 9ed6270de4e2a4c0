package compensate_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rths"
	"rths/method/compensate"
)

func kind(t *testing.T, name string) *compensate.KF {
	t.Helper()
	row, err := rths.Find(compensate.Kinds, name)
	if err != nil {
		t.Fatal(err)
	}
	return row.Defaults().(*compensate.KF)
}

// Paper 002 (8)–(10) without process noise is recursive least squares with a
// prior: x = (P0⁻¹ + ΣHᵀH/R)⁻¹ (P0⁻¹ x0 + ΣHᵀy/R), whatever the order of data.
func TestKFEqualsBatchLeastSquares(t *testing.T) {
	p := kind(t, "kf-literal")
	p.X0, p.QF, p.R = []float64{1, -0.5, 0.3, 0.2}, 1, 1 // R 1 mm²
	p.Spacing = 3
	c := made(t, p)
	const n, rr = 4, 1e-6
	normal, right := mat.NewSymDense(n, nil), mat.NewVecDense(n, nil)
	for i, x := range p.X0 {
		normal.SetSym(i, i, 1/(x*x))
		right.SetVec(i, x/(x*x))
	}
	r := rand.New(rand.NewPCG(3, 4))
	target, read, u := rths.NewMotion(1), rths.NewReading(1, 1), []float64{0}
	history := make([]float64, 3*p.Spacing+1)
	for range 500 {
		target.X[0], read.X[0] = 0.01*r.NormFloat64(), 0.01*r.NormFloat64()
		c.Step(u, &target, &read)
		history = append([]float64{read.X[0]}, history[:len(history)-1]...)
		h := mat.NewVecDense(n, []float64{history[0], history[3], history[6], history[9]})
		normal.SymRankOne(normal, 1/rr, h)
		right.AddScaledVec(right, u[0]/rr, h)
	}
	var want mat.VecDense
	if err := want.SolveVec(normal, right); err != nil {
		t.Fatal(err)
	}
	for i, x := range channels(c) {
		if math.Abs(x-want.AtVec(i)) > 1e-9*math.Abs(want.AtVec(i)) {
			t.Errorf("x%d = %.12g, batch least squares %.12g", i+1, x, want.AtVec(i))
		}
	}
}

// (15), (16): the command takes the same taps of the desired displacement,
// zero before the start; the Table-5 variant issues it a sample later.
func TestKFCommand(t *testing.T) {
	for extra := range 3 {
		p := kind(t, "kf-ning2020")
		p.Spacing, p.ExtraSamples = 2, extra
		c := made(t, p)
		target, read, u := rths.NewMotion(1), rths.NewReading(1, 1), []float64{0}
		var d []float64
		for k := range 12 {
			target.X[0] = 1e-6 * float64((k+1)*(k+1))
			d = append(d, target.X[0])
			c.Step(u, &target, &read)
			want := 0.0
			for i, x := range p.X0 {
				if at := k - extra - 2*i; at >= 0 {
					want += x * d[at]
				}
			}
			if math.Abs(u[0]-want) > 1e-15 {
				t.Errorf("extra %d: command of tick %d is %g, want %g", extra, k, u[0], want)
			}
		}
	}
}

// In quiet times the literal filter learns that the plant
// does not move, so the command dies; the recipe keeps its parameters.
func TestKFQuietTime(t *testing.T) {
	run := func(name string) []float64 {
		c := made(t, kind(t, name))
		r := rand.New(rand.NewPCG(5, 6))
		target, read, u := rths.NewMotion(1), rths.NewReading(1, 1), []float64{0}
		for k := range 5 * rate {
			target.X[0] = 1e-6 * math.Sin(float64(k)/200)
			read.X[0] = 16e-6 * r.NormFloat64()
			c.Step(u, &target, &read)
		}
		return channels(c)
	}
	norm := func(x []float64) (s float64) {
		for _, v := range x {
			s += math.Abs(v)
		}
		return s
	}
	start := norm(kind(t, "kf-ning2020").X0)
	if got := norm(run("kf-ning2020")); got != start {
		t.Errorf("the recipe's parameters went from %g to %g in a quiet time", start, got)
	}
	if got := norm(run("kf-literal")); got > 0.01*start {
		t.Errorf("the literal filter's parameters went from %g to %g only: expected a collapse", start, got)
	}
}

func TestKFBounds(t *testing.T) {
	p := kind(t, "kf-literal")
	p.Lower, p.Upper = []float64{5, -30, 5, -10}, []float64{15, -10, 20, 0}
	c := made(t, p)
	target, read, u := rths.NewMotion(1), rths.NewReading(1, 1), []float64{0}
	r := rand.New(rand.NewPCG(1, 2))
	touched := false
	for range 5000 {
		read.X[0] = 0.01 * r.NormFloat64()
		c.Step(u, &target, &read)
		for i, x := range channels(c) {
			if x < p.Lower[i] || x > p.Upper[i] {
				t.Fatalf("x%d = %g outside %g to %g", i+1, x, p.Lower[i], p.Upper[i])
			}
			touched = touched || x == p.Lower[i] || x == p.Upper[i]
		}
	}
	if !touched {
		t.Error("no bound was ever reached: the test shows nothing")
	}
}

func TestKFWrongInput(t *testing.T) {
	for _, tc := range []struct {
		change func(p *compensate.KF)
		want   string
	}{
		{func(p *compensate.KF) { p.X0 = nil }, "x0 is left out: the plant has no linear model"},
		{func(p *compensate.KF) { p.X0 = []float64{} }, "0 numbers in x0: want 1 to 4"},
		{func(p *compensate.KF) { p.R = 0 }, "r_mm2 0: want more than 0"},
		{func(p *compensate.KF) { p.Spacing = -1 }, "spacing -1 samples: want 1"},
		{func(p *compensate.KF) { p.FilterHz = 2048 }, "Nyquist"},
		{func(p *compensate.KF) { p.ExtraSamples = -1 }, "extra_samples -1"},
		{func(p *compensate.KF) { p.Lower = []float64{1} }, "1 numbers in lower: want 4"},
	} {
		p := kind(t, "kf-ning2020")
		tc.change(p)
		if _, err := p.Make(compensate.At{RateHz: rate}); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("error %v, want it to say %q", err, tc.want)
		}
	}
}

// One tap is a gain that adapts.
func TestKFOfOneTap(t *testing.T) {
	p := kind(t, "kf-ning2020")
	p.X0, p.Lower, p.Upper = []float64{1}, nil, nil
	if _, err := p.Make(compensate.At{RateHz: rate}); err != nil {
		t.Error(err)
	}
}

// Paper 002, eqs 18–21: when command and measurement are of the model, the
// function V = eᵀ P⁻¹ e of the estimate's error e never grows, and the loss of a
// step is (H e)² (H P Hᵀ + R)⁻¹.
func TestKFLyapunov(t *testing.T) {
	truth := []float64{1, -0.3, 0.1, 0.05}
	p := kind(t, "kf-literal")
	p.X0, p.QF, p.R = []float64{0.8, -0.1, 0.3, -0.2}, 2, 0.1
	c := made(t, p)
	target, read, u := rths.NewMotion(1), rths.NewReading(1, 1), []float64{0}
	r := rand.New(rand.NewPCG(3, 4))
	var d, m []float64 // newest first
	first, before := 0.0, math.Inf(1)
	for k := range 400 {
		target.X[0] = 0.01 * r.NormFloat64()
		d = append([]float64{target.X[0]}, d...)
		command, rest := 0.0, 0.0 // the command about to leave, and what the past makes of it
		for i, x := range channels(c) {
			if i < len(d) {
				command += x * d[i]
			}
			if i > 0 && i <= len(m) {
				rest += truth[i] * m[i-1]
			}
		}
		m = append([]float64{(command - rest) / truth[0]}, m...)
		read.X[0] = m[0]
		loss := 0.0
		if k > 0 {
			loss = predictedLoss(c, truth, m, p.R*1e-6)
		}
		c.Step(u, &target, &read)
		v := lyapunov(c, truth)
		if k == 0 {
			first, before = v, v
			continue
		}
		if math.Abs(before-loss-v) > 1e-6*first {
			t.Fatalf("tick %d: V went from %.9g to %.9g, eq. 21 says by %.9g", k, before, v, loss)
		}
		before = v
	}
	if before > 0.05*first {
		t.Errorf("V went from %.3g to %.3g only", first, before)
	}
}

// estimate is e = x − truth and P of the filter.
func estimate(c rths.Compensator, truth []float64) (e *mat.VecDense, p *mat.SymDense) {
	all := rths.AppendAdaptation(nil, c)
	e, p = mat.NewVecDense(4, nil), mat.NewSymDense(4, nil)
	next := all[4:]
	for i := range 4 {
		e.SetVec(i, all[i]-truth[i])
		for j := i; j < 4; j++ {
			p.SetSym(i, j, next[0])
			next = next[1:]
		}
	}
	return e, p
}

func lyapunov(c rths.Compensator, truth []float64) float64 {
	e, p := estimate(c, truth)
	var x mat.VecDense
	if err := x.SolveVec(p, e); err != nil {
		panic(err)
	}
	return mat.Dot(e, &x)
}

// predictedLoss is (H e)²/(H P Hᵀ + R) for the history m, newest first.
func predictedLoss(c rths.Compensator, truth, m []float64, r float64) float64 {
	e, p := estimate(c, truth)
	h := mat.NewVecDense(4, nil)
	for i := range min(4, len(m)) {
		h.SetVec(i, m[i])
	}
	he := mat.Dot(h, e)
	return he * he / (mat.Inner(h, p, h) + r)
}
