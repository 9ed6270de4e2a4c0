package plant

import (
	"errors"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"rths"
	"rths/kit/rthstest"
)

// loadedColumn is a test of a column of 3 m under 500 kN that is moved sideways: coordinate 1 is lateral, coordinate 2
// the shortening.
type loadedColumn struct {
	Mixed
	lateral, axial SpecimenMaker
	length         float64
	transfer       TransferMaker
	lever          [][]float64
	hz, amplitude  float64 // of the lateral motion, m
	seconds        float64
	reading        func(t float64, r *rths.Reading) // a fault
}

const columnRate = 1024

func newColumn() *loadedColumn {
	c := &loadedColumn{
		lateral: &LinearSpecimen{Stiffness: 1e7}, axial: &LinearSpecimen{Stiffness: 1e9}, length: 3,
		transfer: &GivenTF{Num: []float64{1}, Den: []float64{0.01, 1}, DelayMs: 4},
		lever:    [][]float64{{1, 0.3}, {-0.2, 1}}, hz: 1.5, amplitude: 0.03, seconds: 12,
	}
	c.Mixed = Mixed{RateHz: columnRate, Axes: 2, Moved: []int{0},
		Kept:      []ForceAxis{{At: 1, Target: 500e3, RiseS: 2, Limit: 0.005, BandwidthHz: 12}},
		Stiffness: mat.NewDense(1, 2, []float64{0, 1e9}),
		Leans:     []WeighedLean{{Lean{[][]float64{{1, 0}}, 3}, []float64{1}}},
	}
	return c
}

// kept is what becomes of the force.
type kept struct {
	worst, rms float64 // error after the lead-in, of the target
	most       float64 // largest displacement of the force coordinate, m
	coupler    *MixedCoupler
	err        error
	endS       float64
	lateral    []float64 // forces that the numerical part gets, N
	moved      []float64 // and its true displacements, m
}

func (c *loadedColumn) run(t *testing.T) (out kept) {
	t.Helper()
	maker := &LinearCoupler{Matrix: c.lever}
	inner := rthstest.Must(maker.Make(c.RateHz))
	c.Inner = inner
	out.coupler = rthstest.Must(c.Make())
	var inv, g mat.Dense
	if err := inv.Inverse(rthstest.Must(maker.Lever())); err != nil {
		t.Fatal(err)
	}
	g.Mul(mat.NewDense(2, 2, []float64{1, 0, 0, 1}), &inv)
	spec := rthstest.Must((&Assembled{Each: []SpecimenMaker{c.lateral, c.axial}, G: &g,
		Leans: []Lean{{}, {[][]float64{inv.RawRowView(0)}, c.length}}}).Make())
	p := rthstest.Must((&Actuators{[]TransferMaker{c.transfer, c.transfer}}).Make(At{RateHz: c.RateHz, Specimen: spec}))
	now, felt := rths.NewReading(2, 2), rths.NewReading(1, 1)
	iface, axes := rths.NewMotion(1), rths.NewMotion(2)
	lead, sum, n := c.Kept[0].RiseS+1, 0.0, 0
	truth := rths.NewReading(2, 2)
	for k := range int(c.seconds * c.RateHz) {
		at := float64(k) / c.RateHz
		read := now
		read.X, read.F = append([]float64(nil), now.X...), append([]float64(nil), now.F...)
		copy(read.TrueX, now.X)
		copy(read.TrueF, now.F)
		if c.reading != nil {
			c.reading(at, &read)
		}
		out.coupler.Interface(&felt, &read)
		if out.err = out.coupler.Err(); out.err != nil {
			out.endS = at
			return out
		}
		if iface.X[0] = 0; at > lead {
			s := min((at-lead)*c.hz/2, 1) // the first two periods begin softly
			iface.X[0] = c.amplitude * s * math.Sin(2*math.Pi*c.hz*(at-lead))
		}
		inner.Interface(&truth, &now)
		if at > lead {
			e := math.Abs(truth.F[1]/500e3 - 1)
			out.worst = max(out.worst, e)
			sum += e * e
			n++
		}
		out.most = max(out.most, math.Abs(truth.X[1]))
		out.lateral, out.moved = append(out.lateral, truth.F[0]), append(out.moved, truth.X[0])
		if out.most > c.Kept[0].Limit {
			out.err, out.endS = errors.New("displacement limit"), at
			return out
		}
		out.coupler.Axes(&axes, &iface)
		p.Step(&now, axes.X)
	}
	out.rms = math.Sqrt(sum / float64(max(n, 1)))
	return out
}

