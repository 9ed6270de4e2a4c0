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
	Fits         bool            `json:"fits"`
	MarginPct    float64         `json:"margin_pct"`             // the largest factor on the motion that fits, less 1
	AtLeast      bool            `json:"margin_is_more"`         // the largest factor that was tried fits
	First        Limit           `json:"first_limit"`            // the one that ends the margin, at its factor
	TimeScale    float64         `json:"time_scale,omitempty"`   // at which the motion fits, as slow as that; 0: not looked for
	Unslowed     bool            `json:"no_time_scale_fits"`     // however slow
	AmplitudePct float64         `json:"amplitude_pct"`          // the largest that fits
	PerfectPct   float64         `json:"perfect_amplitude_pct"`  // the largest that a perfect actuator follows: see PerfectOf
	Limits       []Limit         `json:"limits"`                 // at the test's amplitude, in the order of a table
	Unresolved   bool            `json:"unresolved"`             // of the run: samples whose equations wanted more evaluations
	Run          string          `json:"run_status"`             // of the run with the nonlinear actuator
	Reason       string          `json:"run_reason,omitempty"`   // why it did not complete
	TopHz        float64         `json:"velocity_99_pct_hz"`     // 99 % of the square of the velocity are below
	ValveHz      float64         `json:"valve_hz"`               // 90° of phase
	ColumnHz     float64         `json:"oil_column_hz"`          // resonance of piston and specimen on the oil, in small motion
	InertiaPct   float64         `json:"load_cell_inertia_pct"`  // largest inertia of the mass beyond the load cell, of the largest force
	NoisePct     float64         `json:"displacement_noise_pct"` // standard deviation of the sensor's noise, of the motion's
	AccelerateMS float64         `json:"acceleration_m_s2"`      // largest of the motion
	Demand       *Demand         `json:"-"`
	Envelope     *plant.Envelope `json:"-"`
}

// Limit is one thing that an actuator may not have enough of.
type Limit struct {
	What   string        `json:"what"`
	Wanted float64       `json:"wanted"`
	Has    float64       `json:"has"`
	Unit   string        `json:"unit"`
	Pct    record.Number `json:"used_pct"` // +Inf: null
	T      float64       `json:"time_s"`   // of the largest use
	Why    string        `json:"why,omitempty"`
}

// What a Limit is of.
const (
	ofStroke   = "stroke"
	ofSpeed    = "speed under load"
	ofSupply   = "accumulator"
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
	Largest    float64   // force of the specimen, N
	Inertia    float64   // largest force of the mass beyond the load cell, N
	Accelerate float64   // m/s²
	limits     []Limit
}

const (
	mostFactor  = 8    // on a motion that fits
	leastFactor = 0.01 // of one that does not
	factorStep  = 1.01 // how well the largest factor is known
	mostSlow    = 100  // time scale
	fullValve   = 99.9 // %: at its stop
)

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

// PerfectOf is the largest amplitude, % of the scenario's, whose motion a perfect actuator follows within stroke, speed
// under load and oil, to 1 %, at most 800: what no compensator can pass.
func PerfectOf(ctx context.Context, s *scenario.Scenario, o scenario.Options) (float64, error) {
	l, err := newLoad(ctx, s, o)
	if err != nil {
		return 0, err
	}
	return l.perfect()
}

