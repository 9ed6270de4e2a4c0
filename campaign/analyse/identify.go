package analyse

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"rths"
	"rths/method/identify"
	"rths/result/tables"
)

// Identify is the off-line phase of paper 000 (section 2.4) on any loading test. It finds
// a discrete model, the delay and a continuous model of the loading system, and the start
// of a compensator.
//
// A row holds the command that leaves at t_k and is held until t_k+1, and the displacement
// measured at t_k, both in m. Discrete models are
//
//	x[k] = −Σ a_j x[k − js] + Σ b_i u[k − d − is],  j = 1 … q − 1, i = 0 … p.
//
// Solved for u[k − d], this is the model of ADM with p past commands and q displacements,
// taps s samples apart. Noise in x biases the least squares, the more the closer the taps.
type Identify struct {
	Command, Measured []float64
	RateHz            float64
	Spacing           int           // of the taps, samples; 0: about 7.5 ms
	Used              []tables.Used // columns of the file, if any
	ToHz              float64       // top of the band of the continuous model; 0: as far as the command reaches
}

// Identification is the result of Identify.
type Identification struct {
	Spacing    int
	Candidates []ARX // best first, by BIC
	Model      ARX
	DelayMS    float64       // in slow motion, from the instant a command leaves
	Gain       float64       // in slow motion
	BandHz     []float64     // from and to of the frequency response that both come from; nil: they are of Model
	DiscreteMS float64       // delay of Model in slow motion, ms
	Offset     float64       // measurement at the first sample while the command is 0, m; 0 if below leastOffset
	Drift      float64       // of the offset, m/s; 0 if below leastOffset over the test
	Backlash   *Backlash     // nil: none was found
	Clipping   *Clipping     // nil: none was found; else all models are of the test without it
	Fit        *identify.Fit // start of adm with timing next: the command is a sample ahead
	Simulated  []float64     // Model under the command alone, m
	Spectrum   Spectrum
	Continuous *Continuous // nil: none was found
	Read       []string    // how the texts were read, a line each
	Notes      []string
}

// ARX is a discrete model with its criteria, over N rows with k parameters:
// BIC = N ln σ² + k ln N, AIC = N ln σ² + 2k.
type ARX struct {
	P, Q, Delay int
	A, B        []float64 // a_1 …, b_0 …
	SD          float64   // σ of its error one tap ahead, m
	AIC, BIC    float64
}

// Bounds of the search.
const (
	mostPast      = 2    // past commands
	mostTaps      = 4    // displacements
	longestDelay  = 0.05 // s
	tapsApart     = 7.5e-3
	leastSamples  = 200
	leastOffset   = 0.01 // of the rms displacement, to be taken out
	leastRelative = 1e-9 // of the rms displacement: differences in σ below it are rounding
)

// Run identifies.
func (s *Identify) Run() (*Identification, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	out := &Identification{Spacing: s.Spacing, Notes: tables.TimeDoubts(s.Used, s.RateHz, len(s.Command))}
	if out.Spacing == 0 {
		out.Spacing = max(1, int(math.Round(tapsApart*s.RateHz)))
	}
	s, err := s.bridged(out)
	if err != nil {
		return nil, err
	}
	s = s.unclipped(out)
	if err := s.order(out); err != nil {
		return nil, err
	}
	out.Model = out.Candidates[0]
	steady := s.steadied(out)
	if err := steady.start(out); err != nil {
		return nil, err
	}
	out.Simulated = out.Model.simulate(steady.Command, steady.Measured, out.Spacing)
	for i := range out.Simulated {
		out.Simulated[i] += out.Offset + out.Drift*float64(i)/s.RateHz
	}
	steady.delays(out)
	steady.doubts(out)
	return out, nil
}

