package main

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"testing"

	"rths/kit/rthstest"
)

var medianStep = regexp.MustCompile(`([0-9.]+) ms each \(median\)`)

// TestLatency is make latency: the median time of a step of OpenSees with the spring of examples/opensees, its
// recorders and its own work included, over rths run and over the least server in C, in turn. Each is the
// median of five runs of 2000 steps.
func TestLatency(t *testing.T) {
	if os.Getenv("RTHS_LATENCY") == "" {
		t.Skip("times a run: make latency")
	}
	dir := t.TempDir()
	echo := filepath.Join(dir, "echo")
	if out, err := exec.Command("cc", "-O2", "-o", echo, "../../examples/opensees/echo.c").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	step := func(port string) float64 {
		m := medianStep.FindStringSubmatch(startOpenSees(t, "spring", "RTHS_PORT="+port, "OUT="+dir).well())
		return rthstest.Must(strconv.ParseFloat(m[1], 64))
	}
	const port = "8089"
	ours := map[string][]float64{}
	var theirs []float64
	for range 5 {
		c := exec.Command(echo, port, "40e3")
		out := rthstest.Must(c.StdoutPipe())
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		_, _ = bufio.NewReader(out).ReadString('\n')
		theirs = append(theirs, step(port))
		_ = c.Wait()
		for name, more := range map[string][]string{"8 samples a step, no compensator": nil,
			"the same, recorded, AMB behind a second-order system": {"--set", "transfer={kind: second-order}", "--set",
				"compensator={kind: amb}"}} {
			h := serveModel(t, ideal, append([]string{"--set", "specimen.stiffness=40e3", "--set",
				"rate_hz=800"}, more...)...)
			ours[name] = append(ours[name], step(h.port))
			h.end()
		}
	}
	slices.Sort(theirs)
	reference := theirs[2]
	t.Logf("the least server in C: %.3f ms a step", reference)
	for name, list := range ours {
		slices.Sort(list)
		t.Logf("rths run, %s: %.3f ms a step, %.2f times the C server", name, list[2], list[2]/reference)
		if list[2] > 5 || list[2] > 2*reference {
			t.Errorf("%s: %.3f ms a step: want at most 5, and at most twice the C server's %.3f", name, list[2], reference)
		}
	}
}
