package structure

import (
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"

	"rths/kit/rthstest"
	"rths/maths/lti"
)

var soil = Material{Modulus: 4e9, Poisson: 0.2, Density: 2000, Thickness: 1.5}

func mustMesh(t rthstest.TB, width, height float64, nx, ny int) *Mesh {
	t.Helper()
	m, err := Rectangle(width, height, nx, ny)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return m
}

func mustAssemble(t rthstest.TB, m *Mesh, material Material) *Structure {
	t.Helper()
	s, err := m.Assemble(material)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return s
}

// product of the sparse stiffness with a displacement.
func (s *Sparse) forces(x []float64) []float64 {
	f := make([]float64, len(x))
	s.K.MulVec(f, x)
	return f
}

// distorted is a 4 × 3 mesh of a rectangle whose inner nodes are moved about.
func distorted(t *rapid.T) *Mesh {
	m := mustMesh(t, 8, 6, 4, 3)
	for i, at := range m.Nodes {
		if at[0] > 0 && at[0] < 8 && at[1] > 0 && at[1] < 6 {
			m.Nodes[i][0] += rapid.Float64Range(-0.45, 0.45).Draw(t, "dx")
			m.Nodes[i][1] += rapid.Float64Range(-0.45, 0.45).Draw(t, "dy")
		}
	}
	return m
}

// Patch test: a linear displacement field leaves no force at any inner node of a
// distorted mesh, and those at the edge are the work-equivalent forces of its
// constant stress: Σ f·u is twice the strain energy σ·ε A t.
func TestPatch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := distorted(t)
		s := mustAssemble(t, m, soil)
		a := rapid.SliceOfN(rapid.Float64Range(-1e-3, 1e-3), 6, 6).Draw(t, "field")
		u := make([]float64, s.N)
		for i, at := range m.Nodes {
			u[2*i] = a[0] + a[1]*at[0] + a[2]*at[1]
			u[2*i+1] = a[3] + a[4]*at[0] + a[5]*at[1]
		}
		f := s.Sparse.forces(u)
		scale := soil.Modulus * soil.Thickness * 1e-3
		twice := 0.0
		for i, at := range m.Nodes {
			twice += f[2*i]*u[2*i] + f[2*i+1]*u[2*i+1]
			if at[0] > 0 && at[0] < 8 && at[1] > 0 && at[1] < 6 {
				rthstest.Near(t, fmt.Sprintf("force at inner node %d", i+1), math.Hypot(f[2*i], f[2*i+1]), 0, 1e-12*scale)
			}
		}
		d11, d12, d33 := soil.elastic()
		ex, ey, g := a[1], a[5], a[2]+a[4]
		want := (ex*(d11*ex+d12*ey) + ey*(d12*ex+d11*ey) + g*d33*g) * 8 * 6 * soil.Thickness
		rthstest.Near(t, "twice the strain energy", twice, want, 1e-12*scale)
	})
}

// A free mesh has three modes without stiffness, two translations and a
// rotation, and no more; its mass is ρ t times its area in both directions,
// however it is divided.
func TestRigidBodyModesAndMass(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := distorted(t)
		s := mustAssemble(t, m, soil)
		mass := [2]float64{}
		for i, v := range s.Sparse.M {
			if !(v > 0) {
				t.Fatalf("mass %d is %g kg: want more than 0", i+1, v)
			}
			mass[i%2] += v
		}
		rthstest.Near(t, "mass in x", mass[0], 2000*1.5*48, 1e-9)
		rthstest.Near(t, "mass in y", mass[1], 2000*1.5*48, 1e-9)
		turn := make([]float64, s.N)
		for i, at := range m.Nodes {
			turn[2*i], turn[2*i+1] = -at[1], at[0]
		}
		for i, f := range s.Sparse.forces(turn) {
			rthstest.Near(t, fmt.Sprintf("force %d of a turn", i+1), f, 0, 1e-12*soil.Modulus*8)
		}
		modes := mustModes(t, s.Dense())
		for i, mode := range modes[:4] {
			if rigid := mode.Omega < 1e-6*modes[s.N-1].Omega; rigid != (i < 3) {
				t.Fatalf("mode %d has %g rad/s, the highest %g: want three rigid-body modes", i+1, mode.Omega, modes[s.N-1].Omega)
			}
		}
	})
}

