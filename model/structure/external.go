package structure

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"rths"
)

// External is a structure that another program integrates, as OpenSees does through its element genericClient: the
// program gives target displacements and gets the forces measured at them. It has no matrices here.
type External struct {
	Listen   string `yaml:"listen" doc:"where the analysis finds this program: IPv4 address and port, as in 127.0.0.1:8090; with port 0 the system chooses one, which is printed"`
	Protocol string `yaml:"protocol" doc:"tcp; or udp, which repeats nothing: a datagram that is lost stops the analysis"`

	Allow []string `yaml:"allow,omitempty" doc:"IPv4 addresses of other computers that may be the client; this computer always may"`
	DOF   int      `yaml:"dof" doc:"degrees of freedom of the element, 1 to 64, each with an actuator"`

	Units string `yaml:"units" doc:"units of the analysis: N-m, kN-m, N-mm, kN-mm, kip-in or lb-in; times are in seconds"`

	Dt          float64     `yaml:"dt_s" doc:"step of the analysis, s"`
	RealTime    bool        `yaml:"real_time" doc:"true: a step takes dt_s, a whole number of samples, and has one motion; false: a slower test, whose motions take samples_per_target samples each, as many as the integrator of the analysis makes in a step"`
	Samples     int         `yaml:"samples_per_target,omitempty" doc:"samples of the loop from target to target; left out in real time: dt_s times rate_hz"`
	Path        string      `yaml:"path,omitempty" doc:"cubic: it goes through every target with a continuous velocity, for one motion in a step; ramp: it stops at every target and never goes beyond one, for iterations; left out: cubic in real time, or else ramp"`
	Extrapolate int         `yaml:"extrapolate_samples,omitempty" doc:"path cubic, when the next target has not come: samples for which the path goes on, before it slows down within half of samples_per_target, and holds; at most three quarters of them; left out: half"`
	Stiffness   [][]float64 `yaml:"stiffness,omitempty" doc:"initial stiffness of the specimen by rows, N/m, which implicit integrators ask for; left out for one degree of freedom: the specimen's at rest"`
	Damping     [][]float64 `yaml:"damping,omitempty" doc:"damping matrix that the analysis gets, N·s/m: it adds the matrix times its velocity to the measured force, which has the damping of the specimen already; left out: zeros"`

	Mass [][]float64 `yaml:"mass,omitempty" doc:"mass matrix that the analysis gets, kg: as damping; left out: zeros"`
}

// MostExternal is the largest element.
const MostExternal = 64

// Paths from target to target.
const (
	pathCubic = "cubic"
	pathRamp  = "ramp"
)

// units are the systems of units: length in m, force in N.
var units = map[string][2]float64{
	"N-m": {1, 1}, "kN-m": {1, 1e3}, "N-mm": {1e-3, 1}, "kN-mm": {1e-3, 1e3},
	"kip-in": {0.0254, 4448.2216152605}, "lb-in": {0.0254, 4.4482216152605},
}

// unitNames are they, in the order of the documentation.
var unitNames = []string{"N-m", "kN-m", "N-mm", "kN-mm", "kip-in", "lb-in"}

func newExternal() *External {
	return &External{Listen: "127.0.0.1:8090", Protocol: "tcp", DOF: 1, Units: "N-m", RealTime: true}
}

var errExternal = errors.New(
	"the matrices of an external structure are in another program: want a structure of another kind here")

// Make refuses: nobody here has the matrices.
func (p *External) Make() (*Structure, error) { return nil, errExternal }

// Fill checks the block and fills in what it leaves open, for a loop at rateHz.
func (p *External) Fill(rateHz float64) error {
	if err := p.check(); err != nil {
		return err
	}
	if err := p.pace(rateHz); err != nil {
		return err
	}
	if p.Path == "" {
		if p.Path = pathRamp; p.RealTime && p.Samples > 1 {
			p.Path = pathCubic
		}
	}
	switch {
	case p.Path == pathRamp && p.Extrapolate != 0:
		return fmt.Errorf(
			"extrapolate_samples %d with path ramp, which holds at its target: want path cubic, or leave "+
				"extrapolate_samples out", p.Extrapolate)
	case p.Path == pathCubic && p.Samples < 2:
		return fmt.Errorf("path cubic with %d samples from target to target: want 2 or more, or path ramp", p.Samples)
	case p.Path == pathCubic && p.Extrapolate == 0:
		p.Extrapolate = p.Samples / 2
	}
	if p.Extrapolate < 0 {
		return fmt.Errorf("extrapolate_samples %d: want 1 or more", p.Extrapolate)
	}
	return nil
}

