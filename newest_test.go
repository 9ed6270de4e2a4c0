package rths

import "testing"

// Lost readings are old until a fresh one comes; a constant age is none; a reading that overtakes others is new.
func TestNewest(t *testing.T) {
	for name, of := range map[string]struct {
		ages string
		want string // n: new
	}{
		"fresh":        {"0000", "nnnn"},
		"lost":         {"001230", "nn---n"},
		"constant age": {"222222", "--nnnn"},
		"late, later":  {"0123210", "n---nnn"},
		"failed":       {"00xx0", "nn--n"},
	} {
		var n Newest
		for i, age := range of.ages {
			if got := n.Sees(int(age-'0'), age == 'x'); got != (of.want[i] == 'n') {
				t.Errorf("%s: reading %d of %s is new: %t", name, i, of.ages, got)
			}
		}
	}
}
