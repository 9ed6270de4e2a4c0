package analyse

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/cmplx"
	"slices"

	"gonum.org/v1/gonum/dsp/fourier"
	"gonum.org/v1/gonum/mat"

	"rths/maths/signal"
	"rths/result/tables"
)

// IdentifyAxes finds the matrix G of frequency responses from the commands u of n actuators to the displacements x that
// are measured, x = G u, of a test whose commands repeat themselves and excite their lines in different directions, as
// the target multisine does. Around each line G is a polynomial in the frequency, by least squares over neighbouring
// lines and all periods (local polynomials; Pintelon and Schoukens 2012, section 7.2). What the polynomials leave
// gives the standard errors.
//
// Each axis is then identified by itself, as Identify does, from its command and its displacement without what the
// other commands give.
type IdentifyAxes struct {
	Command, Measured [][]float64 // of each actuator, m
	RateHz, PeriodS   float64
	Spacing           int           // as in Identify
	ToHz              float64       // highest line; 0: as far as the commands reach
	Used              []tables.Used // columns of the file, if any
}

// AxesIdentification is the result of IdentifyAxes.
type AxesIdentification struct {
	FromS   float64 // begin of the periods
	Periods int
	Hz      []float64      // lines
	G       [][]complex128 // at each line: from command j to measurement i at i n + j
	SD      [][]float64    // standard errors of real and imaginary part
	Axes    []AxisResponse
	Pairs   []Interaction // largest first
	RGA     []float64     // diagonal of the relative gain array at the lowest line, real parts
	Read    []string
	Notes   []string
}

// AxisResponse is an axis by itself.
type AxisResponse struct {
	*Identification
	BandwidthHz float64 // where the gain is 3 dB below that in slow motion; +Inf: above the lines
}

// Interaction is how far actuator Of moves with the command of actuator By, per motion of By: |G_ij|/|G_jj|, the
// largest where By follows its command within 3 dB.
type Interaction struct {
	Of, By        int // from 0
	Ratio, SD, Hz float64
}

// Bounds of the matrix.
const (
	mostAxes      = 8
	repeated      = 0.05 // of the rms command, by which periods differ at most
	localOrder    = 2    // of the polynomials
	mostAligned   = 1e3  // condition number of the commands, each of rms 1, around a line
	apartPct      = 5.0  // largest interaction of axes that are compensated one by one
	surelyApart   = 3.0  // standard errors
	bandwidthLess = math.Sqrt2
)

// axesLines are the transforms of commands and measurements: at each line, in each period, of each axis.
type axesLines struct {
	k    []int // multiple of 1/T
	hz   []float64
	u, x [][][]complex128
}

// Run identifies.
func (s *IdentifyAxes) Run() (*AxesIdentification, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	from, periods, size, err := s.wholePeriods()
	if err != nil {
		return nil, err
	}
	out := &AxesIdentification{FromS: float64(from) / s.RateHz, Periods: periods,
		Notes: tables.TimeDoubts(s.Used, s.RateHz, len(s.Command[0]))}
	lines := s.lines(from, periods, size)
	if err := s.responses(lines, out); err != nil {
		return nil, err
	}
	for i := range s.Command {
		a, err := s.alone(i, from, size, lines, out)
		if err != nil {
			return nil, fmt.Errorf("actuator %d: %w", i+1, err)
		}
		out.Axes = append(out.Axes, *a)
		for _, note := range a.Notes {
			out.Notes = append(out.Notes, fmt.Sprintf("actuator %d: %s", i+1, note))
		}
	}
	out.interact(len(s.Command))
	return out, nil
}

