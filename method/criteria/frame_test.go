package criteria

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"

	"rths"
)

// walk is a reference that follows a script.
type walk struct {
	rows [][]float64
	k    int
	now  rths.Motion
}

func newWalk(rows [][]float64) *walk {
	return &walk{rows: rows, now: rths.Motion{X: make([]float64, len(rows[0]))}}
}

func (w *walk) Step([]float64)      { copy(w.now.X, w.rows[w.k]); w.k++ }
func (w *walk) State() *rths.Motion { return &w.now }

// framed is a run with all its records kept: the node late by some samples and read
// with noise, everything else at random.
type framed struct {
	c                *Frame
	last             *rths.Frame
	points           []Point
	n, m, truth      [2][]float64 // of the held points
	whole, mono, num [][]float64
}

const framedLag, framedHz = 7, 1024.0

func newFramed() *framed {
	const samples = 3000
	r := rand.New(rand.NewPCG(1, 2))
	d := &framed{points: []Point{{"x", 0, 1, "m"}, {"theta", 2, -1, "rad"}, {"x2", 1, 1, "m"}, {"theta3", 3, -1, "rad"}}}
	var node [2][]float64
	for i := range node {
		for v := 0.0; len(node[i]) < samples+framedLag; {
			v = 0.98*v + r.NormFloat64()
			node[i] = append(node[i], 1e-3*v)
		}
		d.n[i], d.truth[i] = node[i][framedLag:], node[i][:samples]
	}
	row := func(i int, f float64) (out []float64) {
		for j := range 4 {
			out = append(out, f*d.n[0][i]+1e-4*r.NormFloat64()+0.3e-3*float64(j))
		}
		return out
	}
	for i := range samples {
		d.whole, d.mono, d.num = append(d.whole, row(i, 1.1)), append(d.mono, row(i, 0.9)), append(d.num, row(i, 1))
	}
	d.c = NewFrame(framedHz, newWalk(d.whole), newWalk(d.mono), d.points, 2, true)
	f := &rths.Frame{InterfaceTarget: rths.NewMotion(2), InterfaceRead: rths.NewReading(2, 3), Num: &rths.Motion{}}
	for i := range samples {
		f.Num.X = d.num[i]
		for j := range 2 {
			f.InterfaceTarget.X[j], f.InterfaceRead.TrueX[j] = d.n[j][i], d.truth[j][i]
			f.InterfaceRead.X[j] = d.truth[j][i] + 1e-5*r.NormFloat64()
			d.m[j] = append(d.m[j], f.InterfaceRead.X[j])
		}
		d.c.Observe(f)
	}
	d.last = f
	return d
}

// column is a point's motion in one of the records.
func (p Point) column(rows [][]float64) (out []float64) {
	for _, row := range rows {
		out = append(out, p.Sign*row[p.DOF])
	}
	return out
}

func byName(t *testing.T, values []rths.Value) map[string]float64 {
	t.Helper()
	got := map[string]float64{}
	for _, v := range values {
		if _, twice := got[v.Name]; twice || v.Doc == "" {
			t.Errorf("%s stands twice or has no doc", v.Name)
		}
		got[v.Name] = v.V
	}
	return got
}

// Every criterion is its definition, on records kept in full.
func TestFrameIsItsDefinitions(t *testing.T) {
	d := newFramed()
	got := byName(t, d.c.Summary())
	for _, name := range []string{"J4_x_ms", "J4_theta_ms", "J4_x_true_ms"} {
		if want := framedLag / framedHz * 1e3; math.Abs(got[name]-want) > 1e-9 {
			t.Errorf("%s = %g, want %g", name, got[name], want)
		}
	}
	ratios := func(std, peak, suffix string, a, b []float64) {
		e := make([]float64, len(a))
		for i := range a {
			e[i] = a[i] - b[i]
		}
		most := func(v []float64) float64 { return math.Max(slices.Max(v), -slices.Min(v)) }
		for name, want := range map[string]float64{std + suffix: 100 * stat.StdDev(e, nil) / stat.StdDev(b, nil),
			peak + suffix: 100 * most(e) / most(b)} {
			if v, ok := got[name]; !ok || math.Abs(v-want) > 1e-9*want {
				t.Errorf("%s = %.12g, want %.12g", name, v, want)
			}
		}
	}
	for j, p := range d.points[:2] {
		ratios("J5_", "J6_", p.Name+"_pct", d.m[j], d.n[j])
		ratios("J5_", "J6_", p.Name+"_true_pct", d.truth[j], d.n[j])
		ratios("J7_", "J9_", p.Name+"_pct", d.m[j], p.column(d.whole))
		ratios("J7_", "J9_", p.Name+"_mono_pct", d.m[j], p.column(d.mono))
		ratios("J7_", "J9_", p.Name+"_mono_true_pct", d.truth[j], p.column(d.mono))
	}
	for _, p := range d.points[2:] {
		ratios("J8_", "J10_", p.Name+"_pct", p.column(d.num), p.column(d.whole))
		ratios("J8_", "J10_", p.Name+"_mono_pct", p.column(d.num), p.column(d.mono))
	}
}

// State comes back, and a tick allocates nothing.
func TestFrameState(t *testing.T) {
	d := newFramed()
	before := d.c.Summary()
	if rest := rths.SetState(rths.AppendState(nil, d.c), d.c); len(rest) > 0 || !slices.Equal(before, d.c.Summary()) {
		t.Error("the state does not come back")
	}
	d.c.refs = []Reference{standing{d.c.state[0]}, standing{d.c.state[1]}}
	if n := testing.AllocsPerRun(1000, func() { d.c.Observe(d.last) }); n > 0 {
		t.Errorf("%g allocations per tick", n)
	}
}

// standing is a reference that stays.
type standing struct{ now *rths.Motion }

func (standing) Step([]float64)        {}
func (s standing) State() *rths.Motion { return s.now }

// The tick that failed moves the references and is judged by no criterion.
func TestFrameLeavesFailedTicksOut(t *testing.T) {
	rows := [][]float64{{1, 2}, {3, 4}}
	c := NewFrame(1024, newWalk(rows), newWalk(rows), []Point{{"x", 0, 1, "m"}, {"theta", 1, 1, "rad"}}, 2, true)
	c.Observe(&rths.Frame{Err: &rths.DivergedError{}})
	if c.tally.n != 0 || c.state[0].X[0] != 1 {
		t.Errorf("%g ticks judged, reference at %g", c.tally.n, c.state[0].X[0])
	}
}
