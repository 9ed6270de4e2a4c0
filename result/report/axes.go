package report

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"rths"
	"rths/result/plotting"
	"rths/result/record"
)

const (
	errorAxis = 1e-3 // of the target's peak: the shortest axis of a tracking error
	flatAxis  = 1e-2 // of the largest value: the shortest axis of a parameter
	leastPct  = 1    // %: the shortest axis of a percentage
	mostPct   = 200  // %: where the axis of a percentage ends
)

// bound limits the axis of a parameter. On a shorter axis a constant would show nothing but
// rounding. At 100 % a test is lost, so the axis of a percentage ends soon beyond it.
func (fs *figures) bound(f *figure, c record.Column) {
	if c.Unit == "%" {
		f.least, f.most = leastPct, mostPct
		return
	}
	for _, c := range f.curves {
		f.least = max(f.least, flatAxis*peakOf(fs.traces[c.y]))
	}
}

// abbreviations in names of channels, as the field writes them.
var abbreviations = map[string]string{"sw": "SW", "eei": "EEI", "fei": "FEI", "j2": "J2"}

// readableName is the name of a channel in words, without its unit: "EEI" of eei_pct.
func readableName(c record.Column) string {
	words := strings.Split(rths.WithoutUnit(c.Name, c.Unit), "_")
	for i, w := range words {
		words[i] = cmp.Or(abbreviations[w], w)
	}
	return strings.Join(words, " ")
}

// readable is the factor and the label that keep powers of ten away from the ticks of a
// small or large parameter: 0.3 in 10⁻⁶ s³ instead of 3e-7 s³.
func (fs *figures) readable(sources []source, c record.Column) (scale float64, label string) {
	peak := 0.0
	for _, s := range sources {
		if t, ok := s.trace(c.Name, 1); ok {
			peak = max(peak, peakOf(t))
		}
	}
	unit := channelLabel(c)
	if peak == 0 || !rths.Finite(peak) || unit == "%" || peak >= 1e-2 && peak < 1e5 {
		return 1, unit
	}
	power := 3 * int(math.Floor(math.Log10(peak)/3))
	return math.Pow10(-power), fmt.Sprintf("10%s %s", plotting.Superscript(fmt.Sprint(power)), unit)
}