func (s *IdentifyAxes) check() error {
	for i := range s.Command {
		one := &Identify{Command: s.Command[i], Measured: s.Measured[i], RateHz: s.RateHz, Spacing: s.Spacing, ToHz: s.ToHz}
		if err := one.check(); err != nil {
			return fmt.Errorf("actuator %d: %w", i+1, err)
		}
	}
	samples := s.PeriodS * s.RateHz
	switch {
	case s.PeriodS == 0:
		return fmt.Errorf("identify: commands of %d actuators: want --period S, with which they repeat themselves, as "+
			"those of target multisine do; or --columns for one actuator", len(s.Command))
	case !(s.PeriodS > 0) || math.Abs(samples-math.Round(samples)) > 1e-6*samples:
		return fmt.Errorf("identify: a period of %g s is %.6g samples: want a whole number", s.PeriodS, samples)
	}
	return nil
}

// scales are the rms of the commands without their means.
func (s *IdentifyAxes) scales() (out []float64) {
	for _, u := range s.Command {
		out = append(out, deviation(u))
	}
	return out
}

// wholePeriods are the periods that repeat themselves, where the motion rises no more: of what is over, three quarters
// lie before them, in which the motion settles.
func (s *IdentifyAxes) wholePeriods() (from, periods, size int, err error) {
	size = int(math.Round(s.PeriodS * s.RateHz))
	scale, begin, longest, at := s.scales(), 0, 0, 0
	for k := 0; k+size < len(s.Command[0]); k++ {
		for i, u := range s.Command {
			if math.Abs(u[k+size]-u[k]) > repeated*scale[i] {
				at = k + 1
			}
		}
		if k+1-at > longest {
			begin, longest = at, k+1-at
		}
	}
	periods = (longest + size) / size
	if periods < 2 {
		return 0, 0, 0, fmt.Errorf(
			"identify: the commands repeat themselves after %g s within %g %% over %.3g s only: want two whole periods, and "+
				"their length in --period", s.PeriodS, 100*repeated, float64(longest)/s.RateHz)
	}
	return begin + (longest+size-periods*size)*3/4, periods, size, nil
}

// lines are the transforms at the lines that commands excite.
func (s *IdentifyAxes) lines(from, periods, size int) *axesLines {
	n := len(s.Command)
	of := make([][][]complex128, 2*n) // commands, then measurements: in each period, at each line
	for i, v := range slices.Concat(s.Command, s.Measured) {
		for p := range periods {
			of[i] = append(of[i], signal.Spectrum(v[from+p*size:][:size]))
		}
	}
	scales, power, most := s.scales(), make([]float64, len(of[0][0])), 0.0
	for k := range power {
		for i, scale := range scales {
			power[k] += math.Pow(cmplx.Abs(of[i][0][k])/scale, 2)
		}
		most = max(most, power[k])
	}
	out := &axesLines{}
	for k, p := range power {
		hz := float64(k+1) / s.PeriodS
		if p < leastPower*most || s.ToHz > 0 && hz > s.ToHz*(1+1e-9) {
			continue
		}
		u, x := make([][]complex128, periods), make([][]complex128, periods)
		for p := range periods {
			for i := range n {
				u[p], x[p] = append(u[p], of[i][p][k]), append(x[p], of[n+i][p][k])
			}
		}
		out.k, out.hz, out.u, out.x = append(out.k, k+1), append(out.hz, hz), append(out.u, u), append(out.x, x)
	}
	return out
}

// responses fits G around every line.
func (s *IdentifyAxes) responses(l *axesLines, out *AxesIdentification) error {
	n, all := len(s.Command), len(l.hz)
	order := min(localOrder, all/n-1)
	for order > 0 && min(all, (order+2)*n)*out.Periods <= (order+1)*n {
		order--
	}
	if order < 0 || all*out.Periods <= n {
		return fmt.Errorf("identify: the commands of %d actuators have %d lines, %g Hz apart: want more than %d", n, all,
			1/s.PeriodS, n)
	}
	scale, lag := s.scales(), make([]float64, n)
	for i := range n {
		one := &Identify{Command: s.Command[i], Measured: s.Measured[i], RateHz: s.RateHz}
		lag[i] = float64(one.lag()) / s.RateHz
	}
	width := min(all, (order+2)*n)
	out.Hz = l.hz
	for k := range all {
		first := min(max(0, k-width/2), all-width)
		g, sd, err := l.around(k, first, first+width, order, scale, lag)
		if err != nil {
			return err
		}
		out.G, out.SD = append(out.G, g), append(out.SD, sd)
	}
	return nil
}

