package papers

import (
	"fmt"
	"math"
)

var paper003 = Paper{Number: "003", Title: "Zhu et al. 2014: prediction with large time steps", Items: []Item{
	{Name: "Figs 1–6", What: "two computers, timeline of a main step, incoordination of forces, switch of the time step", Status: Scheme, By: []string{"integrate.TestTwoRateIsThePapersTimeline", "integrate.TestTargetHasNoJump"}},
	{Name: "Eq. 1", What: "equation of motion", Status: Reproduced, By: []string{"integrate.TestStateSatisfiesTheEquationOfMotion"}},
	{Name: "Eqs 2–4", What: "Gui-λ family of explicit integrators, CR among them", Status: Reproduced, By: []string{"integrate.TestGuiIsItsEquations", "integrate.TestGuiIsOfOrder2"}},
	{Name: "Eqs 5–6", What: "dual explicit prediction", Status: Reproduced, By: []string{"integrate.TestDualExplicitIsExactForItsIntegrator", "integrate.TestTwoRateIsThePapersTimeline"}, Why: "with α and the predicted acceleration in eq. 6, which prints α₁ and the acceleration itself"},
	{Name: "Eqs 7–11", What: "amplitude and phase of a predictor", Status: Reproduced, By: []string{"integrate.TestPredictorResponses", "integrate.TestResponseIsThatOfTheSamples"}, Why: "with the arctangent of two arguments, and velocities and accelerations as derivatives"},
	{
		Name: "Fig. 7", What: "amplitude and phase of six predictors over ωΔt", Status: Different,
		By:  []string{"integrate.TestFig7", "rths benchmark predictors"},
		Why: "the amplitude of the dual explicit prediction is nearest to 1 from ωΔt = 1.0 to 1.2 if its velocity is the integrator's, not with the exact derivatives of eq. 8; at 1.4 it is neither way. Below 0.3 all agree, and the real part of its response vanishes near 1.1 as printed",
	},
	{Name: "Eq. 12", What: "normalised root mean square error", Status: Reproduced, By: []string{"criteria.TestTrackingIsTheDefinition"}, Why: "printed as `nrmse_pct`"},
	{Name: "Table 1", What: "properties of the structure of two degrees of freedom", Status: Reproduced, By: []string{"papers.TestTable1OfPaper003"}, Check: table1Findings},
	{
		Name: "Table 2, Figs 8–9", What: "its predicted displacement at two main steps", Status: Cannot,
		By: []string{"papers.TestTable2IsTheEquations", "papers.TestTable2Order", "rths benchmark predictors"}, Check: table2Findings,
		Why: "the printed input does not lead to the published errors, whatever the duration of the sweep; the order of the three methods at the larger step is the published one",
	},
	{Name: "Figs 10–13", What: "set-up, foundation model, frame, artificial wave", Status: Scheme, By: []string{"plant.TestFrameOfPaper003", "rths benchmark soil"}, Why: "thickness, boundary, damping and wave are not printed"},
	{
		Name: "Figs 14–18", What: "shaking-table tests with five methods", Status: Cannot,
		By:  []string{"papers.TestSoilOnAThinFoundation", "papers.TestSoilOnAThickFoundation", "rths benchmark soil"},
		Why: "thickness and boundary of the foundation, where the wave enters and the wave itself are not printed. On 1 m of plane strain the three predictors diverge: the foundation's modes begin at ωΔt = 1.4, where they magnify (Fig. 7); on 30 m all methods are within 1 % in peak displacement, Newmark's the worst as published",
	},
}}

// table1Findings are the frequencies and damping ratios of Table 1.
func table1Findings(*Evidence) ([]Finding, error) {
	part, err := paper003Table1()
	if err != nil {
		return nil, err
	}
	modes, err := part.Whole.Modes()
	if err != nil {
		return nil, err
	}
	var out []Finding
	for i, hz := range []float64{3.1, 8.1} {
		name := fmt.Sprintf("mode %d", i+1)
		out = append(out, Within(name, modes[i].Omega/(2*math.Pi), hz, 0.05, "Hz"), Within(name, 100*modes[i].Ratio, 5, 0.05, "%"))
	}
	return out, nil
}

// table2Findings are the errors of the published methods.
func table2Findings(*Evidence) ([]Finding, error) {
	rows, err := newPredictors().table2()
	if err != nil {
		return nil, err
	}
	var out []Finding
	for _, r := range rows {
		if r.Published != nil {
			out = append(out, Within(fmt.Sprintf("%s, %.4f s", r.Method, r.Dt), r.NRMS, *r.Published, 0.05**r.Published, "%"))
		}
	}
	return out, nil
}
