package workbench

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rths"
	"rths/kit/rthstest"
	"rths/run/session"
	"rths/scenario"
	"rths/scenarios"
)

// frame is a scenario whose response is known: a linear frame under a sine.
const frame = `name: frame
rate_hz: 1024
ground: {kind: sine, duration_s: 2, frequency_hz: 2, amplitude_m_s2: 1}
structure: {kind: shear, masses: [1000, 1000], stiffnesses: [2e6, 2e6], damping: {modal_ratio: [0.02]}}
specimen: {kind: linear, mass: 20, damping: 300, stiffness: 1e5}
transfer: {kind: second-order, omega_rad_s: 150, damping_ratio: 0.8, stroke_m: 0.25, rate_m_s: 1}
compensator: {kind: amb, order: 2}
`

// opened is a desk of a folder with that scenario.
func opened(t testing.TB) (*Desk, string) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "frame.yaml"), []byte(frame), 0o644); err != nil {
		t.Fatal(err)
	}
	d, err := Open(dir, os.Getenv("RTHS_RECORDS"), "a test")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d, dir
}

// answer makes a call as a page does, and reads its answer as a page does.
func answer[Out any](t testing.TB, d *Desk, name string, in any) (Out, error) {
	t.Helper()
	var out Out
	text, err := asked(t, d, name, in)
	if err == nil {
		err = json.Unmarshal([]byte(text), &out)
	}
	return out, err
}

func must[Out any](t testing.TB, d *Desk, name string, in any) Out {
	t.Helper()
	out, err := answer[Out](t, d, name, in)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return out
}

// Wrong calls are refused, and say what is wanted.
func TestWrongCalls(t *testing.T) {
	d, _ := opened(t)
	for _, c := range []struct{ name, in, want string }{
		{"fly", `{}`, "want"},
		{"open", `{"path": "frame.yaml", "mode": 7}`, `unknown field "mode"`},
		{"open", `{`, "cannot be read"},
		{"open", `{"path": "../frame.yaml"}`, "want a .yaml file in the folder"},
		{"open", `{"path": "/etc/passwd.yaml"}`, "want a .yaml file in the folder"},
		{"open", `{"path": "frame.txt"}`, "want a .yaml file in the folder"},
		{"open", `{"path": "none.yaml"}`, "no such file"},
		{"save", `{"path": "a/../../b.yaml", "text": "x", "revision": "", "anyway": true}`,
			"want a .yaml file in the folder"},
		{"new", `{"path": "", "template": "castle"}`, "want one that files lists"},
		{"new", `{"path": "frame.yaml", "template": "frame"}`, "exists"},
		{"try", `{"path": "frame.yaml", "text": "name: [", "points": 100}`, "frame.yaml:1"},
		{"explain", `{"path": "frame.yaml", "text": "", "about": "weather"}`, "want bode"},
		{"map", `{"path": "frame.yaml", "text": "", "x": {"key": "rate_hz", "values": []}, "y": "", "at": 0, "of": ""}`,
			"want 1 to"},
		{"rehearse", `{"path": "frame.yaml", "text": "other", "revision": "x"}`, "save it first"},
	} {
		_, err := d.Call(context.Background(), c.name, []byte(c.in), nil)
		rthstest.WantError(t, err, c.want)
		var refused *Refused
		if !errors.As(err, &refused) {
			t.Errorf("%s %s: %v: want a word for the reader of the page", c.name, c.in, err)
		}
	}
	if _, err := d.Call(context.Background(), "check", []byte(`{"path": "a.yaml", "text": "`+strings.Repeat("#",
		largestText+1)+`"}`),
		nil); err == nil || !strings.Contains(err.Error(), "at most") {
		t.Errorf("a text that is too large: %v", err)
	}
}

