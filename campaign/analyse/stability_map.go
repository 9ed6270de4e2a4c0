package analyse

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rths/method/stability"
	"rths/model/integrate"
	"rths/model/plant"
	"rths/model/structure"
	"rths/result/record"
	"rths/scenario"
)

// MapPoint is one partition of a map: the scenario's structure with another
// specimen, and with its damping multiplied (paper 001, Figs 5.4 and 5.5).
type MapPoint struct {
	StiffnessRatio float64 // specimen's stiffness over the structure's static one at the interface, 1/(K⁻¹)_dd
	MassRatio      float64 // specimen's mass over 1/(M⁻¹)_dd of the structure
	DampingFactor  float64 // on the structure's damping matrix and the specimen's damping
	DampingRatio   float64 // of the structure's first mode
	Own            bool    // mass and damping of the scenario

	Exact, Pade, Modal stability.Critical
	StepLimit          float64   // longest stable step of the integrator, s; +Inf: none
	Growth             []float64 // growth rate of the whole loop without and with compensator, 1/s; empty if not Own
}

// Ratios of a map.
var (
	mapStiffness = 19 // 0.05 to 0.95
	mapMasses    = []float64{0, 0.2, 0.4}
	mapDampings  = []float64{0.5, 1, 2}
)

// mapper holds what all points of a map share.
type mapper struct {
	s       *scenario.Scenario
	order   int
	whole   *structure.Structure
	dof     int
	m, c, k float64 // specimen's mass, kg, damping, N·s/m, and stiffness, N/m
	static  float64 // 1/(K⁻¹)_dd, N/m
	inertia float64 // 1/(M⁻¹)_dd, kg
	longest float64 // of the modal method, s
	modes   []structure.Mode
	note    string // of a specimen that is not linear
}

// newMapper is for a specimen that is taken out of the structure; of one that yields it takes the tangent at rest.
func (st *Stability) newMapper(s *scenario.Scenario) (*mapper, error) {
	specimen, err := s.MakeSpecimen()
	if err != nil {
		return nil, err
	}
	if _, _, _, ok := plant.Within(specimen); !ok {
		return nil, errors.New("map: the specimen stands beside the structure: want a specimen that is taken out of the " +
			"structure, such as linear or bouc-wen")
	}
	p, m, c, k, err := s.Partition()
	if err != nil {
		return nil, err
	}
	if why := tooLarge(p); why != "" {
		return nil, fmt.Errorf("map: %s: want a smaller one of kind shear or matrices", why)
	}
	note := ""
	if _, linear := specimen.(plant.Linear); !linear {
		note = " The specimen yields: it is taken with its tangent at rest."
	}
	g := &mapper{note: note, s: s, order: max(st.Order, 2), whole: p.Whole, dof: p.Interface[0], m: m, c: c, k: k}
	if g.static, err = p.Whole.StaticStiffness(g.dof); err != nil {
		return nil, fmt.Errorf("map: %w", err)
	}
	if g.inertia, err = p.Whole.StaticMass(g.dof); err != nil {
		return nil, fmt.Errorf("map: %w", err)
	}
	if g.modes, err = p.Whole.Modes(); err != nil {
		return nil, err
	}
	if g.static == 0 || g.modes[0].FreqHz == 0 {
		return nil, errors.New("map: nothing holds the structure, which has no stiffness ratio: want one that is held")
	}
	g.longest = ModalRange(g.modes)
	return g, nil
}

// points are the critical delays over stiffness ratio, mass ratio and damping.
func (g *mapper) points(ctx context.Context) ([]MapPoint, error) {
	var out []MapPoint
	own := g.m / g.inertia
	masses := slices.DeleteFunc(slices.Clone(mapMasses), func(r float64) bool { return r == own })
	for _, mass := range append([]float64{own}, masses...) {
		for _, damping := range mapDampings {
			for i := 1; i <= mapStiffness; i++ {
				point := MapPoint{StiffnessRatio: float64(i) / float64(mapStiffness+1), MassRatio: mass, DampingFactor: damping}
				point.Own = mass == own && damping == 1
				point.DampingRatio = damping * g.modes[0].Ratio
				if err := ctx.Err(); err != nil {
					return nil, err
				}
				if err := g.fill(ctx, &point); err != nil {
					return nil, fmt.Errorf("map: stiffness ratio %g, mass ratio %g: %w", point.StiffnessRatio, mass, err)
				}
				out = append(out, point)
			}
		}
	}
	return out, nil
}

