package analyse

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/cmplx"
	"slices"

	"gonum.org/v1/gonum/dsp/fourier"
	"gonum.org/v1/gonum/floats"
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
	Read    []string
	Notes   []string
}

// AxisResponse is an axis by itself.
type AxisResponse struct {
	*Identification
	BandwidthHz  float64 // first line at which the gain is 3 dB below that in slow motion; +Inf: none
	RelativeGain float64 // its element of the relative gain array at the lowest line, real part
}

// Interaction is how far actuator Of moves with the command of actuator By, per motion of By: |G_ij|/|G_jj|, the
// largest where By follows its command within 3 dB.
type Interaction struct {
	Of    int     `json:"of"` // from 1
	By    int     `json:"by"`
	Pct   float64 `json:"pct"`
	SDPct float64 `json:"standard_error_pct"`
	Hz    float64 `json:"at_hz"`
}

// Bounds of the matrix.
const (
	mostAxes    = 8
	repeated    = 0.05 // of the rms command, by which periods differ at most
	localOrder  = 2    // of the polynomials
	mostAligned = 1e3  // condition number of the commands, each of rms 1, around a line
	apartPct    = 5.0  // largest interaction of axes that are compensated one by one
	surelyApart = 3.0  // standard errors
)

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
	l := s.lines(from, periods, size)
	if err := s.responses(l, out); err != nil {
		return nil, err
	}
	for i := range s.Command {
		a, err := s.alone(i, from, size, l, out)
		if err != nil {
			return nil, fmt.Errorf("actuator %d: %w", i+1, err)
		}
		for _, note := range a.Notes {
			out.Notes = append(out.Notes, fmt.Sprintf("actuator %d: %s", i+1, note))
		}
		response := AxisResponse{a, math.Inf(1), out.relativeGain(i)}
		size, _ := out.Magnitudes(i, i)
		if k := slices.IndexFunc(size, func(v float64) bool { return v < math.Abs(a.Gain)/math.Sqrt2 }); k >= 0 {
			response.BandwidthHz = out.Hz[k]
		}
		out.Axes = append(out.Axes, response)
	}
	out.interact()
	return out, nil
}

func (s *IdentifyAxes) check() error {
	for i := range s.Command {
		if err := s.one(i).check(); err != nil {
			return fmt.Errorf("actuator %d: %w", i+1, err)
		}
	}
	samples, all := s.PeriodS*s.RateHz, len(s.Command[0])
	switch {
	case s.PeriodS == 0:
		return fmt.Errorf("identify: commands of %d actuators: want --period S, with which they repeat themselves, as "+
			"those of target multisine do; or --columns for one actuator", len(s.Command))
	case !(samples >= 2 && samples <= float64(all)/2) || math.Abs(samples-math.Round(samples)) > 1e-6*samples:
		return fmt.Errorf("identify: a period of %g s is %.6g samples: want a whole number, at most half of the %d samples "+
			"of the test", s.PeriodS, samples, all)
	}
	return nil
}

