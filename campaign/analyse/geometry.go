package analyse

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rths"
	"rths/model/plant"
	"rths/model/rigidbody"
	"rths/scenario"
)

// Geometry is what the actuators of a rigid body are to do in the predicted motion, and how well they hold it. A pose
// has the coordinates of the coupler in order, m and rad from rest. Condition numbers are of ∂x/∂q with rotations times
// LengthM, so that units do not matter: 1 is best.
type Geometry struct {
	Body      *plant.RigidBody `json:"-"`
	LengthM   float64          `json:"length_m"` // rms distance of the pins from the node at rest
	Condition float64          `json:"condition_at_rest"`
	Worst     float64          `json:"condition_worst"` // over the predicted motion
	WorstPose []float64        `json:"condition_worst_pose"`
	Singular  *Singular        `json:"singular,omitempty"` // nil: none was found
	Seen      []float64        `json:"slip_seen"`          // share of a slip of each actuator that pose_residual_m shows, at rest
	Predicted bool             `json:"predicted"`          // the rest is known; else there is no reference response
	Actuators []ActuatorUse    `json:"actuators,omitempty"`
	Unknown   int              `json:"specimens_without_stiffness"` // whose forces are not in those of the actuators
	Point     *Misplaced       `json:"point_1_mm_wrong,omitempty"`
	Axes      *Misplaced       `json:"axes_0_1_deg_wrong,omitempty"`

	least float64 // singular value of the worst pose, in m of an actuator per m of the pose
}

// ActuatorUse is what the predicted motion asks of an actuator.
type ActuatorUse struct {
	Least     float64    `json:"elongation_least_m"`
	Most      float64    `json:"elongation_most_m"`
	Speed     float64    `json:"velocity_m_s"`
	Force     float64    `json:"force_N"`              // to hold specimens and platform; largest
	StrokePct float64    `json:"stroke_pct,omitempty"` // of stroke_m, to either side of its middle; 0: not stated
	At        [2]float64 `json:"from_middle_m"`        // least and most distance from the middle of the stroke
	Poses     [2]Pose    `json:"poses"`                // in which it is shortest and longest
}

// Pose are the coordinates of a body, m and rad.
type Pose []float64

// Singular is a pose in which the actuators do not hold the body.
type Singular struct {
	Pose      Pose    `json:"pose"`
	Predicted bool    `json:"in_predicted_motion"` // else within the strokes
	Times     float64 `json:"times_predicted"`     // as far from rest as the predicted motion; 0: not known
}

// Misplaced is the largest change of the pose by an error in what the scenario says of the geometry.
type Misplaced struct {
	M         float64    `json:"m"`
	Rad       float64    `json:"rad"`
	Actuator  int        `json:"actuator,omitempty"` // from 1
	Key       string     `json:"key"`                // base_m, pin_m, direction or turned_deg
	Direction [3]float64 `json:"direction"`          // of length 1, in the axes of the points
	Pose      Pose       `json:"pose"`

	size float64 // m, with rotations times the length
}

// looked is at how many instants of the motion the geometry is looked at.
const looked = 4096

// conditionAbove asks about a condition number. Good set-ups have 1 to 20. At 100 an error of 10 µm, as sensors have
// it, becomes up to 1 mm in the pose, and friction of 100 N in a pin up to 10 kN in an actuator.
const conditionAbove = 100

// singularWithin times the predicted motion a singular pose is asked about. Farther away limits have stopped the test;
// most set-ups with long strokes have one there.
const singularWithin = 3

// survey looks at a body.
type survey struct {
	*Geometry
	body     *rigidbody.Body
	platform *rigidbody.Platform // nil: none
	poses    []Pose
}

