package compensate

import (
	"errors"
	"fmt"
	"math"
	"math/cmplx"

	"rths"
	"rths/maths/signal"
	"rths/method/identify"
)

// series is the common part of the compensators that take the control plant as a
// truncated series, x_c = a₀ x + a₁ ẋ + a₂ ẍ + a₃ x⃛: the command from the
// target, and the same derivatives of what was measured, both by backward
// differences (paper 001, 6.3 and 6.4). Command and measurement go to the
// adaptation through the same low-pass.
type series struct {
	n                        int
	lead                     int
	diff                     [maxSeries][maxSeries]float64 // row i: backward difference of order i over hⁱ, (6.3)
	a                        [maxSeries]float64            // as used: bounded
	target, issued, measured *signal.Line                  // measured: filtered
	xc, xm                   *signal.Filter
	zero                     identify.Zero
	reading, out             signal.Sane
	frozen                   bool
	unaimed                  identify.Unaimed
	identify.Settling
	sent  []identify.Sent // see Sharer
	xcf   float64         // the newest filtered command, m
	noise *identify.Noise `c:"watched"`
}

// maxSeries is the largest number of coefficients.
const maxSeries = 4

// newSeries filters command and measurement by a low-pass of an order and a cutoff, Hz; zero takes an offset off the
// readings before.
func newSeries(n int, at At, order int, hz float64, zero bool) (series, error) {
	b, a, err := signal.Butterworth(order, hz, at.RateHz)
	if err != nil {
		return series{}, fmt.Errorf("filter: %w", err)
	}
	s := series{
		n: n, lead: at.Lead, zero: identify.NewZero(zero, at.Noise), xc: signal.NewFilter(b, a), xm: signal.NewFilter(b, a),
		target: signal.NewLine(max(n, at.Lead+1)), issued: signal.NewLine(at.Lead + 1), measured: signal.NewLine(n),
		unaimed: identify.Unaimed(at.Lead), noise: identify.NewNoise(at.Noise, at.RateHz, b, a),
		Settling: identify.NewSettling(signal.ButterworthPole(order, hz, at.RateHz), n-1),
	}
	for i := range n {
		copy(s.diff[i][:], signal.Difference(i, 1/at.RateHz))
	}
	return s, nil
}

// command is (6.4).
func (s *series) command(target float64) float64 {
	s.target.Push(target)
	x, a := s.derivatives(s.target), &s.a
	u := s.out.Of(a[0]*x[0] + a[1]*x[1] + a[2]*x[2] + a[3]*x[3])
	if s.sent != nil {
		s.issued.Push(s.sent[0].Of(u))
	} else {
		s.issued.Push(u)
	}
	return u
}

func (s *series) Share(sent []identify.Sent) bool {
	s.sent = sent
	return true
}

// pair is the filtered measurement with its derivatives, and the filtered
// command that was aimed at the same instant.
func (s *series) pair(read *rths.Reading) (x [maxSeries]float64, xc float64) {
	xc = s.xc.Step(s.issued.At(s.lead))
	s.xcf = xc
	s.measured.Push(s.xm.Step(s.zero.Of(s.reading.Of(read.X[0]), s.target.At(s.lead), read)))
	return s.derivatives(s.measured), xc
}

// derivatives is (6.3): x, ẋ, ẍ, x⃛ by backward differences. Entries of diff from n on
// are 0.
func (s *series) derivatives(l *signal.Line) (x [maxSeries]float64) {
	var v [maxSeries]float64
	for j := range s.n {
		v[j] = l.At(j)
	}
	for i := range x {
		d := &s.diff[i]
		x[i] = d[0]*v[0] + d[1]*v[1] + d[2]*v[2] + d[3]*v[3]
	}
	return x
}

// Freeze holds the parameters; the filters run on.
func (s *series) Freeze(on bool) { s.frozen = on }

// Channels are the parameters as used.
func (s *series) Channels() []rths.Channel {
	units := []string{"-", "s", "s²", "s³"}
	out := make([]rths.Channel, s.n)
	for i := range out {
		out[i] = rths.Channel{Name: fmt.Sprintf("a%d", i), Unit: units[i], V: &s.a[i]}
	}
	return out
}

func (s *series) VisitState(v *rths.StateVisitor) {
	v.State(s.target, s.measured, s.xc, s.xm, s.issued, &s.reading, &s.out, &s.zero)
	v.Float(&s.xcf)
	s.Settling.VisitState(v)
}

// seriesModelOf is seriesModel of an order; order 0 is left to the plant, and has as many
// parameters as there are.
func seriesModelOf(order int, rateHz float64, a []float64) func(hz float64) complex128 {
	n := order + 1
	if order == 0 {
		n = min(max(len(a), 2), maxSeries)
	}
	return seriesModel(n, rateHz, a)
}

// seriesModel is x_m/x_c = 1/Σ aᵢ Dⁱ, D = (1 − z⁻¹)/h, of n coefficients.
func seriesModel(n int, rateHz float64, a []float64) func(hz float64) complex128 {
	if len(a) != n {
		return nil
	}
	a = append([]float64(nil), a...)
	return func(hz float64) complex128 {
		d := (1 - cmplx.Exp(complex(0, -2*math.Pi*hz/rateHz))) * complex(rateHz, 0)
		sum := complex(0, 0)
		for i := n - 1; i >= 0; i-- {
			sum = sum*d + complex(a[i], 0)
		}
		return 1 / sum
	}
}

// leftOpen resolves where a start comes from: as given, else from the plant.
func leftOpen(initial *string, given []float64) {
	switch {
	case *initial != "":
	case given != nil:
		*initial = "given"
	default:
		*initial = "plant"
	}
}

// startSeries returns the n initial coefficients: as given, else of paper 001 eq. 7.7,
// or from the plant, or from the transfer system without specimen.
func startSeries(initial *string, a *[]float64, at At, n int) error {
	leftOpen(initial, *a)
	switch {
	case *initial != "given" && *a != nil:
		return fmt.Errorf("initial %s and a: want one of them", *initial)
	case *initial == "plant":
		c, err := at.Start().Series(n)
		if err != nil {
			return fmt.Errorf("initial plant: %w: want a, or initial bare-transfer", err)
		}
		*a, *initial = c, "given"
	case *initial == "bare-transfer":
		if at.BareInverse == nil {
			return errors.New(
				"initial bare-transfer: this transfer system has no model to expand, or an inner loop around it: want initial " +
					"given and a")
		}
		c, err := at.Bare(n)
		if err != nil {
			return fmt.Errorf("initial bare-transfer: %w", err)
		}
		*a, *initial = c, "given"
	case *initial != "given":
		return fmt.Errorf("initial %q: want plant, bare-transfer or given", *initial)
	case *a == nil:
		*a = append([]float64(nil), galmezA[:n]...)
	}
	return nil
}

// Residual is of (6.3) with the parameters as used.
func (s *series) Residual() (left, noise float64) {
	x := s.derivatives(s.measured)
	left = s.xcf
	var taps [maxSeries]float64
	for i := range s.n {
		left -= s.a[i] * x[i]
		for j := range s.n {
			taps[j] += s.a[i] * s.diff[i][j]
		}
	}
	return left, s.noise.Through(taps[:s.n], 1)
}
