// Package diagram turns analyses into curves and panels, which a picture or a page draws.
package diagram

import (
	"rths/campaign/analyse"
	"rths/result/panels"
	"rths/result/plotting"
)

// bodeStyles are the colours of the systems: transfer system and plant black, stiffness by
// depth of colour, bundles grey.
var bodeStyles = map[analyse.Group]panels.BodeCurve{
	analyse.Transfer:    {Colour: plotting.Ink, Width: 1.2, Dashed: true},
	analyse.Plant:       {Colour: plotting.Ink, Width: 1.6},
	analyse.Stiffness:   {Width: 1},
	analyse.Compensated: {Colour: plotting.Vermillion, Width: 1.6},
	analyse.Perturbed:   {Colour: plotting.Bundle, Width: 0.5, Bundle: true},
	analyse.Initial:     {Colour: plotting.Purple, Width: 1.2, Dashed: true},
	analyse.Identified:  {Colour: plotting.Green, Width: 1.6, Dashed: true},
}

// actuatorColours are the colours by the number of the command or target; couplings are
// dashed.
var actuatorColours = map[analyse.Group][]string{
	analyse.Plant:       {plotting.Ink, plotting.Grey},
	analyse.Compensated: {plotting.Vermillion, plotting.Blue},
}

var stiffnessColours = []string{plotting.Blues[3], plotting.SkyBlue, plotting.Blue, plotting.DarkBlue}

// Bode is the responses of systems at frequencies, Hz.
func Bode(systems []analyse.System, hz []float64) ([]panels.BodeCurve, error) {
	var curves []panels.BodeCurve
	stiff := 0
	for _, s := range systems {
		b, err := s.Bode(hz)
		if err != nil {
			return nil, err
		}
		c := bodeStyles[s.Group]
		c.Name, c.Bode = s.Name, b
		if s.From > 0 {
			colours := actuatorColours[s.Group]
			c.Colour, c.Dashed = colours[(s.From-1)%len(colours)], s.From != s.To
		}
		switch s.Group {
		case analyse.Stiffness:
			c.Colour = stiffnessColours[stiff%len(stiffnessColours)]
			stiff++
		case analyse.Perturbed:
			c.Name = "perturbed"
		}
		curves = append(curves, c)
	}
	return curves, nil
}
