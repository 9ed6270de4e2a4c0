package integrate

import (
	"testing"

	"rths/model/structure"
)

// BenchmarkReduced is a step of a foundation of 27 048 degrees of freedom that is reduced to its
// interface and 40 modes; for comparison, one of the whole foundation.
func BenchmarkReduced(b *testing.B) {
	foundation := &structure.FEFoundation{
		Width: 60, Depth: 40, NX: 148, NY: 92, Density: 2000, Modulus: 4e9, Poisson: 0.2, Thickness: 1,
		Rayleigh: structure.Rayleigh{Ratio: 0.05},
	}
	s := mustStructure(b, foundation)
	r, err := s.Reduce(structure.Reduction{Keep: []int{s.Interface}, Modes: 40, UpToHz: 25})
	if err != nil {
		b.Fatal(err)
	}
	part, err := r.Divide(0, 0, 0, 0)
	if err != nil {
		b.Fatal(err)
	}
	whole, err := s.Divide(s.Interface, 0, 0, 0)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("gui/whole", func(b *testing.B) { benchStep(b, must(b, &Gui{Lambda: 3}, whole, 1.0/2048)) })
	for _, kind := range Kinds {
		m := kind.Defaults()
		b.Run(kind.Name, func(b *testing.B) { benchStep(b, must(b, m, part, 1.0/2048)) })
	}
}
