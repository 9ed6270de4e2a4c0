package identify

import "rths/maths/lti"

// At is what is known of the test when a compensator is made: rate, timing, actuators, plant.
type At struct {
	RateHz float64

	// Lead is how many samples ahead of the reading the target of the same tick
	// is: 0 with timing "current", 1 with "next" (docs/guides/run-a-test.md). The command
	// made from the target of t_j belongs to the measurement of t_j: a method that
	// learns pairs the reading of tick k with the command of tick k − Lead.
	Lead int

	// Ahead is the part of Lead by which the parts of a chain in front extrapolate,
	// samples: the target of this tick belongs to an instant so much later. 0 elsewhere.
	Ahead int

	// BareInverse returns the first n coefficients of u/x = c₀ + c₁s + … of the
	// transfer system without specimen; nil where it has no such model, or an inner loop
	// around it.
	BareInverse func(n int) ([]float64, error)

	// Delay is the pure delay of the transfer system, s, which BareInverse includes as e^{s Delay};
	// 0 where there is none, or an inner loop around it.
	Delay float64

	// Loaded reports whether the force of the specimen loads the transfer system, so that
	// the plant differs from the bare one.
	Loaded bool

	// Plant is the frequency response from the command that aims at an instant to the
	// displacement measured at that instant, of the actuator of a compensator with one
	// axis: the nominal plant with its specimen at rest, hold, delays and inner loop; nil
	// where it is not known.
	Plant func(hz float64) (complex128, error)

	// Noise is the standard deviation of the white noise of the displacement sensors, m;
	// 0: none, or not known.
	Noise float64

	// Accelerometer reports whether Reading.A has the acceleration of every actuator, its mean over the sample before
	// the reading; AccelerationNoise is the standard deviation of its white noise, m/s², 0: none, or not known.
	Accelerometer     bool
	AccelerationNoise float64

	// Stroke and Rate are the largest command, m, and its largest change, m/s, that the
	// actuators follow; 0: not known.
	Stroke, Rate float64

	// MainStep is the number of samples from one bend of the target to the next, where the
	// structure is integrated with a longer step (two_rate); 0 or 1 elsewhere.
	MainStep int

	// Axes is the number of actuators: lengths of command, target.X and read.X;
	// 0 means 1.
	Axes int

	// Model returns the continuous control plant with its specimen: commands of all
	// actuators, m, to displacements of all actuators, m, both in the order of the
	// axes of command and Reading.X (inputs and outputs are Axes, D is 0 where the
	// plant is strictly proper). It is the nominal plant, also where the one loaded is
	// perturbed, and stands without a pure delay; nil where the plant is not linear.
	Model func() (lti.SS, error)

	// Alone is how the targets of all actuators, m, answer a ground acceleration of
	// 1 m/s² at hz with nothing to load: the numerical part by itself, as in an
	// off-line test. nil where the scenario has one actuator.
	Alone func(hz float64) ([]complex128, error)
}

// Start is Plant, to start from its inverse.
func (at At) Start() Plant {
	return Plant{H: at.Plant, RateHz: at.RateHz, MainStep: at.MainStep}
}

// Bare is BareInverse after an extrapolation: it leaves Ahead samples less of lag, e^{−s
// Ahead h} u/x.
func (at At) Bare(n int) ([]float64, error) {
	c, err := at.BareInverse(n)
	if err != nil || at.Ahead == 0 {
		return c, err
	}
	return Advanced(c, -float64(at.Ahead)/at.RateHz), nil
}

// PureDelay is the pure delay that an extrapolation in front leaves, s.
func (at At) PureDelay() float64 { return max(0, at.Delay-float64(at.Ahead)/at.RateHz) }

// Advanced are the first coefficients of c(s) e^{st}, as many as there are of c(s) = c₀ + c₁s + ….
func Advanced(c []float64, t float64) []float64 {
	out := make([]float64, len(c))
	for k := range out {
		term := 1.0 // tʲ/j!
		for j := range k + 1 {
			out[k] += term * c[k-j]
			term *= t / float64(j+1)
		}
	}
	return out
}
