package plant

import (
	"math"
	"math/cmplx"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rths"
	"rths/kit/rthstest"
	"rths/maths/lti"
)

func marthsModel(t *testing.T, p *MaRTHS) lti.SS {
	t.Helper()
	return rthstest.Must(p.Model(nil)).SS
}

func gains(t *testing.T, ss lti.SS, w float64) [2][2]complex128 {
	t.Helper()
	g := rthstest.Must(ss.At(complex(0, w)))
	return [2][2]complex128{{g.At(0, 0), g.At(0, 1)}, {g.At(1, 0), g.At(1, 1)}}
}

// The four entries from poles, zeros and gains, and the static gains
// (docs/reference/benchmark-multiaxial.md, Control plant).
func TestMaRTHSPlantIsItsTransferFunctions(t *testing.T) {
	p := marthsPlant()
	ss := marthsModel(t, p)
	if n, _, _ := ss.Dims(); n != 8 {
		t.Errorf("%d states: want 8", n)
	}
	for _, w := range []float64{0, 1, 14, 100, 400, 3000} {
		g, s := gains(t, ss, w), complex(0, w)
		z := func(hz float64) complex128 { return s + complex(2*math.Pi*hz, 0) }
		frame := z(50)*z(50) + complex(math.Pow(2*math.Pi*63, 2), 0)
		want := [2][2]complex128{
			{2165.2 * z(120) * z(90) / (z(2.65) * z(40) * frame), 4.5394e6 * z(3) / (z(3.5) * z(18.5) * frame)},
			{349.95 * z(120) * z(90) / (z(2.65) * z(40) * frame), 1.9238e7 * z(5) / (z(3.5) * z(18.5) * frame)},
		}
		for i := range 2 {
			for j := range 2 {
				if d := cmplx.Abs(g[i][j] - want[i][j]); d > 1e-11*cmplx.Abs(want[i][j]) {
					t.Errorf("H%d%d at %g rad/s: %g, want %g", i+1, j+1, w, g[i][j], want[i][j])
				}
			}
		}
	}
	dc := gains(t, ss, 0)
	for i, row := range marthsGains {
		for j, want := range row {
			if got := real(dc[i][j]); math.Abs(got-want) > 1e-12 {
				t.Errorf("static gain %d%d: %.15g, want %.15g", i+1, j+1, got, want)
			}
		}
	}
	// Phase delay at 2 Hz: 54.8 and 22.1 ms.
	g := gains(t, ss, 4*math.Pi)
	for i, want := range []float64{54.8, 22.1} {
		if got := -cmplx.Phase(g[i][i]) / (4 * math.Pi) * 1e3; math.Abs(got-want) > 0.05 {
			t.Errorf("phase delay of H%d%d at 2 Hz: %.2f ms, want %.1f", i+1, i+1, got, want)
		}
	}
}

// At the transmission zeros (docs/reference/benchmark-multiaxial.md, Control plant) the system
// matrix is singular.
func TestMaRTHSTransmissionZeros(t *testing.T) {
	ss := marthsModel(t, marthsPlant())
	for _, z := range marthsZeros {
		g := rthstest.Must(ss.At(complex(z, 0)))
		near := rthstest.Must(ss.At(complex(z*1.01, 0)))
		det := func(m *mat.CDense) float64 { return cmplx.Abs(m.At(0, 0)*m.At(1, 1) - m.At(0, 1)*m.At(1, 0)) }
		if !(det(g) < 1e-8*det(near)) {
			t.Errorf("det H(%g) = %g, %g one percent beside it: want a zero", z, det(g), det(near))
		}
	}
}

// Static gains, transmission zeros (rad/s) and entries of the held plant, by
// kit/independent/matrices.py.
var (
	marthsGains = [][]float64{{0.8638115780346505, 0.13106996367534782}, {0.13961336677130334, 0.9257919406332485}}
	marthsZeros = []float64{-31.91417177407057, -565.486677646162, -753.9822368615487}
	marthsHeld  = []struct {
		i, j int
		v    float64
	}{{0, 0, 0.9999661126718538}, {3, 0, -0.02398800355079504}, {7, 7, 0.37059875749317717}, {4, 7, 0.003456123566712227}}
	marthsHeldB = 0.02398800355079504
)

