package rigidbody

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"rths"
)

// Calibration is a slow move of a body with surplus sensors, from which Calibrate finds the base points of the
// actuators.
type Calibration struct {
	Links     []Link // nominal geometry: the actuators, then the surveyed sensors
	Coords    []int  // as in New
	Actuators int    // how many of the links are actuators, at least as many as coordinates

	// Lengths has a row for each pose: the elongation of each link, m, from its length at rest of the nominal
	// geometry. Rows may stand in any order. The noise of each length is independent of all others.
	Lengths [][]float64

	Noise   float64 // standard deviation of a length, m; 0: it is found from the residual
	TapeM   float64 // standard deviation of each component of an actuator's base point, m; 0 is TapeM
	SurveyM float64 // standard deviation of each component of a sensor's base point, m; 0: it is exact
	PinM    float64 // standard deviation of each component of a pin, of all links, m; 0: it is exact
}

// TapeM is how well a tape measure places a base point, m: the standard deviation of a component.
const TapeM = 3e-3

// weakShare is the share of the tape measure's standard deviation above which a direction is weak: 2 mm of 3 mm.
const weakShare = 2.0 / 3

// Calibrated is what Calibrate finds. All standard errors are of one sigma.
type Calibrated struct {
	Links   []Link    // with the points found
	Offsets []float64 // m, of each link: elongation measured less offset is that of a Body of these Links

	BaseErrors   [][3]float64 // standard errors of the base points, m; 0 where a component is not looked for
	PinErrors    [][3]float64 // and of the pins
	OffsetErrors []float64    // standard errors of the offsets, m; 0 for a sensor: it follows from its points

	Noise    float64 // m, as given, or as found; the standard errors stand on it
	Residual float64 // m, root of the mean square by degrees of freedom: an estimate of the noise of a length

	// Weak names combinations of parameters of which the data say hardly more than the tape measure: a standard error
	// above two thirds of TapeM. Their values stay near the nominal ones. Do not use them alone.
	Weak []string

	// Displacement (m) and Rotation (rad) are standard errors of the pose that the lengths of the actuators alone give
	// with this geometry, each of the whole vector, in the worst of the poses measured. The noise of a reading comes
	// on top.
	Displacement, Rotation float64

	Doubts []string // sentences on what does not fit: noise and residual, coordinates that do not move, large errors
}

// unknown is a component of a point, or the offset of an actuator.
type unknown struct {
	name       string
	kind       int // base, pin or offset
	link, axis int
	scale      float64 // its standard deviation before the data, m
}

const (
	base = iota
	pin
	offset
)

type survey struct {
	Calibration
	unknowns []unknown
	rest     []float64 // of the nominal geometry, m
	free     float64   // degrees of freedom of the residuals
}

// geometry is a guess z of the unknowns, by their scales, with the poses that fit it best, and what the rows say about
// it.
type geometry struct {
	body    *Body
	z       []float64
	offsets []float64
	poses   [][]float64

	residual, noise float64
	pull            *mat.VecDense // of the residuals on z
	worth           []float64     // eigenvalues of the information of the rows; 1 is that of the tape measure
	v               mat.Dense     // their directions, unknown × direction
}

