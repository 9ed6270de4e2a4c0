package criteria

import (
	"fmt"
	"math"

	"rths"
)

// Drive is the largest voltage of every actuator's command. The multi-axial benchmark
// compares it with 3.8 V after the run; nothing in its loop saturates. Above 2 V a run is about to diverge (docs/benchmark-multiaxial.md).
type Drive struct {
	per, at []float64 // v = per·u + at, u in m
	peak    []float64 // V
}

// NewDrive takes slope (V/m) and offset (V) of every actuator.
func NewDrive(per, at []float64) *Drive {
	return &Drive{per: per, at: at, peak: make([]float64, len(per))}
}

// Observe looks at a tick; the tick that failed is left out.
func (d *Drive) Observe(f *rths.Frame) {
	if f.Err != nil {
		return
	}
	for i, u := range f.Command {
		d.peak[i] = max(d.peak[i], math.Abs(d.per[i]*u+d.at[i]))
	}
}

// Summary is the peaks.
func (d *Drive) Summary() []rths.Value {
	var out []rths.Value
	for i, v := range d.peak {
		out = append(out, rths.Value{Name: fmt.Sprintf("peak_%d_V", i+1), V: v, Doc: fmt.Sprintf("largest voltage of the command of actuator %d; the converters end at 3.8 V", i+1)})
	}
	return out
}

// AppendState appends the peaks.
func (d *Drive) AppendState(dst []float64) []float64 { return append(dst, d.peak...) }

// SetState restores what AppendState appended.
func (d *Drive) SetState(src []float64) []float64 { return src[copy(d.peak, src):] }
