package analyse

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"

	"gonum.org/v1/gonum/dsp/fourier"

	"rths"
	"rths/model/plant"
	"rths/result/record"
	"rths/scenario"
)

// Capacity says whether an actuator can follow a test: what a perfect actuator would have to do, against its envelope, and
// what the nonlinear actuator did in a run of the whole test.
type Capacity struct {
	Fits         bool              `json:"fits"`
	MarginPct    float64           `json:"margin_pct"`             // the largest factor on the motion that fits, less 1
	AtLeast      bool              `json:"margin_is_more"`         // the largest factor that was tried fits
	First        Limit             `json:"first_limit"`            // the one that ends the margin, at its factor
	TimeScale    float64           `json:"time_scale,omitempty"`   // at which the motion fits, as slow as that; 0: not looked for
	Unslowed     bool              `json:"no_time_scale_fits"`     // however slow
	AmplitudePct float64           `json:"amplitude_pct"`          // the largest that fits
	PerfectPct   float64           `json:"perfect_amplitude_pct"`  // the largest that a perfect actuator follows: see PerfectOf
	Limits       []Limit           `json:"limits"`                 // at the test's amplitude, in the order of a table
	Unresolved   bool              `json:"unresolved"`             // of the run: samples whose equations wanted more evaluations
	Run          string            `json:"run_status"`             // of the run with the nonlinear actuator
	Reason       string            `json:"run_reason,omitempty"`   // why it did not complete
	TopHz        float64           `json:"velocity_99_pct_hz"`     // 99 % of the square of the velocity are below
	ValveHz      float64           `json:"valve_hz"`               // 90° of phase
	ColumnHz     float64           `json:"oil_column_hz"`          // resonance of piston and specimen on the oil, in small motion
	InertiaPct   float64           `json:"load_cell_inertia_pct"`  // largest inertia of the mass beyond the load cell, of the largest force
	NoisePct     float64           `json:"displacement_noise_pct"` // standard deviation of the sensor's noise, of the motion's
	AccelerateMS float64           `json:"acceleration_m_s2"`      // largest of the motion
	PayloadKg    float64           `json:"payload_kg,omitempty"`   // of a shake table: all that the specimen carries along
	PayloadMS    float64           `json:"payload_m_s2,omitempty"` // acceleration that force and payload allow
	BareMS       float64           `json:"bare_m_s2,omitempty"`    // and without it
	Performance  *Performance      `json:"-"`                      // of a shake table; else nil
	Demand       *Demand           `json:"-"`
	Envelope     *plant.Envelope   `json:"-"`
	Envelopes    []*plant.Envelope `json:"-"` // of all actuators
}

// Limit is one thing that an actuator may not have enough of.
type Limit struct {
	What   string        `json:"what"`
	Wanted float64       `json:"wanted"`
	Has    float64       `json:"has"`
	Unit   string        `json:"unit"`
	Axis   int           `json:"actuator,omitempty"` // of several, from 1
	Line   string        `json:"supply,omitempty"`   // of several actuators
	Pct    record.Number `json:"used_pct"`           // +Inf: null
	T      float64       `json:"time_s"`             // of the largest use
	Why    string        `json:"why,omitempty"`
}

// What a Limit is of.
const (
	ofStroke   = "stroke"
	ofSpeed    = "speed under load"
	ofSupply   = "accumulator"
	ofOverturn = "overturning moment"
	ofValve    = "valve in the run"
	ofComplete = "the run itself"
)

// Demand is the motion of a perfect actuator in a test, at each sample, and what it takes from the supply.
type Demand struct {
	RateHz     float64
	X, V       []float64 // m, m/s
	Felt, F    []float64 // force of the specimen, and that of the cylinder with its moving mass and seals, N
	Flow       []float64 // m³/s
	Supply     []float64 // Pa
	Drawn      []float64 // by all actuators of its supply, m³/s; nil: another's, which stands before
	Largest    float64   // force of the specimen, N
	Inertia    float64   // largest force of the mass beyond the load cell, N
	Accelerate float64   // m/s²
	Each       []*Demand // of several actuators, of which this is one; nil: of one
	limits     []Limit
}