// Calibrate finds base points and offsets of the actuators by least squares. It minimises
//
//	Σ (measured − length(pose, base) − offset)²/noise² + Σ (base − nominal)²/tape² + Σ offset²/(2 tape)²
//
// over bases, offsets and the pose of each row, and likewise over what SurveyM and PinM doubt. Poses are eliminated:
// with Q₂ the part of space that the Jacobian of a pose does not reach, only Q₂ᵀ of a row says something about the
// geometry (variable projection: Golub and Pereyra 1973, doi:10.1137/0710036, with the Jacobian of Kaufman 1975,
// doi:10.1007/BF01932995). So the cost grows with the number of rows. Steps are of Gauss and Newton.
//
// The tape measure is in the sum because it is known: without it a direction that the poses do not show takes any
// value, and with a cut of small singular values its standard error would be 0. With it each standard error is at most
// the tape measure's, and a direction that the data show does not feel it (5 µm against 3 mm). It also damps the
// steps.
//
// An offset counts from the length at rest of the corrected geometry. There it is nearly independent of the base
// point; counted from the nominal length it would carry the error of the base point along the link. At rest tape
// measure and zero length add, hence 2 tape.
//
// Errors of the survey and of the pins go into the pose many times over, and the residual hardly shows them: say
// SurveyM and PinM as they are. Exact ones make standard errors that are too small.
//
// Surveyed base points fix the frame. The whole rig, its poses with it, may turn about one point, in space also about
// the line of two, and no length changes. So six coordinates want three sensors, whose base points are not on a line.
// With fewer coordinates one sensor is taken, and Weak and the standard errors say what it is worth: in a plane two
// are enough.
//
// Errors: shapes, numbers that are not finite, too few surveyed sensors or rows, rows that no pose explains to ten
// times the tape measure's standard deviation, and geometries that are not found.
func Calibrate(c Calibration) (*Calibrated, error) {
	out, err := calibrate(c)
	if err != nil {
		return nil, fmt.Errorf("calibrate: %w", err)
	}
	return out, nil
}

func calibrate(c Calibration) (*Calibrated, error) {
	if c.TapeM == 0 {
		c.TapeM = TapeM
	}
	if err := c.check(); err != nil {
		return nil, err
	}
	nominal, err := New(c.Links, c.Coords)
	if err != nil {
		return nil, err
	}
	s := &survey{Calibration: c, rest: nominal.rest}
	s.look()
	surplus := len(c.Links) - len(c.Coords)
	if rows := (2*len(s.unknowns) + surplus - 1) / surplus; len(c.Lengths) < rows {
		return nil, fmt.Errorf("%d rows with %d surplus lengths for %d unknowns: want at least %d rows", len(c.Lengths),
			surplus, len(s.unknowns), rows)
	}
	s.free = float64(len(c.Lengths)*surplus - len(s.unknowns))
	z, poses := make([]float64, len(s.unknowns)), make([][]float64, len(c.Lengths))
	for range 50 {
		g, err := s.at(z, poses)
		if err != nil {
			return nil, err
		}
		poses = g.poses
		// (information + I) step = pull − z
		gap, step := mat.NewVecDense(len(z), nil), mat.NewVecDense(len(z), nil)
		gap.SubVec(g.pull, mat.NewVecDense(len(z), z))
		for k, w := range g.worth {
			step.AddScaledVec(step, mat.Dot(g.v.ColView(k), gap)/(1+w), g.v.ColView(k))
		}
		z = slices.Clone(z)
		largest := 0.0
		for k, u := range s.unknowns {
			z[k] += step.AtVec(k)
			largest = max(largest, math.Abs(step.AtVec(k))*u.scale)
		}
		if largest < 1e-10 {
			return s.report(g)
		}
	}
	return nil, errors.New("the geometry is not found in 50 steps: want a nominal geometry nearer to the true one")
}

func (c *Calibration) check() error {
	n, surveyed := len(c.Coords), len(c.Links)-c.Actuators
	for _, x := range []float64{c.Noise, c.TapeM, c.SurveyM, c.PinM} {
		if !rths.Finite(x) || x < 0 || x > 1 {
			return fmt.Errorf("standard deviation %g m: want 0 to 1 m", x)
		}
	}
	if c.Actuators < n || surveyed < 0 {
		return fmt.Errorf("%d actuators of %d links for %d coordinates: want an actuator for each coordinate", c.Actuators,
			len(c.Links), n)
	}
	if _, err := New(c.Links[:c.Actuators], c.Coords); err != nil {
		return fmt.Errorf("actuators: %w", err)
	}
	want, why := 1, "as many lengths as coordinates fit any geometry, and the residuals vanish"
	if n == most {
		want, why = 3, "the whole rig turns about the base points of fewer, and no length shows it"
	}
	if surveyed < want {
		return fmt.Errorf("%d surveyed surplus sensors for %d coordinates: want at least %d: %s", surveyed, n, want, why)
	}
	for k, row := range c.Lengths {
		if len(row) != len(c.Links) {
			return fmt.Errorf("row %d: %d lengths for %d links", k+1, len(row), len(c.Links))
		}
		for i, x := range row {
			if !rths.Finite(x) {
				return fmt.Errorf("row %d: link %d: %g: want a finite elongation", k+1, i+1, x)
			}
		}
	}
	return nil
}

