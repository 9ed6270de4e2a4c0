package report

import (
	"fmt"
	"io"
	"math"
	"strings"

	"rths"
	"rths/model/ground"
	"rths/result/plotting"
)

// Ground is a ground motion with its measures and response spectrum.
type Ground struct {
	Motion   ground.Motion
	Measures ground.Measures
	Damping  float64 // damping ratio of the spectrum
	Spectrum []ground.SpectrumPoint
}

// NewGround computes measures and response spectrum at ground.SpectrumPeriods.
func NewGround(m ground.Motion, damping float64) (Ground, error) {
	g := Ground{Motion: m, Damping: damping}
	var err error
	if g.Measures, err = m.Measures(); err != nil {
		return g, err
	}
	g.Spectrum, err = ground.ResponseSpectrum(m.A, m.Dt, ground.SpectrumPeriods(), damping)
	return g, err
}

// PredominantPeriod is the period of the largest pseudo-acceleration, s.
func (g Ground) PredominantPeriod() float64 {
	var largest ground.SpectrumPoint
	for _, p := range g.Spectrum {
		if p.PSA > largest.PSA {
			largest = p
		}
	}
	return largest.Period
}

// Values are the measures, each with its description.
func (g Ground) Values() []rths.Value {
	s := g.Measures
	return rths.Named([]rths.Value{
		{Meaning: rths.Meaning{Quantity: "pga"}, Unit: "m/s²", V: s.PGA, Doc: "peak ground acceleration"},
		{Meaning: rths.Meaning{Quantity: "pga"}, Unit: "g", V: s.PGA / ground.StandardGravity,
			Doc: "the same in g of 9.80665 m/s²"},
		{Meaning: rths.Meaning{Quantity: "pgv"}, Unit: "m/s", V: s.PGV, Doc: "peak ground velocity, baseline removed"},
		{Meaning: rths.Meaning{Quantity: "pgd"}, Unit: "m", V: s.PGD, Doc: "peak ground displacement, baseline removed"},
		{Meaning: rths.Meaning{Quantity: "baseline"}, Unit: "m/s²", V: s.Base,
			Doc: "constant acceleration removed for velocity and displacement only"},
		{Meaning: rths.Meaning{Quantity: "arias"}, Unit: "m/s", V: s.Arias, Doc: "Arias intensity π/(2g) ∫ a² dt"},
		{Meaning: rths.Meaning{Quantity: "d5_75"}, Unit: "s", V: s.D5To75,
			Doc: "significant duration, 5 to 75 % of the Arias intensity"},
		{Meaning: rths.Meaning{Quantity: "d5_95"}, Unit: "s", V: s.D5To95, Doc: "significant duration, 5 to 95 %"},
		{Meaning: rths.Meaning{Quantity: "cav"}, Unit: "m/s", V: s.CAV, Doc: "cumulative absolute velocity ∫ |a| dt"},
		{Meaning: rths.Meaning{Quantity: "predominant_period"}, Unit: "s", V: g.PredominantPeriod(),
			Doc: fmt.Sprintf("period of the largest PSA at %g %% damping", 100*g.Damping)},
	})
}

// Where is the place of the record, or "".
func (g Ground) Where() string {
	var parts []string
	for _, s := range []string{g.Motion.Station, g.Motion.Component, g.Motion.Event} {
		if s != "" {
			parts = append(parts, s)
		}
	}
	return strings.Join(parts, ", ")
}

// Sampling says how many samples there are, and how far apart.
func (g Ground) Sampling() string {
	m := g.Motion
	return fmt.Sprintf("%d samples every %g s, %.5g s from the first to the last", len(m.A), m.Dt, m.Duration())
}

// Page writes one HTML page that needs no network.
func (g Ground) Page(w io.Writer) error {
	p := page{Title: g.Motion.Name, Footer: "plots by uPlot (MIT licence)"}
	p.Runs = []pageRun{{Status: "Ground motion", Verdict: g.Where()}}
	p.Facts = []fact{{"Samples", g.Sampling()}}
	t := table{Title: "Measures", First: "Measure", Heads: []string{"Value"}}
	t.add(g.Values(), 0)
	p.Tables = []table{t}
	if err := p.draw(newGroundFigures(g)); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	return p.write(w)
}

// newGroundFigures lists the histories and the spectra.
func newGroundFigures(g Ground) *figures {
	fs := &figures{}
	fs.section("Motion", fs.histories(g))
	fs.section(fmt.Sprintf("Response spectrum, %g %% damping", 100*g.Damping), fs.responseSpectrum(g))
	return fs
}

