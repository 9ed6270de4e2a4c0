package study

var paper004 = Paper{Number: "004", Title: "Shangguan et al. 2024: sliding-mode compensation of several actuators", Items: []Item{
	{Name: "Fig. 1", What: "scheme of the strategy", Status: Scheme},
	{Name: "Eqs 1–12", What: "tracking error, transformation to regular form, sliding surface", Status: NotYet},
	{Name: "Eqs 13–20", What: "surface by LQR", Status: NotYet},
	{Name: "Eqs 21–24", What: "control law and reaching laws", Status: NotYet},
	{Name: "Eqs 25–32", What: "plant model and internal-model design", Status: NotYet},
	{Name: "Eqs 33–35", What: "Kalman observer", Status: NotYet},
	{Name: "Eqs 36–40", What: "discrete model of every actuator, recursive least squares", Status: NotYet, Why: "(37) and (38) lack a factor φ in the denominator"},
	{Name: "Eqs 41–42", What: "command from the target's history", Status: NotYet},
	{Name: "Figs 2–6, Table 1", What: "multi-axial benchmark: partition, transfer system, simulation, cases", Status: NotYet},
	{Name: "Table 2", What: "parameters of the controllers", Status: NotYet},
	{Name: "Figs 7–8", What: "displacement histories, cases 1 and 4", Status: NotYet},
	{Name: "Fig. 9, Tables A1–A4", What: "criteria J1 to J10 of all methods and cases", Status: NotYet},
}}
