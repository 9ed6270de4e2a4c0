package rths_test

import (
	"fmt"

	"rths"
)

// mass is the numerical part: 1 kg on a spring of 100 N/m, by the symplectic Euler method, in
// free vibration from 10 mm.
type mass struct{ x, v float64 }

func (m *mass) Step(target *rths.Motion, _ []float64, felt *rths.Reading) {
	const h = 0.01 // s
	m.v -= h * (100*m.x + felt.F[0])
	m.x += h * m.v
	target.X[0] = m.x
}

func (m *mass) Closing() bool { return false }

// direct sends the target as the command.
type direct struct{}

func (direct) Step(command []float64, target *rths.Motion, _ *rths.Reading) { copy(command, target.X) }

// spring is a rig whose actuator is perfect and whose specimen is a spring of 50 N/m.
type spring struct{ x float64 }

func (s *spring) Read(r *rths.Reading) error {
	r.X[0], r.F[0] = s.x, 50*s.x
	return nil
}

func (s *spring) Write(command []float64) error {
	s.x = command[0]
	return nil
}

// A hybrid simulation of three parts of one's own. Commands aim at the next instant, when the actuator is there.
func ExampleLoop() {
	loop, err := rths.NewLoop(rths.Config{
		RateHz: 100, Samples: 26, Timing: rths.Timing{Target: rths.Next}, Axes: 1, Forces: 1,
		Integrator: &mass{x: 0.01}, Compensator: direct{}, Rig: &spring{x: 0.01},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := loop.Run(0, nil); err != nil {
		fmt.Println(err)
		return
	}
	f := loop.Frame()
	fmt.Printf("half a period later: t = %.2f s, x = %.1f mm, f = %.2f N\n", f.T, 1e3*f.Read.X[0], f.Read.F[0])
	// Output: half a period later: t = 0.25 s, x = -10.0 mm, f = -0.50 N
}
