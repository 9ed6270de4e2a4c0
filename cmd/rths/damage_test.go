package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rths"
	"rths/kit/rthstest"
	"rths/result/record"
)

// damagedCommands are the commands that read the numbers of a record, of a test in the laboratory where they want one.
var damagedCommands = []struct {
	words  string
	test   bool // they want a test
	status int
}{
	{"report RUN", false, exitWrong}, {"report RUN --plots svg", false, exitWrong},
	{"report RUN --table csv", false, exitWrong},
	{"judge RUN", false, exitWrong}, {"judge RUN/frames.arrow", false, exitWrong}, {"runs show RUN", false, exitFailed},
	{"runs open RUN", false, exitWrong},
	{"bode --run RUN --window 0,0.5", false, exitWrong}, {"replay RUN", true, exitWrong}, {"recover RUN", true, exitWrong},
	{"report RUN", true, exitWrong},
	{"judge RUN", true, exitWrong}, {"runs show RUN", true, exitFailed},
}

// tested writes the record of a test with rows in both streams.
func tested(t *testing.T, dir, scenario string) {
	t.Helper()
	m := record.Manifest{Name: "test", Status: rths.Completed, RateHz: 64, Scenario: scenario, Test: &record.Test{}}
	columns := []record.Column{{Name: "time_s", Unit: "s"}, {Name: "target_m", Unit: "m"}, {Name: "measured_m", Unit: "m"},
		{Name: "phase", Unit: "-"}}
	w := rthstest.Must(record.Create(dir, m, columns))
	for k := range 200 {
		x := float64(k%7) / 1e3
		w.Append([]float64{float64(k) / 64, x, x, 2})
		w.AppendAround([]float64{float64(k) / 64, x, x, 3})
	}
	if err := w.Close(m); err != nil {
		t.Fatal(err)
	}
}

// Every command that reads the numbers of a record says that a file of it was cut off or altered, and writes nothing.
func TestDamagedRecord(t *testing.T) {
	t.Chdir(t.TempDir())
	short := strings.Replace(judgedScenario, "duration_s: 5", "duration_s: 1", 1)
	if err := os.WriteFile("judged.yaml", []byte(short), 0o644); err != nil {
		t.Fatal(err)
	}
	call(t, new(any), "run", "judged.yaml", "--out", "runs/virtual")
	tested(t, "runs/test", short)
	batch := []byte{0xFF, 0xFF, 0xFF, 0xFF}
	damages := map[string]func([]byte) []byte{
		"cut off at a batch":  func(b []byte) []byte { return b[:bytes.LastIndex(b[:len(b)-8], batch)] },
		"without end mark":    func(b []byte) []byte { return b[:len(b)-8] },
		"altered in the head": func(b []byte) []byte { b[len(b)/50] ^= 4; return b },
		"altered in a number": func(b []byte) []byte { b[len(b)*2/3] ^= 1; return b },
		"altered end mark":    func(b []byte) []byte { b[len(b)-1] ^= 1; return b },
	}
	for _, c := range damagedCommands {
		run, names := "runs/virtual", []string{record.FramesFile}
		if c.test {
			run, names = "runs/test", append(names, record.AroundFile)
		}
		for _, name := range names {
			sound := rthstest.Must(os.ReadFile(filepath.Join(run, name)))
			for what, spoil := range damages {
				if err := os.WriteFile(filepath.Join(run, name), spoil(bytes.Clone(sound)), 0o644); err != nil {
					t.Fatal(err)
				}
				checkTold(t, what, strings.ReplaceAll(c.words, "RUN", run), c.status, filepath.Join(run, name))
			}
			if err := os.WriteFile(filepath.Join(run, name), sound, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, words := range []string{"judge runs/virtual", "runs show runs/virtual", "report runs/virtual",
		"runs show runs/test", "report runs/test", "judge runs/test"} {
		call(t, new(any), strings.Fields(words)...)
	}
}

// checkTold wants a command to fail with words about a file, and to leave the folder as it was.
func checkTold(t *testing.T, what, words string, status int, path string) {
	t.Helper()
	files := func() (names []string) {
		for _, e := range rthstest.Must(os.ReadDir(filepath.Dir(path))) {
			names = append(names, e.Name())
		}
		return names
	}
	before := files()
	var out, errs bytes.Buffer
	if got := run(strings.Fields(words), &out, &errs); got != status || !strings.Contains(errs.String(), path) ||
		!strings.Contains(errs.String(), "the record is damaged") {
		t.Errorf("%s: rths %s: exit status %d, %s: want %d and %s", what, words, got, errs.String(), status, path)
	}
	if now := files(); !slices.Equal(now, before) {
		t.Errorf("%s: rths %s leaves %q: want %q", what, words, now, before)
	}
}
