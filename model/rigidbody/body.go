// Package rigidbody is the kinematics of a rigid body held by actuators at any places: from its pose to the lengths of
// the actuators and back, and from their forces to the forces at the node of the numerical part.
package rigidbody

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"rths"
)

// Link is an actuator, or an instrument that measures a length, as a string pot: from a base point in space to a pin on
// the body. Its pins turn without friction.
type Link struct {
	Base [3]float64 // m, from the place of the node at rest
	Pin  [3]float64 // m, from the node, in the axes of the body

	// Parallel is the direction of a link so long that it does not turn, in place of Base: its elongation is the
	// displacement of the pin in this direction. Zero: the link has a base.
	Parallel [3]float64
}

// From is a link whose points stand in space, the pin with the body at rest, as it is seen from a node: from the place of
// the node (m), in axes that are turned by a rotation vector (rad).
func (l Link) From(node, turned [3]float64) Link {
	r, _ := rotation(scaled(turned, -1))
	if l.Parallel == (vector{}) {
		l.Base = times(r, minus(l.Base, node))
	}
	return Link{Base: l.Base, Pin: times(r, minus(l.Pin, node)), Parallel: times(r, l.Parallel)}
}

// Coordinates of a pose: displacements of the node, m, and the rotation vector of the body, rad. The body turns about
// the direction of this vector by its length, up to half a turn.
const (
	X = iota
	Y
	Z
	RX
	RY
	RZ
	most // coordinates
)

var names = [most]string{"x", "y", "z", "rx", "ry", "rz"}

// Iterations of Newton's method in Pose. From a pose 10 mm away three leave 1e-13 m.
const Iterations = 3

// Body is a rigid body that moves in some of the six coordinates of a pose; the others stay 0. A Body is for one
// goroutine.
type Body struct {
	links  []Link
	coords []int
	rest   []float64 // lengths at rest, m
	direct []bool    // the link is parallel

	full, rate, bend [most]float64 // pose and its rates, of all six
	row              [most]float64
	ortho            [][most]float64 // Q of the Jacobian, a row for each link
	upper            [most][most]float64
	misfit, pull     []float64 // of the links
	step             [most]float64
	swing, lag       matrix // R − I and J − I
	jacobian         matrix // of ω = J θ̇
}

type (
	vector = [3]float64
	matrix = [3][3]float64
)

// New is a body with its links and the coordinates that it moves in, X to RZ, each once. At rest every link must have a
// length, and together they must hold every coordinate.
func New(links []Link, coords []int) (*Body, error) {
	if len(coords) == 0 || len(coords) > most {
		return nil, fmt.Errorf("rigid body: %d coordinates: want 1 to 6", len(coords))
	}
	seen := [most]bool{}
	for _, c := range coords {
		if c < 0 || c >= most || seen[c] {
			return nil, errors.New("rigid body: want each coordinate of x, y, z, rx, ry, rz at most once")
		}
		seen[c] = true
	}
	b := &Body{coords: coords}
	for i := range links {
		if err := links[i].check(); err != nil {
			return nil, fmt.Errorf("rigid body: link %d: %w", i+1, err)
		}
	}
	b.links = append([]Link(nil), links...)
	for i := range b.links {
		l := &b.links[i]
		size := norm(l.Parallel)
		if b.direct = append(b.direct, size > 0); size > 0 {
			l.Parallel = scaled(l.Parallel, 1/size)
		}
	}
	b.rest, b.ortho = make([]float64, len(links)), make([][most]float64, len(links))
	b.misfit, b.pull = make([]float64, len(links)), make([]float64, len(links))
	q := make([]float64, len(coords))
	for i, l := range b.links {
		if b.rest[i] = norm(minus(l.Pin, l.Base)); b.direct[i] {
			b.rest[i] = dot(l.Parallel, l.Pin)
		}
	}
	return b, b.wantHeld(q)
}

