package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"rths"
	"rths/kit/rthstest"
	"rths/result/record"
)

const longRun = `name: long
rate_hz: 4096
duration_s: 2047
ground: {kind: sine, amplitude_m_s2: 0.5, frequency_hz: 2, duration_s: 2047}
structure: {kind: silva2020, case: 1}
specimen: {kind: silva2020}
transfer: {kind: silva2020}
sensors: {displacement_noise: 16e-6, force_noise: 2.18}
compensator: {kind: amb}
`

// TestScale wants at most 500 MB and 20 s for 8.4 million rows, 100 MB/s of text, and 15, 0.3 and 0.3 s for a catalogue
// of 50 000 runs.
func TestScale(t *testing.T) {
	if os.Getenv("RTHS_SCALE") == "" {
		t.Skip("make scale: it takes 11 GB of disk and minutes")
	}
	dir := t.TempDir()
	binary := filepath.Join(dir, "rths")
	if out, err := exec.Command("go", "build", "-o", binary, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Chdir(dir)
	if err := os.WriteFile("long.yaml", []byte(longRun), 0o644); err != nil {
		t.Fatal(err)
	}
	costs(t, binary, time.Hour, 0, "run", "long.yaml", "--out", "long", "--hdf5", "--tdms")
	costs(t, binary, 20*time.Second, 500, "report", "long")
	for _, file := range []string{"", record.HDF5File, record.TDMSFile} {
		costs(t, binary, 20*time.Second, 500, "judge", filepath.Join("long", file))
	}
	costs(t, binary, time.Duration(textOf(t, "long", "long.csv"))*time.Second/100e6, 500, "judge", "long.csv")
	manyRuns(t, "many", 50_000)
	costs(t, binary, 15*time.Second, 0, "runs", "--rebuild", "many")
	costs(t, binary, 300*time.Millisecond, 0, "runs", "many")
	costs(t, binary, 300*time.Millisecond, 0, "runs", "many", "--where", "J2_pct<3", "--tag", "specimen-3")
}

// textOf writes the columns of a run that judge reads as text with all digits, and returns the bytes.
func textOf(t *testing.T, dir, path string) int64 {
	t.Helper()
	a := rthstest.Must(record.Open(dir))
	defer a.Close()
	read := []string{"time_s", "target_m", "measured_m", "command_m", "force_N"}
	columns := slices.Clone(a.Columns)
	columns = slices.DeleteFunc(columns, func(c record.Column) bool { return !slices.Contains(read, c.Name) })
	file := rthstest.Must(os.Create(path))
	if err := errors.Join(a.WriteCSVOf(file, columns), file.Sync(), file.Close()); err != nil {
		t.Fatal(err)
	}
	size := rthstest.Must(os.Stat(path)).Size()
	t.Logf("%s: %.4g MB", path, float64(size)/1e6)
	return size
}

// costs runs a command, and wants it to end within a time and so many MB of memory, if that is above 0.
func costs(t *testing.T, binary string, most time.Duration, mostMB int64, args ...string) {
	t.Helper()
	c := exec.Command(binary, args...)
	c.Stdout, c.Stderr = io.Discard, os.Stderr
	began := time.Now()
	if err := c.Run(); err != nil {
		t.Fatalf("%v: %v", args, err)
	}
	took, mb := time.Since(began), c.ProcessState.SysUsage().(*syscall.Rusage).Maxrss>>10
	cpu := c.ProcessState.UserTime() + c.ProcessState.SystemTime()
	t.Logf("%v: %.2f s, processor time %.2f s, %d MB", args, took.Seconds(), cpu.Seconds(), mb)
	if took > most || mostMB > 0 && mb > mostMB {
		t.Errorf("%v: %v and %d MB: want at most %v and %d MB", args, took, mb, most, mostMB)
	}
}

// manyRuns makes folders of runs from the manifest of the long run: names, dates, tags, states and numbers differ.
func manyRuns(t *testing.T, dir string, n int) {
	t.Helper()
	m := rthstest.Must(record.LoadManifest("long"))
	first := time.Date(2026, 1, 5, 8, 0, 0, 0, time.UTC)
	numbers := append(record.Values{}, m.Criteria...)
	for i := range n {
		m.Name, m.Started = fmt.Sprintf("frame-%d", i%97), first.Add(time.Duration(i)*7*time.Minute).Format(time.RFC3339)
		m.Tags = [][]string{{"thesis"}, {"thesis", fmt.Sprintf("specimen-%d", i%11)}, nil}[i%3]
		m.Status = []string{rths.Completed, rths.Completed, rths.Completed, rths.Tripped}[i%4]
		m.Criteria = nil
		for j, v := range numbers {
			m.Criteria = append(m.Criteria, rths.Value{Name: v.Name, V: v.V * (1 + float64((i*31+j*17)%1000)/1000)})
		}
		folder := filepath.Join(dir, fmt.Sprintf("%s-%05d", m.Name, i))
		text := rthstest.Must(json.MarshalIndent(m, "", "  "))
		if err := errors.Join(os.MkdirAll(folder, 0o755),
			os.WriteFile(filepath.Join(folder, record.ManifestFile), text, 0o644)); err != nil {
			t.Fatal(err)
		}
	}
}