// delays takes gain and delay from the continuous model, else from the frequency response as it is, else from Model.
func (s *Identify) delays(out *Identification) {
	out.DiscreteMS = 1e3 / s.RateHz * out.Model.slowDelay(out.Spacing)
	var err error
	if out.Spectrum, out.Continuous, err = s.continuous(); err == nil {
		out.DelayMS, out.Gain = out.Continuous.slowDelayMS(1/s.RateHz), out.Continuous.Num[0]
		out.BandHz = []float64{out.Continuous.FromHz, out.Continuous.ToHz}
		return
	}
	text := "the delay is of the discrete model alone"
	out.DelayMS, out.Gain = out.DiscreteMS, out.Model.gain()
	if band := out.Spectrum.band(s.ToHz); len(band) > 0 {
		text = "gain and delay are means of the frequency response in its band"
		out.BandHz = []float64{band[0], band[len(band)-1]}
		out.DelayMS, out.Gain = out.Spectrum.mean(float64(s.lag())/s.RateHz, s.ToHz)
		out.DelayMS *= 1e3
	}
	out.Notes = append(out.Notes, "no continuous model: "+err.Error()+"; "+text)
}

func (s *Identify) check() error {
	n := len(s.Command)
	switch {
	case len(s.Measured) != n:
		return fmt.Errorf("identify: %d commands and %d measurements: want as many measurements as commands", n,
			len(s.Measured))
	case n < leastSamples:
		return fmt.Errorf("identify: %d samples: too few, want at least %d", n, leastSamples)
	case !(s.RateHz > 0) || math.IsInf(s.RateHz, 0):
		return fmt.Errorf("identify: rate %g Hz: want more than 0", s.RateHz)
	case s.Spacing < 0 || s.Spacing*(mostTaps+mostPast) > n/4:
		return fmt.Errorf("identify: spacing %d samples: want 1 to %d for %d samples, or 0 (about 7.5 ms)", s.Spacing,
			n/4/(mostTaps+mostPast), n)
	case !(s.ToHz >= 0) || s.ToHz > s.RateHz/2:
		return fmt.Errorf("identify: top frequency %g Hz: want 0 (as far as the command reaches) to %g Hz, half the rate",
			s.ToHz, s.RateHz/2)
	}
	for name, v := range map[string][]float64{"command": s.Command, "measurement": s.Measured} {
		if i := slices.IndexFunc(v, func(x float64) bool { return !rths.Finite(x) }); i >= 0 {
			return fmt.Errorf("identify: %s of row %d is %g: want a finite number", name, i+1, v[i])
		}
		if slices.Max(v) == slices.Min(v) {
			return fmt.Errorf("identify: the %s is %g throughout: want a test that moves", name, v[0])
		}
	}
	return nil
}

// order tries all models and sorts them by BIC. All see the same rows.
func (s *Identify) order(out *Identification) error {
	sp := out.Spacing
	longest := min(max(1, int(longestDelay*s.RateHz)), len(s.Command)/4)
	first := longest + (mostTaps+mostPast)*sp
	var last error
	for d := 1; d <= longest; d += max(1, longest/25) {
		r := s.compress(d, sp, first)
		for p := range mostPast + 1 {
			for q := 1; q <= mostTaps; q++ {
				m, err := fitARX(r, p, q, len(s.Command)-first)
				if err != nil {
					last = err
					continue
				}
				m.Delay = d
				out.Candidates = append(out.Candidates, *m)
			}
		}
	}
	if len(out.Candidates) == 0 {
		return fmt.Errorf("identify: no model could be fitted: %w", last)
	}
	slices.SortStableFunc(out.Candidates, func(a, b ARX) int { return cmp.Compare(a.BIC, b.BIC) })
	return nil
}

// steadied removes offset and drift of the measurement: the residual of Model, a straight line in time, over its static
// denominator. An inverse fitted with them would belong to another plant.
func (s *Identify) steadied(out *Identification) *Identify {
	m := &out.Model
	left, n := m.left(s.Command, s.Measured, out.Spacing), float64(len(s.Measured))
	first := n - float64(len(left)) // sample of left[0]
	level, slope := line(left)
	early := 0.0
	for j, a := range m.A {
		early += float64((j+1)*out.Spacing) * a
	}
	drift := slope / m.static() // per sample
	offset := (level - slope*first + drift*early) / m.static()
	least := leastOffset * deviation(s.Measured)
	if !(math.Abs(offset) > least) || math.IsInf(offset, 0) {
		offset = 0
	}
	if !(math.Abs(drift*n) > least) || math.IsInf(drift, 0) {
		drift = 0
	}
	if offset == 0 && drift == 0 {
		return s
	}
	out.Offset, out.Drift = offset, drift*s.RateHz
	out.Notes = append(out.Notes, s.unsteady(offset, drift))
	steady := *s
	steady.Measured = make([]float64, len(s.Measured))
	for i, v := range s.Measured {
		steady.Measured[i] = v - offset - drift*float64(i)
	}
	return &steady
}