// around is G at line k and its standard errors, of the lines from ≤ … < to. Rows of the least squares are
// [u, u y, u y² …] with y the frequency from line k on; complex numbers are pairs of real ones. Measurements are
// turned back by their lags, so that polynomials follow them well.
func (l *axesLines) around(k, from, to, order int, scale, lag []float64) (g []complex128, sd []float64, err error) {
	n, rows := len(scale), (to-from)*len(l.u[0])
	columns := (order + 1) * n
	phi, x := mat.NewDense(2*rows, 2*columns, nil), mat.NewDense(2*rows, n, nil)
	span := max(l.hz[to-1]-l.hz[k], l.hz[k]-l.hz[from])
	r := 0
	for line := from; line < to; line++ {
		y := 0.0
		if span > 0 {
			y = (l.hz[line] - l.hz[k]) / span
		}
		for p, u := range l.u[line] {
			for c := range columns {
				z := u[c%n] * complex(math.Pow(y, float64(c/n))/scale[c%n], 0)
				phi.Set(r, c, real(z))
				phi.Set(r, columns+c, -imag(z))
				phi.Set(r+1, c, imag(z))
				phi.Set(r+1, columns+c, real(z))
			}
			for i, z := range l.x[line][p] {
				z *= cmplx.Exp(complex(0, 2*math.Pi*l.hz[line]*lag[i]))
				x.Set(r, i, real(z))
				x.Set(r+1, i, imag(z))
			}
			r += 2
		}
	}
	var u, theta, left, square, inverse mat.Dense
	u.Augment(phi.Slice(0, 2*rows, 0, n), phi.Slice(0, 2*rows, columns, columns+n))
	if err := wantApart(&u, n, l.hz[k]); err != nil {
		return nil, nil, err
	}
	var warning mat.Condition
	if err := theta.Solve(phi, x); err != nil && !errors.As(err, &warning) {
		return nil, nil, fmt.Errorf("identify: at %.4g Hz: %w", l.hz[k], err)
	}
	left.Mul(phi, &theta)
	left.Sub(x, &left)
	square.Mul(phi.T(), phi)
	if err := inverse.Inverse(&square); err != nil && !errors.As(err, &warning) {
		return nil, nil, fmt.Errorf("identify: at %.4g Hz: %w", l.hz[k], err)
	}
	g, sd = make([]complex128, n*n), make([]float64, n*n)
	for i := range n {
		noise := mat.Norm(left.ColView(i), 2) / math.Sqrt(float64(2*(rows-columns)))
		turn := cmplx.Exp(complex(0, -2*math.Pi*l.hz[k]*lag[i]))
		for j := range n {
			g[i*n+j] = complex(theta.At(j, i), theta.At(columns+j, i)) * turn / complex(scale[j], 0)
			sd[i*n+j] = noise * math.Sqrt(max(0, inverse.At(j, j))) / scale[j]
		}
	}
	return g, sd, nil
}

// wantApart refuses commands whose directions around a line do not tell the actuators apart. u has real and imaginary
// parts of the n commands, each of rms 1.
func wantApart(u *mat.Dense, n int, hz float64) error {
	condition := mat.Cond(u, 2)
	if condition <= mostAligned {
		return nil
	}
	most, which := -1.0, ""
	for j := range n {
		for i := range j {
			a, b, c := u.ColView(j), u.ColView(i), u.ColView(n+i)
			coherent := math.Hypot(mat.Dot(a, b), mat.Dot(a, c)) / (mat.Norm(a, 2) * mat.Norm(b, 2))
			if !(coherent <= most) {
				most, which = coherent, fmt.Sprintf("%d and %d", i+1, j+1)
			}
		}
	}
	return fmt.Errorf("identify: around %.4g Hz the commands move together, most of all %s: their condition number is "+
		"%.2g, want at most %g: want lines of its own for each actuator, as target multisine has", hz, which, condition,
		mostAligned)
}

