package report

import "rths/result/record"

// Drawing is the programs and the style of plots, for other pages.
func Drawing() (uPlot, plot, css []byte) {
	uPlot, _ = assets.ReadFile("assets/uplot/uPlot.iife.min.js")
	plot, _ = assets.ReadFile("assets/plot.js")
	css, _ = assets.ReadFile("assets/uplot/uPlot.min.css")
	return uPlot, plot, css
}

// Specimen describes the specimen of a resolved scenario in a line.
func Specimen(scenario string) string {
	return describe(newBlocks(&record.Archive{Manifest: record.Manifest{Scenario: scenario}}).value("specimen"), "specimen")
}