const (
	mostFactor  = 8    // on a motion that fits
	leastFactor = 0.01 // of one that does not
	factorStep  = 1.01 // how well the largest factor is known
	nearby      = 1.05 // the largest factor over this has to fit as well
	mostSlow    = 100  // time scale
	fullValve   = 99.9 // %: at its stop
)

var errIncomplete = errors.New("capacity: with a perfect actuator the test does not complete")

// NoEnvelopeError says that a transfer system does not know what its actuator can do.
type NoEnvelopeError struct{ Kind string }

// Error says which kinds do.
func (e *NoEnvelopeError) Error() string {
	return fmt.Sprintf("%s does not say what its actuator can do, and capacity knows hydraulic kinds only: want kind "+
		"servo-hydraulic-nonlinear (or a size of it, servo-hydraulic-25kN or servo-hydraulic-2500kN) with the numbers of "+
		"the data sheet, as in --set transfer.kind=servo-hydraulic-nonlinear", e.Kind)
}

// CapacityOf looks at a scenario, and for the largest motion that fits.
func CapacityOf(ctx context.Context, s *scenario.Scenario, o scenario.Options) (*Capacity, error) {
	l, err := newLoad(ctx, s, o)
	if err != nil {
		return nil, err
	}
	c, err := l.at(1)
	if err != nil {
		return nil, err
	}
	if err := l.describe(c); err != nil {
		return nil, err
	}
	if c.PerfectPct, err = l.perfect(); err != nil {
		return nil, err
	}
	return c, l.margin(c)
}

// newLoad wants a test that can be looked at.
func newLoad(ctx context.Context, s *scenario.Scenario, o scenario.Options) (*load, error) {
	l := &load{ctx: ctx, s: s, o: o}
	if err := l.envelopes(); err != nil {
		return nil, err
	}
	if err := l.wantTable(); err != nil {
		return nil, err
	}
	if s.Perturbed > 0 {
		return nil, s.At("perturbed", errors.New("capacity looks at the plant as it is written: want no random one"))
	}
	if len(s.Initial) > 0 {
		return nil, s.At("initial_displacement", errors.New("capacity scales the motion, and no factor scales a release: want a "+
			"ground motion or a target alone"))
	}
	return l, nil
}

// useOf says in one line what the limits of a hydraulic actuator are used by, as a note, or as a warning where it cannot
// follow; "": the transfer system says nothing of it, or is a random one.
func useOf(ctx context.Context, s *scenario.Scenario, o scenario.Options) (note, warning string, err error) {
	if s.Perturbed > 0 || runtime.GOOS == "js" { // a page in a browser has no second to spare
		return "", "", nil
	}
	l := &load{ctx: ctx, s: s, o: o, quick: true}
	var none *NoEnvelopeError
	if err = l.envelopes(); errors.As(err, &none) {
		return "", "", nil
	} else if err != nil {
		return "", "", err
	}
	var c *Capacity
	if err = l.wantTable(); err == nil {
		c, err = l.at(1)
	}
	switch {
	case ctx.Err() != nil:
		return "", "", context.Cause(ctx)
	case err != nil:
		return "whether the actuator can follow is not known: " + err.Error(), "", nil
	}
	var uses []string
	for _, limit := range worstOfEach(c.Limits) {
		uses = append(uses, limit.what()+" "+limit.used()+" %")
	}
	whose := "actuator's"
	if len(l.all) > 1 {
		whose = "actuators'"
	}
	line := "of the " + whose + " limits the test uses: " + strings.Join(uses, ", ")
	if c.Fits {
		return line + " (rths capacity says how much is in hand)", "", nil
	}
	return "", line + ": want a larger actuator, valve or supply, or a weaker motion (rths capacity says which fits)", nil
}

// load is a scenario whose actuator is loaded.
type load struct {
	ctx      context.Context
	s        *scenario.Scenario
	o        scenario.Options
	envelope *plant.Envelope
	all      []*plant.Envelope // of all actuators, the first too
	quick    bool              // no run of a test that does not fit
}

