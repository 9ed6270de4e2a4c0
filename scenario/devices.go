package scenario

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"rths/maths/words"
	"rths/method/learn"
	"rths/model/device"
	"rths/model/integrate"
	"rths/model/plant"
	"rths/model/structure"
	"rths/scenario/syntax"
)

// Devices are like devices of the numerical part: where they stand, the law with its keys, and what they learn.
type Devices struct {
	DeviceGroup `yaml:",inline"`
	syntax.Choice[plant.SpecimenMaker]
}

// DeviceGroup has the keys beside those of the law.
type DeviceGroup struct {
	Between [][]int   `yaml:"between" doc:"pairs of degrees of freedom, from 1, that a device stands between; 0 is the ground and stands first, as in [[0, 1], [1, 2]]"`
	Learn   *Learning `yaml:"learn,omitempty" doc:"the devices learn from the one in the laboratory: numbers of their law change during the test; left out: they stay as they are"`
}

// Learning is the block learn of devices.
type Learning struct {
	From       string               `yaml:"from" doc:"specimen: the device in the laboratory, whose displacement and force are measured"`
	Parameters map[string][]float64 `yaml:"parameters" doc:"keys of the law that are learned, with bounds around the value above, as in {yield_force: [1e4, 4e4]}; at most 6"`
	By         string               `yaml:"by" doc:"ukf: constrained unscented Kalman filter; rls: least squares over the last 10 s, for a force that is linear in the parameters; none: they stay as they are, to compare"`
	ForceNoise float64              `yaml:"force_noise,omitempty" doc:"standard deviation of what the force is measured with and of what the law leaves out, N; left out: the noise of the sensors, and at least 1 % of the force that the law has at 10 mm and 0.3 m/s"`
	Distinct   bool                 `yaml:"distinct,omitempty" doc:"true: rths lint refuses a test whose predicted motion does not tell the parameters apart; left out: a note says it"`
	StillBelow float64              `yaml:"still_below" doc:"speed of the specimen below which nothing is learned, m/s"`
}

// nothing learns.
const nothing = "none"

// Prepare sets the table.
func (g *Devices) Prepare() { g.Choice = syntax.NewChoice(slices.Concat(plant.Devices, ownDevices)) }

// Own has the keys beside those of the law.
func (g *Devices) Own() any { return &g.DeviceGroup }

// Choose decodes the block.
func (g *Devices) Choose(d *syntax.Decoder, path string, n *syntax.Node) { g.With(d, path, n, g.Own()) }

// Prepare sets the defaults.
func (l *Learning) Prepare() { l.From, l.By, l.StillBelow = "specimen", "ukf", 0.01 }

// learns reports whether a group of devices learns.
func (s *Scenario) learns() bool {
	return slices.ContainsFunc(s.Devices, func(g Devices) bool { return g.Learn != nil })
}

// checkDevices refuses what needs no structure to be seen.
func (s *Scenario) checkDevices(want func(key string, ok bool, format string, args ...any)) {
	if len(s.Devices) == 0 {
		return
	}
	want("devices", s.Structure.Given() && s.External() == nil,
		"without a structure of this program: want one that the devices stand in")
	for i := range s.Devices {
		g, key := &s.Devices[i], fmt.Sprintf("devices[%d]", i+1)
		want(key+".between", len(g.Between) > 0, "missing: want pairs of degrees of freedom, as in [[0, 1], [1, 2]]")
		for _, p := range g.Between {
			want(key+".between", len(p) == 2, "%d: want pairs, as in [[0, 1], [1, 2]]", p)
		}
		if l := g.Learn; l != nil {
			l.check(s, key+".learn", want)
		}
	}
}

func (l *Learning) check(s *Scenario, key string, want func(key string, ok bool, format string, args ...any)) {
	want(key+".from", l.From == "specimen", "%q: want specimen, the device in the laboratory", l.From)
	want(key+".by", slices.Contains([]string{"ukf", "rls", nothing}, l.By), "%q: want ukf, rls or none", l.By)
	want(key+".still_below", l.StillBelow >= 0 && l.StillBelow <= 10, "%g m/s: want 0 to 10", l.StillBelow)
	want(key+".force_noise", l.ForceNoise >= 0 && l.ForceNoise <= 1e12, "%g N: want more than 0, or no key", l.ForceNoise)
	want(key+".parameters", len(l.Parameters) > 0, "missing: want bounds of what is learned, as in {stiffness: [1e5, 4e5]}")
	want(key, s.Force == "measured",
		"with force: computed, which has the law of the model and nothing to learn from: want force: measured")
	want(key, len(s.Interface) == 0 && !s.Coupler.Given(),
		"with several actuators: want one actuator, whose displacement is the deformation of its specimen")
	want(key, !s.OnShakeTable(), "with interface_motion %s: the device in the laboratory would stand on the table: want "+
		"the displacement of the interface as its deformation", s.Motion)
	want(key, !s.Separate(), "with process: own, which does not see the readings: want the numerical part in the loop")
}

