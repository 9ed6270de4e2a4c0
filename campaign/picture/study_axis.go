package picture

import (
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/plot"

	"rths/result/plotting"
)

// logSpan is the ratio of the largest to the smallest value above which an axis is logarithmic, if
// all values are above 0.
const logSpan = 100

// axis is an axis of a picture of a study. A value v stands at the coordinate v/10^power, or
// log10 v.
type axis struct {
	low, high float64 // coordinates
	log       bool
	power     int
	bare      bool // there are no values
}

// tightSpan is the ratio above which the axis of an objective is logarithmic: what counts are the
// small values.
const tightSpan = 10

// tight reports whether values to be made small want a logarithmic axis.
func tight(values ...float64) bool {
	a := newScale(false, values...)
	low, high := a.value(a.low), a.value(a.high)
	return low > 0 && high/low > tightSpan
}

// newAxis is the axis that values need, with room at both ends. An axis is logarithmic if log is
// set or the values span more than logSpan, and if all of them are above 0.
func newAxis(log bool, values ...float64) axis {
	a := newScale(log, values...)
	if !a.bare {
		more := plotting.Room * (a.high - a.low)
		a.low, a.high = a.low-more, a.high+more
	}
	return a
}

// newScale is the axis from the smallest value to the largest. Around a single value there is room.
func newScale(log bool, values ...float64) axis {
	low, high := math.Inf(1), math.Inf(-1)
	for _, v := range values {
		if shown(v) {
			low, high = min(low, v), max(high, v)
		}
	}
	if low > high {
		return axis{high: 1, bare: true}
	}
	a := axis{log: low > 1/beyond && (log || high/low > logSpan)}
	if !a.log {
		a.power = readablePower(max(math.Abs(low), math.Abs(high)))
	}
	a.low, a.high = a.at(low), a.at(high)
	if a.high-a.low <= flatShare*max(math.Abs(a.low), math.Abs(a.high)) {
		more := 0.05 * math.Abs(a.high)
		if a.log || more == 0 {
			more = 0.5
		}
		a.low, a.high = a.low-more, a.high+more
	}
	return a
}

// flatShare is the part of a value that an axis does not resolve: values so close are one value.
const flatShare = 1e-9

// readablePower is the power of a thousand that keeps small and large numbers short.
func readablePower(largest float64) int {
	if largest == 0 || largest >= 1e-2 && largest < 1e5 {
		return 0
	}
	return 3 * int(math.Floor(math.Log10(largest)/3))
}

// at is the coordinate of a value. On a logarithmic axis a value that is not above 0 has none: NaN.
func (a axis) at(v float64) float64 {
	switch {
	case a.log && v <= 0:
		return math.NaN()
	case a.log:
		return math.Log10(v)
	}
	return v / math.Pow10(a.power)
}

// value is the value at a coordinate.
func (a axis) value(at float64) float64 {
	if a.log {
		return math.Pow(10, at)
	}
	return at * math.Pow10(a.power)
}

// inside reports whether the axis shows a value.
func (a axis) inside(v float64) bool {
	at := a.at(v)
	return at >= a.low && at <= a.high
}

// Label is the name of what stands on the axis, with the power of ten of its numbers.
func (a axis) label(name string) string {
	if a.power == 0 {
		return name
	}
	return fmt.Sprintf("%s, 1e%d", name, a.power)
}

// letters that the labels of an axis may take together.
const (
	acrossLetters = 42
	upLetters     = 40 // labels of a vertical axis stand below each other: five or six of them
)

// set gives the axis to one of a plot.
func (a axis) set(to *plot.Axis, name string, letters int) {
	to.Min, to.Max = a.low, a.high
	to.Label.Text = a.label(name)
	to.Tick.Marker = plot.ConstantTicks(a.ticks(letters))
}

// ticks are marks whose labels do not overlap.
func (a axis) ticks(letters int) []plot.Tick {
	if a.bare {
		return nil
	}
	if a.log {
		if ticks := a.logTicks(letters); len(labels(ticks)) > 1 {
			return ticks
		}
		return a.namedTicks(letters)
	}
	return fitTicks(a.low, a.high, letters)
}

// fitTicks are as many round marks as have room.
func fitTicks(low, high float64, letters int) []plot.Tick {
	for count := 8; count > 1; count-- {
		ticks := plotting.RoundTicks(count).Ticks(low, high)
		if text := labels(ticks); len(strings.Join(text, "   ")) <= letters && len(text) > 1 {
			return ticks
		}
	}
	return plotting.RoundTicks(2).Ticks(low, high)
}

// namedTicks mark a logarithmic axis of less than a decade at round values.
func (a axis) namedTicks(letters int) []plot.Tick {
	ticks := fitTicks(a.value(a.low), a.value(a.high), letters)
	for i := range ticks {
		ticks[i].Value = a.at(ticks[i].Value)
	}
	return ticks
}

// finest is the number of decades up to which a logarithmic axis has marks between the decades.
const finest = 3.5

// logTicks mark decades, as many as have room, 2 to 9 times them by short marks, and of a short axis
// 2 and 5 times them too.
func (a axis) logTicks(letters int) []plot.Tick {
	for every := 1; ; every++ {
		ticks := a.decades(every, letters)
		if text := labels(ticks); len(strings.Join(text, "  ")) <= letters || len(text) < 3 {
			return ticks
		}
	}
}

// decades labels every n-th decade.
func (a axis) decades(every, letters int) []plot.Tick {
	var ticks []plot.Tick
	for e := int(math.Floor(a.low)); float64(e) <= a.high; e++ {
		for _, digit := range []float64{1, 2, 3, 4, 5, 6, 7, 8, 9} {
			at := float64(e) + math.Log10(digit)
			if at < a.low || at > a.high || digit > 1 && a.high-a.low > finest {
				continue
			}
			t := plot.Tick{Value: at}
			if digit == 1 && e%every == 0 || (digit == 2 || digit == 5) && (a.high-a.low)*20 <= float64(letters) {
				t.Label = plotting.Decade(digit, e)
			}
			ticks = append(ticks, t)
		}
	}
	return ticks
}

func labels(ticks []plot.Tick) []string {
	var out []string
	for _, t := range ticks {
		if t.Label != "" {
			out = append(out, t.Label)
		}
	}
	return out
}
