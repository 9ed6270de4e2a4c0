package analyse

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"gonum.org/v1/gonum/floats"

	"rths/maths/lti"
	"rths/result/record"
)

// tableHz are the frequencies of the printed table, within --from and --to.
var tableHz = []float64{1, 2, 5, 10, 20}

// PrintBode prints tables of magnitudes, phases and delays. Random plants have one row for
// the smallest and one for the largest value at each frequency.
func PrintBode(out io.Writer, name string, systems []System, hz []float64) error {
	low, high := hz[0], hz[len(hz)-1]
	hz = slices.DeleteFunc(slices.Clone(tableHz), func(f float64) bool { return f < low || f > high })
	if len(hz) == 0 {
		hz = []float64{low, high}
	}
	names, bodes, err := evaluate(systems, hz)
	if err != nil {
		return err
	}
	fmt.Fprintln(out, name)
	for _, q := range bodeQuantities {
		t := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
		fmt.Fprintf(t, "\n%-18s\t", q.name)
		for _, f := range hz {
			fmt.Fprintf(t, "%g Hz\t", f)
		}
		fmt.Fprintln(t)
		for i, b := range bodes {
			values := q.of(b)
			if values == nil {
				continue // a coupling has no delay
			}
			fmt.Fprintf(t, "%-18s\t", names[i])
			for _, v := range values {
				fmt.Fprintf(t, "%s\t", record.Text(fmt.Sprintf("%%.%df", q.decimals), v))
			}
			fmt.Fprintln(t)
		}
		if err := t.Flush(); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintln(out, "\ncompensated is sampled and has the hold in it, the plants are continuous")
	return err
}

var bodeQuantities = []struct {
	name     string
	decimals int
	of       func(lti.Bode) []float64
}{
	{"magnitude, dB", 2, func(b lti.Bode) []float64 { return b.MagDB }},
	{"phase, °", 1, func(b lti.Bode) []float64 { return b.PhaseDeg }},
	{"delay, ms", 2, func(b lti.Bode) []float64 { return b.DelayMs }},
}

// evaluate returns the responses by name, with the extremes in place of the random
// plants.
func evaluate(systems []System, hz []float64) ([]string, []lti.Bode, error) {
	var names []string
	var bodes, bundle []lti.Bode
	for _, s := range systems {
		b, err := s.Bode(hz)
		if err != nil {
			return nil, nil, err
		}
		if s.Group == Perturbed {
			bundle = append(bundle, b)
			continue
		}
		names, bodes = append(names, s.Name), append(bodes, b)
	}
	if len(bundle) > 0 {
		names = append(names, "perturbed, least", "perturbed, most")
		bodes = append(bodes, extreme(bundle, slices.Min), extreme(bundle, slices.Max))
	}
	return names, bodes, nil
}

// extreme is the smallest or largest of each quantity at each frequency.
func extreme(bundle []lti.Bode, of func([]float64) float64) lti.Bode {
	out := lti.Bode{Hz: bundle[0].Hz}
	for i := range out.Hz {
		var mag, phase, delay []float64
		for _, b := range bundle {
			mag, phase, delay = append(mag, b.MagDB[i]), append(phase, b.PhaseDeg[i]), append(delay, b.DelayMs[i])
		}
		out.MagDB, out.PhaseDeg = append(out.MagDB, of(mag)), append(out.PhaseDeg, of(phase))
		out.DelayMs = append(out.DelayMs, of(delay))
	}
	return out
}

// Frequencies are those of a diagram, Hz, evenly spaced on a logarithmic axis, for so many samples a second. to 0 means
// 50 Hz, or the Nyquist frequency if that is lower.
func Frequencies(from, to float64, points int, rate float64) ([]float64, error) {
	nyquist := rate / 2
	if to == 0 {
		to = min(50, nyquist)
	}
	switch {
	case !(from > 0) || !(from < to):
		return nil, fmt.Errorf("bode: --from %g Hz --to %g Hz: want 0 < from < to", from, to)
	case !(to <= nyquist):
		return nil, fmt.Errorf("bode: --to %g Hz: want at most the Nyquist frequency %g Hz, half of %g samples a second",
			to, nyquist, rate)
	case points < 2 || points > 100_000:
		return nil, fmt.Errorf("bode: --points %d: want 2 to 100000", points)
	}
	hz := floats.LogSpan(make([]float64, points), from, to)
	hz[0], hz[len(hz)-1] = from, to
	return hz, nil
}

// Averaged lists the parameters of the identified model.
func (b *Bode) Averaged() string {
	var list []string
	for _, c := range b.Parameters {
		list = append(list, fmt.Sprintf("%s %.5g", c.Name, c.V))
	}
	return fmt.Sprintf("identified: mean over %.4g to %.4g s: %s", b.Window[0], b.Window[1], strings.Join(list, ", "))
}