// devices puts the devices beside the structure.
func (b *builder) devices() error {
	if b.bare = b.run.Whole; b.bare == nil {
		return nil
	}
	read, err := b.s.readModules(b.o.Shared, b.s.ownLaws())
	if err != nil {
		return err
	}
	b.run.Inputs = append(b.run.Inputs, read...)
	var list []structure.Device
	b.learned = make([][]device.Parameter, len(b.s.Devices))
	for i := range b.s.Devices {
		g, key := &b.s.Devices[i], fmt.Sprintf("devices[%d]", i+1)
		law, numbers, err := plant.DeviceOf(g.Params, g.Learn != nil)
		if err != nil {
			return b.s.atBlock(key, "", err)
		}
		of := structure.Device{Law: law}
		of.K, of.C = law.AtRest()
		if g.Learn != nil {
			if of.Learned, err = g.Learn.bounded(b.s, key+".learn.parameters", law, numbers); err != nil {
				return err
			}
			device.Corners(of.Learned, func() {
				_, c := law.AtRest()
				of.C = min(of.C, c) // beyond, a device damps more than the matrices: see integrate
			})
			b.learned[i] = of.Learned
		}
		for _, p := range g.Between {
			of.Number, of.Down, of.Up = len(list)+1, p[0]-1, p[1]-1
			if err := wantPair(p, b.run.Whole); err != nil {
				return b.s.At(key+".between", err)
			}
			list = append(list, of)
		}
	}
	whole, err := b.bare.Fit(list)
	if err == nil {
		b.run.Whole = whole
	}
	return err
}

func wantPair(p []int, of *structure.Structure) error {
	for _, dof := range p {
		if dof < 0 || dof > of.N {
			return fmt.Errorf("degree of freedom %d: want 1 to %d, or 0 for the ground", dof, of.N)
		}
	}
	switch {
	case p[0] == p[1]:
		return fmt.Errorf("%d and %d: want two degrees of freedom, or one and 0, the ground", p[0], p[1])
	case p[1] == 0:
		return fmt.Errorf("[%d, 0]: want the ground first, [0, %d]: the deformation is the second displacement less the first",
			p[0], p[0])
	}
	return nil
}

// widest is the largest ratio of two bounds.
const widest = 1e9

// bounded are the numbers of a law that are learned, with their bounds.
func (l *Learning) bounded(s *Scenario, key string, law device.Law, numbers []device.Parameter) ([]device.Parameter, error) {
	var out []device.Parameter
	for _, name := range slices.Sorted(maps.Keys(l.Parameters)) {
		i := slices.IndexFunc(numbers, func(p device.Parameter) bool { return p.Name == name })
		at, bounds := key+"."+name, l.Parameters[name]
		if i < 0 {
			return nil, s.At(at, unlearnable(name, numbers))
		}
		p := numbers[i]
		if !(*p.V > 0) {
			return nil, s.At(at, fmt.Errorf("begins at %g %s: want a value above 0 beside kind, from which it is learned", *p.V,
				p.Unit))
		}
		if len(bounds) != 2 {
			return nil, s.At(at, fmt.Errorf("%g: want the least and the largest value, as in [%g, %g]", bounds, *p.V/2, *p.V*2))
		}
		if p.Low, p.High = bounds[0], bounds[1]; !(p.Low > 0 && p.Low < *p.V && *p.V < p.High && p.High <= math.MaxFloat64) {
			return nil, s.At(at, fmt.Errorf("[%g, %g]: want bounds above 0 around %g %s, the value where the test begins", p.Low,
				p.High, *p.V, p.Unit))
		}
		if !(p.High/p.Low <= widest) {
			return nil, s.At(at, fmt.Errorf("[%g, %g]: want bounds at most %g times as far apart", p.Low, p.High, widest))
		}
		out = append(out, p)
	}
	var err error
	device.Corners(out, func() { err = errors.Join(err, plant.CheckDevice(law)) })
	if err != nil {
		first, _, _ := strings.Cut(err.Error(), "\n")
		return nil, s.At(key, fmt.Errorf("at a corner of the bounds: %s", first))
	}
	return out, nil
}