// Shortest is the least length of a link at rest, m.
const Shortest = 1e-3

func (l *Link) check() error {
	direct := norm(l.Parallel)
	for _, v := range [...]vector{l.Base, l.Pin, l.Parallel} {
		for _, x := range v {
			if !rths.Finite(x) || math.Abs(x) > 1e6 {
				return fmt.Errorf("%g: want finite numbers, up to 1e6 m", x)
			}
		}
	}
	switch {
	case direct == 0 && norm(minus(l.Pin, l.Base)) < Shortest:
		return fmt.Errorf("its pin is on its base: want them at least %g m apart", Shortest)
	case direct != 0 && l.Base != vector{}:
		return errors.New("base and direction: want one of them")
	}
	return nil
}

// wantHeld names a motion that no link sees.
func (b *Body) wantHeld(q []float64) error {
	n := len(b.coords)
	if len(b.links) < n {
		return fmt.Errorf("rigid body: %d links for %d coordinates: want at least as many links", len(b.links), n)
	}
	var svd mat.SVD
	if !svd.Factorize(b.Jacobian(q, len(b.links)), mat.SVDFull) {
		return errors.New("rigid body: the singular values of the geometry are not found")
	}
	s := svd.Values(nil)
	if s[n-1] > 1e-9*s[0] {
		return nil
	}
	var v mat.Dense
	svd.VTo(&v)
	var free []string
	for i, c := range b.coords {
		if a := v.At(i, n-1); math.Abs(a) > 1e-6 {
			free = append(free, fmt.Sprintf("%.3g %s", a, names[c]))
		}
	}
	return &Loose{strings.Join(free, ", ")}
}

// Loose is the error of links that leave a body free to move at rest.
type Loose struct{ Motion string } // of length 1, as in "0.6 x, 0.8 rz"

// Error says how.
func (e *Loose) Error() string {
	return fmt.Sprintf("rigid body: no link sees the motion %s: want links that hold every coordinate", e.Motion)
}

// Coordinates is their number.
func (b *Body) Coordinates() int { return len(b.coords) }

// Rest is the length of link i at rest, m.
func (b *Body) Rest(i int) float64 { return b.rest[i] }

// Pin is where the pin of link i stands in the pose q, m, from the place of the node at rest.
func (b *Body) Pin(i int, q []float64) [3]float64 {
	b.place(q)
	_, _, arm := b.along(i)
	return plus(vector(b.full[:3]), arm)
}

// place takes the pose q of the coordinates.
func (b *Body) place(q []float64) {
	b.full = [most]float64{}
	for i, c := range b.coords {
		b.full[c] = q[i]
	}
	b.swing, b.lag = swing(vector(b.full[3:]))
	b.jacobian = b.lag
	for i := range b.jacobian {
		b.jacobian[i][i]++
	}
}

// along is what link i is longer than at rest in the pose, its direction u from base to pin, and the pin from the node.
// The difference of two lengths of metres would lose the digits of small motions:
// |d| − |e| = (d − e)·(d + e)/(|d| + |e|).
func (b *Body) along(i int) (longer float64, u, arm vector) {
	l, w := &b.links[i], &b.swing
	px, py, pz := l.Pin[0], l.Pin[1], l.Pin[2]
	sx := w[0][0]*px + w[0][1]*py + w[0][2]*pz
	sy := w[1][0]*px + w[1][1]*py + w[1][2]*pz
	sz := w[2][0]*px + w[2][1]*py + w[2][2]*pz
	arm = vector{px + sx, py + sy, pz + sz}
	sx, sy, sz = sx+b.full[0], sy+b.full[1], sz+b.full[2] // from rest
	if b.direct[i] {
		return l.Parallel[0]*sx + l.Parallel[1]*sy + l.Parallel[2]*sz, l.Parallel, arm
	}
	ex, ey, ez := px-l.Base[0], py-l.Base[1], pz-l.Base[2] // at rest
	dx, dy, dz := ex+sx, ey+sy, ez+sz
	length := math.Sqrt(dx*dx + dy*dy + dz*dz)
	longer = (sx*(ex+dx) + sy*(ey+dy) + sz*(ez+dz)) / (length + b.rest[i])
	by := 1 / length
	return longer, vector{dx * by, dy * by, dz * by}, arm
}