// alone identifies axis i from its command and its displacement without what the other commands give.
func (s *IdentifyAxes) alone(i, from, size int, l *axesLines, out *AxesIdentification) (*AxisResponse, error) {
	n, end := len(s.Command), from+out.Periods*size
	fft := fourier.NewFFT(size)
	one := &Identify{Command: s.Command[i][from:end], Measured: slices.Clone(s.Measured[i][from:end]), RateHz: s.RateHz,
		Spacing: s.Spacing, ToHz: s.ToHz}
	for p := range out.Periods {
		z := make([]complex128, size/2+1)
		for k, multiple := range l.k {
			for j, u := range l.u[k][p] {
				if j != i {
					z[multiple] += out.G[k][i*n+j] * u / complex(float64(size), 0)
				}
			}
		}
		for k, v := range fft.Sequence(nil, z) {
			one.Measured[p*size+k] -= v
		}
	}
	found, err := one.Run()
	if err != nil {
		return nil, err
	}
	a := &AxisResponse{found, math.Inf(1)}
	before, least := 0.0, math.Abs(found.Gain)/bandwidthLess
	for k, g := range out.G {
		size := cmplx.Abs(g[i*n+i])
		if size < least {
			a.BandwidthHz = out.Hz[k]
			if before > least {
				a.BandwidthHz = out.Hz[k-1] + (out.Hz[k]-out.Hz[k-1])*(before-least)/(before-size)
			}
			break
		}
		before = size
	}
	return a, nil
}

// interact compares the axes with each other.
func (r *AxesIdentification) interact(n int) {
	for by := range n {
		for of := range n {
			pair := Interaction{Of: of, By: by}
			for k, g := range r.G {
				own := cmplx.Abs(g[by*n+by])
				if ratio := cmplx.Abs(g[of*n+by]) / own; ratio > pair.Ratio && r.Hz[k] < r.Axes[by].BandwidthHz {
					pair.Ratio, pair.SD, pair.Hz = ratio, r.SD[k][of*n+by]/own, r.Hz[k]
				}
			}
			if of != by {
				r.Pairs = append(r.Pairs, pair)
			}
		}
	}
	slices.SortStableFunc(r.Pairs, func(a, b Interaction) int { return cmp.Compare(b.Ratio, a.Ratio) })
	g := mat.NewDense(2*n, 2*n, nil)
	for c, z := range r.G[0] {
		i, j := c/n, c%n
		g.Set(i, j, real(z))
		g.Set(n+i, n+j, real(z))
		g.Set(n+i, j, imag(z))
		g.Set(i, n+j, -imag(z))
	}
	var inverse mat.Dense
	err := inverse.Inverse(g)
	for i := range n {
		of := complex(math.NaN(), 0)
		if err == nil {
			of = r.G[0][i*n+i] * complex(inverse.At(i, i), inverse.At(n+i, i))
		}
		r.RGA = append(r.RGA, real(of))
	}
}

// Apart says whether the axes can be compensated one by one: yes, no or open.
func (r *AxesIdentification) Apart() (answer, sentence string) {
	worst := r.Pairs[0]
	at := fmt.Sprintf("actuator %d moves by %.2f %% (± %.2g %%) of what actuator %d does, at %.3g Hz", worst.Of+1,
		100*worst.Ratio, 100*worst.SD, worst.By+1, worst.Hz)
	switch {
	case 100*worst.Ratio <= apartPct:
		return "yes", fmt.Sprintf("The axes can be compensated one by one: interaction stays below %g %%. The most: %s.",
			apartPct, at)
	case 100*(worst.Ratio-surelyApart*worst.SD) <= apartPct:
		return "open", fmt.Sprintf("Noise leaves open whether interaction stays below %g %%. The most: %s. Want a longer "+
			"test or larger amplitudes.", apartPct, at)
	}
	return "no", fmt.Sprintf("The axes cannot be compensated one by one: %s, more than %g %%. Want a compensator of all "+
		"axes, such as adm-msmc, or actuators that are better apart.", at, apartPct)
}