// The acceptance of a column: 1 % in a slow test, 2 % rms and 5 % at most up to 1.5 Hz with a lag of 10 ms and a delay
// of 4 ms. Integral control alone keeps neither at 1.5 Hz.
func TestAxialLoadOfAColumn(t *testing.T) {
	for _, tc := range []struct {
		name       string
		change     func(*loadedColumn)
		worst, rms float64
		above      float64 // what the worst must be above, so that the case says something
	}{
		{"1.5 Hz", func(*loadedColumn) {}, 0.05, 0.02, 1e-4},
		{"1.5 Hz, 5 % longer than known", func(c *loadedColumn) { c.length *= 1.05 }, 0.05, 0.02, 1e-3},
		{"1.5 Hz, 20 % stiffer than known", func(c *loadedColumn) { c.axial = &LinearSpecimen{Stiffness: 1.2e9} }, 0.05,
			0.02, 1e-4},
		{"1.5 Hz, integral alone", func(c *loadedColumn) { c.Leans = nil }, 1, 1, 0.03},
		{"slow", func(c *loadedColumn) { c.hz, c.seconds, c.Kept[0].BandwidthHz = 0.02, 60, 2 }, 0.01, 0.01, 1e-9},
		{"slow, integral alone", func(c *loadedColumn) {
			c.hz, c.seconds, c.Kept[0].BandwidthHz, c.Leans = 0.02, 60, 2, nil
		}, 0.01, 0.01, 1e-3},
	} {
		c := newColumn()
		tc.change(c)
		got := c.run(t)
		if got.err != nil || !(got.worst <= tc.worst && got.rms <= tc.rms) || got.worst < tc.above {
			t.Errorf("%s: error %.2f %% at most, %.2f %% rms, %v: want %.0f and %.0f %%", tc.name, 100*got.worst, 100*got.rms,
				got.err, 100*tc.worst, 100*tc.rms)
		}
		t.Logf("%s: error %.3f %% at most, %.3f %% rms", tc.name, 100*got.worst, 100*got.rms)
	}
}

// Sideways the column is softer by P/L.
func TestPDelta(t *testing.T) {
	c := newColumn()
	c.hz, c.seconds, c.Kept[0].BandwidthHz = 0.05, 30, 2
	got := c.run(t)
	sum, of := 0.0, 0.0
	for i, x := range got.moved {
		sum += x * got.lateral[i]
		of += x * x
	}
	rthstest.Near(t, "lateral stiffness", sum/of, 1e7-500e3/3, 2e3)
}

// softening is a spring whose force falls half as steeply as it rose.
type softening struct{ k, peak float64 }

func (*softening) Mass() float64 { return 0 }
func (*softening) States() int   { return 0 }
func (s *softening) Rate(_, force, _ []float64, m *rths.Motion) {
	if force[0] = s.k * m.X[0]; m.X[0] > s.peak {
		force[0] = s.k * max(0, 1.5*s.peak-m.X[0]/2)
	}
}

// made is a maker of a specimen that there is.
type made struct{ Specimen }

func (m made) Make() (Specimen, error) { return m.Specimen, nil }

