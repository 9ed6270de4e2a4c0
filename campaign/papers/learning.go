package papers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"

	"rths"
	"rths/campaign/suite"
	"rths/scenario"
)

// Learning shows what copies of a device gain as they learn from the one in the laboratory: beside fixed nominal
// parameters, and beside parameters that were fitted off-line to another record.
type Learning struct {
	Storeys   []int     `flag:"storeys" usage:"frames to run, by their storeys: 2, 8"`
	Devices   []string  `flag:"device" usage:"laws of the devices: lugre, bouc-wen"`
	Backlash  []float64 `flag:"backlash-mm" usage:"free play of the device in the laboratory, mm, which the law of the copies has not; 0: none"`
	Records   []string  `flag:"record" usage:"ground motions, two or more: elcentro, kobe, maule, morgan"`
	Delays    []int     `flag:"delay-ms" usage:"delays of the readings that the copies learn from, ms"`
	Perturbed int       `flag:"perturbed" usage:"draws of the nominal parameters for each frame and law"`
	Seed      uint64    `flag:"seed" usage:"seed of sensor noise and nominal parameters"`

	Set suite.Sets `flag:"set" usage:"override of the scenarios, KEY=VALUE, as rths run --set takes them"`
}

var learningSuite = suite.Suite{
	Name:  "learning",
	Short: "Copies of a device that learn from the one in the laboratory, beside fixed and fitted ones",
	Long: `Runs a frame of 2 and of 8 storeys with a friction (LuGre) or a Bouc–Wen device in each storey. The one of
storey 1 is in the laboratory, the others are copies in the numerical part. Nominal stiffness and
friction or yield force of the copies are drawn within ±30 % of the true ones (one draw for the two forces
of LuGre). Without backlash the copies have the law of the device; with one, 1 mm, a law of the wrong class.
Four records move storey 1 by 20 mm.

Each test runs with fixed nominal parameters, with parameters that least squares fit to deformation
and force of the device in the fixed test of the next record, and with copies that learn (devices: learn:
by: ukf, with its defaults). With --delay-ms what they learn from, displacement and force, comes late;
the force that acts on the structure does not.

The force of each copy is compared with the true law along the copy's own deformation. NRMSE, MAE, R²
and TRAC of a test are means over its copies; J4 compares the test with one whose devices are all true.
A table has the mean and the worst test of every group. --json has every run. The study is no publication
and no part of --all. The ground motions are not part of the program: set RTHS_RECORDS or --records.`,
	Example: `  rths benchmark learning --storeys 2 --device bouc-wen --perturbed 1
  rths benchmark learning --backlash-mm 0.5,1,2 --delay-ms 0`,
	New:   func() suite.Study { return newLearning() },
	Apart: true,
}

func newLearning() *Learning {
	return &Learning{Storeys: []int{2, 8}, Devices: []string{"lugre", "bouc-wen"}, Backlash: []float64{0, 1},
		Records: []string{"elcentro", "kobe", "maule", "morgan"}, Delays: []int{0, 20}, Perturbed: 5, Seed: 1}
}

// learningHz is the rate of the loop, and learningWrong how far nominal parameters are from the true ones.
const (
	learningHz    = 1000
	learningWrong = 0.3
)

// learningLaws are the parameters that copies learn, with the true values (N/m, N), and the other keys of the law. The
// stiffness has one error, the forces have another. Of LuGre friction they are those of Malik et al. 2025, Table 1, in
// the direction of the smaller forces.
var learningLaws = map[string]struct {
	keys   []string
	values []float64
	rest   string
}{
	"lugre": {[]string{"stiffness", "coulomb_force", "static_force"}, []float64{6442.5e3, 19.75e3, 21.93e3},
		"bristle_damping: 29610, damping: 0, stribeck_speed: 0.025, mass: 0"},
	"bouc-wen": {[]string{"stiffness", "yield_force"}, []float64{4e6, 19e3},
		"post_yield_ratio: 0.05, exponent: 2, eta1: 0.5, eta2: 0.5, alpha: 0, beta: 0, damping: 0, mass: 0"},
}

