package papers

import (
	"context"
	"fmt"
	"math"

	"rths/analyse"
	"rths/stability"
	"rths/structure"
)

// StabilitySuite is the suite of published stability results: critical delays of
// paper 001 (section 5.1, Fig. 5.4, eq. 7.26) by several methods, and the tests of
// its section 7.4 where there are ground motions.
type StabilitySuite struct {
	RecordsDir string // "": without the tests
	Workers    int
	Trips      []Row // made by Run: how a limit of SW at 100 % ends the tests
	Trapezoids []Row // made by Run: SW by trapezoids of the force, (5.18) as printed
}

// Run computes the rows: quantity, case, method, value, unit, published.
func (s *StabilitySuite) Run(ctx context.Context) (*Suite, error) {
	rows, err := criticalDelays()
	if err != nil {
		return nil, err
	}
	if s.RecordsDir != "" {
		simulated, trips, printed, err := (&stabilitySimulated{RecordsDir: s.RecordsDir, Workers: s.Workers}).rows(ctx)
		if err != nil {
			return nil, err
		}
		rows, s.Trips, s.Trapezoids = append(rows, simulated...), trips, printed
	}
	return &Suite{Name: "stability", Rows: rows}, nil
}

// stabilityRow is one row of the suite. A value that does not exist and one that
// was not published are null.
func stabilityRow(quantity, system, method string, value float64, unit string, published any) Row {
	return Row{{"quantity", quantity}, {"case", system}, {"method", method}, {"value", value}, {"unit", unit}, {"published", published}}
}

// delayRow is a critical delay in ms, null where none exists.
func delayRow(system, method string, c stability.Critical, published any) Row {
	return stabilityRow("critical_delay_ms", system, method, 1e3*c.Delay, "ms", published)
}

// oscillator is the system of paper 001, section 5.1, with its shares.
func oscillator(m, hz, ratio, me, ce, ke float64) *stability.Hybrid {
	w := 2 * math.Pi * hz
	c, k := 2*ratio*w*m, w*w*m
	return stability.SDOF((1-me)*m, (1-ce)*c, (1-ke)*k, me*m, ce*c, ke*k)
}

// criticalDelays are the rows of critical delays.
func criticalDelays() ([]Row, error) {
	var rows []Row
	both := func(name string, h *stability.Hybrid, published any) error {
		exact, err := h.Critical()
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		pade, err := h.CriticalPade(2)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		rows = append(rows, delayRow(name, "exact", exact, published), delayRow(name, "pade2", pade, published))
		return nil
	}
	if err := both("sdof", oscillator(100, 2, 0.03, 0.1, 0.4, 0.4), 16.0); err != nil {
		return nil, err
	}
	for _, system := range []struct {
		name  string
		ratio float64
	}{{"S1", 0.03}, {"S2", 0.06}} {
		for i := 1; i <= 19; i++ {
			ke := float64(i) / 20
			if err := both(fmt.Sprintf("%s %g", system.name, ke), oscillator(500, 5, system.ratio, 0.2, 0.2, ke), nil); err != nil {
				return nil, err
			}
		}
	}
	for i, name := range []string{"case I", "case II", "case III", "case IV"} {
		more, err := caseDelays(i+1, name)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		rows = append(rows, more...)
	}
	return rows, nil
}

// caseDelays are those of a partition case of the benchmark with the thesis'
// specimen (paper 001, section 7.1); published is case IV by the modal method (7.26).
func caseDelays(number int, name string) ([]Row, error) {
	const me, ce, ke = 29.1, 114.6, 1.19e6
	whole, err := (&structure.Silva2020{Case: number}).Make()
	if err != nil {
		return nil, err
	}
	p, err := whole.Divide(0, me, ce, ke)
	if err != nil {
		return nil, err
	}
	h, err := stability.NewHybrid(p, me, ce, ke)
	if err != nil {
		return nil, err
	}
	exact, err := h.Critical()
	if err != nil {
		return nil, err
	}
	modes, err := whole.Modes()
	if err != nil {
		return nil, err
	}
	modal, err := h.CriticalModal(analyse.ModalRange(modes))
	if err != nil {
		return nil, err
	}
	var published any
	if number == 4 {
		published = 8.5
	}
	return []Row{delayRow(name, "exact", exact, nil), delayRow(name, "modal", modal, published)}, nil
}
