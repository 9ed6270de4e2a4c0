package integrate

import (
	"fmt"
	"testing"

	"rths"
	"rths/model/structure"
)

// BenchmarkFrame is a step of a shear frame with the dense matrix of the step and with
// the band; structure.DenseUpTo stands about where the band becomes faster.
func BenchmarkFrame(b *testing.B) {
	for _, floors := range []int{25, 50, 100, 200, 400, 800, 3200} {
		sparse, dense := benchFrame(b, floors)
		for _, kind := range Kinds {
			m, h := kind.Defaults(), 1.0/4096
			b.Run(fmt.Sprintf("%s/%d/band", kind.Name, floors), func(b *testing.B) { benchStep(b, must(b, m, sparse, h)) })
			if floors <= 400 {
				b.Run(fmt.Sprintf("%s/%d/dense", kind.Name, floors), func(b *testing.B) { benchStep(b, must(b, m, dense, h)) })
			}
		}
	}
}

// benchFrame has equal storeys, a highest frequency of 100 Hz and a specimen at floor 1.
func benchFrame(b *testing.B, floors int) (sparse, dense *structure.Partition) {
	p := &structure.Shear{Damping: structure.Damping{Rayleigh: &structure.Rayleigh{Ratio: 0.02, FreqHz: []float64{1, 10}}}}
	for range floors {
		p.Masses, p.Stiffnesses = append(p.Masses, 1000), append(p.Stiffnesses, 1e8)
	}
	s := mustStructure(b, p)
	if s.Sparse == nil {
		s = sparseFrame(s)
	}
	divide := func(s *structure.Structure) *structure.Partition {
		part, err := s.Divide(0, 20, 300, 1e5)
		if err != nil {
			b.Fatal(err)
		}
		return part
	}
	if floors > 400 {
		return divide(s), nil
	}
	return divide(s), divide(s.Dense())
}

func benchStep(b *testing.B, in integrator) {
	target, felt, window := rths.NewMotion(1), rths.NewReading(1, 1), []float64{1, 1, 1}
	for b.Loop() {
		in.Step(&target, window, &felt)
	}
}
