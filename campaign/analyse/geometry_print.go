package analyse

import (
	"fmt"
	"io"
	"math"
	"strings"
	"text/tabwriter"

	"rths/scenario"
)

// In is a pose in words, as in "x 12.1 mm, rz 0.4°". What is less than a thousandth of a mm or degree is left out.
func (g *Geometry) In(q Pose) string {
	var list []string
	for i, rotation := range g.Body.Rotations() {
		v, unit := q[i]*1e3, " mm"
		if rotation {
			v, unit = q[i]*180/math.Pi, "°"
		}
		if math.Abs(v) >= 1e-3 {
			list = append(list, fmt.Sprintf("%s %.3g%s", g.Body.Coordinates[i], v, unit))
		}
	}
	if list == nil {
		return "rest"
	}
	return strings.Join(list, ", ")
}

// doubts are warnings about geometry, strokes and ratings.
func (s *survey) doubts(of *scenario.Scenario) (out []string) {
	add := func(key, format string, args ...any) {
		out = append(out, of.At(key, fmt.Errorf(format, args...)).Error())
	}
	if s.Worst > conditionAbove {
		add("coupler", "the actuators hardly hold the body: the condition number of their geometry is %.3g in the pose %s, "+
			"usual are up to %d: an error of 0.01 mm in the displacements becomes one of up to %.2g mm in the pose: want "+
			"actuators farther apart, or in other directions", s.Worst, s.In(s.WorstPose), conditionAbove, 1e-2/s.least)
	}
	if at := s.Singular; at != nil && at.Times < singularWithin {
		add("coupler", "%s: want shorter strokes, or actuators in other directions", s.singularWords())
	}
	ratings := of.Ratings()
	for i := range s.Actuators {
		u, a := &s.Actuators[i], &s.Body.Actuators[i]
		if u.StrokePct > 100 {
			key := fmt.Sprintf("coupler.actuators[%d].stroke_m", i+1)
			if of.Place("coupler.setup") != "" {
				key = fmt.Sprintf("coupler.setup.stroke_m[%d]", i+1)
			}
			add(key,
				"the stroke of actuator %d ends inside the predicted motion: it goes from %.4g to %.4g mm from the middle of "+
					"its stroke, of ±%g mm: want a longer stroke, another zero_length_m, or a weaker motion", i+1, 1e3*u.At[0],
				1e3*u.At[1], 1e3*a.Stroke)
		}
		key := "transfer"
		if each := fmt.Sprintf("each[%d]", i+1); of.Place(each) != "" {
			key = each
		}
		for _, q := range []struct {
			does, most float64
			what, unit string
		}{
			{1e3 * max(u.Most, -u.Least), 1e3 * ratings[i].Stroke, "move by", "mm"},
			{1e3 * u.Speed, 1e3 * ratings[i].Rate, "move at", "mm/s"},
			{u.Force / 1e3, ratings[i].Force / 1e3, "push or pull with", "kN"},
		} {
			if q.most > 0 && q.does > q.most {
				add(key, "in the predicted motion actuator %d is to %s %.4g %s, above its rating of %g %s: want a larger "+
					"actuator, or a weaker motion", i+1, q.what, q.does, q.unit, q.most, q.unit)
			}
		}
	}
	return out
}

// singularWords says where the actuators do not hold the body.
func (g *Geometry) singularWords() string {
	at := g.Singular
	where := "within the strokes"
	switch {
	case at.Predicted:
		where = "within the predicted motion"
	case at.Times > 0:
		where += fmt.Sprintf(", %.2g times as far from rest as the predicted motion goes,", at.Times)
	}
	return fmt.Sprintf("%s there is a pose in which the actuators do not hold the body: %s from rest", where,
		g.In(at.Pose))
}

// Print prints what is to be said of the geometry; nothing where g is nil.
func (g *Geometry) Print(out io.Writer) {
	if g == nil {
		return
	}
	fmt.Fprintf(out, "geometry: condition number %.3g at rest", g.Condition)
	if g.Predicted {
		fmt.Fprintf(out, ", at most %.3g in the predicted motion", g.Worst)
	}
	fmt.Fprintf(out, " (rotations times %.4g m, the rms distance of the pins from the node)\n", g.LengthM)
	fmt.Fprintln(out, g.slips())
	if !g.Predicted {
		fmt.Fprintln(out, "no motion of the actuators is predicted: the test has no reference response")
		return
	}
	if at := g.Singular; at != nil && at.Times >= singularWithin {
		fmt.Fprintln(out, "geometry:", g.singularWords())
	}
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "actuator\tfrom, mm\tto, mm\tvelocity, mm/s\tforce, kN\tstroke, %\t")
	for i := range g.Actuators {
		u, stroke := &g.Actuators[i], "–"
		if u.StrokePct > 0 {
			stroke = fmt.Sprintf("%.3g", u.StrokePct)
		}
		fmt.Fprintf(t, "%d\t%.3g\t%.3g\t%.3g\t%.3g\t%s\t\n", i+1, 1e3*u.Least, 1e3*u.Most, 1e3*u.Speed, u.Force/1e3, stroke)
	}
	t.Flush()
	fmt.Fprintf(out, "Largest values in the predicted motion. Forces are those that hold the specimens, by their linear "+
		"or initial\nstiffness, damping and mass; inertia and weight of the %s.\n",
		map[bool]string{true: "platform are in them", false: "body are not in them"}[g.Body.Platform != nil])
	if g.Unknown > 0 {
		fmt.Fprintf(out, "Nor are the forces of specimens without initial stiffness, of which there are %d.\n", g.Unknown)
	}
	fmt.Fprintf(out, "a point 1 mm wrong: the pose is up to %.2g mm and %.2g° off (%s of actuator %d, wrong along %s)\n",
		1e3*g.Point.M, inDegrees(g.Point.Rad), g.Point.Key, g.Point.Actuator, direction(g.Point.Direction))
	fmt.Fprintf(out, "axes 0.1° wrong: the pose is up to %.2g mm and %.2g° off (turned about %s)\n", 1e3*g.Axes.M,
		inDegrees(g.Axes.Rad), direction(g.Axes.Direction))
}

// slips says which slips of pins show.
func (g *Geometry) slips() string {
	if len(g.Body.Instruments) == 0 {
		return "a slipped pin stays invisible: as many lengths as coordinates fit any pose; want coupler.instruments"
	}
	text := "a slip shows in pose_residual_m by its size times"
	for i, seen := range g.Seen {
		text += fmt.Sprintf(" %.2f (actuator %d),", seen, i+1)
	}
	if text = strings.TrimSuffix(text, ","); len(g.Body.Instruments) == 1 {
		text += "; a second instrument would name it"
	}
	return text
}

// inDegrees is an angle in degrees; what is less than a hundred thousandth counts as 0.
func inDegrees(rad float64) float64 {
	if deg := rad * 180 / math.Pi; deg >= 1e-5 {
		return deg
	}
	return 0
}

// direction is a direction in words: an axis, or three numbers. Both ways are meant.
func direction(v [3]float64) string {
	for i, name := range []string{"x", "y", "z"} {
		if math.Abs(v[i]) > 0.99 {
			return name
		}
	}
	return fmt.Sprintf("[%.2f, %.2f, %.2f]", v[0]+0, v[1]+0, v[2]+0)
}
