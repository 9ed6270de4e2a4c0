// Package papers reproduces publications: suites of tests with the published values beside
// ours, and the page docs/internals/validation.md, which compares every equation, table and figure.
// A run of a suite depends on its scenario only, so the number of workers does not change
// the results. Tests of your own need only package scenario.
package papers

import "rths/campaign/suite"

// Suites is the table of suites.
var Suites = []suite.Suite{sisoSuite, multiAxialSuite, admSuite, kalmanSuite, nonlinearSuite, predictorsSuite,
	soilSuite, scaleSuite, stabilitySuite, kalmanInverseSuite, passivitySuite, calibrationSuite, robustnessSuite, learningSuite}
