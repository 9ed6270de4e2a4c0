package rigidbody

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"rths/kit/rthstest"
)

// slow is a slow move of a set-up whose true geometry is known.
type slow struct {
	Calibration
	truth *Body
	zero  []float64 // true offset of each link, from the rest of the true geometry, m
}

// slowMove is a set-up whose bases and zero lengths are wrong by up to wrong (m), and so many poses in a workspace of
// this size, with noise (m). A planar set-up has nothing wrong along z.
func slowMove(r *rand.Rand, links []Link, surveyed []Link, coords []int, wrong, noise, size float64, rows int) *slow {
	any := func() float64 { return 2*r.Float64() - 1 }
	s := &slow{Calibration: Calibration{Coords: coords, Actuators: len(links), Noise: noise}}
	s.Links = append(append(s.Links, links...), surveyed...)
	right := slices.Clone(s.Links)
	for i := range links {
		for k := range 3 {
			if right[i].Parallel == (vector{}) && (len(coords) == 6 || k < 2) {
				right[i].Base[k] += wrong * any()
			}
		}
	}
	nominal := rthstest.Must(New(s.Links, coords))
	s.truth = rthstest.Must(New(right, coords))
	s.zero = make([]float64, len(right))
	for i := range links {
		s.zero[i] = s.truth.rest[i] - nominal.rest[i] + wrong*any()
	}
	for range rows {
		s.Lengths = append(s.Lengths, s.lengths(s.somewhere(r, size)))
	}
	s.blur(r, noise)
	return s
}

// blur adds noise to each length.
func (s *slow) blur(r *rand.Rand, noise float64) {
	for _, e := range s.Lengths {
		for i := range e {
			e[i] += noise * r.NormFloat64()
		}
	}
}

func (s *slow) somewhere(r *rand.Rand, size float64) []float64 { return pose(r, size)[:len(s.Coords)] }

// lengths are what exact instruments say in a pose.
func (s *slow) lengths(q []float64) []float64 {
	e := make([]float64, len(s.Links))
	s.truth.Elongations(e, q)
	for i := range e {
		e[i] += s.zero[i]
	}
	return e
}

// pots are three surplus string pots of a hexapod.
func pots(r *rand.Rand) []Link {
	out := []Link{{Base: vector{2, 0.3, 0.2}, Pin: vector{0.5, 0.2, 0.1}}, {Base: vector{-0.4, 2, 0.4},
		Pin: vector{-0.3, 0.5, 0.1}}, {Base: vector{0.3, -0.2, 1.5}, Pin: vector{-0.4, -0.3, 0.2}}}
	for i := range out {
		for k := range 3 {
			out[i].Base[k] += 0.05 * r.NormFloat64()
			out[i].Pin[k] += 0.05 * r.NormFloat64()
		}
	}
	return out
}

var plane = []int{X, Y, RZ}

// planar has three actuators in a plane, and a string pot, or several.
func planar(r *rand.Rand) (links, surveyed []Link) {
	links = []Link{{Base: vector{-2, 0.4, 0}, Pin: vector{-0.5, 0.4, 0}}, {Base: vector{-2, -0.4, 0},
		Pin: vector{-0.5, -0.4, 0}}, {Base: vector{0.1, -1.5, 0}, Pin: vector{0.1, -0.4, 0}}}
	surveyed = []Link{{Base: vector{1.2, 0.9, 0}, Pin: vector{0.5, 0.3, 0}}, {Base: vector{-0.3, 1.4, 0},
		Pin: vector{-0.4, 0.4, 0}}, {Base: vector{1.1, -1, 0}, Pin: vector{0.3, -0.3, 0}}}
	for _, list := range [][]Link{links, surveyed} {
		for i := range list {
			for k := range 2 {
				list[i].Base[k] += 0.05 * r.NormFloat64()
				list[i].Pin[k] += 0.05 * r.NormFloat64()
			}
		}
	}
	return links, surveyed
}

// normalised has error by standard error of each unknown.
func (s *slow) normalised(c *Calibrated) (out []float64) {
	for i := range s.Links {
		for k, sd := range c.BaseErrors[i] {
			if sd > 0 {
				out = append(out, (c.Links[i].Base[k]-s.truth.links[i].Base[k])/sd)
			}
			if sd := c.PinErrors[i][k]; sd > 0 {
				out = append(out, (c.Links[i].Pin[k]-s.truth.links[i].Pin[k])/sd)
			}
		}
		if sd := c.OffsetErrors[i]; sd > 0 {
			out = append(out, (c.Offsets[i]-s.zero[i])/sd)
		}
	}
	return out
}

