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

// Channels are energies, indicators and their rates of change.
func (e *Energies) Channels() []rths.Channel {
	out := []rths.Channel{
		{Name: "sw_pct", Unit: "%", V: &e.sw},
		{Name: "sw_rate_pct_s", Unit: "%/s", V: &e.swRate},
		{Name: "error_work_pct", Unit: "%", V: &e.errors.share},
		{Name: "error_work_2s_pct", Unit: "%", V: &e.errors.recent},
		{Name: "eei_pct", Unit: "%", V: &e.eei},
		{Name: "eei_pole", Unit: "-", V: &e.pole},
		{Name: "kinetic_J", Unit: "J", V: &e.kinetic},
		{Name: "dissipated_J", Unit: "J", V: &e.dissipated},
		{Name: "strain_J", Unit: "J", V: &e.strain},
		{Name: "input_work_J", Unit: "J", V: &e.input},
		{Name: "feedback_work_J", Unit: "J", V: &e.feedback},
		{Name: "specimen_work_J", Unit: "J", V: &e.errors.specimen},
		{Name: "error_work_J", Unit: "J", V: &e.errors.work},
		{Name: "energy_residual_J", Unit: "J", V: &e.residual},
		{Name: "mechanical_power_W", Unit: "W", V: &e.power},
	}
	if e.yields != nil {
		out = append(out, rths.Channel{Name: "hysteretic_J", Unit: "J", V: &e.hysteretic})
	}
	return out
}

// Summary has the largest values of the indicators.
func (e *Energies) Summary() []rths.Value {
	m := &e.most
	residual := math.NaN() // without input work there is nothing to relate it to
	if m.input > 0 {
		residual = 100 * m.energy / m.input
	}
	out := []rths.Value{
		{Name: "sw_max_pct", V: m.sw, Doc: "largest stability warning indicator SW (Gálmez 2021, eq. 5.17); at 100 the loop feeds more energy than damping takes"},
		{Name: "sw_cross_s", V: m.swCross, Doc: "time SW first reaches 100 %; null if it does not"},
		{Name: "sw_end_pct", V: e.sw, Doc: "SW at the end"},
		{Name: "error_work_max_pct", V: m.share, Doc: "largest work of the tracking error over the energy that numerical part and specimen have taken"},
		{Name: "error_work_2s_max_pct", V: m.recent, Doc: "the same of the last 2 s; at 100 the tracking error feeds all that numerical part and specimen take"},
		{Name: "eei_max_pct", V: m.eei, Doc: "largest |EEI|, the energy error indicator (Gálmez 2021, eq. 7.19), up to its first pole"},
		{Name: "eei_pole_s", V: m.poleAt, Doc: "time of the first pole of EEI, where the input work is given back; null if there is none"},
		{Name: "input_work_max_J", V: m.input, Doc: "largest input work"},
		{Name: "energy_residual_pct", V: residual, Doc: "largest residual of the energy balance over the largest input work"},
	}
	if e.yields != nil {
		out = append(out, rths.Value{Name: "hysteretic_end_J", V: e.hysteretic, Doc: "energy that the yielding storeys of the numerical part have dissipated"})
	}
	return out
}
