package report_test

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"rths"
	"rths/result/record"
	"rths/result/report"
)

// byAnalysis is a test of 6 s at 100 Hz whose targets, 10 samples apart, came from another program: target 31 came
// after 60 samples. Ticks were taken 1 ms after their instants, and the tick that answered target 20 another 40 ms
// later.
func byAnalysis(t *testing.T, client record.Client, lab *record.Test) *record.Archive {
	t.Helper()
	f := &rths.Frame{Desired: make([]float64, 1), Read: rths.NewReading(1, 1).WithoutTruth(), Command: make([]float64, 1)}
	names := []string{"new_target", "at_target", "path_state", "late_samples", "client_ended", "client_steps",
		"client_target_m", "taken_at_s"}
	values := make([]float64, len(names))
	var channels []rths.Channel
	for i, name := range names {
		channels = append(channels, rths.Channel{Name: name, Unit: "-", V: &values[i]})
	}
	m := record.Manifest{Name: "by an analysis", RateHz: 100, Samples: 600, Status: rths.Completed, Client: &client,
		Test: lab}
	return archived(t, m, f, channels, 600, func(k int) {
		of := func(k int) float64 { return 0.01 * math.Sin(float64(k)/20) }
		f.K, f.T, f.Desired[0], f.Read.X[0] = k, float64(k)/100, of(k), of(k-1)
		clear(values)
		waits := k > 300 && k < 360
		if k%10 == 0 && !waits {
			values[0], values[1] = 1, 1
		}
		switch k {
		case 300: // the next one is late
			values[0] = 0
		case 360:
			values[1] = 0
		}
		if k >= 300 && k < 360 {
			values[2] = 3
		}
		if k >= 360 {
			values[3] = 55
		}
		values[5], values[6], values[7] = float64(k/10), of(k/10*10+10), float64(k)/100+1e-3
		if k == 200 {
			values[7] += 40e-3
		}
	})
}

// A page names the analysis, whether it was late and how it ended, and draws its targets over the path around the
// longest wait; its channels have no figures of their own. A virtual run waits, and has no times of answers.
func TestTargets(t *testing.T) {
	client := record.Client{
		Address: "127.0.0.1:8090", Protocol: "tcp", DOF: 1, Units: "kN-m", PerTarget: 10, Path: "cubic", Extrapolate: 5,
		Steps: 54, Motions: 54, TimeS: 5.4, TimeScale: 1.1, LateTargets: 1, LateSamples: 55, LongestWait: 60, Ended: true,
		End: record.Farewell, RestSamples: 15,
	}
	punctual := client
	punctual.LateTargets, punctual.LateSamples, punctual.LongestWait = 0, 0, 0
	for _, c := range []struct {
		name       string
		client     record.Client
		lab        *record.Test
		want, lack []string
	}{
		{"a test", client, &record.Test{}, []string{
			"in another program, by tcp at 127.0.0.1:8090; 1 degree of freedom, units kN-m",
			"54 to its time 5.4 s, 54 motions (1 in a step) of 10 samples (100 ms) each, path cubic; the test took 1.1 " +
				"times as long",
			"1 of 54, which stretched the test by 55 samples (550 ms); the longest wait for a target was 60 samples (600 ms), " +
				"and the path goes on at full speed for 5 samples (50 ms)",
			"it sent its last message; the path slowed down and stood for 15 samples (150 ms)",
			"answered at most 140 ms after the loop had the target",
			"around the longest wait for one", `"x":[2.5,4.7]`, "State of the path: 0 on its way",
			"Time by which late targets have stretched the test",
		}, []string{`"client_steps"`, `"new_target"`}},
		{"a punctual test", punctual, &record.Test{},
			[]string{"none of 54; the longest wait for a target was 0 samples (0 ms)", "around the largest one"},
			[]string{"State of the path: 0 on its way"}},
		{"a virtual run", punctual, nil, []string{"none: a virtual run waits in its tick", "around the largest one"},
			[]string{"after the loop had the target", "The path 0"}},
	} {
		var b bytes.Buffer
		if err := report.Page(&b, []*record.Archive{byAnalysis(t, c.client, c.lab)}); err != nil {
			t.Fatal(err)
		}
		page := strings.ReplaceAll(b.String(), "&#39;", "'")
		for _, want := range c.want {
			if !strings.Contains(page, want) {
				t.Errorf("%s: %q is missing", c.name, want)
			}
		}
		for _, lack := range c.lack {
			if strings.Contains(page, lack) {
				t.Errorf("%s: %q is there", c.name, lack)
			}
		}
	}
}