// off is the worst error of the pose that the actuators' exact lengths give with links and offsets, over random poses.
func (s *slow) off(t *testing.T, r *rand.Rand, links []Link, offsets []float64, size float64) (moved, turned float64) {
	body := rthstest.Must(New(links[:s.Actuators], s.Coords))
	for range 200 {
		want := s.somewhere(r, size)
		e, q := s.lengths(want)[:s.Actuators], slices.Clone(want)
		for i := range e {
			e[i] -= offsets[i]
		}
		if off := body.Pose(q, e); !(off < 1e-9) {
			t.Fatalf("pose off by %g m", off)
		}
		var at, turn vector
		for j, c := range s.Coords {
			if c < RX {
				at[c] = q[j] - want[j]
			} else {
				turn[c-RX] = q[j] - want[j]
			}
		}
		moved, turned = max(moved, norm(at)), max(turned, norm(turn))
	}
	return moved, turned
}

// spreadOf wants errors by standard error as of a normal distribution.
func spreadOf(t *testing.T, errors []float64) {
	t.Helper()
	in, sum := 0, 0.0
	for _, x := range errors {
		sum += x * x
		if math.Abs(x) <= 2 {
			in++
		}
	}
	within, rms := float64(in)/float64(len(errors)), math.Sqrt(sum/float64(len(errors)))
	t.Logf("%d errors: %.1f %% within two standard errors, rms %.2f of one", len(errors), 100*within, rms)
	if within < 0.9 || rms < 0.7 || rms > 1.3 {
		t.Errorf("want 90 %% within two standard errors, and an rms of 0.7 to 1.3")
	}
}

// A hexapod whose bases and zero lengths are wrong by up to 3 mm, with three surveyed string pots and noise of 5 µm:
// the calibrated pose is right to 0.1 mm and 0.1 mrad, and the standard errors hold.
func TestCalibratedHexapods(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 61))
	draws := rthstest.Draws(5, 20)
	good := 0
	var errors []float64
	for range draws {
		rows := 200 + r.IntN(301)
		s := slowMove(r, hexapod(r), pots(r), six, 3e-3, 5e-6, 0.15, rows)
		start := time.Now()
		c, err := Calibrate(s.Calibration)
		if err != nil {
			t.Fatal(err)
		}
		took := time.Since(start)
		moved, turned := s.off(t, r, c.Links, c.Offsets, 0.15)
		before, leant := s.off(t, r, s.Links, make([]float64, 9), 0.15)
		if moved <= 1e-4 && turned <= 1e-4 {
			good++
		}
		base, offset := 0.0, 0.0
		for i := range 6 {
			base, offset = max(base, slices.Max(c.BaseErrors[i][:])), max(offset, c.OffsetErrors[i])
		}
		t.Logf("%d rows, %v: pose off by %.3f mm, %.3f mrad (was %.1f, %.1f; 1 σ %.3f, %.3f); worst base 1 σ %.2f mm, "+
			"offset %.3f mm; residual %.2f µm", rows, took.Round(time.Millisecond), 1e3*moved, 1e3*turned, 1e3*before, 1e3*leant,
			1e3*c.Displacement, 1e3*c.Rotation, 1e3*base, 1e3*offset, 1e6*c.Residual)
		if len(c.Weak)+len(c.Doubts) > 0 {
			t.Errorf("weak %q, doubts %q", c.Weak, c.Doubts)
		}
		errors = append(errors, s.normalised(c)...)
	}
	t.Logf("%d of %d within 0.1 mm and 0.1 mrad", good, draws)
	if good*20 < draws*18 {
		t.Errorf("%d of %d within 0.1 mm and 0.1 mrad: want 18 of 20", good, draws)
	}
	spreadOf(t, errors)
}

