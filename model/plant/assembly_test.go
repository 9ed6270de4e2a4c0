package plant

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rths"
	"rths/kit/rthstest"
)

// bendy is a linear specimen that is not Linear: plants integrate it.
type bendy struct{ of linear }

func (s *bendy) Mass() float64                               { return s.of.m }
func (s *bendy) States() int                                 { return 0 }
func (s *bendy) Rate(dz, force, z []float64, m *rths.Motion) { s.of.Rate(dz, force, z, m) }
func (s *bendy) Steepest() (k, c, rate float64)              { return s.of.k, s.of.c, 0 }

// teams are transfer systems of two actuators of one sort.
func teams() map[string][]TransferMaker {
	silva, limited := silvaCode, silvaCode
	limited.ForceLimit = 40
	return map[string][]TransferMaker{
		"stiff": {&SecondOrder{Omega: 60, DampingRatio: 0.7, Gain: 1}, &FirstOrder{TauMs: 8, Gain: 1}},
		"stiff with delays": {&GivenTF{Num: []float64{8000}, Den: []float64{1, 100, 8000}, DelayMs: 3.3},
			&GivenZPK{Poles: [][]float64{{-90, 0}}, Gain: 90, DelayMs: 1.7}},
		"delays":           {&Delay{DelayMs: 4.3}, &Ideal{}},
		"feeling":          {&silva, &silva},
		"feeling, a limit": {&silva, &limited},
		"feeling, two kinds": {&silva, &ServoHydraulic{ProportionalGain: 118.11, ValveTauMs: 3.32, ValveGain: 3.77e-4,
			FlowPressure: 4.63e-14, PistonArea: 4.84e-4, FluidVolume: 7.97e-4, BulkModulus: 6.62e8}},
	}
}

func assemblyOf(t *testing.T, g [][]float64, specimens ...Specimen) *Assembly {
	t.Helper()
	m := mat.NewDense(len(g), len(g[0]), nil)
	for i, row := range g {
		m.SetRow(i, row)
	}
	return rthstest.Must(NewAssembly(specimens, m))
}

// moved is X, V, A and F of a plant under commands, tick by tick.
func moved(p Plant, commands [][]float64) (out [][]float64) {
	n := len(commands[0])
	for _, u := range commands {
		now := rths.Reading{Motion: rths.NewMotion(n), F: make([]float64, n)}
		p.Step(&now, u)
		row := append(append(append(append([]float64(nil), now.X...), now.V...), now.A...), now.F...)
		out = append(out, row)
	}
	return out
}

// wandering are commands of two actuators: sums of sines in mm.
func wandering(ticks int) (out [][]float64) {
	for k := range ticks {
		t := float64(k) / rate
		out = append(out, []float64{1e-3*math.Sin(20*t) + 3e-4*math.Sin(71*t), 2e-3*math.Sin(13*t+1) - 2e-3*math.Sin(1)})
	}
	return out
}

// nearRows compares columns, each relative to its largest value.
func nearRows(t *testing.T, what string, got, want [][]float64, tolerance float64) {
	t.Helper()
	for j := range want[0] {
		most, worst := 0.0, 0.0
		for k := range want {
			most = max(most, math.Abs(want[k][j]))
			worst = max(worst, math.Abs(got[k][j]-want[k][j]))
		}
		if !(worst <= tolerance*most) {
			t.Errorf("%s: column %d differs by %.3g of its largest value: want %.3g at most", what, j, worst/most, tolerance)
		}
	}
}