// A column that shears only (no vertical motion) of n elements, masses lumped,
// is a chain of springs G b t/h and masses ρ b t h with half a mass at the top:
// ω = (2/h) √(G/ρ) sin((2j−1) π/4n), which tends to (2j−1) π/2H √(G/ρ) with the
// square of h.
func TestShearColumn(t *testing.T) {
	const height = 40.0
	speed := math.Sqrt(soil.Modulus / 2 / (1 + soil.Poisson) / soil.Density)
	var errors []float64
	for _, n := range []int{4, 8, 16} {
		m := mustMesh(t, 10, height, 2, n)
		for i, at := range m.Nodes {
			m.Fixed[i] = [2]bool{at[1] == 0, true}
		}
		modes := mustModes(t, mustAssemble(t, m, soil).Dense())
		// Modes across the width are in between: every closed value must be there.
		h := height / float64(n)
		for j := 1; j <= n; j++ {
			want := 2 / h * speed * math.Sin(float64(2*j-1)*math.Pi/float64(4*n))
			best := math.Inf(1)
			for _, mode := range modes {
				best = min(best, math.Abs(mode.Omega-want)/want)
			}
			rthstest.Near(t, fmt.Sprintf("distance of mode %d of %d elements", j, n), best, 0, 1e-12)
		}
		errors = append(errors, 1-modes[0].Omega/(math.Pi/2/height*speed))
	}
	for i := range 2 {
		rthstest.Near(t, "order", math.Log2(errors[i]/errors[i+1]), 2, 0.05)
	}
}

// A cantilever under a load at its end, 10 m × 1 m: finer meshes bend more, the
// error falls with the square of the element's size, and the limit is beam
// theory in plane strain, P L³/3E'I (1 + shear), within 1 %.
func TestCantilever(t *testing.T) {
	const length, height, load = 10.0, 1.0, 1e5
	var tip []float64
	for _, n := range []int{2, 4, 8, 16} {
		m := mustMesh(t, length, height, 10*n, n)
		m.Fix(func(x, _ float64) bool { return x == 0 })
		s := mustAssemble(t, m, soil)
		dof, _ := m.DOF()
		f := make([]float64, s.N)
		for i, at := range m.Nodes {
			if at[0] == length {
				share := 1.0 / float64(n)
				if at[1] == 0 || at[1] == height {
					share /= 2
				}
				f[dof[i][1]] = load * share
			}
		}
		solve(t, s, f)
		tip = append(tip, f[dof[m.Nearest(length, height/2)][1]])
	}
	e, g, area, second := soil.Modulus/(1-soil.Poisson*soil.Poisson), soil.Modulus/2/(1+soil.Poisson),
		height*soil.Thickness, soil.Thickness*math.Pow(height, 3)/12
	beam := load*math.Pow(length, 3)/(3*e*second) + load*length/(g*area*5/6)
	limit := tip[3] + (tip[3]-tip[2])/3 // Richardson, order 2
	rthstest.Near(t, "limit over beam theory", limit/beam, 1, 0.01)
	for i := range 2 {
		rthstest.Near(t, "order", math.Log2((tip[i+1]-tip[i])/(tip[i+2]-tip[i+1])), 2, 0.2)
	}
}

// solve replaces the forces f by the displacements.
func solve(t rthstest.TB, s *Structure, f []float64) {
	t.Helper()
	k, err := lti.NewBanded(s.Sparse.K)
	if err != nil {
		t.Fatalf("%v", err)
	}
	k.Solve(f)
}

// The foundation of paper 003: 117 nodes, 234 degrees of freedom before the
// constraints, 88 free nodes, numbered along the depth, whichever side is short.
func TestFEFoundation(t *testing.T) {
	p := newFEFoundation()
	s := mustMake(t, p)
	m := mustMesh(t, p.Width, p.Depth, p.NX, p.NY)
	if len(m.Nodes) != 117 || len(m.Quads) != 96 || s.N != 176 || s.Sparse.K.HalfBandwidth() != 19 {
		t.Errorf("%d nodes, %d elements, %d degrees of freedom, half bandwidth %d: want 117, 96, 176, 19", len(m.Nodes),
			len(m.Quads), s.N, s.Sparse.K.HalfBandwidth())
	}
	if s.Interface != 2*(5*8+7) || s.Gamma.At(s.Interface, 0) != 1 || s.Gamma.At(s.Interface+1, 0) != 0 {
		t.Errorf("interface at degree of freedom %d: want 95, horizontal", s.Interface+1)
	}
	// As deep as wide and twice as many elements down: numbered along the width.
	p.Width, p.NX, p.NY = 30, 4, 16
	if k := mustMake(t, p).Sparse.K.HalfBandwidth(); k != 9 {
		t.Errorf("half bandwidth %d of 4 × 16 elements: want 9, of 3 free nodes a row", k)
	}
	p.NX, p.NY = 32, 20
	if s := mustMake(t, p); s.N != 1240 || s.Sparse.K.HalfBandwidth() != 43 {
		t.Errorf("%d degrees of freedom, half bandwidth %d: want 1240 and 43", s.N, s.Sparse.K.HalfBandwidth())
	}
}