// Three actuators in a plane, with up to three surplus sensors, at noise that is found from the residual. About the
// base point of one sensor the whole rig turns unseen: this is named, and the standard errors know it. There they are
// the tape measure's, so TapeM is the standard deviation of errors that are uniform within 3 mm.
func TestCalibratedPlanes(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 61))
	for _, surplus := range []int{1, 2, 3} {
		var errors []float64
		worst := [4]float64{}
		for range rthstest.Draws(20, 60) {
			links, surveyed := planar(r)
			s := slowMove(r, links, surveyed[:surplus], plane, 3e-3, 5e-6, 0.15, 150)
			s.Noise, s.TapeM = 0, 3e-3/math.Sqrt(3)
			c, err := Calibrate(s.Calibration)
			if err != nil {
				t.Fatal(err)
			}
			rthstest.Near(t, "noise", c.Noise, 5e-6, 5e-6*5/math.Sqrt(2*float64(150*surplus-9)))
			moved, turned := s.off(t, r, c.Links, c.Offsets, 0.15)
			for k, x := range []float64{moved, turned, c.Displacement, c.Rotation} {
				worst[k] = max(worst[k], 1e3*x)
			}
			if !(moved < 5*c.Displacement) || !(turned < 5*c.Rotation) || (len(c.Weak) > 0) != (surplus == 1) {
				t.Errorf("%d surplus: pose off by %g m, %g rad: standard errors %g, %g; weak %q", surplus, moved, turned,
					c.Displacement, c.Rotation, c.Weak)
			}
			if len(c.Doubts) > 0 {
				t.Errorf("doubts %q", c.Doubts)
			}
			for i := range 3 {
				if c.Links[i].Base[2] != links[i].Base[2] || c.BaseErrors[i][2] != 0 {
					t.Errorf("base along z: %v, %v: want it kept", c.Links[i].Base, c.BaseErrors[i])
				}
			}
			errors = append(errors, s.normalised(c)...)
		}
		t.Logf("%d surplus: pose off by up to %.3f mm, %.3f mrad (1 σ up to %.3f, %.3f)", surplus, worst[0], worst[1],
			worst[2], worst[3])
		if surplus > 1 && !(max(worst[0], worst[1]) < 0.1) {
			t.Errorf("%d surplus: want 0.1 mm and 0.1 mrad", surplus)
		}
		spreadOf(t, errors)
	}
}

// Base points of the sensors that are wrong by 0.2 mm, or pins by 0.1 mm (standard deviations), leave a residual of
// less than 15 µm, and bases that are wrong by many of the standard errors of an exact survey. Where they are said,
// these hold.
func TestSurveyErrors(t *testing.T) {
	for _, e := range []struct{ survey, pin float64 }{{2e-4, 0}, {0, 1e-4}, {2e-4, 1e-4}} {
		r := rand.New(rand.NewPCG(9, 61))
		var blind, knowing, poses []float64
		worst := [4]float64{}
		for range rthstest.Draws(8, 30) {
			s := slowMove(r, hexapod(r), pots(r), six, 3e-3, 5e-6, 0.15, 200)
			s.Links = slices.Clone(s.Links)
			for i := range s.Links {
				for k := range 3 {
					if s.Links[i].Pin[k] += e.pin * r.NormFloat64(); i >= 6 {
						s.Links[i].Base[k] += e.survey * r.NormFloat64()
					}
				}
			}
			nominal := rthstest.Must(New(s.Links, six)).rest
			for i := 6; i < 9; i++ {
				s.zero[i] = s.truth.rest[i] - nominal[i]
				for _, e := range s.Lengths {
					e[i] += s.zero[i]
				}
			}
			c := rthstest.Must(Calibrate(s.Calibration))
			blind = append(blind, s.normalised(c)...)
			s.SurveyM, s.PinM = e.survey, e.pin
			c = rthstest.Must(Calibrate(s.Calibration))
			knowing = append(knowing, s.normalised(c)...)
			moved, turned := s.off(t, r, c.Links, c.Offsets, 0.15)
			poses = append(poses, moved/c.Displacement, turned/c.Rotation)
			for k, x := range []float64{moved, turned, c.Displacement, c.Rotation} {
				worst[k] = max(worst[k], 1e3*x)
			}
			if !(c.Residual < 15e-6) || len(c.Weak)+len(c.Doubts) > 0 {
				t.Errorf("residual %g m, weak %q, doubts %q", c.Residual, c.Weak, c.Doubts)
			}
		}
		sum := 0.0
		for _, x := range blind {
			sum += x * x
		}
		rms := math.Sqrt(sum / float64(len(blind)))
		t.Logf("%v: rms of errors by the standard errors of an exact survey %.1f; pose off by up to %.3f mm, %.3f mrad "+
			"(1 σ up to %.3f, %.3f), %.1f σ", e, rms, worst[0], worst[1], worst[2], worst[3], slices.Max(poses))
		if !(rms > 2) || !(slices.Max(poses) < 5) {
			t.Errorf("%v: want more than 2 blindly, and less than 5 σ", e)
		}
		spreadOf(t, knowing)
	}
}

