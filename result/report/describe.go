package report

import "rths/result/record"

// Describe describes a block of a resolved scenario in a line, as specimen: its kind and its numbers with their units.
func Describe(scenario, key string) string {
	return describe(newBlocks(&record.Archive{Manifest: record.Manifest{Scenario: scenario}}).value(key), key)
}
