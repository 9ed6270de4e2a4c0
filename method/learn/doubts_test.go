package learn

import (
	"slices"
	"testing"
)

// stub is a filter of which only its doubts are known.
type stub struct {
	Filter
	white    bool
	fellBack int
}

func (s stub) White() bool   { return s.white }
func (s stub) FellBack() int { return s.fellBack }

// Doubts name a residual that is not white, and falls.
func TestDoubts(t *testing.T) {
	const odd = "devices[2]: the residual of the force is not white at the end: the law leaves something out, and the " +
		"standard deviations of what it has learned mean nothing"
	const fell = "devices[2]: parameters stayed at a bound and fell back to the last sound ones "
	for _, c := range []struct {
		of   stub
		want []string
	}{{stub{white: true}, nil}, {stub{white: true, fellBack: 1}, []string{fell + "(1 ×)"}},
		{stub{fellBack: 3}, []string{odd, fell + "(3 ×)"}}} {
		if got := (&Group{Number: 2, Filter: c.of}).Doubts(); !slices.Equal(got, c.want) {
			t.Errorf("%+v: %q: want %q", c.of, got, c.want)
		}
	}
}
