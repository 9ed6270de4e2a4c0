package papers

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"rths/files"
	"rths/ground"
	"rths/record"
	"rths/rthstest"
	"rths/scenario"
	"rths/signal"
)

// wang is the suite with its defaults, on some systems.
func wang(systems ...string) *ADM {
	s := newADM()
	s.Systems = systems
	return s
}

func runADM(t *testing.T, s *ADM) []admRow {
	t.Helper()
	rows, _, err := s.rows(t.Context(), lab(t))
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// plain is the virtual test of paper 000, section 3, written down once more from the
// formulae of docs/wang2020.md with plain arrays and loops: no part of the program
// takes part in it but the reading of the record and the noise.
type plain struct {
	h          float64
	ag         []float64
	floors     int
	mass       float64
	k0, k2, dy float64       // specimen: k0 = k2 for a spring
	kn, c      [3][3]float64 // numerical part
	varying    bool
	noise      *signal.Noise
}

// response advances the structure by central differences, its displacement d driven by
// command: command(i, d[i+1]) goes to the loading system at t_i, and dm[i] is the
// measurement. A nil plant means dm = d.
func (p *plain) response(command func(i int, next, dm float64) float64) (d, dm []float64) {
	n := p.floors
	var x, before, next [3]float64
	var a [3][3]float64 // (M/dt² + C/2dt)⁻¹
	for i := range n {
		for j := range n {
			a[i][j] = p.c[i][j] / (2 * p.h)
		}
		a[i][i] += p.mass / (p.h * p.h)
	}
	inv := invert(a, n)
	var up, plantX, plantV float64
	for i, ag := range p.ag {
		m := x[0]
		if command != nil {
			m = plantX
		}
		if p.noise != nil {
			m += p.noise.Next()
		}
		d, dm = append(d, x[0]), append(dm, m)
		if e := m - up; math.Abs(e) > p.dy {
			up = m - math.Copysign(p.dy, e)
		}
		f := p.k2*m + (p.k0-p.k2)*(m-up)
		var load [3]float64
		for r := range n {
			load[r] = -p.mass*ag + p.mass*(2*x[r]-before[r])/(p.h*p.h)
			for s := range n {
				load[r] += -p.kn[r][s]*x[s] + p.c[r][s]*before[s]/(2*p.h)
			}
		}
		load[0] -= f
		for r := range n {
			next[r] = 0
			for s := range n {
				next[r] += inv[r][s] * load[s]
			}
		}
		before, x = x, next
		if command != nil {
			plantX, plantV = p.plant(i, plantX, plantV, command(i, x[0], m))
		}
	}
	return d, dm
}

// plant holds the command over [t_i, t_i+1]: exact for the frequency of the middle.
func (p *plain) plant(i int, x, v, u float64) (float64, float64) {
	w, zeta := 50.0, 0.8
	if p.varying {
		w += 5 * math.Sin((float64(i)+0.5)*p.h)
	}
	a, b := zeta*w, w*math.Sqrt(1-zeta*zeta)
	y0, e := x-u, math.Exp(-a*p.h) // y = x − u decays
	c1, c2 := y0, (v+a*y0)/b
	cos, sin := math.Cos(b*p.h), math.Sin(b*p.h)
	y := e * (c1*cos + c2*sin)
	return u + y, -a*y + e*b*(c2*cos-c1*sin)
}

func invert(a [3][3]float64, n int) (out [3][3]float64) {
	for i := range n {
		out[i][i] = 1
	}
	for i := range n { // Gauss–Jordan, of a dominant diagonal
		for j := range n {
			if j != i {
				f := a[j][i] / a[i][i]
				for k := range n {
					a[j][k] -= f * a[i][k]
					out[j][k] -= f * out[i][k]
				}
			}
		}
	}
	for i := range n {
		for k := range n {
			out[i][k] /= a[i][i]
		}
	}
	return out
}

// leastSquares by modified Gram–Schmidt, twice: θ and (Φ'Φ)⁻¹.
func leastSquares(phi [][]float64, y []float64) (theta []float64, p [][]float64) {
	n := len(phi[0])
	q := make([][]float64, n) // columns
	r := make([][]float64, n)
	for j := range n {
		r[j] = make([]float64, n)
		for i := range phi {
			q[j] = append(q[j], phi[i][j])
		}
		for range 2 {
			for k := range j {
				f := dot(q[k], q[j])
				r[k][j] += f
				for i := range q[j] {
					q[j][i] -= f * q[k][i]
				}
			}
		}
		r[j][j] = math.Sqrt(dot(q[j], q[j]))
		for i := range q[j] {
			q[j][i] /= r[j][j]
		}
	}
	back := func(right []float64) []float64 {
		x := append([]float64(nil), right...)
		for j := n - 1; j >= 0; j-- {
			for k := j + 1; k < n; k++ {
				x[j] -= r[j][k] * x[k]
			}
			x[j] /= r[j][j]
		}
		return x
	}
	var qy []float64
	for j := range n {
		qy = append(qy, dot(q[j], y))
	}
	inv := make([][]float64, n) // columns of R⁻¹
	for j := range n {
		unit := make([]float64, n)
		unit[j] = 1
		inv[j] = back(unit)
	}
	p = make([][]float64, n)
	for i := range n {
		p[i] = make([]float64, n)
		for j := range n {
			for k := range n {
				p[i][j] += inv[k][i] * inv[k][j]
			}
		}
	}
	return back(qy), p
}

func dot(a, b []float64) (s float64) {
	for i := range a {
		s += a[i] * b[i]
	}
	return s
}

// regressor is [c[i−1] (p = 1), d_m[i], …, d_m[i−q+1]].
func regressor(p, q, i int, c, dm []float64) (phi []float64) {
	at := func(v []float64, i int) float64 {
		if i < 0 {
			return 0
		}
		return v[i]
	}
	if p == 1 {
		phi = append(phi, at(c, i-1))
	}
	for k := range q {
		phi = append(phi, at(dm, i-k))
	}
	return phi
}

// adm is the command of (6) after the update of (3), λ = 0.97, from θ0 and P0 of the loading
// test with the response imposed.
func (p *plain) adm(np, nq int, reference []float64) func(i int, next, dm float64) float64 {
	fixed := *p
	fixed.varying, fixed.noise = false, nil
	x, v := 0.0, 0.0
	measured := []float64{0}
	for i := range len(reference) - 1 {
		x, v = fixed.plant(i, x, v, reference[i+1])
		measured = append(measured, x)
	}
	var all [][]float64
	for i := range reference {
		all = append(all, regressor(np, nq, i, reference, measured))
	}
	theta, cov := leastSquares(all, reference)
	c, dms := []float64{0}, []float64{}
	return func(i int, next, dm float64) float64 {
		dms = append(dms, dm)
		if i > 0 { // no command aimed at t_0
			update(theta, cov, regressor(np, nq, i, c, dms), c[i])
		}
		phi := regressor(np, nq, i+1, c, append(dms, next))
		c = append(c, dot(theta, phi))
		return c[i+1]
	}
}

func update(theta []float64, p [][]float64, phi []float64, y float64) {
	n := len(theta)
	pphi := make([]float64, n)
	for i := range n {
		pphi[i] = dot(p[i], phi)
	}
	d, e := 0.97+dot(phi, pphi), y-dot(phi, theta)
	for i := range n {
		theta[i] += pphi[i] / d * e
		for j := range n {
			p[i][j] = (p[i][j] - pphi[i]*pphi[j]/d) / 0.97
		}
	}
	for i := range n {
		for j := range i {
			p[i][j] = (p[i][j] + p[j][i]) / 2
			p[j][i] = p[i][j]
		}
	}
}

// extrapolate is (7), τ = 0.021 s.
func (p *plain) extrapolate() func(i int, next, dm float64) float64 {
	e := 0.021 / p.h
	var d [4]float64
	return func(_ int, next, _ float64) float64 {
		d = [4]float64{next, d[0], d[1], d[2]}
		return (1+11*e/6+e*e+e*e*e/6)*d[0] - (3*e+5*e*e/2+e*e*e/2)*d[1] + (3*e/2+2*e*e+e*e*e/2)*d[2] - (e/3+e*e/2+e*e*e/6)*d[3]
	}
}

// plainSystem is a structure of section 3.1.
func plainSystem(t *testing.T, name string) *plain {
	t.Helper()
	m, err := (&ground.Record{Record: "elcentro", Conditioning: ground.Conditioning{Scale: 1}}).Motion(ground.At{Files: files.Disk{}, RecordsDir: rthstest.Records(t)})
	if err != nil {
		t.Fatal(err)
	}
	p := &plain{h: 10.0 / 1024, floors: 1, mass: 1000, k0: 39478.4, k2: 39478.4, dy: math.Inf(1)}
	if name == "3dof" {
		const k = 2e5
		p.floors, p.k0, p.k2, p.dy = 3, k, k/2, 0.006
		p.kn = [3][3]float64{{k, -k, 0}, {-k, 2 * k, -k}, {0, -k, k}}
		w := func(i float64) float64 { return 2 * math.Sqrt(k/1000) * math.Sin((2*i-1)*math.Pi/14) } // of a chain of three
		a, b := 2*0.02*w(1)*w(2)/(w(1)+w(2)), 2*0.02/(w(1)+w(2))
		for i := range 3 {
			for j := range 3 {
				p.c[i][j] = b * p.kn[i][j]
			}
			p.c[i][i] += a * 1000
		}
		p.c[0][0] += b * k // of the whole, initial stiffness
	}
	peak := 0.0
	for i := range 3072 {
		at := float64(i) * p.h / m.Dt
		j := int(at)
		p.ag = append(p.ag, m.A[j]+(at-float64(j))*(m.A[j+1]-m.A[j]))
		peak = max(peak, math.Abs(p.ag[i]))
	}
	for i := range p.ag {
		p.ag[i] *= 0.263 * 9.81 / peak
	}
	return p
}

// The suite agrees with the formulae written down once more to rounding, what
// feedback makes of it: the error of the 4-parameter model is rounding itself, and
// where the plant varies its regression, wound up in the quiet 5 s, magnifies it. There
// the last digit of θ0 (1e-16) moves J2 by 5e-6 of itself.
func TestADMSuiteIsTheFormulae(t *testing.T) {
	for _, row := range runADM(t, wang("sdof", "3dof")) {
		if row.Seed != nil && *row.Seed > 1 {
			continue
		}
		c, p := row.Compensator, plainSystem(t, row.System)
		reference, _ := p.response(nil)
		p.varying = row.Plant == "varying"
		if row.Seed != nil {
			p.noise = signal.NewNoise(uint64(*row.Seed), "displacement", 1e-5)
		}
		command := p.extrapolate()
		if q, ok := strings.CutPrefix(c, "adm"); ok {
			np, nq := orders(q)
			command = p.adm(np, nq, reference)
		}
		d, dm := p.response(command)
		want := record.Flat(wangIndicators(d, dm, reference))
		tolerance := 1e-6
		if c == "adm4" && p.varying {
			tolerance = 2e-5
		}
		for i, j := range record.Flat(row.wangJ) {
			if got, want := j.V.(float64), want[i].V.(float64); !(math.Abs(got-want) <= tolerance*want+1e-9) {
				t.Errorf("%+v: %s = %.9g, formulae %.9g", row.admGroup, j.Key, got, want)
			}
		}
	}
}

// The shipped scenarios are runs of the suite: the same targets and measurements, with
// the numbers of the off-line phase as they stand in the files.
func TestWangScenarios(t *testing.T) {
	for _, g := range []admGroup{
		{System: "sdof", Plant: "varying"}, {System: "3dof", Plant: "varying"}, {System: "lab", Plant: "fixed", Loop: "open"},
	} {
		sys, err := wang(g.System).prepare(lab(t), g.System)
		if err != nil {
			t.Fatal(err)
		}
		g.Compensator, g.NoiseMM = "adm2", wangNoise
		want, measured, err := sys.trace(&admRow{admGroup: g, Seed: new(1)})
		if err != nil {
			t.Fatal(err)
		}
		file := "wang2020-" + g.System + ".yaml"
		sc, err := scenario.Shipped(file)
		if err != nil {
			t.Fatal(err)
		}
		run, err := sc.Build(scenario.Options{RecordsDir: rthstest.Records(t)})
		if err != nil {
			t.Fatal(err)
		}
		d, x, err := follow(run.Loop)
		if err != nil {
			t.Fatal(err)
		}
		for i := range want {
			if math.Abs(d[i]-want[i]) > 1e-9 || math.Abs(x[i]-measured[i]) > 1e-9 {
				t.Fatalf("%s: tick %d: %.12g m, measured %.12g: the suite has %.12g, %.12g", file, i, d[i], x[i], want[i], measured[i])
			}
		}
	}
}

// What the suite says of paper 000's claims: four parameters are exact
// without noise, for any share of the record; models of lower order are worse
// without noise and better with it.
func TestADMSuiteClaims(t *testing.T) {
	s := wang("sdof")
	s.PGAFactor, s.Onset, s.Duration = 0.2, true, 20
	j := map[string]float64{}
	for _, row := range admMedians(runADM(t, s)) {
		j[fmt.Sprint(row.Plant, row.NoiseMM, row.Compensator)] = row.J1
	}
	if !(j["fixed0adm4"] < 1e-6) {
		t.Errorf("four parameters: J1 = %g mm, want rounding", j["fixed0adm4"])
	}
	if !(j["fixed0adm2"] > j["fixed0adm3"] && j["fixed0adm3"] > j["fixed0adm4"]) {
		t.Errorf("without noise: %v: want two parameters worst, four best", j)
	}
	if !(j["fixed0pe"] > 10*j["fixed0adm2"]) {
		t.Errorf("extrapolation by a constant delay: %v: want it far worse than any", j)
	}
}

// Suspending the update keeps the four-parameter model together where the quiet 5 s
// before the record wind P up (docs/wang2020.md).
func TestSuspendingHelpsFourParameters(t *testing.T) {
	j4 := func(change func(*ADM)) float64 {
		s := wang("sdof")
		change(s)
		for _, row := range admMedians(runADM(t, s)) {
			if row.Plant == "fixed" && row.NoiseMM > 0 && row.Compensator == "adm4" {
				return row.J4
			}
		}
		return math.NaN()
	}
	wound, dropped, suspended := j4(func(*ADM) {}), j4(func(s *ADM) { s.Onset = true }), j4(func(s *ADM) { s.SuspendMM = 0.5 })
	if !(dropped < wound/5) || !(suspended < wound/5) {
		t.Errorf("J4 %g %% with 5 s of zeros, %g %% without, %g %% with suspension: want the last two far below", wound, dropped, suspended)
	}
}

// inferredWang are settings that paper 000 does not print: a step of 20/1024 s, no leading
// zeros, a peak of 1.2 · 0.263 m/s², 34 s, half of the stiffness in the specimen.
func inferredWang() *ADM {
	s := wang("sdof")
	s.Step, s.Onset, s.Duration, s.PGAFactor = 20, true, 34, 1.2/wangG
	s.Set = Sets{"specimen.stiffness=19739.2"}
	return s
}

// With them the twelve values of the extrapolation in Tables 2 to 4 are within 12 %. The
// models' are within 5 times but for the four parameters without noise, which are exact here.
func TestTables2To4WithInferredSettings(t *testing.T) {
	rthstest.Long(t)
	compared := 0
	for _, r := range admMedians(runADM(t, inferredWang())) {
		for i, v := range r.Published {
			ours := []float64{r.J1, r.J2, r.J3, r.J4}[i]
			ratio := ours / v.V
			switch {
			case r.Compensator == "pe":
				if compared++; math.Abs(ratio-1) > 0.12 {
					t.Errorf("%s, %g mm, pe: %s is %.3g, published %.3g", r.Plant, r.NoiseMM, v.Name, ours, v.V)
				}
			case r.NoiseMM == 0 && r.Compensator == "adm4":
			case ratio < 0.2 || ratio > 5:
				t.Errorf("%s, %g mm, %s: %s is %.3g, published %.3g", r.Plant, r.NoiseMM, r.Compensator, v.Name, ours, v.V)
			}
		}
	}
	if compared != 12 {
		t.Errorf("%d values of the extrapolation compared: want 12", compared)
	}
}

func TestADMWrongInput(t *testing.T) {
	for want, change := range map[string]func(*ADM){
		`system "tower": want one of sdof, 3dof, lab`: func(s *ADM) { s.Systems = []string{"tower"} },
		"system sdof stands twice":                    func(s *ADM) { s.Systems = []string{"sdof", "sdof"} },
		"nothing to run":                              func(s *ADM) { s.Systems = nil },
		"--tau -1: want more than 0":                  func(s *ADM) { s.Tau = -1 },
		"--pga-factor 0: want more than 0":            func(s *ADM) { s.PGAFactor = 0 },
		"--duration NaN: want more than 0":            func(s *ADM) { s.Duration = math.NaN() },
		"--suspend-mm -1: want 0 to":                  func(s *ADM) { s.SuspendMM = -1 },
		"--step 0: want more than 0":                  func(s *ADM) { s.Step = 0 },
	} {
		s := wang("sdof")
		change(s)
		if _, err := s.Run(t.Context(), Lab{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v: want one that says %q", err, want)
		}
	}
	s := wang("sdof")
	s.Duration = 5.5 // half a second of shaking
	if _, err := s.Run(t.Context(), lab(t)); err == nil || !strings.Contains(err.Error(), "--duration 5.5: too few samples to fit: elcentro begins with 5 s of zeros, want 6.0 s or more") {
		t.Errorf("error %v: want one that says how long a run must be", err)
	}
}
