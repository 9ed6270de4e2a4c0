package rthstest

import "rths"

// PlainPI is the block of a PI on the tracking error alone, for a part of a chain.
const PlainPI = "{kind: pi, kp: 0.3, ki: 5, lead_num: [1], lead_den: [1], quantum_m: 0, range_m: 0}"

// Compensators are overrides of a scenario that choose every row of the table with its
// defaults, then chains of them in series and in parallel.
func Compensators[M any](table []rths.Kind[M]) (sets []string) {
	for _, k := range table {
		sets = append(sets, "compensator.kind="+k.Name)
	}
	for _, chain := range []string{
		"join: parallel, of: [{kind: amb}, {kind: lqg}]",
		"join: parallel, of: [{kind: kf}, " + PlainPI + "]",
		"join: parallel, of: [{kind: kalman-inverse}, {kind: lqg}]",
		"join: series, of: [{kind: phase-lead, lead_ms: 5}, {kind: pi, lead_num: [1], lead_den: [1], quantum_m: 0, " +
			"range_m: 0}]",
		// 48 samples at 4096 Hz, 12 at 1024 Hz
		"join: series, of: [{kind: pe, delay: given, tau_ms: 11.71875}, {kind: adm2}]",
	} {
		sets = append(sets, "compensator={kind: chain, "+chain+"}")
	}
	return sets
}
