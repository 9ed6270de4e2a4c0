package plant

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"rths"
	"rths/kit/rthstest"
)

// electricCase is an actuator of the independent program, and what it shows at some tick; nil: nothing of its own.
type electricCase struct {
	name   string
	p      Electric
	stroke float64 // amplitude of the command, of the stroke
	shows  func(p *electric) bool
}

// electricCases are hard and soft friction, and what an actuator has besides.
func electricCases() (out []electricCase) {
	add := func(name string, stroke float64, shows func(*electric) bool, change func(*Electric)) {
		p := electric10
		change(&p)
		out = append(out, electricCase{name, p, stroke, shows})
	}
	add("plain", 0.2, nil, func(*Electric) {})
	add("hard", 0.2, nil, func(p *Electric) { p.Presliding, p.Efficiency = 2, 0.85 })
	add("play", 0.2, func(p *electric) bool { return p.u != 0 && math.Abs(p.y[screw]-p.y[rod]) < 0.9*p.halfPlay },
		func(p *Electric) { p.Play = 30 })
	add("limits", 0.9, func(p *electric) bool {
		wanted, winds := p.control(p.y)
		return math.Abs(wanted) == p.most && winds == 0
	}, func(p *Electric) { p.CurrentLimit, p.Feedforward = 12, 1 })
	add("voltage", 0.9, func(p *electric) bool {
		wanted, _ := p.control(p.y)
		return p.henry*(wanted-p.y[motorCurrent])/p.tau+p.ohm*p.y[motorCurrent]+p.force*p.y[screwSpeed] > p.full
	}, func(p *Electric) { p.VoltageLimit, p.SpeedLimit, p.Feedforward = 250, 5, 0.8 })
	return out
}

const electricMass, electricStiffness = 200.0, 6e4

func (c *electricCase) make(t testing.TB) *electric {
	return electricOn(t, c.p, &linear{m: electricMass, c: 2 * 0.02 * math.Sqrt(electricStiffness*electricMass),
		k: electricStiffness})
}

// commands are 2 s.
func (c *electricCase) commands() []float64 {
	u := make([]float64, 2*rate)
	for k := range u {
		at := 2 * math.Pi * float64(k) / rate
		u[k] = c.stroke * c.p.Stroke * (math.Sin(2*at) + 0.1*math.Sin(11*at))
	}
	return u
}

// args are what the program reads.
func (c *electricCase) args() []string {
	out := []string{"name=" + c.name, fmt.Sprint("mass=", electricMass), fmt.Sprint("stiffness=", electricStiffness),
		fmt.Sprint("amplitude=", c.stroke*c.p.Stroke)}
	for i, v := 0, reflect.ValueOf(c.p); i < v.NumField(); i++ {
		key, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("yaml"), ",")
		if key != "" && !v.Field(i).IsZero() {
			out = append(out, fmt.Sprint(key, "=", v.Field(i)))
		}
	}
	return out
}

// The plant is the equations in its comment, integrated by a stiff solver of another program, which stops at every
// kink.
func TestProgramOfTheElectric(t *testing.T) {
	cases := electricCases()
	var args []string
	for _, c := range cases {
		args = append(args, c.args()...)
	}
	want := rthstest.Independent(t, "electric.py", args...)
	for _, c := range cases {
		p, shown := c.make(t), c.shows == nil
		x, f := want[c.name+"/x"], want[c.name+"/f"]
		now, u := rths.NewReading(1, 1), c.commands()
		if len(x) == 0 || len(f) != len(x) {
			t.Fatalf("%s: %d and %d numbers", c.name, len(x), len(f))
		}
		var ex, ef float64
		for k := range u[:16*len(x)] {
			p.Step(&now, u[k:k+1])
			shown = shown || c.shows(p)
			if k%16 == 15 {
				ex, ef = max(ex, math.Abs(now.X[0]-x[k/16])/peak(x)), max(ef, math.Abs(now.F[0]-f[k/16])/peak(f))
			}
		}
		t.Logf("%s: of the peaks %.3g m and %.3g N the errors are %.2g and %.2g, %d evaluations at most", c.name, peak(x),
			peak(f), ex, ef, p.worst)
		if !(ex <= 1e-6) || !(ef <= 2e-5) {
			t.Errorf("%s: errors %.2g of the displacement and %.2g of the force: want 1e-6 and 2e-5", c.name, ex, ef)
		}
		if !shown || p.bounded > 0 {
			t.Errorf("%s shows what it is for: %v; %d ticks wanted more evaluations: want true and 0", c.name, shown, p.bounded)
		}
	}
}
