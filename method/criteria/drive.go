package criteria

import (
	"fmt"
	"math"

	"rths"
)

// Drive is the largest voltage of every actuator's command. The multi-axial benchmark
// compares this voltage with 3.8 V after the run; nothing in its loop saturates. Above 2 V
// a run is about to diverge (docs/reference/benchmark-multiaxial.md).
type Drive struct {
	of   []Volts
	peak []float64 // V
}

// NewDrive judges one actuator for each entry of of.
func NewDrive(of []Volts) *Drive { return &Drive{of: of, peak: make([]float64, len(of))} }

// DriveKeys are the keys of Drive: none.
type DriveKeys struct{}

// Make makes Drive where the actuators are driven by volts.
func (*DriveKeys) Make(at At) ([]Criterion, error) {
	if at.Volts == nil {
		return nil, nil
	}
	return []Criterion{NewDrive(at.Volts)}, nil
}

// Observe looks at a tick; the tick that failed is left out.
func (d *Drive) Observe(f *rths.Frame) {
	if f.Err != nil {
		return
	}
	for i, u := range f.Command {
		d.peak[i] = max(d.peak[i], math.Abs(d.of[i].PerM*u+d.of[i].At))
	}
}

// Summary has the peaks, V.
func (d *Drive) Summary() []rths.Value {
	var out []rths.Value
	for i, v := range d.peak {
		out = append(out, rths.Value{Meaning: rths.Meaning{Quantity: "peak", Axis: i + 1}, Unit: "V", V: v,
			Doc: fmt.Sprintf("largest voltage of the command of actuator %d; the converters end at 3.8 V", i+1)})
	}
	return ofFamily("drive", out)
}

// VisitState visits the peaks.
func (d *Drive) VisitState(v *rths.StateVisitor) { v.Floats(d.peak) }
