package scenario

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"rths"
	"rths/lab/rig"
	"rths/maths/signal"
	"rths/method/criteria"
	"rths/method/stability"
)

// byNoise is how often noise alone may cross a limit in a test without a warning.
const byNoise = 0.05

// boundless are the channels that bound neither motion nor force.
var boundless = []string{nonFinite, "age", "late_ticks"}

// doubtLimits warns of stated limits that noise crosses, that no motion reaches, or that bound no motion at all.
func (b *builder) doubtLimits() error {
	only := true
	for i, l := range b.s.Limits {
		if only = only && slices.Contains(boundless, l.Channel); !(l.Trip > 0) {
			continue
		}
		text := b.noisy(&l)
		if text == "" {
			text = b.beyondRating(&l)
		}
		if text == "" && b.axisless(l.Channel) == "error_m" {
			motion, err := b.motion()
			if err != nil {
				return err
			}
			if motion > 0 && l.Trip > motion {
				text = fmt.Sprintf(
					"above the largest displacement of the test, %.3g m: a specimen that stands still keeps it; want %.2g m or "+
						"less, half of that", motion, motion/2)
			}
		}
		if text != "" {
			b.run.Warnings = append(b.run.Warnings, b.s.At(fmt.Sprintf("limits[%d].trip", i+1),
				fmt.Errorf("%s %g is %s", l.Channel, l.Trip, text)).Error())
		}
	}
	if only {
		b.run.Warnings = append(b.run.Warnings, b.s.At("limits",
			fmt.Errorf("%s alone bound neither motion nor force: want limits on measured_m, error_m and force_N beside it, or "+
				"no key limits for the default ones", strings.Join(boundless, ", "))).Error())
	}
	return nil
}

// axisless is the guard's channel of all axes for one of a single axis; any other channel as it is.
func (b *builder) axisless(channel string) string {
	coordinates, axes, forces := b.boundary.size()
	n := max(coordinates, axes, forces)
	for _, of := range []struct{ quantity, unit string }{
		{"command", "m"}, {"measured", "m"}, {"velocity", "m/s"}, {"error", "m"}, {"force", "N"},
	} {
		for i := range n {
			if channel == rths.ColumnName(of.quantity, of.unit, i, n) {
				return rths.ColumnName(of.quantity, of.unit, 0, 1)
			}
		}
	}
	return channel
}

// noisy says that noise alone crosses a limit; "": it does not.
func (b *builder) noisy(l *Limit) string {
	sensors := &b.s.Sensors
	sd, unit := 0.0, "m"
	switch b.axisless(l.Channel) {
	case "measured_m", "error_m":
		sd = sensors.DisplacementSD(b.s.RateHz)
	case "velocity_m_s": // a mean of the displacement's differences
		samples := math.Round(rig.VelocityS * b.s.RateHz)
		sd, unit = math.Sqrt2*sensors.DisplacementSD(b.s.RateHz)*b.s.RateHz/max(1, samples), "m/s"
	case "force_N":
		if sd, unit = sensors.ForceNoise, "N"; sensors.ForceNoisePower > 0 {
			sd = signal.PowerToSD(sensors.ForceNoisePower, b.h)
		}
	}
	if sd == 0 {
		return ""
	}
	crossings := float64(b.run.Samples) * math.Erfc(l.Trip/(sd*math.Sqrt2))
	if crossings < byNoise {
		return ""
	}
	return fmt.Sprintf(
		"%.2g times the sensor's noise of %.3g %s: noise alone crosses it in %.3g of %d samples; want %.2g or more",
		l.Trip/sd, sd, unit, crossings, b.run.Samples, sd*math.Sqrt2*math.Erfcinv(byNoise/float64(b.run.Samples)))
}

// beyondRating says that a limit lies above what the actuator can do; "": it does not. (A command may be faster than
// the actuator, and is clipped then.)
func (b *builder) beyondRating(l *Limit) string {
	rating := b.s.Rating()
	most, of, unit := 0.0, "stroke", "m"
	switch b.axisless(l.Channel) {
	case "command_m", "measured_m", "error_m":
		most = rating.Stroke
	case "velocity_m_s":
		most, of, unit = rating.Rate, "rate", "m/s"
	case "force_N":
		most, of, unit = rating.Force, "force", "N"
	}
	if most == 0 || l.Trip <= most {
		return ""
	}
	return fmt.Sprintf("above the actuator's %s of %g %s: nothing reaches it before the actuator's end", of, most, unit)
}

// motion is the largest displacement that the actuator of a test is to reach, m: of the prescribed target, or of the
// undivided structure. 0: not known.
func (b *builder) motion() (most float64, err error) {
	_, one := b.boundary.(oneDOF)
	if one && b.s.Target.Given() {
		return peakOf(b.run.Motion.A), nil
	}
	if !one || b.judged.Reference == nil || b.s.OnShakeTable() {
		return 0, nil
	}
	ref, err := b.boundary.reference(b)
	if err != nil {
		return 0, err
	}
	wave, n := b.wave()
	return largest(ref, wave, n, b.run.Steps, b.judged.Interface), nil
}

// largest is the largest displacement of a degree of freedom of a reference response to n components of a wave.
func largest(ref criteria.Reference, wave []float64, n, samples, dof int) (most float64) {
	stability.Respond(ref, wave, n, samples, func(_ int, _ []float64) {
		most = max(most, math.Abs(ref.State().X[dof]))
	})
	return most
}

func peakOf(x []float64) float64 {
	if len(x) == 0 {
		return 0
	}
	return max(slices.Max(x), -slices.Min(x))
}
