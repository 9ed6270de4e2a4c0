package papers

import (
	"fmt"
	"math"
	"rths/record"
	"slices"
	"strings"
)

var paper000 = Paper{Number: "000", Title: "Wang, Xu, Li and Wu 2020: compensation with a discrete model", Items: []Item{
	{Name: "Fig. 1", What: "principle of the compensation", Status: Scheme},
	{Name: "Eqs 1–2", What: "discrete model of the loading system", Status: Reproduced, By: []string{"compensate.TestADMFourParametersAreExact", "compensate.TestCommandAndMeasurementArePaired"},
		Why: "with the indices of eq. 1 as in Table 1 they disagree with φ; d_c[i] stands on the left"},
	{Name: "Eq. 3", What: "recursive least squares with forgetting", Status: Reproduced, By: []string{"compensate.TestKFWithoutProcessNoiseIsADM", "papers.TestADMSuiteIsTheFormulae"},
		Why: "P must be made symmetric in every step, else three and four parameters diverge (compensate.TestADMNeedsSymmetricP)"},
	{Name: "Eq. 4", What: "offline least squares for θ0, P0", Status: Reproduced, By: []string{"compensate.TestFitFindsTheModel", "rths benchmark adm"}, Check: wangConditions,
		Why: "by QR; condition numbers of Φ"},
	{Name: "Eqs 5–6", What: "command from the identified model", Status: Reproduced, By: []string{"compensate.TestADMCommand"}},
	{Name: "Section 2.4", What: "offline and online phase, ten steps", Status: Reproduced, By: []string{"papers.TestADMSuiteIsTheFormulae", "rths benchmark adm"}},
	{Name: "Fig. 2", What: "emulated structures: one degree of freedom, three with a bilinear storey", Status: Reproduced,
		By:  []string{"structure.TestShearOfPaper000", "integrate.TestCentralDifferenceOfPaper000", "rig.TestComputedForceOfAYieldingSpecimen"},
		Why: "storey masses are 1000 kg, not 1"},
	{Name: "Eq. 7", What: "polynomial extrapolation of order 3", Status: Reproduced, By: []string{"compensate.TestPEIsEquation7", "compensate.TestPEIsExactOnPolynomials", "papers.TestADMSuiteIsTheFormulae"},
		Why: "two terms are misprinted: 5/2 η², and the one of d[i−2] is missing"},
	{Name: "Section 3.2, Eqs 8–9", What: "indicators J1 to J4", Status: Reproduced, By: []string{"papers.TestADMSuiteIsTheFormulae"},
		Why: "by a program of their definitions beside the suite"},
	{Name: "Eq. 10", What: "second-order loading system", Status: Reproduced, By: []string{"plant.TestSecondOrderStep", "compensate.TestADMFourParametersAreExact"}},
	{Name: "Table 1", What: "models of two, three and four parameters", Status: Reproduced, By: []string{"compensate.TestADMFourParametersAreExact"}, Check: wangExact,
		Why: "with d_c[i] in the four-parameter row, where d_c[i−1] is printed; only then is the model exact"},
	{Name: "Table 2, Figs 3–4", What: "time-invariant loading system", Status: Cannot, By: []string{"rths benchmark adm --system sdof"}, Check: wangTable("fixed", 0), Why: wangCannot},
	{Name: "Table 3, Fig. 5", What: "with measurement noise", Status: Cannot, By: []string{"rths benchmark adm --system sdof"}, Check: wangTable("fixed", wangNoise), Why: wangCannot},
	{Name: "Table 4, Figs 6–7", What: "time-varying loading system with noise", Status: Cannot, By: []string{"rths benchmark adm --system sdof", "plant.TestVaryingIsRediscretisedEverySample"}, Check: wangTable("varying", wangNoise), Why: wangCannot},
	{Name: "Section 3.5, Figs 8–9", What: "three degrees of freedom with a bilinear storey: all three models far better than extrapolation", Status: Reproduced,
		By: []string{"rths benchmark adm --system 3dof", "papers.TestADMSuiteIsTheFormulae"}, Check: wangFig9, Why: "the paper prints no numbers"},
	{Name: "Fig. 10", What: "test set-up", Status: Scheme},
	{Name: "Table 5", What: "loading tests in the laboratory", Status: Cannot, By: []string{"rths benchmark adm --system lab"}, Check: wangLab("open"),
		Why: "they are tests of a real rig; ours has the second-order plant of section 3 in its place, and moves 1.0 mm at most, little above the 0.5 mm below which nothing is learnt"},
	{Name: "Table 6, Fig. 11", What: "real tests with 0.5 mm suspension", Status: Cannot, By: []string{"rths benchmark adm --system lab"}, Check: wangLab("closed"),
		Why: "they are tests of a real rig. The structure as printed moves 0.49 mm at most, so that nothing is learnt, and on the second-order plant two parameters are 2.7 ms late and 45 % too large at its 10.3 Hz, with which the loop is unstable; what they would learn as it grows has a pole outside the unit circle, and the stability criterion of section 4.3 holds the parameters before; without it all 21 complete"},
	{Name: "Section 4.3", What: "poles of the identified model inside the unit circle", Status: Reproduced, By: []string{"compensate.TestInsideUnitCircle", "compensate.TestADMHoldsTheLastSoundModel"},
		Why: "the paper does not say what happens with poles outside; here the last sound parameters go on in use (`hold_unstable`)"},
	{Name: "Fig. 12", What: "delays identified with two and three parameters", Status: Cannot, By: []string{"compensate.TestWatchedDelay"},
		Why: "it is of a real rig; the delay is a channel of every record, `model_delay`"},
}}

