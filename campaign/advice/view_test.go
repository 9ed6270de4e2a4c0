package advice

import (
	"math"
	"slices"
	"strings"
	"testing"
)

// A method that stands without the scenario's inner loop says that this block has to go; one that
// keeps the loop does not.
func TestBlock(t *testing.T) {
	a := asked(t, firstOrder, "inner_loop={kp: 2, ki: 1}")
	for kind, want := range map[string][]string{"pe": nil, "msmc": {"inner_loop"}} {
		i := slices.IndexFunc(a.Methods, func(m *Method) bool { return m.Kind == kind && m.Name != OwnMethod })
		if i < 0 {
			t.Fatalf("%s does not fit: %v", kind, a.Misfits)
		}
		a.Winner = a.Methods[i].Candidates[0]
		text, drop, err := a.Block(t.Context())
		if err != nil || !strings.Contains(text, "compensator: {kind: "+kind+",") || !slices.Equal(drop, want) {
			t.Errorf("%s: block %q, to drop %q: %v", kind, text, drop, err)
		}
	}
	a.Winner = a.Methods[0].Candidates[0] // the scenario's own
	if text, drop, err := a.Block(t.Context()); err != nil || !strings.HasPrefix(text, "compensator: {kind: ") ||
		drop != nil {
		t.Errorf("own: block %q, to drop %q: %v", text, drop, err)
	}
}

// Runs that have not been made are no values; runs without a J2 are.
func TestFinal(t *testing.T) {
	c := &Candidate{}
	c.trials[final] = []Trial{{J2: 3, there: true}, {}, {J2: math.NaN(), there: true}}
	if got := c.Final(); len(got) != 2 || got[0] != 3 || !math.IsNaN(got[1]) {
		t.Errorf("values %v", got)
	}
}

// The lag of a first-order actuator under a held command is T/(1 − e^(−T/τ)) in slow motion, the half
// sample of the hold included. At 0.5 Hz it differs by less than (ω τ)² = 0.15 %.
func TestLag(t *testing.T) {
	const period, tau = 1.0 / 256, 0.012
	if got, want := asked(t, firstOrder).Lag(t.Context()),
		period/(1-math.Exp(-period/tau)); math.Abs(got/want-1) > 0.0015 {
		t.Errorf("a lag of %g s: want %g", got, want)
	}
}
