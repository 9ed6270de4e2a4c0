package page

import (
	"strings"
	"testing"

	"rths/result/record"
	"rths/scenario"
)

// Every kind of loop can be shown: one actuator or several, chains of compensators, with limits or without.
func TestShippedScenariosCanBeShown(t *testing.T) {
	h := NewHub(nil)
	defer h.Close()
	shown := 0
	for _, name := range []string{"benchmark-siso.yaml", "benchmark-multiaxial.yaml", "demo.yaml", "rigid-floor.yaml",
		"predictive-control.yaml", "shake-table.yaml", "soil-structure.yaml", "two-rate.yaml", "two-stage.yaml",
		"two-storeys.yaml", "yielding-frame.yaml"} {
		s, err := scenario.Shipped(name)
		if err != nil {
			t.Fatal(err)
		}
		r, err := s.Build(t.Context(), scenario.Options{})
		if err != nil {
			continue // it wants recorded motions, or an analysis
		}
		layout, err := record.NewLayout(r.Loop.Frame(), r.Channels)
		if err != nil {
			t.Fatal(err)
		}
		text, err := r.Scenario.YAML()
		if err != nil {
			t.Fatal(err)
		}
		m := record.Manifest{Name: name, RateHz: s.RateHz, Scenario: text, Folder: s.Folder(), Columns: layout.Columns}
		f, err := h.Begin(&Test{Manifest: &m, Samples: r.Samples, Virtual: true})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		r.Loop.Attach(NewObserver(layout, f))
		for k := 0; k < 300 && r.Loop.Step() == nil; k++ {
			f.Show(Now{Word: "RUNNING"})
		}
		shown++
		if f.row < 300 || !strings.Contains(string(appendJSON(nil, f.about)), `"panel":"sync"`) {
			t.Errorf("%s: %d rows, pairs %v", name, f.row, f.about.Pairs)
		}
	}
	if shown < 3 {
		t.Errorf("%d scenarios were shown", shown)
	}
}