// histories are acceleration, velocity, displacement and Arias build-up.
func (fs *figures) histories(g Ground) []figure {
	m := g.Motion
	v, d, _ := m.Integrals()
	scale, unit := 1.0, "m"
	if g.Measures.PGD < 0.1 {
		scale, unit = 1000, "mm"
	}
	for i := range d {
		d[i] *= scale
	}
	arias := m.AriasBuildUp()
	for i := range arias {
		arias[i] *= 100 / max(g.Measures.Arias, math.SmallestNonzeroFloat64)
	}
	duration := fmt.Sprintf("Arias intensity, %.3g m/s, 5 to 95 %% in %.4g s", g.Measures.Arias, g.Measures.D5To95)
	return []figure{
		fs.history("acceleration", peakTitle("Acceleration", m.A, m.Dt, "m/s²"), "a, m/s²", m, m.A, 0),
		fs.history("velocity", peakTitle("Velocity", v, m.Dt, "m/s"), "v, m/s", m, v, 1),
		fs.history("displacement", peakTitle("Displacement", d, m.Dt, unit), "d, "+unit, m, d, 2),
		fs.history("arias", duration, "I(t)/I, %", m, arias, 3),
	}
}

// Of the response spectrum in the report of a run: its damping ratio, about the rate at which the motion is taken, Hz,
// and its longest motion, samples.
const (
	runDamping = 0.05
	runHz      = 512
	runSamples = 1 << 18
)

// groundMotion is the ground motion of a run, and its response spectrum.
func (fs *figures) groundMotion(s source) (list []figure) {
	for i := range s.count("ground", "m/s²") {
		t, ok := s.trace(s.numbered("ground", "m/s²", i), 1)
		if !ok || peakOf(t) == 0 {
			continue
		}
		every := max(1, int(t.rate/runHz), t.values.Len()/runSamples)
		a := make([]float64, t.values.Len()/every)
		for k := range a {
			a[k] = t.values.At(k * every)
		}
		of := ""
		if s.count("ground", "m/s²") > 1 {
			of = fmt.Sprintf(", component %d", i+1)
		}
		f := figure{id: "ground", title: "Ground acceleration" + of, xLabel: timeLabel, yLabel: "acceleration, m/s²"}
		f.line(true, "ground", overTime, fs.add(t), plotting.Colours[3])
		list = append(list, f)
		spectrum, err := ground.ResponseSpectrum(a, float64(every)/t.rate, ground.SpectrumPeriods(), runDamping)
		if err != nil { // of fewer samples than a spectrum needs
			continue
		}
		var period, psa []float64
		for _, p := range spectrum {
			period, psa = append(period, p.Period), append(psa, p.PSA)
		}
		f = figure{id: "ground-spectrum", xLabel: "period, s", yLabel: "pseudo-acceleration, m/s²", shape: half, logX: true,
			logY: true, title: fmt.Sprintf("Response spectrum of the ground%s, damping ratio %g", of, runDamping)}
		f.line(true, "PSA", fs.add(listed(period)), fs.add(listed(psa)), plotting.Colours[3])
		list = append(list, f)
	}
	return list
}

// history is one quantity over time.
func (fs *figures) history(id, title, label string, m ground.Motion, values []float64, i int) figure {
	f := figure{id: id, title: title, xLabel: timeLabel, yLabel: label}
	f.line(true, id, overTime, fs.add(timed(0, 1/m.Dt, values)), plotting.Colour(i))
	return f
}

// peakTitle gives the largest value with its sign, and its time.
func peakTitle(name string, values []float64, dt float64, unit string) string {
	at := 0
	for i, v := range values {
		if math.Abs(v) > math.Abs(values[at]) {
			at = i
		}
	}
	return fmt.Sprintf("%s, peak %.3g %s at %.2f s", name, values[at], unit, float64(at)*dt)
}

// responseSpectrum are Sa, Sv and Sd over the period.
func (fs *figures) responseSpectrum(g Ground) []figure {
	n := len(g.Spectrum)
	t, sa, sv, sd := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	for i, p := range g.Spectrum {
		t[i], sa[i], sv[i], sd[i] = p.Period, p.PSA, p.PSV, 1000*p.Sd
	}
	period := fs.add(listed(t))
	var list []figure
	for i, s := range []struct {
		id, title, label string
		values           []float64
	}{
		{"psa", "PSA", "PSA, m/s²", sa}, {"psv", "PSV", "PSV, m/s", sv}, {"sd", "Sd", "Sd, mm", sd},
	} {
		f := figure{id: s.id, title: fmt.Sprintf("%s, %g %% damping", s.title, 100*g.Damping), xLabel: "period, s",
			yLabel: s.label, shape: square, logX: true}
		f.line(true, s.id, period, fs.add(listed(s.values)), plotting.Colour(i))
		list = append(list, f)
	}
	return list
}
