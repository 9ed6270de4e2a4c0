package page

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"rths"
	"rths/method/learn"
	"rths/result/record"
	"rths/result/report"
	"rths/scenario"
)

// About is what the page is told once.
type About struct {
	Name       string         `json:"name"`
	Banner     string         `json:"banner"` // VIRTUAL, or the name of the laboratory
	Virtual    bool           `json:"virtual"`
	Specimen   string         `json:"specimen"`
	RateHz     float64        `json:"rate_hz"`
	Samples    int            `json:"samples"`
	Folder     string         `json:"folder"`
	Watchdog   string         `json:"watchdog"`
	Alone      string         `json:"alone"` // what the loop does without its supervisor
	Quantities []Quantity     `json:"quantities"`
	Pairs      []Pair         `json:"pairs"`
	Limits     []Limit        `json:"limits"` // with a level
	Rules      []string       `json:"rules"`  // all limits in words, as in "measured at most 20 mm, then ramp"
	Checks     []record.Check `json:"checks"`
	Axes       int            `json:"axes"`
	Linked     bool           `json:"linked"` // the columns number what the link brings
	Tested     bool           `json:"tested"` // a test: STOP ramps down; else a virtual run, which ends
	// rigid, with places of quantities; nil: there is none
	Body *report.Body `json:"body,omitempty"`
}

// Quantity is a curve of the page.
type Quantity struct {
	Name  string   `json:"name"`
	Unit  string   `json:"unit"`
	Panel string   `json:"panel"`
	Axis  int      `json:"axis"`            // from 0
	Lower *float64 `json:"lower,omitempty"` // bounds of a parameter
	Upper *float64 `json:"upper,omitempty"`
	SD    int      `json:"sd,omitempty"` // place of the quantity that is its standard deviation; 0: none

	scale float64
	place int // of the column; -1: computed
}

// Pair is a curve of one quantity over another, by their places.
type Pair struct {
	X     int    `json:"x"`
	Y     int    `json:"y"`
	Panel string `json:"panel"`
	Axis  int    `json:"axis"`
}

// Limit is a limit as the page shows it.
type Limit struct {
	Channel string  `json:"channel"`
	Warn    float64 `json:"warn"` // 0: none
	Trip    float64 `json:"trip"`
	Unit    string  `json:"unit"`
	Action  string  `json:"action"`
	Name    string  `json:"name"` // in words

	scale float64
}

// newAbout describes a test. Columns are those of its manifest.
func newAbout(t *Test) (*About, error) {
	m := t.Manifest
	s, err := scenario.ParseResolved("the scenario", []byte(m.Scenario), m.Folder, nil)
	if err != nil {
		return nil, err
	}
	a := &About{
		Name: m.Name, Virtual: t.Virtual, Banner: cmp.Or(t.Laboratory, "the laboratory"),
		Specimen: report.Describe(m.Scenario, "specimen"),
		RateHz:   m.RateHz, Samples: t.Samples, Folder: t.Folder, Axes: s.Axes(), Tested: t.SilentS > 0,
		Limits: []Limit{}, Rules: []string{}, Checks: []record.Check{}, Pairs: []Pair{}, // null to a browser if nil
	}
	if t.Virtual {
		a.Banner = "VIRTUAL"
	}
	a.Watchdog, a.Alone = safeties(t)
	at := places(m.Columns)
	_, a.Linked = at["acted"]
	if err := a.quantities(m, at, t.Parameters); err != nil {
		return nil, err
	}
	a.Body = report.BodyOf(s, func(of rths.Meaning, scale float64) int {
		i := slices.IndexFunc(m.Columns, func(c record.Column) bool { return c.Meaning == of })
		if i < 0 {
			return -1
		}
		return a.add(Quantity{Name: of.Quantity, Panel: "body", scale: scale, place: i})
	})
	a.limits(s)
	if m.Test != nil {
		a.Checks = append(a.Checks, m.Test.Checks...)
	}
	return a, nil
}

// safeties says what rig and loop do by themselves.
func safeties(t *Test) (watchdog, alone string) {
	watchdog = "none: the rig is simulated in this process"
	if t.WatchdogS > 0 {
		watchdog = fmt.Sprintf("the rig goes to safety by itself after %.3g s without commands", t.WatchdogS)
	}
	alone = "loop and page are one process: nothing goes on without it"
	if t.SilentS > 0 {
		alone = fmt.Sprintf("after %.3g s without supervisor the loop ramps down, holds, and ends", t.SilentS)
	}
	return watchdog, alone
}

func places(columns []record.Column) map[string]int {
	at := make(map[string]int, len(columns))
	for i, c := range columns {
		at[c.Name] = i
	}
	return at
}

// count is how many columns of a kind there are. A limit on the largest of several ones has a
// column without a number, too.
func count(at map[string]int, name, unit string) int {
	for n := 0; ; n++ {
		if _, ok := at[rths.ColumnName(name, unit, n, 2)]; ok {
			continue
		}
		if _, ok := at[rths.ColumnName(name, unit, 0, 1)]; ok && n == 0 {
			return 1
		}
		return n
	}
}

// add adds a quantity and gives its place.
func (a *About) add(q Quantity) int {
	a.Quantities = append(a.Quantities, q)
	return len(a.Quantities) - 1
}

