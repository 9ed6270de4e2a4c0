package page

import (
	"math"
	"reflect"
	"testing"

	"rths"
	"rths/kit/rthstest"
	"rths/result/record"
	"rths/result/report"
)

const slabScenario = `name: slab
rate_hz: 128
ground: {kind: sine, duration_s: 2, frequency_hz: 0.9, amplitude_m_s2: 2}
structure: {kind: matrices, mass: [[1000, 0, 0], [0, 1000, 0], [0, 0, 500]], stiffness: [[6e4, 0, 0], [0, 6e4, 0], [0, 0, 4e4]], influence: [1, 0, 0]}
interface: [2, 1, 3]
coupler:
  kind: rigid-body
  coordinates: [x, y, rz]
  actuators: [{base_m: [-1.5, 0.5], pin_m: [-0.5, 0.5]}, {base_m: [-1.5, -0.5], pin_m: [-0.5, -0.5]}, {direction: [0, 1], pin_m: [0, -0.5]}]
  instruments: [{base_m: [1.5, 0.8], pin_m: [0.5, 0.5]}]
specimens: [{along: [1, 0, 0], specimen: {kind: linear, stiffness: 1e4}}]
transfer: {kind: ideal}
compensator: {kind: none}
limits: none
`

// slab is a test of a rigid body, with the columns of its actuators and of these quantities.
func slab(t *testing.T, more ...rths.Meaning) *Test {
	m := &record.Manifest{Name: "slab", RateHz: 128, Scenario: slabScenario, Folder: t.TempDir(),
		Columns: []record.Column{{Name: "phase"}}}
	for i := range 3 {
		for _, name := range []string{"target", "command", "measured"} {
			m.Columns = append(m.Columns, record.Column{Name: rths.ColumnName(name, "m", i, 3)})
		}
	}
	for _, of := range more {
		m.Columns = append(m.Columns, record.Column{Name: of.NameIn("-"), Meaning: of})
	}
	return &Test{Manifest: m, Samples: 256}
}

func pose(coordinate string) rths.Meaning {
	return rths.Meaning{Quantity: "pose", Coordinate: coordinate}
}

func numX(dof int) rths.Meaning { return rths.Meaning{Quantity: "num_x", Floor: dof} }

// The page gets a rigid body with its actuators, and the places of what moves it; no body where there is none, or where
// its pose is not recorded; no target where the numerical part is not.
func TestBodyOfThePage(t *testing.T) {
	all := []rths.Meaning{pose("x"), pose("y"), pose("rz"), numX(1), numX(2), numX(3), {Quantity: "pose_suspect"}}
	a := rthstest.Must(newAbout(slab(t, all...)))
	n := 3 * 6 // quantities of the actuators
	want := &report.Body{
		Bases: [][3]float64{{-1.5, 0.5, 0}, {-1.5, -0.5, 0}, {0, -1.5, 0}},
		Pins:  [][3]float64{{-0.5, 0.5, 0}, {-0.5, -0.5, 0}, {0, -0.5, 0}}, Flat: true,
		Pose: [6]int{n, n + 2, -1, -1, -1, n + 4}, Target: []int{n + 1, n + 3, -1, -1, -1, n + 5}, Suspect: n + 6,
	}
	if !reflect.DeepEqual(a.Body, want) {
		t.Errorf("the body %+v: want %+v", a.Body, want)
	}
	for i, of := range map[int]Quantity{n: {scale: 1000, place: 10}, n + 1: {scale: 1000, place: 14},
		n + 3: {scale: 1000, place: 13}, n + 6: {scale: 1, place: 16}} {
		if q := a.Quantities[i]; q.Panel != "body" || q.scale != of.scale || q.place != of.place {
			t.Errorf("quantity %d: %+v: want column %d times %g", i, q, of.place, of.scale)
		}
	}
	if b := rthstest.Must(newAbout(slab(t, all[:5]...))).Body; b == nil || b.Target != nil || b.Suspect != -1 {
		t.Errorf("without a part of the target: %+v", b)
	}
	if b := rthstest.Must(newAbout(slab(t, all[1:]...))).Body; b != nil {
		t.Errorf("without a part of the pose: %+v: want none", b)
	}
	if b := rthstest.Must(newAbout(limited(t))).Body; b != nil {
		t.Errorf("without a rigid body: %+v: want none", b)
	}
}

// Outside the run pose and target are left over from before, and not shown; what has slipped is.
func TestPoseOutsideTheRun(t *testing.T) {
	h := newHub(nil)
	f := rthstest.Must(h.Begin(slab(t, pose("x"), pose("y"), pose("rz"), numX(1), numX(2), numX(3),
		rths.Meaning{Quantity: "pose_suspect"})))
	row := make([]float64, 17)
	row[10], row[14], row[16] = 0.002, 0.003, 2
	b := f.about.Body
	for phase, want := range map[float64][3]float64{2: {2, 3, 2}, 3: {math.NaN(), math.NaN(), 2}} {
		row[0] = phase
		f.Row(row)
		for i, q := range []int{b.Pose[0], b.Target[0], b.Suspect} {
			if got := f.q[q]; got != want[i] && !(math.IsNaN(got) && math.IsNaN(want[i])) {
				t.Errorf("phase %g: pose, target and what has slipped: number %d is %g: want %g", phase, i, got, want[i])
			}
		}
	}
}