// What is wrong is found, with the right cause, before the displacement is at its limit.
func TestForcesThatDoNotFollow(t *testing.T) {
	for name, tc := range map[string]struct {
		change func(*loadedColumn)
		want   string
	}{
		"wrong sign": {func(c *loadedColumn) {
			c.reading = func(_ float64, r *rths.Reading) { r.F[0], r.F[1] = -r.F[0], -r.F[1] }
		}, "the wrong sign"},
		"dead": {func(c *loadedColumn) { c.reading = func(_ float64, r *rths.Reading) { clear(r.F) } }, "a dead load cell"},
		"dead later": {func(c *loadedColumn) {
			c.reading = func(at float64, r *rths.Reading) {
				if at > 5 {
					clear(r.F)
				}
			}
		}, "a dead load cell"},
		"stopped as it rises": {func(c *loadedColumn) {
			c.reading = func(at float64, r *rths.Reading) {
				if at > 1 {
					r.F[0], r.F[1] = 1e5, 2e5
				}
			}
		}, "has stopped"},
		"stopped": {func(c *loadedColumn) {
			c.reading = func(at float64, r *rths.Reading) {
				if at > 5 {
					r.F[0], r.F[1] = -90e3, 470e3
				}
			}
		}, "has stopped"},
		"breaking": {func(c *loadedColumn) {
			c.axial = &Bilinear{Stiffness: 1e9, PostStiffness: 2e7, YieldDisplacement: 0.4e-3}
		}, "displacement limit"},
		"stiffness lost": {func(c *loadedColumn) {
			c.axial = made{&softening{1e9, 0.4e-3}}
			c.Kept[0].LearnM = 1e-4
		}, "the stiffness that was learnt"},
	} {
		c := newColumn()
		tc.change(c)
		got := c.run(t)
		if got.err == nil || !strings.Contains(got.err.Error(), tc.want) {
			t.Errorf("%s: %v after %g s: want %q", name, got.err, got.endS, tc.want)
		}
		t.Logf("%s: %v at %.3f s, %.3g mm", name, got.err, got.endS, 1e3*got.most)
	}
}

// With stiffnesses that are wrong by up to 40 %, and no coupling known, forces of any coupled stiffness come to their
// targets, and rows that learn come to predict what their moves do. (Statics: the actuators are ideal.)
func TestForcesComeToTheirTargets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 5).Draw(t, "coordinates")
		kept := rapid.IntRange(1, n-1).Draw(t, "kept")
		number := func(from, to float64) float64 { return rapid.Float64Range(from, to).Draw(t, "number") }
		half := mat.NewDense(n, n, nil)
		for i := range n {
			for j := range n {
				half.Set(i, j, number(-0.4, 0.4)/float64(n))
			}
			half.Set(i, i, 1)
		}
		var k mat.Dense
		k.Mul(half, half.T())
		k.Scale(1e8, &k)
		p := &Mixed{RateHz: 100, Axes: n, Stiffness: mat.NewDense(kept, n, nil)}
		for i := range n {
			if i >= kept {
				p.Moved = append(p.Moved, i)
				continue
			}
			p.Kept = append(p.Kept, ForceAxis{At: i, Target: number(-1e5, 1e5), RiseS: 2, Limit: 0.02, BandwidthHz: 1,
				LearnM: 1e-5})
			p.Stiffness.Set(i, i, k.At(i, i)*number(0.7, 1.4))
		}
		c := rthstest.Must(p.Make())
		moved := len(p.Moved)
		iface, axes := rths.NewMotion(moved), rths.NewMotion(n)
		read, felt := rths.NewReading(n, n), rths.NewReading(moved, moved)
		for tick := range 1000 {
			for i, row := range rowsOf(&k) {
				read.X[i], read.F[i] = axes.X[i], dot(row, axes.X)
			}
			c.Interface(&felt, &read)
			if err := c.Err(); err != nil {
				t.Fatal(err)
			}
			for i := range iface.X {
				iface.X[i] = 1e-4 * math.Sin(float64(i+1)*min(float64(tick), 600)/200)
			}
			c.Axes(&axes, &iface)
		}
		for i := range p.Kept {
			if off := math.Abs(read.F[i] - p.Kept[i].Target); !(off <= 10) {
				t.Fatalf("force %d is off by %g N", i+1, off)
			}
		}
		for i, at := range p.Moved {
			if felt.X[i] != read.X[at] || felt.F[i] != read.F[at] || axes.X[at] != iface.X[i] {
				t.Fatalf("coordinate %d does not pass", at+1)
			}
		}
	})
}

