package syntax

import (
	"slices"
	"testing"
)

// Sorted puts blocks and kinds before the keys in them, and changes no other order.
func TestSorted(t *testing.T) {
	var in []Setting
	for _, key := range []string{"compensator.gamma[2]", "compensator.order", "compensator.kind", "seed", "compensator",
		"ground.scale"} {
		in = append(in, Number(key, 1, ""))
	}
	var got []string
	for _, s := range Sorted(in) {
		got = append(got, s.Key)
	}
	want := []string{"compensator.kind", "seed", "compensator", "compensator.order", "ground.scale",
		"compensator.gamma[2]"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
