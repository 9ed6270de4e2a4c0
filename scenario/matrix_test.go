package scenario_test

import (
	"context"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"

	"rths"
	"rths/kit/rthstest"
	"rths/method/compensate"
	"rths/scenario"
	"rths/scenarios"
)

// asPrinted are the kinds with published settings, which hold for one plant and rate.
var asPrinted = []string{"amb-galmez2021", "amb-fixed", "kf-ning2020", "kf-table5", "kf-literal"}

// fromPlant are the kinds that do not adapt, or need a model in state space, and take their
// defaults from the plant.
// (msmc leaves a lag, and says so: TestLagOfSlidingMode.)
var fromPlant = []string{"pe", "linear-acceleration", "inverse", "mbc", "mbc-lqg", "adm-msmc", "hinf", "smc", "mpc",
	"tvc"}

// A method whose defaults come from the plant works with them on every shipped scenario at
// 1024, 2048 and 4096 Hz: the run completes, and J2 without sensor noise is below 5 % or
// below half of J2 without compensation, at every actuator. What does not stands in
// testdata/matrix.txt with its reason. Ordinary tests try a part, RTHS_FULL=all (make full) all, on 8 s of
// Clough–Penzien motion; RTHS_MATRIX=1 (make matrix) all on whole records.
func TestMatrix(t *testing.T) {
	rthstest.Long(t)
	known, whole := knownFailures(t), os.Getenv("RTHS_MATRIX") != ""
	if whole {
		rthstest.Records(t)
	}
	files, kinds, rates := matrixOf(t)
	if !whole && !rthstest.All() {
		kinds, rates = []string{"amb"}, []float64{1024}
	}
	var mu sync.Mutex
	var wait sync.WaitGroup
	busy := make(chan bool, 2)
	for _, file := range files {
		for _, rate := range rates {
			wait.Add(1)
			busy <- true
			go func() {
				defer func() { <-busy; wait.Done() }()
				row := matrixRow(t.Context(), file, rate, kinds, whole)
				mu.Lock()
				defer mu.Unlock()
				for i, cell := range row {
					what := fmt.Sprintf("%s %s %g", kinds[i], file, rate)
					switch reason, listed := listed(known, what); {
					case !cell.works && !listed:
						t.Errorf("%s: %s: want a setting that works, or the reason in testdata/matrix.txt", what, cell.text)
					case listed:
						t.Logf("%s: %s; listed: %s", what, cell.text, reason)
					default:
						t.Logf("%s: %s", what, cell.text)
					}
				}
			}()
		}
	}
	wait.Wait()
}

// matrixOf lists scenarios, methods, and rates, Hz.
func matrixOf(t *testing.T) (files, kinds []string, rates []float64) {
	t.Helper()
	files, err := fs.Glob(scenarios.Files, "*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	at := compensate.At{RateHz: 1024, Axes: 1, Accelerometer: true, Plant: func(float64) (complex128, error) {
		return 1, nil
	}}
	for _, k := range compensate.Kinds {
		c, err := k.Defaults().Make(at)
		if err != nil || slices.Contains(asPrinted, k.Name) {
			continue // of several actuators, or as printed
		}
		if _, adapts := rths.As[rths.Adaptive](c); adapts {
			kinds = append(kinds, k.Name)
		}
	}
	kinds = append(kinds, fromPlant...)
	return files, kinds, []float64{1024, 2048, 4096}
}

// listed is the reason of a line that has this method, scenario and rate; * and ? stand for
// any letters and any letter.
func listed(known map[string]string, what string) (reason string, ok bool) {
	for pattern, reason := range known {
		if match, _ := path.Match(pattern, what); match {
			return reason, true
		}
	}
	return "", false
}

// knownFailures are the reasons by method, scenario and rate.
func knownFailures(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile("testdata/matrix.txt")
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for line := range strings.Lines(string(text)) {
		what, reason, ok := strings.Cut(strings.TrimSpace(line), ": ")
		if strings.HasPrefix(line, "#") {
			continue
		}
		if !ok || len(strings.Fields(what)) != 3 || out[what] != "" {
			t.Fatalf("testdata/matrix.txt: %q: want METHOD SCENARIO RATE: REASON, once", line)
		}
		out[what] = reason
	}
	return out
}

type matrixCell struct {
	works bool
	text  string
}

// matrixRow tries the methods on a scenario.
func matrixRow(ctx context.Context, file string, rate float64, kinds []string, whole bool) []matrixCell {
	_, none, err := matrixRun(ctx, file, "none", rate, whole)
	cells := make([]matrixCell, len(kinds))
	for i, kind := range kinds {
		var status string
		var j2 []float64
		if err == nil {
			status, j2, err = matrixRun(ctx, file, kind, rate, whole)
		}
		if err != nil {
			cells[i], err = matrixCell{false, err.Error()}, nil
			continue
		}
		works := status == "completed"
		for a, j := range j2 {
			works = works && (j < 5 || j < none[a]/2)
		}
		cells[i] = matrixCell{works, fmt.Sprintf("%s, J2 %.2f %%, %.1f %% without compensation", status, j2, none)}
	}
	return cells
}

// matrixRun is the status of a run and J2 without noise of every actuator, %.
func matrixRun(ctx context.Context, file, kind string, rate float64, whole bool) (status string, j2 []float64,
	err error) {
	text, err := fs.ReadFile(scenarios.Files, file)
	if err != nil {
		return "", nil, err
	}
	sets := []string{"compensator={kind: " + kind + "}", fmt.Sprintf("rate_hz=%g", rate)}
	if strings.HasPrefix(kind, "tvc") {
		sets = append(sets, "sensors.acceleration=true")
	}
	if !whole {
		sets = append(sets, "duration_s=9")
		if strings.Contains(string(text), "\nground:") {
			sets = append(sets,
				"ground={kind: clough-penzien, duration_s: 8, pga_g: 0.13, onset_s: 0.5, rise_s: 1.5, strong_s: 4, decay_s: 2}")
		}
	}
	s, err := scenario.Parse(file, text, ".", sets)
	if err != nil {
		return "", nil, err
	}
	r, err := s.Build(ctx, scenario.Options{RecordsDir: os.Getenv("RTHS_RECORDS")})
	if err != nil {
		return "", nil, err
	}
	status, _ = r.Status(r.Loop.Run(1<<30, func() bool { return true }))
	for _, v := range r.Summary() {
		if v.Exact && v.Number == 2 {
			j2 = append(j2, v.V)
		}
	}
	if len(j2) == 0 || slices.ContainsFunc(j2, math.IsNaN) {
		status = "without J2, " + status
	}
	return status, j2, nil
}
