package plant

// Channel is the converter of one actuator's command: v = (u/c − v₀)/g with u and v₀
// in mm (docs/reference/benchmark-multiaxial.md, Noise and channels).
type Channel struct {
	MmPerVolt  float64 // g
	OffsetMm   float64 // v₀
	Correction float64 // c, -
}

// marthsChannels has the multi-axial benchmark's two actuators.
var marthsChannels = []Channel{{7.4921, 0.0092, 1.053}, {7.3907, -0.0059, 1.055}}

// Volts is the voltage v = per·u + at of a command u, m.
func (c Channel) Volts() (per, at float64) {
	return 1e3 / (c.Correction * c.MmPerVolt), -c.OffsetMm / c.MmPerVolt
}

// Wired is implemented by transfer systems whose commands leave as voltages.
type Wired interface{ Channels() []Channel }

// Channels are the benchmark's converters. They do not saturate in the loop: the
// benchmark compares the voltages with 3.8 V after the run.
func (*MaRTHS) Channels() []Channel { return marthsChannels }