// GeometryOf looks at the actuators of a built run, and adds warnings to it; nil: they do not hold a rigid body.
func GeometryOf(ctx context.Context, r *scenario.Run) (*Geometry, error) {
	p, ok := r.Scenario.Coupler.Params.(*plant.RigidBody)
	if !ok || r.Predicted() == nil {
		return nil, nil
	}
	body, err := p.Body()
	if err != nil {
		return nil, err
	}
	platform, err := p.OwnMass()
	if err != nil {
		return nil, err
	}
	n := len(p.Actuators)
	s := &survey{Geometry: &Geometry{Body: p, Actuators: make([]ActuatorUse, n)}, body: body, platform: platform}
	rest := make(Pose, n)
	for i := range n {
		at := body.Pin(i, rest)
		s.LengthM = math.Hypot(s.LengthM, math.Hypot(math.Hypot(at[0], at[1]), at[2])/math.Sqrt(float64(n)))
		s.Actuators[i].Poses = [2]Pose{slices.Clone(rest), slices.Clone(rest)}
	}
	if s.LengthM == 0 { // nothing turns
		s.LengthM = 1
	}
	if err := s.follow(ctx, r); err != nil {
		return nil, err
	}
	s.Condition, _ = s.condition(rest)
	if s.Seen, err = body.Seen(rest); err != nil {
		return nil, err
	}
	s.Seen = s.Seen[:n]
	for _, q := range append(s.poses, rest) {
		if c, least := s.condition(q); !(c <= s.Worst) {
			s.Worst, s.least, s.WorstPose = c, least, q
		}
	}
	if s.Singular = s.singular(); s.Singular != nil && s.Predicted {
		most := 0.0
		for _, q := range s.poses {
			most = max(most, s.size(q))
		}
		s.Singular.Times = s.size(s.Singular.Pose) / most
	}
	if s.Predicted {
		if err := s.misplace(); err != nil {
			return nil, err
		}
	} else {
		s.Actuators = nil
	}
	r.Warnings = append(slices.Clone(r.Warnings), s.doubts(r.Scenario)...)
	return s.Geometry, nil
}

// follow goes through the predicted motion.
func (s *survey) follow(ctx context.Context, r *scenario.Run) (err error) {
	n := len(s.Actuators)
	e, v, a, f, q := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	every, i := 1+r.Samples/looked, 0
	p := r.Predicted()
	for _, spec := range p.Specimens {
		if _, _, _, ok := plant.Within(spec); !ok {
			s.Unknown++
		}
	}
	finite := true
	s.Predicted, err = p.Motion(func(m *rths.Motion) {
		if i++; ctx.Err() != nil || !finite {
			return
		}
		s.body.Elongations(e, m.X)
		s.body.Rates(v, a, m.X, m.V, m.A)
		hold(q, p, m)
		if s.platform != nil {
			s.body.Hold(f, s.platform, m.X, m.V, m.A)
			for k := range q {
				q[k] += f[k]
			}
		}
		held := s.body.Along(f, q, m.X)
		for k := range s.Actuators {
			u := &s.Actuators[k]
			if finite = finite && rths.Finite(e[k]) && rths.Finite(v[k]); !finite {
				return
			}
			if e[k] < u.Least {
				u.Least, u.Poses[0] = e[k], slices.Clone(m.X)
			}
			if e[k] > u.Most {
				u.Most, u.Poses[1] = e[k], slices.Clone(m.X)
			}
			if u.Speed = max(u.Speed, math.Abs(v[k])); held {
				u.Force = max(u.Force, math.Abs(f[k]))
			}
		}
		if i%every == 0 {
			s.poses = append(s.poses, slices.Clone(m.X))
		}
	})
	if s.Predicted = s.Predicted && finite; !s.Predicted {
		s.poses = nil
	}
	for k := range s.Actuators {
		u, of := &s.Actuators[k], &s.Body.Actuators[k]
		middle := 0.0
		if of.ZeroLength > 0 {
			middle = of.ZeroLength - s.body.Rest(k)
		}
		if u.At = [2]float64{u.Least - middle, u.Most - middle}; of.Stroke > 0 {
			u.StrokePct = 100 * max(u.At[1], -u.At[0]) / of.Stroke
		}
		s.poses = append(s.poses, u.Poses[:]...)
	}
	if err == nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return err
}

