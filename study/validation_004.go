package study

var paper004 = Paper{Number: "004", Title: "Shangguan et al. 2024: sliding-mode compensation of several actuators", Items: []Item{
	{Name: "Fig. 1", What: "scheme of the strategy", Status: Scheme},
	{Name: "Eqs 1–12", What: "tracking error, transformation to regular form, sliding surface", Status: Reproduced,
		By: []string{"compensate.TestSurfaceIsTheRegulatorWithoutPrice", "compensate.TestSlidingVariableReachesZero"}, Why: "with the misprints of (1), (7) and (8) corrected"},
	{Name: "Eqs 13–20", What: "surface by LQR", Status: Reproduced,
		By: []string{"compensate.TestSurfaceIsTheRegulatorWithoutPrice"}, Why: "(17) as corrected: T22⁻¹ where T12⁻¹ is printed"},
	{Name: "Eqs 21–24", What: "control law and reaching laws, transfer matrix", Status: Reproduced,
		By: []string{"compensate.TestReachingLaws", "compensate.TestSlidingDesignOfTheBenchmark"}, Why: "(22) is `reaching: eq22`; the default is the exponential law, the same where P B* = I"},
	{Name: "Eqs 25–32", What: "plant model and internal-model design", Status: Reproduced,
		By: []string{"lti.TestMinimalOfTheStackedPlant", "lti.TestChainsOfTheBenchmarkPlant", "compensate.TestMSMCStepByStep"}, Why: "on one chain per command: half of the 16 states of (27) are the other half again"},
	{Name: "Eqs 33–35", What: "order of the states, Kalman observer", Status: Reproduced, By: []string{"compensate.TestSlidingDesignOfTheBenchmark", "compensate.TestMSMCStepByStep"}},
	{Name: "Eqs 36–40", What: "discrete model of every actuator, recursive least squares", Status: Reproduced,
		By: []string{"compensate.TestOfflineTestFindsTheInverse", "study.TestMultiAxialCalibration", "study.TestMultiAxialTable"}, Why: "(37) and (38) with the factor φ that the denominators lack; (39) with a ridge, over 0–20 Hz"},
	{Name: "Eqs 41–42", What: "command from the target's history", Status: Reproduced, By: []string{"compensate.TestCalculatedTestInvertsTheLoop", "compensate.TestTrackingOfSlidingModeControl"}},
	{Name: "Figs 2–6, Table 1", What: "multi-axial benchmark: partition, transfer system, simulation, cases", Status: NotYet},
	{Name: "Table 2", What: "parameters of the controllers", Status: Cannot, Why: "the table is an image that our text of the paper has lost; ours are the defaults of `rths doc msmc` and `rths doc adm-msmc`"},
	{Name: "Figs 7–8", What: "displacement histories, cases 1 and 4", Status: Cannot, Why: "the figures give no numbers; `rths run scenarios/benchmark-multiaxial.yaml` draws the same"},
	{Name: "Fig. 9, Tables A1–A4", What: "criteria J1 to J10 of all methods and cases", Status: Different,
		By:  []string{"rths benchmark multiaxial", "study.TestADMMSMCIsBest", "study.TestADMMSMCWithoutNoise", "study.TestSlidingModeOfTheIndependentImplementation"},
		Why: "the values are lost with Tables 1 and 2: only the order can be compared. ADM-MSMC is lowest in J2, J3, J5 and J6 in all cases as published; J1 and J4 are less than a sample for all adaptive methods; J7 to J10 compare with a structure that is not the sum of the parts, where it is not lowest, but against the sum it is in all but one number"},
}}