// learningFrames are stiffness (N/m) of a storey of 40 t, and the scales with which the records move storey 1 by 20 mm,
// found by regula falsi, of both laws.
var learningFrames = map[int]struct {
	stiffness float64
	scales    map[string]map[string]float64
}{
	2: {6.5e6, map[string]map[string]float64{
		"lugre":    {"elcentro": 0.473, "kobe": 0.204, "maule": 0.327, "morgan": 0.403},
		"bouc-wen": {"elcentro": 0.431, "kobe": 0.177, "maule": 0.298, "morgan": 0.377},
	}},
	8: {18e6, map[string]map[string]float64{
		"lugre":    {"elcentro": 0.804, "kobe": 0.228, "maule": 0.139, "morgan": 0.535},
		"bouc-wen": {"elcentro": 0.787, "kobe": 0.206, "maule": 0.129, "morgan": 0.476},
	}},
}

// learningWindows are the strong parts of the records, s.
var learningWindows = map[string]string{"elcentro": "5, 35", "kobe": "5, 35", "maule": "10, 50", "morgan": "5, 35"}

// learningCase is a test, whatever its copies do.
type learningCase struct {
	Storeys  int     `col:"storeys"`
	Device   string  `col:"device"`
	Backlash float64 `col:"backlash_mm"`
	Draw     int     `col:"draw"`
	Record   string  `col:"record"`
}

// learningRow is a run.
type learningRow struct {
	learningCase  `col:"-"`
	Way           string `col:"way"`
	Delay         int    `col:"delay_ms"`
	Start         string `col:"over_true"` // of the parameters
	End           string `col:"over_true_end"`
	learningScore `col:"-"`
	WorstCopy     float64 `col:"nrmse_worst_copy_pct"`
	J4            float64 `col:"J4_true_pct"`
	Drift         float64 `col:"largest_drift_mm"`
	NotWhite      bool    `col:"residual_not_white"`
	FellBack      int     `col:"fell_back"`
	Status        string  `col:"status"`

	start []float64 // parameters over the true ones
}

// Ways of the copies.
const (
	fixedWay   = "fixed"
	fittedWay  = "fitted off-line"
	learnedWay = "learned"
)

// Run runs the tests.
func (s *Learning) Run(ctx context.Context, lab suite.Lab) (*suite.Result, error) {
	rows, err := s.rows(ctx, lab)
	if err != nil {
		return nil, err
	}
	return &suite.Result{Suite: "learning", Rows: suite.List(rows), Tables: s.tables(rows)}, nil
}

func (s *Learning) check() error {
	if err := cmp.Or(suite.Distinct("frame", s.Storeys, []int{2, 8}),
		suite.Distinct("device", s.Devices, []string{"lugre", "bouc-wen"}), suite.Distinct("backlash", s.Backlash, nil),
		suite.Distinct("record", s.Records, newLearning().Records), suite.Distinct("delay", s.Delays, nil)); err != nil {
		return err
	}
	switch least, most := slices.Min(s.Backlash), slices.Max(s.Backlash); {
	case len(s.Records) < 2:
		return errors.New("one record: want two or more, as parameters are fitted off-line to another one")
	case s.Perturbed < 1 || s.Perturbed > 1e4:
		return fmt.Errorf("%d draws: want 1 to 10 000", s.Perturbed)
	case slices.Min(s.Delays) < 0 || slices.Max(s.Delays) > 1000:
		return fmt.Errorf("delays of %d ms: want 0 to 1000", s.Delays)
	case !(least >= 0 && most <= 20):
		return fmt.Errorf("backlash of %g to %g mm: want 0 to 20", least, most)
	}
	return nil
}

// cases lists the tests: those of one group together, and in it all records of a draw.
func (s *Learning) cases() (out []learningCase) {
	for _, storeys := range s.Storeys {
		for _, of := range s.Devices {
			for _, play := range s.Backlash {
				for draw := range s.Perturbed {
					for _, record := range s.Records {
						out = append(out, learningCase{storeys, of, play, draw + 1, record})
					}
				}
			}
		}
	}
	return out
}