// newLoad wants a test that can be looked at.
func newLoad(ctx context.Context, s *scenario.Scenario, o scenario.Options) (*load, error) {
	l := &load{ctx: ctx, s: s, o: o}
	maker, ok := s.Transfer.Params.(plant.Enveloped)
	if !ok {
		return nil, s.At("transfer", &NoEnvelopeError{s.TransferKind()})
	}
	var err error
	if l.envelope, err = maker.Envelope(); err != nil {
		return nil, s.At("transfer", err)
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
	maker, ok := s.Transfer.Params.(plant.Enveloped)
	if !ok || s.Perturbed > 0 || runtime.GOOS == "js" { // a page in a browser has no second to spare
		return "", "", nil
	}
	l := &load{ctx: ctx, s: s, o: o}
	if l.envelope, err = maker.Envelope(); err != nil {
		return "", "", s.At("transfer", err)
	}
	c, err := l.at(1)
	switch {
	case ctx.Err() != nil:
		return "", "", context.Cause(ctx)
	case err != nil:
		return "whether the actuator can follow is not known: " + err.Error(), "", nil
	}
	var uses []string
	for _, limit := range c.Limits {
		uses = append(uses, limit.what()+" "+limit.used()+" %")
	}
	line := "of the actuator's limits the test uses: " + strings.Join(uses, ", ")
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
}

// at is what the test asks for at a factor on its motion.
func (l *load) at(factor float64) (*Capacity, error) {
	c := &Capacity{Envelope: l.envelope}
	sized, err := l.sized(factor)
	if err != nil {
		return nil, err
	}
	if c.Demand, err = l.demand(sized); err != nil {
		return nil, err
	}
	c.Limits = c.Demand.limits
	if worst := worstOf(c.Limits); worst.Pct > 100 && factor != 1 {
		return c, nil // the run takes ten times as long, and would say the same
	}
	valve, err := l.run(sized, c)
	if err != nil {
		return nil, err
	}
	c.Limits = append(c.Limits, valve)
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

// perfect is PerfectOf.
func (l *load) perfect() (pct float64, err error) {
	low, high := leastFactor, float64(mostFactor)
	for high/low > factorStep {
		middle := math.Sqrt(low * high)
		sized, err := l.sized(middle)
		if err != nil {
			return 0, err
		}
		d, err := l.demand(sized)
		if err != nil {
			return 0, err
		}
		if worstOf(d.limits).Pct <= 100 {
			low = middle
		} else {
			high = middle
		}
	}
	return 100 * low, nil
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
	perfect, err := sized.With("transfer={kind: ideal}", "compensator={kind: none}", "faults=[]", "scatter=")
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
	d := &Demand{RateHz: perfect.RateHz}
	err = r.Loop.Run(1, func() bool {
		if f := r.Loop.Frame(); r.Loop.Ticks() > 0 {
			d.X, d.Felt = append(d.X, f.Read.X[0]), append(d.Felt, f.Read.F[0])
		}
		return l.ctx.Err() == nil
	})
	if l.ctx.Err() != nil {
		return nil, context.Cause(l.ctx)
	}
	if err != nil {
		return nil, fmt.Errorf("capacity: with a perfect actuator the test does not complete: %w: want a test that does", err)
	}
	if len(d.X) < 3 {
		return nil, fmt.Errorf("capacity: the test has %d samples: want more", len(d.X))
	}
	specimen, err := perfect.MakeSpecimen()
	if err != nil {
		return nil, err
	}
	d.fill(specimen.Mass(), l.envelope, 1)
	return d, nil
}

// fill finds velocities, the forces of the cylinder and what the supply gives, of a motion that is so many times as slow:
// forces of inertia are divided by the square of it, all others stay.
func (d *Demand) fill(mass float64, e *plant.Envelope, slow float64) {
	n := len(d.X)
	rate := d.RateHz / slow
	d.V, d.F, d.Flow, d.Supply = make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	tank := e.Tank()
	stroke, speed := Limit{What: ofStroke, Has: e.Stroke, Unit: "m"}, Limit{What: ofSpeed, Unit: "m/s"}
	stored := Limit{What: ofSupply, Has: 1e3 * e.StoredM3, Unit: "l"}
	for k := range n {
		i := min(max(k, 1), n-2) // the ends have no neighbour
		v, a := (d.X[i+1]-d.X[i-1])/2*rate, (d.X[i+1]-2*d.X[i]+d.X[i-1])*rate*rate
		inertia := mass * a
		felt := d.Felt[k] + inertia*(1-slow*slow)
		d.Largest, d.Inertia, d.Accelerate = max(d.Largest, math.Abs(felt)), max(d.Inertia, math.Abs(inertia)),
			max(d.Accelerate, math.Abs(a))
		f := felt + e.MovingKg*a + math.Copysign(e.Drag(math.Abs(v)), v)
		d.V[k], d.F[k] = v, f
		d.Flow[k] = e.Flow(v, f)
		d.Supply[k] = tank.Draw(d.Flow[k], 1/rate)
		at := float64(k) / rate
		stroke.use(math.Abs(d.X[k]), e.Stroke, at)
		speed.use(math.Abs(v), e.Speed(math.Copysign(1, v)*f, d.Supply[k], v > 0), at)
		stored.use(1e3*tank.Left, 1e3*e.StoredM3, at)
	}
	d.limits = []Limit{speed}
	if e.Stroke > 0 {
		d.limits = append([]Limit{stroke}, d.limits...)
	}
	if e.StoredM3 > 0 {
		d.limits = append(d.limits, stored)
	}
}

// use keeps the largest use of what there is.
func (l *Limit) use(wanted, has, t float64) {
	pct := record.Number(100 * wanted / has)
	if wanted == 0 {
		pct = 0
	}
	if pct > l.Pct || l.Pct == 0 {
		l.Wanted, l.Has, l.Pct, l.T = wanted, has, pct, t
	}
}

// run makes the test with its own actuator and reads the valve.
func (l *load) run(sized *scenario.Scenario, c *Capacity) (Limit, error) {
	valve := Limit{What: ofValve, Unit: "%", Has: 100}
	sound, err := sized.With("faults=[]") // what is asked is whether the actuator can, not what a fault does
	if err != nil {
		return valve, err
	}
	r, err := sound.Build(l.ctx, l.o)
	if err != nil {
		return valve, err
	}
	var opening, unresolved *float64
	for _, ch := range r.Channels {
		switch ch.Quantity {
		case "valve":
			opening = ch.V
		case "unresolved":
			unresolved = ch.V
		}
	}
	if opening == nil {
		return valve, errors.New("capacity: the rig of this run shows no valve: want a virtual one")
	}
	err = r.Loop.Run(1, func() bool {
		at := math.Abs(*opening)
		if at >= fullValve {
			at = math.Inf(1)
		}
		valve.use(at, 100, r.Loop.Frame().T)
		return l.ctx.Err() == nil
	})
	if l.ctx.Err() != nil {
		return valve, context.Cause(l.ctx)
	}
	valve.Wanted = min(valve.Wanted, 100)
	c.Unresolved = *unresolved > 0
	c.Run, c.Reason = r.Status(err)
	if c.Run != rths.Completed {
		return Limit{What: ofComplete, Pct: record.Number(math.Inf(1)), T: r.Loop.Frame().T, Why: c.Reason}, nil
	}
	return valve, nil
}

// margin looks for the largest factor that fits, and the time scale of a motion that does not.
func (l *load) margin(c *Capacity) error {
	low, high := 0.0, 1.0
	c.First = worstOf(c.Limits)
	if c.Fits {
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
		c.AtLeast = high > mostFactor
	}
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
	c.MarginPct, c.AmplitudePct = 100*(low-1), 100*low
	if !c.Fits {
		c.First = worstOf(c.Limits)
		return l.slower(c)
	}
	return nil
}

// slower looks for the time scale of the same motion, and plays it through the actuator by itself.
func (l *load) slower(c *Capacity) error {
	specimen, err := l.s.MakeSpecimen()
	if err != nil {
		return err
	}
	fits := func(slow float64) (bool, error) {
		d := &Demand{RateHz: c.Demand.RateHz, X: c.Demand.X, Felt: c.Demand.Felt}
		d.fill(specimen.Mass(), l.envelope, slow)
		if worstOf(d.limits).Pct > 100 {
			return false, nil
		}
		return l.plays(slow, c.Demand)
	}
	for slow := 1.1; slow <= mostSlow; slow *= 1.1 {
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

// plays reports whether the actuator plays a motion so many times as slow without opening its valve fully.
func (l *load) plays(slow float64, d *Demand) (bool, error) {
	specimen, err := l.s.MakeSpecimen()
	if err != nil {
		return false, err
	}
	p, err := l.s.Transfer.Params.Make(plant.At{RateHz: l.s.RateHz, Specimen: specimen})
	if err != nil {
		return false, fmt.Errorf("transfer: %w", err)
	}
	var opening *float64
	for _, ch := range p.(rths.Channeler).Channels() {
		if ch.Quantity == "valve" {
			opening = ch.V
		}
	}
	now, u := rths.NewReading(1, 1), []float64{0}
	for k := 0; ; k++ {
		at := float64(k) / slow
		i := int(at)
		if i+1 >= len(d.X) {
			return true, nil
		}
		u[0] = d.X[i] + (at-float64(i))*(d.X[i+1]-d.X[i])
		if p.Step(&now, u); math.Abs(*opening) >= fullValve {
			return false, nil
		}
		if k%4096 == 0 && l.ctx.Err() != nil {
			return false, context.Cause(l.ctx)
		}
	}
}

// describe finds what is no limit, but says how the limits come about.
func (l *load) describe(c *Capacity) error {
	d := c.Demand
	c.ValveHz, c.AccelerateMS = l.envelope.ValveHz, d.Accelerate
	c.TopHz = topOf(d.V, d.RateHz)
	if d.Largest > 0 {
		c.InertiaPct = 100 * d.Inertia / d.Largest
	}
	specimen, err := l.s.MakeSpecimen()
	if err != nil {
		return err
	}
	_, _, k, _ := plant.Within(plant.AtRest(specimen))
	c.ColumnHz = math.Sqrt((l.envelope.OilColumn+k)/(l.envelope.MovingKg+specimen.Mass())) / (2 * math.Pi)
	sd := l.s.Sensors.DisplacementSD(l.s.RateHz)
	mean, square := 0.0, 0.0
	for _, x := range d.X {
		mean += x / float64(len(d.X))
		square += x * x / float64(len(d.X))
	}
	if spread := math.Sqrt(square - mean*mean); spread > 0 {
		c.NoisePct = 100 * sd / spread
	}
	return nil
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
