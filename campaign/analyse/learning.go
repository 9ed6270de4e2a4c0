package analyse

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"gonum.org/v1/gonum/mat"

	"rths/method/learn"
	"rths/model/device"
	"rths/scenario"
	"rths/scenario/growth"
)

// A box of parameters that devices learn is looked at in its corners, mostCorners of them, and at within points inside.
const (
	mostCorners = 64
	within      = 8
)

// boxPoints are corners of a box, and points within it.
func boxPoints(keys []scenario.LearnedKey) (out [][]float64) {
	if len(keys) == 0 {
		return nil
	}
	r := rand.New(rand.NewPCG(53, uint64(len(keys))))
	corners := mostCorners
	if len(keys) < 6 {
		corners = 1 << len(keys)
	}
	for c := range corners {
		point := make([]float64, len(keys))
		for i, k := range keys {
			high := c>>i&1 == 1
			if len(keys) > 6 {
				high = r.IntN(2) == 1
			}
			if point[i] = k.Low; high {
				point[i] = k.High
			}
		}
		out = append(out, point)
	}
	for range within {
		point := make([]float64, len(keys))
		for i, k := range keys {
			point[i] = k.Low + (k.High-k.Low)*r.Float64()
		}
		out = append(out, point)
	}
	return out
}

// pointOf says where in a box a point is, as in "devices[1].stiffness 4e+05, devices[1].yield_force 1500".
func pointOf(keys []scenario.LearnedKey, point []float64) string {
	var list []string
	for i, k := range keys {
		list = append(list, fmt.Sprintf("%s %.4g", k.Key, point[i]))
	}
	return strings.Join(list, ", ")
}

// wantStableBox refuses a loop that is unstable where devices may come to in learning.
func wantStableBox(ctx context.Context, name string, s *scenario.Scenario, o scenario.Options) ([]string, error) {
	keys := s.LearnedKeys()
	points := boxPoints(keys)
	if s.Passivity != nil || len(points) == 0 {
		return nil, nil
	}
	for _, point := range points {
		at, err := s.Where(point)
		if err != nil {
			return nil, err
		}
		r, err := at.Build(ctx, o)
		if err != nil {
			return nil, fmt.Errorf("%s: with %s: %w", name, pointOf(keys, point), err)
		}
		grows, err := growth.Of(ctx, r)
		switch {
		case err != nil:
			return nil, fmt.Errorf("%s: with %s: %w", name, pointOf(keys, point), err)
		case grows != nil:
			return nil, fmt.Errorf("%s: the loop is unstable where devices may come to in learning, %s: %s; want narrower bounds, "+
				"or --force", name, pointOf(keys, point), grows)
		}
	}
	return []string{fmt.Sprintf("the loop is stable at %d corners of what devices may learn, and at %d points within",
		len(points)-within, within)}, nil
}

// activeFrom is the share of the work done on a law from which it counts as giving energy. A stop whose contact falls
// between two samples of the motion comes to 1e-5.
const activeFrom = 1e-4

// activeDevices are doubts about devices of a run whose law gives energy, where it begins or where it may come to.
func activeDevices(r *scenario.Run) (out []string) {
	if r.Whole == nil {
		return nil
	}
	seen := map[device.Law]bool{}
	for i := range r.Whole.Devices {
		d := &r.Whole.Devices[i]
		if seen[d.Law] {
			continue
		}
		seen[d.Law] = true
		share, at := device.Given(d.Law)
		device.Corners(d.Learned, func() {
			if s, a := device.Given(d.Law); s > share {
				share, at = s, a
			}
		})
		if share > activeFrom {
			out = append(out, fmt.Sprintf("%s may give energy: in a motion of %.3g mm from rest its law gives %.2g %% of the work "+
				"done on it more than it has taken, and may make the test unstable: want another law, or less degradation",
				d.Name(), 1e3*at, 100*share))
		}
	}
	return out
}