// hold sets out to the forces of the specimens at the coordinates, by their linear or initial stiffness, damping and
// mass.
func hold(out []float64, p *scenario.Predicted, m *rths.Motion) {
	clear(out)
	for j, spec := range p.Specimens {
		mass, c, k, ok := plant.Within(spec)
		if !ok {
			continue
		}
		force := 0.0
		for i, b := range p.Along.RawRowView(j) {
			force += b * (mass*m.A[i] + c*m.V[i] + k*m.X[i])
		}
		for i, b := range p.Along.RawRowView(j) {
			out[i] += b * force
		}
	}
}

// scaled is ∂x/∂q with rotations times the length.
func (s *survey) scaled(q Pose) *mat.Dense {
	j := s.body.Jacobian(q, len(q))
	for i, rotation := range s.Body.Rotations() {
		if rotation {
			column := j.Slice(0, len(q), i, i+1).(*mat.Dense)
			column.Scale(1/s.LengthM, column)
		}
	}
	return j
}

func (s *survey) condition(q Pose) (number, least float64) {
	var svd mat.SVD
	if !svd.Factorize(s.scaled(q), mat.SVDNone) {
		return math.MaxFloat64, 0
	}
	values := svd.Values(nil)
	least = values[len(q)-1]
	return min(values[0]/least, math.MaxFloat64), least // JSON has no infinity
}

// size is the length of a pose, m, with rotations times the length.
func (s *survey) size(q Pose) (out float64) {
	for i, rotation := range s.Body.Rotations() {
		if v := q[i]; rotation {
			out = math.Hypot(out, v*s.LengthM)
		} else {
			out = math.Hypot(out, v)
		}
	}
	return out
}

// Lines from rest along which singular poses are looked for, and steps of each to a stroke.
const (
	lines = 200
	steps = 25
)

// singular looks for a pose in which ∂x/∂q is singular: in the predicted motion, and as far as strokes are stated on
// lines from rest in random directions, until the first stroke ends. It gives the one next to rest.
func (s *survey) singular() (found *Singular) {
	n := len(s.Body.Actuators)
	rest := make(Pose, n)
	sign := mat.Det(s.scaled(rest)) > 0
	turned := func(q Pose) bool { return (mat.Det(s.scaled(q)) > 0) != sign }
	between := func(q Pose, low, high float64) Pose {
		for range 50 {
			if mid := (low + high) / 2; turned(times(q, mid)) {
				high = mid
			} else {
				low = mid
			}
		}
		return times(q, high)
	}
	for _, q := range s.poses {
		if turned(q) {
			if at := between(q, 0, 1); found == nil || s.size(at) < s.size(found.Pose) {
				found = &Singular{Pose: at, Predicted: true}
			}
		}
	}
	stroke := 0.0
	for _, a := range s.Body.Actuators {
		stroke = max(stroke, a.Stroke)
	}
	if found != nil || stroke == 0 {
		return found
	}
	r := rand.New(rand.NewPCG(54, uint64(n)))
	for range lines {
		q := make(Pose, n)
		for i := range q {
			q[i] = r.NormFloat64()
		}
		q = times(q, stroke/steps/s.size(q))
		for k := 1.0; k <= 10*steps; k++ {
			at := times(q, k)
			if !s.inStroke(at) || found != nil && s.size(at) > s.size(found.Pose) {
				break
			}
			if turned(at) {
				found = &Singular{Pose: between(q, k-1, k)}
			}
		}
	}
	return found
}

