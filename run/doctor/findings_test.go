package doctor

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rths/kit/rthstest"
	"rths/lab/realtime"
	"rths/result/record"
)

// measured is a loop at a rate with so many late ticks of all.
func measured(rate float64, network bool, load string, late, ticks uint64) Measurement {
	return Measurement{RateHz: rate, UDP: network, Load: load, Seconds: 30,
		Realtime: &record.Realtime{Timing: realtime.Timing{Late: late, Ticks: ticks}}}
}

// found are findings with their verdict.
func found(list ...Measurement) *Findings {
	f := &Findings{Format: format, Machine: realtime.MachineID(), CPU: 1, RateHz: 4096, Seconds: 30, Measurements: list}
	f.Verdict = f.verdict()
	return f
}

// The bound of Poisson's law: −ln 0.05 for none, and the roots of Σ λ^k e^−λ / k! = 0.05 for more.
func TestBound(t *testing.T) {
	for n, lambda := range map[uint64]float64{0: -math.Log(0.05), 1: 4.743865, 2: 6.295794, 10: 16.962219} {
		if got, want := bound(n, 100_000), lambda/100_000; math.Abs(got-want) > 1e-10 {
			t.Errorf("%d of 100 000: %g: want %g", n, got, want)
		}
		sum, term := 0., math.Exp(-lambda)
		for k := range n + 1 {
			sum += term
			term *= lambda / float64(k+1)
		}
		if math.Abs(sum-0.05) > 1e-6 {
			t.Errorf("%d: λ = %g has a probability of %g: want 0.05", n, lambda, sum)
		}
	}
	if bound(0, 0) != 1 || bound(5, 5) != 1 || bound(0, 1) != 1 {
		t.Error("few ticks bound nothing")
	}
	// 30 s at 4096 Hz say nothing below 1e-5.
	if b := bound(0, 30*4096); b < 1e-5 {
		t.Errorf("30 s at 4096 Hz support %g", b)
	}
}

func TestVerdict(t *testing.T) {
	for name, c := range map[string]struct {
		of       *Findings
		rate     float64
		held     bool
		sentence string
	}{
		"all held": {
			found(measured(1024, false, "", 0, 30_000), measured(1024, true, "", 1, 30_000), measured(2048, true, "", 0, 60_000),
				measured(4096, true, "", 3, 120_000)),
			4096, true, "This machine holds 4096 Hz: 3 of 120000 ticks missed their deadline (2.5e-05; 4096 Hz, with a rig " +
				"over UDP, idle); measured for 30 s: with 95 % confidence at most a share of " +
				"6.5e-05 of the ticks is late.",
		},
		"not under load": {
			found(measured(1024, true, "", 0, 30_000), measured(1024, true, "stress", 2, 30_000),
				measured(4096, true, "", 0, 120_000), measured(4096, true, "stress", 50, 120_000)),
			1024, false, "This machine holds 1024 Hz: 2 of 30000 ticks missed their deadline (6.7e-05; 1024 Hz, with a rig " +
				"over UDP, under load)",
		},
		"not without a network": {
			found(measured(1024, false, "", 0, 30_000), measured(2048, false, "", 7, 60_000),
				measured(2048, true, "", 0, 60_000)),
			1024, false, "This machine holds 1024 Hz: 0 of 30000 ticks missed their deadline (0;",
		},
		"a higher rate by chance": {
			found(measured(1024, true, "", 0, 30_000), measured(2048, true, "", 60, 60_000),
				measured(4096, true, "", 0, 120_000)),
			1024, false, "This machine holds 1024 Hz",
		},
		"none": {found(measured(4096, true, "", 0, 120_000), measured(512, true, "", 9, 9000)), 0, false,
			"This machine does not hold 512 Hz: 9 of 9000 ticks missed their deadline (1.0e-03; 512 Hz, with a rig over " +
				"UDP, idle)."},
		"no ticks": {found(measured(4096, true, "", 0, 0)), 0, false, "This machine does not hold 4096 Hz"},
		"in any row": {found(measured(4096, true, "", 0, 120_000), measured(1024, true, "", 0, 30_000)), 4096, true,
			"This machine holds 4096 Hz"},
	} {
		t.Run(name, func(t *testing.T) {
			v := c.of.Verdict
			if v.RateHz != c.rate || !strings.HasPrefix(v.Sentence, c.sentence) || c.of.Held() != c.held {
				t.Errorf("%g Hz, held: %t: %s\nwant %g, %t: %s", v.RateHz, c.of.Held(), v.Sentence, c.rate, c.held, c.sentence)
			}
		})
	}
}

// A property is listed once, first those that do not change.
func TestNotable(t *testing.T) {
	f := found(measured(1024, true, "", 0, 30_000), measured(2048, true, "", 0, 60_000))
	f.Conditions = []realtime.Condition{{Name: "governor", Good: true, Known: true},
		{Name: "clock source", Known: true, Found: "hpet"}}
	f.Measurements[0].Conditions = []realtime.Condition{{Name: "steal", Known: true, Found: "10 ms"}}
	f.Measurements[1].Conditions = []realtime.Condition{{Name: "steal", Known: true, Found: "20 ms"}}
	list := f.Notable()
	if len(list) != 2 || list[0].Found != "hpet" || list[1].Found != "10 ms" {
		t.Errorf("%+v", list)
	}
}

// Findings are of one machine with its kernel, one processor and one version of their file.
func TestKeep(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state", "rths", "doctor.json")
	if _, err := Load(path, 1); !errors.Is(err, errNone) {
		t.Errorf("error %v: want %v", err, errNone)
	}
	want := found(measured(4096, true, "", 3, 120_000))
	keep := func(f Findings) {
		t.Helper()
		if err := Keepable(path); err != nil {
			t.Fatal(err)
		}
		if err := f.Keep(path); err != nil {
			t.Fatal(err)
		}
	}
	keep(*want)
	got := rthstest.Must(Load(path, 1))
	if got.Verdict != want.Verdict || len(got.Measurements) != 1 || got.Measurements[0].Realtime.Timing.Late != 3 {
		t.Errorf("%+v: want %+v", got, want)
	}
	if _, err := Load(path, 2); !errors.Is(err, errNone) || !strings.Contains(err.Error(), "processor 2") {
		t.Errorf("error %v: want one of another processor", err)
	}
	other := *want
	other.Machine = "another"
	keep(other)
	if _, err := Load(path, 1); !errors.Is(err, errNone) || !strings.Contains(err.Error(), `about "another"`) {
		t.Errorf("error %v: want one of another machine", err)
	}
	other = *want
	other.Format = format + 1
	keep(other)
	if _, err := Load(path, 1); !errors.Is(err, errNone) {
		t.Errorf("error %v: want one of another format", err)
	}
	if err := os.WriteFile(path, []byte("{"), 0o644); err != nil {
		t.Fatal(err)
	}
	rthstest.WantError(t, Keepable("/proc/nothing/doctor.json"), "set XDG_STATE_HOME")
	_, err := Load(path, 1)
	rthstest.WantError(t, err, "want the findings of rths doctor: run it again")
	if errors.Is(err, errNone) {
		t.Error("a broken file is no findings")
	}
}

func TestPath(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", "/state")
	if got := rthstest.Must(Path()); got != "/state/rths/doctor.json" {
		t.Error(got)
	}
	t.Setenv("XDG_STATE_HOME", "")
	t.Setenv("HOME", "/home/me")
	if got := rthstest.Must(Path()); got != "/home/me/.local/state/rths/doctor.json" {
		t.Error(got)
	}
}