// slopes sets row to the slopes of the length of a link by all six coordinates.
func (b *Body) slopes(u, arm vector) {
	moment := cross(arm, u)
	for k := range 3 {
		b.row[k] = u[k]
		b.row[3+k] = moment[0]*b.jacobian[0][k] + moment[1]*b.jacobian[1][k] + moment[2]*b.jacobian[2][k]
	}
}

// Elongations sets out to what each of the first links is longer than at rest, m, in the pose q.
func (b *Body) Elongations(out, q []float64) {
	b.place(q)
	for i := range out {
		out[i], _, _ = b.along(i)
	}
}

// spin takes the rates q̇ and q̈ in the pose that the body has taken. They are in rate and bend, and omega and alpha are
// velocity and acceleration of its rotation.
func (b *Body) spin(rate, bend []float64) (omega, alpha vector) {
	b.rate, b.bend = [most]float64{}, [most]float64{}
	for i, c := range b.coords {
		b.rate[c], b.bend[c] = rate[i], bend[i]
	}
	theta, spin := vector(b.full[3:]), vector(b.rate[3:])
	omega, alpha = times(b.jacobian, spin), times(b.jacobian, vector(b.bend[3:]))
	if size := norm(spin); size > 0 { // J̇ θ̇ by differences along θ̇, of 1e-4 rad
		by := 1e-4 / size
		_, ahead := rotation(plus(theta, scaled(spin, by)))
		_, back := rotation(minus(theta, scaled(spin, by)))
		alpha = plus(alpha, scaled(minus(times(ahead, spin), times(back, spin)), 1/(2*by)))
	}
	return omega, alpha
}

// Rates sets v and a to velocity and acceleration of each of the first links for the motion q, q̇, q̈.
func (b *Body) Rates(v, a []float64, q, rate, bend []float64) {
	b.place(q)
	omega, alpha := b.spin(rate, bend)
	for i := range v {
		longer, u, arm := b.along(i)
		w := plus(vector(b.rate[:3]), cross(omega, arm))
		pull := plus(vector(b.bend[:3]), plus(cross(alpha, arm), cross(omega, cross(omega, arm))))
		v[i] = dot(u, w)
		a[i] = dot(u, pull)
		if !b.direct[i] {
			a[i] += (dot(w, w) - v[i]*v[i]) / (b.rest[i] + longer)
		}
	}
}

// lastStep is the largest last step of a search that has found a pose, m or rad: from a pose 30 mm away it is 2e-5 and
// leaves 1e-9.
const lastStep = 1e-4

// Pose finds the pose q of which the first links have these elongations (m), by Newton's method from the pose in q, in
// Iterations steps. With more links than coordinates it is the pose of least squares. off is the root of
// the sum of the squares of the differences that remain, m; with as many links as coordinates it is rounding, also where
// a sensor is wrong. Where no pose is found, off is not a number and q stays.
func (b *Body) Pose(q, elongations []float64) (off float64) {
	var to [most]float64
	n := copy(to[:], q)
	off = b.search(to[:n], elongations)
	for _, s := range b.step[:n] {
		if !(math.Abs(s) <= lastStep) {
			return math.NaN()
		}
	}
	if rths.Finite(off) {
		copy(q, to[:n])
	}
	return off
}

// Find finds the pose q of which the first links have these elongations (m), by Newton's method from rest. It is Pose for
// those who keep no pose. off is as in Pose; it is not a number where Newton's method has not come to rest after 30 steps.
func (b *Body) Find(q, elongations []float64) (off float64) {
	clear(q)
	last := math.Inf(1)
	for range 10 {
		off = b.search(q, elongations)
		size := norm(vector(b.step[:3])) + norm(vector(b.step[3:]))
		if !(size > 1e-13) || !(size < last) && size < 1e-10 {
			return off
		}
		last = size
	}
	return math.NaN()
}