// Actuators with a specimen each, which do not touch, are as many single actuators.
func TestActuatorsThatDoNotTouch(t *testing.T) {
	yielding := rthstest.Must((&Bilinear{Stiffness: 4e4, PostStiffness: 4e3, YieldDisplacement: 4e-4, Damping: 2e3,
		Mass: 15}).Make())
	soft := &linear{m: 10, c: 1700, k: 4e4}
	maxwell := rthstest.Must((&Maxwell{Stiffness: 1e6, Damping: 2e3, Exponent: 1, Mass: 9}).Make())
	for name, team := range teams() {
		for kind, pair := range map[string][2]Specimen{"linear": {soft, &linear{m: 20, c: 2e3, k: 2e4}},
			"with states": {maxwell, soft}, "yielding": {soft, yielding}} {
			commands := wandering(600)
			both := rthstest.Must((&Actuators{team}).Make(At{RateHz: rate,
				Specimen: assemblyOf(t, [][]float64{{1, 0}, {0, 1}}, pair[0], pair[1])}))
			got, want := moved(both, commands), make([][]float64, len(commands))
			for i, one := range team {
				var own [][]float64
				for _, u := range commands {
					own = append(own, u[i:i+1])
				}
				for k, row := range moved(rthstest.Must(one.Make(At{RateHz: rate, Specimen: pair[i]})), own) {
					if want[k] == nil {
						want[k] = make([]float64, 8)
					}
					for j, v := range row { // X, V, A, F of one actuator
						want[k][2*j+i] = v
					}
				}
			}
			tolerance := 1e-9
			if name == "feeling, a limit" || kind == "yielding" {
				tolerance = 2e-4 // other sub-steps, and the instant at which a force reaches its limit
			}
			nearRows(t, name+", "+kind, got, want, tolerance)
		}
	}
}

// Two equal actuators on a symmetric assembly: the sum of both moves as one actuator on the
// outer specimens alone, the difference as one on the outer and twice the one between.
func TestActuatorsSymmetric(t *testing.T) {
	outer, between := linear{m: 12, c: 1500, k: 4e4}, linear{m: 3, c: 200, k: 2e4}
	g := [][]float64{{1, 0}, {0, 1}, {-1, 1}}
	for _, bent := range []bool{false, true} {
		specimens := []Specimen{&outer, &outer, &between}
		if bent {
			specimens = []Specimen{&bendy{outer}, &bendy{outer}, &bendy{between}}
		}
		silva := silvaCode
		for name, one := range map[string]TransferMaker{"feeling": &silva,
			"stiff": &SecondOrder{Omega: 60, DampingRatio: 0.7, Gain: 1}, "delay": &Delay{DelayMs: 2.2}} {
			commands := wandering(600)
			got := moved(rthstest.Must((&Actuators{[]TransferMaker{one, one}}).Make(At{RateHz: rate,
				Specimen: assemblyOf(t, g, specimens...)})), commands)
			for sign, with := range map[float64]linear{1: outer,
				-1: {m: outer.m + 2*between.m, c: outer.c + 2*between.c, k: outer.k + 2*between.k}} {
				var own, sums [][]float64
				for k, u := range commands {
					own = append(own, []float64{u[0] + sign*u[1]})
					row := got[k]
					sums = append(sums, []float64{row[0] + sign*row[1], row[2] + sign*row[3], row[4] + sign*row[5],
						row[6] + sign*row[7]})
				}
				want := moved(rthstest.Must(one.Make(At{RateHz: rate, Specimen: &with})), own)
				tolerance := 1e-8
				if bent {
					tolerance = 1e-4 // of sub-steps
				}
				nearRows(t, fmt.Sprintf("%s, bent %t, sign %g", name, bent, sign), sums, want, tolerance)
			}
		}
	}
}