// 5 % in the two modes named, whichever way they are.
func TestFEFoundationDamping(t *testing.T) {
	p := newFEFoundation()
	p.Rayleigh.Modes = []int{2, 5}
	modes := mustModes(t, mustMake(t, p).Dense())
	rthstest.Near(t, "ratio of mode 2", modes[1].Ratio, 0.05, 1e-10)
	rthstest.Near(t, "ratio of mode 5", modes[4].Ratio, 0.05, 1e-10)
	p.Rayleigh = Rayleigh{Ratio: 0.05, FreqHz: []float64{modes[1].FreqHz, modes[4].FreqHz}}
	for i, mode := range mustModes(t, mustMake(t, p).Dense()) {
		rthstest.Near(t, fmt.Sprintf("ratio of mode %d", i+1), mode.Ratio, modes[i].Ratio, 1e-9)
	}
}

func TestMeshErrors(t *testing.T) {
	nan := math.NaN()
	square := [][2]float64{{0, 0}, {1, 0}, {1, 1}, {0, 1}}
	for _, c := range []struct {
		nodes [][2]float64
		quads [][4]int
		want  string
	}{
		{square, [][4]int{{0, 3, 2, 1}},
			"mesh: element 1 (nodes 1, 4, 3, 2): inverted or degenerate at its corner 1 (0, 0), Jacobian -0.25 m²: want four " +
				"corners counterclockwise, each less than 180°"},
		// not convex
		{[][2]float64{{0, 0}, {1, 0}, {0.2, 0.2}, {0, 1}}, [][4]int{{0, 1, 2, 3}}, "at its corner 3 (0.2, 0.2)"},
		{[][2]float64{{0, 0}, {1, 0}, {1, 0}, {0, 1}}, [][4]int{{0, 1, 2, 3}}, "inverted or degenerate at its corner"},
		{[][2]float64{{0, 0}, {nan, 0}, {1, 1}, {0, 1}}, [][4]int{{0, 1, 2, 3}}, "inverted or degenerate"},
		{square, [][4]int{{0, 1, 2, 4}}, "mesh: element 1: node 5: want 1 to 4"},
		{square, [][4]int{{0, 1, 2, -1}}, "mesh: element 1: node 0: want 1 to 4"},
		{append(square[:4:4], [2]float64{2, 2}), [][4]int{{0, 1, 2, 3}},
			"mesh: node 5 has no mass in direction 1: want every free node at an element"},
	} {
		m := &Mesh{Nodes: c.nodes, Quads: c.quads, Fixed: make([][2]bool, len(c.nodes))}
		_, err := m.Assemble(soil)
		rthstest.WantError(t, err, c.want)
	}
	_, err := (&Mesh{Nodes: square}).Assemble(soil)
	rthstest.WantError(t, err, "mesh: 4 nodes and 0 marks of fixed nodes: want one mark for each node")
	for _, c := range []struct {
		change func(*FEFoundation)
		want   string
	}{
		{func(p *FEFoundation) { p.Width = -60 }, "fe-foundation: mesh: width -60 m: want more than 0"},
		{func(p *FEFoundation) { p.Depth = nan }, "height NaN m: want more than 0"},
		{func(p *FEFoundation) { p.NX = 0 }, "mesh: 0 × 8 elements: want 1 or more each way"},
		{func(p *FEFoundation) { p.NX, p.NY = 1<<62, 4 }, "at most 200000 nodes"},
		{func(p *FEFoundation) { p.NX, p.NY = 2000, 2000 }, "at most 200000 nodes"},
		{func(p *FEFoundation) { p.NX, p.NY = 400, 400 }, "in a band of 804, 2.57e+08 numbers: want at most 134217728"},
		{func(p *FEFoundation) { p.NX = 13 }, "13 elements along the width: want an even number"},
		{func(p *FEFoundation) { p.Modulus = 0 }, "elastic modulus 0 Pa: want more than 0"},
		{func(p *FEFoundation) { p.Density = -1 }, "density -1 kg/m³: want more than 0"},
		{func(p *FEFoundation) { p.Thickness = math.Inf(1) }, "thickness +Inf m: want more than 0"},
		{func(p *FEFoundation) { p.Poisson = 0.5 }, "poisson ratio 0.5: want 0 to below 0.5"},
		{func(p *FEFoundation) { p.Rayleigh.Ratio = 1 }, "damping ratio 1: want 0 to below 1"},
		{func(p *FEFoundation) { p.Rayleigh.Modes = []int{1, 177} }, "rayleigh damping: modes [1 177]: want two of 1 to 176"},
		{func(p *FEFoundation) { p.Rayleigh = Rayleigh{Modes: []int{1, 2}, FreqHz: []float64{1, 2}} },
			"freq_hz [1 2]: want two positive frequencies, and no modes beside them"},
	} {
		p := newFEFoundation()
		c.change(p)
		_, err := p.Make()
		rthstest.WantError(t, err, c.want)
	}
	all := mustMesh(t, 1, 1, 1, 1)
	all.Fix(func(float64, float64) bool { return true })
	_, err = all.Assemble(soil)
	rthstest.WantError(t, err, "mesh: no free degree of freedom")
}

