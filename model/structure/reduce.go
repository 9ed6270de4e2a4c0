package structure

import (
	"errors"
	"fmt"
	"math"
	"rths/maths/portable"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Reduced is the Craig–Bampton reduction of a structure (R. R. Craig and M. C. C. Bampton,
// Coupling of substructures for dynamic analyses, AIAA Journal 6 (1968) 1313,
// doi:10.2514/3.4741). Some degrees of freedom x_b are kept; the others follow them
// statically and vibrate in some modes that have x_b = 0:
//
//	x = T [x_b; q],   T = [I 0; Ψ Φ],   Ψ = −K_ii⁻¹ K_ib,   K_ii Φ = M_ii Φ Ω²,   Φᵀ M_ii Φ = I
//
// with matrices TᵀMT, TᵀCT, TᵀKT and the load TᵀMΓ. The static response of x_b is that of
// the structure. Not for storeys that yield, nor for the response inside the structure.
type Reduced struct {
	*Structure           // the degrees of freedom kept, then modal coordinates
	From       int       // number of degrees of freedom before
	Kept       []int     // degrees of freedom of the structure that are kept, from 0
	Hz         []float64 // frequencies of the modes, lowest first

	// The largest error of the response of each of the first kept degrees of freedom, those that
	// were asked for, to a force on a kept one or to a component of the ground motion: |ΔH|/|H|
	// up to UpToHz.
	UpToHz   float64
	ErrorPct float64
	AtHz     float64 // where the error is largest
	Action   string  // the load there, as in "per unit of ground acceleration"; of several outputs, after the output

	// Cut is set if the first mode left out has the frequency of the highest kept: which shapes of that
	// frequency are kept, and with them the error, depends on rounding.
	Cut bool
}

// mostKeptModes keeps a slip from making a structure as large as before.
const mostKeptModes = 200

// acceptablePct is the error of a reduction that is accepted.
const acceptablePct = 5

// Reduction says what is kept of a structure, and where the error of that is looked at.
type Reduction struct {
	Keep   []int // degrees of freedom of the interface, from 0
	Modes  int
	UpToHz float64

	// NoGround is for a ground motion that does not act on the numerical part: the error
	// leaves it out.
	NoGround bool
}

// Reduce keeps the degrees of freedom of the interface, those that force histories act on, and
// some modes. It refuses a reduction with an error above 5 %.
func (s *Structure) Reduce(of Reduction) (*Reduced, error) {
	if err := s.wantReducible(&of); err != nil {
		return nil, err
	}
	kept, modes, upToHz := slices.Clone(of.Keep), of.Modes, of.UpToHz
	for _, dof := range s.Forces {
		if !slices.Contains(kept, dof) {
			kept = append(kept, dof)
		}
	}
	if inside := s.N - len(kept); modes >= inside {
		return nil, fmt.Errorf("modes %d: beside the degrees of freedom that are kept the structure has %d: want fewer "+
			"modes, or leave reduce out, which keeps them all", modes, inside)
	}
	in, err := newInside(s, kept)
	if err != nil {
		return nil, err
	}
	g, hz, cut, err := craigBampton(in, kept, modes)
	if err != nil {
		return nil, err
	}
	if top := hz[len(hz)-1]; upToHz > top {
		return nil, fmt.Errorf("the highest of %d modes is at %.4g Hz, below up_to_hz %g: want more modes, or up_to_hz of "+
			"at most %s", modes, top, upToHz, floor3(top))
	}
	r := &Reduced{Structure: g.reduced(kept), From: s.N, Kept: kept, Hz: hz, Cut: cut, UpToHz: upToHz}
	if of.NoGround {
		g.actions = g.actions[:len(kept)]
	}
	c := &comparison{g: g, in: in, n: len(g.t), outputs: len(of.Keep), top: 2 * math.Pi * upToHz}
	if err := c.judge(r); err != nil {
		return nil, err
	}
	return r, nil
}

func (s *Structure) wantReducible(of *Reduction) error {
	keep, modes, upToHz := of.Keep, of.Modes, of.UpToHz
	switch {
	case len(s.Devices) > 0:
		return fmt.Errorf("%s has a law of its own, and modes belong to a linear structure: want no yielding storeys and no "+
			"devices, or leave reduce out", s.Devices[0].Name())
	case len(keep) == 0:
		return errors.New("no degree of freedom is kept: want the degrees of freedom of the interface")
	case modes < 1 || modes > mostKeptModes:
		return fmt.Errorf("modes %d: want 1 to %d", modes, mostKeptModes)
	case !(upToHz > 0) || math.IsInf(upToHz, 1):
		return fmt.Errorf("up_to_hz %g: want more than 0", upToHz)
	}
	for i, dof := range keep {
		if dof < 0 || dof >= s.N {
			return fmt.Errorf("degree of freedom %d is kept: want 1 to %d", dof+1, s.N)
		}
		if slices.Contains(keep[:i], dof) {
			return fmt.Errorf("degree of freedom %d is kept twice: want it once", dof+1)
		}
	}
	return nil
}

// sameMode is the part of a frequency by which modes of one frequency differ at most.
const sameMode = 1e-6

// craigBampton is the structure in the coordinates of T, with the actions that the interface
// answers, and whether the modes end within some of equal frequency.
func craigBampton(in *inside, kept []int, modes int) (g *galerkin, hz []float64, cut bool, err error) {
	omega, shapes, err := in.modes(min(modes+1, len(in.at)))
	if err != nil {
		return nil, nil, false, err
	}
	if len(omega) < modes {
		return nil, nil, false,
			fmt.Errorf("modes %d: the degrees of freedom beside those that are kept have mass for %d: want at most %d", modes,
				len(omega), len(omega))
	}
	g = &galerkin{s: in.s, kept: len(kept), actions: in.s.actionsOn(kept)}
	for _, dof := range kept {
		g.add(in.constraint(dof))
	}
	for j, w := range omega[:modes] {
		g.add(shapes[j])
		hz = append(hz, w/(2*math.Pi))
	}
	return g, hz, len(omega) > modes && omega[modes] <= omega[modes-1]*(1+sameMode), nil
}

// actionsOn are forces at the kept degrees of freedom, then the components of the ground
// acceleration.
func (s *Structure) actionsOn(kept []int) (out []action) {
	for _, dof := range kept {
		a := action{name: fmt.Sprintf("per unit of force at degree of freedom %d", dof+1), on: make([]float64, s.N)}
		a.on[dof] = 1
		out = append(out, a)
	}
	_, components := s.Gamma.Dims()
	for j := range components {
		a := action{name: "per unit of ground acceleration", on: make([]float64, s.N)}
		if components > 1 {
			a.name = fmt.Sprintf("per unit of component %d of the ground acceleration", j+1)
		}
		s.timesM(a.on, mat.Col(nil, j, s.Gamma))
		scaleTo(a.on, -1)
		out = append(out, a)
	}
	return out
}

// reduced is the structure of all coordinates so far.
func (g *galerkin) reduced(kept []int) *Structure {
	n, s := len(g.t), g.s
	_, components := s.Gamma.Dims()
	out := &Structure{N: n, M: mirrored(g.m), C: mirrored(g.c), K: mirrored(g.k), Gamma: mat.NewDense(n, components, nil),
		Loads: mat.NewDense(n, components, nil)}
	for _, dof := range s.Forces {
		out.Forces = append(out.Forces, slices.Index(kept, dof))
	}
	for j := range components {
		for i, load := range g.actions[g.kept+j].load {
			out.Loads.Set(i, j, -load)
		}
		out.Gamma.SetCol(j, g.coordinates(mat.Col(nil, j, s.Gamma), kept))
	}
	return out
}

// coordinates are x at the kept degrees of freedom, and what the modes have of the rest:
// Φᵀ M (x − Ψ x_b).
func (g *galerkin) coordinates(x []float64, kept []int) []float64 {
	out, rest, push := make([]float64, len(g.t)), slices.Clone(x), make([]float64, len(x))
	for i, dof := range kept {
		out[i] = x[dof]
		floats.AddScaled(rest, -x[dof], g.t[i])
	}
	g.s.timesM(push, rest)
	for j := g.kept; j < len(g.t); j++ {
		out[j] = portable.Dot(g.t[j], push)
	}
	return out
}

// mirrored is a symmetric matrix of a lower triangle.
func mirrored(rows [][]float64) *mat.Dense {
	out := mat.NewDense(len(rows), len(rows), nil)
	for i, row := range rows {
		for j, v := range row {
			out.Set(i, j, v)
			out.Set(j, i, v)
		}
	}
	return out
}

// resolvedPct is an error that is seen: far below it the largest is rounding somewhere.
const resolvedPct = 0.001

// Notes say what was kept, how good it is, and whether that depends on rounding.
func (r *Reduced) Notes() []string {
	out := []string{r.String()}
	if r.Cut {
		out = append(out,
			fmt.Sprintf("the first mode left out has the frequency of the highest kept, %.4g Hz: which shapes of that "+
				"frequency are kept, and the error, depend on rounding: want more or fewer modes", r.Hz[len(r.Hz)-1]))
	}
	return out
}

// String says what was kept and how good it is.
func (r *Reduced) String() string {
	largest := fmt.Sprintf("%.2g %% (at %.3g Hz, %s)", r.ErrorPct, r.AtHz, r.Action)
	if r.ErrorPct < resolvedPct {
		largest = fmt.Sprintf("below %g %%", resolvedPct)
	}
	return fmt.Sprintf(
		"reduced from %d to %d degrees of freedom: %d modes up to %.4g Hz; largest error of the interface's response up to "+
			"%g Hz: %s",
		r.From, r.N, len(r.Hz), r.Hz[len(r.Hz)-1], r.UpToHz, largest)
}
