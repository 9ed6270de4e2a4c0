package workbench

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"rths"
	"rths/maths/words"
	"rths/result/record"
	"rths/run/session"
	"rths/scenario/syntax"
)

// Way is a key of a text and the values that it goes through.
type Way struct {
	Key    string    `json:"key"` // as in compensator.order
	Values []float64 `json:"values"`
}

// Map asks for one row of a map over two keys: the value of a criterion at every value of X, at one value of Y. A page
// asks for row after row, so that the map is drawn as it fills.
type Map struct {
	Place
	X  Way     `json:"x"`
	Y  string  `json:"y"`
	At float64 `json:"at"`
	Of string  `json:"of"` // name of a criterion, as in J2_pct
}

// Row is a row of a map; null where a run has failed, diverged, or has no such criterion.
type Row struct {
	Values []record.Number `json:"values"`
	Why    string          `json:"why,omitempty"`   // the first run that could not be made
	Wrong  bool            `json:"wrong,omitempty"` // none could be made: a key or a name is wrong
}

const mostAcross = 60

func (d *Desk) mapped(ctx context.Context, in Map) (Row, error) {
	if err := in.check(); err != nil {
		return Row{}, err
	}
	if n := len(in.X.Values); n == 0 || n > mostAcross {
		return Row{}, Refuse("map: %d values of %s: want 1 to %d", n, in.X.Key, mostAcross)
	}
	out := Row{Values: []record.Number{}, Wrong: true}
	for _, x := range in.X.Values {
		v, why := d.valueAt(ctx, in, x)
		if ctx.Err() != nil {
			return Row{}, errGone
		}
		out.Values = append(out.Values, record.Number(v))
		if why != nil && out.Why == "" {
			out.Why = why.Error()
		}
		out.Wrong = out.Wrong && why != nil && !errors.Is(why, errEnded)
	}
	return out, nil
}

// errEnded is that of a run that has ended before its time.
var errEnded = errors.New("the run has not completed")

// valueAt is the criterion of one run; NaN with the reason where there is none.
func (d *Desk) valueAt(ctx context.Context, in Map, x float64) (float64, error) {
	sets := []string{syntax.Number(in.X.Key, x, "map").String()}
	if in.Y != "" {
		sets = append(sets, syntax.Number(in.Y, in.At, "map").String())
	}
	v := &session.Virtual{Version: d.Version, Glance: true}
	m, err := d.virtual(ctx, v, textRun{Place: in.Place, sets: sets})
	if err != nil {
		return math.NaN(), err
	}
	i := slices.IndexFunc(m.Criteria, func(v rths.Value) bool { return v.Name == in.Of })
	switch {
	case m.Status != rths.Completed:
		return math.NaN(), fmt.Errorf("%w: %s: %s", errEnded, m.Status, m.Reason)
	case i < 0:
		names := mapped(m.Criteria, func(v rths.Value) string { return v.Name })
		return math.NaN(), fmt.Errorf("value %q: want %s", in.Of, words.OneOf(names))
	}
	return m.Criteria[i].V, nil
}
