package report

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"rths/model/ground"
)

// Print prints the motion, its measures, and a few of the periods of its spectrum.
func (g Ground) Print(out io.Writer) {
	texts := slices.DeleteFunc([]string{g.Motion.Name, g.Where()}, func(s string) bool { return s == "" })
	fmt.Fprintln(out, strings.Join(texts, ": "))
	fmt.Fprintln(out, g.Sampling())
	if g.Motion.Understood != "" {
		fmt.Fprintln(out, "read:", g.Motion.Understood)
	}
	for _, note := range g.Motion.Notes {
		fmt.Fprintln(out, "note:", note)
	}
	fmt.Fprintln(out)
	printMeasures(out, g)
	printSpectrum(out, g)
}

// printMeasures prints the measures with five digits: they differ by powers of ten.
func printMeasures(out io.Writer, g Ground) {
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, v := range g.Values() {
		fmt.Fprintf(t, "%s\t%.5g\t%s\n", v.Name, v.V, v.Doc)
	}
	t.Flush()
	fmt.Fprintln(out)
}

// printSpectrum prints a few of the periods.
func printSpectrum(out io.Writer, g Ground) {
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(t, "period_s\tsd_m\tpsv_m_s\tpsa_m_s2\t\n")
	for i := 100; i < len(g.Spectrum); i += 50 { // 0.1 s to 10 s
		p := g.Spectrum[i]
		fmt.Fprintf(t, "%.3g\t%.4g\t%.4g\t%.4g\t\n", p.Period, p.Sd, p.PSV, p.PSA)
	}
	t.Flush()
}

// GroundDocument is a ground motion as rths ground --json prints it.
type GroundDocument struct {
	Name        string          `json:"name"`
	Station     string          `json:"station"`
	Component   string          `json:"component"`
	Event       string          `json:"event"`
	Dt          float64         `json:"dt_s"`
	Samples     int             `json:"samples"`
	Duration    float64         `json:"duration_s"`
	PGA         float64         `json:"pga_m_s2"`
	PGAG        float64         `json:"pga_g"`
	PGV         float64         `json:"pgv_m_s"`
	PGD         float64         `json:"pgd_m"`
	Base        float64         `json:"baseline_m_s2"`
	Arias       float64         `json:"arias_m_s"`
	D5To95      float64         `json:"d5_95_s"`
	D5To75      float64         `json:"d5_75_s"`
	CAV         float64         `json:"cav_m_s"`
	Predominant float64         `json:"predominant_period_s"`
	Damping     float64         `json:"damping_ratio"`
	Spectrum    []SpectrumPoint `json:"spectrum"`
	Read        string          `json:"read"` // how a text was read, "" of other files
	Notes       []string        `json:"notes"`
	Files       []string        `json:"files"`
}

// SpectrumPoint is a period of the response spectrum in that document.
type SpectrumPoint struct {
	Period float64 `json:"period_s"`
	Sd     float64 `json:"sd_m"`
	PSV    float64 `json:"psv_m_s"`
	PSA    float64 `json:"psa_m_s2"`
	Sa     float64 `json:"sa_m_s2"`
}

// Document is the ground motion, with the paths of its pictures.
func (g Ground) Document(files []string) GroundDocument {
	m, s := g.Motion, g.Measures
	j := GroundDocument{
		Name: m.Name, Station: m.Station, Component: m.Component, Event: m.Event,
		Dt: m.Dt, Samples: len(m.A), Duration: m.Duration(),
		PGA: s.PGA, PGAG: s.PGA / ground.StandardGravity, PGV: s.PGV, PGD: s.PGD, Base: s.Base,
		Arias: s.Arias, D5To95: s.D5To95, D5To75: s.D5To75, CAV: s.CAV,
		Predominant: g.PredominantPeriod(), Damping: g.Damping,
		Read: m.Understood, Notes: append([]string{}, m.Notes...), Files: append([]string{}, files...),
	}
	for _, p := range g.Spectrum {
		j.Spectrum = append(j.Spectrum, SpectrumPoint(p))
	}
	return j
}
