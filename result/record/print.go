package record

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strings"
	"text/tabwriter"

	"rths"
)

// WriteJSON writes a document for people and programs: indented, with & and < as they are.
func WriteJSON(out io.Writer, v any) error {
	e := json.NewEncoder(out)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// Print prints what a run has come to.
func (m *Manifest) Print(out io.Writer) {
	fmt.Fprintf(out, "%s: %s", m.Name, m.Ended())
	if m.Reason != "" {
		fmt.Fprintf(out, ", %s", strings.TrimPrefix(m.Reason, m.Status+" "))
	}
	if old := m.Stale(); old != "" {
		fmt.Fprintf(out, "; %s", old)
	}
	fmt.Fprintf(out, "\n%.2f s simulated", m.SimulatedS)
	if took := m.Took(); took != "" {
		fmt.Fprintf(out, " in %s", took)
	}
	fmt.Fprint(out, "\n\n")
	m.Drawn.print(out, "%.6g") // in digits enough to set them
	m.printLaboratory(out)
	printRemarks(out, nil, m.Warnings, m.Unmet)
	printEvents(out, m.Events)
	if m.Status == rths.Tripped {
		fmt.Fprint(out, "criteria are of the whole run, also of the time after the limit had acted\n\n")
	}
	m.printResults(out)
}

// PrintDetails prints what a manifest keeps of a run, without how the run ended.
func (m *Manifest) PrintDetails(out io.Writer) {
	m.printLaboratory(out)
	printRemarks(out, m.Notes, m.Warnings, m.Unmet)
	printEvents(out, m.Events)
	m.printResults(out)
}

func (m *Manifest) printResults(out io.Writer) {
	for _, values := range []Values{m.Criteria, m.Indicators, m.Compensator} {
		values.Print(out)
	}
	printLearned(out, m.Learned)
}

// Print prints a line for each value, and an empty line below them.
func (v Values) Print(out io.Writer) { v.print(out, "") }

// print prints values in a format of Text.
func (v Values) print(out io.Writer, format string) {
	if len(v) == 0 {
		return
	}
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, one := range v {
		fmt.Fprintf(t, "%s\t%s\t%s\n", one.Name, Text(format, one.V), one.Doc)
	}
	t.Flush()
	fmt.Fprintln(out)
}

// printRemarks prints what a run has said of itself.
func printRemarks(out io.Writer, notes, warnings, unmet []string) {
	for _, of := range []struct {
		word  string
		texts []string
	}{{"note", notes}, {"warning", warnings}, {"not reached", unmet}} {
		for _, text := range of.texts {
			fmt.Fprintf(out, "%s: %s\n", of.word, text)
		}
	}
	if len(notes)+len(warnings)+len(unmet) > 0 {
		fmt.Fprintln(out)
	}
}

// Took says how long a run took, "" where nobody knows: its program died.
func (m *Manifest) Took() string {
	switch {
	case !(m.WallS > 0):
		return ""
	case m.WallS < 1e-3:
		return fmt.Sprintf("%.2g ms, %.*f times real time", 1e3*m.WallS, decimals(m.RealtimeFactor), m.RealtimeFactor)
	}
	return fmt.Sprintf("%.3f s, %.*f times real time", m.WallS, decimals(m.RealtimeFactor), m.RealtimeFactor)
}

// decimals is the number of decimals that shows two digits of a factor.
func decimals(x float64) int {
	if x >= 10 {
		return 0
	}
	return 2
}

// printEvents prints what the guard has done, and the faults.
func printEvents(out io.Writer, events []Event) {
	if len(events) == 0 {
		return
	}
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, e := range events {
		fmt.Fprintf(t, "%.4f s\t%s\t%s\n", e.TimeS, e.Channel, e.cells())
	}
	t.Flush()
	fmt.Fprintln(out)
}

// cells are value, limit and action of an event.
func (e *Event) cells() string {
	switch {
	case e.Fault != "":
		return fmt.Sprintf("\t\tfault %s %s", e.Fault, e.Action)
	case e.Action == FallsBack || e.Action == Returns:
		return "\t\t" + strings.TrimSuffix(e.Action+": "+e.Cause, ": ")
	}
	value, limit := fmt.Sprintf("%.5g", float64(e.Value)), fmt.Sprintf("limit %.5g", float64(e.Limit))
	if e.Limit == 0 { // there is no level
		limit = ""
	}
	if e.Channel == FailedReading {
		value = "failed"
	}
	return fmt.Sprintf("%s\t%s\t%s", value, limit, e.Action)
}

// printLaboratory prints what rig, analysis and test were.
func (m *Manifest) printLaboratory(out io.Writer) {
	if m.Rig != nil {
		fmt.Fprintf(out, "%s\n\n", m.Rig)
	}
	if lines := m.Analysis(); len(lines) > 0 {
		t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
		for _, l := range lines {
			fmt.Fprintf(t, "%s\t%s\n", strings.ToLower(l.Name), l.Text)
		}
		t.Flush()
		fmt.Fprintln(out)
	}
	if m.Test != nil {
		m.Test.print(out, m.Samples)
	}
}

// String says which rig a run loaded.
func (r *Rig) String() string {
	kind := "the rig"
	if r.Virtual {
		kind = "the VIRTUAL rig"
	}
	text := fmt.Sprintf("%s %q at %s, clock %s", kind, r.Laboratory, r.Address, r.Clock)
	if r.Sent == 0 {
		return text
	}
	return text + fmt.Sprintf(": %d datagrams sent, %d received, of them %d repeated, %d old, %d bad",
		r.Sent, r.Received, r.Repeated, r.Old, r.Bad)
}

// print prints what a test in the laboratory adds to a run of so many samples.
func (t *Test) print(out io.Writer, samples int) {
	if t.Cause != "" {
		fmt.Fprintf(out, "first cause: %s\n", t.Cause)
	}
	fmt.Fprintf(out, "%d of %d ticks were late, at most %d in a row; shortest round trip %.4g µs\n",
		t.LateTicks, samples, t.LongestLate, float64(t.RoundTripUs))
	if rt := t.Realtime; rt != nil {
		woke, left := &rt.Timing.Lateness, &rt.Timing.Departure
		fmt.Fprintf(out, "the loop woke at most %.4g µs late (99.9 %%: %.4g µs); its commands left at most %.4g µs after "+
			"their instants (99.9 %%: %.4g µs)\n", woke.MaxUs, woke.P999Us, left.MaxUs, left.P999Us)
	}
	if of := t.MainSteps; of != nil {
		fmt.Fprintf(out, "%d of %d main steps were late, at most %d in a row; they took at most %.4g µs (99.9 %%: %.4g µs) "+
			"of %.4g µs\n", of.Late, of.Steps, of.LongestLate, of.Took.MaxUs, of.Took.P999Us, of.PeriodUs)
	}
	for i, of := range t.Moves {
		fmt.Fprintf(out, "small move of actuator %d: gain %.4g, stiffness %.4g N/m", i+1, float64(of.Gain),
			float64(of.Stiffness))
		if text := of.InsteadText(); text != "" {
			fmt.Fprintf(out, "; %s", text)
		}
		fmt.Fprintln(out)
	}
	if r := t.Rehearsal; r != nil {
		fmt.Fprintf(out, "against the rehearsal %s: displacement differs by %s %%, force by %s %% (rms); %s\n", r.Folder,
			Text("%.3g", float64(r.DisplacementPct)), Text("%.3g", float64(r.ForcePct)), r.parted())
	}
	fmt.Fprintln(out)
}

// parted says when test and rehearsal part.
func (r *Rehearsal) parted() string {
	if math.IsNaN(float64(r.PartedS)) {
		return "they differ by at most a tenth of its largest displacement"
	}
	return fmt.Sprintf("they first differ by more than a tenth of its largest displacement at t = %.3f "+
		"s", float64(r.PartedS))
}

// Result is a run as rths run --json prints it.
type Result struct {
	Name           string     `json:"name"`
	Status         string     `json:"status"`
	Reason         string     `json:"reason"`
	Verdict        string     `json:"verdict"`
	RateHz         float64    `json:"rate_hz"`
	Samples        int        `json:"samples"`
	RowsKept       *int       `json:"rows_kept,omitempty"`
	SimulatedS     float64    `json:"simulated_s"`
	WallS          float64    `json:"wall_s"`
	RealtimeFactor float64    `json:"realtime_factor"`
	Drawn          Values     `json:"drawn,omitempty"`
	Client         *Client    `json:"client,omitempty"`
	Rig            *Rig       `json:"rig,omitempty"`
	Test           *Test      `json:"test,omitempty"`
	Notes          []string   `json:"notes"`
	Warnings       []string   `json:"warnings"`
	Unmet          []string   `json:"unmet"`
	Criteria       Values     `json:"criteria"`
	Indicators     Values     `json:"indicators"`
	Events         []Event    `json:"events"`
	Compensator    Values     `json:"compensator"`
	Learned        []Learned  `json:"learned,omitempty"`
	Spectra        []Spectrum `json:"spectra,omitempty"`
	Files          []string   `json:"files"`
}

// Result is what a run has come to, with the paths of its files. A list that is empty stands as [] in JSON.
func (m *Manifest) Result(files []string) Result {
	return Result{
		m.Name, m.Status, m.Reason, m.Verdict, m.RateHz, m.Samples, m.RowsKept, m.SimulatedS, m.WallS, m.RealtimeFactor,
		m.Drawn, m.Client, m.Rig, m.Test, listed(m.Notes), listed(m.Warnings), listed(m.Unmet), m.Criteria, m.Indicators,
		listed(m.Events), m.Compensator, m.Learned, m.Spectra, listed(files),
	}
}

// listed is a list that is not nil.
func listed[T any](list []T) []T { return append([]T{}, list...) }