// nominal are the parameters with which copies start, over the true ones: the same for all records.
func (c *learningCase) nominal(seed uint64) []float64 {
	r := rand.New(rand.NewPCG(seed, uint64(c.Draw)<<8|uint64(c.Storeys)<<1|uint64(len(c.Device)&1)))
	draw := func() float64 { return 1 - learningWrong + 2*learningWrong*r.Float64() }
	stiffness, force := draw(), draw()
	return []float64{stiffness, force, force}[:len(learningLaws[c.Device].keys)]
}

// rows runs the fixed copies of all tests and fits parameters to each, then the others.
func (s *Learning) rows(ctx context.Context, lab suite.Lab) ([]learningRow, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	cases := s.cases()
	shaking, err := suite.Shakings(lab, len(cases), func(i int) string { return cases[i].shakes() },
		func(i int) (*scenario.Scenario, error) { return cases[i].scenario(s, []float64{1, 1, 1}, "none") })
	if err != nil {
		return nil, err
	}
	each := 2 + len(s.Delays)
	rows, fits := make([]learningRow, each*len(cases)), make([][]float64, len(cases))
	run := func(i, way int, start []float64, delay int) (*learningRun, error) {
		r := &rows[each*i+way]
		*r = learningRow{learningCase: cases[i], Way: []string{fixedWay, fittedWay, learnedWay}[min(way, 2)], Delay: delay,
			start: start}
		return r.run(ctx, lab, s, shaking[cases[i].shakes()])
	}
	if err := lab.Each(ctx, len(cases), func(i int) error {
		out, err := run(i, 0, cases[i].nominal(s.Seed), 0)
		if err == nil {
			fits[i], err = out.fit()
		}
		return err
	}); err != nil {
		return nil, err
	}
	return rows, lab.Each(ctx, len(cases)*(each-1), func(j int) error {
		i, way := j/(each-1), 1+j%(each-1)
		if way == 1 {
			n := len(s.Records)
			_, err := run(i, way, fits[i/n*n+(i%n+1)%n], 0) // of the next record
			return err
		}
		_, err := run(i, way, cases[i].nominal(s.Seed), s.Delays[way-2])
		return err
	})
}

// shakes names the ground motion of a test.
func (c *learningCase) shakes() string { return fmt.Sprint(c.Storeys, c.Device, c.Record) }

// scenario is a test whose copies start with parameters over the true ones.
func (c *learningCase) scenario(s *Learning, start []float64, by string) (*scenario.Scenario, error) {
	law, frame := learningLaws[c.Device], learningFrames[c.Storeys]
	lab := fmt.Sprintf("kind: %s, %s", c.Device, law.rest)
	copies, bounds := lab, ""
	for i, key := range law.keys {
		v, least := start[i]*law.values[i], 0.5
		if i == 0 {
			least = 0.3 // a play makes the device softer
		}
		lab += fmt.Sprintf(", %s: %g", key, law.values[i])
		copies += fmt.Sprintf(", %s: %g", key, v)
		bounds += fmt.Sprintf("%s: [%g, %g], ", key, least*v, 2*v)
	}
	var masses, stiffnesses, between []string
	for i := range c.Storeys {
		masses, stiffnesses = append(masses, "4e4"), append(stiffnesses, fmt.Sprint(frame.stiffness))
		if i > 0 {
			between = append(between, fmt.Sprintf("[%d, %d]", i, i+1))
		}
	}
	if c.Backlash > 0 {
		lab += fmt.Sprintf(", backlash: %g", c.Backlash/1000)
	} else if c.Device == "bouc-wen" { // the program takes it out of the structure
		stiffnesses[0] = fmt.Sprint(frame.stiffness + law.values[0])
	}
	return scenario.Parse("learning", []byte(fmt.Sprintf(`name: learning
rate_hz: %d
seed: %d
ground: {record: %s, scale: %g, window_s: [%s]}
structure: {kind: shear, masses: [%s], stiffnesses: [%s], damping: {modal_ratio: [0.02]}}
integrator: {kind: rk4}
specimen: {%s}
devices: [{between: [%s], %s,
  learn: {by: %s, parameters: {%s}}}]
transfer: {kind: second-order, omega_rad_s: 300, damping_ratio: 0.7}
compensator: {kind: inverse}
limits: none
sensors: {displacement_noise: 1e-5, force_noise: 200}
`, learningHz, s.Seed+uint64(c.Draw)<<16, c.Record, frame.scales[c.Device][c.Record], learningWindows[c.Record],
		strings.Join(masses, ", "), strings.Join(stiffnesses, ", "), lab, strings.Join(between, ", "), copies, by,
		strings.TrimSuffix(bounds, ", "))), ".", s.Set)
}

