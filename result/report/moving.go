package report

import (
	"math"
	"rths"
	"rths/method/criteria"
	"rths/model/plant"
	"rths/model/structure"
	"rths/scenario"
)

// moving is the numerical part and the actuators as they move. The page shows them at the instant of the cursor.
type moving struct {
	Joints [][2]float64 `json:"joints,omitempty"` // m, or storeys and bays
	Lines  [][2]int     `json:"lines,omitempty"`
	Metres bool         `json:"metres,omitempty"`
	Moves  [][2]int     `json:"moves,omitempty"` // traces, mm, of each joint across and up; −1: none
	// the same of the reference structure; none where it is not known
	Reference [][2]int      `json:"reference,omitempty"`
	Unkept    bool          `json:"unkept,omitempty"` // the numerical part is too large to be recorded
	Actuators []movingStage `json:"actuators"`
	Body      *Body         `json:"body,omitempty"` // in place of the joints: what the actuators hold
}

// Body is a rigid body with its actuators: places from the node in the axes of the structure, m. What moves it is known
// by numbers that find has given: of x, y, z, mm, and rx, ry, rz, mrad.
type Body struct {
	Bases   [][3]float64 `json:"bases"`
	Pins    [][3]float64 `json:"pins"`
	Flat    bool         `json:"flat"`             // nothing moves out of the plane of x and y
	Pose    [6]int       `json:"pose"`             // −1: 0
	Target  []int        `json:"target,omitempty"` // the same of the numerical part; nil: not known
	Suspect int          `json:"suspect"`          // number of the link that has slipped, actuators first; −1: not known
}

// BodyOf is the body of a scenario; nil: there is none, or its pose is not recorded. find gives the number of a
// quantity times scale, −1 where it is not recorded.
func BodyOf(of *scenario.Scenario, find func(of rths.Meaning, scale float64) int) *Body {
	p, ok := of.Coupler.Params.(*plant.RigidBody)
	if !ok {
		return nil
	}
	links, coordinates, err := p.Links()
	if err != nil {
		return nil
	}
	none := [6]int{-1, -1, -1, -1, -1, -1}
	out := &Body{Flat: p.Plane(), Pose: none}
	// reduced it has other numbers, and on a shake table its motion is that against the ground
	target, known := none, of.Reduce == nil && !of.OnShakeTable() && len(of.Interface) == len(coordinates)
	for i, c := range coordinates {
		if out.Pose[c] = find(rths.Meaning{Quantity: "pose", Coordinate: p.Coordinates[i]}, 1000); out.Pose[c] < 0 {
			return nil
		}
		if known {
			target[c] = find(rths.Meaning{Quantity: "num_x", Floor: of.Interface[i]}, 1000)
			known = target[c] >= 0
		}
	}
	if known {
		out.Target = target[:]
	}
	out.Suspect = find(rths.Meaning{Quantity: "pose_suspect"}, 1)
	for i, l := range links[:len(p.Actuators)] {
		if d := l.Parallel; len(p.Actuators[i].Direction) > 0 { // drawn 1 m long
			length := math.Hypot(math.Hypot(d[0], d[1]), d[2])
			for k := range l.Base {
				l.Base[k] = l.Pin[k] - l.Parallel[k]/length
			}
		}
		out.Bases, out.Pins = append(out.Bases, l.Base), append(out.Pins, l.Pin)
	}
	return out
}

// movingStage is an actuator: traces, mm, and the joint that it holds; −1: not known.
type movingStage struct {
	Joint    int `json:"joint"`
	Target   int `json:"target"`
	Measured int `json:"measured"`
}

// newMoving is nil where no actuator has both a target and a reading. Without records of all that moves the joints are
// left out.
func (fs *figures) newMoving(s source) *moving {
	m := &moving{}
	for i := range min(s.count("target", "m"), s.count("measured", "m")) {
		target, _ := fs.column(s, "target", "m", i, 1000)
		measured, _ := fs.column(s, "measured", "m", i, 1000)
		m.Actuators = append(m.Actuators, movingStage{Joint: -1, Target: target, Measured: measured})
	}
	if len(m.Actuators) == 0 {
		return nil
	}
	read, err := scenario.ParseResolved("", []byte(s.archive.Scenario), s.archive.Folder, nil)
	if err != nil { // nothing is known of places
		return m
	}
	shape, held, err := read.Shape()
	m.Body = BodyOf(read, func(of rths.Meaning, scale float64) int {
		if t, ok := s.of(of, scale); ok {
			return fs.add(t)
		}
		return -1
	})
	if m.Body != nil || err != nil || shape == nil {
		return m
	}
	moves, ok := fs.movesOf(s, shape, rths.Meaning{Quantity: "num_x"})
	if !ok {
		m.Unkept = true
		return m
	}
	m.Joints, m.Lines, m.Metres, m.Moves = shape.Joints, shape.Lines, shape.Metres, moves
	if reference, ok := fs.movesOf(s, shape, rths.Meaning{Quantity: criteria.ReferenceX}); ok {
		m.Reference = reference
	}
	for i := range m.Actuators {
		for joint, dof := range shape.DOF {
			if i < len(held) && dof[0] == held[i] && held[i] >= 0 && m.Actuators[i].Joint < 0 {
				m.Actuators[i].Joint = joint
			}
		}
	}
	return m
}

// movesOf is the traces of all joints; false where one is not recorded.
func (fs *figures) movesOf(s source, shape *structure.Shape, of rths.Meaning) ([][2]int, bool) {
	moves := make([][2]int, len(shape.DOF))
	for joint, dofs := range shape.DOF {
		for d, dof := range dofs {
			moves[joint][d] = -1
			if dof < 0 {
				continue
			}
			of.Floor = dof + 1
			t, ok := s.of(of, 1000)
			if !ok {
				return nil, false
			}
			moves[joint][d] = fs.add(t)
		}
	}
	return moves, true
}