// From a nominal geometry that is wrong by up to 50 mm the true one is found to 1e-9, and the same
// lengths in another order give the same geometry.
func TestFarGeometry(t *testing.T) {
	r := rand.New(rand.NewPCG(10, 61))
	for range rthstest.Draws(5, 20) {
		s := slowMove(r, hexapod(r), pots(r), six, 0.05, 0, 0.15, 100)
		s.TapeM = 0.03
		c, err := Calibrate(s.Calibration)
		if err != nil {
			t.Fatal(err)
		}
		r.Shuffle(len(s.Lengths), func(i, j int) { s.Lengths[i], s.Lengths[j] = s.Lengths[j], s.Lengths[i] })
		other := rthstest.Must(Calibrate(s.Calibration))
		for i, l := range s.truth.links {
			rthstest.Near(t, "base", norm(minus(c.Links[i].Base, l.Base)), 0, 1e-9)
			rthstest.Near(t, "base in another order", norm(minus(other.Links[i].Base, l.Base)), 0, 1e-9)
		}
	}
}

// Exact lengths give the exact geometry, also with a link that does not turn and with more actuators than coordinates.
func TestExactGeometry(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 61))
	links, surveyed := planar(r)
	held := []Link{links[0], {Parallel: vector{2, 0.1, 0}, Pin: vector{-0.5, -0.4, 0}}, links[2]}
	four := append(links, Link{Base: vector{0.2, 1.8, 0}, Pin: vector{0, 0.4, 0}})
	for name, s := range map[string]*slow{
		"hexapod":      slowMove(r, hexapod(r), pots(r), six, 3e-3, 0, 0.15, 300),
		"plane":        slowMove(r, links, surveyed, plane, 3e-3, 0, 0.15, 100),
		"parallel":     slowMove(r, held, surveyed, plane, 3e-3, 0, 0.15, 100),
		"four of them": slowMove(r, four, surveyed[:2], plane, 3e-3, 0, 0.15, 100),
	} {
		c, err := Calibrate(s.Calibration)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		worst := 0.0
		for i, l := range s.truth.links {
			worst = max(worst, norm(minus(c.Links[i].Base, l.Base)), math.Abs(c.Offsets[i]-s.zero[i]))
		}
		if t.Logf("%s: off by %.1e m, residual %.1e m", name, worst, c.Residual); !(worst < 1e-9) {
			t.Errorf("%s: off by %g m: want 1e-9", name, worst)
		}
	}
}

// The standard errors, which come from the slopes, are the scatter over many draws of noise; the mean is the truth.
func TestScatterIsFishers(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 61))
	draws := rthstest.Draws(40, 120)
	s := slowMove(r, hexapod(r), pots(r), six, 3e-3, 0, 0.15, 200)
	s.Noise = 5e-6
	exact := s.Lengths
	count, all := 0, 0.0
	var sum, squares []float64
	for range draws {
		s.Lengths = nil
		for _, e := range exact {
			s.Lengths = append(s.Lengths, slices.Clone(e))
		}
		s.blur(r, s.Noise)
		e := s.normalised(rthstest.Must(Calibrate(s.Calibration)))
		if count = len(e); sum == nil {
			sum, squares = make([]float64, count), make([]float64, count)
		}
		for i, x := range e {
			sum[i] += x
			squares[i] += x * x
		}
	}
	for i := range count {
		n := float64(draws)
		rthstest.Near(t, "mean error by standard error", sum[i]/n, 0, 4.5/math.Sqrt(n))
		rthstest.Near(t, "scatter by standard error", math.Sqrt(squares[i]/n), 1, 4.5/math.Sqrt(2*n))
		all += squares[i] / n
	}
	t.Logf("scatter %.3f of the standard errors", math.Sqrt(all/float64(count)))
}

