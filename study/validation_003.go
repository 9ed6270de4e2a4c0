package study

var paper003 = Paper{Number: "003", Title: "Zhu et al. 2014: prediction with large time steps", Items: []Item{
	{Name: "Figs 1–6", What: "two computers, timeline of a main step, incoordination of forces, switch of the time step", Status: Scheme},
	{Name: "Eq. 1", What: "equation of motion", Status: Reproduced, By: []string{"integrate.TestStateSatisfiesTheEquationOfMotion"}},
	{Name: "Eqs 2–4", What: "Gui-λ family of explicit integrators, CR among them", Status: NotYet},
	{Name: "Eqs 5–6", What: "dual explicit prediction", Status: NotYet},
	{Name: "Eqs 7–11", What: "amplitude and phase of a predictor", Status: NotYet},
	{Name: "Fig. 7", What: "amplitude and phase of six predictors over ωΔt", Status: NotYet},
	{Name: "Eq. 12", What: "normalised root mean square error", Status: Reproduced, By: []string{"criteria.TestTrackingIsTheDefinition"}, Why: "printed as `nrmse_pct`"},
	{Name: "Table 1", What: "properties of the structure of two degrees of freedom", Status: NotYet},
	{Name: "Table 2, Figs 8–9", What: "its predicted displacement at two main steps", Status: NotYet},
	{Name: "Figs 10–13", What: "set-up, foundation model, frame, artificial wave", Status: NotYet,
		Why: "the foundation is here as `fe-foundation`, the frame as `frame` with its 2.6, 8.1 and 12.6 Hz; the wave is not published"},
	{Name: "Figs 14–18", What: "shaking-table tests with five methods", Status: NotYet},
}}
