package analyse

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"rths/method/stability"
	"rths/model/structure"
	"rths/result/record"
	"rths/scenario"
)

// Plane has results over two properties of a test, with the test as it is among them.
type Plane struct {
	Name, Caption string
	X, Y          Axis
	Layers        []Layer
}

// Axis is a property of a test.
type Axis struct {
	Column, Label string    // in tables and pictures
	At            []float64 // in increasing order
	Log           bool
	Names         []string // of a choice, in the order of At; nil: numbers
	Own           float64  // of the test, one of At unless it is far away
}

// Layer is a result. Value[j][i] stands at X.At[i] and Y.At[j]; NaN: there is none, +Inf: without bound.
type Layer struct {
	Column, Label string
	Limit         *float64 // of stability; nil: none
	Value         [][]float64
}

// newPlane is a plane of layers without values.
func newPlane(name string, x, y Axis, layers ...Layer) *Plane {
	for l := range layers {
		for range y.At {
			layers[l].Value = append(layers[l].Value, make([]float64, len(x.At)))
		}
	}
	return &Plane{Name: name, X: x, Y: y, Layers: layers}
}

// fill computes the values of all layers at every point, until ctx ends.
func (p *Plane) fill(ctx context.Context, of func(x, y float64) ([]float64, error)) error {
	for j, y := range p.Y.At {
		for i, x := range p.X.At {
			if err := ctx.Err(); err != nil {
				return err
			}
			values, err := of(x, y)
			if err != nil {
				return fmt.Errorf("map: %s %g, %s %g: %w", p.X.Column, x, p.Y.Column, y, err)
			}
			for l, v := range values {
				p.Layers[l].Value[j][i] = v
			}
		}
	}
	return nil
}

// Rows are the points, one flat row each.
func (p *Plane) Rows() []record.Row {
	var out []record.Row
	for j, y := range p.Y.At {
		for i, x := range p.X.At {
			var row record.Row
			row.Put(p.X.Column, x)
			if row.Put(p.Y.Column, y); p.Y.Names != nil {
				row[len(row)-1].V = p.Y.Names[j]
			}
			for _, l := range p.Layers {
				row.Put(l.Column, l.Value[j][i])
			}
			out = append(out, row)
		}
	}
	return out
}

// newAxis has n + 1 values from low to high, and the test's own in the place of the nearest, or after the last.
func newAxis(column, label string, low, high float64, n int, own float64) Axis {
	a := Axis{Column: column, Label: label, Own: own}
	step, nearest := (high-low)/float64(n), 0
	for i := range n + 1 {
		a.At = append(a.At, low+step*float64(i))
		if math.Abs(a.At[i]-own) < math.Abs(a.At[nearest]-own) {
			nearest = i
		}
	}
	if own > high+step/2 {
		a.At = append(a.At, own)
	} else {
		a.At[nearest] = own
	}
	return a
}

// margins are the critical delay, and the growth of the loop without and with compensator, over natural frequency and
// stiffness ratio (paper 001, Fig. 5.5). Another frequency is another stiffness, of structure and specimen, with the
// masses and damping ratios of the test: M, φ C and φ² K for φ times the frequency. So L(s) becomes L(s/φ), and the
// critical delay 1/φ of what it was. The transfer system and the compensator's keys stay.
func (g *mapper) margins(ctx context.Context) ([]*Plane, error) {
	own := g.modes[0].FreqHz
	x := Axis{Column: "natural_hz", Label: "natural frequency, Hz", Log: true, Own: own}
	for i := -6; i <= 6; i++ { // a quarter to four times
		x.At = append(x.At, own*math.Pow(2, float64(i)/3))
	}
	y := newAxis("stiffness_ratio", "stiffness ratio", 0.05, 0.95, mapStiffness-1, g.k/g.static)
	layers := []Layer{{Column: "critical_delay_ms", Label: "critical delay, ms"},
		{Column: "uncompensated_growth_per_s", Label: "growth without compensator, 1/s", Limit: new(0.0)}}
	if g.s.CompensatorKind() != "none" {
		layers = append(layers,
			Layer{Column: "compensated_growth_per_s", Label: "growth with compensator, 1/s", Limit: new(0.0)})
	}
	p := newPlane("margins", x, y, layers...)
	p.Caption = "Critical delay of the partition, and growth of the whole loop (red: stable below). Another " +
		"frequency is another stiffness of structure and specimen, with the masses and damping ratios of the test. " +
		"Transfer system and keys of the compensator stay." + g.note
	delays := map[float64]float64{} // of the frequency of the test, by stiffness ratio, ms
	for _, ratio := range y.At {
		c, err := g.critical(g.m, g.c, ratio*g.static)
		if err != nil {
			return nil, err
		}
		delays[ratio] = c
	}
	return []*Plane{p}, p.fill(ctx, func(hz, ratio float64) ([]float64, error) {
		f := hz / own
		growth, err := g.growth(ctx, stiffer(g.whole, f), g.m, f*g.c, ratio*f*f*g.static)
		return append([]float64{delays[ratio] / f}, growth...), err
	})
}

