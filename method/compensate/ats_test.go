package compensate

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rths"
	"rths/maths/signal"
)

// wander is a motion of some mm below 1 Hz, at tick k of 4096 Hz, risen from rest
// over two seconds.
func wander(k int) float64 {
	s := float64(k) / 4096
	r := min(s/2, 1)
	return r * r * r * (10 - r*(15-6*r)) * wave(s)
}

func wave(s float64) float64 {
	return 0.003*math.Sin(2*math.Pi*0.31*s) + 0.002*math.Sin(2*math.Pi*0.53*s+1) + 0.001*math.Sin(2*math.Pi*0.83*s)
}

// followLate has a compensator move the plant A·x(t − τ), τ in samples, and says
// by how much it misses its target in the second half.
func followLate(c rths.Compensator, gain float64, samples, n, lead int) (missed float64) {
	target, read, u := rths.NewMotion(1), rths.NewReading(1, 1), []float64{0}
	line := signal.NewLine(samples + 1)
	for k := range n {
		target.X[0] = wander(k + lead)
		read.X[0] = gain * line.At(max(samples-1, 0)) // of commands to the last tick
		if k > n/2 {
			missed = max(missed, math.Abs(read.X[0]-wander(k)))
		}
		c.Step(u, &target, &read)
		line.Push(u[0])
	}
	return missed
}

// Chae et al. 2013: of a plant A·x(t − τ) the coefficients are a₀ = 1/A,
// a₁ = τ/A, a₂ = τ²/2A. The delay of 20 ms counts from the instant the command
// aims at. Backward differences lag by half a sample, and a₂ takes up
// τh/2A of it; terms beyond a₂ are some 0.2 % of a₁ at these frequencies.
func TestTimeSeriesFindDelayAndGain(t *testing.T) {
	const h, gain, samples = 1.0 / 4096, 0.97, 82
	ats := galmezATS()
	ats.Window = 5
	cats := galmezCATS()
	cats.P0 = []float64{1e10, 4e6, 70} // a hundred times the default: these motions are slow
	for name, m := range map[string]Maker{"ats": ats, "cats": cats} {
		for lead := range 2 {
			c, err := m.Make(At{RateHz: 4096, Lead: lead})
			if err != nil {
				t.Fatal(err)
			}
			missed := followLate(c, gain, samples, 20*4096, lead)
			tau := float64(samples-lead) * h
			for i, want := range []float64{1 / gain, tau / gain, (tau*tau + tau*h) / 2 / gain} {
				got := *c.(rths.Channeler).Channels()[i].V
				if tol := []float64{1e-3, 5e-3, 2e-2}[i]; math.Abs(got-want) > tol*want {
					t.Errorf("%s, lead %d: a%d = %.6g, want %.6g within %g", name, lead, i, got, want, tol)
				}
			}
			if missed > 5e-6 {
				t.Errorf("%s, lead %d: misses the target of 5 mm by %.2g m, want less than 5 µm", name, lead, missed)
			}
		}
	}
}

// The moving window is least squares over the rows it holds, also after it has
// been filled many times over.
func TestWindowIsLeastSquares(t *testing.T) {
	const n, size = 3, 50
	r := rand.New(rand.NewPCG(1, 2))
	w := newWindow(n, size)
	var rows [][]float64
	for k := range 1000 + 17 {
		row := []float64{1e-3 * r.NormFloat64(), 0.1 * r.NormFloat64(), 5 * r.NormFloat64(), 1e-3 * r.NormFloat64()}
		w.add(row[:n], row[n])
		rows = append(rows, row)
		if k != 30 && k != 49 && k != 50 && k != 1016 {
			continue
		}
		held := rows[max(0, len(rows)-size):]
		x, u := mat.NewDense(len(held), n, nil), mat.NewVecDense(len(held), nil)
		for i, row := range held {
			x.SetRow(i, row[:n])
			u.SetVec(i, row[n])
		}
		var want mat.VecDense
		if err := want.SolveVec(x, u); err != nil {
			t.Fatal(err)
		}
		got, ok := w.fit()
		if !ok {
			t.Fatalf("row %d: no fit", k)
		}
		for i := range n {
			if math.Abs(got[i]-want.AtVec(i)) > 1e-9*math.Abs(want.AtVec(i)) {
				t.Errorf("row %d: a%d = %.12g, want %.12g", k, i, got[i], want.AtVec(i))
			}
		}
	}
}

