package scenario_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"rths/campaign/analyse"
	"rths/kit/rthstest"
	"rths/scenario"
	"rths/scenarios"
)

// hydraulicFile has the amplitudes at which a perfect actuator comes to a limit, as
//
//	amplitude SIZE FACTOR
//
// and J2 without noise of each method at 0.2, 0.5 and 0.9 of them:
//
//	METHOD SIZE PART J2_PCT
//	METHOD SIZE PART: what the run ended with
//
// and why a method leaves 5 % or more anywhere, as
//
//	why METHOD: REASON
//
// A method has its keys after a comma. The reference page of the compensators shows the file.
const hydraulicFile = "testdata/hydraulic.txt"

// hydraulicParts are parts of the amplitude of a perfect actuator.
var hydraulicParts = []string{"0.2", "0.5", "0.9"}

// hydraulicSize is an actuator and the column under it: hydraulic-column.yaml with all forces multiplied.
type hydraulicSize struct {
	name, kind string
	force      float64
}

var hydraulicSizes = []hydraulicSize{{"25kN", "servo-hydraulic-25kN", 0.1}, {"250kN", "servo-hydraulic-nonlinear", 1},
	{"2500kN", "servo-hydraulic-2500kN", 10}}

// hydraulicDesigns are methods whose defaults lose the loop, with keys that rths lint or their pages offer.
var hydraulicDesigns = []string{"kalman-inverse,jerk_hz:20,delay_ms:0", "mbc,model:plant", "mbc-lqg,model:plant",
	"smc,model:plant"}

// hydraulicWhy says why a method leaves 5 % or more. With coulomb_force_n 0 those that have no other reason than seals
// are below 5 %; with pressure_corner_hz 0 as well, mbc of the plant leaves 0.05 % of a small motion in place of 10 %.
var hydraulicWhy = map[string]string{
	"none":                                 "it lags by 18, 31 and 72 ms",
	"kf":                                   seals,
	"adm":                                  seals,
	"adm2":                                 seals,
	"adm3":                                 seals,
	"adm4":                                 seals,
	"forward-prediction":                   oneDelay + "; " + seals,
	"wfei":                                 "one lag of first order, over 2 s, and no gain",
	"kalman-inverse":                       bare + ": see its next row",
	"kalman-inverse,jerk_hz:20,delay_ms:0": seals + "; " + corner,
	"pe":                                   oneDelay,
	"linear-acceleration":                  oneDelay,
	"inverse":                              "one lag of first order, of the actuator without specimen",
	"mbc":                                  bare + ": see its next row",
	"mbc,model:plant":                      corner,
	"mbc-lqg":                              bare + ": see its next row",
	"smc":                                  bare + ": see its next row",
	"hinf":                                 "feedback alone, on an actuator of 72 ms: put it beside a feedforward",
	"tvc":                                  seals + "; " + corner,
}

const (
	seals    = "friction of the seals in small motion"
	corner   = "the high-pass of the pressure feedback at 1 Hz is in no inverse of order 3 or 4"
	oneDelay = "one delay for an actuator whose delay falls with the frequency"
	bare     = "unstable: its model is the actuator without specimen"
)

// scenario is the test of a method, "" for that of the file, at an amplitude.
func (z hydraulicSize) scenario(method, amplitude string) (*scenario.Scenario, error) {
	const file = "hydraulic-column.yaml"
	text, err := fs.ReadFile(scenarios.Files, file)
	if err != nil {
		return nil, err
	}
	m, k := 20e3*z.force, 12e6*z.force
	keys := strings.NewReplacer(",", ", ", ":", ": ").Replace(cmp.Or(method, "adm"))
	sets := []string{"transfer.kind=" + z.kind, "amplitude=" + amplitude, "compensator={kind: " + keys + "}",
		fmt.Sprintf("structure.masses=[%g, %g, %g]", m, m, m), fmt.Sprintf("structure.stiffnesses=[%g, %g, %g]", k, k, k),
		fmt.Sprintf("specimen.mass=%g", 300*z.force), fmt.Sprintf("specimen.damping=%g", 2e4*z.force),
		fmt.Sprintf("specimen.stiffness=%g", 4e6*z.force), fmt.Sprintf("specimen.post_stiffness=%g", 4e5*z.force),
		fmt.Sprintf("sensors.force_noise=%g", 50*z.force)}
	if strings.HasPrefix(method, "tvc") {
		sets = append(sets, "sensors.acceleration=true")
	}
	return scenario.Parse(file, text, ".", sets)
}

// amplitude is where a perfect actuator comes to a limit.
func (z hydraulicSize) amplitude(ctx context.Context) (string, error) {
	s, err := z.scenario("", "1")
	if err != nil {
		return "", err
	}
	pct, err := analyse.PerfectOf(ctx, s, scenario.Options{})
	return fmt.Sprintf("amplitude %s %.4g", z.name, pct/100), err
}