// critical is the critical delay with another specimen, ms; NaN if there can be no such partition, or if it tolerates
// no delay.
func (g *mapper) critical(m, c, k float64) (float64, error) {
	if m == 0 && c == 0 && k == 0 {
		return math.Inf(1), nil // it feeds nothing back
	}
	p, err := g.whole.Divide(g.dof, m, c, k)
	if err != nil {
		return math.NaN(), nil // too heavy
	}
	h, err := stability.NewHybrid(p, m, c, k)
	if err != nil {
		return math.NaN(), err
	}
	found, err := h.Critical()
	if found.Delay <= 0 {
		return math.NaN(), err
	}
	return 1e3 * found.Delay, err
}

// stiffer is the structure at rest with natural frequencies f times as high, by its stiffness.
func stiffer(of *structure.Structure, f float64) *structure.Structure {
	out := *of
	out.C, out.K, out.Forces, out.Devices = new(mat.Dense), new(mat.Dense), nil, nil
	out.C.Scale(f, of.C)
	out.K.Scale(f*f, of.K)
	out.Gamma = of.Gamma.Slice(0, of.N, 0, 1).(*mat.Dense) // as where a loop at rest is built: without more_ground
	return &out
}

// specimenSteps is the number of steps of the map of specimens in each direction.
const specimenSteps = 12

// specimens are the PSI over mass and damping of the specimen, with its stiffness and the undivided structure as they
// are.
func (g *mapper) specimens(ctx context.Context) ([]*Plane, error) {
	damping, err := g.whole.StaticDamping(g.dof)
	if damping = max(damping, 2*g.c); err != nil || damping == 0 {
		damping = max(2*g.c, 0.1*math.Sqrt(g.static*g.inertia))
	}
	mass := max(g.inertia/2, 1.25*g.m) // from half of the mass on no delay is tolerated where masses are lumped
	x := newAxis("mass_kg", "mass of the specimen, kg", 0, mass, specimenSteps, g.m)
	y := newAxis("damping_N_s_m", "damping of the specimen, N·s/m", 0, damping, specimenSteps, g.c)
	p := newPlane("psi", x, y, Layer{Column: "psi", Label: "PSI = log10(critical delay, ms)"})
	p.Caption = fmt.Sprintf("PSI of other specimens of %.4g N/m in the same structure. Below 1 the partition tolerates "+
		"less than 10 ms.", g.k) + g.note
	return []*Plane{p}, p.fill(ctx, func(m, c float64) ([]float64, error) {
		ms, err := g.critical(m, c, g.k)
		return []float64{math.Log10(ms)}, err
	})
}

// Maps are what a test with other properties would be.
type Maps struct {
	Points []MapPoint
	Planes []*Plane
	Note   string // why there are no points; or ""
}

// Maps computes the maps of a scenario. For a specimen that is not taken out of the structure there is only the one
// over main steps, or an error.
func (st *Stability) Maps(ctx context.Context, s *scenario.Scenario) (*Maps, error) {
	out := &Maps{}
	var makers []func(context.Context) ([]*Plane, error)
	g, err := st.newMapper(s)
	switch {
	case err == nil:
		if out.Points, err = g.points(ctx); err != nil {
			return nil, err
		}
		makers = append(makers, g.margins, g.specimens)
	case s.TwoRate == nil:
		return nil, err
	default:
		out.Note = err.Error()
	}
	if s.TwoRate != nil {
		makers = append(makers, func(ctx context.Context) ([]*Plane, error) { return mainSteps(ctx, s) })
	}
	for _, make := range makers {
		planes, err := make(ctx)
		if err != nil {
			return nil, err
		}
		out.Planes = append(out.Planes, planes...)
	}
	return out, nil
}

// cells are the tables of a document.
func (m *Maps) cells(order int) []record.Cell {
	var out []record.Cell
	if m.Points != nil {
		out = append(out, record.Cell{Key: "map", V: MapRows(m.Points, order)})
	}
	for _, p := range m.Planes {
		out = append(out, record.Cell{Key: p.Name, V: p.Rows()})
	}
	return out
}