// By virtual work the actuators do what the specimens take: F·dx = Σ s·de, of springs the
// change of their energy.
func TestAssemblyWork(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range rthstest.Draws(5, 50) {
		g := [][]float64{{r.NormFloat64(), r.NormFloat64()}, {r.NormFloat64(), r.NormFloat64()},
			{r.NormFloat64(), r.NormFloat64()}}
		k := []float64{1e4 * r.Float64(), 1e4 * r.Float64(), 1e4 * r.Float64()}
		load := assemblyOf(t, g, &linear{k: k[0]}, &linear{k: k[1]}, &linear{k: k[2]})
		p := rthstest.Must((&Actuators{[]TransferMaker{&Ideal{}, &Ideal{}}}).Make(At{RateHz: rate, Specimen: load}))
		work, held, before := 0.0, 0.0, make([]float64, 8)
		for _, row := range moved(p, wandering(300)) {
			for i := range 2 {
				work += (row[6+i] + before[6+i]) / 2 * (row[i] - before[i])
			}
			before = row
			held = 0
			for j, b := range g {
				e := b[0]*row[0] + b[1]*row[1]
				held += k[j] * e * e / 2
			}
		}
		rthstest.Near(t, "work", work, held, 1e-9*(held+1e-9))
	}
}

// The kit's promises hold for teams with yielding specimens between their actuators.
func TestActuatorsPromises(t *testing.T) {
	yielding := rthstest.Must((&BoucWen{Stiffness: 4e4, YieldForce: 20, Exponent: 2, Eta1: 0.5, Eta2: 0.5, Damping: 1700,
		Mass: 12}).Make())
	for name, team := range teams() {
		for kind, specimens := range map[string][]Specimen{"linear": {&linear{m: 12, c: 1700, k: 4e4},
			&linear{m: 12, c: 1700, k: 4e4}, &linear{c: 10, k: 5e3}},
			"yielding": {yielding, &linear{m: 12, c: 1700, k: 4e4}, yielding}} {
			made := &rthstest.Plant{Axes: 2, Forces: 2, RateHz: rate, Size: 1e-3, Ticks: rthstest.Draws(400, 2000),
				Make: func() rthstest.Stepper {
					return rthstest.Must((&Actuators{team}).Make(At{RateHz: rate,
						Specimen: assemblyOf(t, [][]float64{{1, 0}, {0, 1}, {-1, 1}}, specimens...)}))
				}}
			for _, b := range made.Broken() {
				t.Errorf("%s, %s: %s", name, kind, b)
			}
		}
	}
}

// The model of linear teams is the plant: its held response is what Make steps.
func TestActuatorsModel(t *testing.T) {
	load := assemblyOf(t, [][]float64{{1, 0}, {0, 1}, {-1, 1}}, &linear{m: 12, c: 1500, k: 4e4},
		&linear{m: 14, c: 1500, k: 4e4}, &linear{m: 2, c: 10, k: 2e4})
	for name, team := range teams() {
		if name == "delays" {
			continue // without finite forces
		}
		all := &Actuators{team}
		m, err := all.Model(load)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		p := rthstest.Must(all.Make(At{RateHz: rate, Specimen: load}))
		now := rths.Reading{Motion: rths.NewMotion(2), F: make([]float64, 2)}
		for range 8000 { // long enough to stand still
			p.Step(&now, []float64{1e-4, -2e-4})
		}
		still, err := m.SS.At(0)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for i, got := range append(append([]float64(nil), now.X...), now.F...) {
			want := 1e-4*real(still.At(i, 0)) - 2e-4*real(still.At(i, 1))
			rthstest.Near(t, fmt.Sprintf("%s, output %d", name, i), got, want, 1e-6*math.Abs(want))
		}
	}
}