// look sets the unknowns: of a point the components along which the coordinates move a pin.
func (s *survey) look() {
	add := func(kind, i, axis int, scale float64, what string) {
		who := fmt.Sprintf("%s of actuator %d", what, i+1)
		if i >= s.Actuators {
			who = fmt.Sprintf("%s of sensor %d", what, i+1-s.Actuators)
		}
		if kind != offset {
			who += " along " + names[axis]
		}
		if scale > 0 {
			s.unknowns = append(s.unknowns, unknown{who, kind, i, axis, scale})
		}
	}
	for i, l := range s.Links {
		survey, zero := s.TapeM, 2*s.TapeM
		if i >= s.Actuators {
			survey, zero = s.SurveyM, 0
		}
		for k := range 3 {
			if !slices.ContainsFunc(s.Coords, func(c int) bool { return c == k || c >= RX && c != RX+k }) {
				continue
			}
			if add(pin, i, k, s.PinM, "pin"); l.Parallel == (vector{}) {
				add(base, i, k, survey, "base")
			}
		}
		add(offset, i, 0, zero, "offset")
	}
}

// shape is the geometry of z without poses.
func (s *survey) shape(z []float64) (*geometry, error) {
	links := slices.Clone(s.Links)
	g := &geometry{z: z, offsets: make([]float64, len(links)), pull: mat.NewVecDense(len(z), nil)}
	for k, u := range s.unknowns {
		switch by := z[k] * u.scale; u.kind {
		case base:
			links[u.link].Base[u.axis] += by
		case pin:
			links[u.link].Pin[u.axis] += by
		case offset:
			g.offsets[u.link] = by
		}
	}
	var err error
	if g.body, err = New(links, s.Coords); err != nil {
		return nil, err
	}
	for i := s.Actuators; i < len(links); i++ { // the zero length is known
		g.offsets[i] = g.body.rest[i] - s.rest[i]
	}
	return g, nil
}

// at is the geometry of z. Its poses are sought from others; the first time from the row before.
func (s *survey) at(z []float64, from [][]float64) (*geometry, error) {
	p, m, n := len(s.unknowns), len(s.Links), len(s.Coords)
	g, err := s.shape(z)
	if err != nil {
		return nil, err
	}
	var qr mat.QR
	var full, seen mat.Dense
	var pull mat.VecDense
	info, sum := mat.NewSymDense(p, nil), 0.0
	q, residuals := make([]float64, n), mat.NewVecDense(m, nil)
	for k, row := range s.Lengths {
		if from[k] != nil {
			q = from[k]
		}
		if q = g.pose(residuals.RawVector().Data, row, q, 10*s.TapeM); q == nil {
			return nil, fmt.Errorf("row %d: no pose has its lengths to %.3g mm: want a nominal geometry nearer to the true one",
				k+1, 1e4*s.TapeM)
		}
		g.poses = append(g.poses, q)
		qr.Factorize(g.body.Jacobian(q, len(s.Links)))
		full.Reset()
		qr.QTo(&full)
		slopes := s.slopes(g, q)
		seen.Reset()
		seen.Mul(full.Slice(0, m, n, m).T(), slopes)
		info.SymRankK(info, 1, seen.T())
		pull.MulVec(slopes.T(), residuals) // at the best pose residuals are in Q₂ already
		g.pull.AddVec(g.pull, &pull)
		sum += mat.Dot(residuals, residuals)
	}
	g.residual = math.Sqrt(sum / s.free)
	if g.noise = s.Noise; g.noise == 0 {
		g.noise = g.residual
	}
	g.noise = max(g.noise, 1e-9) // below, eigenvalues of 0 are not told from rounding
	g.pull.ScaleVec(1/(g.noise*g.noise), g.pull)
	var eigen mat.EigenSym
	if !eigen.Factorize(info, true) {
		panic("rigid body: the eigenvalues of finite numbers are not found")
	}
	eigen.VectorsTo(&g.v)
	for _, w := range eigen.Values(nil) {
		g.worth = append(g.worth, max(w, 0)/(g.noise*g.noise))
	}
	return g, nil
}