// hydraulicRow is a method's row at a part of an amplitude.
func hydraulicRow(ctx context.Context, method string, z hydraulicSize, part, amplitude string) (string, error) {
	var of, whole float64
	if _, err := fmt.Sscan(part, &of); err != nil {
		return "", err
	}
	if _, err := fmt.Sscan(amplitude, &whole); err != nil {
		return "", err
	}
	name := strings.Join([]string{method, z.name, part}, " ")
	s, err := z.scenario(method, fmt.Sprintf("%.4g", of*whole))
	if err != nil {
		return "", err
	}
	r, err := s.Build(ctx, scenario.Options{})
	if err != nil {
		return name + ": refused: " + oneLine(err.Error()), nil
	}
	status, reason := r.Status(r.Loop.Run(1<<30, func() bool { return ctx.Err() == nil }))
	if status != "completed" {
		return fmt.Sprintf("%s: %s at %.1f s: %s", name, status, r.Loop.Frame().T, oneLine(reason)), nil
	}
	for _, v := range r.Summary() {
		if v.Exact && v.Number == 2 {
			return fmt.Sprintf("%s %.3g", name, v.V), nil
		}
	}
	return "", errors.New(name + ": no J2 in the summary")
}

func oneLine(text string) string { return strings.ReplaceAll(strings.TrimSpace(text), "\n", " ") }

// Every method with defaults from the plant runs on the hydraulic actuators as they are, at 0.2, 0.5 and 0.9 of what a
// perfect actuator does in their envelope, and hydraulicFile has what comes of it. An ordinary run makes some of its
// rows again; RTHS_MATRIX=1 (make matrix) writes all.
func TestMatrixHydraulic(t *testing.T) {
	rthstest.Long(t)
	kinds := hydraulicKinds(t)
	if os.Getenv("RTHS_MATRIX") != "" {
		writeHydraulic(t, kinds)
	}
	text, err := os.ReadFile(hydraulicFile)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	lines = slices.DeleteFunc(lines, func(line string) bool {
		return strings.HasPrefix(line, "#") || strings.HasPrefix(line, "why ")
	})
	for _, line := range lines {
		kind, _, _ := strings.Cut(line, " ")
		if fields := strings.Fields(line); kind != "amplitude" && hydraulicWhy[kind] == "" && lostHydraulic(fields) {
			t.Errorf("%s: %q: want J2 below 5 %%, or the reason in hydraulicWhy", hydraulicFile, line)
		}
	}
	for kind, why := range hydraulicWhy {
		if !slices.ContainsFunc(lines, func(line string) bool {
			return strings.HasPrefix(line, kind+" ") && lostHydraulic(strings.Fields(line))
		}) || !strings.Contains(string(text), "\nwhy "+kind+": "+why+"\n") {
			t.Errorf("%s: no row of %s is lost, or it has another reason: want what hydraulicWhy has", hydraulicFile, kind)
		}
	}
	if want := len(hydraulicSizes) * (1 + len(kinds)*len(hydraulicParts)); len(lines) != want {
		t.Fatalf("%s: %d rows, want %d of %d methods: run make matrix", hydraulicFile, len(lines), want, len(kinds))
	}
	for i, z := range hydraulicSizes {
		amplitude := rthstest.Must(z.amplitude(t.Context()))
		if !slices.Contains(lines, amplitude) {
			t.Errorf("%s has no line %q: run make matrix", hydraulicFile, amplitude)
		}
		method, part := []string{"none", "amb", "kalman-inverse"}[i], hydraulicParts[i]
		row := rthstest.Must(hydraulicRow(t.Context(), method, z, part, strings.Fields(amplitude)[2]))
		if !slices.Contains(lines, row) {
			t.Errorf("%s has no row %q: run make matrix", hydraulicFile, row)
		}
	}
}

// lostHydraulic reports whether a row has no J2 below 5 %.
func lostHydraulic(fields []string) bool {
	var j2 float64
	_, err := fmt.Sscan(fields[len(fields)-1], &j2)
	return len(fields) != 4 || err != nil || j2 >= 5
}

// hydraulicKinds are those of TestMatrix, but for the one of two coupled actuators, and none; with hydraulicDesigns.
func hydraulicKinds(t *testing.T) []string {
	t.Helper()
	_, kinds, _ := matrixOf(t)
	out := []string{"none"}
	for _, kind := range kinds {
		if kind != "rodeac" {
			out = append(out, kind)
		}
		for _, design := range hydraulicDesigns {
			if strings.HasPrefix(design, kind+",") {
				out = append(out, design)
			}
		}
	}
	return out
}

func writeHydraulic(t *testing.T, kinds []string) {
	t.Helper()
	out := []string{"# J2 (%) of the methods on hydraulic actuators, by size and part of the largest amplitude of a " +
		"perfect actuator: RTHS_MATRIX=1 go test ./scenario -run TestMatrixHydraulic"}
	for _, z := range hydraulicSizes {
		out = append(out, rthstest.Must(z.amplitude(t.Context())))
	}
	amplitudes := slices.Clone(out[1:])
	rows := make([]string, len(kinds)*len(hydraulicSizes)*len(hydraulicParts))
	var wait sync.WaitGroup
	busy := make(chan bool, 2)
	for i := range rows {
		kind, size, part := kinds[i/9], i/3%3, hydraulicParts[i%3]
		wait.Add(1)
		busy <- true
		go func() {
			defer func() { <-busy; wait.Done() }()
			row, err := hydraulicRow(t.Context(), kind, hydraulicSizes[size], part, strings.Fields(amplitudes[size])[2])
			if rows[i] = row; err != nil {
				t.Error(err)
			}
			t.Log(row)
		}()
	}
	wait.Wait()
	out = append(out, rows...)
	for _, kind := range slices.Sorted(maps.Keys(hydraulicWhy)) {
		out = append(out, "why "+kind+": "+hydraulicWhy[kind])
	}
	text := strings.Join(out, "\n") + "\n"
	if err := os.WriteFile(hydraulicFile, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