func TestMaRTHSOfAnotherProgram(t *testing.T) {
	got := rthstest.Independent(t, "matrices.py")
	rthstest.NearAll(t, "static gain", got["gain"], slices.Concat(marthsGains...), 1e-12)
	rthstest.NearAll(t, "transmission zero", got["zero"], marthsZeros, 1e-9)
	var held []float64
	for _, e := range marthsHeld {
		held = append(held, e.v)
	}
	rthstest.NearAll(t, "held plant", got["held"], append(held, marthsHeldB), 1e-13)
}

// Held over 1/1024 s: first and last rows.
func TestMaRTHSHeld(t *testing.T) {
	d := rthstest.Must(lti.C2D(marthsModel(t, marthsPlant()), 1.0/1024, lti.ZOH))
	for _, e := range marthsHeld {
		if got := d.A.At(e.i, e.j); math.Abs(got-e.v) > 1e-12 {
			t.Errorf("F(%d,%d) = %.15g, want %.15g", e.i+1, e.j+1, got, e.v)
		}
	}
	if got := d.B.At(3, 0); math.Abs(got-marthsHeldB) > 1e-13 {
		t.Errorf("G(4,1) = %.15g", got)
	}
	plant := rthstest.Must(marthsPlant().Make(At{RateHz: 1024}))
	now, z := rths.NewReading(2, 0), mat.NewVecDense(8, nil)
	r := rand.New(rand.NewPCG(1, 2))
	for k := range 500 {
		u := []float64{r.NormFloat64(), r.NormFloat64()}
		plant.Step(&now, u)
		var next, gamma, y mat.VecDense
		next.MulVec(d.A, z)
		gamma.MulVec(d.B, mat.NewVecDense(2, u))
		z.AddVec(&next, &gamma)
		y.MulVec(d.C, z)
		for i := range 2 {
			if math.Abs(now.X[i]-y.AtVec(i)) > 1e-12 {
				t.Fatalf("step %d, actuator %d: %g, want %g", k, i+1, now.X[i], y.AtVec(i))
			}
		}
	}
}

// Where there is room, velocity and acceleration are derivatives of the displacement: while a
// command is held, a clock of 16384 Hz sees them as differences.
func TestMaRTHSRates(t *testing.T) {
	const hz = 16384
	plant, now := rthstest.Must(marthsPlant().Make(At{RateHz: hz})), rths.NewReading(2, 0)
	now.Motion = rths.NewMotion(2)
	var x, v, a [][]float64
	for range 400 {
		plant.Step(&now, []float64{1e-3, -2e-3})
		x, v, a = append(x, slices.Clone(now.X)), append(v, slices.Clone(now.V)), append(a, slices.Clone(now.A))
	}
	for i := range 2 {
		top, most := peak(column(v, i)), peak(column(a, i))
		for k := 1; k < len(x)-1; k++ {
			rthstest.Near(t, "velocity", v[k][i], (x[k+1][i]-x[k-1][i])*hz/2, 1e-3*top)
			rthstest.Near(t, "acceleration", a[k][i], (v[k+1][i]-v[k-1][i])*hz/2, 1e-3*most)
		}
	}
}

// Random plants keep static gains, scatter as much as they should and stay what
// they were for those who design on the nominal one.
func TestMaRTHSPerturbed(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	want := gains(t, marthsModel(t, marthsPlant()), 0)
	const trials = 400
	var square [9]float64
	for range trials {
		p := marthsPlant()
		p.Perturb(r.NormFloat64)
		got := gains(t, marthsModel(t, p), 0)
		for i := range 2 {
			for j := range 2 {
				if math.Abs(real(got[i][j]-want[i][j])) > 1e-12 {
					t.Fatalf("static gain %d%d: %g, nominal %g", i+1, j+1, got[i][j], want[i][j])
				}
			}
		}
		if n := gains(t, rthstest.Must(p.Nominal()).SS, 40); n != gains(t, marthsModel(t, marthsPlant()), 40) {
			t.Fatal("the nominal plant is not the nominal plant")
		}
		q := p.scattered()
		for i, v := range []float64{q.Zeros1[0] / 120, q.Zeros1[1] / 90, q.Poles1[0] / 2.65, q.Poles1[1] / 40,
			q.Frame[0] / 50, q.Zero12 / 3, q.Poles2[0] / 3.5, q.Poles2[1] / 18.5, q.Zero22 / 5} {
			square[i] += (v - 1) * (v - 1)
		}
		if math.Abs(q.Frame[0]/50-q.Frame[1]/63) > 1e-12 {
			t.Fatal("one draw scales both parts of the frame's pole")
		}
	}
	for i, sd := range marthsScatter {
		if got := math.Sqrt(square[i] / trials); math.Abs(got/sd-1) > 0.15 { // 4 standard errors
			t.Errorf("pole or zero %d scatters by %g, want %g", i+1, got, sd)
		}
	}
}

