package rthstest

import (
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"testing"
)

// Small is a whole scenario that needs no file.
const Small = `name: small
rate_hz: 1024
ground: {kind: sine, duration_s: 1, frequency_hz: 2, amplitude_m_s2: 1}
structure: {kind: shear, masses: [1000, 1000], stiffnesses: [1e6, 1e6], damping: {modal_ratio: [0.02]}}
specimen: {kind: linear, mass: 10, damping: 100, stiffness: 1e5}
transfer: {kind: second-order}
`

// Silva is the single-actuator benchmark with everything that is not linear:
// noise, converters, a force limit.
const Silva = `name: silva
rate_hz: 4096
ground: {record: nowhere}
structure: {kind: silva2020, case: 1}
specimen: {kind: silva2020}
transfer: {kind: silva2020, force_limit: 8900}
sensors: {displacement_noise: 1e-4, displacement_offset: 1e-3}
converters: {reading: metres}
`

var recorded = regexp.MustCompile(`(?m)^ground: .*record.*$`)

// Shipped are the scenarios of a folder by their file's name, with an artificial ground motion where theirs is a
// recorded one.
func Shipped(t testing.TB, folder string) map[string]string {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(folder, "*.yaml"))
	if err != nil || len(list) == 0 {
		t.Fatalf("%q: %v", list, err)
	}
	texts := map[string]string{}
	for _, file := range list {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		texts[filepath.Base(file)] = recorded.ReplaceAllString(string(raw),
			"ground: {kind: clough-penzien, pga_g: 0.2, duration_s: 12, onset_s: 1, rise_s: 1, strong_s: 6, decay_s: 2}")
	}
	return texts
}

// Records is the folder of recorded ground motions, RTHS_RECORDS. Without it the test is
// skipped: they are no part of the program.
func Records(t testing.TB) string {
	t.Helper()
	dir := os.Getenv("RTHS_RECORDS")
	if dir == "" {
		t.Skip("RTHS_RECORDS is not set: no ground motions")
	}
	return dir
}

// Cases is the folder of small inputs with their right values, beside the recorded ground motions or the project.
// Without it the test is skipped: it is no part of the program.
func Cases(t testing.TB) string {
	t.Helper()
	_, here, _, _ := runtime.Caller(0)
	for _, dir := range []string{
		filepath.Join(filepath.Dir(os.Getenv("RTHS_RECORDS")), "cases"),
		filepath.Join(filepath.Dir(here), "../../../shared/cases"),
	} {
		if info, err := os.Stat(dir); err == nil && info.IsDir() && filepath.IsAbs(dir) {
			return dir
		}
	}
	t.Skip("no folder cases beside RTHS_RECORDS, nor ../shared/cases")
	return ""
}
