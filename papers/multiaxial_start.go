package papers

import (
	"fmt"
	"slices"

	"rths"
	"rths/compensate"
	"rths/scenario"
)

// starts are the initial parameters of ats, adm and adm-msmc on the multi-axial benchmark,
// by actuator, for all cases and plants (docs/benchmark-multiaxial.md, The suite). They
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

// calibrate runs the off-line tests that rows need.
func (s *MultiAxial) calibrate(lab Lab) error {
	if s.starts != nil {
		return nil
	}
	out := &starts{}
	if slices.Contains(s.Compensators, "ats") || slices.Contains(s.Compensators, "adm") {
		if err := s.startsOfInner(lab, out); err != nil {
			return fmt.Errorf("calibration of ats and adm: %w", err)
		}
	}
	if slices.Contains(s.Compensators, "adm-msmc") {
		if err := s.startsOfSliding(lab, out); err != nil {
			return fmt.Errorf("calibration of adm-msmc: %w", err)
		}
	}
	s.starts = out
	return nil
}

// startsOfInner fits ats and adm in front of the inner loop.
func (s *MultiAxial) startsOfInner(lab Lab, out *starts) error {
	log, rateHz, err := s.offlineTest(lab, "none")
	if err != nil {
		return err
	}
	for i := range log.r {
		ats, adm, err := startsOf(log.r[i], log.y[i], rateHz)
		if err != nil {
			return fmt.Errorf("actuator %d: %w", i+1, err)
		}
		out.ats, out.adm = append(out.ats, ats), append(out.adm, adm)
	}
	return nil
}

// startsOfSliding fits the models in front of msmc.
func (s *MultiAxial) startsOfSliding(lab Lab, out *starts) error {
	log, rateHz, err := s.offlineTest(lab, "msmc")
	if err != nil {
		return err
	}
	for i := range log.r {
		theta, p0, err := compensate.OfflineTest(log.r[i], log.y[i], admTaps, compensate.At{RateHz: rateHz})
		if err != nil {
			return fmt.Errorf("actuator %d: %w", i+1, err)
		}
		out.theta0, out.p0 = append(out.theta0, theta), append(out.p0, p0)
	}
	return nil
}

// offlineTest runs the off-line test on the loop of a row.
func (s *MultiAxial) offlineTest(lab Lab, compensator string) (log loading, rateHz float64, err error) {
	test := &MultiAxial{Benchmark: Benchmark{Seed: s.Seed}}
	sc, err := test.with(&trial{trialHead: trialHead{Compensator: compensator, Record: "elcentro", Case: 1, Scale: 0.2, Noise: "off"}}, "loop=open")
	if err != nil {
		return log, 0, err
	}
	out, err := lab.play(sc, nil, func(run *scenario.Run) { run.Loop.Attach(&log) })
	if err == nil && out.status != "completed" {
		err = fmt.Errorf("the off-line test has %s", out.status)
	}
	return log, sc.RateHz, err
}

// loading records targets, which are the references of the loop, and
// displacements, m.
type loading struct{ r, y [2][]float64 }

func (l *loading) Observe(f *rths.Frame) {
	for i := range l.r {
		l.r[i], l.y[i] = append(l.r[i], f.Desired[i]), append(l.y[i], f.Read.X[i])
	}
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
	theta, p0, err := compensate.OfflineTest(r, y, admTaps, compensate.At{RateHz: rateHz})
	if err != nil {
		return ats, adm, err
	}
	adm = compensate.ADM{
		P: 0, Q: admTaps, Initial: "given", Theta0: theta, P0: p0, History: "target", Spacing: 1, Forgetting: 1,
		FilterOrder: fitOrder, FilterHz: fitBandHz,
	}
	series, err := compensate.OfflineSeries(r, y, len(atsBox), rateHz)
	ats = compensate.ATS{Order: 2, Initial: "given", A: series, Window: 1, FilterOrder: fitOrder, FilterHz: fitBandHz, SuspendRMS: atsQuiet}
	for i, v := range series {
		ats.Lower, ats.Upper = append(ats.Lower, v-atsBox[i]), append(ats.Upper, v+atsBox[i])
		ats.MaxRate = append(ats.MaxRate, 2*atsBox[i]*rateHz) // across the box in a sample: no limit
	}
	return ats, adm, err
}