const wangCannot = "the printed inputs contradict each other: a peak of 0.263 g moves the undamped oscillator far more than the printed 20 mm, and τ = 0.021 s is not the delay of the loading system; record length, PGA or scale, and τ would have to be fitted"

func wangConditions(e *Evidence) ([]Finding, error) {
	s, err := newADM().prepare(e.Lab, "sdof")
	if err != nil {
		return nil, err
	}
	var out []Finding
	for _, c := range []string{"adm2", "adm3", "adm4"} {
		out = append(out, Finding{c, fmt.Sprintf("%.3g", s.fits[c].Condition), "–", s.fits[c].Warning() == ""})
	}
	return out, nil
}

// wangRows are the medians of some groups.
func (e *Evidence) wangRows(take func(admGroup) bool) ([]admRow, error) {
	rows, err := onceFor(e, "adm", func() ([]admRow, error) {
		rows, _, err := newADM().rows(e.Context, e.Lab)
		return rows, err
	})
	return slices.DeleteFunc(admMedians(rows), func(r admRow) bool { return !take(r.admGroup) }), err
}

func wangExact(e *Evidence) ([]Finding, error) {
	rows, err := e.wangRows(func(g admGroup) bool {
		return g.Compensator == "adm4" && g.System == "sdof" && g.Plant == "fixed" && g.NoiseMM == 0
	})
	if err != nil {
		return nil, err
	}
	j := rows[0].J1
	return []Finding{{"J1 of four parameters without noise", fmt.Sprintf("%.1g mm", j), "exact", j < 1e-6}}, nil
}

func wangTable(plant string, noise float64) func(*Evidence) ([]Finding, error) {
	return wangCompare(func(g admGroup) bool { return g.System == "sdof" && g.Plant == plant && g.NoiseMM == noise })
}

func wangLab(loop string) func(*Evidence) ([]Finding, error) {
	return wangCompare(func(g admGroup) bool { return g.Loop == loop && g.NoiseMM > 0 })
}

// wangCompare puts J1 to J4 beside the printed ones.
func wangCompare(take func(admGroup) bool) func(*Evidence) ([]Finding, error) {
	return func(e *Evidence) ([]Finding, error) {
		rows, err := e.wangRows(take)
		if err != nil {
			return nil, err
		}
		var out []Finding
		for _, r := range rows {
			ours := wangFigures(record.Flat(r.wangJ))
			if math.IsNaN(r.J1) && r.Status != "completed" {
				ours = r.Status
			}
			_, published := r.Below()
			out = append(out, Finding{What: r.Compensator, Ours: ours, Published: wangFigures(published)})
		}
		return out, nil
	}
}

// wangFigures are the indicators of a row, NaN left out.
func wangFigures(j record.Row) string {
	var out []string
	for _, c := range j {
		switch name, unit, _ := strings.Cut(c.Key, "_"); {
		case math.IsNaN(c.V.(float64)):
		case unit == "mm":
			out = append(out, fmt.Sprintf("%s %.4g mm", name, c.V))
		default:
			out = append(out, fmt.Sprintf("%s %.3g %%", name, c.V))
		}
	}
	return strings.Join(out, ", ")
}

// wangFig9 wants lower indicators of all three models than of the extrapolation, on the
// varying plant with noise.
func wangFig9(e *Evidence) ([]Finding, error) {
	rows, err := e.wangRows(func(g admGroup) bool { return g.System == "3dof" && g.Plant == "varying" && g.NoiseMM > 0 })
	if err != nil {
		return nil, err
	}
	pe := rows[0].J4
	var out []Finding
	for _, r := range rows[1:] {
		out = append(out, Finding{"J4 of " + r.Compensator, fmt.Sprintf("%.3g %%, extrapolation %.3g %%", r.J4, pe), "outperform it", r.J4 < pe/5})
	}
	return out, nil
}