// at is what the test asks for at a factor on its motion.
func (l *load) at(factor float64) (*Capacity, error) {
	c := &Capacity{Envelope: l.envelope, Envelopes: l.all}
	sized, err := l.sized(factor)
	if err != nil {
		return nil, err
	}
	if c.Demand, err = l.demand(sized); errors.Is(err, errIncomplete) && factor != 1 {
		c.Limits = []Limit{{What: ofComplete, Pct: record.Number(math.Inf(1)), Why: err.Error()}}
		return c, nil
	} else if err != nil {
		return nil, err
	}
	c.Limits = c.Demand.limits
	if worst := worstOf(c.Limits); worst.Pct > 100 && (factor != 1 || l.quick) {
		return c, nil // the run takes ten times as long, and would say the same
	}
	valves, err := l.run(sized, c)
	if err != nil {
		return nil, err
	}
	c.Limits = append(c.Limits, valves...)
	worst := worstOf(c.Limits)
	c.Fits = worst.Pct <= 100
	return c, nil
}

// sized is the test at a factor on its motion.
func (l *load) sized(factor float64) (*scenario.Scenario, error) {
	if factor == 1 {
		return l.s, nil
	}
	s, err := l.s.With(fmt.Sprintf("amplitude=%g", cmp.Or(l.s.Amplitude, 1)*factor))
	if err != nil {
		return nil, fmt.Errorf("capacity: %g times the motion: %w", factor, err)
	}
	return s, nil
}

func worstOf(limits []Limit) (worst Limit) {
	for _, l := range limits {
		if l.Pct > worst.Pct || worst.What == "" {
			worst = l
		}
	}
	return worst
}

// demand runs the test with a perfect actuator, without noise.
func (l *load) demand(sized *scenario.Scenario) (*Demand, error) {
	perfect, err := sized.With("transfer={kind: ideal}", "compensator={kind: none}", "each=[]", "faults=[]", "scatter=")
	if err != nil {
		return nil, fmt.Errorf("capacity: with a perfect actuator: %w", err)
	}
	perfect.Limits = scenario.Limits{} // nothing moves
	o := l.o
	o.Shared = nil
	r, err := perfect.Build(l.ctx, o)
	if err != nil {
		return nil, fmt.Errorf("capacity: with a perfect actuator: %w", err)
	}
	r.Loop.Idealise(true)
	all := make([]*Demand, perfect.Axes())
	for i := range all {
		all[i] = &Demand{RateHz: perfect.RateHz}
	}
	err = r.Loop.Run(1, func() bool {
		if f := r.Loop.Frame(); r.Loop.Ticks() > 0 {
			for i, d := range all {
				d.X, d.Felt = append(d.X, f.Read.X[i]), append(d.Felt, f.Read.F[i])
			}
		}
		return l.ctx.Err() == nil
	})
	if l.ctx.Err() != nil {
		return nil, context.Cause(l.ctx)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w: want a test that does", errIncomplete, err)
	}
	if n := len(all[0].X); n < 3 {
		return nil, fmt.Errorf("capacity: the test has %d samples: want more", n)
	}
	return l.fill(all)
}

// slowed is the motion so many times as slow. A specimen with states gets samples as close as those of the test.
func (l *load) slowed(d *Demand, slow float64) (*Demand, error) {
	specimen, err := l.s.MakeSpecimen()
	if err != nil {
		return nil, err
	}
	parts := 1
	if specimen.States() > 0 {
		parts = int(math.Ceil(slow))
	}
	each, rate := d.All(), d.RateHz*float64(parts)/slow
	n := len(each)
	out, perfect := make([]*Demand, n), make([]plant.TransferMaker, n)
	for i := range each {
		out[i], perfect[i] = &Demand{RateHz: rate}, &plant.Ideal{}
	}
	p, err := maker(perfect, specimen).Make(plant.At{RateHz: rate, Specimen: specimen})
	if err != nil {
		return nil, fmt.Errorf("capacity: time scale %g: %w", slow, err)
	}
	now, u := rths.NewReading(n, n), make([]float64, n)
	for k := range (len(d.X)-1)*parts + 1 {
		for i, d := range each {
			u[i] = between(d.X, float64(k)/float64(parts))
		}
		p.Step(&now, u)
		for i, d := range out {
			d.X, d.Felt = append(d.X, now.X[i]), append(d.Felt, now.F[i])
		}
	}
	return l.fill(out)
}

