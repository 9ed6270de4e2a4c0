package structure

import (
	"errors"
	"fmt"
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

	Dt          float64     `yaml:"dt_s" doc:"step of the analysis, s; it takes dt_s in real time, a whole number of samples; in a slow pace each motion takes dt_s times pace.time_scale, as many as the integrator of the analysis makes in a step"`
	Extrapolate int         `yaml:"extrapolate_samples,omitempty" doc:"pace real-time or continuous, when the next target has not come: samples for which the path goes on, before it slows down within half of those from target to target, and holds; at most three quarters of them; left out: half"`
	Stiffness   [][]float64 `yaml:"stiffness,omitempty" doc:"initial stiffness of the specimen by rows, N/m, which implicit integrators ask for; left out for one degree of freedom: the specimen's at rest"`
	Damping     [][]float64 `yaml:"damping,omitempty" doc:"damping matrix that the analysis gets, N·s/m: it adds the matrix times its velocity to the measured force, which has the damping of the specimen already; left out: zeros"`

	Mass [][]float64 `yaml:"mass,omitempty" doc:"mass matrix that the analysis gets, kg: as damping; left out: zeros"`
}

// MostExternal is the largest element.
const MostExternal = 64

// units are the systems of units: length in m, force in N.
var units = map[string][2]float64{
	"N-m": {1, 1}, "kN-m": {1, 1e3}, "N-mm": {1e-3, 1}, "kN-mm": {1e-3, 1e3},
	"kip-in": {0.0254, 4448.2216152605}, "lb-in": {0.0254, 4.4482216152605},
}

// unitNames are they, in the order of the documentation.
var unitNames = []string{"N-m", "kN-m", "N-mm", "kN-mm", "kip-in", "lb-in"}

func newExternal() *External {
	return &External{Listen: "127.0.0.1:8090", Protocol: "tcp", DOF: 1, Units: "N-m"}
}

var errExternal = errors.New(
	"the matrices of an external structure are in another program: want a structure of another kind here")

// Make refuses: nobody here has the matrices.
func (p *External) Make() (*Structure, error) { return nil, errExternal }

// Late is extrapolate_samples where targets are so many samples apart; holds: the path stops at every target.
func (p *External) Late(samples int, holds bool) (int, error) {
	switch {
	case p.Extrapolate < 0:
		return 0, fmt.Errorf("extrapolate_samples %d: want 1 or more", p.Extrapolate)
	case holds && p.Extrapolate != 0:
		return 0, fmt.Errorf("extrapolate_samples %d, and the path holds at its target: want pace continuous, or leave "+
			"extrapolate_samples out", p.Extrapolate)
	case holds || p.Extrapolate != 0:
		return p.Extrapolate, nil
	}
	return samples / 2, nil
}

// Check refuses impossible values.
func (p *External) Check() error {
	switch {
	case p.Protocol != "tcp" && p.Protocol != "udp":
		return fmt.Errorf("protocol %.40q: want tcp or udp", p.Protocol)
	case p.DOF < 1 || p.DOF > MostExternal:
		return fmt.Errorf("dof %d: want 1 to %d", p.DOF, MostExternal)
	case units[p.Units][0] == 0:
		return fmt.Errorf("units %.40q: want one of %s", p.Units, strings.Join(unitNames, ", "))
	case !(p.Dt > 0) || p.Dt > 1e3:
		return fmt.Errorf("dt_s %g s: want the step of the analysis, more than 0", p.Dt)
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

// Unit is the unit of length in m and the unit of force in N.
func (p *External) Unit() (length, force float64) { u := units[p.Units]; return u[0], u[1] }
