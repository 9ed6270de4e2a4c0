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

// Every criterion is its definition, on records kept in full.
func TestFrameIsItsDefinitions(t *testing.T) {
	const n, lag, hz = 3000, 7, 1024.0
	r := rand.New(rand.NewPCG(1, 2))
	smooth := func(scale float64) []float64 {
		out, v := make([]float64, n+lag), 0.0
		for i := range out {
			v = 0.98*v + r.NormFloat64()
			out[i] = scale * v
		}
		return out
	}
	node := [2][]float64{smooth(1e-3), smooth(2e-3)}
	points := []Point{{"x", 0, 1}, {"theta", 2, -1}, {"x2", 1, 1}, {"theta3", 3, -1}}
	var whole, mono, num [][]float64
	for i := range n {
		row := func(f float64) []float64 {
			out := make([]float64, 4)
			for j := range out {
				out[j] = f*node[0][i+lag] + 1e-4*r.NormFloat64() + 0.3e-3*float64(j)
			}
			return out
		}
		whole, mono, num = append(whole, row(1.1)), append(mono, row(0.9)), append(num, row(1))
	}
	c := NewFrame(hz, newWalk(whole), newWalk(mono), points)
	var m, truth [2][]float64
	f := &rths.Frame{Wanted: rths.NewMotion(2), Felt: rths.NewReading(2, 3), Num: &rths.Motion{}}
	for i := range n {
		f.Num.X = num[i]
		for j := range 2 {
			f.Wanted.X[j] = node[j][i+lag]
			f.Felt.TrueX[j] = node[j][i] // late by lag samples
			f.Felt.X[j] = node[j][i] + 1e-5*r.NormFloat64()
			m[j], truth[j] = append(m[j], f.Felt.X[j]), append(truth[j], f.Felt.TrueX[j])
		}
		c.Observe(f)
	}
	got := map[string]float64{}
	for _, v := range c.Summary() {
		if _, twice := got[v.Name]; twice || v.Doc == "" {
			t.Errorf("%s stands twice or has no doc", v.Name)
		}
		got[v.Name] = v.V
	}
	for _, name := range []string{"J4_x_ms", "J4_theta_ms", "J4_x_true_ms"} {
		if want := lag / hz * 1e3; math.Abs(got[name]-want) > 1e-9 {
			t.Errorf("%s = %g, want %g", name, got[name], want)
		}
	}
	ratios := func(std, peak string, a, b []float64) {
		e := make([]float64, len(a))
		for i := range a {
			e[i] = a[i] - b[i]
		}
		most := func(v []float64) float64 { return math.Max(slices.Max(v), -slices.Min(v)) }
		for name, want := range map[string]float64{std: 100 * stat.StdDev(e, nil) / stat.StdDev(b, nil), peak: 100 * most(e) / most(b)} {
			if v, ok := got[name]; !ok || math.Abs(v-want) > 1e-9*want {
				t.Errorf("%s = %.12g, want %.12g", name, v, want)
			}
		}
	}
	column := func(rows [][]float64, p Point) (out []float64) {
		for _, row := range rows {
			out = append(out, p.Sign*row[p.DOF])
		}
		return out
	}
	for j, p := range points[:2] {
		ratios("J5_"+p.Name+"_pct", "J6_"+p.Name+"_pct", m[j], node[j][lag:])
		ratios("J5_"+p.Name+"_true_pct", "J6_"+p.Name+"_true_pct", truth[j], node[j][lag:])
		ratios("J7_"+p.Name+"_pct", "J9_"+p.Name+"_pct", m[j], column(whole, p))
		ratios("J7_"+p.Name+"_mono_pct", "J9_"+p.Name+"_mono_pct", m[j], column(mono, p))
		ratios("J7_"+p.Name+"_mono_true_pct", "J9_"+p.Name+"_mono_true_pct", truth[j], column(mono, p))
	}
	for _, p := range points[2:] {
		ratios("J8_"+p.Name+"_pct", "J10_"+p.Name+"_pct", column(num, p), column(whole, p))
		ratios("J8_"+p.Name+"_mono_pct", "J10_"+p.Name+"_mono_pct", column(num, p), column(mono, p))
	}
	before := c.Summary()
	if rest := c.SetState(c.AppendState(nil)); len(rest) > 0 || !slices.Equal(before, c.Summary()) {
		t.Error("the state does not come back")
	}
	c.refs = [2]Reference{standing{&c.refs[0].(*walk).now}, standing{&c.refs[1].(*walk).now}}
	if k := testing.AllocsPerRun(1000, func() { c.Observe(f) }); k > 0 {
		t.Errorf("%g allocations per tick", k)
	}
}

// standing is a reference that stays.
type standing struct{ now *rths.Motion }

func (standing) Step([]float64)        {}
func (s standing) State() *rths.Motion { return s.now }

// The tick that failed moves the references and is judged by no criterion.
func TestFrameLeavesFailedTicksOut(t *testing.T) {
	rows := [][]float64{{1, 2}, {3, 4}}
	c := NewFrame(1024, newWalk(rows), newWalk(rows), []Point{{"x", 0, 1}, {"theta", 1, 1}})
	c.Observe(&rths.Frame{Err: &rths.Diverged{}})
	if c.tally.n != 0 || c.state[0].X[0] != 1 {
		t.Errorf("%g ticks judged, reference at %g", c.tally.n, c.state[0].X[0])
	}
}