// between is x, of two or more samples, at a sample and part of one: a cubic through it and its neighbours, whose slopes are
// continuous. Before and after it is straight.
func between(x []float64, at float64) float64 {
	last := len(x) - 1
	near := func(j int) float64 {
		switch {
		case j < 0:
			return x[0] + float64(j)*(x[1]-x[0])
		case j > last:
			return x[last] + float64(j-last)*(x[last]-x[last-1])
		}
		return x[j]
	}
	i := int(at)
	s, a, b := at-float64(i), near(i), near(i+1)
	m, n := (b-near(i-1))/2, (near(i+2)-a)/2
	return a + s*(m+s*(3*(b-a)-2*m-n+s*(m+n-2*(b-a))))
}

// fill finds velocities, the forces of the cylinder and what the supply gives. mass (kg) is beyond the load cell.
func (d *Demand) fill(mass float64, e *plant.Envelope) {
	d.move(e, 0)
	d.Inertia, d.Drawn = mass*d.Accelerate, d.Flow
	stored := d.supplied(e, d.Drawn)
	if d.hold(e, 0); stored.Has > 0 {
		d.limits = append(d.limits, stored)
	}
}

// use keeps the largest use of what there is.
func (l *Limit) use(wanted, has, t float64) {
	pct := record.Number(math.Inf(1)) // where nothing is left
	if has > 0 {
		pct = record.Number(100 * wanted / has)
	}
	if pct > l.Pct || l.Pct == 0 {
		l.Wanted, l.Has, l.Pct, l.T = wanted, has, pct, t
	}
}

// run makes the test with its own actuators and reads their valves.
func (l *load) run(sized *scenario.Scenario, c *Capacity) ([]Limit, error) {
	sound, err := sized.With("faults=[]") // what is asked is whether the actuators can, not what a fault does
	if err != nil {
		return nil, err
	}
	r, err := sound.Build(l.ctx, l.o)
	if err != nil {
		return nil, err
	}
	var valves []Limit
	var openings []*float64
	for _, ch := range r.Channels {
		if ch.Quantity == "valve" {
			openings, valves = append(openings, ch.V), append(valves, Limit{What: ofValve, Axis: ch.Axis, Unit: "%", Has: 100})
		}
	}
	if openings == nil {
		return nil, errors.New("capacity: the rig of this run shows no valve: want a virtual one")
	}
	err = r.Loop.Run(1, func() bool {
		for i := range valves {
			at := math.Abs(*openings[i])
			if at >= fullValve {
				at = math.Inf(1)
			}
			valves[i].use(at, 100, r.Loop.Frame().T)
		}
		return l.ctx.Err() == nil
	})
	if l.ctx.Err() != nil {
		return nil, context.Cause(l.ctx)
	}
	for i := range valves {
		valves[i].Wanted = min(valves[i].Wanted, 100)
	}
	for _, ch := range r.Channels {
		c.Unresolved = c.Unresolved || ch.Quantity == "unresolved" && *ch.V > 0
	}
	c.Run, c.Reason = r.Status(err)
	if c.Run != rths.Completed {
		return []Limit{{What: ofComplete, Pct: record.Number(math.Inf(1)), T: r.Loop.Frame().T, Why: c.Reason}}, nil
	}
	return valves, nil
}

// margin looks for the largest factor that fits, and the time scale of a motion that does not.
func (l *load) margin(c *Capacity) error {
	low, high, least := 0.0, 1.0, 0.0
	c.First = worstOf(c.Limits)
	if c.Fits {
		least = 1
		for low, high = 1, 2; high <= mostFactor; low, high = high, 2*high {
			next, err := l.at(high)
			if err != nil {
				return err
			}
			if !next.Fits {
				c.First = worstOf(next.Limits)
				break
			}
		}
	}
	for {
		c.AtLeast = high > mostFactor
		for !c.AtLeast && (low == 0 && high > leastFactor || low > 0 && high/low > factorStep) {
			middle := (low + high) / 2
			if low > 0 {
				middle = math.Sqrt(low * high)
			}
			next, err := l.at(middle)
			if err != nil {
				return err
			}
			if next.Fits {
				low = middle
			} else {
				high, c.First = middle, worstOf(next.Limits)
			}
		}
		if low <= least {
			break
		}
		below, err := l.at(low / nearby) // an adaptive compensator may want more of the valve in a smaller motion
		if err != nil {
			return err
		}
		if below.Fits {
			break
		}
		low, high, c.First = least, low/nearby, worstOf(below.Limits)
	}
	c.MarginPct, c.AmplitudePct = 100*(low-1), 100*low
	if !c.Fits {
		c.First = worstOf(c.Limits)
		return l.slower(c)
	}
	return nil
}