// A row that no sum can hold is left out; columns that are the same have no fit.
func TestWindowWithoutFit(t *testing.T) {
	w := newWindow(2, 4)
	for k := range 8 {
		v := float64(k)
		w.add([]float64{v, 2 * v}, v)
	}
	if a, ok := w.fit(); ok {
		t.Errorf("equal columns: fit %v", a)
	}
	before := w.sum
	for _, bad := range []float64{math.NaN(), math.Inf(1), 1e200} {
		w.add([]float64{bad, 1}, 1)
		w.add([]float64{1, 1}, bad)
	}
	if w.sum != before {
		t.Error("a row beyond all sums was taken")
	}
}

// Coefficients keep within bounds and change no faster than told.
func TestATSBoundsAndRates(t *testing.T) {
	m := galmezATS()
	m.SuspendBelow, m.MaxRate = 0, []float64{1, 0.1, 0.01}
	m.Lower, m.Upper = []float64{0.95, 0.01, 0}, []float64{1.05, 0.03, 2e-4}
	made, err := m.Make(At{RateHz: 4096})
	if err != nil {
		t.Fatal(err)
	}
	c := made.(*ats)
	target, read, u := rths.NewMotion(1), rths.NewReading(1, 1), []float64{0}
	r := rand.New(rand.NewPCG(1, 1))
	atBound, atRate := false, false
	for range 3 * 4096 {
		before := c.a
		target.X[0], read.X[0] = 0.01*r.NormFloat64(), 0.01*r.NormFloat64()
		c.Step(u, &target, &read)
		for i := range c.n {
			if c.a[i] < m.Lower[i] || c.a[i] > m.Upper[i] {
				t.Fatalf("a%d = %g outside %g to %g", i, c.a[i], m.Lower[i], m.Upper[i])
			}
			change, most := math.Abs(c.a[i]-before[i]), m.MaxRate[i]/4096
			if change > most*(1+1e-9) {
				t.Fatalf("a%d changed by %g in a sample, at most %g allowed", i, change, most)
			}
			atBound = atBound || c.a[i] == m.Lower[i]
			atRate = atRate || change > 0.999*most
		}
	}
	if !atBound || !atRate {
		t.Error("no bound or no rate was ever reached: the test shows nothing")
	}
}

// Conditions: a small measurement or a small tracking error moves nothing.
func TestCATSConditions(t *testing.T) {
	for _, tc := range []struct {
		suspend, good float64
		moves         bool
	}{{0, 0, true}, {0.01, 0, false}, {0, 0.01, false}} {
		m := galmezCATS()
		m.SuspendBelow, m.ErrorBelow = tc.suspend, tc.good
		c, err := m.Make(At{RateHz: 4096})
		if err != nil {
			t.Fatal(err)
		}
		before := rths.AppendAdaptation(nil, c.(*cats))
		followLate(c, 0.97, 82, 4096, 0)
		moved := false
		for i, v := range rths.AppendAdaptation(nil, c.(*cats)) {
			moved = moved || v != before[i]
		}
		if moved != tc.moves {
			t.Errorf("suspend_below_m %g, error_below_m %g: moved %v, want %v", tc.suspend, tc.good, moved, tc.moves)
		}
	}
}

