package rigidbody

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/gonum/mat"

	"rths"
)

// Calibration is a slow move of a body with surplus sensors, from which Calibrate finds the base points of the actuators.
// Pins are taken as known.
type Calibration struct {
	Links     []Link // nominal geometry: the actuators, then the surveyed sensors, which are taken as exact
	Coords    []int  // as in New
	Actuators int    // how many of the links are actuators, at least as many as coordinates

	// Lengths has a row for each pose: the elongation of each link, m, from its length at rest of the nominal geometry.
	// Rows may stand in any order. The noise of one row is independent of that of another.
	Lengths [][]float64

	Noise float64 // standard deviation of a length, m; 0: it is found from the residual
	TapeM float64 // standard deviation of each component of a nominal base point, m; 0 is TapeM, 3 mm
}

// TapeM is how well a tape measure places a base point, m: the standard deviation of a component.
const TapeM = 3e-3

// weakShare is the share of the tape measure's standard deviation above which a direction is weak: 2 mm of 3 mm.
const weakShare = 2.0 / 3

// Calibrated is what Calibrate finds. All standard errors are of one sigma.
type Calibrated struct {
	Links   []Link    // with the base points found
	Offsets []float64 // m, of each link: elongation measured less offset is the elongation of a Body of these Links

	BaseErrors   [][3]float64 // standard errors of the base points, m; 0 where a component is not looked for
	OffsetErrors []float64    // standard errors of the offsets, m; 0 for a surveyed sensor

	Noise    float64 // m, as given, or as found; the standard errors stand on it
	Residual float64 // m, root of the mean square by degrees of freedom: an estimate of the noise of a length

	// Weak names the combinations of parameters of which the data say hardly more than the tape measure: a standard error
	// above two thirds of its. Their values stay near the nominal ones. Do not use them alone.
	Weak []string

	// Displacement (m) and Rotation (rad) are standard errors of the pose that the lengths of the actuators alone give with
	// this geometry, each of the whole vector, in the worst of the poses measured. The noise of a reading comes on top.
	Displacement, Rotation float64

	Doubts []string // sentences on what does not fit: noise and residual, coordinates that do not move, large errors
}

// unknown is a component of a base point, or with axis 3 the offset of an actuator.
type unknown struct {
	link, axis int
	scale      float64 // its standard deviation before the data, m
}

func (u unknown) String() string {
	if u.axis == 3 {
		return fmt.Sprintf("offset of actuator %d", u.link+1)
	}
	return fmt.Sprintf("base of actuator %d along %s", u.link+1, names[u.axis])
}

// survey is a calibration on its way.
type survey struct {
	Calibration
	unknowns []unknown
}

// geometry is a guess z of the unknowns, by their scales, with the poses that fit it best.
type geometry struct {
	z       []float64
	body    *Body
	offsets []float64
	poses   [][]float64
	sum     float64 // of squares of the residuals, m²
}

// Calibrate finds base points and offsets of the actuators by least squares. It minimises
//
//	Σ (measured − length(pose, base) − offset)²/noise² + Σ (base − nominal)²/tape² + Σ offset²/(2 tape)²
//
// over bases, offsets and the pose of each row. Poses are eliminated: with Q₂ the part of space that the Jacobian of a
// pose does not reach, only Q₂ᵀ of a row says something about the geometry (variable projection: Golub and Pereyra 1973,
// doi:10.1137/0710036, with the Jacobian of Kaufman 1975, doi:10.1007/BF01932995). So the cost grows with the number of
// rows, and the memory does not.
//
// The tape measure is in the sum because it is known: without it a direction that the poses do not show takes any value,
// and with a cut of small singular values its standard error would be 0. With it each standard error is at most the tape
// measure's, and a direction that data do show does not feel it (5 µm against 3 mm). The sum also damps the steps of
// Gauss and Newton; a step that makes the sum grow is halved.
//
// An offset counts from the length at rest of the corrected geometry. There it is nearly independent of the base point;
// counted from the nominal length it would carry the error of the base point along the link. At rest tape measure and
// zero length add, hence 2 tape.
//
// Surveyed base points fix the frame. The whole rig, its poses with it, may turn about one point, in space also about the
// line of two, and no length changes. So six coordinates want three sensors, whose base points are not on a line. With
// fewer coordinates one sensor is taken, and Weak and the standard errors say what it is worth: in a plane two are enough.
//
// Errors: shapes, numbers that are not finite, too few surveyed sensors or rows, rows that no pose explains to ten times
// the tape measure's standard deviation, and geometries that are not found.
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
	s := &survey{Calibration: c}
	s.look()
	if have, want := len(c.Lengths)*s.surplus(), 2*len(s.unknowns); have < want {
		return nil, fmt.Errorf("%d rows with %d surplus lengths for %d unknowns: want at least %d rows", len(c.Lengths),
			s.surplus(), len(s.unknowns), (want+s.surplus()-1)/s.surplus())
	}
	g, err := s.at(make([]float64, len(s.unknowns)), nil)
	if err != nil {
		return nil, err
	}
	for range 50 {
		e := s.evidence(g)
		step := e.step(g.z)
		if s.size(step) < 1e-10 {
			return s.report(g, e)
		}
		if g, err = s.move(g, step, e.noise); err != nil {
			return nil, err
		}
	}
	return nil, errors.New("the geometry is not found in 50 steps: want a nominal geometry nearer to the true one")
}