// unsteady says offset, m, and drift, m a sample, of the sensor.
func (s *Identify) unsteady(offset, drift float64) string {
	var what, todo []string
	if offset != 0 {
		what, todo = append(what, fmt.Sprintf("is %.3g mm while the command is 0", 1e3*offset)),
			append(todo, "zero the sensor before a test")
	}
	if drift != 0 {
		what = append(what, fmt.Sprintf("drifts by %.3g µm/s, %.3g mm in the test", 1e6*drift*s.RateHz,
			1e3*drift*float64(len(s.Measured))))
		todo = append(todo, "let it warm up")
	}
	return fmt.Sprintf("the measurement %s: taken out here, %s", strings.Join(what, " and "), strings.Join(todo, " and "))
}

// line is the straight line through v by least squares: its level at the first sample, and its slope a sample.
func line(v []float64) (level, slope float64) {
	middle, m, num, den := float64(len(v)-1)/2, mean(v), 0.0, 0.0
	for i, x := range v {
		k := float64(i) - middle
		num, den = num+k*(x-m), den+k*k
	}
	slope = num / den
	return m - slope*middle, slope
}

// deviation is the rms of v less its mean.
func deviation(v []float64) float64 {
	m, sum := mean(v), 0.0
	for _, x := range v {
		sum += (x - m) * (x - m) / float64(len(v))
	}
	return math.Sqrt(sum)
}

func mean(v []float64) float64 {
	sum := 0.0
	for _, x := range v {
		sum += x
	}
	return sum / float64(len(v))
}

// left is the residual x[k] + Σ a_j x[k − js] − Σ b_i u[k − d − is].
func (m *ARX) left(command, measured []float64, sp int) []float64 {
	var out []float64
	for k := m.Delay + (len(m.A)+len(m.B))*sp; k < len(measured); k++ {
		e := measured[k]
		for j, a := range m.A {
			e += a * measured[k-(j+1)*sp]
		}
		for i, b := range m.B {
			e -= b * command[k-m.Delay-i*sp]
		}
		out = append(out, e)
	}
	return out
}

// static is 1 + Σ a_j.
func (m *ARX) static() float64 {
	sum := 1.0
	for _, a := range m.A {
		sum += a
	}
	return sum
}

// gain of slow motion.
func (m *ARX) gain() float64 {
	sum := 0.0
	for _, b := range m.B {
		sum += b
	}
	return sum / m.static()
}

// compress is the triangular factor R of the rows [1, k, −x[k−s] …, u[k−d] …, x[k]] of the largest
// model, without the part of the first two columns, so that offset and drift of the sensor change nothing. All
// models with this delay are least squares of columns of R: an orthogonal matrix turns the
// rows of the data into the rows of R.
func (s *Identify) compress(d, sp, first int) *mat.Dense {
	const columns = mostTaps + mostPast + 3 // one, k, mostTaps−1 of x, mostPast+1 of u, and x[k]
	rows := mat.NewDense(len(s.Command)-first, columns, nil)
	for r := range len(s.Command) - first {
		i, row := first+r, rows.RawRowView(r)
		row[0], row[1] = 1, float64(r)/float64(len(s.Command)-first)
		for j := 1; j < mostTaps; j++ {
			row[1+j] = -s.Measured[i-j*sp]
		}
		for j := range mostPast + 1 {
			row[1+mostTaps+j] = s.Command[i-d-j*sp]
		}
		row[columns-1] = s.Measured[i]
	}
	var qr mat.QR
	var r mat.Dense
	qr.Factorize(rows)
	qr.RTo(&r)
	return mat.DenseCopyOf(r.Slice(2, columns, 2, columns))
}

