package main

import (
	"fmt"
	"os"
	"testing"
	"time"
)

// stiffnesses is a study of three methods on some specimens, of a scenario beside it.
const stiffnesses = `name: three methods
scenario: demo.yaml
set: [ground.duration_s=4]
seed: 1
points: %d
variables:
  compensator.kind: [amb, kf, none]
  specimen.stiffness: {kind: uniform, from: 1.0e5, to: 3.6e6}
`

// openStudies opens the tab of studies on a folder with a scenario and a study of so many points.
func openStudies(t *testing.T, points int) *bench {
	t.Helper()
	demo := string(must(os.ReadFile("../../scenarios/demo.yaml")))
	b := openBench(t, map[string]string{"demo.yaml": demo, "methods.yaml": fmt.Sprintf(stiffnesses, points)})
	b.Says(`document.getElementById("tab-study").click()`)
	b.Until(`[...document.querySelectorAll("#view select")].some(s => s.value === "methods.yaml")`, 10*time.Second)
	return b
}

const (
	stateOfStudy = `document.querySelector("#view section .verdict").textContent`
	rowsOfStudy  = `document.querySelectorAll(".runs tbody tr").length`
)

// A study begins in the page, shows its first rows, is stopped, goes on, and ends with all rows.
func TestBrowserStudiesRun(t *testing.T) {
	b := openStudies(t, 40)
	b.shot("studies-empty")
	b.press(button("Start"), 1)
	b.Until(rowsOfStudy+` > 1 && /^Running, [0-9]+ of 120 runs/.test(`+stateOfStudy+`)`, 30*time.Second)
	b.shot("studies-first-rows")
	b.press(button("Stop"), 1)
	b.Until(`/^Stopped, .*stopped by the user after/i.test(`+stateOfStudy+`)`, 20*time.Second)
	b.shot("studies-stopped")
	b.press(button("Resume"), 1)
	b.Until(`/^Completed, 120 of 120 runs/.test(`+stateOfStudy+`) && `+rowsOfStudy+` === 120`, 60*time.Second)
	b.shot("studies-completed")
	b.calm()
}

func TestTmpShots(t *testing.T) {
	b := openStudies(t, 12)
	b.press(button("Start"), 1)
	b.Until(`/^Completed, 36 of 36 runs/.test(`+stateOfStudy+`) && `+rowsOfStudy+` === 36`, 60*time.Second)
	for i, at := range []int{0, 700, 1400, 2100, 2800, 3500} {
		b.Says(fmt.Sprintf("document.getElementById('view').scrollTop = %d", at))
		time.Sleep(200 * time.Millisecond)
		b.shot(fmt.Sprintf("tmp-%d", i))
	}
	b.Size(400, 1000, true)
	time.Sleep(300 * time.Millisecond)
	for i, at := range []int{0, 600, 1200, 2000} {
		b.Says(fmt.Sprintf("window.scrollTo(0, %d)", at))
		time.Sleep(200 * time.Millisecond)
		b.shot(fmt.Sprintf("tmp-400-%d", i))
	}
	b.calm()
}