// With suspend_rms_m a waits while the window is quiet, and its samples count all the
// same: of a motion that has root mean square r a limit of 0.9 r lets a move, one of
// 1.1 r does not.
func TestATSWaitsWhileTheWindowIsQuiet(t *testing.T) {
	for _, tc := range []struct {
		share float64
		moves bool
	}{{0.9, true}, {1.1, false}} {
		m := galmezATS()
		m.SuspendBelow = 0
		m.Window, m.SuspendRMS = 0.5, tc.share*0.01
		c, err := m.Make(At{RateHz: 1024})
		if err != nil {
			t.Fatal(err)
		}
		before := append([]float64(nil), c.(*ats).a[:c.(*ats).n]...)
		command, target, read := make([]float64, 1), rths.NewMotion(1), rths.NewReading(1, 1)
		for k := range 4096 {
			target.X[0] = 0.01 * math.Sqrt2 * math.Sin(2*math.Pi*2*float64(k)/1024) // whole periods in a window
			read.X[0] = target.X[0]
			c.Step(command, &target, &read)
		}
		if moved := !slices.Equal(before, c.(*ats).a[:c.(*ats).n]); moved != tc.moves {
			t.Errorf("limit of %g times the motion's: moved %v, want %v", tc.share, moved, tc.moves)
		}
	}
}

func TestTimeSeriesWrongInput(t *testing.T) {
	for _, tc := range []struct {
		change func(a *ATS, c *CATS)
		want   string
	}{
		{func(a *ATS, c *CATS) { a.Order, c.Order = 4, 4 }, "order 4: want 1 to 3"},
		{func(a *ATS, c *CATS) { a.A, c.A = []float64{1}, []float64{1} }, "1 numbers in a: want "},
		{func(a *ATS, c *CATS) { a.Initial, c.Initial = "guess", "guess" }, `initial "guess"`},
		{func(a *ATS, c *CATS) { a.SuspendBelow, c.SuspendBelow = -1, -1 }, "suspend_below_m -1: want 0 or more"},
		{func(a *ATS, c *CATS) { a.SuspendRMS, c.ErrorBelow = -1, -1 }, "want 0 or more"},
		{func(a *ATS, c *CATS) { a.Window, c.ErrorBelow = 0, -1 }, "want "},
		{func(a *ATS, c *CATS) { a.Window, c.Forgetting = math.NaN(), math.NaN() }, "want "},
		{func(a *ATS, c *CATS) { a.MaxRate, c.P0 = []float64{-1, 0, 0, 0}, []float64{-1} }, "want 0 or more"},
		{func(a *ATS, c *CATS) { a.FilterHz, c.FilterHz = 3000, 0 }, "butterworth cutoff"},
	} {
		a, c := galmezATS(), galmezCATS()
		a.Order, c.Order = 3, 3
		tc.change(a, c)
		for _, m := range []Maker{a, c} {
			if _, err := m.Make(At{RateHz: 4096}); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%T: error %v, want it to say %q", m, err, tc.want)
			}
		}
	}
}

// Bounds follow a start outside of them: a slow actuator with a gain of 0.8.
func TestTimeSeriesOfASlowActuator(t *testing.T) {
	slow := func(hz float64) (complex128, error) { return 0.8 / (1 + complex(0, 2*math.Pi*hz*0.1)), nil }
	for _, m := range []Maker{chaeATS(), palacioCATS()} {
		c, err := m.Make(At{RateHz: 1024, Plant: slow})
		if err != nil {
			t.Fatal(err)
		}
		a := c.(rths.Channeler).Channels()
		if a0, a1 := *a[0].V, *a[1].V; math.Abs(a0-1.25) > 0.01 || math.Abs(a1-0.125) > 0.005 {
			t.Errorf("%T: starts from a0 = %g, a1 = %g s: want 1.25, 0.125", m, a0, a1)
		}
	}
	for _, a := range [][]float64{{1, 0.02, 1e-4, 1e-7}, {0.8, 0.2, -1e-4, 1e-3}} {
		var lower, upper []float64
		chaeBounds(&lower, &upper, a)
		for i, v := range a {
			if v < lower[i] || v > upper[i] || lower[i] > chaeLower[i] || upper[i] < chaeUpper[i] && i > 0 {
				t.Errorf("a%d = %g: bounds %g to %g", i, v, lower[i], upper[i])
			}
		}
	}
}

// galmezATS is galmezCATS with a window.
func galmezATS() *ATS {
	p := chaeATS()
	p.Order, p.Initial = 2, "given"
	return p
}

// galmezCATS starts from the numbers of paper 001, with order 2: there is no plant.
func galmezCATS() *CATS {
	p := palacioCATS()
	p.Order, p.Initial = 2, "given"
	return p
}
