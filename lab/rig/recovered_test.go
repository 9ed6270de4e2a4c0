package rig

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rths"
	"rths/kit/rthstest"
	"rths/model/plant"
)

// script is a rig that stands where it is told.
type script struct {
	x    [][2]float64
	k    int
	sent []float64
}

func (s *script) Read(out *rths.Reading) error {
	out.X[0], out.X[1] = s.x[s.k][0], s.x[s.k][1]
	out.TrueX[0], out.TrueX[1] = s.x[s.k][0], s.x[s.k][1]
	s.k++
	return nil
}

func (s *script) Write(command []float64) error {
	s.sent = slices.Clone(command)
	return nil
}

func marthsCoupler(t *testing.T) rths.Coupler {
	t.Helper()
	c, err := (&plant.FrameCoupler{Arm: 0.2667, Offset: 0.127}).Make(1000)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func recovered(t *testing.T, r rths.Rig) *Recovered {
	t.Helper()
	out, err := NewRecovered(r, marthsCoupler(t), &plant.FrameSpecimen{}, 1024)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// A node on a parabola, x = a t² and θ = b t²: from the third reading on the
// differences are exact, q̈ = 2a and q̇ half a sample late, and forces are the
// specimen's; at the first reading q̇ and q̈ are 0.
func TestRecoveredForceOfAParabola(t *testing.T) {
	const h, a, b = 1.0 / 1024, 0.3, -0.8
	c, s := marthsCoupler(t), &script{}
	node, axes := rths.NewMotion(2), rths.NewMotion(2)
	offset := 0.001 // where it starts
	for k := range 40 {
		tk := float64(k) * h
		node.X[0], node.X[1] = offset+a*tk*tk, b*tk*tk
		c.Axes(&axes, &node)
		s.x = append(s.x, [2]float64{axes.X[0], axes.X[1]})
	}
	m, d, k3, err := (&plant.FrameSpecimen{}).Matrices()
	if err != nil {
		t.Fatal(err)
	}
	r, read := recovered(t, s), rths.NewReading(2, 3)
	for k := range 40 {
		if err := r.Read(&read); err != nil {
			t.Fatal(err)
		}
		tk := float64(k) * h
		q, v, acc := []float64{offset + a*tk*tk, b * tk * tk}, []float64{0, 0}, []float64{0, 0}
		if k > 0 {
			v = []float64{2 * a * (tk - h/2), 2 * b * (tk - h/2)}
		}
		switch {
		case k > 1:
			acc = []float64{2 * a, 2 * b}
		case k == 1: // the difference of the first velocity to 0
			acc = []float64{v[0] / h, v[1] / h}
		}
		for i := range 3 {
			row := func(of *mat.Dense, x []float64) float64 { return of.At(i, 0)*x[0] + of.At(i, 1)*x[1] }
			want := row(k3, q) + row(d, v) + row(m, acc)
			if math.Abs(read.F[i]-want) > 1e-5 || read.TrueF[i] != read.F[i] {
				t.Fatalf("reading %d, force %d: %.9g (true %.9g), want %.9g", k, i+1, read.F[i], read.TrueF[i], want)
			}
		}
	}
	if err := r.Write([]float64{1, 2}); err != nil || !slices.Equal(s.sent, []float64{1, 2}) {
		t.Errorf("command %v, %v", s.sent, err)
	}
	s.k = 0
	rthstest.NoAllocation(t, func() { s.k = 3; _ = r.Read(&read) })
}

// Sensor noise that both actuators share is translation: x moves, θ does not, and
// the inertia force of its second differences is 2.45 σ/h² m = 270 N rms
// (docs/reference/benchmark-multiaxial.md, Specimen).
func TestRecoveredForceOfSharedNoise(t *testing.T) {
	const sd, n = 0.012393546707863733e-3, 20000
	r := rand.New(rand.NewPCG(1, 1))
	s := &script{}
	for range n {
		v := sd * r.NormFloat64()
		s.x = append(s.x, [2]float64{v, v})
	}
	rig, read, square := recovered(t, s), rths.NewReading(2, 3), 0.0
	for k := range n {
		if err := rig.Read(&read); err != nil {
			t.Fatal(err)
		}
		inertia := 0.0
		if k > 1 {
			inertia = 8.453988995734699 * (s.x[k][0] - 2*s.x[k-1][0] + s.x[k-2][0]) * 1024 * 1024
		}
		square += inertia * inertia
	}
	if rms := math.Sqrt(square / n); math.Abs(rms-270) > 8 {
		t.Errorf("%.1f N rms of inertia, want 270", rms)
	}
}

// Where the node cannot follow, the reading fails and says so; state comes back.
func TestRecoveredOutOfReach(t *testing.T) {
	s := &script{x: [][2]float64{{0, 0}, {0.001, 0.0005}, {0.3, -0.3}}}
	r, read := recovered(t, s), rths.NewReading(2, 3)
	first := rths.AppendState(nil, r)
	for range 2 {
		if err := r.Read(&read); err != nil {
			t.Fatal(err)
		}
	}
	var far *plant.OutOfReach
	if err := r.Read(&read); !errors.As(err, &far) || math.Abs(far.Sine) <= 1 {
		t.Errorf("0.6 m between the actuators: %v", err)
	}
	if rest := rths.SetState(first, r); len(rest) > 0 || !slices.Equal(rths.AppendState(nil, r), first) {
		t.Errorf("state of %d numbers does not come back", len(first))
	}
	s.k = 1
	if err := r.Read(&read); err != nil || math.Abs(read.F[2]) > 1e-6 {
		t.Errorf("first reading again: force at joint 6 is %g, %v: want no velocity yet", read.F[2], err)
	}
}

func TestRecoveredErrors(t *testing.T) {
	if _, err := NewRecovered(&script{}, marthsCoupler(t), &plant.FrameSpecimen{}, 0); err == nil {
		t.Error("a rate of 0 is accepted")
	}
	if _, err := NewRecovered(&script{}, marthsCoupler(t), column{}, 1024); err == nil {
		t.Error("a specimen of one coordinate is accepted")
	}
}

// column is a specimen of one coordinate.
type column struct{}

func (column) Matrices() (m, c, k *mat.Dense, err error) {
	one := mat.NewDense(1, 1, []float64{1})
	return one, one, one, nil
}