// fitARX fits one model to n compressed rows by least squares.
func fitARX(r *mat.Dense, p, q, n int) (*ARX, error) {
	columns, _ := r.Dims()
	k, y := p+q, mat.NewVecDense(columns, mat.Col(nil, columns-1, r))
	phi := mat.NewDense(columns, k, nil)
	for j := range k {
		from := j // of x, then of u
		if j >= q-1 {
			from = mostTaps - 1 + j - (q - 1)
		}
		phi.SetCol(j, mat.Col(nil, from, r))
	}
	if cond := mat.Cond(phi, 2); !(cond < 1e12) {
		return nil, fmt.Errorf("ill-conditioned: condition number %.2g of %d parameters: want below 1e12, more motion or "+
			"taps further apart", cond, k)
	}
	var theta, left mat.VecDense
	var warning mat.Condition
	if err := theta.SolveVec(phi, y); err != nil && !errors.As(err, &warning) {
		return nil, err
	}
	left.MulVec(phi, &theta)
	left.SubVec(y, &left)
	t, size := theta.RawVector().Data, math.Sqrt(float64(n))
	m := &ARX{P: p, Q: q, A: t[:q-1], B: t[q-1:], SD: mat.Norm(&left, 2) / size}
	log := 2 * float64(n) * math.Log(max(m.SD, leastRelative*mat.Norm(y, 2)/size))
	m.AIC, m.BIC = log+2*float64(k), log+float64(k)*math.Log(float64(n))
	return m, nil
}

// slowDelay is the limit of −dφ/dω at ω = 0, in samples: Σ n p_n/Σ p_n of either
// polynomial in the taps.
func (m *ARX) slowDelay(sp int) float64 {
	num, late, den, early := 0.0, 0.0, 1.0, 0.0
	for i, b := range m.B {
		num, late = num+b, late+float64(i)*b
	}
	for j, a := range m.A {
		den, early = den+a, early+float64(j+1)*a
	}
	return float64(m.Delay) + float64(sp)*(late/num-early/den)
}

// simulate runs the model under the command alone, from the first measurements.
func (m *ARX) simulate(command, measured []float64, sp int) []float64 {
	first := m.Delay + (len(m.A)+len(m.B))*sp
	x := slices.Clone(measured)
	for i := first; i < len(x); i++ {
		x[i] = 0
		for j, a := range m.A {
			x[i] -= a * x[i-(j+1)*sp]
		}
		for j, b := range m.B {
			x[i] += b * command[i-m.Delay-j*sp]
		}
	}
	return x
}

// start fits where ADM starts, with timing next: the command that left at t_k−1 belongs
// to the measurement of t_k. Past commands whose sum would run away are left out.
func (s *Identify) start(out *Identification) error {
	p, q := out.Model.P, max(2, out.Model.Q)
	for {
		var err error
		if out.Fit, err = identify.FitADM(p, q, out.Spacing, s.Command[:len(s.Command)-1], s.Measured[1:]); err != nil {
			return fmt.Errorf("identify: %w", err)
		}
		if w := out.Fit.Warning(); w != "" {
			out.Notes = append(out.Notes, w)
		}
		if outside := out.Fit.Outside(); p > 0 && (outside == "a zero" || outside == "a pole and a zero") {
			out.Notes = append(out.Notes,
				fmt.Sprintf("a compensator with %d past commands has %s outside the unit circle and would run away: it has "+
					"none here", p, outside))
			p = 0
			continue
		} else if outside != "" {
			out.Notes = append(out.Notes, "the compensator's model has "+outside+
				" outside the unit circle: more motion, fewer parameters or taps further apart")
		}
		return nil
	}
}

// continuous is the frequency response, and a model fitted to the transforms of the whole test where it counts.
func (s *Identify) continuous() (Spectrum, *Continuous, error) {
	spectrum, err := s.spectrum()
	if err != nil {
		return spectrum, nil, err
	}
	lines, err := s.motions(spectrum.band(s.ToHz), spectrum.Step)
	if err != nil {
		return spectrum, nil, err
	}
	c, err := fitContinuous(lines, 1/s.RateHz)
	return spectrum, c, err
}
