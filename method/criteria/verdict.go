package criteria

import (
	"math"
	"slices"

	"rths"
)

// What the results of a run are worth (Verdict).
const (
	Good = "good"
	Poor = "poor"
	Lost = "lost"
)

// Levels of J2 of the worst actuator, %, without sensor noise where it is known. An actuator that is
// late by τ at the frequency ω has J2 = 2 sin(ωτ/2) ≈ ωτ, and a specimen with the share κ of the
// stiffness then takes the damping ratio κ ωτ/2 from the structure (Horiuchi et al. 1999). With κ = ½
// these levels take 1.25 and 5 %, where structures have 2 to 5: up to the first one the motion is the
// structure's, beyond the second one the actuator feeds it more than it dissipates.
const (
	GoodJ2 = 5.0
	LostJ2 = 20.0
)

// Verdict is what the results of a run are worth that has ended by itself, from its values, the Summary of its
// Trackings: good up to GoodJ2, lost above LostJ2, poor between; "" where no target has moved. A run whose loop is
// unstable is not good.
func Verdict(values []rths.Value, unstable bool) string {
	exact := slices.ContainsFunc(values, func(v rths.Value) bool { return v.Number == 2 && v.Exact })
	worst := math.NaN()
	for _, v := range values {
		if v.Number == 2 && v.Exact == exact && !(v.V <= worst) && !math.IsNaN(v.V) {
			worst = v.V
		}
	}
	switch {
	case math.IsNaN(worst):
		return ""
	case worst > LostJ2:
		return Lost
	case worst > GoodJ2 || unstable:
		return Poor
	}
	return Good
}