// inStroke reports whether no stroke has ended, and the body has not turned by more than a quarter.
func (s *survey) inStroke(q Pose) bool {
	e, angle := make([]float64, len(q)), 0.0
	s.body.Elongations(e, q)
	for i, a := range s.Body.Actuators {
		if s.Body.Rotations()[i] {
			angle = math.Hypot(angle, q[i])
		}
		if a.ZeroLength > 0 {
			e[i] += s.body.Rest(i) - a.ZeroLength
		}
		if a.Stroke > 0 && math.Abs(e[i]) > a.Stroke {
			return false
		}
	}
	return angle < math.Pi/2
}

func times(q Pose, by float64) Pose {
	out := slices.Clone(q)
	for i := range out {
		out[i] *= by
	}
	return out
}

// Errors of the geometry, and by how much of them it is changed to find the slopes.
const (
	pointWrong = 1e-3                // m
	axesWrong  = 0.1 * math.Pi / 180 // rad
	slopeBy    = 1e-6
)

// misplace finds the largest changes of the pose by errors of the geometry. The displacements that the actuators have
// are right: the pose that the coupler finds of them is not.
func (s *survey) misplace() error {
	n := len(s.Body.Actuators)
	var variants [][3]*rigidbody.Body
	keys := []string{"base_m", "pin_m", "turned_deg"}
	for _, key := range keys {
		var three [3]*rigidbody.Body
		for axis := range 3 {
			if flat := s.Body.Plane(); flat && (axis == 2) != (key == "turned_deg") {
				continue
			}
			b, err := s.Body.Moved(key, axis, slopeBy)
			if err != nil {
				return fmt.Errorf("coupler: %s changed by %g: %w", key, slopeBy, err)
			}
			three[axis] = b
		}
		variants = append(variants, three)
	}
	s.Point, s.Axes = &Misplaced{Key: "base_m"}, &Misplaced{Key: "turned_deg"}
	e, other := make([]float64, n), make([]float64, n)
	for _, q := range s.poses {
		var inv mat.Dense
		if inv.Inverse(s.body.Jacobian(q, n)) != nil {
			continue // the condition number says so
		}
		s.body.Elongations(e, q)
		for k, key := range keys {
			slope := mat.NewDense(n, 3, nil) // of the elongations
			for axis, b := range variants[k] {
				if b == nil {
					continue
				}
				b.Elongations(other, q)
				for i := range e {
					slope.Set(i, axis, (e[i]-other[i])/slopeBy)
				}
			}
			if key == "turned_deg" {
				s.turn(q, &inv, slope)
			} else {
				s.shift(q, key, &inv, slope)
			}
		}
	}
	return nil
}

// shift looks at each actuator with a point 1 mm off in the worst direction.
func (s *survey) shift(q Pose, key string, inv, slope *mat.Dense) {
	for i := range q {
		row := [3]float64(slope.RawRowView(i))
		by := math.Hypot(math.Hypot(row[0], row[1]), row[2])
		if by == 0 {
			continue
		}
		m := s.misplaced(times(mat.Col(nil, i, inv), by*pointWrong))
		if m.size > s.Point.size {
			m.Actuator, m.Key, m.Pose = i+1, key, q
			m.Direction = [3]float64{row[0] / by, row[1] / by, row[2] / by}
			s.Point = m
		}
	}
}

// turn looks at the axes turned by 0.1° about each of them.
func (s *survey) turn(q Pose, inv, slope *mat.Dense) {
	var by mat.Dense
	by.Mul(inv, slope)
	for axis := range 3 {
		m := s.misplaced(times(mat.Col(nil, axis, &by), axesWrong))
		if m.size > s.Axes.size {
			m.Key, m.Pose, m.Direction[axis] = "turned_deg", q, 1
			s.Axes = m
		}
	}
}

func (s *survey) misplaced(by Pose) *Misplaced {
	out := &Misplaced{size: s.size(by)}
	for i, rotation := range s.Body.Rotations() {
		if rotation {
			out.Rad = math.Hypot(out.Rad, by[i])
		} else {
			out.M = math.Hypot(out.M, by[i])
		}
	}
	return out
}
