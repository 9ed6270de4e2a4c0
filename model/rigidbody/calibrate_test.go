package rigidbody

import (
	"math"
	"math/rand/v2"
	"slices"
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

// slowMove is a set-up whose bases and zero lengths are wrong by up to wrong (m), and so many poses in a workspace of this
// size, with noise (m). A planar set-up has nothing wrong along z.
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
	for i := range s.Actuators {
		for k, sd := range c.BaseErrors[i] {
			if sd > 0 {
				out = append(out, (c.Links[i].Base[k]-s.truth.links[i].Base[k])/sd)
			}
		}
		out = append(out, (c.Offsets[i]-s.zero[i])/c.OffsetErrors[i])
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

// A hexapod whose bases and zero lengths are wrong by up to 3 mm, with three surveyed string pots and noise of 5 µm: the
// calibrated pose is right to 0.1 mm and 0.1 mrad, and the standard errors hold.
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
