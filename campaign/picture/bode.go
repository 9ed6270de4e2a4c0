package picture

import (
	"rths/campaign/analyse"
	"rths/campaign/diagram"
	"rths/result/panels"
)

// Bode draws the responses of systems into bode.png and bode.svg of a folder, and returns their paths.
func Bode(dir, title string, systems []analyse.System, hz []float64) ([]string, error) {
	curves, err := diagram.Bode(systems, hz)
	if err != nil {
		return nil, err
	}
	return panels.DrawBode(dir, title, curves)
}
