package papers

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"rths"
	"rths/campaign/suite"
	"rths/result/record"
)

// ADM is the suite of compensation with a discrete model (paper 000, sections 3 and 4):
// virtual tests of an oscillator without damping, of a shear frame with a bilinear storey
// and of the laboratory's structure, on a second-order loading system that is constant or
// varies, with and without noise. The shipped scenarios wang2020-*.yaml set, and explain,
// the values that the paper leaves open.
type ADM struct {
	Systems   []string   `flag:"system" usage:"structures to run"`
	PGAFactor float64    `flag:"pga-factor" usage:"factor on the peak ground acceleration, 0.263 g (lab 0.1052 g)"`
	Tau       float64    `flag:"tau" usage:"delay of the polynomial extrapolation, s"`
	Duration  float64    `flag:"duration" usage:"length of a run, s"`
	Onset     bool       `flag:"onset" usage:"leave out the zeros at the beginning of the record"`
	SuspendMM float64    `flag:"suspend-mm" usage:"no update while the measured displacement is smaller, mm (lab always 0.5 or more)"`
	Record    string     `flag:"record" usage:"ground motion, by name"`
	Step      float64    `flag:"step" usage:"step of loop and integrator, in 1/1024 s"`
	Set       suite.Sets `flag:"set" usage:"KEY=VALUE of the scenarios, as rths run --set"`
}

var admSuite = suite.Suite{
	Name:  "adm",
	Short: "Compensation with a discrete model: virtual tests and the laboratory's structure",
	Long: `Runs polynomial extrapolation (pe) and the discrete models of two, three and four
parameters (adm2, adm3, adm4) of Wang et al. 2020 on their structures: an oscillator of 1 Hz
without damping (sdof), three storeys with a bilinear first one (3dof), both on a
second-order loading system that is constant or varies, ω = 50 + 5 sin t; and the
structure of their laboratory tests (lab) on the same loading system, open and closed
loop. Step 10/1024 s, central difference, without noise and with 0.01 mm, 21 seeds.

The compensators begin with θ0 and P0 of an off-line loading test without noise. The
published Tables 2 to 6 stand beside; they cannot be reached from the printed inputs. With five
settings that the paper does not print (the third example) the extrapolation is within
12 % of Tables 2 to 4. With 10 t in place of the printed 500 kg (the fourth) the structure
of the laboratory moves enough to learn, and J3 is near Tables 5 and 6.
The ground motion is not part of the program: set RTHS_RECORDS or --records.`,
	Example: `  rths benchmark adm --system sdof
  rths benchmark adm --onset --suspend-mm 0.5 --json
  rths benchmark adm --system sdof --step 20 --onset --duration 34 --pga-factor 0.12232 --set specimen.stiffness=19739.2
  rths benchmark adm --system lab --set structure.masses=[10000]`,
	New: func() suite.Study { return newADM() },
}

func newADM() *ADM {
	return &ADM{Systems: slices.Clone(admSystems), PGAFactor: 1, Tau: 0.021, Duration: 30, Record: "elcentro", Step: 10}
}

const admFooter = `
Published values cannot be reached from the printed inputs (rths benchmark adm --help has
settings that come near). With a peak of 0.263 g the
oscillator without damping moves far more than the "approximately 20 mm" of section 3.3; the
printed τ = 0.021 s is not the delay of the loading system (2ζ/ω = 0.032 s, with hold and lead
0.027 s); the length of the record, the division of the stiffness and the noise seeds are not
stated. Tables 5 and 6 are tests of a real rig. Nothing here was tuned to them.
`

// labFooter says why a row of the laboratory's structure diverges.
const labFooter = `
Why lab, closed loop, diverges with adm2: two parameters of the off-line test leave this loading
system 2.7 ms late and 45 % too far at the 10.3 Hz of the structure, with which the loop is
unstable. At --pga-factor 1 it moves 0.5 mm, so little is learnt before; what is learnt as it
grows has its pole outside the unit circle, and section 4.3 holds the parameters before.
Without that rule all 21 complete, at four times the response.
`

// admGroup is the columns that the 21 runs of a group with noise share.
type admGroup struct {
	System      string  `col:"system" print:"%s" draw:"part"`
	Plant       string  `col:"plant" print:"%s" draw:"part"`
	Loop        string  `col:"loop,omitempty" print:"%s" draw:"part"` // of the laboratory's structure
	NoiseMM     float64 `col:"noise_mm" print:"%g" head:"noise mm" draw:"part"`
	Compensator string  `col:"compensator" print:"%s"`
}

// admRow is one run, or the medians of a group.
type admRow struct {
	admGroup    `col:"-"`
	Seed        *int   `col:"seed"` // nil without noise
	Status      string `col:"status" print:"%s" head:"" draw:"-"`
	wangJ       `col:"-"`
	Published   []rths.Value `col:"published_"`
	PublishedIn string       `col:"published_in,omitempty"`
}

