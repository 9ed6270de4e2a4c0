package compensate

import (
	"errors"
	"fmt"
	"math"
)

// Lag is the constant delay τ that some compensators remove, counted from the target's
// instant: with timing "current" the command leaves at this instant, with "next" a sample
// before. τ is the transfer system's delay plus half a sample for the held command, or the
// delay of the plant as the compensator sees it.
type Lag struct {
	Delay string  `yaml:"delay,omitempty" doc:"where τ comes from: given (key tau_ms), bare-transfer (slow-motion delay of the scenario's transfer system without specimen, and of holding the command), or plant (of the scenario's plant up to 3 Hz, inner loop included); left out: given if tau_ms is, else the first of bare-transfer and plant that there is, else 20 ms"`
	TauMs float64 `yaml:"tau_ms" doc:"delay τ, ms; 0: see delay"`
}

// longestTau is how far a law that follows a delay goes by default, ms. A servo-hydraulic actuator of 2500 kN is 70 ms
// late, and its lag grows as 1/√(1 − F/(A P_s)) with the load F: to 2.2 times as much at 80 % of the stall force.
const longestTau = 160

// wantTau wants room for a delay at first below the longest, both in ms.
func wantTau(tau, most float64) error {
	switch {
	case !(most >= 0) || most > 1e3:
		return fmt.Errorf("max_tau_ms %g: want 0 to 1000", most)
	case !(tau >= 0):
		return fmt.Errorf("tau_ms %g: want 0 to max_tau_ms, %g", tau, most)
	case tau > most:
		return fmt.Errorf("a delay of %.3g ms at first, more than max_tau_ms, %g: want a larger max_tau_ms", tau, most)
	}
	return nil
}

// mostAhead is how far an extrapolation in a chain may reach, samples.
const mostAhead = 1e5

// whole resolves τ in front of another part of a chain, and returns it in samples: the next
// part pairs commands with readings, and so knows whole samples only. A τ that is left open is
// rounded.
func (p *Lag) whole(name string, at At) (n int, open bool, err error) {
	open = p.TauMs == 0 && p.Delay != "given"
	tau, err := p.resolve(name, at)
	if err != nil {
		return 0, open, err
	}
	if !(tau*at.RateHz <= mostAhead) {
		return 0, open, fmt.Errorf("%s: tau_ms %g is %.3g samples: in front of another part want at most %.0f", name, p.TauMs,
			tau*at.RateHz, mostAhead)
	}
	h := 1e3 / at.RateHz // ms
	n = int(math.Round(tau * at.RateHz))
	if off := math.Abs(tau*at.RateHz - float64(n)); off > 1e-6 && !open {
		least := math.Floor(tau * at.RateHz)
		return 0, open,
			fmt.Errorf("%s: tau_ms %g is %.4g samples of %g Hz: in front of another part want a whole number, as %.9g "+
				"or %.9g ms", name, p.TauMs, tau*at.RateHz, at.RateHz, least*h, (least+1)*h)
	}
	p.TauMs = float64(n) * h
	return n, open, nil
}

// resolve fills in τ and returns it in s.
func (p *Lag) resolve(name string, at At) (float64, error) {
	if !(p.TauMs >= 0) || math.IsInf(p.TauMs, 1) {
		return 0, fmt.Errorf("%s: tau_ms %g: want 0 or more", name, p.TauMs)
	}
	if p.Delay == "" {
		p.leftOpen(at)
	}
	var tau float64
	var err error
	switch {
	case p.Delay == "given":
		return p.TauMs / 1e3, nil
	case p.Delay != "bare-transfer" && p.Delay != "plant":
		return 0, fmt.Errorf("%s: delay %q: want given, bare-transfer or plant", name, p.Delay)
	case p.TauMs > 0:
		return 0, fmt.Errorf("%s: delay %s and tau_ms %g: want one of them", name, p.Delay, p.TauMs)
	case p.Delay == "plant":
		tau, _, err = at.Start().DelayAndGain()
	default:
		tau, err = bareDelay(at)
	}
	if err != nil {
		return 0, fmt.Errorf("%s: delay %s: %w", name, p.Delay, err)
	}
	p.Delay, p.TauMs = "given", 1e3*max(tau, 0)
	return p.TauMs / 1e3, nil
}

// leftOpen chooses where τ comes from.
func (p *Lag) leftOpen(at At) {
	p.Delay = "given"
	if p.TauMs > 0 {
		return
	}
	if at.BareInverse != nil {
		p.Delay = "bare-transfer"
	} else if _, _, err := at.Start().DelayAndGain(); err == nil {
		p.Delay = "plant"
	} else {
		p.TauMs = 20
	}
}

// bareDelay is the delay of the transfer system without specimen, s. The command is held
// for a sample, half of which is delay; with lead it leaves earlier.
func bareDelay(at At) (float64, error) {
	if at.BareInverse == nil {
		return 0, errors.New("this transfer system has no model to expand, or an inner loop around it: want delay given " +
			"and tau_ms")
	}
	c, err := at.BareInverse(2) // u/x = c0 + c1 s: a delay of c1/c0
	if err != nil {
		return 0, err
	}
	if !(c[1]/c[0] >= 0) {
		return 0, fmt.Errorf("the transfer system leads by %g s: want one that lags", -c[1]/c[0])
	}
	return c[1]/c[0] + (0.5-float64(at.Lead))/at.RateHz, nil
}
