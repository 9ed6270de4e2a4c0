package growth

import (
	"context"
	"errors"

	"gonum.org/v1/gonum/mat"

	"rths/maths/lti"
	"rths/scenario"
)

// Opened is the loop of a built test, opened where the commands leave for the rig and linearised as in Roots: the
// discrete system G(z) from the commands that leave to the commands that are computed, an input and an output for each
// actuator, m/m. The closed loop has the roots of det(I − G(z)). A command delay of the test is in G. Call Opened
// before the first tick. Main steps are an error: their loop has no G.
func Opened(ctx context.Context, r *scenario.Run) (lti.SS, error) {
	loop, err := whole(ctx, r, 1) // with a register, at which the loop is opened
	if err != nil {
		return lti.SS{}, err
	}
	j, err := linearised(loop)
	switch {
	case err != nil:
		return lti.SS{}, err
	case j.Ticks > 1:
		return lti.SS{}, errors.New("a loop with main steps is not time-invariant and cannot be opened")
	}
	axes := loop.Config().Axes
	var kept []int               // places in the Jacobian of the states that stay
	command := make([]int, axes) // and of the register
	first := loop.NewestCommand()
	for k, at := range j.Index {
		if a := at - first; 0 <= a && a < axes {
			command[a] = k
		} else {
			kept = append(kept, k)
		}
	}
	if len(kept) == 0 || len(kept)+axes != j.N {
		return lti.SS{}, errors.New("the loop has no states beside the commands, or commands without effect")
	}
	part := func(rows, columns []int) *mat.Dense {
		m := mat.NewDense(len(rows), len(columns), nil)
		for a, row := range rows {
			for b, column := range columns {
				m.Set(a, b, j.J[row*j.N+column])
			}
		}
		return m
	}
	h := 1 / loop.Config().RateHz
	return lti.NewSS(part(kept, kept), part(kept, command), part(command, kept), part(command, command), h)
}