// wangJ are the indicators of section 3.2. NaN: there is none.
type wangJ struct {
	J1 float64 `col:"J1_mm" print:"%.4g"`
	J2 float64 `col:"J2_mm" print:"%.4g"`
	J3 float64 `col:"J3_pct" print:"%.4g"`
	J4 float64 `col:"J4_pct" print:"%.4g"`
}

// Below is the printed row of the paper.
func (r admRow) Below() (string, record.Row) {
	if r.PublishedIn == "" {
		return "", nil
	}
	return "published: " + r.PublishedIn, record.Flat(struct {
		Values []rths.Value `col:"-"`
	}{r.Published})
}

// Run runs the suite.
func (s *ADM) Run(ctx context.Context, lab suite.Lab) (*suite.Result, error) {
	rows, systems, err := s.rows(ctx, lab)
	if err != nil {
		return nil, err
	}
	after := admFooter
	if slices.Contains(s.Systems, "lab") {
		after += labFooter
	}
	after += "\nOff-line phase:\n"
	for _, sys := range systems {
		after += sys.offline()
	}
	out := suite.OneTable("adm", rows, after)
	medians := admMedians(rows)
	for i := range medians {
		medians[i].Loop = cmp.Or(medians[i].Loop, "closed")
	}
	out.Tables[0].Rows = suite.List(medians)
	return out, nil
}

func (s *ADM) check() error {
	for _, q := range []struct {
		flag    string
		v, most float64
		zero    bool
	}{{"pga-factor", s.PGAFactor, 1e6, false}, {"tau", s.Tau, 10, false}, {"duration", s.Duration, 1e4, false},
		{"step", s.Step, 1024, false}, {"suspend-mm", s.SuspendMM, 1e6, true}} {
		switch {
		case q.zero && !(q.v >= 0 && q.v <= q.most):
			return fmt.Errorf("--%s %g: want 0 to %g", q.flag, q.v, q.most)
		case !q.zero && !(q.v > 0 && q.v <= q.most):
			return fmt.Errorf("--%s %g: want more than 0, at most %g", q.flag, q.v, q.most)
		}
	}
	return suite.Distinct("system", s.Systems, admSystems)
}

// rows lists the runs, group by group.
func (s *ADM) rows(ctx context.Context, lab suite.Lab) (rows []admRow, systems []*admSystem, err error) {
	if err := s.check(); err != nil {
		return nil, nil, err
	}
	var of []*admSystem // of each row
	for _, name := range s.Systems {
		sys, err := s.prepare(ctx, lab, name)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", name, err)
		}
		systems = append(systems, sys)
		for _, g := range sys.groups() {
			seeds := []*int{nil}
			if g.NoiseMM > 0 {
				seeds = seeds[1:]
				for i := range wangSeeds {
					seeds = append(seeds, new(i+1))
				}
			}
			for _, seed := range seeds {
				rows, of = append(rows, admRow{admGroup: g, Seed: seed}), append(of, sys)
			}
		}
	}
	return rows, systems, lab.Each(ctx, len(rows), func(i int) error { return of[i].run(ctx, &rows[i]) })
}

func (s *admSystem) groups() (out []admGroup) {
	for _, loop := range s.loops {
		for _, plant := range s.plants {
			for _, noise := range []float64{0, wangNoise} {
				for _, c := range s.compensate {
					g := admGroup{s.name, plant, loop, noise, c}
					if s.name != "lab" {
						g.Loop = ""
					}
					out = append(out, g)
				}
			}
		}
	}
	return out
}

// admMedians has a row for every run without noise, and one with the medians of the 21
// runs of every group with noise. A run that diverged counts as worse than any other.
func admMedians(rows []admRow) []admRow {
	var out []admRow
	for i := 0; i < len(rows); i++ {
		row := rows[i]
		if row.Seed != nil {
			group := rows[i : i+wangSeeds]
			i += wangSeeds - 1
			completed := 0
			for _, r := range group {
				if r.Status == rths.Completed {
					completed++
				}
			}
			row.Status = fmt.Sprintf("median, %d of %d completed", completed, len(group))
			row.wangJ = wangJ{
				medianOf(group, func(r admRow) float64 { return r.J1 }), medianOf(group, func(r admRow) float64 { return r.J2 }),
				medianOf(group, func(r admRow) float64 { return r.J3 }), medianOf(group, func(r admRow) float64 { return r.J4 }),
			}
		}
		out = append(out, row)
	}
	return out
}

// medianOf an odd number of rows; NaN where it is a diverged one.
func medianOf(rows []admRow, of func(admRow) float64) float64 {
	var v []float64
	for _, r := range rows {
		x := of(r)
		if math.IsNaN(x) {
			x = math.Inf(1)
		}
		v = append(v, x)
	}
	slices.Sort(v)
	if m := v[len(v)/2]; !math.IsInf(m, 1) {
		return m
	}
	return math.NaN()
}