// surplus is how many lengths of a row are not needed for its pose.
func (c *Calibration) surplus() int { return len(c.Links) - len(c.Coords) }

func (c *Calibration) check() error {
	n, surveyed := len(c.Coords), len(c.Links)-c.Actuators
	for _, x := range []float64{c.Noise, c.TapeM} {
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

// look sets the unknowns: of a base point the components along which the coordinates move a pin.
func (s *survey) look() {
	var moves [3]bool
	for _, c := range s.Coords {
		for k := range moves {
			moves[k] = moves[k] || c == k || c >= RX && c != RX+k
		}
	}
	for i := range s.Actuators {
		for k, m := range moves {
			if m && s.Links[i].Parallel == (vector{}) {
				s.unknowns = append(s.unknowns, unknown{i, k, s.TapeM})
			}
		}
		s.unknowns = append(s.unknowns, unknown{i, 3, 2 * s.TapeM})
	}
}

// size is the largest component of a step, m.
func (s *survey) size(step []float64) (out float64) {
	for k, u := range s.unknowns {
		out = max(out, math.Abs(step[k])*u.scale)
	}
	return out
}

// at is the geometry of z, with its poses, sought from those of another geometry.
func (s *survey) at(z []float64, from [][]float64) (*geometry, error) {
	links := append([]Link(nil), s.Links...)
	g := &geometry{z: z, offsets: make([]float64, len(links)), poses: make([][]float64, len(s.Lengths))}
	for k, u := range s.unknowns {
		if u.axis == 3 {
			g.offsets[u.link] = z[k] * u.scale
		} else {
			links[u.link].Base[u.axis] += z[k] * u.scale
		}
	}
	var err error
	if g.body, err = New(links, s.Coords); err != nil {
		return nil, err
	}
	last := make([]float64, len(s.Coords))
	for k := range s.Lengths {
		if from != nil {
			last = from[k]
		}
		q, rows, ok := g.pose(s.Lengths[k], last, 10*s.TapeM)
		if !ok {
			q, rows, ok = g.pose(s.Lengths[k], make([]float64, len(s.Coords)), 10*s.TapeM)
		}
		if !ok {
			return nil, fmt.Errorf("row %d: no pose has its lengths to %g mm: want a nominal geometry nearer to the true one",
				k+1, 1e4*s.TapeM)
		}
		for _, r := range rows {
			g.sum += r * r
		}
		g.poses[k], last = q, q
	}
	return g, nil
}

// pose finds the pose of a row from another, and its residuals, which are at most off.
func (g *geometry) pose(row, from []float64, off float64) (q, residuals []float64, ok bool) {
	e, r, before := make([]float64, len(row)), make([]float64, len(row)), make([]float64, len(from))
	for i := range row {
		e[i] = row[i] - g.offsets[i]
	}
	q = append(q, from...)
	for range 20 {
		copy(before, q)
		if d := g.body.Pose(q, e); !(d <= off) {
			continue
		}
		change := 0.0
		for i := range q {
			change = max(change, math.Abs(q[i]-before[i]))
		}
		if change < 1e-12 {
			g.body.Elongations(r, q)
			for i := range r {
				r[i] = e[i] - r[i]
			}
			return q, r, true
		}
	}
	return nil, nil, false
}

// slopes has the slopes of the elongations of the actuators by the unknowns in a pose: by the base −u(q) + u(0), as the
// length at rest depends on it too, by the offset 1.
func (s *survey) slopes(g *geometry, q []float64) []float64 {
	out := make([]float64, len(s.unknowns))
	for sign, at := range [][]float64{make([]float64, len(q)), q} {
		g.body.place(at)
		for k, u := range s.unknowns {
			if u.axis == 3 {
				out[k] = u.scale
				continue
			}
			_, along, _ := g.body.along(u.link)
			out[k] += float64(1-2*sign) * along[u.axis] * u.scale
		}
	}
	return out
}

// evidence is what the data say about a step from a geometry: the singular values of its Jacobian by the noise. One of 1
// says as much as the tape measure.
type evidence struct {
	noise, residual float64
	singular        []float64
	along           []float64 // the data's pull along each singular vector, by the noise
	v               mat.Dense // singular vectors, unknown × direction
}

// evidence projects the poses out of the rows and gathers what is left by QR, a block of rows at a time.
func (s *survey) evidence(g *geometry) *evidence {
	const block = 512
	p, n, surplus := len(s.unknowns), len(s.Coords), s.surplus()
	stack := mat.NewDense(p+1+block, p+1, nil)
	used := p + 1
	var qr, row mat.QR
	var r, full mat.Dense
	gather := func() {
		qr.Factorize(stack)
		r.Reset()
		qr.RTo(&r)
		stack.Zero()
		stack.Slice(0, p+1, 0, p+1).(*mat.Dense).Copy(&r)
		used = p + 1
	}
	e := make([]float64, len(s.Links))
	for k, q := range g.poses {
		if used+surplus > p+1+block {
			gather()
		}
		row.Factorize(g.body.Jacobian(q))
		full.Reset()
		row.QTo(&full)
		slopes := s.slopes(g, q)
		g.body.Elongations(e, q)
		for j := n; j < len(s.Links); j++ {
			for i, u := range s.unknowns {
				stack.Set(used, i, full.At(u.link, j)*slopes[i])
			}
			for i, x := range s.Lengths[k] {
				stack.Set(used, p, stack.At(used, p)+full.At(i, j)*(x-g.offsets[i]-e[i]))
			}
			used++
		}
	}
	gather()
	return s.weigh(stack.Slice(0, p+1, 0, p+1))
}

// weigh is the evidence of the upper triangular matrix of unknowns and residuals, m.
func (s *survey) weigh(r mat.Matrix) *evidence {
	p := len(s.unknowns)
	var svd mat.SVD
	var u mat.Dense
	triangle := mat.DenseCopyOf(r)
	if !svd.Factorize(triangle.Slice(0, p, 0, p), mat.SVDFull) {
		panic("rigid body: the singular values of finite numbers are not found")
	}
	out := &evidence{singular: svd.Values(nil), along: make([]float64, p)}
	svd.UTo(&u)
	svd.VTo(&out.v)
	for k := range out.along {
		out.along[k] = mat.Dot(u.ColView(k), triangle.Slice(0, p, p, p+1).(*mat.Dense).ColView(0))
	}
	// What no step explains is in the last corner; of the rest the step leaves a share, which depends on the noise again.
	out.residual = math.Abs(triangle.At(p, p)) / math.Sqrt(float64(len(s.Lengths)*s.surplus()))
	for range 5 {
		out.noise = s.Noise
		if s.Noise == 0 {
			out.noise = max(out.residual, 1e-12) // below is rounding
		}
		left, free := triangle.At(p, p)*triangle.At(p, p), float64(len(s.Lengths)*s.surplus())
		for k, x := range out.singular {
			share := 1 / (1 + x*x/(out.noise*out.noise))
			left += share * share * out.along[k] * out.along[k]
			free -= 1 - share
		}
		out.residual = math.Sqrt(left / free)
	}
	for k := range out.singular {
		out.singular[k] /= out.noise
		out.along[k] /= out.noise
	}
	return out
}

// step goes from z to the least sum of the linear problem: (AᵀA + I) step = Aᵀy − z, A = U S Vᵀ.
func (e *evidence) step(z []float64) []float64 {
	out := mat.NewVecDense(len(z), nil)
	for k, s := range e.singular {
		v := e.v.ColView(k)
		out.AddScaledVec(out, (s*e.along[k]-mat.Dot(v, mat.NewVecDense(len(z), z)))/(1+s*s), v)
	}
	return out.RawVector().Data
}

// move takes a step, or the half of it, and so on, that does not make the sum grow.
func (s *survey) move(g *geometry, step []float64, noise float64) (to *geometry, err error) {
	cost := func(g *geometry) (out float64) {
		for _, z := range g.z {
			out += z * z
		}
		return out + g.sum/(noise*noise)
	}
	for size := 1.0; size > 1e-3; size /= 2 {
		z := append([]float64(nil), g.z...)
		for k := range z {
			z[k] += size * step[k]
		}
		if to, err = s.at(z, g.poses); err == nil && cost(to) <= cost(g)*(1+1e-9) {
			return to, nil
		}
	}
	if err == nil {
		err = errors.New("no step makes the residual smaller: want a nominal geometry nearer to the true one")
	}
	return nil, err
}

// report says what is found and how well.
func (s *survey) report(g *geometry, e *evidence) (*Calibrated, error) {
	out := &Calibrated{Links: g.body.links, Offsets: g.offsets, BaseErrors: make([][3]float64, len(s.Links)),
		OffsetErrors: make([]float64, len(s.Links)), Noise: e.noise, Residual: e.residual}
	p := len(s.unknowns)
	root := mat.NewDense(p, p, nil) // root·rootᵀ is the covariance of z
	weak := 0
	for k, x := range e.singular {
		share := 1 / math.Sqrt(1+x*x)
		if share > weakShare {
			weak++
		}
		for i := range p {
			root.Set(i, k, e.v.At(i, k)*share)
		}
	}
	for i, u := range s.unknowns {
		size := mat.Norm(root.RowView(i), 2) * u.scale
		if u.axis == 3 {
			out.OffsetErrors[u.link] = size
		} else {
			out.BaseErrors[u.link][u.axis] = size
		}
	}
	out.Weak = s.words(e, weak)
	out.Doubts = s.doubts(g, e)
	return out, s.spread(out, g, root)
}

// words names a basis of the last directions, the weak ones, in which each has an unknown that the others have not.
func (s *survey) words(e *evidence, weak int) (out []string) {
	p := len(s.unknowns)
	basis := make([][]float64, weak)
	for k := range basis {
		for i, u := range s.unknowns {
			basis[k] = append(basis[k], e.v.At(i, p-weak+k)*u.scale)
		}
	}
	for k := range basis {
		row, lead := k, 0
		for j := k; j < weak; j++ {
			for i := range p {
				if math.Abs(basis[j][i]) > math.Abs(basis[row][lead]) {
					row, lead = j, i
				}
			}
		}
		basis[k], basis[row] = basis[row], basis[k]
		by := basis[k][lead]
		for i := range p {
			basis[k][i] /= by
		}
		for j := range basis {
			if share := basis[j][lead]; j != k {
				for i := range p {
					basis[j][i] -= share * basis[k][i]
				}
			}
		}
	}
	for _, row := range basis {
		var parts []string
		for i, x := range row {
			switch {
			case math.Abs(x-1) < 0.005:
				parts = append(parts, s.unknowns[i].String())
			case math.Abs(x) > 0.1:
				parts = append(parts, fmt.Sprintf("%.2g × %s", x, s.unknowns[i]))
			}
		}
		out = append(out, strings.Join(parts, ", with "))
	}
	return out
}

// doubts says what does not fit.
func (s *survey) doubts(g *geometry, e *evidence) (out []string) {
	// The square of residual/noise has a mean of 1 and this standard deviation.
	spread := math.Sqrt(2 / float64(len(s.Lengths)*s.surplus()-len(s.unknowns)))
	ratio := e.residual / e.noise
	switch off := (ratio*ratio - 1) / spread; {
	case off > 5 && ratio > 1.2:
		out = append(out, fmt.Sprintf("the residual, %.3g m, is %.3g times the noise: a pin, a surveyed sensor or the noise is "+
			"not as said, and the standard errors do not hold", e.residual, ratio))
	case off < -5 && ratio < 0.8:
		out = append(out, fmt.Sprintf("the residual, %.3g m, is only %.3g of the noise: the standard errors are too large",
			e.residual, ratio))
	}
	for j, c := range s.Coords {
		low, high := math.Inf(1), math.Inf(-1)
		for _, q := range g.poses {
			low, high = min(low, q[j]), max(high, q[j])
		}
		if high-low < 1e-3 {
			out = append(out, fmt.Sprintf("the poses move %s by %.2g only", names[c], high-low))
		}
	}
	for k, u := range s.unknowns {
		if z := g.z[k]; math.Abs(z) > 4 {
			out = append(out, fmt.Sprintf("%s is wrong by %.3g m: more than a tape measure explains", u, z*u.scale))
		}
	}
	return out
}

// spread sets the standard errors of the pose that the actuators alone give, in the worst of the poses.
func (s *survey) spread(out *Calibrated, g *geometry, root *mat.Dense) error {
	p := len(s.unknowns)
	var change, pose mat.Dense
	for k, q := range g.poses {
		by := mat.NewDense(s.Actuators, p, nil) // the elongations' errors
		for i, x := range s.slopes(g, q) {
			by.Set(s.unknowns[i].link, i, x)
		}
		change.Mul(by, root)
		pose.Reset()
		if err := pose.Solve(g.body.Jacobian(q).Slice(0, s.Actuators, 0, len(s.Coords)), &change); err != nil {
			return fmt.Errorf("row %d: the actuators do not hold the body in its pose: %w", k+1, err)
		}
		moved, turned := 0.0, 0.0
		for j, c := range s.Coords {
			if size := mat.Norm(pose.RowView(j), 2); c < RX {
				moved += size * size
			} else {
				turned += size * size
			}
		}
		out.Displacement = max(out.Displacement, math.Sqrt(moved))
		out.Rotation = max(out.Rotation, math.Sqrt(turned))
	}
	return nil
}