// pose finds the pose of a row, from another or from rest, and its residuals, at most off in the root of the mean square. Without one it is nil.
func (g *geometry) pose(residuals, row, from []float64, off float64) []float64 {
	e, q := make([]float64, len(row)), slices.Clone(from)
	for i := range row {
		e[i] = row[i] - g.offsets[i]
	}
	for try := range 40 {
		if try == 20 {
			clear(q)
		}
		before, change := [most]float64{}, 0.0
		copy(before[:], q)
		d := g.body.search(q, e)
		for i := range q {
			change = max(change, math.Abs(q[i]-before[i]))
		}
		if d <= off*math.Sqrt(float64(len(row))) && change < 1e-12 {
			g.body.Elongations(residuals, q)
			for i := range e {
				residuals[i] = e[i] - residuals[i]
			}
			return q
		}
	}
	return nil
}

// slopes has the slopes of the elongations by z in a pose, link × unknown: by the offset 1, by the base −u(q) + u(0),
// by the pin Rᵀu(q) − u(0), as the length at rest depends on them too. A surveyed sensor, whose zero length is known,
// counts from its nominal length at rest; there is no u(0).
func (s *survey) slopes(g *geometry, q []float64) *mat.Dense {
	out := mat.NewDense(len(s.Links), len(s.unknowns), nil)
	for k, at := range [][]float64{make([]float64, len(q)), q} {
		sign := float64(2*k - 1)
		g.body.place(at)
		for k, u := range s.unknowns {
			_, along, arm := g.body.along(u.link)
			before := out.At(u.link, k)
			switch {
			case u.kind == offset:
				out.Set(u.link, k, u.scale)
			case sign < 0 && u.link >= s.Actuators:
			case u.kind == base:
				out.Set(u.link, k, before-sign*along[u.axis]*u.scale)
			case u.kind == pin:
				l := &g.body.links[u.link]
				was := l.Pin
				l.Pin[u.axis]++
				_, _, moved := g.body.along(u.link) // an arm is linear in its pin
				l.Pin = was
				out.Set(u.link, k, before+sign*dot(along, minus(moved, arm))*u.scale)
			}
		}
	}
	return out
}

// report says what is found and how well.
func (s *survey) report(g *geometry) (*Calibrated, error) {
	m, p := len(s.Links), len(s.unknowns)
	out := &Calibrated{Links: g.body.links, Offsets: g.offsets, BaseErrors: make([][3]float64, m),
		PinErrors: make([][3]float64, m), OffsetErrors: make([]float64, m), Noise: g.noise, Residual: g.residual,
		Doubts: s.doubts(g)}
	root := mat.NewDense(p, p, nil) // root·rootᵀ is the covariance of z
	var weak [][]float64
	for k, w := range g.worth {
		direction, size := make([]float64, p), 0.0
		for i, u := range s.unknowns {
			x := g.v.At(i, k) / math.Sqrt(1+w)
			root.Set(i, k, x)
			direction[i] = x * u.scale
			size = math.Hypot(size, direction[i])
		}
		if size > weakShare*s.TapeM {
			weak = append(weak, direction)
		}
	}
	for i, u := range s.unknowns {
		switch size := mat.Norm(root.RowView(i), 2) * u.scale; u.kind {
		case base:
			out.BaseErrors[u.link][u.axis] = size
		case pin:
			out.PinErrors[u.link][u.axis] = size
		case offset:
			out.OffsetErrors[u.link] = size
		}
	}
	out.Weak = s.words(weak)
	return out, s.spread(out, g, root)
}