func unlearnable(name string, numbers []device.Parameter) error {
	var names []string
	for _, p := range numbers {
		names = append(names, p.Name)
	}
	if len(names) == 0 {
		return errors.New("cannot be learned: a device of this kind has no numbers that can; want another kind")
	}
	hint := ""
	if near := words.Like(name, names); near != nil {
		hint = fmt.Sprintf(": did you mean %s?", words.Either(near, 3))
	}
	return fmt.Errorf("cannot be learned%s: want one of %s", hint, strings.Join(names, ", "))
}

// learn has devices learn from what is felt at the interface.
func (b *builder) learn() error {
	if !b.s.learns() {
		return nil
	}
	if m := b.spec.Mass(); m != 0 {
		return b.s.At(b.s.specimenKey(), fmt.Errorf("mass %g kg: the measured force has its inertia, which devices would learn: "+
			"want 0, and the mass in the structure", m))
	}
	slowest := math.Inf(1)
	for i := range b.s.Devices {
		if l := b.s.Devices[i].Learn; l != nil && l.StillBelow > 0 {
			slowest = min(slowest, l.StillBelow)
		}
	}
	if math.IsInf(slowest, 1) {
		slowest = 0
	}
	block := learn.Block(b.s.RateHz, b.s.Sensors.DisplacementSD(b.s.RateHz), slowest)
	var groups []*learn.Group
	for i, p := range b.learned {
		if len(p) == 0 || b.s.Devices[i].Learn.By == nothing {
			continue
		}
		key := fmt.Sprintf("devices[%d].learn", i+1)
		at := slices.IndexFunc(b.part.Devices, func(d structure.Device) bool { return len(d.Learned) > 0 && &d.Learned[0] == &p[0] })
		law := b.part.Devices[at].Law
		filter, err := b.filter(b.s.Devices[i].Learn, law, p, block)
		if err != nil {
			return b.s.At(key, err)
		}
		groups = append(groups, &learn.Group{Name: fmt.Sprintf("learn%d", i+1), Number: i + 1, Law: law, Parameters: p,
			Filter: filter})
	}
	if len(groups) == 0 {
		return nil
	}
	at, err := learn.NewIntegrator(b.integ, groups, 0, b.s.RateHz, block)
	if err != nil {
		return err
	}
	if b.start != nil {
		at.Bring(b.start.Target[0])
	}
	b.integ, b.run.Learning = at, at
	return nil
}

// pinnedS is how long parameters may stand at a bound, s.
const pinnedS = 1

func (b *builder) filter(l *Learning, law device.Law, p []device.Parameter, block int) (learn.Filter, error) {
	noise := l.ForceNoise
	if noise == 0 {
		noise = b.forceNoise(law, block)
	}
	set := learn.Settings{RateHz: b.s.RateHz / float64(block), Noise: noise, StillBelow: l.StillBelow, PinnedS: pinnedS}
	if l.By == "rls" {
		return learn.NewRLS(law, p, set)
	}
	return learn.NewUKF(law, p, set)
}

// forceNoise is the noise of a block's force, that of its displacement and speed as the law shows it, and at least 1 % of
// the typical force.
func (b *builder) forceNoise(law device.Law, block int) float64 {
	const v, by = 0.1, 1e-3 // m/s
	z, n := make([]float64, law.States()), math.Sqrt(float64(block))
	k, _ := law.AtRest()
	c := (law.Force(0, v+by, z) - law.Force(0, v-by, z)) / (2 * by)
	x := b.s.Sensors.DisplacementSD(b.s.RateHz)
	moved := math.Hypot(k*x/n, c*learn.SlopeSD(block, x, b.s.RateHz))
	return math.Hypot(max(b.s.Sensors.ForceSD(b.s.RateHz)/n, 0.01*typicalForce(law)), moved)
}

// typicalForce is the largest force of a law in two cycles of 10 mm and 0.3 m/s.
func typicalForce(law device.Law) (most float64) {
	const steps = 400
	path, err := device.NewPath(law, 4*math.Pi*0.01/0.3/steps)
	if err != nil {
		return 0
	}
	for _, f := range path.Swing(steps) {
		most = max(most, math.Abs(f))
	}
	return most
}

// teacher is what devices learn from; nil: none do.
func (b *builder) teacher() integrate.Specimen {
	if !b.s.learns() {
		return nil
	}
	return b.spec
}