func (p *External) check() error {
	switch {
	case p.Protocol != "tcp" && p.Protocol != "udp":
		return fmt.Errorf("protocol %.40q: want tcp or udp", p.Protocol)
	case p.DOF < 1 || p.DOF > MostExternal:
		return fmt.Errorf("dof %d: want 1 to %d", p.DOF, MostExternal)
	case units[p.Units][0] == 0:
		return fmt.Errorf("units %.40q: want one of %s", p.Units, strings.Join(unitNames, ", "))
	case !(p.Dt > 0) || p.Dt > 1e3:
		return fmt.Errorf("dt_s %g s: want the step of the analysis, more than 0", p.Dt)
	case p.Path != "" && p.Path != pathCubic && p.Path != pathRamp:
		return fmt.Errorf("path %.40q: want cubic or ramp", p.Path)
	}
	for _, m := range []struct {
		name string
		rows [][]float64
	}{{"stiffness", p.Stiffness}, {"damping", p.Damping}, {"mass", p.Mass}} {
		if err := p.square(m.name, m.rows); err != nil {
			return err
		}
	}
	return nil
}

// square wants a matrix of the element, or none. It may be unsymmetric, as those of some devices are.
func (p *External) square(name string, rows [][]float64) error {
	if rows == nil {
		return nil
	}
	if len(rows) != p.DOF || slices.ContainsFunc(rows, func(r []float64) bool { return len(r) != p.DOF }) {
		return fmt.Errorf("%s of %d rows: want %d × %d numbers, as [[1e6]] for one degree of freedom", name, len(rows), p.DOF,
			p.DOF)
	}
	for _, r := range rows {
		if slices.ContainsFunc(r, func(v float64) bool { return !rths.Finite(v) }) {
			return fmt.Errorf("%s with a number that is not finite: want finite numbers", name)
		}
	}
	return nil
}

// pace sets the samples from target to target. In real time they are a whole number.
func (p *External) pace(rateHz float64) error {
	exact := p.Dt * rateHz
	whole := math.Round(exact)
	switch {
	case p.Samples < 0 || p.Samples > 1e6:
		return fmt.Errorf("samples_per_target %d: want 1 to a million", p.Samples)
	case !p.RealTime && p.Samples == 0:
		return errors.New(
			"samples_per_target is missing: with real_time: false want the samples of the loop from target to target")
	case !p.RealTime:
		return nil
	case whole < 1 || math.Abs(exact-whole) > 1e-9*exact:
		return fmt.Errorf(
			"dt_s %g s is %.6g samples at %g Hz: real time wants a whole number, as dt_s: %.10g has; or real_time: false with "+
				"samples_per_target", p.Dt, exact, rateHz, max(1, whole)/rateHz)
	case p.Samples != 0 && float64(p.Samples) != whole:
		return fmt.Errorf(
			"samples_per_target %d, and a step of %g s is %g samples at %g Hz: want that, or leave the key out, or "+
				"real_time: false", p.Samples, p.Dt, whole, rateHz)
	}
	p.Samples = int(whole)
	return nil
}

// TimeScale is how much longer a motion takes in the test than a step in the analysis: 1 in real time.
func (p *External) TimeScale(rateHz float64) float64 { return float64(p.Samples) / (p.Dt * rateHz) }

// Ramp reports whether the path stops at every target.
func (p *External) Ramp() bool { return p.Path == pathRamp }

// Unit is the unit of length in m and the unit of force in N.
func (p *External) Unit() (length, force float64) { u := units[p.Units]; return u[0], u[1] }
