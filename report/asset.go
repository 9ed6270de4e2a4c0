package report

import "rths/record"

// UPlot is the program and the style of the plots, for other pages.
func UPlot() (js, css []byte) {
	js, _ = assets.ReadFile("assets/uplot/uPlot.iife.min.js")
	css, _ = assets.ReadFile("assets/uplot/uPlot.min.css")
	return js, css
}

// Specimen describes the specimen of a resolved scenario in a line.
func Specimen(scenario string) string {
	return describe(newBlocks(&record.Archive{Manifest: record.Manifest{Scenario: scenario}}).value("specimen"), "specimen")
}