// wantSound looks at devices: it refuses those that learn where the loop would be unstable, and, where it is asked for,
// parameters that the predicted motion does not tell apart.
func wantSound(ctx context.Context, name string, r *scenario.Run, s *scenario.Scenario, o scenario.Options) ([]string, error) {
	notes, err := wantStableBox(ctx, name, s, o)
	if err != nil {
		return nil, err
	}
	notes = append(notes, activeDevices(r)...)
	list, err := Observe(ctx, s, o)
	if err != nil {
		return nil, err
	}
	for _, of := range list {
		if l := s.Devices[of.Group-1].Learn; l.Distinct && of.Rank < len(of.Keys) {
			return nil, s.At(fmt.Sprintf("devices[%d].learn.distinct", of.Group), errors.New(of.String()))
		}
		notes = append(notes, fmt.Sprintf("devices[%d].learn: %s", of.Group, of))
	}
	return notes, nil
}

// tells is the share of the half width of the bounds to which a test must bring down the standard deviation of a
// combination of parameters, to tell it.
const tells = 0.1

// Observability is what the motion of a test tells of the parameters of a group of devices.
type Observability struct {
	Group   int
	Keys    []string
	Rank    int       // combinations of parameters that the motion tells apart
	SD      []float64 // of each parameter, in half widths of its bounds; +Inf: nothing is told
	Weakest []float64 // combination that is told worst, of length 1
}

// String says it in a line.
func (o *Observability) String() string {
	text := fmt.Sprintf("the predicted motion tells %d of %d parameters apart", o.Rank, len(o.Keys))
	if o.Rank == len(o.Keys) {
		return text
	}
	var list []string
	for i, w := range o.Weakest {
		if math.Abs(w) > 0.3 {
			list = append(list, fmt.Sprintf("%+.2f %s", w, o.Keys[i]))
		}
	}
	return text + "; least of all it tells " + strings.Join(list, " ") + " (in half widths of the bounds): want a larger " +
		"motion, or fewer parameters"
}

// probe is a filter that learns nothing, and sums what each reading would tell: Σ φ φᵀ/R, φ the slope of the force by a
// parameter in half widths of its bounds.
type probe struct {
	learn.Filter
	g    *learn.Group
	info *mat.SymDense
}

// Step takes the law along.
func (p *probe) Step(x, v, force float64, old bool) {
	p.Filter.Step(x, v, force, true)
	slope, r := p.Filter.Slopes(x, v)
	if old || slope == nil {
		return
	}
	phi := mat.NewVecDense(len(slope), nil)
	for i, s := range slope {
		phi.SetVec(i, s*(p.g.Parameters[i].High-p.g.Parameters[i].Low)/2)
	}
	p.info.SymRankOne(p.info, 1/(r*r), phi)
}

// Observe runs the virtual test of a scenario without learning, and says of each group of devices what its motion tells.
func Observe(ctx context.Context, s *scenario.Scenario, o scenario.Options) (out []*Observability, err error) {
	if len(s.LearnedKeys()) == 0 {
		return nil, nil
	}
	r, err := s.Build(ctx, o)
	if err != nil || r.Learning == nil {
		return nil, err
	}
	var probes []*probe
	for _, g := range r.Learning.Groups() {
		p := &probe{Filter: g.Filter, g: g, info: mat.NewSymDense(len(g.Parameters), nil)}
		g.Filter = p
		probes = append(probes, p)
	}
	// a run that ends early has told what it has told
	_ = r.Loop.Run(1024, func() bool { return ctx.Err() == nil })
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	for _, p := range probes {
		one, err := p.observability()
		if err != nil {
			return nil, err
		}
		out = append(out, one)
	}
	return out, nil
}

func (p *probe) observability() (*Observability, error) {
	o := &Observability{Group: p.g.Number}
	for _, q := range p.g.Parameters {
		o.Keys = append(o.Keys, q.Name)
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(p.info, true) {
		return nil, fmt.Errorf("devices[%d].learn: what the motion tells is no matrix of finite numbers", p.g.Number)
	}
	var vectors mat.Dense
	eigen.VectorsTo(&vectors)
	o.SD = make([]float64, len(o.Keys))
	for j, value := range eigen.Values(nil) { // rising
		if value >= 1/(tells*tells) {
			o.Rank++
		}
		for i := range o.SD {
			if v := vectors.At(i, j); v != 0 {
				o.SD[i] += v * v / max(value, 0)
			}
		}
	}
	for i, variance := range o.SD {
		o.SD[i] = math.Sqrt(variance)
		o.Weakest = append(o.Weakest, vectors.At(i, 0))
	}
	return o, nil
}
