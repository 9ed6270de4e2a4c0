package scenario

import (
	"fmt"
	"math"
	"testing"

	"rths"
	"rths/kit/rthstest"
	"rths/model/ground"
)

// sameBits wants the same values to the last bit.
func sameBits(t *testing.T, what string, got, want []rths.Value) {
	t.Helper()
	if len(got) != len(want) || len(got) == 0 {
		t.Fatalf("%s: %d values, want %d", what, len(got), len(want))
	}
	for i := range got {
		if got[i].Name != want[i].Name || math.Float64bits(got[i].V) != math.Float64bits(want[i].V) {
			t.Errorf("%s: %s is %v, want %v", what, got[i].Name, got[i].V, want[i].V)
		}
	}
}

// A run gives the same bits with what others have made and without: linear structures with one
// actuator and several, a yielding frame, an open loop, energies, and a free vibration.
func TestSharedGivesTheSameBits(t *testing.T) {
	quake := "ground={kind: clough-penzien, duration_s: 3}"
	for _, tc := range []struct {
		file   string
		sets   []string
		replay bool
	}{
		{"benchmark-siso.yaml", []string{quake}, true},
		{"benchmark-siso.yaml", []string{quake, "indicators.energies=true", "structure.case=4"}, true},
		{"two-storeys.yaml", []string{quake}, false},
		{"two-storeys.yaml", []string{quake, "specimens[2].specimen={kind: linear, stiffness: 6e5}", "expect="}, true},
		{"yielding-frame.yaml", []string{quake}, false},
		{"galmez-calibration.yaml", []string{quake}, false},
		{"soil-structure.yaml", []string{quake, "reduce={modes: 30, up_to_hz: 20}", "specimen={kind: linear, stiffness: 1e7}",
			"interface_motion=relative", "sensors.force_gain=1"}, true},
		{"benchmark-siso.yaml", []string{quake, "initial_displacement=[0.001, 0.002, 0.003]"}, true},
	} {
		name := fmt.Sprint(tc.file, tc.sets)
		s, err := Shipped(tc.file, tc.sets...)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		shared := NewShared()
		play := func(o Options) []rths.Value {
			r, err := s.Build(t.Context(), o)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if err := r.Loop.Run(0, nil); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			return append(r.Summary(), r.Indicators()...)
		}
		want := play(Options{})
		for run := range 4 { // made, kept, used
			sameBits(t, fmt.Sprintf("%s, run %d", name, run+1), play(Options{Shared: shared}), want)
		}
		if got := len(shared.references) > 0; got != tc.replay {
			t.Errorf("%s: a reference response is kept: %v, want %v", name, got, tc.replay)
		}
	}
}

// A run that ends early leaves no reference response, and what is kept has a bound.
func TestSharedKeepsWholeResponses(t *testing.T) {
	s, err := Shipped("benchmark-siso.yaml", "ground={kind: clough-penzien, duration_s: 1}")
	if err != nil {
		t.Fatal(err)
	}
	shared := NewShared()
	for range 3 {
		r, err := s.Build(t.Context(), Options{Shared: shared})
		if err != nil {
			t.Fatal(err)
		}
		for range 100 {
			if err := r.Loop.Step(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if len(shared.references) != 0 {
		t.Error("100 ticks are kept as a response")
	}
	if shared = NewShared(); shared.room > 0 {
		shared.room = 10_000
	}
	for range 3 {
		if _, err := s.Build(t.Context(), Options{Shared: shared}); err != nil {
			t.Fatal(err)
		}
	}
	if shared.room < 0 || shared.room == 10_000 {
		t.Errorf("room for %d numbers is left of 10 000: want less, and not below 0", shared.room)
	}
}

// The seed changes a motion where Random says so, and no other.
func TestRandomSourcesHangOnTheSeed(t *testing.T) {
	dir := rthstest.Records(t)
	for _, k := range ground.Kinds {
		t.Run(k.Name, func(t *testing.T) {
			s := New()
			if err := s.Ground.Use(k.Name); err != nil {
				t.Fatal(err)
			}
			switch p := s.Ground.Params.(type) {
			case *ground.Record:
				p.Record = "elcentro"
			case *ground.File:
				p.File = dir + "/elcentro.csv"
			}
			var keys [2][32]byte
			var motions [2]string
			for seed := range keys {
				s.Seed = uint64(seed + 1)
				keys[seed] = s.shakingKey(dir)
				made, err := s.Shake(dir)
				if err != nil {
					t.Fatal(err)
				}
				motions[seed] = fmt.Sprint(made.Half)
			}
			random := ground.Random(s.Ground.Params)
			if (motions[0] != motions[1]) != random || (keys[0] != keys[1]) != random {
				t.Errorf("motions differ: %v, keys differ: %v, random: %v", motions[0] != motions[1], keys[0] != keys[1], random)
			}
		})
	}
}