// search goes Iterations steps of Newton's method from the pose in q, and is what remains, as off of Pose. The
// last step is in step.
func (b *Body) search(q, elongations []float64) (off float64) {
	m := len(elongations)
	b.step = [most]float64{}
	for range Iterations {
		b.place(q)
		for i, e := range elongations {
			longer, u, arm := b.along(i)
			b.misfit[i] = e - longer
			b.slopes(u, arm)
			for j, c := range b.coords {
				b.ortho[i][j] = b.row[c]
			}
		}
		if !b.factor(m) {
			b.step[0] = math.NaN()
			return math.NaN()
		}
		b.solve(b.step[:len(q)], b.misfit[:m])
		for j := range q {
			q[j] += b.step[j]
		}
	}
	b.place(q)
	for i, e := range elongations {
		longer, _, _ := b.along(i)
		b.misfit[i] = e - longer
		off += b.misfit[i] * b.misfit[i]
	}
	return math.Sqrt(off)
}

// Suspect is the link, from 0, of which a slip alone explains what remained in the lengths of the last Pose, of m links,
// and the slip, m. With P the projection on what no pose explains, a slip s of link i leaves s P e_i. −1: the slips of
// several links would to 10 % of its size, as those of all links with one more link than coordinates, or no slip of one
// link does to 5 %.
func (b *Body) Suspect(m int) (link int, slip float64) {
	total, best, second := 0.0, 0.0, 0.0
	link = -1
	for i := range m {
		seen := 1.0
		for j := range b.coords {
			seen -= b.ortho[i][j] * b.ortho[i][j]
		}
		r := b.misfit[i]
		total += r * r
		if seen < 1e-6 {
			continue // no slip of it shows
		}
		switch share := r * r / seen; {
		case share > best:
			link, slip, best, second = i, r/seen, share, best
		case share > second:
			second = share
		}
	}
	const explained, other = 1 - 0.05*0.05, 1 - 0.1*0.1
	if !(best >= explained*total) || second >= other*total || total == 0 {
		return -1, 0
	}
	return link, slip
}

// factor splits the rows 0 to m of the Jacobian, in ortho, into an orthogonal and an upper triangular matrix, by the
// modified method of Gram and Schmidt.
func (b *Body) factor(m int) bool {
	q, r := b.ortho[:m], &b.upper
	for j := range b.coords {
		size := 0.0
		for i := range q {
			size += q[i][j] * q[i][j]
		}
		if !(size > 0) {
			return false
		}
		r[j][j] = math.Sqrt(size)
		by := 1 / r[j][j]
		for i := range q {
			q[i][j] *= by
		}
		for k := j + 1; k < len(b.coords); k++ {
			sum := 0.0
			for i := range q {
				sum += q[i][j] * q[i][k]
			}
			r[j][k] = sum
			for i := range q {
				q[i][k] -= sum * q[i][j]
			}
		}
	}
	return true
}

// solve sets x to the coordinates that fit the lengths y best: R x = Qᵀ y.
func (b *Body) solve(x, y []float64) {
	for j := len(x) - 1; j >= 0; j-- {
		sum := 0.0
		for i, v := range y {
			sum += b.ortho[i][j] * v
		}
		for k := j + 1; k < len(x); k++ {
			sum -= b.upper[j][k] * x[k]
		}
		x[j] = sum / b.upper[j][j]
	}
}

// at takes the pose q and factors the Jacobian of the first m links.
func (b *Body) at(q []float64, m int) bool {
	b.place(q)
	for i := range m {
		_, u, arm := b.along(i)
		b.slopes(u, arm)
		for j, c := range b.coords {
			b.ortho[i][j] = b.row[c]
		}
	}
	return b.factor(m)
}