// words names the space of some directions by others, each with an unknown that the rest have not.
func (s *survey) words(basis [][]float64) (out []string) {
	for k, row := range basis {
		lead := 0
		for i, x := range row {
			if math.Abs(x) > math.Abs(row[lead]) {
				lead = i
			}
		}
		by := row[lead]
		for i := range row {
			row[i] /= by
		}
		for j, other := range basis {
			if share := other[lead]; j != k {
				for i := range other {
					other[i] -= share * row[i]
				}
			}
		}
	}
	for _, row := range basis {
		order := make([]int, len(row))
		for i := range order {
			order[i] = i
		}
		slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(math.Abs(row[j]), math.Abs(row[i])) })
		var parts []string
		for _, i := range order {
			if x := row[i]; math.Abs(x) > 0.1 {
				parts = append(parts, strings.TrimPrefix(fmt.Sprintf("%.2g × %s", x, s.unknowns[i].name), "1 × "))
			}
		}
		if more := len(parts) - 4; more > 0 {
			parts = append(parts[:4], fmt.Sprintf("%d more", more))
		}
		out = append(out, strings.Join(parts, ", with "))
	}
	return out
}

// doubts says what does not fit.
func (s *survey) doubts(g *geometry) (out []string) {
	say := func(format string, a ...any) { out = append(out, fmt.Sprintf(format, a...)) }
	ratio := g.residual / g.noise
	switch sigmas := (ratio*ratio - 1) / math.Sqrt(2/s.free); { // χ²
	case sigmas > 5 && ratio > 1.2:
		say("the residual, %.3g m, is %.3g times the noise: a pin, a surveyed sensor or the noise is not as said, and the "+
			"standard errors do not hold", g.residual, ratio)
	case sigmas < -5 && ratio < 0.8 && s.Noise > 0:
		say("the residual, %.3g m, is only %.3g of the noise: the standard errors are too large", g.residual, ratio)
	}
	for j, c := range s.Coords {
		low, high := math.Inf(1), math.Inf(-1)
		for _, q := range g.poses {
			low, high = min(low, q[j]), max(high, q[j])
		}
		if high-low < 1e-3 {
			say("the poses move %s by %.2g only", names[c], high-low)
		}
	}
	for k, u := range s.unknowns {
		if z := g.z[k]; math.Abs(z) > 4 {
			say("%s is wrong by %.3g m: more than the %.3g m said of it explain", u.name, z*u.scale, u.scale)
		}
	}
	return out
}

// spread sets the standard errors of the pose that the actuators alone give, in the worst of the poses.
func (s *survey) spread(out *Calibrated, g *geometry, root *mat.Dense) error {
	var change, pose mat.Dense
	for k, q := range g.poses {
		change.Mul(s.slopes(g, q).Slice(0, s.Actuators, 0, len(s.unknowns)), root)
		pose.Reset()
		if err := pose.Solve(g.body.Jacobian(q, s.Actuators), &change); err != nil {
			return fmt.Errorf("row %d: the actuators do not hold the body in its pose: %w", k+1, err)
		}
		moved, turned := 0.0, 0.0
		for j, c := range s.Coords {
			if size := mat.Norm(pose.RowView(j), 2); c < RX {
				moved = math.Hypot(moved, size)
			} else {
				turned = math.Hypot(turned, size)
			}
		}
		out.Displacement, out.Rotation = max(out.Displacement, moved), max(out.Rotation, turned)
	}
	return nil
}