// One force coordinate that learns knows the coupling after moves in both directions.
func TestCouplingIsLearnt(t *testing.T) {
	p := &Mixed{RateHz: 100, Axes: 2, Moved: []int{0}, Stiffness: mat.NewDense(1, 2, []float64{0, 1.5e8}),
		Kept: []ForceAxis{{At: 1, Target: 1e5, RiseS: 2, Limit: 0.02, BandwidthHz: 1, LearnM: 1e-5}}}
	c := rthstest.Must(p.Make())
	iface, axes := rths.NewMotion(1), rths.NewMotion(2)
	read, felt := rths.NewReading(2, 2), rths.NewReading(1, 1)
	for tick := range 4000 {
		x := axes.X
		read.X[0], read.X[1], read.F[0], read.F[1] = x[0], x[1], 2e8*x[0]+3e7*x[1], 3e7*x[0]+1e8*x[1]
		c.Interface(&felt, &read)
		iface.X[0] = 1e-3 * math.Sin(float64(tick)/50)
		c.Axes(&axes, &iface)
	}
	rthstest.NearAll(t, "J", c.kept[0].row, []float64{3e7, 1e8}, 1e4)
}

// mixedDrive is a mixed coupler of three coordinates with a lean on a rigid body, and what drives it.
type mixedDrive struct {
	c           *MixedCoupler
	iface, axes rths.Motion
	read, felt  rths.Reading
}

func newDrive() *mixedDrive {
	p := &Mixed{RateHz: 512, Axes: 3, Moved: []int{2, 0}, Kept: []ForceAxis{{At: 1, Target: 1e5, RiseS: 0.5, Limit: 0.02,
		BandwidthHz: 3, LearnM: 1e-3}}, Stiffness: mat.NewDense(1, 3, []float64{1e6, 1e8, -2e6}),
		Leans: []WeighedLean{{Lean{[][]float64{{1, 0, 0.2}}, 2}, []float64{0.9}}},
		Inner: rthstest.Must((&RigidBody{Coordinates: []string{"x", "y", "rz"}, Actuators: []RigidActuator{arm(-3, 0, 0, 0),
			arm(-0.5, -3, -0.5, 0), arm(0.5, -3, 0.5, 0)}}).Make(512))}
	d := &mixedDrive{rthstest.Must(p.Make()), rths.NewMotion(2), rths.NewMotion(3), rths.NewReading(3, 3),
		rths.NewReading(2, 2)}
	d.c.Forces(0, []float64{0, 1e3, 2e3}, 1)
	return d
}

// step is tick k. The actuators are ideal, on springs of their own.
func (d *mixedDrive) step(k int) {
	copy(d.read.X, d.axes.X)
	copy(d.read.TrueX, d.axes.X)
	for i, x := range d.axes.X {
		d.read.F[i] = 4e7 * x
	}
	d.c.Interface(&d.felt, &d.read)
	w := 2 * math.Pi * 0.7
	sin, cos := math.Sincos(w * float64(k) / 512)
	for i, a := range []float64{0.01, 0.02} {
		d.iface.X[i], d.iface.V[i], d.iface.A[i] = a*sin, a*w*cos, -a*w*w*sin
	}
	d.c.Axes(&d.axes, &d.iface)
}

// numbers are all that a tick gives.
func (d *mixedDrive) numbers() (out []float64) {
	for _, list := range [][]float64{d.axes.X, d.axes.V, d.axes.A, d.felt.X, d.felt.F, d.felt.TrueX} {
		out = append(out, list...)
	}
	for _, ch := range d.c.Channels() {
		out = append(out, *ch.V)
	}
	return out
}