// Motion sets rate and bend to velocity and acceleration of the coordinates in the pose q of which the first links have
// the velocities v and the accelerations a: the inverse of Rates, in the sense of least squares where there are more
// links than coordinates. Not ok: the pose is singular.
func (b *Body) Motion(rate, bend []float64, q, v, a []float64) (ok bool) {
	if ok = b.at(q, len(v)); ok {
		b.solve(rate, v)
		b.bends(bend, q, rate, a)
	}
	return ok
}

// Acceleration sets bend to the accelerations of the coordinates in the pose q with the rate q̇, of which the first links
// have the accelerations a. Not ok: the pose is singular.
func (b *Body) Acceleration(bend, q, rate, a []float64) (ok bool) {
	if ok = b.at(q, len(a)); ok {
		b.bends(bend, q, rate, a)
	}
	return ok
}

// bends is Acceleration with the Jacobian that at has factored.
func (b *Body) bends(bend, q, rate, a []float64) {
	speed, pull := b.misfit[:len(a)], b.pull[:len(a)]
	b.Rates(speed, pull, q, rate, zero[:len(b.coords)])
	for i := range pull {
		pull[i] = a[i] - pull[i]
	}
	b.solve(bend, pull)
}

var zero [most]float64

// Along sets f to the forces along the first links (N) that hold the forces s (N, N·m) at the coordinates in the pose q:
// the inverse of Forces. There are as many links as coordinates. Not ok: the pose is singular.
func (b *Body) Along(f, s, q []float64) (ok bool) {
	if ok = b.at(q, len(f)); !ok {
		return false
	}
	// Jᵀ f = s with J = Q R: f = Q R⁻ᵀ s.
	for j := range s {
		b.step[j] = s[j]
		for k := range j {
			b.step[j] -= b.upper[k][j] * b.step[k]
		}
		b.step[j] /= b.upper[j][j]
	}
	for i := range f {
		f[i] = 0
		for j := range s {
			f[i] += b.ortho[i][j] * b.step[j]
		}
	}
	return true
}

// Forces sets out to the forces (N, N·m) at the coordinates of the pose q that the forces f (N) along the links make, by
// virtual work: out = Jᵀ f.
func (b *Body) Forces(out, f, q []float64) {
	b.place(q)
	clear(out)
	for i, f := range f {
		_, u, arm := b.along(i)
		b.slopes(u, arm)
		for j, c := range b.coords {
			out[j] += b.row[c] * f
		}
	}
}

// Jacobian has the slopes of the elongations by the coordinates in the pose q: a row for each of the first m links.
func (b *Body) Jacobian(q []float64, m int) *mat.Dense {
	out := mat.NewDense(m, len(b.coords), nil)
	b.Slopes(out.RawMatrix(), q)
	return out
}

// Slopes sets out to Jacobian of as many links as it has rows.
func (b *Body) Slopes(out blas64.General, q []float64) {
	b.place(q)
	for i := range out.Rows {
		_, u, arm := b.along(i)
		b.slopes(u, arm)
		for j, c := range b.coords {
			out.Data[i*out.Stride+j] = b.row[c]
		}
	}
}

// Seen is, for each link, the share of a slip of its pin that shows in the residual of Pose: 0 means that a slip stays
// invisible, as all do with as many links as coordinates. The pose is q.
func (b *Body) Seen(q []float64) ([]float64, error) {
	j := b.Jacobian(q, len(b.links))
	var qr mat.QR
	qr.Factorize(j)
	var full mat.Dense
	qr.QTo(&full)
	out := make([]float64, len(b.links))
	for i := range out {
		out[i] = 1
		for k := range b.coords {
			out[i] -= full.At(i, k) * full.At(i, k)
		}
		out[i] = math.Sqrt(max(out[i], 0))
	}
	return out, nil
}
