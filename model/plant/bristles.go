package plant

import (
	"math"

	"rths/maths/portable"
	"rths/model/device"
)

// bristles are device.LuGre within the equations of an actuator.
type bristles struct {
	dry        bool
	s0, s1, s2 float64
	fc, fs, vs float64
}

func bristlesOf(law device.LuGre, dry bool) bristles {
	return bristles{dry: dry, s0: law.Sigma0, s1: law.Sigma1, s2: law.Sigma2, fc: law.Fc, fs: law.Fs, vs: law.Vs}
}

// drag is ż and σ₀ z + σ₁ ż at a speed v, where a load adds so much (N) to g.
func (b *bristles) drag(v, z, load float64) (bend, force float64) {
	g, at := b.fc, math.Abs(v)
	if at < 40*b.vs {
		g += (b.fs - b.fc) * portable.Exp(-at/b.vs)
	}
	bend = v - b.s0*at/(g+load)*z
	return bend, b.s0*z + b.s1*bend
}

// settle is the step over which they settle, s: at a speed their deflection decays so fast that a longer one is
// unstable.
func (b *bristles) settle(v float64) float64 {
	if !b.dry {
		return math.Inf(1)
	}
	return 1.5 * b.fc / (b.s0 * math.Abs(v))
}
