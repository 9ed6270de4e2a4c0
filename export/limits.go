package export

import (
	"fmt"
	"math"
	"strings"

	"rths"
	"rths/rig"
)

// Limits are what acts in front of the output (rig.Guard, action hold). 0: not known, or none.
type Limits struct {
	Stroke   float64   // to which commands are clipped, m
	Rate     float64   // to which their changes are clipped, m/s
	Position float64   // of a command that makes the limits act, m
	Jump     float64   // change of a command that makes the limits act, m/s
	Start    []float64 // command that the rig stands at before the first one, m; nil: zeros
}

// limitsStruct declares the limits.
const limitsStruct = `
/* What made the limits act. */
enum { RTHS_FINE, RTHS_NOT_FINITE, RTHS_POSITION, RTHS_JUMP };

struct rths_limits {
	double stroke; /* largest command, m */
	double step; /* largest change of the command in a sample, m */
	double position; /* level of a command that acts, m */
	double jump; /* level of its change that acts, m/s */
	double move; /* the farthest that the actuator moves in a sample, m */
	double near; /* how far from the last valid reading a valid one is, m; below 0: there is none yet */
	double sent[RTHS_AXES], wanted[RTHS_AXES]; /* the last command that left, and that of the compensator */
	double sound[RTHS_AXES], before[RTHS_AXES]; /* the last valid reading, and the one before */
	double at[RTHS_AXES]; /* where the command goes while limits act */
	bool behind, acts;
	int cause;
};
`

// init are the statements that give the limits their numbers.
func (l *Limits) init(rateHz float64) (out []string) {
	orInf := func(v float64) float64 {
		if v == 0 {
			return math.Inf(1)
		}
		return v
	}
	move := l.Rate
	if move == 0 {
		move = orInf(l.Jump)
	}
	for _, f := range []struct {
		name string
		v    float64
	}{
		{"stroke", orInf(l.Stroke)}, {"step", orInf(l.Rate) / rateHz}, {"position", orInf(l.Position)}, {"jump", orInf(l.Jump)},
		{"move", move / rateHz}, {"near", -1},
	} {
		out = append(out, fmt.Sprintf("c->limits.%s = %s;", f.name, Hex(f.v)))
	}
	for i, u := range l.Start {
		if u != 0 {
			out = append(out, fmt.Sprintf("c->limits.sent[%d] = c->limits.sound[%d] = c->limits.before[%d] = %s;", i, i, i, Hex(u)))
		}
	}
	return out
}

// guard is the guard in Go, armed, with holds that do not end.
func (l *Limits) guard(r rths.Rig, axes int, rateHz float64) (*rig.Guard, error) {
	c := rig.GuardConfig{
		RateHz: rateHz, Axes: axes, Start: l.Start, Stroke: l.Stroke, Rate: l.Rate, NonFinite: rig.Hold, HoldS: rig.LongestS,
		Profile: rig.Profile{Velocity: 1e-3, Acceleration: 1, WithinS: rig.LongestS},
	}
	for _, limit := range []rig.Limit{{Channel: "command_m", Trip: l.Position}, {Channel: "command_rate_m_s", Trip: l.Jump}} {
		if limit.Action = rig.Hold; limit.Trip > 0 {
			c.Limits = append(c.Limits, limit)
		}
	}
	g, err := rig.NewGuard(r, c)
	if err != nil {
		return nil, err
	}
	return g, g.Arm()
}

// String says which limits act.
func (l *Limits) String() string {
	var out []string
	for _, q := range []struct {
		name string
		v    float64
		unit string
	}{{"clipped at", l.Stroke, "m"}, {"and at", l.Rate, "m/s"}, {"held beyond", l.Position, "m"}, {"held beyond", l.Jump, "m/s"}} {
		if q.v > 0 {
			out = append(out, fmt.Sprintf("%s %g %s", q.name, q.v, q.unit))
		}
	}
	return strings.Join(append(out, "held where not finite"), ", ")
}