// A mesh given node by node is the foundation of the same mesh.
func TestFEMeshIsTheFoundation(t *testing.T) {
	foundation := newFEFoundation()
	want := mustMake(t, foundation)
	p := &FEMesh{Density: 2000, Modulus: 4e9, Poisson: 0.2, Thickness: 1, Rayleigh: foundation.Rayleigh}
	m := mustMesh(t, 60, 40, 12, 8)
	for i, at := range m.Nodes {
		p.Nodes = append(p.Nodes, []float64{at[0], at[1]})
		if at[0] == 0 || at[0] == 60 || at[1] == 0 {
			p.Fixed = append(p.Fixed, i+1)
		}
	}
	for _, q := range m.Quads {
		p.Elements = append(p.Elements, []int{q[0] + 1, q[1] + 1, q[2] + 1, q[3] + 1})
	}
	got := mustMake(t, p)
	nearMatrix(t, "M", got.Dense().M, want.Dense().M, 0)
	nearMatrix(t, "C", got.Dense().C, want.Dense().C, 0)
	nearMatrix(t, "K", got.Dense().K, want.Dense().K, 0)
	nearMatrix(t, "influence", got.Gamma, want.Gamma, 0)
	for _, c := range []struct {
		change func(*FEMesh)
		want   string
	}{
		{func(p *FEMesh) { p.Elements[2] = []int{3, 4, 13, 12} },
			"fe-mesh: mesh: element 3 (nodes 3, 4, 13, 12): inverted or degenerate at its corner 1"},
		{func(p *FEMesh) { p.Elements[0] = []int{1, 2, 3} }, "fe-mesh: element 1 has nodes [1 2 3]: want four"},
		{func(p *FEMesh) { p.Elements[0] = []int{1, 2, 3, 0} }, "fe-mesh: mesh: element 1: node 0: want 1 to 117"},
		{func(p *FEMesh) { p.Elements = nil }, "117 nodes and 0 elements: want 1 element or more"},
		{func(p *FEMesh) { p.Nodes[4] = []float64{1} }, "node 5 is at [1]: want [x, y], m"},
		{func(p *FEMesh) { p.Nodes[4] = []float64{1, math.Inf(1)} }, "node 5 is at [1 +Inf]"},
		{func(p *FEMesh) { p.Fixed = []int{118} }, "fixed node 118: want 1 to 117"},
		{func(p *FEMesh) { p.Fixed = nil }, "fe-mesh: modes: stiffness: band matrix: row"},
		{func(p *FEMesh) { p.Poisson = -0.1 }, "poisson ratio -0.1"},
	} {
		fresh := *p
		fresh.Nodes, fresh.Elements = append([][]float64(nil), p.Nodes...), append([][]int(nil), p.Elements...)
		c.change(&fresh)
		_, err := fresh.Make()
		rthstest.WantError(t, err, c.want)
	}
}
