package plant

import (
	"errors"
	"fmt"
	"math"
	"rths"

	"gonum.org/v1/gonum/mat"

	"rths/model/rigidbody"
)

// Platform is the mass of a rigid body itself, as of a loading block or the table of a hexapod. Load cells between
// actuators and body feel it, and the specimen does not. Forces count from the body at rest, where the load cells read 0.
type Platform struct {
	Mass    float64   `yaml:"mass_kg" doc:"mass of the body with what is fixed to it, except the specimen, kg"`
	Centre  []float64 `yaml:"centre_m" doc:"centre of mass with the body at rest, m"`
	Inertia []float64 `yaml:"inertia_kg_m2,omitempty" doc:"moments of inertia about the axes x, y, z through the centre (in a plane: about z); default: 0"`
	Gravity []float64 `yaml:"gravity_m_s2,omitempty" doc:"acceleration of gravity; default: [0, 0, -9.81], in a plane none"`
}

// OwnMass is the platform from the node in the axes of the structure; nil: none.
func (p *RigidBody) OwnMass() (*rigidbody.Platform, error) {
	of := p.Platform
	if of == nil {
		return nil, nil
	}
	out := rigidbody.Platform{Mass: of.Mass}
	if len(of.Centre) == 0 {
		return nil, errors.New("rigid-body coupler: platform: centre_m is missing: want the centre of mass, m")
	}
	var err error
	if out.Centre, err = p.vector("platform.centre_m", of.Centre); err == nil && !p.Plane() {
		out.Gravity = [3]float64{0, 0, -9.81}
	}
	if err == nil && len(of.Gravity) > 0 {
		out.Gravity, err = p.vector("platform.gravity_m_s2", of.Gravity)
	}
	if err != nil {
		return nil, fmt.Errorf("rigid-body coupler: %w", err)
	}
	switch n := len(of.Inertia); {
	case n == 1 && p.Plane():
		out.Inertia[2][2] = of.Inertia[0]
	case n == 3:
		for i, v := range of.Inertia {
			out.Inertia[i][i] = v
		}
	case n != 0:
		return nil, fmt.Errorf("rigid-body coupler: platform.inertia_kg_m2 has %d numbers: want those about x, y, z (or about "+
			"z alone where all coordinates are x, y, rz)", n)
	}
	if err := out.Check(); err != nil {
		return nil, fmt.Errorf("rigid-body coupler: platform: %w", err)
	}
	node, turned, err := p.axes()
	out = out.From(node, turned)
	return &out, err
}

// Weighs is the largest force of an actuator, N, that carries the platform at rest; 0: there is none.
func (p *RigidBody) Weighs() (most float64, err error) {
	body, err := p.Body()
	if err != nil {
		return 0, err
	}
	platform, err := p.OwnMass()
	if c := newCarried(body, platform); c != nil && err == nil {
		for _, f := range c.rest {
			most = max(most, math.Abs(f))
		}
	}
	return most, err
}

// carried is a body with a platform, and the forces along its actuators that carry the platform at rest.
type carried struct {
	body       *rigidbody.Body
	platform   *rigidbody.Platform
	weightless rigidbody.Platform
	rest       []float64 // N
	own        []float64 // at the coordinates
	zero       []float64
}

// newCarried is nil without a platform.
func newCarried(held rigidbody.Held, platform *rigidbody.Platform) *carried {
	body, single := held.(*rigidbody.Body)
	if platform == nil || !single {
		return nil
	}
	n := body.Coordinates()
	c := &carried{body: body, platform: platform, weightless: *platform, rest: make([]float64, n), own: make([]float64, n),
		zero: make([]float64, n)}
	c.weightless.Gravity = [3]float64{}
	body.Hold(c.own, platform, c.zero, c.zero, c.zero)
	body.Along(c.rest, c.own, c.zero)
	return c
}

// add adds, by times, the forces at the coordinates of load cells that read 0 at rest, from what moves the platform and
// holds its weight: M q̈ + h + w − Jᵀ F₀.
func (c *carried) add(out []float64, by float64, q, rate, bend []float64) {
	c.body.Hold(c.own, &c.weightless, q, rate, bend)
	for i, f := range c.own {
		out[i] += by * f
	}
	c.body.Lean(c.own, c.rest, c.platform, q)
	for i, f := range c.own {
		out[i] -= by * f
	}
}

// small are linear specimens that move as the platform does in small motion from rest, with their rows B: masses for its
// inertia, and springs for the weight that it has on turning arms.
func (c *carried) small() (specimens []Specimen, rows *mat.Dense) {
	n := len(c.zero)
	mass := make([]float64, n*n)
	c.body.MassOf(mass, c.platform, c.zero)
	weight := mat.NewSymDense(n, nil) // ∂/∂q of w − Jᵀ F₀, by differences
	const by = 1e-5
	for j := range n {
		ahead, back := make([]float64, n), make([]float64, n)
		q := make([]float64, n)
		q[j] = by
		c.add(ahead, 1, q, c.zero, c.zero)
		q[j] = -by
		c.add(back, 1, q, c.zero, c.zero)
		for i := range j + 1 {
			weight.SetSym(i, j, (ahead[i]-back[i])/(2*by))
		}
	}
	rows = mat.NewDense(2*n, n, nil)
	for k, sym := range []*mat.SymDense{mat.NewSymDense(n, mass), weight} {
		var eigen mat.EigenSym
		if !eigen.Factorize(sym, true) {
			panic("the eigenvalues of a symmetric matrix are not found")
		}
		var v mat.Dense
		eigen.VectorsTo(&v)
		for j, value := range eigen.Values(nil) {
			one := &linear{m: value}
			if k == 1 {
				one = &linear{k: value}
			}
			specimens = append(specimens, one)
			rows.SetRow(k*n+j, mat.Col(nil, j, &v))
		}
	}
	return specimens, rows
}

// poseMotion is the motion of the measured pose: velocities by differences, accelerations of accelerometers on the
// actuators.
type poseMotion struct {
	rateHz             float64
	before, rate, bend []float64 // of the coordinates
	begun              bool
	gone               float64 // samples since before, less one: those of old readings
}

func newPoseMotion(n int, rateHz float64) poseMotion {
	return poseMotion{rateHz: rateHz, before: make([]float64, n), rate: make([]float64, n), bend: make([]float64, n)}
}

// to takes the pose q of a tick with the accelerations a of the actuators, measured age samples ago. An old reading
// leaves the motion as it was. Without accelerometers the body is at rest in q, and the first pose is one at rest.
func (m *poseMotion) to(body *rigidbody.Body, q, a []float64, age int) {
	if age > 0 {
		m.gone++
		return
	}
	if len(a) == len(q) {
		for i := range q {
			if m.rate[i] = (q[i] - m.before[i]) * m.rateHz / (1 + m.gone); !m.begun {
				m.rate[i] = 0
			}
		}
		if !body.Acceleration(m.bend, q, m.rate, a) {
			m.bend[0] = math.NaN() // in a singular pose: the limit non_finite acts
		}
	}
	m.begun, m.gone = true, 0
	copy(m.before, q)
}

func (m *poseMotion) visit(v *rths.StateVisitor) {
	v.Floats(m.before, m.rate, m.bend)
	v.Float(&m.gone)
	v.Bool(&m.begun)
}