// fill computes a point.
func (g *mapper) fill(ctx context.Context, x *MapPoint) error {
	me, ce, ke := x.MassRatio*g.inertia, x.DampingFactor*g.c, x.StiffnessRatio*g.static
	whole := *g.whole
	whole.C, whole.Devices = new(mat.Dense), nil // K has the stiffness at rest
	whole.C.Scale(x.DampingFactor, g.whole.C)
	p, err := whole.Divide(g.dof, me, ce, ke)
	if err != nil {
		return err
	}
	h, err := stability.NewHybrid(p, me, ce, ke)
	if err != nil {
		return err
	}
	if x.Exact, err = h.Critical(); err != nil {
		return err
	}
	if x.Pade, err = h.CriticalPade(g.order); err != nil {
		return err
	}
	if x.Modal, err = h.CriticalModal(g.longest); err != nil {
		return err
	}
	if x.StepLimit, err = stepLimit(g.s.Integrator.Params, p); err != nil {
		return err
	}
	if x.Own {
		x.Growth, err = g.growth(ctx, nil, me, ce, ke)
	}
	return err
}

// longStep is longer than any step of a test, s.
const longStep = 10

// stepLimit is the longest stable step of the integrator, s.
func stepLimit(m integrate.Maker, p *structure.Partition) (float64, error) {
	_, err := m.Make(p, longStep)
	var limit *integrate.StepError
	if errors.As(err, &limit) {
		return limit.Limit, nil
	}
	return math.Inf(1), err
}

// growth is the growth rate of the whole loop with another specimen, and another structure unless whole is nil, without
// and with compensator, 1/s. NaN: the loop cannot be made, for instance with too long a step.
func (g *mapper) growth(ctx context.Context, whole *structure.Structure, m, c, k float64) ([]float64, error) {
	specimen := fmt.Sprintf("specimen={kind: linear, mass: %v, damping: %v, stiffness: %v}", m, c, k)
	sets := [][]string{{specimen, "compensator.kind=none"}}
	if g.s.CompensatorKind() != "none" {
		sets = append(sets, []string{specimen})
	}
	var out []float64
	for _, set := range sets {
		s, err := g.s.With(set...)
		if err != nil {
			return nil, err
		}
		if whole != nil {
			s.Structure.Params, s.Reduce, s.InterfaceDOF = made{whole}, nil, g.dof+1
		}
		growth := math.NaN()
		if roots, err := rootsAtRest(ctx, s); err == nil {
			var l LoopVerdict
			l.motions(roots, s.RateHz)
			growth = l.Growth
		}
		out = append(out, growth)
	}
	return out, nil
}

// made gives a structure that is there.
type made struct{ whole *structure.Structure }

// Make implements structure.Maker.
func (m made) Make() (*structure.Structure, error) { return new(*m.whole), nil }

// MapRows are the points, one flat row each.
func MapRows(points []MapPoint, order int) []record.Row {
	var out []record.Row
	for _, x := range points {
		growth := []float64{math.NaN(), math.NaN()}
		copy(growth, x.Growth)
		var row record.Row
		row.Put("stiffness_ratio", x.StiffnessRatio)
		row.Put("mass_ratio", x.MassRatio)
		row.Put("damping_ratio", x.DampingRatio)
		row.Put("critical_delay_exact_ms", 1e3*x.Exact.Delay)
		row.Put(fmt.Sprintf("critical_delay_pade%d_ms", order), 1e3*x.Pade.Delay)
		row.Put("critical_delay_modal_ms", 1e3*x.Modal.Delay)
		row.Put("step_limit_ms", 1e3*x.StepLimit)
		row.Put("uncompensated_growth_per_s", growth[0])
		row.Put("compensated_growth_per_s", growth[1])
		out = append(out, row)
	}
	return out
}

// Masses are the mass ratios of a map, the scenario's own first.
func Masses(points []MapPoint) []float64 {
	var out []float64
	for _, p := range points {
		if len(out) == 0 || out[len(out)-1] != p.MassRatio {
			out = append(out, p.MassRatio)
		}
	}
	return out
}