// slower looks for the time scale of the same motion, and plays it through the actuator by itself.
func (l *load) slower(c *Capacity) error {
	fits := func(slow float64) (bool, error) {
		d, err := l.slowed(c.Demand, slow)
		if err != nil || worstOf(d.limits).Pct > 100 {
			return false, err
		}
		return l.plays(slow, c.Demand)
	}
	stroke := slices.ContainsFunc(c.Demand.limits, func(l Limit) bool { return l.What == ofStroke && l.Pct > 100 })
	for slow := 1.1; slow <= mostSlow && !stroke; slow *= 1.1 { // no time scale is of use to a stroke
		ok, err := fits(slow)
		if err != nil {
			return err
		}
		if ok {
			c.TimeScale = slow
			return nil
		}
	}
	c.Unslowed = true
	return nil
}

// plays reports whether the actuators play a motion so many times as slow without opening a valve fully.
func (l *load) plays(slow float64, d *Demand) (bool, error) {
	specimen, err := l.s.MakeSpecimen()
	if err != nil {
		return false, err
	}
	p, err := maker(l.s.Transfers(), specimen).Make(plant.At{RateHz: l.s.RateHz, Specimen: specimen})
	if err != nil {
		return false, fmt.Errorf("transfer: %w", err)
	}
	each, channels := d.All(), p.(rths.Channeler).Channels()
	n := len(each)
	now, u := rths.NewReading(n, n), make([]float64, n)
	for k := 0; ; k++ {
		at := float64(k) / slow
		if int(at)+1 >= len(d.X) {
			return true, nil
		}
		for i, d := range each {
			u[i] = between(d.X, at)
		}
		p.Step(&now, u)
		for _, ch := range channels {
			if ch.Quantity == "valve" && math.Abs(*ch.V) >= fullValve {
				return false, nil
			}
		}
		if k%4096 == 0 && l.ctx.Err() != nil {
			return false, context.Cause(l.ctx)
		}
	}
}

// describe finds what is no limit, but says how the limits come about: of several actuators that of the one that limits
// most.
func (l *load) describe(c *Capacity) error {
	d := c.Demand
	if c.AccelerateMS = d.Accelerate; d.Largest > 0 {
		c.InertiaPct = 100 * d.Inertia / d.Largest
	}
	specimen, err := l.s.MakeSpecimen()
	if err != nil {
		return err
	}
	l.table(c, specimen)
	sd := l.s.Sensors.DisplacementSD(l.s.RateHz)
	m, k := smallMotion(specimen)
	c.ValveHz = math.Inf(1)
	for i, d := range d.All() {
		e := l.all[i]
		c.ValveHz, c.TopHz = min(c.ValveHz, e.ValveHz), max(c.TopHz, topOf(d.V, d.RateHz))
		m.Set(i, i, m.At(i, i)+e.MovingKg)
		k.Set(i, i, k.At(i, i)+e.OilColumn)
		mean, square := 0.0, 0.0
		for _, x := range d.X {
			mean += x / float64(len(d.X))
			square += x * x / float64(len(d.X))
		}
		if spread := math.Sqrt(square - mean*mean); spread > 0 {
			c.NoisePct = max(c.NoisePct, 100*sd/spread)
		}
	}
	c.ColumnHz, err = slowest(m, k)
	return err
}

// topOf is the frequency (Hz) below which 99 % of the square of a signal are.
func topOf(v []float64, rateHz float64) float64 {
	total, power := 0.0, []float64{}
	for _, c := range fourier.NewFFT(len(v)).Coefficients(nil, v) {
		total += real(c)*real(c) + imag(c)*imag(c)
		power = append(power, total)
	}
	if total == 0 {
		return 0
	}
	at, _ := slices.BinarySearch(power, 0.99*total)
	return float64(at) * rateHz / float64(len(v))
}
