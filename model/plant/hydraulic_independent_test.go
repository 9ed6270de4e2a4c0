package plant

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rths"
	"rths/kit/rthstest"
	"rths/maths/lti"
)

// hydraulicCase is an actuator of the independent programs, and the seconds of its run.
type hydraulicCase struct {
	name    string
	p       Hydraulic
	seconds float64
	stroke  float64               // amplitude of the command, of the stroke
	shows   func(*hydraulic) bool // at some tick; nil: nothing of its own
}

// hydraulicCases are three sizes with hard and soft seals, and what an actuator has besides.
func hydraulicCases() (out []hydraulicCase) {
	for _, p := range []Hydraulic{hydraulic25, hydraulic250, hydraulic2500} {
		for _, um := range []float64{2, 20} {
			p.Presliding = um
			out = append(out, hydraulicCase{fmt.Sprintf("%gkN-%gum", p.Force/1e3, um), p, 20, 0.2, nil})
		}
	}
	add := func(name string, stroke float64, shows func(*hydraulic) bool, change func(*Hydraulic)) {
		p := hydraulic250
		change(&p)
		out = append(out, hydraulicCase{name, p, 2, stroke, shows})
	}
	frame := func(p *Hydraulic) {
		p.FrameStiffness, p.FrameMass, p.FrameDamping = 1e9, 2000, 0.02
		p.ClevisStiffness, p.ClevisDamping, p.ClevisPlay = 3e8, 3e4, 0.05
	}
	empty := func(p *hydraulic) bool { return p.ps+p.y[supply] < 0.9*p.pre }
	output := func(p *hydraulic) float64 {
		return p.control(p.y, p.y[place], p.y[speed], p.y[chamberA])
	}
	add("overlap", 0.2, nil, func(p *Hydraulic) { p.Overlap = 0.03 })
	add("underlap", 0.2, nil, func(p *Hydraulic) { p.Overlap = -0.02 })
	add("asymmetric", 0.2, nil, func(p *Hydraulic) { p.RodArea = 0.7 * p.PistonArea })
	add("frame", 0.2, func(p *hydraulic) bool { return p.u != 0 && math.Abs(p.y[piston]-p.y[place]) < 0.9*p.halfPlay },
		frame)
	add("supply", 0.2, empty, func(p *Hydraulic) { p.PumpFlow, p.Accumulator = 40, 2 })
	add("sampled", 0.8, func(p *hydraulic) bool { return p.out == 1 }, func(p *Hydraulic) {
		p.ControllerRate, p.IntegralGain, p.DerivativeGain, p.Feedforward = 8192, 100, 0.1, 1
	})
	add("saturated", 0.8, func(p *hydraulic) bool { return output(p) == 1 && math.Abs(p.y[spoolSpeed]) >= p.slew },
		func(p *Hydraulic) { p.IntegralGain, p.Feedforward, p.DerivativeGain = 100, 1, 0.1 })
	add("first-order", 0.8, func(p *hydraulic) bool { return p.omega*(output(p)-p.y[spool]) > p.slew },
		func(p *Hydraulic) { p.ValveOrder, p.ValveSlew, p.PressureCorner = 1, 50, 0 })
	add("all", 0.5, empty, func(p *Hydraulic) {
		frame(p)
		p.RodArea, p.Overlap, p.PumpFlow, p.Accumulator, p.IntegralGain = 0.7*p.PistonArea, 0.01, 100, 5, 50
	})
	return out
}

// args are what the programs read.
func (c *hydraulicCase) args() []string {
	mass, k := c.specimen()
	out := []string{"name=" + c.name, fmt.Sprint("seconds=", c.seconds), fmt.Sprint("mass=", mass),
		fmt.Sprint("stiffness=", k), fmt.Sprint("amplitude=", c.stroke*c.p.Stroke)}
	for i, v := 0, reflect.ValueOf(c.p); i < v.NumField(); i++ {
		key, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("yaml"), ",")
		if key != "" && !v.Field(i).IsZero() {
			out = append(out, fmt.Sprint(key, "=", v.Field(i)))
		}
	}
	return out
}

// specimen is five times the moving mass on a spring of half the stroke at full force.
func (c *hydraulicCase) specimen() (mass, k float64) {
	return 5 * c.p.MovingMass, 2 * c.p.Force / c.p.Stroke
}

func (c *hydraulicCase) make(t testing.TB) *hydraulic {
	mass, k := c.specimen()
	s := &linear{m: mass, c: 2 * 0.02 * math.Sqrt(k*mass), k: k}
	return rthstest.Must(c.p.Make(At{RateHz: rate, Specimen: s})).(*hydraulic)
}

func (c *hydraulicCase) commands() []float64 {
	u := make([]float64, int(c.seconds*rate))
	for k := range u {
		at := 2 * math.Pi * float64(k) / rate
		u[k] = c.stroke * c.p.Stroke * (math.Sin(2*at) + 0.1*math.Sin(11*at))
	}
	return u
}

