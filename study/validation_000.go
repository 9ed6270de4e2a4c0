package study

var paper000 = Paper{Number: "000", Title: "Wang, Xu, Li and Wu 2020: compensation with a discrete model", Items: []Item{
	{Name: "Fig. 1", What: "principle of the compensation", Status: Scheme},
	{Name: "Eqs 1–2", What: "discrete model of the loading system", Status: NotYet},
	{Name: "Eq. 3", What: "recursive least squares with forgetting", Status: NotYet},
	{Name: "Eq. 4", What: "offline least squares for θ0, P0", Status: NotYet},
	{Name: "Eqs 5–6", What: "command from the identified model", Status: NotYet},
	{Name: "Section 2.4", What: "offline and online phase, ten steps", Status: NotYet},
	{Name: "Fig. 2", What: "emulated structures: one degree of freedom, three with a bilinear storey", Status: NotYet,
		Why: "the linear ones are here (structure.TestShearOfPaper000, integrate.TestCentralDifferenceOfPaper000); storey masses are 1000 kg, not 1"},
	{Name: "Eq. 7", What: "polynomial extrapolation of order 3", Status: Reproduced, By: []string{"compensate.TestPEIsEquation7", "compensate.TestPEIsExactOnPolynomials"}, Why: "as corrected: two terms are misprinted"},
	{Name: "Table 1", What: "models of two, three and four parameters", Status: NotYet},
	{Name: "Table 2, Figs 3–4", What: "time-invariant loading system", Status: NotYet},
	{Name: "Table 3, Fig. 5", What: "with measurement noise", Status: NotYet},
	{Name: "Table 4, Figs 6–7", What: "time-varying loading system with noise", Status: NotYet},
	{Name: "Figs 8–9", What: "three degrees of freedom with a bilinear storey", Status: NotYet},
	{Name: "Fig. 10", What: "test set-up", Status: Scheme},
	{Name: "Table 5", What: "loading tests in the laboratory", Status: NotYet},
	{Name: "Table 6, Fig. 11", What: "real tests with 0.5 mm suspension", Status: NotYet},
	{Name: "Fig. 12", What: "delays identified with two and three parameters", Status: NotYet},
}}
