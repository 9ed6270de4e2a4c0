package papers

import (
	"cmp"
	"math"

	"rths/campaign/suite"

	"rths"
)

// published000 is the row of Tables 2 to 6 for a group, and the number of the table.
func published000(g admGroup) (values []rths.Value, table string) {
	g.Loop = cmp.Or(g.Loop, "closed")
	v := paper000Tables[g]
	for i, key := range suite.Keys(wangJ{}) {
		if !math.IsNaN(v.j[i]) {
			values = append(values, rths.Value{Name: key, V: v.j[i]})
		}
	}
	if v.table == "" {
		return nil, ""
	}
	return values, v.table
}

// wangPublished are J1 (mm), J2 (mm), J3 (%), J4 (%) of a table.
type wangPublished struct {
	table string
	j     [4]float64
}

// paper000Tables are Tables 2 to 6 by group of runs. Tables 3 and 4 are single runs
// with noise, Tables 5 and 6 tests of a real rig, whose noise is not stated: they
// stand beside the runs with noise.
var paper000Tables = func() map[admGroup]wangPublished {
	nan := math.NaN()
	out := map[admGroup]wangPublished{}
	table := func(name, system, plant, loop string, noise float64, rows map[string][4]float64) {
		for compensator, j := range rows {
			out[admGroup{system, plant, loop, noise, compensator}] = wangPublished{name, j}
		}
	}
	table("Table 2", "sdof", "fixed", "closed", 0, map[string][4]float64{
		"pe":   {0.2651, 6.5603, 1.04, 33.62},
		"adm2": {0.0149, 0.0183, 0.03, 0.13},
		"adm3": {0.0129, 0.0100, 0.02, 0.07},
		"adm4": {0.0072, 0.0024, 0.01, 0.02},
	})
	table("Table 3", "sdof", "fixed", "closed", wangNoise, map[string][4]float64{
		"pe":   {0.2727, 6.5461, 1.05, 33.58},
		"adm2": {0.0324, 0.0122, 0.11, 0.06},
		"adm3": {0.0478, 0.0530, 0.16, 0.32},
		"adm4": {0.1973, 0.0833, 0.29, 0.35},
	})
	table("Table 4", "sdof", "varying", "closed", wangNoise, map[string][4]float64{
		"pe":   {0.6437, 8.8620, 1.91, 43.68},
		"adm2": {0.0437, 0.1469, 0.18, 0.76},
		"adm3": {0.0849, 0.3017, 0.34, 1.51},
		"adm4": {0.3267, 0.0866, 0.32, 0.43},
	})
	table("Table 5, real rig", "lab", "fixed", "open", wangNoise, map[string][4]float64{
		"adm2": {0.0546, nan, 0.56, nan},
		"adm3": {0.0773, nan, 0.87, nan},
	})
	table("Table 6, real rig", "lab", "fixed", "closed", wangNoise, map[string][4]float64{
		"adm2": {0.04, nan, 0.71, nan},
		"adm3": {0.1014, nan, 1.07, nan},
	})
	return out
}()
