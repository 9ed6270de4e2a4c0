package main

import (
	"math"
	"path/filepath"
	"strings"
	"testing"

	"rths/kit/rthstest"
	"rths/lab/rig/udp"
	"rths/result/record"
	"rths/run/session"
	"rths/scenario"
)

// A virtual laboratory serves a scenario until the test ends; sessions come through the channel.
func serveLab(t *testing.T, path string, sets ...string) (address string, sessions chan udp.Session) {
	t.Helper()
	return serveLabAt(t, path, nil, sets...)
}

// serveLabAt serves one whose actuators stand somewhere.
func serveLabAt(t *testing.T, path string, at []float64, sets ...string) (address string, sessions chan udp.Session) {
	t.Helper()
	s := rthstest.Must(rthstest.Must(scenario.Load(path, sets)).WithRig(""))
	sessions = make(chan udp.Session, 64)
	server, _, err := session.NewServer(s, "127.0.0.1:0", at, scenario.Options{}, nil,
		func(of udp.Session) { sessions <- of })
	if err != nil {
		t.Fatal(err)
	}
	rthstest.Background(t, server.Serve)
	return server.Address().String(), sessions
}

// across runs a scenario virtually and over the rig at an address, and returns both records.
func across(t *testing.T, path, address string, sets ...string) (virtual, real *record.Archive) {
	t.Helper()
	dir := t.TempDir()
	archive := func(name string, more ...string) *record.Archive {
		args := append([]string{"run", path, "-o", filepath.Join(dir, name)}, more...)
		for _, set := range sets {
			args = append(args, "--set", set)
		}
		var out, errs strings.Builder
		if code := run(args, &out, &errs); code != exitDone {
			t.Fatalf("rths %s: exit status %d\n%s", strings.Join(args, " "), code, errs.String())
		}
		return rthstest.Must(record.Open(filepath.Join(dir, name)))
	}
	return archive("virtual"), archive("rig", "--rig", "udp://"+address)
}

// Lockstep over datagrams is the virtual run to the bit, in all columns but those of true values,
// which no rig elsewhere has.
func TestLockstepIsTheVirtualRun(t *testing.T) {
	rthstest.Long(t)
	for name, c := range map[string]struct {
		file string
		sets []string
	}{
		"one actuator": {"demo.yaml", []string{"duration_s=2"}},
		"several": {"benchmark-multiaxial.yaml",
			[]string{"ground={kind: sine, frequency_hz: 2, amplitude_m_s2: 1, duration_s: 2}"}},
		"Bouc-Wen": {"nonlinear-c.yaml",
			[]string{"ground={kind: sine, frequency_hz: 2, amplitude_m_s2: 1, duration_s: 1}"}},
		"two rates": {"two-rate.yaml",
			[]string{"ground={kind: sine, frequency_hz: 2, amplitude_m_s2: 1, duration_s: 1}"}},
		"accelerometer": {"shake-table-acceleration.yaml",
			[]string{"expect=", "ground={kind: sine, frequency_hz: 2, amplitude_m_s2: 1, duration_s: 1}"}},
		"faulty sensor": {"demo.yaml", []string{"duration_s=1",
			"faults=[{kind: lost-readings, from_s: 0.2, duration_s: 0.5, share: 0.3}, {kind: spike, channel: force_N, size: " +
				"10, from_s: 0.5}]"}},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join("..", "..", "scenarios", c.file)
			address, _ := serveLab(t, path, c.sets...)
			virtual, real := across(t, path, address, c.sets...)
			if n := virtual.Rows(); n < 500 {
				t.Fatalf("%d rows: want more", n)
			}
			sameColumns(t, virtual, real)
		})
	}
}

// sameColumns wants all columns but those of true values to be equal to the bit.
func sameColumns(t *testing.T, virtual, real *record.Archive) bool {
	t.Helper()
	if virtual.Rows() != real.Rows() {
		t.Errorf("%d rows over the rig: want %d", real.Rows(), virtual.Rows())
		return false
	}
	same, compared := true, 0
	for _, column := range virtual.Manifest.Columns {
		got, ok := real.Column(column.Name)
		if hidden := strings.Contains(column.Name, "true"); hidden || !ok {
			if hidden == ok {
				t.Errorf("column %s over a rig: %t", column.Name, ok)
			}
			continue
		}
		compared++
		want, _ := virtual.Column(column.Name)
		for k, v := range want {
			if math.Float64bits(v) != math.Float64bits(got[k]) {
				t.Errorf("%s: sample %d is %g: want %g", column.Name, k, got[k], v)
				same = false
				break
			}
		}
	}
	if compared < 6 {
		t.Errorf("%d columns compared", compared)
	}
	return same
}
