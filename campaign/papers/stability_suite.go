package papers

import (
	"context"
	"fmt"
	"math"

	"rths/campaign/analyse"
	"rths/campaign/suite"
	"rths/method/stability"
	"rths/model/structure"
)

// Stability is the suite of published stability results: critical delays of paper 001
// (section 5.1, Fig. 5.4, eq. 7.26) by several methods, and the tests of its section 7.4
// where there are ground motions.
type Stability struct{}

var stabilitySuite = suite.Suite{
	Name:  "stability",
	Short: "Critical delays by several methods, and tests with SW and EEI",
	Long: `Critical delays of Gálmez 2021: the oscillator of section 5.1, both systems of
Fig. 5.4 over the specimen's share of the stiffness, and partition cases I to IV of
the benchmark (eq. 7.26). With ground motions (RTHS_RECORDS or --records) also the tests of
its section 7.4: case IV under Kobe × 0.4 with constant delays and four sets of gains,
with tracking error, stability warning indicator SW and energy error indicator. SW takes
the work of the force as RK4 holds it; a further table has SW with trapezoids of the force
as printed (eq. 5.18), up to 1.4 points lower. A value that does not exist, or was not
published, is null. JSON has both tables as trips and sw_trapezoids.`,
	Example: `  rths benchmark stability
  rths benchmark stability --json`,
	New: func() suite.Study { return Stability{} },
}

// stabilityRow is one number. A value that does not exist is NaN.
type stabilityRow struct {
	system    string   `draw:"label"` // as Case, without the share of the stiffness
	Quantity  string   `col:"quantity" print:"%s" draw:"criterion"`
	Case      string   `col:"case" print:"%s" draw:"-"`
	Method    string   `col:"method" print:"%s"`
	Value     float64  `col:"value" print:"%.3f"`
	Unit      string   `col:"unit" print:"%s" draw:"-"`
	Published *float64 `col:"published" print:"%g" head:"Gálmez 2021"`
	share     *float64 `draw:"over" head:"stiffness ratio"`
}

// tripRow is how a limit of SW at 100 % ends a test.
type tripRow struct {
	Case    string  `col:"case" print:"%s"`
	At      float64 `col:"trip_s" print:"%.2f" head:"trips at, s"`
	Then    float64 `col:"displacement_mm" print:"%.2f" head:"displacement then, mm"`
	Before  float64 `col:"largest_before_mm" print:"%.2f" head:"largest before, mm"`
	Largest float64 `col:"largest_mm" print:"%.2f" head:"with the way down, mm"`
}

// trapezoidRow is SW by trapezoids of the force, (5.18) as printed.
type trapezoidRow struct {
	Case    string  `col:"case" print:"%s"`
	Largest float64 `col:"sw_max_pct" print:"%.3f" head:"largest SW, %"`
	Cross   float64 `col:"sw_cross_s" print:"%.3f" head:"reaches 100 %, s"`
}

const longDelays = `
– where none exists. Gálmez (2021) looked for critical delays from 0 to 100 ms only; those
beyond exist as well and are given.
`

// Run computes the critical delays, and runs the tests.
func (Stability) Run(ctx context.Context, lab suite.Lab) (*suite.Result, error) {
	rows, err := criticalDelays()
	if err != nil {
		return nil, err
	}
	var runs []*simulated
	if lab.RecordsDir != "" {
		if runs, err = simulate(ctx, lab); err != nil {
			return nil, err
		}
	}
	var trips []tripRow
	var trapezoids []trapezoidRow
	for _, r := range runs {
		rows = append(rows, r.rows()...)
		trapezoids = append(trapezoids, trapezoidRow{r.name, suite.Value(r.printed, "sw_max_pct"),
			suite.Value(r.printed, "sw_cross_s")})
		if r.trip != nil {
			trips = append(trips, tripRow{r.name, r.trip.Cause.T, 1e3 * r.atTripM, 1e3 * r.beforeM, 1e3 * r.largestM})
		}
	}
	out := suite.OneTable("stability", rows, longDelays)
	if len(trips) > 0 {
		out.Tables = append(out.Tables, suite.Table{Key: "trips", Rows: suite.List(trips),
			Before: fmt.Sprintf(
				"\nThe same tests with SW limited to 100 %%; the others do not trip. Largest displacement of the reference: "+
					"%.2f mm.\n", 1e3*runs[0].peakM)})
	}
	if len(trapezoids) > 0 {
		out.Tables = append(out.Tables, suite.Table{Key: "sw_trapezoids", Rows: suite.List(trapezoids),
			Before: "\nSW with trapezoids of the force, eq. 5.18 as printed.\n"})
	}
	return out, nil
}

// delayRow is a critical delay in ms, infinite where none exists.
func delayRow(system, method string, c stability.Critical, published *float64) stabilityRow {
	return stabilityRow{Quantity: "critical_delay_ms", Case: system, Method: method, Value: 1e3 * c.Delay, Unit: "ms",
		Published: published, system: system}
}

// oscillator is the system of paper 001, section 5.1, with its shares.
func oscillator(m, hz, ratio, me, ce, ke float64) *stability.Hybrid {
	w := 2 * math.Pi * hz
	c, k := 2*ratio*w*m, w*w*m
	return stability.SDOF((1-me)*m, (1-ce)*c, (1-ke)*k, me*m, ce*c, ke*k)
}

// criticalDelays are the rows of critical delays.
func criticalDelays() ([]stabilityRow, error) {
	var rows []stabilityRow
	both := func(name string, h *stability.Hybrid, published *float64) error {
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
	if err := both("sdof", oscillator(100, 2, 0.03, 0.1, 0.4, 0.4), new(16.0)); err != nil {
		return nil, err
	}
	for _, system := range []struct {
		name  string
		ratio float64
	}{{"S1", 0.03}, {"S2", 0.06}} {
		for i := 1; i <= 19; i++ {
			ke := float64(i) / 20
			if err := both(fmt.Sprintf("%s %g", system.name, ke), oscillator(500, 5, system.ratio, 0.2, 0.2, ke),
				nil); err != nil {
				return nil, err
			}
			for i := range rows[len(rows)-2:] {
				row := &rows[len(rows)-2+i]
				row.system, row.share = system.name, &ke
			}
		}
	}
	for i, name := range []string{"case I", "case II", "case III", "case IV"} {
		more, err := caseDelays(i+1, name, galmezStiffness)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		rows = append(rows, more...)
	}
	return rows, nil
}

// galmezStiffness is the specimen's of paper 001, section 7.1, N/m.
const galmezStiffness = 1.19e6

// caseDelays are the critical delays of a partition case of the benchmark with the thesis'
// specimen of some stiffness (paper 001, section 7.1); case IV by the modal method is published (7.26).
func caseDelays(number int, name string, ke float64) ([]stabilityRow, error) {
	const me, ce = 29.1, 114.6
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
	var published *float64
	if number == 4 {
		published = new(8.5)
	}
	return []stabilityRow{delayRow(name, "exact", exact, nil), delayRow(name, "modal", modal, published)}, nil
}