// A coupler that goes on from its state gives the same bits, whatever it did before, and allocates nothing.
func TestMixedGoesOn(t *testing.T) {
	first, second := newDrive(), newDrive()
	for k := range 700 {
		first.step(k)
		second.step(k + 150)
	}
	state := rths.AppendAdaptation(rths.AppendState(nil, first.c), first.c)
	if rest := rths.SetAdaptation(rths.SetState(state, second.c), second.c); len(rest) != 0 {
		t.Fatalf("%d numbers are left", len(rest))
	}
	copy(second.axes.X, first.axes.X)
	if row := first.c.kept[0].row; row[0] == 1e6 || first.c.Err() != nil {
		t.Fatalf("nothing was learnt: %g, %v", row, first.c.Err())
	}
	for k := 700; k < 1200; k++ {
		first.step(k)
		second.step(k)
		a, b := first.numbers(), second.numbers()
		for i := range a {
			if math.Float64bits(a[i]) != math.Float64bits(b[i]) {
				t.Fatalf("tick %d, number %d: %g: want %g", k, i, b[i], a[i])
			}
		}
	}
	if n := testing.AllocsPerRun(100, func() { first.step(1200) }); n != 0 {
		t.Errorf("%g allocations in a tick", n)
	}
}

// Velocities and accelerations are the rates of the displacements, but for changes of the integral part's speed.
func TestRatesOfForceCoordinates(t *testing.T) {
	d := newDrive()
	d.c.kept[0].BandwidthHz = 1e-9 // feed-forward alone
	d.c.Freeze(true)
	const h = 1.0 / 512
	var x, v, a [][]float64
	for k := range 512 {
		d.step(k)
		x, v, a = append(x, append([]float64(nil), d.axes.X...)), append(v, append([]float64(nil), d.axes.V...)),
			append(a, append([]float64(nil), d.axes.A...))
	}
	for k := 2; k < 510; k++ {
		for i := range 3 {
			// the coordinate's motion is a sum over ticks: its rates are those of the sum
			speed, change := (x[k+1][i]-x[k-1][i])/(2*h), (x[k+1][i]-2*x[k][i]+x[k-1][i])/(h*h)
			if math.Abs(speed-v[k][i]) > 1e-4 || math.Abs(change-a[k][i]) > 1e-3 {
				t.Fatalf("tick %d, axis %d: %g m/s, %g m/s²: want %g, %g", k, i+1, v[k][i], a[k][i], speed, change)
			}
		}
	}
}

// Old readings say nothing new: the force coordinates stand.
func TestOldReadings(t *testing.T) {
	d := newDrive()
	for k := range 200 {
		d.step(k)
	}
	at := d.c.kept[0].x
	for age := 1; age < 50; age++ {
		d.read.Age = age
		d.c.Interface(&d.felt, &d.read)
		d.c.Axes(&d.axes, &d.iface)
	}
	rthstest.Near(t, "displacement", d.c.kept[0].x, at, 0)
}

// What cannot be made is refused.
func TestMixedMistakes(t *testing.T) {
	two := []ForceAxis{{At: 0, Target: 1, RiseS: 1, Limit: 1, BandwidthHz: 1}, {At: 1, Target: 1, RiseS: 1, Limit: 1,
		BandwidthHz: 1}}
	for _, tc := range []struct {
		p    Mixed
		want string
	}{
		{Mixed{Axes: 2, Kept: two, Stiffness: mat.NewDense(2, 2, []float64{1e9, 1e9, 1e9, 1e9})}, "condition number +Inf"},
		{Mixed{Axes: 2, Kept: two, Stiffness: mat.NewDense(2, 2, []float64{1e9, 1e9, 1e9, 1e9 + 1})}, "two of them work on " +
			"one"},
		{Mixed{Axes: 2, Kept: two, Stiffness: mat.NewDense(2, 2, []float64{1e9, 2e9, 2e9, 1e9})}, "two of them work on one"},
		{Mixed{Axes: 2, Kept: two, Stiffness: mat.NewDense(2, 2, []float64{1e9, 0, 0, 0})}, "coordinate 2: stiffness 0 N/m"},
		{Mixed{Axes: 3, Kept: two}, "0 displacement and 2 force coordinates of 3"},
	} {
		tc.p.RateHz = 100
		if _, err := tc.p.Make(); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%v: want %q", err, tc.want)
		}
	}
	for want, l := range map[string]Lean{
		"want lists of 1 finite numbers": {[][]float64{{1, 2}}, 3}, "length_m 0": {[][]float64{{1}}, 0},
	} {
		all := &Assembled{Each: []SpecimenMaker{&LinearSpecimen{Stiffness: 1}}, G: mat.NewDense(1, 1, []float64{1}),
			Leans: []Lean{l}}
		if _, err := all.Make(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: want %q", err, want)
		}
	}
	heavy := &Assembled{Each: []SpecimenMaker{&LinearSpecimen{Stiffness: 1, Mass: 2}}, G: mat.NewDense(1, 1, []float64{1}),
		Leans: []Lean{{[][]float64{{1}}, 3}}}
	if _, err := heavy.Make(); err == nil || !strings.Contains(err.Error(), "mass 2 kg of a specimen that leans") {
		t.Errorf("%v: want the mass", err)
	}
}