func TestMaRTHSPlantErrors(t *testing.T) {
	for what, change := range map[string]func(p *MaRTHS){
		"too few poles":   func(p *MaRTHS) { p.Poles1 = nil },
		"an unstable one": func(p *MaRTHS) { p.Poles2[0] = -1 },
		"a lost number":   func(p *MaRTHS) { p.Gain11 = math.NaN() },
		"too few draws":   func(p *MaRTHS) { p.Draws = []float64{1} },
		"a wild draw":     func(p *MaRTHS) { p.Draws = []float64{0, 0, -20, 0, 0, 0, 0, 0, 0} },
	} {
		p := marthsPlant()
		change(p)
		if _, err := p.Make(At{RateHz: 1024}); err == nil {
			t.Errorf("%s is accepted", what)
		}
	}
}

// docs/reference/benchmark-multiaxial.md, Specimen.
func TestFrameSpecimen(t *testing.T) {
	m, c, k, err := (&FrameSpecimen{}).Matrices()
	if err != nil {
		t.Fatal(err)
	}
	for name, e := range map[string]struct {
		got  *mat.Dense
		want []float64
	}{
		"K": {k, []float64{2324116.6704983534, 861232.4883936557, 861232.4883936559, 1085953.9533662775, 0, 0}},
		"C": {c, []float64{352.0746274392162, 33.78606382163195, 53.55614377387922, 95.010687571835, -30.032279140817767,
			-10.388469500345204}},
		"M": {m, []float64{8.453988995734699, 0, 0, 0.8904444862487942, -0.8445007817954326, -0.17441195492214678}},
	} {
		for i, want := range e.want {
			if got := e.got.At(i/2, i%2); math.Abs(got-want) > 1e-9*math.Abs(want)+1e-9*mat.Max(e.got) {
				t.Errorf("%s L (%d,%d) = %.12g, want %.12g", name, i/2+1, i%2+1, got, want)
			}
		}
	}
}

// The damping stored is 5 % on all five modes of K₅ and M₅, frequencies rounded.
func TestFrameDampingIsModal(t *testing.T) {
	k5 := frameStiffness()
	a := mat.NewSymDense(5, nil)
	for i := range 5 {
		for j := range 5 {
			a.SetSym(i, j, k5.At(i, j)/math.Sqrt(frameMass[i]*frameMass[j]))
		}
	}
	var e mat.EigenSym
	e.Factorize(a, true)
	var v mat.Dense
	e.VectorsTo(&v)
	for i := range 5 {
		for j := range 5 {
			want := 0.0
			for mode, w2 := range e.Values(nil) {
				w := math.Round(math.Sqrt(w2)*100) / 100
				want += 2 * 0.05 * w * v.At(i, mode) * v.At(j, mode)
			}
			want *= math.Sqrt(frameMass[i] * frameMass[j])
			if got := frameDamping[5*i+j]; math.Abs(got-want) > 1e-3 {
				t.Errorf("C5(%d,%d) = %g, modal %g", i+1, j+1, got, want)
			}
		}
	}
	for mode, want := range []float64{357.18, 927.13, 1102.67, 1629.83, 2061.44} {
		if got := math.Sqrt(e.Values(nil)[mode]); math.Abs(got-want) > 0.006 {
			t.Errorf("mode %d: %g rad/s, want %g", mode+1, got, want)
		}
	}
}

func mustCoupler(t *testing.T, p *FrameCoupler) rths.Coupler {
	t.Helper()
	return rthstest.Must(p.Make(rate))
}

func marthsCoupler() *FrameCoupler { return &FrameCoupler{Arm: 0.2667, Offset: 0.127} }

