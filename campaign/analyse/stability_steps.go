package analyse

import (
	"context"
	"fmt"
	"io"
	"math"
	"math/cmplx"
	"slices"
	"text/tabwriter"

	"rths/model/integrate"
	"rths/result/record"
	"rths/scenario"
	"rths/scenario/growth"
)

// predictorPlane is the name of the plane over main steps and predictors.
const predictorPlane = "predictors"

// mainSteps are the spectral radius of one main step Δt of the whole loop (paper 003 leaves its stability open): over
// Δt and the force of the specimen, and over Δt and the predictor. At 1 times its force the specimen is as it is. All
// of it is the loop as it runs, linearised, with the compensator of the scenario.
func mainSteps(ctx context.Context, s *scenario.Scenario) ([]*Plane, error) {
	x := Axis{Column: "main_step_ms", Label: "main step Δt, ms", Log: true}
	x.Own = 1e3 * float64(s.TwoRate.MainStep) / s.RateHz
	for _, n := range mainStepsAbout(s.TwoRate.MainStep) {
		x.At = append(x.At, 1e3*float64(n)/s.RateHz)
	}
	forces := Axis{Column: "force_factor", Label: "force of the specimen, times", Log: true, Own: 1}
	if forces.At = []float64{1}; s.Force != "computed" { // the model of the specimen has no force_gain
		forces.At = nil
		for i := -4; i <= 4; i++ { // a tenth to ten times
			forces.At = append(forces.At, math.Pow(10, float64(i)/4))
		}
	}
	predictors := Axis{Column: "predictor", Label: "predictor"}
	for i, k := range integrate.Predictors {
		predictors.At, predictors.Names = append(predictors.At, float64(i)), append(predictors.Names, k.Name)
		if k.Name == s.TwoRate.Predictor.Kind {
			predictors.Own = float64(i)
		}
	}
	hz, err := slowestHz(ctx, s)
	if err != nil {
		return nil, err
	}
	radius := Layer{Column: "spectral_radius", Label: "spectral radius of a main step", Limit: new(1.0)}
	steps, choice := newPlane("steps", x, forces, radius), newPlane(predictorPlane, x, predictors, radius,
		Layer{Column: "prediction_error_pct", Label: fmt.Sprintf("error of prediction at %.2f Hz, %%", hz)})
	steps.Caption = fmt.Sprintf("Spectral radius of one main step of the whole loop (red: stable below 1): above with "+
		"predictor %s, in the middle with every predictor. Below, the error of a predicted vibration of %.2f Hz. The main "+
		"step of the test is %s of 1/%g s: %.4g ms.", s.TwoRate.Predictor.Kind, hz,
		samples(s.TwoRate.MainStep), s.RateHz, x.Own)
	of := func(ms float64, sets ...string) ([]float64, error) {
		n := int(math.Round(ms * s.RateHz / 1e3))
		t, err := s.With(append(sets, fmt.Sprintf("two_rate.main_step=%d", n))...)
		if err != nil {
			return nil, err
		}
		roots, err := rootsAtRest(ctx, t)
		if err != nil {
			return []float64{math.NaN()}, nil // too long a step for the integrator
		}
		_, moving := growth.Grows(roots)
		return []float64{math.Pow(moving, float64(n))}, nil
	}
	if err := steps.fill(ctx, func(ms, factor float64) ([]float64, error) {
		return of(ms, fmt.Sprintf("sensors.force_gain=%v", factor*s.Sensors.ForceGain))
	}); err != nil {
		return nil, err
	}
	return []*Plane{steps, choice}, choice.fill(ctx, func(ms, i float64) ([]float64, error) {
		set, predictor := []string{}, integrate.Predictors[int(i)].Defaults()
		if i == predictors.Own {
			predictor = s.TwoRate.Predictor.Params
		} else {
			set = []string{fmt.Sprintf("two_rate.predictor={kind: %s}", predictors.Names[int(i)])}
		}
		radius, err := of(ms, set...)
		return append(radius, 100*predictionError(predictor, s.Integrator.Params, 2*math.Pi*hz*ms/1e3)), err
	})
}

// samples is a number of samples in words.
func samples(n int) string {
	if n == 1 {
		return "1 sample"
	}
	return fmt.Sprintf("%d samples", n)
}

// slowestHz is the frequency of the motion of the loop that decays slowest, Hz.
func slowestHz(ctx context.Context, s *scenario.Scenario) (float64, error) {
	roots, err := rootsAtRest(ctx, s)
	if err != nil {
		return 0, err
	}
	var l LoopVerdict
	l.motions(roots, s.RateHz)
	return l.slowest().FreqHz, nil
}

// predictionError is |β e^{jφ} − 1| of a predictor at Ω = ω Δt (paper 003, eqs 9 to 11, Fig. 7); NaN if it has no
// weights with the integrator.
func predictionError(p integrate.Predictor, in integrate.Maker, omega float64) float64 {
	if d, ok := p.(*integrate.DualExplicit); ok && d.Lambda == 0 {
		if f, ok := in.(interface{ FamilyLambda() float64 }); ok {
			p = &integrate.DualExplicit{Lambda: f.FamilyLambda()}
		}
	}
	w, err := p.Weights()
	if err != nil {
		return math.NaN()
	}
	return cmplx.Abs(w.Response(omega) - 1)
}

// mainStepsAbout are numbers of samples from 1 to four times the test's, about three in an octave.
func mainStepsAbout(own int) []int {
	var out []int
	for i := 6; ; i-- {
		n := int(math.Round(float64(own) * math.Pow(2, float64(i)/3)))
		if n < 1 {
			break
		}
		out = append(out, n)
	}
	slices.Reverse(out)
	return slices.Compact(out)
}

// printSteps prints which main steps each predictor allows.
func printSteps(out io.Writer, p *Plane) {
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	own := slices.Index(p.X.At, p.X.Own)
	fmt.Fprintf(t, "predictor\tstable main steps tried, ms\tspectral radius at %.4g ms\t%s\t\n", p.X.Own,
		p.Layers[1].Label)
	for j, name := range p.Y.Names {
		radius := p.Layers[0].Value[j]
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t\n", name, stableOf(p.X.At, radius), record.Text("%.6f", radius[own]),
			record.Text("%.2f", p.Layers[1].Value[j][own]))
	}
	t.Flush()
}

// stableOf names the ranges in which a radius is at most 1, up to rounding.
func stableOf(at, radius []float64) string {
	text := ""
	for i := 0; i < len(at); i++ {
		if !(radius[i] <= 1+1e-9) {
			continue
		}
		first := i
		for i+1 < len(at) && radius[i+1] <= 1+1e-9 {
			i++
		}
		if text != "" {
			text += ", "
		}
		if text += fmt.Sprintf("%.3g", at[first]); i > first {
			text += fmt.Sprintf(" to %.3g", at[i])
		}
	}
	if text == "" {
		return "none"
	}
	return text
}
