// Package report draws the archive of a run: Page writes one self-contained
// HTML page for a run or a comparison of several, Plots writes image files,
// Figure one figure for a paper, WriteTable the criteria, WriteComparison
// them as text beside the settings that differ.
//
// Of runs all draw the same figures, listed by newFigures: target and measured
// displacement, tracking error e = target − measured, command, the
// synchronisation subspace (measured against target: a perfect actuator stays
// on the 45° line, a lag opens an ellipse), force over displacement, floors
// against the reference, and channels such as adaptive parameters.
// Displacements are shown in mm, forces in kN.
package report