// quantities lists what is drawn: of every actuator, then indicators, energies and parameters.
func (a *About) quantities(m *record.Manifest, at map[string]int, parameters []scenario.Parameter) error {
	axes, cells := count(at, "measured", "m"), count(at, "force", "N")
	a.Axes = axes
	for i := range axes {
		for _, name := range []string{"target", "command", "measured"} {
			if placeOf(at, rths.ColumnName(name, "m", i, axes)) < 0 {
				return fmt.Errorf("the record has no column %s", rths.ColumnName(name, "m", i, axes))
			}
		}
		column := func(name string) int {
			return a.add(Quantity{Name: name, Unit: "mm", Panel: "displacement", Axis: i, scale: 1e3,
				place: at[rths.ColumnName(name, "m", i, axes)]})
		}
		target, command, measured := column("target"), column("command"), column("measured")
		if left, ok := at[rths.ColumnName("guard_command", "m", i, axes)]; ok { // what the rig gets, also outside the run
			a.Quantities[command].place = left
		}
		a.add(Quantity{Name: "error", Unit: "mm", Panel: "error", Axis: i, scale: 1e3, place: -1})
		a.add(Quantity{Name: "delay", Unit: "ms", Panel: "delay", Axis: i, scale: 1, place: -1})
		a.add(Quantity{Name: "amplitude", Unit: "%", Panel: "amplitude", Axis: i, scale: 100, place: -1})
		a.Pairs = append(a.Pairs, Pair{X: target, Y: measured, Panel: "sync", Axis: i})
		if cells > 0 {
			cell := min(i, cells-1)
			force := a.add(Quantity{Name: "force", Unit: "kN", Panel: "force", Axis: i, scale: 1e-3,
				place: at[rths.ColumnName("force", "N", cell, cells)]})
			a.Pairs = append(a.Pairs, Pair{X: measured, Y: force, Panel: "hysteresis", Axis: i})
		}
	}
	for i, c := range m.Columns {
		switch n := slices.IndexFunc(parameters, func(p scenario.Parameter) bool { return p.Name == c.Name }); {
		case n >= 0:
			panel := "parameters"
			if c.Quantity == learn.ResidualOdd || c.Quantity == learn.FellBackName {
				panel = "flags" // beside the parameters, without a plot
			}
			of := a.add(Quantity{Name: c.Name, Unit: c.Unit, Panel: panel, Lower: parameters[n].Lower,
				Upper: parameters[n].Upper, scale: 1, place: i})
			if sd := placeOf(at, parameters[n].SD); sd >= 0 {
				a.Quantities[of].SD = a.add(Quantity{Name: m.Columns[sd].Name, Unit: c.Unit, Panel: "band", scale: 1, place: sd})
			}
		case c.Source == "channel" && (c.Name == "sw_pct" || c.Name == "eei_pct" || c.Name == "error_work_pct"):
			a.add(Quantity{Name: rths.WithoutUnit(c.Name, c.Unit), Unit: c.Unit, Panel: "indicators", scale: 1, place: i})
		case c.Source == "channel" && c.Unit == "J":
			a.add(Quantity{Name: rths.WithoutUnit(c.Name, c.Unit), Unit: c.Unit, Panel: "energies", scale: 1, place: i})
		}
	}
	return nil
}

// limits lists the limits: those that have a level, and all in words.
func (a *About) limits(s *scenario.Scenario) {
	for _, l := range s.Limits {
		name, unit := plain(l.Channel)
		out := Limit{Channel: l.Channel, Warn: l.Warn, Trip: l.Trip, Action: l.Action, Name: name, scale: 1}
		switch {
		case unit == "m/s":
			out.Unit, out.scale = "mm/s", 1e3
		case unit == "m":
			out.Unit, out.scale = "mm", 1e3
		case unit == "N":
			out.Unit, out.scale = "kN", 1e-3
		case unit == "%", unit == "J":
			out.Unit = unit
		case l.Channel == "age":
			out.Unit = "samples"
		}
		out.Warn, out.Trip = out.Warn*out.scale, out.Trip*out.scale
		at := func(level float64) string { return strings.TrimSpace(fmt.Sprintf("%.5g %s", level, out.Unit)) }
		switch bounded := out.Trip > 0 && !math.IsInf(out.Trip, 0); {
		case l.Channel == "non_finite":
			a.Rules = append(a.Rules, "a value that is not finite: "+l.Action)
		case !bounded:
			a.Rules = append(a.Rules, fmt.Sprintf("%s: warning at %s", out.Name, at(out.Warn)))
		default:
			a.Limits = append(a.Limits, out)
			a.Rules = append(a.Rules, fmt.Sprintf("%s at most %s, then %s", out.Name, at(out.Trip), l.Action))
		}
	}
}

// plain is the channel of a limit in words, and its unit: command rate of command_rate_m_s. The guard's own channels
// are no columns, and a scenario knows them by their names.
func plain(channel string) (words, unit string) {
	for _, u := range []string{"m/s²", "m/s", "m", "N", "%", "J"} {
		if bare := rths.WithoutUnit(channel, u); bare != channel {
			channel, unit = bare, u
			break
		}
	}
	return strings.ReplaceAll(channel, "_", " "), unit
}
