package scenario_test

import (
	"testing"

	"rths/scenario"
)

// Every key of a scenario is described, and every block has keys or kinds.
func TestBlocks(t *testing.T) {
	values, blocks := 0, 0
	for _, b := range scenario.Blocks() {
		if b.Doc == "" {
			t.Errorf("%s has no words", b.Key)
		}
		for _, p := range b.Params {
			if p.Key == "" || p.Doc == "" {
				t.Errorf("%s: key %q has the words %q", b.Key, p.Key, p.Doc)
			}
		}
		if b.Value() {
			values++
		} else {
			blocks++
		}
		if b.List && b.Value() {
			t.Errorf("%s is a list of nothing", b.Key)
		}
	}
	if values < 8 || blocks < 15 {
		t.Errorf("%d values, %d blocks: want those of a scenario", values, blocks)
	}
}
