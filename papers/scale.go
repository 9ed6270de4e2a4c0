package papers

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"rths"
	"rths/integrate"
	"rths/structure"
)

// Scale measures what a step of a finite-element foundation costs, over its
// degrees of freedom: the foundation of Zhu et al. 2014 in finer meshes, their
// method (Gui-λ, λ = 3) and their main step, on one core.
type Scale struct {
	Meshes  [][2]int      // elements along width and depth
	MaxDOF  int           // larger meshes are left out
	Measure time.Duration // of every mesh
}

// ScaleMeshes are 234, 1240, 5002 and 20000 free degrees of freedom.
var ScaleMeshes = [][2]int{{14, 9}, {32, 20}, {62, 41}, {126, 80}}

// Of Zhu et al. 2014: main step, sampling rate of the controller, and the largest
// model they ran.
const (
	ScaleStepS       = 40.0 / 2048
	ScaleRateHz      = 2048.0
	ScalePublishedUs = ScaleStepS * 1e6
	ScalePublished   = 1240
)

// Run measures all meshes. Rows: dof, half_bandwidth, step_us and max_rate_hz of
// the least disturbed of many repeats (the machine may be shared), the median
// beside it, and what is done once.
func (s *Scale) Run(ctx context.Context) (*Suite, error) {
	out := &Suite{Name: "scale"}
	for _, mesh := range s.Meshes {
		if err := ctx.Err(); err != nil {
			return nil, context.Cause(ctx)
		}
		if 2*(mesh[0]-1)*mesh[1] > s.MaxDOF { // base and sides are fixed
			continue
		}
		row, err := s.row(mesh)
		if err != nil {
			return nil, fmt.Errorf("scale: %d × %d elements: %w", mesh[0], mesh[1], err)
		}
		out.Rows = append(out.Rows, row)
	}
	if len(out.Rows) == 0 {
		return nil, fmt.Errorf("scale: no mesh of at most %d degrees of freedom: want %d or more", s.MaxDOF, 2*(s.Meshes[0][0]-1)*s.Meshes[0][1])
	}
	return out, nil
}

func (s *Scale) row(mesh [2]int) (Row, error) {
	kind, err := rths.Find(structure.Kinds, "fe-foundation")
	if err != nil {
		return nil, err
	}
	p := kind.Defaults().(*structure.FEFoundation)
	p.NX, p.NY = mesh[0], mesh[1]
	start := time.Now()
	whole, err := p.Make()
	if err != nil {
		return nil, err
	}
	part, err := whole.Divide(whole.Interface, 0, 0, 0)
	if err != nil {
		return nil, err
	}
	made, err := (&integrate.Gui{Lambda: 3}).Make(part, ScaleStepS)
	if err != nil {
		return nil, err
	}
	ready := time.Since(start)
	in := made.(*integrate.Banded)
	least, median := s.measure(in)
	return Row{
		{"dof", part.N()}, {"half_bandwidth", in.HalfBandwidth()}, {"step_us", least}, {"max_rate_hz", math.Floor(1e6 / least)},
		{"median_us", median}, {"make_ms", float64(ready.Microseconds()) / 1e3}, {"elements_x", mesh[0]}, {"elements_y", mesh[1]},
	}, nil
}

// stretchUs is about how long a repeat is: clocks are read around it.
const stretchUs = 1000

// measure gives the least and the median time of a step, µs, under ground motion
// and interface force.
func (s *Scale) measure(in rths.Integrator) (least, median float64) {
	target, felt, window := rths.NewMotion(1), rths.NewReading(1, 1), make([]float64, 3)
	k := 0
	stretch := func(steps int) float64 {
		start := time.Now()
		for range steps {
			window[0] = math.Sin(0.1 * float64(k))
			window[2] = math.Sin(0.1 * float64(k+1))
			felt.F[0] = 1e5 * window[0]
			in.Step(&target, window, &felt)
			k++
		}
		return float64(time.Since(start).Nanoseconds()) / 1e3 / float64(steps)
	}
	steps := max(1, int(stretchUs/stretch(10))) // also brings the matrices near
	var all []float64
	for begin := time.Now(); len(all) < 5 || time.Since(begin) < s.Measure; {
		all = append(all, stretch(steps))
	}
	slices.Sort(all)
	return all[0], all[len(all)/2]
}
