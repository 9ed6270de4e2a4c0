// Package doubts asks about values of a scenario that are possible and improbable, such as slips of units.
package doubts

import (
	"fmt"
	"reflect"
	"strings"

	"rths/scenario"
	"rths/scenario/syntax"
)

// usual is the range of values of a key that laboratories use. The end of the path
// chooses the key.
type usual struct {
	end         string
	least, most float64
	unit        string
	factors     []float64 // of the slips of units, the likeliest first
}

var (
	thousands = []float64{1e-3, 1e3, 1e-6, 1e6}
	percent   = []float64{1e-2}
)

// ratio stands for the unit of damping ratios.
const ratio = ""

// A peak of a ground motion above scenario.UsualPeakG is asked about, and above likelyPeak none is proposed, g.
const (
	pgaKey     = "pga_g"
	likelyPeak = 1.5
)

// usuals has ranges wide enough for every test that the authors have heard of.
var usuals = []usual{
	{"rate_hz", 10, 1e5, "Hz", []float64{1e3}},
	{"watchdog_ms", scenario.LeastWatchdogMs, scenario.MostWatchdogMs, "ms", thousands},
	{"_ms", 0.1, 1000, "ms", thousands},
	{"structure.damping.modal_ratio", 0, 0.2, ratio, percent},
	{"rayleigh.ratio", 0, 0.2, ratio, percent},
	{"specimen.damping_ratio", 0, 0.5, ratio, percent},
	{"transfer.damping_ratio", 0.05, 5, ratio, percent},
	{pgaKey, 0, scenario.UsualPeakG, "g", []float64{1 / 9.80665, 1e-2, 1e-2 / 9.80665}}, // m/s², %, gal
	{"amplitude_m_s2", 0, 29.4, "m/s²", []float64{1e-2, 1e-3}},
	{"amplitude_m", 0, 2, "m", thousands},
	{"initial_displacement", 0, 5, "m", thousands},
	{"diverged_m", 0, 100, "m", thousands},
	{"displacement_noise", 0, 1e-3, "m", []float64{1e-3, 1e-6}},
	{"force_noise", 0, 5e3, "N", []float64{1e-3}},
	{"acceleration_noise", 0, 5, "m/s²", []float64{1e-2, 1e-3}},
	{"yield_displacement", 0, 2, "m", thousands},
	{"yield_drift", 0, 0.5, "m", thousands},
	{"structure.density", 100, 2e4, "kg/m³", thousands},
	{"structure.modulus", 1e5, 1e12, "Pa", []float64{1e6, 1e9, 1e3}},
	{"stroke_m", 0, 5, "m", thousands},
	{"rate_m_s", 0, 20, "m/s", thousands},
	{"force_n", 100, 1e8, "N", thousands},
}

// usualLevels are the levels of a limit by the end of its channel.
var usualLevels = []usual{
	{"_m", 0, scenario.NoActuatorM, "m", thousands},
	{"_m_s", 0, 1e5, "m/s", thousands},
	{"force_N", 1, 1e8, "N", thousands},
}

// Of are values that a scenario states and that are improbable, each with its place
// and, where a slip of units would explain the value, with what was meant. What is
// certainly wrong is an error of Parse or Build.
func Of(s *scenario.Scenario) []string {
	d := doubts{s: s}
	d.values("", reflect.ValueOf(s).Elem())
	for i, l := range s.Limits {
		for _, u := range usualLevels {
			if strings.HasSuffix(l.Channel, u.end) {
				d.value(fmt.Sprintf("limits[%d].trip", i+1), l.Trip, u)
				d.value(fmt.Sprintf("limits[%d].warn", i+1), l.Warn, u)
				break
			}
		}
	}
	if whole := d.whole(); whole != nil {
		d.periods(whole)
		d.specimen(whole)
	}
	d.staticGain()
	d.scatter()
	d.geometry()
	return d.list
}

type doubts struct {
	s    *scenario.Scenario
	list []string
}

func (d *doubts) add(path, format string, args ...any) {
	d.list = append(d.list, d.s.At(path, fmt.Errorf(format, args...)).Error())
}

// value looks at one value. Zero stands for none, and a negative value is refused where it
// is wrong.
func (d *doubts) value(path string, v float64, u usual) {
	if v <= 0 || v >= u.least && v <= u.most {
		return
	}
	found, between := fmt.Sprintf("%g %s", v, u.unit), fmt.Sprintf("%g to %g", u.least, u.most)
	if u.unit == ratio {
		found = fmt.Sprintf("%g, which is %g %%", v, 100*v)
	}
	if u.least == 0 {
		between = fmt.Sprintf("up to %g", u.most)
	}
	most := u.most
	if u.end == pgaKey {
		most = likelyPeak
	}
	for _, f := range u.factors {
		if meant := v * f; meant >= u.least && meant <= most {
			d.add(path, "%s, usual are %s: did you mean %s?", found, between,
				strings.TrimSpace(fmt.Sprintf("%.4g %s", meant, u.unit)))
			return
		}
	}
	d.add(path, "%s, usual are %s: look at its unit", found, between)
}

// values walks through all blocks, and looks at what the file states.
func (d *doubts) values(path string, v reflect.Value) {
	if l, ok := v.Addr().Interface().(interface{ List() any }); ok {
		v = reflect.ValueOf(l.List()).Elem()
	}
	switch v.Kind() {
	case reflect.Struct:
		for _, f := range syntax.Keys(v) {
			if at := syntax.Join(path, f.Name); d.s.Place(at) != "" {
				d.values(at, f.V)
			}
		}
	case reflect.Pointer:
		if !v.IsNil() { // else left out, as in --set fallback=
			d.values(path, v.Elem())
		}
	case reflect.Slice:
		for i := range v.Len() {
			at := path
			if v.Type().Elem().Kind() == reflect.Struct {
				at = fmt.Sprintf("%s[%d]", path, i+1)
			}
			d.values(at, v.Index(i))
		}
	case reflect.Float64:
		for _, u := range usuals {
			if strings.HasSuffix(path, u.end) {
				d.value(path, v.Float(), u)
				return
			}
		}
	}
}
