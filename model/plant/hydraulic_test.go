package plant

import (
	"fmt"
	"math"
	"testing"

	"rths"
	"rths/kit/rthstest"
	"rths/maths/lti"
)

func TestHydraulicLook(t *testing.T) {
	for name, p := range map[string]Hydraulic{"25": hydraulic25, "250": hydraulic250, "2500": hydraulic2500} {
		for _, pre := range []float64{20, 2} {
			p := p
			p.Presliding = pre
			mass := p.MovingMass * 5
			k := p.Force / p.Stroke * 2
			sp := rthstest.Must((&LinearSpecimen{Mass: mass, Damping: 2 * 0.02 * math.Sqrt(k*mass), Stiffness: k}).Make())
			m := rthstest.Must(p.Model(sp))
			var h *hydraulic
			h = rthstest.Must(p.Make(At{RateHz: 4096, Specimen: sp})).(*hydraulic)
			now := rths.NewReading(1, 1)
			total, worst, peakx, peakf := 0, 0, 0.0, 0.0
			for i := range 4096 * 10 {
				tt := float64(i) / 4096
				h.worst = 0
				h.Step(&now, []float64{0.2 * p.Stroke * (math.Sin(2*math.Pi*2*tt) + 0.1*math.Sin(2*math.Pi*11*tt))})
				total += h.worst
				worst = max(worst, h.worst)
				peakx, peakf = max(peakx, math.Abs(now.X[0])), max(peakf, math.Abs(now.F[0]))
			}
			fmt.Println(name, pre, "mean", float64(total)/40960, "worst", worst, "bounded", h.bounded, peakx, peakf, h.longest, h.y[supply])
			_ = m
			for i, v := range rthstest.Must(eigen(m)) {
				fmt.Print(i, v, " ")
			}
			fmt.Println()
		}
	}
}

func BenchmarkHydraulic(b *testing.B) {
	for _, pre := range []float64{20, 2} {
		b.Run(fmt.Sprint(pre), func(b *testing.B) {
			p := hydraulic250
			p.Presliding = pre
			sp := rthstest.Must((&LinearSpecimen{Mass: 1000, Damping: 2e4, Stiffness: 1e6}).Make())
			h := rthstest.Must(p.Make(At{RateHz: 4096, Specimen: sp}))
			now := rths.NewReading(1, 1)
			u := []float64{0}
			for i := range b.N {
				tt := float64(i) / 4096
				u[0] = 0.2 * p.Stroke * (math.Sin(2*math.Pi*2*tt) + 0.1*math.Sin(2*math.Pi*11*tt))
				h.Step(&now, u)
			}
		})
	}
}

func eigen(m Model) ([]complex128, error) { return lti.Eigenvalues(m.SS.A) }
