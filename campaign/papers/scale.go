package papers

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"rths"
	"rths/campaign/suite"
	"rths/model/integrate"
	"rths/model/structure"
	"rths/result/panels"
	"rths/result/plotting"
)

// Scale measures the time of a step of a finite-element foundation over its degrees of
// freedom: the foundation of Zhu et al. 2014 in finer meshes, with Gui-λ, λ = 3, and the
// published main step, on one core.
type Scale struct {
	MaxDOF int `flag:"max-dof" usage:"leave out larger meshes"`

	measure time.Duration // of every mesh
}

var scaleSuite = suite.Suite{
	Name:  "scale",
	Short: "Cost of a step of finite-element foundations of 234 to 20000 degrees of freedom",
	Long: `Measures a step of the foundation of Zhu et al. 2014 (60 m × 40 m, plane-strain
quads, Rayleigh damping) in meshes of 234, 1240, 5002 and 20000 free degrees of
freedom: Gui-λ with λ = 3, one banded solution and one sparse product, on one core.
step_us is the fastest of many repeats, median_us their median, make_ms the time of
assembly and factorisation.`,
	Example: `  rths benchmark scale
  rths benchmark scale --out cost`,
	New: func() suite.Study { return &Scale{MaxDOF: 20000, measure: time.Second / 2} },
}

// scaleMeshes are elements along width and depth: 234, 1240, 5002 and 20000 free degrees
// of freedom.
var scaleMeshes = [][2]int{{14, 9}, {32, 20}, {62, 41}, {126, 80}}

// Of Zhu et al. 2014: main step (s), sampling rate of the controller (Hz), and the largest
// model they ran.
const (
	zhuStep = 40.0 / 2048
	zhuRate = 2048.0
	zhuDOF  = 1240
)

// scaleRow is a mesh: the fastest of many repeats (the machine may be shared), the median,
// and the time of assembly and factorisation.
type scaleRow struct {
	Mesh     string  `print:"%s" head:"elements"`
	DOF      int     `col:"dof" print:"%d"`
	Band     int     `col:"half_bandwidth" print:"%d"`
	StepUs   float64 `col:"step_us" print:"%.1f"`
	MaxRate  float64 `col:"max_rate_hz" print:"%.0f"`
	MedianUs float64 `col:"median_us" print:"%.1f"`
	MakeMs   float64 `col:"make_ms" print:"%.0f"`
	X        int     `col:"elements_x"`
	Y        int     `col:"elements_y"`
}

// Run measures all meshes.
func (s *Scale) Run(ctx context.Context, _ suite.Lab) (*suite.Result, error) {
	rows, err := s.rows(ctx)
	if err != nil {
		return nil, err
	}
	return suite.OneTable("scale", rows,
		fmt.Sprintf("\nZhu et al. 2014 ran %d degrees of freedom with a main step of %.0f µs, on a computer of its own;\na "+
			"controller at %g Hz leaves %.0f µs.\n",
			zhuDOF, zhuStep*1e6, zhuRate, 1e6/zhuRate)), nil
}

func (s *Scale) rows(ctx context.Context) (rows []scaleRow, err error) {
	for _, mesh := range scaleMeshes {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if 2*(mesh[0]-1)*mesh[1] > s.MaxDOF { // base and sides are fixed
			continue
		}
		row, err := s.row(mesh)
		if err != nil {
			return nil, fmt.Errorf("%d × %d elements: %w", mesh[0], mesh[1], err)
		}
		rows = append(rows, row)
	}
	if len(rows) == 0 {
		return nil, fmt.Errorf("no mesh of at most %d degrees of freedom: want %d or more", s.MaxDOF,
			2*(scaleMeshes[0][0]-1)*scaleMeshes[0][1])
	}
	return rows, nil
}

func (s *Scale) row(mesh [2]int) (row scaleRow, err error) {
	kind, err := rths.Find(structure.Kinds, "fe-foundation")
	if err != nil {
		return row, err
	}
	p := kind.Defaults().(*structure.FEFoundation)
	p.NX, p.NY = mesh[0], mesh[1]
	start := time.Now()
	whole, err := p.Make()
	if err != nil {
		return row, err
	}
	part, err := whole.Divide(whole.Interface, 0, 0, 0)
	if err != nil {
		return row, err
	}
	made, err := (&integrate.Gui{Lambda: 3}).Make(part, zhuStep)
	if err != nil {
		return row, err
	}
	ready := time.Since(start)
	in := made.(*integrate.Banded)
	least, median := s.times(in)
	return scaleRow{
		Mesh: fmt.Sprintf("%d × %d", mesh[0], mesh[1]), DOF: part.N(), Band: in.HalfBandwidth(), StepUs: least,
		MaxRate:  math.Floor(1e6 / least),
		MedianUs: median, MakeMs: float64(ready.Microseconds()) / 1e3, X: mesh[0], Y: mesh[1],
	}, nil
}

// Drawing is the usage of --out.
func (s *Scale) Drawing() string { return "the plot scale.png and scale.svg" }

// Draw draws the cost over the degrees of freedom.
func (s *Scale) Draw(dir string, r *suite.Result) ([]string, error) {
	var dof, us []float64
	for _, row := range r.Rows {
		dof, us = append(dof, float64(row.(scaleRow).DOF)), append(us, row.(scaleRow).StepUs)
	}
	ends, limit := []float64{dof[0], dof[len(dof)-1]}, 1e6/zhuRate
	return panels.Draw(dir, "scale", "Cost of a step of an FE foundation, one core", []panels.Panel{{
		X: "free degrees of freedom", Y: "time of a step, µs", LogX: true, LogY: true,
		Lines: []panels.Line{
			{Name: "banded solution and product", X: dof, Y: us, Colour: plotting.Blue, Dots: true},
			{Name: fmt.Sprintf("step at %g Hz", zhuRate), X: ends, Y: []float64{limit, limit}, Colour: plotting.Vermillion,
				Dashed: true},
			{Name: "main step of Zhu et al. 2014", X: []float64{zhuDOF}, Y: []float64{zhuStep * 1e6}, Colour: plotting.Green,
				Dots: true},
		},
	}})
}

// stretchUs is the length of a repeat, about, µs: clocks are read around a repeat.
const stretchUs = 1000

// times gives the least and the median time of a step, µs, under ground motion
// and interface force.
func (s *Scale) times(in rths.Integrator) (least, median float64) {
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
	for begin := time.Now(); len(all) < 5 || time.Since(begin) < s.measure; {
		all = append(all, stretch(steps))
	}
	slices.Sort(all)
	return all[0], all[len(all)/2]
}