// There and back is the identity for any rotation that the geometry allows. The formulae
// of docs/reference/benchmark-multiaxial.md, Kinematics, agree with ours, and the linear form for
// small rotations.
func TestFrameCoupler(t *testing.T) {
	c, linear := mustCoupler(t, marthsCoupler()), mustCoupler(t, &FrameCoupler{Arm: 0.2667, Offset: 0.127, Linear: true})
	d, alpha := 0.29539446508017037, 25.4633*math.Pi/180
	if got := math.Hypot(0.2667, 0.127); math.Abs(got-d) > 1e-12 {
		t.Errorf("d = %g, want %g", got, d)
	}
	r := rand.New(rand.NewPCG(5, 6))
	node, axes, felt, read := rths.NewMotion(2), rths.NewMotion(2), rths.NewReading(2, 3), rths.NewReading(2, 3)
	for range 1000 {
		x, theta := 0.05*r.NormFloat64(), math.Pi/2*(2*r.Float64()-1)*0.999
		node.X[0], node.X[1] = x, theta
		c.Axes(&axes, &node)
		for i, a := range []float64{-alpha, alpha} {
			if want := x + d*(math.Cos(theta+a)-math.Cos(a)); math.Abs(axes.X[i]-want) > 1e-6 { // α is given to six digits
				t.Fatalf("actuator %d at (%g, %g): %g, want %g", i+1, x, theta, axes.X[i], want)
			}
		}
		copy(read.X, axes.X)
		copy(read.TrueX, axes.X)
		c.Interface(&felt, &read)
		if math.Abs(felt.X[0]-x) > 1e-12 || math.Abs(felt.X[1]-theta) > 1e-9 || felt.TrueX[0] != felt.X[0] {
			t.Fatalf("(%g, %g) there and back is %g", x, theta, felt.X)
		}
		small := 0.01 * theta
		node.X[1] = small
		c.Axes(&axes, &node)
		straight := rths.NewMotion(2)
		linear.Axes(&straight, &node)
		for i := range 2 { // next term d cos α θ²/2
			if math.Abs(straight.X[i]-axes.X[i]) > 0.2667*small*small/2*1.1+1e-12 {
				t.Fatalf("linear form at %g rad: %g, exact %g", small, straight.X[i], axes.X[i])
			}
		}
	}
	// Velocity and acceleration by differences of a motion x = t³, θ = sin 2t.
	at := func(s float64) rths.Motion {
		n, a := rths.NewMotion(2), rths.NewMotion(2)
		n.X[0], n.V[0], n.A[0] = s*s*s, 3*s*s, 6*s
		n.X[1], n.V[1], n.A[1] = math.Sin(2*s), 2*math.Cos(2*s), -4*math.Sin(2*s)
		c.Axes(&a, &n)
		return a
	}
	const h = 1e-4
	before, now, after := at(0.3-h), at(0.3), at(0.3+h)
	for i := range 2 {
		if v := (after.X[i] - before.X[i]) / (2 * h); math.Abs(v-now.V[i]) > 1e-6 {
			t.Errorf("velocity of actuator %d: %g, by differences %g", i+1, now.V[i], v)
		}
		if a := (after.V[i] - before.V[i]) / (2 * h); math.Abs(a-now.A[i]) > 1e-6 {
			t.Errorf("acceleration of actuator %d: %g, by differences %g", i+1, now.A[i], a)
		}
	}
}

func TestFrameCouplerErrors(t *testing.T) {
	for _, p := range []*FrameCoupler{{Arm: 0.2, Offset: 0}, {Arm: math.Inf(1), Offset: 1}, {Arm: math.NaN(), Offset: 1},
		{Offset: 0, Linear: true}} {
		if _, err := p.Make(rate); err == nil {
			t.Errorf("%+v is accepted", *p)
		}
	}
	c := mustCoupler(t, marthsCoupler())
	reach := c.(interface{ Reach([]float64) error })
	if err := reach.Reach([]float64{0.127, -0.126}); err != nil {
		t.Errorf("0.253 m apart: %v", err)
	}
	if err := reach.Reach([]float64{0.128, -0.128}); err == nil {
		t.Error("0.256 m apart is within reach")
	}
	read, felt := rths.NewReading(2, 0), rths.NewReading(2, 0)
	read.X[0] = 3
	c.Interface(&felt, &read)
	if !math.IsNaN(felt.X[1]) {
		t.Errorf("a rotation of %g rad", felt.X[1])
	}
}