func TestActuatorsErrors(t *testing.T) {
	load := assemblyOf(t, [][]float64{{1, 0}, {0, 1}}, &linear{m: 12, c: 1500, k: 4e4}, &linear{m: 12, c: 1500, k: 4e4})
	silva := silvaCode
	for _, c := range []struct {
		team []TransferMaker
		load Specimen
		want string
	}{
		{[]TransferMaker{&silva, &Ideal{}}, load, "actuator 1 feels its specimen, and actuator 2 follows its command"},
		{[]TransferMaker{&SecondOrder{Omega: 60, DampingRatio: 0.7, Gain: 1}, &silva}, load,
			"actuator 1 moves as commanded whatever its specimen, and actuator 2 feels its specimen: want transfer systems " +
				"of one sort"},
		{[]TransferMaker{&SecondOrder{Omega: 60, DampingRatio: 0.7, Gain: 1, Swing: 3}, &Ideal{}}, load,
			"actuator 1: second-order transfer system: a frequency that swings"},
		{[]TransferMaker{&Silva2020{Varies: []Variation{{Parameter: "beta2", Drift: 0.1}}}, &Ideal{}}, load,
			"actuator 1: silva2020 transfer system: parameters that vary are for a single actuator"},
		{[]TransferMaker{marthsPlant(), &Ideal{}}, load, "actuator 1: this transfer system has all its actuators inside"},
		{[]TransferMaker{&Ideal{}, &Ideal{}, &Ideal{}}, load, "transfer system of 3 axes: its specimens have 2"},
		{[]TransferMaker{&silva, &silva}, assemblyOf(t, [][]float64{{1, 0}, {0, 1}}, &linear{m: 12, k: 1}, &linear{k: 1}),
			"no mass at actuator 2"},
		{[]TransferMaker{&silva, &silva}, assemblyOf(t, [][]float64{{1, -1}}, &linear{m: 12, c: 1, k: 1}),
			"moves none of the specimens' masses"},
		{[]TransferMaker{&GivenTF{Num: []float64{1}, Den: []float64{1, 1}, DelayMs: -1}, &FirstOrder{TauMs: 1, Gain: 1}},
			load, "delay -1 ms: want 0 to a million samples"},
	} {
		_, err := (&Actuators{c.team}).Make(At{RateHz: rate, Specimen: c.load})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v: want one that says %q", err, c.want)
		}
	}
}

// A linear coupler is there and back where it was, its forces do the work of the actuators',
// and what is singular is named.
func TestLinearCoupler(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range rthstest.Draws(20, 200) {
		n := 1 + r.IntN(4)
		p := &LinearCoupler{}
		for range n {
			row := make([]float64, n)
			for j := range row {
				row[j] = r.NormFloat64()
			}
			p.Matrix = append(p.Matrix, row)
		}
		c, err := p.Make(rate)
		if err != nil {
			continue // hardly ever singular
		}
		q, x := rths.NewMotion(n), rths.NewMotion(n)
		read, felt := rths.NewReading(n, n), rths.NewReading(n, n)
		for i := range n {
			q.X[i], q.V[i], q.A[i] = r.NormFloat64(), r.NormFloat64(), r.NormFloat64()
			read.F[i], read.TrueF[i] = r.NormFloat64(), r.NormFloat64()
		}
		c.Axes(&x, &q)
		copy(read.X, x.X)
		copy(read.TrueX, x.V)
		c.Interface(&felt, &read)
		axes, iface := 0.0, 0.0
		for i := range n {
			rthstest.Near(t, "there and back", felt.X[i], q.X[i], 1e-9)
			rthstest.Near(t, "velocity there and back", felt.TrueX[i], q.V[i], 1e-9)
			axes += read.F[i] * x.V[i]
			iface += felt.F[i] * q.V[i]
		}
		rthstest.Near(t, "power", iface, axes, 1e-9)
	}
	for _, c := range []struct {
		matrix [][]float64
		want   string
	}{
		{nil, "matrix of 0 rows: want one for each actuator"},
		{[][]float64{{1, 0}}, "row 1 of matrix has 2 numbers: want 1"},
		{[][]float64{{1, math.Inf(1)}, {0, 1}}, "row 1 of matrix holds +Inf"},
		{[][]float64{{1, 2}, {2, 4}}, "moves no actuator"},
		{[][]float64{{0}}, "moves no actuator"},
	} {
		_, err := (&LinearCoupler{c.matrix}).Make(rate)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("matrix %v: error %v: want one that says %q", c.matrix, err, c.want)
		}
	}
}
