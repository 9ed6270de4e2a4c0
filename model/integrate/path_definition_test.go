package integrate_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"rths"
	"rths/model/integrate"
)

// A course is one coordinate of the path of an external integrator, computed in another way: the
// polynomial by Lagrange's formula, the way to a target by the Hermite base functions or the monomials
// of the ramp. Time is in samples.
type course struct {
	n       float64
	ramp    integrate.Ramp
	targets [4]float64 // the newest first, n samples apart
	from    [2]float64 // where the way began, and its velocity
	now     [3]float64 // displacement, velocity and acceleration
}

// behind is the polynomial through the last four targets, and its derivatives, t after the newest.
func (c *course) behind(t float64) (p, v, a float64) {
	for i, y := range c.targets {
		var others []float64
		w := y
		for j := range c.targets {
			if j != i {
				others = append(others, t+float64(j)*c.n)
				w /= float64(j-i) * c.n
			}
		}
		f, g, h := others[0], others[1], others[2]
		p, v, a = p+w*f*g*h, v+w*(f*g+g*h+f*h), a+2*w*(f+g+h)
	}
	return p, v, a
}

// turn begins the way to a target.
func (c *course) turn(to float64) {
	c.from = [2]float64{c.now[0], c.now[1]}
	c.targets = [4]float64{to, c.targets[0], c.targets[1], c.targets[2]}
}

// approach is the place on a way of so many samples, at the part s of it.
func (c *course) approach(s, samples float64) {
	d := c.targets[0] - c.from[0]
	switch c.ramp {
	case integrate.Linear:
		c.now = [3]float64{c.from[0] + d*s, d / samples, 0}
		if s == 1 {
			c.now[1] = 0
		}
		return
	case integrate.Smooth:
		c.now = [3]float64{
			c.from[0] + d*(10*math.Pow(s, 3)-15*math.Pow(s, 4)+6*math.Pow(s, 5)),
			d * (30*s*s - 60*math.Pow(s, 3) + 30*math.Pow(s, 4)) / samples,
			d * (60*s - 180*s*s + 120*math.Pow(s, 3)) / (samples * samples),
		}
		return
	}
	_, rate, _ := c.behind(0)
	p, q := samples*c.from[1], samples*rate
	c.now = [3]float64{
		c.from[0] + d*s*s*(3-2*s) + p*s*(1-s)*(1-s) - q*s*s*(1-s),
		(d*6*s*(1-s) + p*(1-s)*(1-3*s) - q*s*(2-3*s)) / samples,
		(d*(6-12*s) + p*(6*s-4) + q*(6*s-2)) / (samples * samples),
	}
}

// goOn is the place so many samples after the target: full of them at full speed, then slow in which the clock of the
// polynomial comes to rest evenly.
func (c *course) goOn(behind, full, slow int) {
	if c.ramp != integrate.Cubic {
		c.now[1], c.now[2] = 0, 0
		return
	}
	t, r, brake := float64(behind), 1.0, 0.0
	if q := min(behind-full, slow); q > 0 {
		part := float64(q) / float64(slow)
		t, r = float64(full)+float64(q)*(1-part/2), 1-part
		if brake = -1 / float64(slow); q == slow {
			brake = 0
		}
	}
	p, v, a := c.behind(t)
	c.now = [3]float64{p, v * r, a*r*r + v*brake}
}

// Every sample of the path, its velocity and acceleration, its flags and its counts of late targets equal the
// definition: on time and late, cubic and ramp, with two coordinates, from the wait for the first target to rest after
// the farewell.
func TestExternalPathIsItsDefinition(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		n, h := rapid.IntRange(2, 16).Draw(r, "samples"), rapid.SampledFrom([]float64{1e-3, 0.25}).Draw(r, "h")
		e := integrate.Path{
			Samples: n, Extrapolate: rapid.IntRange(0, integrate.MostExtrapolated(n)).Draw(r, "extrapolate"),
			Ramp: rapid.SampledFrom([]integrate.Ramp{integrate.Cubic, integrate.Smooth, integrate.Linear}).Draw(r, "ramp"), Rest: rapid.IntRange(0, 5).Draw(r, "rest"),
		}
		c := &script{}
		for range rapid.IntRange(1, 8).Draw(r, "targets") {
			c.targets = append(c.targets, []float64{rapid.Float64Range(-1, 1).Draw(r, "x"),
				rapid.Float64Range(-1, 1).Draw(r, "y")})
		}
		for range len(c.targets) + 1 {
			c.late = append(c.late, rapid.IntRange(0, 2*n).Draw(r, "late"))
		}
		e.Client = c
		p := newPath(t, &e, 2, h)
		f := follower{e: &e, c: c, full: e.Extrapolate, slow: (n + 1) / 2}
		for i := range f.course {
			f.course[i] = course{n: float64(n), ramp: e.Ramp}
		}
		target, felt := rths.NewMotion(2), rths.NewReading(2, 2)
		for k := 0; !f.done; k++ {
			if p.in.(rths.Finisher).Finished() {
				r.Fatalf("tick %d: ended too early", k)
			}
			answered := p.step(&target, &felt)
			f.step()
			if answered != f.answered {
				r.Fatalf("tick %d: answered %t: want %t", k, answered, f.answered)
			}
			f.compare(r, k, p, &target, h)
		}
		if got := p.in.(interface{ Targets() integrate.Targets }).Targets(); !p.in.(rths.Finisher).Finished() || got != f.so {
			r.Fatalf("at the end %+v: want %+v and the end", got, f.so)
		}
	})
}

