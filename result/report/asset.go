package report

import "rths/result/record"

// Specimen describes the specimen of a resolved scenario in a line.
func Specimen(scenario string) string {
	return describe(newBlocks(&record.Archive{Manifest: record.Manifest{Scenario: scenario}}).value("specimen"),
		"specimen")
}
