package structure

import (
	"fmt"

	"gonum.org/v1/gonum/mat"
)

// Silva2020 is the reference structure of the single-actuator RTHS benchmark
// (Silva et al. 2020, MSSP 135, 106381): three lateral degrees of freedom,
// lumped floor masses, one stiffness matrix for all cases, modal damping.
// Matrices are from the benchmark package (docs/reference/benchmark-siso.md, Structure). Paper
// 002 prints K(3,2) as -1.4220e7; -1.4420e7 is right (errata 002.1).
// Cases 5 and 6 are V and VI of paper 001, Table 7.2, meant for random specimens, with
// the same K and a computed C.
type Silva2020 struct {
	Case int `yaml:"case" doc:"partition case, 1 to 4; 5 and 6: cases V and VI of Gálmez 2021"`
}

// silvaStiffness is K in N/m, the same in all cases.
var silvaStiffness = []float64{
	26054883.879603837, -23133938.877108198, 5937035.463339146,
	-23133938.877108198, 32560774.186380334, -14419970.777236981,
	5937035.463339146, -14419970.777236985, 9267275.506224312,
}

// silvaCase is the floor mass (kg), the ratio of all modes and the stored
// damping matrix (N·s/m), nil where the package has none. A C rebuilt from K differs from
// the stored one by up to 0.23 N·s/m, so C is kept as stored.
type silvaCase struct {
	mass, ratio float64
	damping     []float64
}

var silvaCases = []silvaCase{
	{1000, 0.05, []float64{
		14084.275745299876, -7873.031460913151, 440.4514988426247,
		-7873.031460913151, 14943.622937895665, -6348.672096305331,
		440.45149884262497, -6348.672096305332, 7223.101316804461,
	}},
	{1100, 0.04, []float64{
		11817.42262041908, -6606.215423308698, 369.6755622296918,
		-6606.215423308699, 12538.57756973086, -5327.047373791856,
		369.6755622296924, -5327.047373791856, 6060.319809850064,
	}},
	{1300, 0.03, []float64{
		9635.014363361863, -5386.025774196529, 301.43864014406876,
		-5386.025774196528, 10223.006811768844, -4343.084702116766,
		301.4386401440686, -4343.084702116764, 4941.298824869293,
	}},
	{1000, 0.03, []float64{
		8450.565447179924, -4723.818876547891, 264.27089930557526,
		-4723.818876547892, 8966.173762737399, -3809.203257783199,
		264.27089930557594, -3809.203257783199, 4333.8607900826755,
	}},
	{1400, 0.05, nil},
	{900, 0.04, nil},
}

// Make returns the structure of the case.
func (p *Silva2020) Make() (*Structure, error) {
	if p.Case < 1 || p.Case > len(silvaCases) {
		return nil, fmt.Errorf("silva2020: case %d: want 1 to %d", p.Case, len(silvaCases))
	}
	c := silvaCases[p.Case-1]
	m := mat.NewDense(3, 3, []float64{c.mass, 0, 0, 0, c.mass, 0, 0, 0, c.mass})
	k := mat.NewDense(3, 3, append([]float64(nil), silvaStiffness...))
	if c.damping != nil {
		return newStructure(m, mat.NewDense(3, 3, append([]float64(nil), c.damping...)), k, Ones(3))
	}
	damping, err := modal(m, k, []float64{c.ratio})
	if err != nil {
		return nil, err
	}
	return newStructure(m, damping, k, Ones(3))
}
