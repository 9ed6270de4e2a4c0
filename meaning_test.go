package rths_test

import (
	"testing"

	"rths"
)

// Names are made from fields in one place, as papers, scenarios and records have them.
func TestNames(t *testing.T) {
	for _, c := range []struct {
		of         rths.Meaning
		unit, want string
	}{
		{rths.Meaning{Quantity: "J1"}, "ms", "J1_ms"},
		{rths.Meaning{Quantity: "J2", Axis: 1, Exact: true}, "%", "J2_1_true_pct"},
		{rths.Meaning{Quantity: "J2_floor", Axis: 2}, "%", "J2_floor_2_pct"},
		{rths.Meaning{Quantity: "J7", Coordinate: "theta", Against: "mono", Exact: true}, "%", "J7_theta_mono_true_pct"},
		{rths.Meaning{Quantity: "acc_peak", Floor: 12}, "m/s²", "floor12_acc_peak_m_s2"},
		{rths.Meaning{Quantity: "running_fei_amplitude", Axis: 2}, "-", "running_fei_amplitude_2"},
		{rths.Meaning{Quantity: "sw_rate"}, "%/s", "sw_rate_pct_s"},
		{rths.Meaning{Quantity: "passivity_damping"}, "N·s/m", "passivity_damping_N_s_m"},
		{rths.Meaning{Quantity: "FEI_f_eq"}, "Hz", "FEI_f_eq_hz"},
		{rths.Meaning{Quantity: "main_took"}, "us", "main_took_us"},
		{rths.Meaning{Quantity: "gain"}, "", "gain"},
	} {
		got := c.of.NameIn(c.unit)
		if got != c.want {
			t.Errorf("%+v in %q: %q, want %q", c.of, c.unit, got, c.want)
		}
		value := rths.Named([]rths.Value{{Meaning: c.of, Unit: c.unit}, {Name: "own", Unit: c.unit}})
		channel := rths.NamedChannels([]rths.Channel{{Meaning: c.of, Unit: c.unit}, {Name: "own", Unit: c.unit}})
		if value[0].Name != c.want || channel[0].Name != c.want || value[1].Name != "own" || channel[1].Name != "own" {
			t.Errorf("%+v: values %+v, channels %+v", c.of, value, channel)
		}
	}
	for i, want := range []string{"measured_1_m", "measured_2_m"} {
		if got := rths.ColumnName("measured", "m", i, 2); got != want {
			t.Errorf("component %d of 2: %q, want %q", i, got, want)
		}
	}
	if got := rths.ColumnName("ground", "m/s²", 0, 1); got != "ground_m_s2" {
		t.Errorf("the only component: %q, want ground_m_s2", got)
	}
}

// The unit at the end of a name comes off, once, and a name that is a unit stays.
func TestUnitsOfNames(t *testing.T) {
	for _, c := range []struct{ name, unit, bare string }{
		{"J2_pct", "%", "J2"}, {"a1", "s", "a1"}, {"a1_s", "m", "a1_s"}, {"a1_s", "", "a1_s"}, {"x_m_m", "m", "x_m"},
		{"_m", "m", "_m"}, {"a4", "s⁴", "a4"},
	} {
		if got := rths.WithoutUnit(c.name, c.unit); got != c.bare {
			t.Errorf("%s without %q: %q, want %q", c.name, c.unit, got, c.bare)
		}
	}
	for _, c := range []struct{ name, bare, unit string }{
		{"J2_true_pct", "J2_true", "%"}, {"amplitude_m_s2", "amplitude", "m/s²"}, {"omega_rad_s", "omega", "rad/s"},
		{"force_n", "force", "N"},
		{"span_v", "span", "V"}, {"threshold_j", "threshold", "J"}, {"rate_m_s", "rate", "m/s"}, {"order", "order", ""},
	} {
		if bare, unit := rths.CutUnit(c.name); bare != c.bare || unit != c.unit {
			t.Errorf("%s: %q in %q, want %q in %q", c.name, bare, unit, c.bare, c.unit)
		}
	}
}