// A follower is the dialogue with a script and the path it makes, from the definition of External.
type follower struct {
	e          *integrate.Path
	c          *script
	course     [2]course
	full, slow int

	given, looks int  // targets, and looks in vain for the next
	length, left int  // of the way; left 0: no way
	behind       int  // samples since the target before
	reached      bool // its reading is answered in this tick
	ended, done  bool
	stood        int
	lost         int

	answered, fresh bool // in this tick
	so              integrate.Targets
}

func (f *follower) step() {
	f.answered, f.fresh, f.reached = f.reached, false, false
	if f.answered {
		f.behind = 0
	}
	if f.left == 0 && !f.ended {
		f.look()
	}
	if f.left > 0 {
		f.left--
		for i := range f.course {
			f.course[i].approach(1-float64(f.left)/float64(f.length), float64(f.length))
		}
		f.reached = f.left == 0
		return
	}
	f.behind++
	if f.ended {
		f.so.Resting++
	}
	stands := f.state() == 3
	for i := range f.course {
		if f.given == 0 {
			f.course[i].now = [3]float64{}
		} else {
			f.course[i].goOn(f.behind, f.full, f.slow)
		}
	}
	if stands && f.behind > f.full+f.slow {
		f.stood++
	}
	f.done = f.ended && stands && (f.e.Ramp != integrate.Cubic || f.stood >= f.e.Rest)
}

// look asks for the next target.
func (f *follower) look() {
	if f.looks < f.c.late[f.given] {
		f.looks++
		return
	}
	f.looks = 0
	if f.given == len(f.c.targets) {
		if f.ended = true; f.behind <= f.e.Extrapolate {
			f.full, f.slow = f.behind, max(f.slow, min(f.e.Samples, 2*(f.e.Samples-f.behind)))
		}
		return
	}
	f.length = f.e.Samples
	if f.given > 0 {
		f.length -= min(f.behind, f.e.Extrapolate)
		f.so.Longest = max(f.so.Longest, f.behind)
		if over := f.behind - f.e.Extrapolate; over > 0 {
			f.so.Late, f.lost = f.so.Late+1, f.lost+over
		}
	}
	f.left, f.fresh, f.stood = f.length, true, 0
	for i := range f.course {
		f.course[i].turn(f.c.targets[f.given][i])
	}
	f.given++
}

// state is path_state of this tick.
func (f *follower) state() float64 {
	over := f.behind - f.full
	switch {
	case f.left > 0 || f.reached:
		return 0
	case f.given == 0 || f.e.Ramp != integrate.Cubic || over >= f.slow:
		return 3
	case over > 0:
		return 2
	}
	return 1
}

func (f *follower) compare(r *rapid.T, k int, p *path, target *rths.Motion, h float64) {
	for i := range f.course {
		c, got := &f.course[i], [3]float64{target.X[i], h * target.V[i], h * h * target.A[i]}
		for j, want := range c.now {
			if math.Abs(got[j]-want) > 1e-11 {
				r.Fatalf("tick %d, coordinate %d, derivative %d: %g: want %g a sample", k, i+1, j, got[j], want)
			}
		}
	}
	one := map[bool]float64{true: 1}
	for name, want := range map[string]float64{
		"new_target": one[f.fresh], "switch_pc": one[f.state() == 0], "at_target": one[f.answered], "path_state": f.state(),
		"late_samples": float64(f.lost), "client_ended": one[f.ended],
		"client_target_1_m": f.course[0].targets[0], "client_target_2_m": f.course[1].targets[0],
	} {
		if got := *p.flags[name]; got != want {
			r.Fatalf("tick %d: %s is %g: want %g", k, name, got, want)
		}
	}
}