// learningRun has what a run showed.
type learningRun struct {
	*suite.Outcome
	x, f []float64   // measured deformation (m) and force (N) of the device in the laboratory
	d, y [][]float64 // deformation and force of each copy
}

// run runs a test and judges it.
func (r *learningRow) run(ctx context.Context, lab suite.Lab, s *Learning, shaking *scenario.Shaking) (*learningRun, error) {
	by := "none"
	if r.Way == learnedWay {
		by = "ukf"
	}
	sc, err := r.scenario(s, r.start, by)
	if err != nil {
		return nil, err
	}
	out := &learningRun{d: make([][]float64, r.Storeys-1), y: make([][]float64, r.Storeys-1)}
	out.Outcome, err = lab.Play(ctx, sc, shaking, func(run *scenario.Run) {
		out.watch(run)
		if r.Delay > 0 {
			late(run, r.Delay*learningHz/1000)
		}
	})
	if err != nil {
		return nil, err
	}
	r.Status, r.J4 = out.Status, suite.Value(out.Values, "J4_true_pct")
	r.Drift = 1000 * floats.Norm(out.x, math.Inf(1))
	end := slices.Clone(r.start)
	if l := out.Learning; l != nil {
		of, law := l.Groups()[0], learningLaws[r.Device]
		for i, p := range of.Parameters {
			at := slices.Index(law.keys, p.Name)
			v, _ := of.Filter.Value(i)
			end[at] = v / law.values[at]
		}
		r.NotWhite, r.FellBack = !of.Filter.White(), of.Filter.FellBack()
	}
	r.Start, r.End = fmt.Sprintf("%.3f", r.start), fmt.Sprintf("%.3f", end)
	return out, r.judge(out)
}

// watch remembers the signals of a run.
func (o *learningRun) watch(run *scenario.Run) {
	find := func(name string) *float64 {
		i := slices.IndexFunc(run.Channels, func(c rths.Channel) bool { return c.Name == name })
		return run.Channels[i].V
	}
	var d, y []*float64
	for i := range o.d {
		d = append(d, find(fmt.Sprintf("device%d_deformation_m", i+1)))
		y = append(y, find(fmt.Sprintf("device%d_force_N", i+1)))
	}
	run.Loop.Attach(suite.Watch(func(f *rths.Frame) {
		if f.Err != nil {
			return
		}
		o.x, o.f = append(o.x, f.InterfaceRead.X[0]), append(o.f, f.InterfaceRead.F[0])
		for i := range d {
			o.d[i], o.y[i] = append(o.d[i], *d[i]), append(o.y[i], *y[i])
		}
	}))
}

// late has devices learn from readings that are n samples old, as if they came over a slower line: nothing else is late.
// It gives the reading that they see.
func late(run *scenario.Run, n int) *rths.Reading {
	past := make([][2]float64, n)
	shown := rths.Reading{Motion: rths.NewMotion(1), F: []float64{0}}
	run.Learning.UseReading(&shown)
	k := 0
	run.Loop.Attach(suite.Watch(func(f *rths.Frame) { // after tick k: of tick k + 1 − n, which tick k + 1 shows
		past[k%n] = [2]float64{f.InterfaceRead.X[0], f.InterfaceRead.F[0]}
		k++
		shown.X[0], shown.F[0] = past[k%n][0], past[k%n][1]
	}))
	return &shown
}
