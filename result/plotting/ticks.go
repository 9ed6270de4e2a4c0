//go:build !js

package plotting

import (
	"math"
	"strconv"

	"gonum.org/v1/plot"
)

// RoundTicks marks an axis at about so many multiples of 1, 2 or 5 times a power
// of ten, all written with the same number of decimals.
type RoundTicks int

// Ticks implements plot.Ticker.
func (r RoundTicks) Ticks(low, high float64) []plot.Tick {
	step, decimals := roundStep((high - low) / float64(r))
	form := byte('f')
	if largest := max(math.Abs(low), math.Abs(high)); largest < 1e-3 || largest >= 1e6 {
		form, decimals = 'g', 4
	}
	var ticks []plot.Tick
	first, last := math.Ceil(low/step-1e-9), math.Floor(high/step+1e-9)
	if !(last-first <= 10*float64(r)) { // the range is too narrow for its distance from 0
		return []plot.Tick{{Value: low, Label: strconv.FormatFloat(low, 'g', 6, 64)}}
	}
	for k := first; k <= last; k++ {
		value := k * step
		label := strconv.FormatFloat(value, form, decimals, 64)
		if k == 0 {
			value, label = 0, "0"
		}
		ticks = append(ticks, plot.Tick{Value: value, Label: label})
	}
	return ticks
}

// roundStep is the smallest step of 1, 2 or 5 times a power of ten that is not
// less than wanted, and the decimals it needs.
func roundStep(wanted float64) (step float64, decimals int) {
	power := math.Floor(math.Log10(wanted))
	for _, digit := range []float64{1, 2, 5} {
		if step = digit * math.Pow(10, power); step >= wanted*(1-1e-9) {
			return step, int(max(0, -power))
		}
	}
	return math.Pow(10, power+1), int(max(0, -power-1))
}

// InDecades marks an axis of common logarithms as decadeTicks marks the numbers; Bare: without lines between decades.
type InDecades struct{ Bare bool }

// Ticks implements plot.Ticker.
func (d InDecades) Ticks(low, high float64) []plot.Tick {
	var ticks []plot.Tick
	for _, t := range (DecadeTicks{}).Ticks(math.Pow(10, low), math.Pow(10, high)) {
		if !d.Bare || t.Label != "" {
			ticks = append(ticks, plot.Tick{Value: math.Log10(t.Value), Label: t.Label})
		}
	}
	return ticks
}

// DecadeTicks marks an axis in decades, with unmarked lines at 2, 3, … 9.
type DecadeTicks struct{}

// Ticks implements plot.Ticker.
func (DecadeTicks) Ticks(low, high float64) []plot.Tick {
	var ticks []plot.Tick
	for e := math.Floor(math.Log10(low)); e <= math.Ceil(math.Log10(high)); e++ {
		for digit := 1; digit < 10; digit++ {
			value := float64(digit) * math.Pow(10, e)
			if value < low*(1-1e-9) || value > high*(1+1e-9) {
				continue
			}
			tick := plot.Tick{Value: value}
			if digit == 1 {
				tick.Label = Decade(1, int(e))
			}
			ticks = append(ticks, tick)
		}
	}
	return ticks
}