// What poses do not show stays with the tape measure, and is named. The pose inside the moves is right all the same.
func TestWeak(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 61))
	s := slowMove(r, hexapod(r), pots(r), six, 3e-3, 5e-6, 0.01, 300)
	c := rthstest.Must(Calibrate(s.Calibration))
	moved, turned := s.off(t, r, c.Links, c.Offsets, 0.01)
	t.Logf("±10 mm: pose off by %.3f mm, %.3f mrad (1 σ %.3f, %.3f); weak: %q", 1e3*moved, 1e3*turned, 1e3*c.Displacement,
		1e3*c.Rotation, c.Weak)
	if len(c.Weak) == 0 || !(moved < 5*c.Displacement) || !(turned < 5*c.Rotation) {
		t.Errorf("%d weak; pose off by %g m, %g rad: standard errors %g, %g", len(c.Weak), moved, turned, c.Displacement,
			c.Rotation)
	}
	for i := range 6 {
		for _, sd := range c.BaseErrors[i] {
			if !(sd <= TapeM*(1+1e-12)) || !(sd > 0) {
				t.Errorf("standard error %g m: want at most the tape measure's", sd)
			}
		}
	}
	// So little shows no curvature: bases along the legs are weak, and the offsets make up for them.
	for i := range 6 {
		u := minus(s.Links[i].Pin, s.Links[i].Base)
		k := slices.IndexFunc(c.Weak, func(w string) bool {
			return strings.HasPrefix(w, fmt.Sprintf("base of actuator %d along z, with ", i+1))
		})
		if k < 0 {
			t.Errorf("weak %q: want the leg of actuator %d", c.Weak, i+1)
			continue
		}
		for part := range strings.SplitSeq(c.Weak[k], ", with ") {
			by, who, axis := 1.0, 0, ""
			if _, err := fmt.Sscanf(part, "%g × base of actuator %d along %s", &by, &who, &axis); err == nil {
				rthstest.Near(t, part, by, u[slices.Index(names[:], axis)]/u[2], 0.1)
			}
		}
	}
	// The rig turns unseen about one base point of all surveyed sensors.
	from := pots(r)
	for i := range from {
		from[i].Base = vector{2, 0.3, 1}
	}
	s = slowMove(r, hexapod(r), from, six, 3e-3, 5e-6, 0.15, 300)
	c = rthstest.Must(Calibrate(s.Calibration))
	moved, turned = s.off(t, r, c.Links, c.Offsets, 0.15)
	t.Logf("one base point: pose off by %.3f mm, %.3f mrad (1 σ %.3f, %.3f); weak: %q", 1e3*moved, 1e3*turned,
		1e3*c.Displacement, 1e3*c.Rotation, c.Weak)
	if len(c.Weak) < 3 || !(c.Rotation > 3e-4) || !(moved < 5*c.Displacement) || !(turned < 5*c.Rotation) {
		t.Errorf("one base point: weak %q, standard error %g rad: want at least three ways to turn", c.Weak, c.Rotation)
	}
	// The distance of an actuator that does not turn shows in nothing.
	line := slowMove(r, []Link{{Base: vector{-1, 0, 0}}}, []Link{{Base: vector{1, 0, 0}}}, []int{X}, 3e-3, 5e-6, 0.1, 100)
	c = rthstest.Must(Calibrate(line.Calibration))
	if !slices.Equal(c.Weak, []string{"base of actuator 1 along x"}) || math.Abs(c.Links[0].Base[0]+1) > 1e-12 {
		t.Errorf("weak %q, base %v: want the distance, and the nominal base", c.Weak, c.Links[0].Base)
	}
	rthstest.Near(t, "its standard error", c.BaseErrors[0][0], TapeM, 1e-9)
	rthstest.Near(t, "offset", c.Offsets[0], line.zero[0], 4*c.OffsetErrors[0])
	rthstest.Near(t, "its standard error", c.OffsetErrors[0], 5e-6*math.Sqrt2/10, 1e-10)
}

// A wrong survey, a noise that is not so, a coordinate that stays, and an error too large are said.
func TestDoubts(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 61))
	links, surveyed := planar(r)
	make := func() *slow { return slowMove(r, links, surveyed, plane, 3e-3, 5e-6, 0.15, 200) }
	doubt := func(name string, s *slow, want ...string) *Calibrated {
		t.Helper()
		c, err := Calibrate(s.Calibration)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		t.Logf("%s: %q; weak %q", name, c.Doubts, c.Weak)
		if len(c.Doubts) != len(want) {
			t.Errorf("%s: %q: want %q", name, c.Doubts, want)
		}
		for i := range min(len(want), len(c.Doubts)) {
			rthstest.Contains(t, c.Doubts[i], want[i])
		}
		return c
	}
	doubt("nothing", make())
	s := make()
	s.Links = slices.Clone(s.Links)
	s.Links[3].Base[0] += 0.003
	doubt("survey", s, "times the noise: a pin, a surveyed sensor or the noise is not as said")
	s = make()
	s.Noise = 1e-6
	doubt("noise", s, "times the noise")
	s.Noise = 2e-5
	doubt("noise", s, "the standard errors are too large")
	s = make()
	s.Lengths = nil
	for range 200 {
		q := s.somewhere(r, 0.15)
		q[2] = 0.01
		s.Lengths = append(s.Lengths, s.lengths(q))
	}
	s.blur(r, s.Noise)
	doubt("still", s, "the poses move rz by")
	s = slowMove(r, links, surveyed, plane, 0, 5e-6, 0.15, 200)
	for _, e := range s.Lengths {
		e[1] += 0.028
	}
	doubt("far", s, "offset of actuator 2 is wrong by 0.028 m: more than the 0.006 m said")
}

