package analyse

import (
	"errors"
	"math"
	"slices"

	"rths/model/ground"
	"rths/model/plant"
)

// Performance is what a shake table can do in a long sine motion, and what its target wants: velocities (m/s) at
// frequencies. A limit that is not stated is nil.
type Performance struct {
	Hz       []float64
	Stroke   []float64 // ω times the stroke
	Valve    []float64 // speed under the force of moving mass and payload
	Bare     []float64 // the same without payload
	Pump     []float64 // what the pump alone sustains
	Overturn []float64 // the payload's moment on the bearings
	Wanted   []float64 // pseudo-velocity of the target's acceleration, 5 % of damping
}

const (
	performanceFrom = 0.1  // Hz
	performanceTo   = 100  // Hz
	perDecade       = 100  // frequencies
	slowSine        = 0.01 // rad/s, in which a payload is rigid
)

// payloadOf is the mass (kg) of a specimen that is held by nothing else; 0: something holds it. Not ok: it is not linear.
func payloadOf(specimen plant.Specimen) (kg float64, ok bool) {
	d, ok := plant.DynamicStiffness(specimen, slowSine)
	kg = -real(d) / (slowSine * slowSine)
	if held := math.Abs(imag(d)) > 0.01*math.Abs(real(d)); !ok || held || !(kg > 0) {
		return 0, ok
	}
	return kg, true
}

// wantTable wants a shake table where the transfer system states its bearings: the moment of any other force is another's.
func (l *load) wantTable() error {
	if !slices.ContainsFunc(l.all, func(e *plant.Envelope) bool { return e.OverturnNm > 0 }) {
		return nil
	}
	specimen, err := l.s.MakeSpecimen()
	if err != nil {
		return err
	}
	kg, linear := payloadOf(specimen)
	if _, _, k, _ := plant.Within(plant.AtRest(specimen)); len(l.all) > 1 || linear && kg == 0 || k > 0 {
		return l.s.At(l.s.TransferKey(), errors.New("payload_height_m and overturning_n_m are of a shake table: want one actuator "+
			"under a specimen with mass that nothing else holds, or neither key"))
	}
	return nil
}

// table describes a shake table: an actuator whose specimen is held by nothing else.
func (l *load) table(c *Capacity, specimen plant.Specimen) {
	e := l.envelope
	if c.PayloadKg, _ = payloadOf(specimen); c.PayloadKg == 0 {
		return
	}
	force := max(0, min(e.StallN[0], e.StallN[1])-e.Drag(0))
	c.PayloadMS, c.BareMS = force/(e.MovingKg+c.PayloadKg), force/e.MovingKg
	p := &Performance{}
	limit := func(to *[]float64, stated bool, v float64) {
		if stated {
			*to = append(*to, v)
		}
	}
	n := int(math.Round(perDecade * math.Log10(performanceTo/performanceFrom)))
	var periods []float64
	for i := range n + 1 {
		hz := performanceFrom * math.Pow(10, float64(i)/perDecade)
		if hz > c.Demand.RateHz/4 {
			break
		}
		omega := 2 * math.Pi * hz
		d, _ := plant.DynamicStiffness(specimen, omega)
		p.Hz, periods = append(p.Hz, hz), append(periods, 1/hz)
		p.Valve, p.Bare = append(p.Valve, e.Sine(omega, d)), append(p.Bare, e.Sine(omega, 0))
		limit(&p.Stroke, e.Stroke > 0, omega*e.Stroke)
		limit(&p.Pump, e.PumpM3s > 0, e.Sustained())
		limit(&p.Overturn, e.OverturnNm > 0, omega*e.OverturnNm/(e.PayloadM*math.Hypot(real(d), imag(d))))
	}
	acceleration := make([]float64, len(c.Demand.X))
	for k := range acceleration {
		_, acceleration[k] = c.Demand.rates(k)
	}
	spectrum, err := ground.ResponseSpectrum(acceleration, 1/c.Demand.RateHz, periods, 0.05)
	if err != nil {
		return // the rate is below 4 samples of the slowest sine
	}
	for _, at := range spectrum {
		p.Wanted = append(p.Wanted, at.PSV)
	}
	c.Performance = p
}
