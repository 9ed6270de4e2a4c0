package doctor

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

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
			r, err := s.Build(t.Context(), scenario.Options{})
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
	if got := describe(loadWith(has)); !strings.HasPrefix(got,
		fmt.Sprintf("stress-ng --quiet --cpu %d ", runtime.NumCPU())) {
		t.Error(got)
	}
	got := describe(loadWith(hasNot))
	if want := fmt.Sprintf("%d × sh -c while :; do :; done, sh -c while :; do dd",
		runtime.NumCPU()); !strings.HasPrefix(got, want) {
		t.Errorf("%q: want %q", got, want)
	}
}

// A load that was started runs, and is gone when it is stopped, with all that it has started.
func TestLoadStops(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("processes are looked at in /proc")
	}
	name, stop, err := startLoad(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	word := strings.Fields(name)[0] // stress-ng, or the number of loops
	if word != "stress-ng" {
		word = "while :"
	}
	for deadline := time.Now().Add(10 * time.Second); running(word) == 0; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%s does not run", name)
		}
	}
	stop()
	for deadline := time.Now().Add(10 * time.Second); running(word) > 0; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%s runs on", name)
		}
	}
}

// running is how many processes have a word in their command.
func running(word string) (n int) {
	lists, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, list := range lists {
		text, _ := os.ReadFile(list)
		command, _ := os.ReadFile(filepath.Join(filepath.Dir(list), "cmdline"))
		if _, rest, ok := strings.Cut(string(text), ") "); ok && bytes.Contains(command, []byte(word)) &&
			!strings.HasPrefix(rest, "Z") {
			n++
		}
	}
	return n
}
