package stability

import (
	"math"

	"rths"
)

// indicate computes SW, EEI and rates from the energies.
func (e *Energies) indicate(t float64) {
	e.residual = e.input + e.feedback - (e.kinetic + e.dissipated + e.strain + e.hysteretic)
	before := e.sw
	e.sw = 0
	if e.feedback > 0 {
		e.sw = 100 * e.feedback / (e.dissipated + e.cSW)
	}
	e.errors.add(e)
	e.pole = 1
	if of := e.input + e.cEEI; of > 0 {
		e.pole = 0
		e.eei = 100 * (e.input - (e.moved + e.apparent + e.strain + e.hysteretic - e.work)) / of
	}
	mechanical := e.kinetic + e.strain
	e.swRate += ((e.sw - before) - e.h*e.swRate) * (1 / rateS)
	e.power += ((mechanical - e.mechanical) - e.h*e.power) * (1 / rateS)
	e.mechanical = mechanical
	e.most.add(e, t)
}

// add compares with branches, which are foreseen: the builtin max is three times
// as slow.
func (m *extremes) add(e *Energies, t float64) {
	if e.sw > m.sw {
		if m.sw = e.sw; e.sw >= 100 && m.swCross != m.swCross {
			m.swCross = t
		}
	}
	if e.errors.share > m.share {
		m.share = e.errors.share
	}
	if e.errors.recent > m.recent {
		m.recent = e.errors.recent
	}
	if m.poleAt != m.poleAt { // up to the first pole
		if eei := math.Abs(e.eei); eei > m.eei {
			m.eei = eei
		}
		if e.pole > 0 {
			m.poleAt = t
		}
	}
	if in := math.Abs(e.input); in > m.input {
		m.input = in
	}
	if r := math.Abs(e.residual); r > m.energy {
		m.energy = r
	}
}

// ErrorWorks are the work of the tracking error, in J and %, and that of the last 2 s, in %.
var ErrorWorks = [2]rths.Meaning{{Quantity: "error_work"}, {Quantity: "error_work_2s"}}

// Channels are energies, indicators and their rates of change.
func (e *Energies) Channels() []rths.Channel {
	out := []rths.Channel{
		{Meaning: rths.Meaning{Quantity: "sw"}, Unit: "%", V: &e.sw},
		{Meaning: rths.Meaning{Quantity: "sw_rate"}, Unit: "%/s", V: &e.swRate},
		{Meaning: ErrorWorks[0], Unit: "%", V: &e.errors.share},
		{Meaning: ErrorWorks[1], Unit: "%", V: &e.errors.recent},
		{Meaning: rths.Meaning{Quantity: "eei"}, Unit: "%", V: &e.eei},
		{Meaning: rths.Meaning{Quantity: "eei_pole"}, Unit: "-", V: &e.pole},
		{Meaning: rths.Meaning{Quantity: "kinetic"}, Unit: "J", V: &e.kinetic},
		{Meaning: rths.Meaning{Quantity: "dissipated"}, Unit: "J", V: &e.dissipated},
		{Meaning: rths.Meaning{Quantity: "strain"}, Unit: "J", V: &e.strain},
		{Meaning: rths.Meaning{Quantity: "input_work"}, Unit: "J", V: &e.input},
		{Meaning: rths.Meaning{Quantity: "feedback_work"}, Unit: "J", V: &e.feedback},
		{Meaning: rths.Meaning{Quantity: "specimen_work"}, Unit: "J", V: &e.errors.specimen},
		{Meaning: ErrorWorks[0], Unit: "J", V: &e.errors.work},
		{Meaning: rths.Meaning{Quantity: "energy_residual"}, Unit: "J", V: &e.residual},
		{Meaning: rths.Meaning{Quantity: "mechanical_power"}, Unit: "W", V: &e.power},
	}
	if e.devices != nil {
		out = append(out, rths.Channel{Meaning: rths.Meaning{Quantity: "hysteretic"}, Unit: "J", V: &e.hysteretic})
	}
	return rths.NamedChannels(out)
}

// Summary has the largest values of the indicators.
func (e *Energies) Summary() []rths.Value {
	m := &e.most
	residual := math.NaN() // without input work there is nothing to relate it to
	if m.input > 0 {
		residual = 100 * m.energy / m.input
	}
	out := []rths.Value{
		{Meaning: rths.Meaning{Quantity: "sw_max"}, Unit: "%", V: m.sw,
			Doc: "largest stability warning indicator SW (Gálmez 2021, eq. 5.17); at 100 the loop feeds more energy than " +
				"damping takes"},
		{Meaning: rths.Meaning{Quantity: "sw_cross"}, Unit: "s", V: m.swCross,
			Doc: "time SW first reaches 100 %; null if it does not"},
		{Meaning: rths.Meaning{Quantity: "sw_end"}, Unit: "%", V: e.sw, Doc: "SW at the end"},
		{Meaning: rths.Meaning{Quantity: "error_work_max"}, Unit: "%", V: m.share,
			Doc: "largest work of the tracking error over the energy that numerical part and specimen have taken"},
		{Meaning: rths.Meaning{Quantity: "error_work_2s_max"}, Unit: "%", V: m.recent,
			Doc: "the same of the last 2 s; at 100 the tracking error feeds all that numerical part and specimen take"},
		{Meaning: rths.Meaning{Quantity: "eei_max"}, Unit: "%", V: m.eei,
			Doc: "largest |EEI|, the energy error indicator (Gálmez 2021, eq. 7.19), up to its first pole"},
		{Meaning: rths.Meaning{Quantity: "eei_pole"}, Unit: "s", V: m.poleAt,
			Doc: "time of the first pole of EEI, where the input work is given back; null if there is none"},
		{Meaning: rths.Meaning{Quantity: "input_work_max"}, Unit: "J", V: m.input, Doc: "largest input work"},
		{Meaning: rths.Meaning{Quantity: "energy_residual"}, Unit: "%", V: residual,
			Doc: "largest residual of the energy balance over the largest input work"},
	}
	if e.devices != nil {
		out = append(out, rths.Value{Meaning: rths.Meaning{Quantity: "hysteretic_end"}, Unit: "J", V: e.hysteretic,
			Doc: "energy that the yielding storeys of the numerical part have dissipated"})
	}
	return rths.Named(out)
}