// The force of a specimen that leans is the gradient of its energy, and its rate that of its deformation.
func TestLeanIsVirtualWork(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		number := func() float64 { return rapid.Float64Range(-1, 1).Draw(t, "number") }
		n := rapid.IntRange(1, 4).Draw(t, "coordinates")
		l, b := Lean{Length: rapid.Float64Range(0.5, 4).Draw(t, "length")}, mat.NewDense(1, n, nil)
		for range rapid.IntRange(1, 2).Draw(t, "directions") {
			row := make([]float64, n)
			for i := range row {
				row[i] = number()
			}
			l.Rows = append(l.Rows, row)
		}
		m := rths.NewMotion(n)
		for i := range n {
			b.Set(0, i, number())
			m.X[i], m.V[i] = 0.1*number(), number()
		}
		spec := rthstest.Must((&Assembled{Each: []SpecimenMaker{&LinearSpecimen{Stiffness: 2e6, Damping: 3e3}}, G: b,
			Leans: []Lean{l}}).Make())
		along := func(q []float64) float64 { return mat.Dot(b.RowView(0), vec(q)) - l.Shortens(q) }
		const h = 1e-6
		shifted := func(i int, by float64) float64 {
			q := append([]float64(nil), m.X...)
			q[i] += by
			return along(q)
		}
		speed, gradient := 0.0, make([]float64, n)
		for i := range n {
			gradient[i] = (shifted(i, h) - shifted(i, -h)) / (2 * h)
			speed += gradient[i] * m.V[i]
		}
		force := make([]float64, n)
		spec.Rate(nil, force, nil, &m)
		for i := range n {
			want := gradient[i] * (2e6*along(m.X) + 3e3*speed)
			if !(math.Abs(force[i]-want) <= 1e-2) {
				t.Fatalf("force %d is %g N: want %g", i+1, force[i], want)
			}
		}
		first, _ := l.Rates(&m)
		if want := mat.Dot(b.RowView(0), vec(m.V)) - speed; !(math.Abs(first-want) <= 1e-6) {
			t.Fatalf("shortens at %g m/s: want %g", first, want)
		}
	})
}

// The control is stable up to the bandwidth at which the loop ω_b/(jω) e^(−jωd)/(1 + jωτ) turns by 180°.
func TestBandwidthThatLagAllows(t *testing.T) {
	const lag, delay = 0.01, 0.004
	turn := 10.0
	for range 60 { // Newton's method with the largest slope of the angle
		turn += (math.Pi/2 - math.Atan(lag*turn) - delay*turn) / (lag + delay)
	}
	critical := turn * math.Hypot(1, lag*turn) / (2 * math.Pi)
	for share, stable := range map[float64]bool{0.95: true, 1.05: false} {
		c := newColumn()
		c.amplitude, c.Kept[0].BandwidthHz, c.Kept[0].Limit, c.seconds = 0, share*critical, 10, 8
		got := c.run(t)
		if settled := got.err == nil && got.worst < 0.02; settled != stable {
			t.Errorf("%g of %.4g Hz: error %g, %v: want stable %v", share, critical, got.worst, got.err, stable)
		}
	}
}