// The plant is the equations in its comment, integrated by another program. With four times the steps the program's
// displacements change by 1.5e-8 of their peak where an integral stops and starts, else by 3e-12.
func TestProgramOfTheHydraulicActuator(t *testing.T) {
	cases := hydraulicCases()
	var args []string
	for _, c := range cases {
		args = append(args, c.args()...)
	}
	want := rthstest.Independent(t, "hydraulic.c", args...)
	for _, c := range cases {
		p, shown := c.make(t), c.shows == nil
		x, f := want[c.name+"/x"], want[c.name+"/f"]
		now, u := rths.NewReading(1, 1), c.commands()
		if len(x) != len(u)/16 || len(f) != len(x) {
			t.Fatalf("%s: %d and %d numbers: want %d", c.name, len(x), len(f), len(u)/16)
		}
		var ex, ef float64
		for k := range u {
			p.Step(&now, u[k:k+1])
			shown = shown || c.shows(p)
			if k%16 == 15 {
				ex, ef = max(ex, math.Abs(now.X[0]-x[k/16])/peak(x)), max(ef, math.Abs(now.F[0]-f[k/16])/peak(f))
			}
		}
		t.Logf("%s: of the peaks %.3g m and %.3g N the errors are %.2g and %.2g", c.name, peak(x), peak(f), ex, ef)
		if !(ex <= 1e-6) || !(ef <= 2e-5) {
			t.Errorf("%s: errors %.2g of the displacement and %.2g of the force: want 1e-6 and 2e-5", c.name, ex, ef)
		}
		if !shown || p.bounded > 0 {
			t.Errorf("%s shows what it is for: %v; %d ticks wanted more evaluations: want true and 0", c.name, shown, p.bounded)
		}
	}
}

// A stiff solver in another program finds the same numbers. The long runs are too much for it.
func TestProgramsOfTheHydraulicActuatorAgree(t *testing.T) {
	cases := hydraulicCases()
	var args []string
	for _, c := range cases {
		c.seconds = map[string]float64{"25kN-2um": 1, "supply": 0.5}[c.name]
		if c.seconds == 0 {
			c.seconds = 0.1
		}
		args = append(args, c.args()...)
	}
	got, want := rthstest.Independent(t, "hydraulic.c", args...), rthstest.Independent(t, "hydraulic.py", args...)
	if len(want) != 2*len(cases) {
		t.Errorf("numbers of %d cases: want %d", len(want)/2, len(cases))
	}
	for name, w := range want {
		if d := apart(w, got[name]); !(d <= 3e-8*peak(w)) || len(w) != len(got[name]) {
			t.Errorf("%s: the programs differ by %.2g, of the peak %.2g: want 3e-8 of it", name, d, peak(w))
		} else {
			t.Logf("%s: the programs differ by %.2g of the peak", name, d/peak(w))
		}
	}
}

// In small motion the idealised plant is its model. With areas that differ the edges' gains √(P_s − p_A) and √p_A of
// extension and retraction are 9 % from their mean, and the loop is less than that from the model.
func TestHydraulicModelInSmallMotion(t *testing.T) {
	for _, c := range hydraulicCases() {
		p := c.make(t)
		if !p.smooth {
			continue
		}
		mass, k := c.specimen()
		s := rthstest.Must((&LinearSpecimen{Mass: mass, Damping: 2 * 0.02 * math.Sqrt(k*mass), Stiffness: k}).Make())
		m := rthstest.Must(lti.C2D(rthstest.Must(c.p.Model(s)).SS, 1./rate, lti.ZOH))
		n, _ := m.A.Dims()
		p.Idealise(true)
		u := c.commands()[:rate]
		for j := range u {
			u[j] *= 1e-5
		}
		p.kff = 0 // the model's command has no velocity
		got := drive(p, u)
		z, next := mat.NewVecDense(n, nil), mat.NewVecDense(n, nil)
		x, f := make([]float64, rate), make([]float64, rate)
		for j := range u {
			next.MulVec(m.A, z)
			next.AddScaledVec(next, u[j], m.B.ColView(0))
			z, next = next, z
			x[j], f[j] = mat.Dot(m.C.RowView(0), z), mat.Dot(m.C.RowView(1), z)+m.D.At(1, 0)*u[j]
		}
		t.Logf("%s: %.2g of %.2g m, %.2g of %.2g N", c.name, apart(got.x, x), peak(x), apart(got.f, f), peak(f))
		most := 1e-4
		if c.p.RodArea > 0 {
			most = 0.05
		}
		if !(apart(got.x, x) <= most*peak(x)) || !(apart(got.f, f) <= most*peak(f)) {
			t.Errorf("%s: model and plant differ by %.2g of %.2g m and %.2g of %.2g N", c.name, apart(got.x, x), peak(x),
				apart(got.f, f), peak(f))
		}
	}
}