// What is tried is what rths run computes, and the next text forgets it.
func TestTry(t *testing.T) {
	d, _ := opened(t)
	in := Try{Place: Place{"frame.yaml", frame}, Points: 500}
	out := must[Tried](t, d, "try", in)
	if !strings.HasPrefix(out.Sentence, "Completed, good") || out.Command != "rths run frame.yaml" {
		t.Errorf("%s, %s", out.Sentence, out.Command)
	}
	j2 := math.NaN()
	for _, c := range out.Criteria {
		if c.Label == "J2, %" {
			j2 = float64(c.Value)
		}
	}
	if !(j2 > 0 && j2 < 5) {
		t.Errorf("J2 is %g %%", j2)
	}
	var page struct {
		Traces   []string
		Sections []struct{ Title string }
	}
	if err := json.Unmarshal(out.Page, &page); err != nil || len(page.Traces) < 5 || page.Sections[0].Title != "Tracking" {
		t.Errorf("%v: %d traces, sections %v", err, len(page.Traces), page.Sections)
	}
	if again := must[Tried](t, d, "try", in); again.RunMs != out.RunMs {
		t.Error("the same text is run twice")
	}
	in.Pinned = []Pinned{{"before", strings.Replace(frame, "order: 2", "order: 1", 1)}}
	if both := must[Tried](t, d, "try", in); !strings.Contains(string(both.Page), `"name":"before"`) ||
		len(d.kept.list) != 2 {
		t.Errorf("the pinned run is not drawn, or %d runs are kept", len(d.kept.list))
	}
	in.Pinned, in.Energies = nil, true
	if page := string(must[Tried](t, d, "try", in).Page); !strings.Contains(page, "Energy and stability") {
		t.Error("no energies are drawn")
	}
	open := "name: x\ntarget: {kind: sine, duration_s: 1, frequency_hz: 2, amplitude_m: 0.01}\nloop: open\n" +
		frame[strings.Index(frame, "specimen"):]
	if out := must[Tried](t, d, "try", Try{Place: Place{"open.yaml", open}, Energies: true}); out.Sentence == "" {
		t.Error("a test without energies is not run")
	}
	must[Tried](t, d, "try", Try{Place: Place{"frame.yaml", frame + "# other"}})
	if len(d.kept.list) != 1 {
		t.Errorf("%d runs are kept: want the last", len(d.kept.list))
	}
}

// What spoils a run and what it misses is said, as rths run says it.
func TestTrySaysWhatIsMissed(t *testing.T) {
	d, _ := opened(t)
	text := strings.Replace(frame, "{kind: amb, order: 2}", "{kind: none}\nexpect: {J2_pct: {max: 0.001}}", 1)
	out := must[Tried](t, d, "try", Try{Place: Place{"frame.yaml", text}})
	if said := strings.Join(out.Remarks, "; "); !strings.Contains(said, "Not reached: J2_pct") {
		t.Errorf("%q: want what is not reached", said)
	}
}

// Where the page asks for something newer, a run ends.
func TestTryIsCut(t *testing.T) {
	d, _ := opened(t)
	ctx, cancel := context.WithCancel(context.Background())
	in, _ := json.Marshal(Try{Place: Place{"frame.yaml", strings.Replace(frame, "duration_s: 2", "duration_s: 600", 1)}})
	told := 0
	_, err := d.Call(ctx, "try", in, func(share float64) {
		if told++; told == 3 {
			cancel()
		}
	})
	if !errors.Is(err, errGone) || told < 3 || told > 10 {
		t.Errorf("%v after %d shares: want the end at the third", err, told)
	}
	if len(d.kept.list) > 0 {
		t.Error("a run that was cut is kept")
	}
}

// Every scenario of the program is drawn, explained and run, or says why not.
func TestShippedScenariosAnswer(t *testing.T) {
	if testing.Short() {
		t.Skip("analyses of all scenarios, one after the other: with the race detector minutes")
	}
	d, _ := opened(t)
	list, err := scenarios.Files.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	slow := []string{"nonlinear-a.yaml", "nonlinear-c.yaml", "nonlinear-d.yaml", "shake-table-acceleration.yaml",
		"shake-table-payload.yaml", "soil-structure.yaml"} // drawn always, analysed with RTHS_FULL=1, as three of four are
	for i, f := range list {
		text, err := scenarios.Files.ReadFile(f.Name())
		if err != nil || f.IsDir() {
			continue
		}
		in := Place{f.Name(), string(text)}
		if drawing := must[Drawing](t, d, "draw", in); len(drawing.Parts) < 3 || drawing.Axes < 1 {
			t.Errorf("%s: %d parts, %d actuators", f.Name(), len(drawing.Parts), drawing.Axes)
		}
		if (slices.Contains(slow, f.Name()) || i%4 != 0) && rthstest.Draws(0, 1) == 0 {
			continue
		}
		for _, about := range []string{"bode", "stability"} {
			out, err := answer[Explained](t, d, "explain", Explain{in, about})
			if err == nil && (out.Text == "" || !strings.HasPrefix(out.Command, "rths ")) || err != nil &&
				len(err.Error()) < 20 {
				t.Errorf("%s, %s: %+v, %v", f.Name(), about, out, err)
			}
			if err == nil {
				seen++
			}
			if of := "10 random plants: "; about == "stability" && f.Name() == "benchmark-siso.yaml" &&
				!(strings.Contains(out.Text, of) && strings.HasSuffix(out.Command, " --perturbed 10")) {
				t.Errorf("%s, %s: want %s", out.Command, out.Text, of)
			}
		}
	}
	if seen < rthstest.Draws(6, 30) {
		t.Errorf("%d analyses answered", seen)
	}
}

