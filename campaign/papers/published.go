package papers

import "slices"

// sisoPublished are J1 (ms) to J9 (%) by record and case. J4 to J9 stand in the order of the
// benchmark's code, not in the order of Table 3 of paper 002.
type sisoPublished map[string][4][9]float64

// paper002Table5 is Table 5 of paper 002: its Kalman-filter compensator on the nominal plant.
var paper002Table5 = sisoPublished{
	"elcentro": {
		{0.20, 1.10, 1.42, 3.77, 2.81, 3.36, 3.37, 2.09, 2.06},
		{0.20, 1.06, 1.59, 3.51, 2.05, 3.15, 3.17, 1.76, 1.74},
		{0.20, 0.78, 1.28, 4.50, 3.32, 4.41, 4.41, 3.04, 3.09},
		{0.20, 0.93, 1.18, 5.70, 3.18, 5.40, 5.42, 2.79, 2.78},
	},
	"kobe": {
		{0.20, 1.15, 1.24, 2.81, 1.92, 2.52, 2.52, 1.50, 1.50},
		{0.20, 1.04, 1.15, 3.53, 2.27, 3.35, 3.35, 1.97, 2.00},
		{0.20, 1.03, 1.17, 3.28, 2.19, 3.23, 3.22, 1.99, 1.99},
		{0.20, 1.03, 1.20, 4.37, 2.54, 4.23, 4.23, 2.46, 2.46},
	},
	"morgan": {
		{0.20, 1.20, 1.14, 3.13, 2.69, 2.80, 2.81, 2.29, 2.29},
		{0.00, 1.19, 0.90, 2.96, 2.29, 2.65, 2.66, 1.72, 1.71},
		{0.00, 1.12, 0.91, 3.15, 1.75, 3.06, 3.07, 1.61, 1.59},
		{0.20, 0.93, 1.04, 4.77, 4.13, 4.55, 4.57, 3.91, 3.89},
	},
}

// paper002Table6 is Table 6: means over 20 perturbed plants.
var paper002Table6 = sisoPublished{
	"elcentro": {
		{0.42, 1.50, 2.16, 4.90, 3.80, 4.35, 4.37, 2.87, 2.87},
		{0.20, 1.23, 1.76, 3.40, 2.30, 2.93, 2.94, 1.71, 1.71},
		{0.27, 0.97, 1.57, 5.23, 3.86, 5.15, 5.15, 3.57, 3.62},
		{0.30, 1.19, 1.80, 6.59, 3.97, 6.20, 6.22, 3.39, 3.38},
	},
	"kobe": {
		{0.29, 1.40, 1.41, 3.11, 2.17, 2.77, 2.78, 1.67, 1.66},
		{0.27, 1.26, 1.30, 3.99, 2.59, 3.75, 3.75, 2.20, 2.21},
		{0.33, 1.41, 1.63, 3.77, 2.72, 3.77, 3.76, 2.49, 2.48},
		{0.32, 1.33, 1.43, 5.13, 2.98, 5.00, 5.00, 2.87, 2.87},
	},
	"morgan": {
		{0.19, 1.58, 1.75, 3.71, 3.19, 3.16, 3.17, 2.61, 2.60},
		{0.19, 1.48, 1.36, 3.55, 2.64, 3.05, 3.06, 2.02, 2.03},
		{0.25, 1.50, 1.52, 4.42, 2.81, 4.18, 4.19, 2.23, 2.21},
		{0.16, 1.15, 1.42, 5.19, 4.49, 4.86, 4.87, 4.13, 4.11},
	},
}

// paper002Table7 is Table 7: standard deviations over them.
var paper002Table7 = sisoPublished{
	"elcentro": {
		{0.31, 0.39, 0.66, 1.53, 0.95, 1.57, 1.58, 1.02, 1.03},
		{0.22, 0.26, 0.49, 0.79, 0.45, 0.88, 0.88, 0.54, 0.53},
		{0.27, 0.31, 0.58, 1.69, 1.29, 1.80, 1.80, 1.35, 1.36},
		{0.27, 0.37, 0.68, 2.32, 1.38, 2.27, 2.28, 1.46, 1.47},
	},
	"kobe": {
		{0.29, 0.30, 0.23, 0.76, 0.48, 0.89, 0.89, 0.46, 0.46},
		{0.28, 0.29, 0.24, 1.28, 0.65, 1.42, 1.42, 0.81, 0.83},
		{0.34, 0.33, 0.41, 1.24, 0.63, 1.55, 1.54, 0.92, 0.91},
		{0.27, 0.31, 0.27, 1.58, 0.82, 1.74, 1.74, 0.98, 0.97},
	},
	"morgan": {
		{0.29, 0.44, 0.63, 1.76, 1.43, 1.74, 1.75, 1.43, 1.43},
		{0.24, 0.28, 0.40, 1.56, 1.12, 1.57, 1.58, 1.04, 1.06},
		{0.32, 0.39, 0.55, 2.24, 1.23, 2.30, 2.30, 1.05, 1.05},
		{0.19, 0.22, 0.31, 2.33, 2.00, 2.38, 2.39, 2.00, 2.01},
	},
}

// silvaTable3 is Table 3 of the benchmark (Silva 2020): its PI control with phase lead, records × 0.4.
var silvaTable3 = sisoPublished{
	"elcentro": {
		{4.6, 10.4, 11.5, 36.1, 19.0, 32.3, 32.4, 14.8, 14.8},
		{4.6, 9.8, 11.1, 33.1, 17.1, 30.5, 30.5, 15.3, 15.2},
		{4.6, 9.1, 10.2, 49.9, 36.7, 49.8, 49.8, 35.5, 35.6},
		{4.6, 10.5, 11.3, 72.6, 35.2, 68.5, 68.7, 33.4, 33.3},
	},
}

// sisoTable is the table that prints a compensator's runs on the nominal plant ("") or their mean or
// std over random plants, and the records' scales that it may stand beside. Paper 002 does not state its own.
func sisoTable(compensator, statistic string) (table sisoPublished, scales []float64) {
	switch compensator {
	case "pi":
		return map[string]sisoPublished{"": silvaTable3}[statistic], []float64{0.4}
	case "kf", "kf-table5":
		return map[string]sisoPublished{"": paper002Table5, "mean": paper002Table6, "std": paper002Table7}[statistic],
			[]float64{0.4, 1}
	}
	return nil, nil
}

// published is what is printed of this trial, or of a statistic of its group, with noise.
func (t *trial) published(statistic string) *criteriaJ {
	table, scales := sisoTable(t.Compensator, statistic)
	cases, ok := table[t.Record]
	if !ok || t.Noise == "off" || !slices.Contains(scales, t.Scale) {
		return nil
	}
	j := cases[t.Case-1]
	return &criteriaJ{j[0], j[1], j[2], j[3], j[4], j[5], j[6], j[7], j[8]}
}
