package export

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"rths"
	"rths/lab/rig"
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
	double move; /* the farthest that the actuator may move in a sample, m */
	double reach; /* how far from a valid reading the next one may be, m */
	double near; /* how far from the last valid reading a valid one is, m; below 0: there is none yet */
	double sent[RTHS_AXES], wanted[RTHS_AXES]; /* the last command that left, and that of the compensator */
	double sound[RTHS_AXES], before[RTHS_AXES]; /* the last valid reading, and the one before */
	double rival[RTHS_AXES]; /* the last reading that was not valid */
	double trail[RTHS_RECENT][RTHS_AXES]; /* the last commands that left, in turn */
	int next; /* place of the next one */
	int agree; /* readings in a row, up to this one, that agree with each other */
	double at[RTHS_AXES]; /* where the command goes while limits act */
	bool behind, acts;
	int cause;
};
`

// sizes define what the limits count.
func (l *Limits) sizes(axes int, rateHz float64) string {
	c := l.config(axes, rateHz)
	trust := c.Trust()
	return fmt.Sprintf(
		"\n#define RTHS_AGREE %d /* readings that agree with each other are valid */\n#define RTHS_RECENT %d /* commands "+
			"within whose range a hold begins */\n", trust.Agree, trust.Recent)
}

// init are the statements that give the limits their numbers.
func (l *Limits) init(axes int, rateHz float64) (out []string) {
	orInf := func(v float64) float64 {
		if v == 0 {
			return math.Inf(1)
		}
		return v
	}
	c := l.config(axes, rateHz)
	trust := c.Trust()
	for _, f := range []struct {
		name string
		v    float64
	}{
		{"stroke", orInf(l.Stroke)}, {"step", orInf(l.Rate) / rateHz}, {"position", orInf(l.Position)},
		{"jump", orInf(l.Jump)},
		{"move", trust.Move}, {"reach", trust.Reach}, {"near", -1},
	} {
		out = append(out, fmt.Sprintf("c->limits.%s = %s;", f.name, Hex(f.v)))
	}
	for i, u := range l.Start {
		if u != 0 {
			out = append(out, fmt.Sprintf("c->limits.sent[%d] = c->limits.sound[%d] = c->limits.before[%d] = %s;", i, i, i,
				Hex(u)),
				fmt.Sprintf("for (k = 0; k < RTHS_RECENT; k++)\n\t\tc->limits.trail[k][%d] = %s;", i, Hex(u)))
		}
	}
	return out
}

// config is the guard in Go, with holds that do not end.
func (l *Limits) config(axes int, rateHz float64) rig.GuardConfig {
	c := rig.GuardConfig{
		RateHz: rateHz, Axes: axes, Start: l.Start, Stroke: l.Stroke, Rate: l.Rate, NonFinite: rig.Hold, HoldS: rig.LongestS,
		Profile: rig.Profile{Velocity: 1e-3, Acceleration: 1, WithinS: rig.LongestS},
	}
	for _, limit := range []rig.Limit{{Channel: "command_m", Trip: l.Position},
		{Channel: "command_rate_m_s", Trip: l.Jump}} {
		if limit.Action = rig.Hold; limit.Trip > 0 {
			c.Limits = append(c.Limits, limit)
		}
	}
	return c
}

// guard is the guard in Go, armed.
func (l *Limits) guard(r rths.Rig, axes int, rateHz float64) (*rig.Guard, error) {
	g, err := rig.NewGuard(r, l.config(axes, rateHz))
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
	}{{"clipped at", l.Stroke, "m"}, {"and at", l.Rate, "m/s"}, {"held beyond", l.Position, "m"},
		{"held beyond", l.Jump, "m/s"}} {
		if q.v > 0 {
			out = append(out, fmt.Sprintf("%s %g %s", q.name, q.v, q.unit))
		}
	}
	return strings.Join(append(out, "held where not finite"), ", ")
}

// LimitsOf are the limits of a guard on its command that do more than indicate, and the channels of those that are
// left out. Without a guard (nil) there are none: an error.
func LimitsOf(g *rig.Guard) (l *Limits, others []string, err error) {
	if g == nil {
		return nil, nil, errors.New("export: --limits: the scenario has limits: none: want limits, or no --limits")
	}
	c := g.Config()
	l = &Limits{Stroke: c.Stroke, Rate: c.Rate, Start: c.Start}
	for _, limit := range c.Limits {
		level := map[string]*float64{"command_m": &l.Position, "command_rate_m_s": &l.Jump}[limit.Channel]
		switch {
		case limit.Action == rig.Indicate:
		case level != nil:
			*level = limit.Trip
		case ofOne(limit.Channel, c.Axes):
			return nil, nil, fmt.Errorf("export: --limits: %s is a limit of one actuator, which the C does not have: "+
				"want command_m and command_rate_m_s, of all actuators", limit.Channel)
		case limit.Channel != "non_finite":
			others = append(others, limit.Channel)
		}
	}
	return l, others, nil
}

// ofOne reports whether a channel is the command, or its rate, of one of several actuators.
func ofOne(channel string, actuators int) bool {
	for i := range actuators {
		if channel == rths.ColumnName("command", "m", i, actuators) ||
			channel == rths.ColumnName("command_rate", "m/s", i, actuators) {
			return true
		}
	}
	return false
}