// The tab of the actuator answers what rths capacity does, with its limits in place of ratings; of an actuator without
// an envelope it has ratings.
func TestCapacityIsExplained(t *testing.T) {
	d, _ := opened(t)
	text := string(rthstest.Must(scenarios.Files.ReadFile("hydraulic-column.yaml")))
	text = strings.Replace(text, "duration_s: 20", "duration_s: 8", 1)
	out := must[Explained](t, d, "explain", Explain{Place{"column.yaml", text}, "actuator"})
	if !strings.HasPrefix(out.Sentence, "Yes, with ") || out.Command != "rths capacity column.yaml" ||
		!slices.ContainsFunc(out.Loads, func(l Load) bool { return l.Name == "valve in the run" && l.Rating == 100 }) ||
		!strings.Contains(string(out.Page), "A perfect actuator in the envelope") {
		t.Errorf("%s; %s; %+v", out.Sentence, out.Command, out.Loads)
	}
	text = strings.Replace(frame, "specimen: {", "interface: [1, 2]\nspecimen: {", 1)
	text = strings.Replace(text, "transfer: {kind: second-order, omega_rad_s: 150, damping_ratio: 0.8, stroke_m: 0.25, rate_m_s: 1}",
		"each: [{transfer: {kind: servo-hydraulic-25kN}}, {transfer: {kind: servo-hydraulic-25kN}}]", 1)
	out = must[Explained](t, d, "explain", Explain{Place{"two.yaml", text}, "actuator"})
	if out.Sentence == "" || !slices.ContainsFunc(out.Loads, func(l Load) bool { return l.Name == "stroke of actuator 2" }) {
		t.Errorf("of two hydraulic actuators: %q, %+v: want the limits of each", out.Sentence, out.Loads)
	}
	out = must[Explained](t, d, "explain", Explain{Place{"frame.yaml", frame}, "actuator"})
	if out.Sentence != "" || len(out.Loads) != 3 || len(out.Page) != 0 {
		t.Errorf("of an actuator without envelope: %q, %+v", out.Sentence, out.Loads)
	}
}

// A map has the values of runs: what rths run prints of a key set.
func TestMap(t *testing.T) {
	d, _ := opened(t)
	row := must[Row](t, d, "map", Map{Place: Place{"frame.yaml", frame}, X: Way{"compensator.order", []float64{1, 2, 9}},
		Y: "rate_hz", At: 2048, Of: "J2_pct"})
	one := must[Tried](t, d, "try", Try{Place: Place{"frame.yaml", strings.NewReplacer("1024", "2048", "order: 2",
		"order: 1").Replace(frame)}})
	for _, c := range one.Criteria {
		if c.Label == "J2, %" && float64(c.Value) != float64(row.Values[0]) {
			t.Errorf("the map has %g, the run %g", row.Values[0], c.Value)
		}
	}
	if !rths.Finite(float64(row.Values[1])) || rths.Finite(float64(row.Values[2])) || !strings.Contains(row.Why, "order") {
		t.Errorf("%v, %s: want no value at order 9, and why", row.Values, row.Why)
	}
}

// A rehearsal leaves the record that rths test wants, and its report.
func TestRehearse(t *testing.T) {
	d, dir := opened(t)
	file := must[Text](t, d, "open", wanted{"frame.yaml"})
	out := must[Rehearsed](t, d, "rehearse", Rehearse(file))
	if !strings.HasPrefix(out.Sentence, "Completed") || !strings.HasPrefix(out.Folder, "runs/frame-") || out.Rig {
		t.Errorf("%+v", out)
	}
	if _, err := os.Stat(filepath.Join(dir, out.Folder, "manifest.json")); err != nil {
		t.Error(err)
	}
	if !strings.Contains(strings.Join(out.Commands, "\n"), "rths test frame.yaml --rehearsal "+out.Folder) {
		t.Errorf("%q", out.Commands)
	}
	var page strings.Builder
	if err := d.Report(&page, out.Folder); err != nil || !strings.Contains(page.String(), "<h1>frame</h1>") {
		t.Errorf("%v, a report of %d bytes", err, page.Len())
	}
	for _, folder := range []string{"../x", "none", "/etc"} {
		rthstest.WantError(t, d.Report(&page, folder), "want the folder of a run")
	}
	files := must[Files](t, d, "files", struct{}{})
	if len(files.Files) != 1 || files.Files[0].Path != "frame.yaml" || len(files.Templates) < 4 {
		t.Errorf("%+v: want the scenario, and nothing of the run", files)
	}
}

// A run that panics says so, and the desk goes on.
func TestPanic(t *testing.T) {
	d, _ := opened(t)
	of := textRun{Place: Place{"frame.yaml", frame}, ready: func(*scenario.Run) error { panic("no such spring") }}
	_, err := d.virtual(t.Context(), &session.Virtual{Glance: true}, of)
	rthstest.WantError(t, err, "frame.yaml: the run has failed within the program: no such spring")
	must[Tried](t, d, "try", Try{Place: Place{"frame.yaml", frame}})
}
