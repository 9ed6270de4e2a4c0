package doctor

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"rths/scenario"
)

// The loop that is timed is a sound test at every rate that can be asked for: no limit ends a measurement.
func TestExaminedLoopCompletes(t *testing.T) {
	for _, rate := range []float64{lowestRun, LeastRateHz, 1024, 4096, MostRateHz} {
		for _, seconds := range []float64{0.5, 5} {
			s, err := scenario.Parse("doctor", []byte(Scenario(rate, seconds)), "", nil)
			if err != nil {
				t.Fatal(err)
			}
			r, err := s.Build(scenario.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if err := r.Loop.Run(r.Samples, nil); err != nil || len(r.Guard.Events()) > 0 {
				t.Errorf("%g Hz for %g s: error %v, events %+v", rate, seconds, err, r.Guard.Events())
			}
		}
	}
}

// The load is stress-ng, or else a loop of the shell for each processor.
func TestLoad(t *testing.T) {
	has := func(string) (string, error) { return "/usr/bin/stress-ng", nil }
	hasNot := func(string) (string, error) { return "", errors.New("not found") }
	if got := describe(loadWith(has)); !strings.HasPrefix(got, fmt.Sprintf("stress-ng --quiet --cpu %d ", runtime.NumCPU())) {
		t.Error(got)
	}
	got := describe(loadWith(hasNot))
	if want := fmt.Sprintf("%d × sh -c while :; do :; done, sh -c while :; do dd", runtime.NumCPU()); !strings.HasPrefix(got, want) {
		t.Errorf("%q: want %q", got, want)
	}
}