// one is axis i as it is.
func (s *IdentifyAxes) one(i int) *Identify {
	return &Identify{Command: s.Command[i], Measured: s.Measured[i], RateHz: s.RateHz, Spacing: s.Spacing, ToHz: s.ToHz}
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

// axesLines are the transforms of commands and measurements.
type axesLines struct {
	hz    []float64
	at    []int            // place of a line in the transforms, its multiple of 1/T less 1
	u, x  [][][]complex128 // of each axis in each period
	lag   []float64        // of each measurement, s
	scale []float64        // rms of each command
}

// lines are the transforms, and the lines that commands excite.
func (s *IdentifyAxes) lines(from, periods, size int) *axesLines {
	l := &axesLines{scale: s.scales()}
	transforms := func(v []float64) (out [][]complex128) {
		for p := range periods {
			out = append(out, signal.Spectrum(v[from+p*size:][:size]))
		}
		return out
	}
	for i := range s.Command {
		l.u, l.x = append(l.u, transforms(s.Command[i])), append(l.x, transforms(s.Measured[i]))
		l.lag = append(l.lag, float64(s.one(i).lag())/s.RateHz)
	}
	power := make([]float64, len(l.u[0][0]))
	for i := range l.u {
		for k := range power {
			power[k] += math.Pow(cmplx.Abs(l.u[i][0][k])/l.scale[i], 2)
		}
	}
	most := slices.Max(power)
	for k, p := range power {
		hz := float64(k+1) / s.PeriodS
		if p >= leastPower*most && (s.ToHz == 0 || hz <= s.ToHz*(1+1e-9)) {
			l.hz, l.at = append(l.hz, hz), append(l.at, k)
		}
	}
	return l
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
	width := min(all, (order+2)*n)
	out.Hz = l.hz
	for k := range all {
		first := min(max(0, k-width/2), all-width)
		g, sd, err := l.around(k, first, first+width, order)
		if err != nil {
			return err
		}
		out.G, out.SD = append(out.G, g), append(out.SD, sd)
	}
	return nil
}

// put puts z into a matrix of complex numbers, each of which is a block of four real ones.
func put(m *mat.Dense, i, j int, z complex128) {
	m.Set(2*i, 2*j, real(z))
	m.Set(2*i, 2*j+1, -imag(z))
	m.Set(2*i+1, 2*j, imag(z))
	m.Set(2*i+1, 2*j+1, real(z))
}

// around is G at line k and its standard errors, of the lines from ≤ … < to. Rows of the least squares are
// [u, u y, u y² …] with y the frequency from line k on. Measurements are turned back by their lags, so that polynomials
// follow them well.
func (l *axesLines) around(k, from, to, order int) (g []complex128, sd []float64, err error) {
	n, periods := len(l.u), len(l.u[0])
	columns, rows := (order+1)*n, (to-from)*periods
	phi, x := mat.NewDense(2*rows, 2*columns, nil), mat.NewDense(2*rows, n, nil)
	for r := range rows {
		line, p := from+r/periods, r%periods
		y := (l.hz[line] - l.hz[k]) / (l.hz[to-1] - l.hz[from])
		for i := range n {
			for q := range order + 1 {
				put(phi, r, q*n+i, l.u[i][p][l.at[line]]*complex(math.Pow(y, float64(q))/l.scale[i], 0))
			}
			z := l.x[i][p][l.at[line]] * cmplx.Exp(complex(0, 2*math.Pi*l.hz[line]*l.lag[i]))
			x.Set(2*r, i, real(z))
			x.Set(2*r+1, i, imag(z))
		}
	}
	if err := wantApart(phi.Slice(0, 2*rows, 0, 2*n), l.hz[k]); err != nil {
		return nil, nil, err
	}
	var theta, left, square, inverse mat.Dense
	var warning mat.Condition
	square.Mul(phi.T(), phi)
	err = errors.Join(theta.Solve(phi, x), inverse.Inverse(&square))
	if err != nil && !errors.As(err, &warning) {
		return nil, nil, fmt.Errorf("identify: at %.4g Hz: %w", l.hz[k], err)
	}
	left.Mul(phi, &theta)
	left.Sub(x, &left)
	for i := range n {
		noise := mat.Norm(left.ColView(i), 2) / math.Sqrt(float64(2*(rows-columns)))
		turn := cmplx.Exp(complex(0, -2*math.Pi*l.hz[k]*l.lag[i]))
		for j := range n {
			g = append(g, complex(theta.At(2*j, i), theta.At(2*j+1, i))*turn/complex(l.scale[j], 0))
			sd = append(sd, noise*math.Sqrt(max(0, inverse.At(2*j, 2*j)))/l.scale[j])
		}
	}
	return g, sd, nil
}

// wantApart refuses commands u around a line that do not tell the actuators apart.
func wantApart(u mat.Matrix, hz float64) error {
	condition := mat.Cond(u, 2)
	if condition <= mostAligned {
		return nil
	}
	var square mat.Dense
	square.Mul(u.T(), u)
	_, columns := u.Dims()
	most, which := -1.0, ""
	for j := range columns / 2 {
		for i := range j {
			coherent := math.Hypot(square.At(2*i, 2*j), square.At(2*i, 2*j+1)) /
				math.Sqrt(square.At(2*i, 2*i)*square.At(2*j, 2*j))
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
func (s *IdentifyAxes) alone(i, from, size int, l *axesLines, out *AxesIdentification) (*Identification, error) {
	n, end := len(s.Command), from+out.Periods*size
	fft := fourier.NewFFT(size)
	one := s.one(i)
	one.Command, one.Measured = one.Command[from:end], slices.Clone(one.Measured[from:end])
	for p := range out.Periods {
		others := make([]complex128, size/2+1)
		for k, at := range l.at {
			for j := range n {
				if j != i {
					others[at+1] += out.G[k][i*n+j] * l.u[j][p][at] / complex(float64(size), 0)
				}
			}
		}
		floats.Sub(one.Measured[p*size:][:size], fft.Sequence(nil, others))
	}
	return one.Run()
}

func (r *AxesIdentification) axes() int { return int(math.Round(math.Sqrt(float64(len(r.G[0]))))) }

// relativeGain is G_ii (G⁻¹)_ii at the lowest line.
func (r *AxesIdentification) relativeGain(i int) float64 {
	n := r.axes()
	g := mat.NewDense(2*n, 2*n, nil)
	for c, z := range r.G[0] {
		put(g, c/n, c%n, z)
	}
	if err := g.Inverse(g); err != nil {
		return math.NaN()
	}
	return real(r.G[0][i*n+i] * complex(g.At(2*i, 2*i), g.At(2*i+1, 2*i)))
}

// Magnitudes are |G| from command by to measurement of, from 0, and its standard error.
func (r *AxesIdentification) Magnitudes(of, by int) (size, sd []float64) {
	for k, g := range r.G {
		c := of*r.axes() + by
		size, sd = append(size, cmplx.Abs(g[c])), append(sd, r.SD[k][c])
	}
	return size, sd
}

// interact compares the axes with each other.
func (r *AxesIdentification) interact() {
	for by := range r.Axes {
		own, _ := r.Magnitudes(by, by)
		for of := range r.Axes {
			pair := Interaction{Of: of + 1, By: by + 1}
			size, sd := r.Magnitudes(of, by)
			for k, hz := range r.Hz {
				if pct := 100 * size[k] / own[k]; pct > pair.Pct && hz < r.Axes[by].BandwidthHz {
					pair.Pct, pair.SDPct, pair.Hz = pct, 100*sd[k]/own[k], hz
				}
			}
			if of != by {
				r.Pairs = append(r.Pairs, pair)
			}
		}
	}
	slices.SortStableFunc(r.Pairs, func(a, b Interaction) int { return cmp.Compare(b.Pct, a.Pct) })
}

// Apart says whether the axes can be compensated one by one: yes, no or open.
func (r *AxesIdentification) Apart() (answer, sentence string) {
	p := r.Pairs[0]
	at := fmt.Sprintf("actuator %d moves by %.2f %% (± %.2g %%) of what actuator %d does, at %.3g Hz", p.Of, p.Pct,
		p.SDPct, p.By, p.Hz)
	switch {
	case p.Pct <= apartPct:
		return "yes", fmt.Sprintf("The axes can be compensated one by one: interaction stays below %g %%. The most: %s.",
			apartPct, at)
	case p.Pct-surelyApart*p.SDPct <= apartPct:
		return "open", fmt.Sprintf("Noise leaves open whether interaction stays below %g %%. The most: %s. Want a longer "+
			"test or larger amplitudes.", apartPct, at)
	}
	return "no", fmt.Sprintf("The axes cannot be compensated one by one: %s, more than %g %%. Want a compensator of all "+
		"axes, such as adm-msmc, or actuators that are better apart.", at, apartPct)
}
