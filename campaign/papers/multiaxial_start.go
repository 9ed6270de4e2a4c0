package papers

import (
	"context"
	"fmt"
	"slices"

	"rths"
	"rths/campaign/suite"
	"rths/method/compensate"
	"rths/method/identify"
	"rths/scenario"
)

// starts are the initial parameters of ats, adm and adm-msmc on the multi-axial benchmark,
// by actuator, for all cases and plants (docs/reference/benchmark-multiaxial.md, The suite). They
// come from an off-line test without noise: the command is the response of the numerical
// part alone to El Centro × 0.2, case 1, in front of the inner PI loop or of msmc.
type starts struct {
	ats        []compensate.ATS
	adm        []compensate.ADM
	theta0, p0 [][]float64 // of adm-msmc
}

// use sets the initial parameters in the scenario of a row.
func (s *starts) use(sc *scenario.Scenario, compensator string) {
	var makers []compensate.Maker
	switch compensator {
	case "ats":
		for _, p := range s.ats {
			makers = append(makers, &p)
		}
	case "adm":
		for _, p := range s.adm {
			makers = append(makers, &p)
		}
	case "adm-msmc":
		p := sc.Compensator.Params.(*compensate.ADMMSMC)
		p.Theta0, p.P0 = s.theta0, s.p0
		return
	default:
		return
	}
	sc.UseEach(compensator, makers...)
}

// calibrate runs the off-line tests that rows need: ats and adm stand in front of the inner
// loop, the models of adm-msmc in front of msmc.
func (s *MultiAxial) calibrate(ctx context.Context, lab suite.Lab) error {
	if s.starts != nil {
		return nil
	}
	out := &starts{}
	if slices.ContainsFunc(s.Compensators, func(c string) bool { return c == "ats" || c == "adm" }) {
		if err := s.offlineTest(ctx, lab, "none", out.fitInner); err != nil {
			return fmt.Errorf("calibration of ats and adm: %w", err)
		}
	}
	if slices.Contains(s.Compensators, "adm-msmc") {
		if err := s.offlineTest(ctx, lab, "msmc", out.fitSliding); err != nil {
			return fmt.Errorf("calibration of adm-msmc: %w", err)
		}
	}
	s.starts = out
	return nil
}

func (s *starts) fitInner(r, y []float64, rateHz float64) error {
	ats, adm, err := startsOf(r, y, rateHz)
	s.ats, s.adm = append(s.ats, ats), append(s.adm, adm)
	return err
}

func (s *starts) fitSliding(r, y []float64, rateHz float64) error {
	theta, p0, err := identify.Offline{RateHz: rateHz, Taps: admTaps}.Recorded(r, y)
	s.theta0, s.p0 = append(s.theta0, theta), append(s.p0, p0)
	return err
}

// offlineTest runs the off-line test on the loop of a row, and fits every actuator to it.
func (s *MultiAxial) offlineTest(ctx context.Context, lab suite.Lab, compensator string,
	fit func(r, y []float64, rateHz float64) error) error {
	test := &MultiAxial{Benchmark: Benchmark{Seed: s.Seed}}
	sc, err := test.with(&trial{trialHead: trialHead{Compensator: compensator, Record: "elcentro", Case: 1, Scale: 0.2,
		Noise: "off"}}, "loop=open")
	if err != nil {
		return err
	}
	var r, y [2][]float64 // targets, which are the references of the loop, and displacements, m
	out, err := lab.Play(ctx, sc, nil, func(run *scenario.Run) {
		run.Loop.Attach(suite.Watch(func(f *rths.Frame) {
			for i := range r {
				r[i], y[i] = append(r[i], f.Desired[i]), append(y[i], f.Read.X[i])
			}
		}))
	})
	if err != nil {
		return err
	}
	if out.Status != rths.Completed {
		return fmt.Errorf("the off-line test has %s", out.Status)
	}
	for i := range r {
		if err := fit(r[i], y[i], sc.RateHz); err != nil {
			return fmt.Errorf("actuator %d: %w", i+1, err)
		}
	}
	return nil
}

// admTaps of the discrete model, the low-pass of the regressions, and below what root mean
// square of the window ats waits.
const (
	admTaps   = 4
	fitBandHz = 20
	fitOrder  = 4
	atsQuiet  = 0.2e-3 // m
)

// atsBox are the bounds of ats about its start, in s⁰, s¹, s².
var atsBox = []float64{0.3, 0.02, 2e-4}

// startsOf fits both methods to reference r and displacement y of one actuator.
func startsOf(r, y []float64, rateHz float64) (ats compensate.ATS, adm compensate.ADM, err error) {
	theta, p0, err := identify.Offline{RateHz: rateHz, Taps: admTaps}.Recorded(r, y)
	if err != nil {
		return ats, adm, err
	}
	adm = compensate.ADM{
		P: 0, Q: admTaps, Initial: "given", Theta0: theta, P0: p0, History: "target", Spacing: 1, Forgetting: 1,
		FilterOrder: fitOrder, FilterHz: fitBandHz,
	}
	series, err := identify.OfflineSeries(r, y, len(atsBox), rateHz)
	ats = compensate.ATS{Order: 2, Initial: "given", A: series, Window: 1, FilterOrder: fitOrder, FilterHz: fitBandHz,
		SuspendRMS: atsQuiet}
	for i, v := range series {
		ats.Lower, ats.Upper = append(ats.Lower, v-atsBox[i]), append(ats.Upper, v+atsBox[i])
		ats.MaxRate = append(ats.MaxRate, 2*atsBox[i]*rateHz) // across the box in a sample: no limit
	}
	return ats, adm, err
}