// What cannot be calibrated is refused, with the row.
func TestCalibrationRefused(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 61))
	s := slowMove(r, hexapod(r), pots(r), six, 3e-3, 5e-6, 0.15, 200)
	links, surveyed := planar(r)
	flat := slowMove(r, links, surveyed, plane, 3e-3, 5e-6, 0.15, 100)
	first := func(s *slow, n int) func(*Calibration) {
		return func(c *Calibration) {
			*c = s.Calibration
			c.Links, c.Lengths = s.Links[:n], nil
			for _, e := range s.Lengths {
				c.Lengths = append(c.Lengths, e[:n])
			}
		}
	}
	for _, c := range []struct {
		change func(*Calibration)
		want   string
	}{
		{first(s, 6), "0 surveyed surplus sensors for 6 coordinates: want at least 3"},
		{first(s, 8), "2 surveyed surplus sensors for 6 coordinates: want at least 3: the whole rig turns about"},
		{first(flat, 3), "0 surveyed surplus sensors for 3 coordinates: want at least 1: as many lengths as coordinates"},
		{func(c *Calibration) { c.Actuators = 5 }, "5 actuators of 9 links for 6 coordinates"},
		{func(c *Calibration) { c.Actuators = 10 }, "10 actuators of 9 links"},
		{func(c *Calibration) { c.Links = append(slices.Repeat(c.Links[:1], 6), c.Links[6:]...) },
			"actuators: rigid body: no link"},
		{func(c *Calibration) { c.Links[8].Pin = c.Links[8].Base }, "link 9: its pin is on its base"},
		{func(c *Calibration) { c.Coords = nil }, "0 coordinates"},
		{func(c *Calibration) { c.Lengths[4] = c.Lengths[4][:8] }, "row 5: 8 lengths for 9 links"},
		{func(c *Calibration) { c.Lengths[6][1] = math.Inf(1) }, "row 7: link 2: +Inf: want a finite"},
		{func(c *Calibration) { c.Lengths[6][8] = math.NaN() }, "row 7: link 9: NaN: want a finite"},
		{func(c *Calibration) { c.Lengths[9][0] += 0.3 }, "row 10: no pose has its lengths to 30 mm"},
		{func(c *Calibration) { c.Lengths[9][0] = -50 }, "row 10: no pose has its lengths"},
		{func(c *Calibration) { c.Lengths = c.Lengths[:15] },
			"15 rows with 3 surplus lengths for 24 unknowns: want at least 16 rows"},
		{func(c *Calibration) { c.Lengths = nil }, "0 rows"},
		{func(c *Calibration) { c.Noise = -1 }, "standard deviation -1 m"},
		{func(c *Calibration) { c.TapeM = math.NaN() }, "standard deviation NaN m"},
	} {
		a := s.Calibration
		a.Links, a.Lengths = slices.Clone(a.Links), nil
		for _, e := range s.Lengths {
			a.Lengths = append(a.Lengths, slices.Clone(e))
		}
		c.change(&a)
		_, err := Calibrate(a)
		rthstest.WantError(t, err, "calibrate: ")
		rthstest.WantError(t, err, c.want)
	}
}

// BenchmarkCalibrate is a hexapod with three string pots and 500 poses.
func BenchmarkCalibrate(b *testing.B) {
	r := rand.New(rand.NewPCG(8, 61))
	s := slowMove(r, hexapod(r), pots(r), six, 3e-3, 5e-6, 0.15, 500)
	for b.Loop() {
		rthstest.Must(Calibrate(s.Calibration))
	}
}
