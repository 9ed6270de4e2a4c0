package stability

// errorWork is the stability warning indicator of a specimen that dissipates. The feedback
// work W_F = −∫ fᵀ dx₁ of (5.15) contains the energy that the specimen takes. With the force
// f_m and the displacement x_m that are measured at the specimen,
//
//	W_F = W_e − W_S
//	W_S = ∫ f_mᵀ dx_m
//	W_e = ∫ f_mᵀ d(x_m − x₁) + ∫ (f_m − f)ᵀ dx₁
//
// W_S = U + D is what the specimen takes: U ≥ 0 stored, D dissipated. W_e, the error work, is
// fed by the tracking error x_m − x₁, and by the delay of the force f used after f_m. With
// (5.13), the mechanical energy of numerical part and specimen together is
//
//	E_k + E_s + U = W_I + W_e − (E_d + D)
//
// As in (5.16), it exceeds the input work once W_e exceeds E_d + D: all that both
// parts dissipate. D is not known, W_S is. The indicator, in %,
//
//	SW_e = 100 W_e/(E_d + W_S + C_SW) where W_e > 0, else 0
//
// is too low by U while the specimen holds energy, and right each time that it gives its
// energy back. As W_e − W_S = W_F, SW_e reaches 100 % when SW does. Below, while W_S > 0, SW_e
// is larger than SW, which is 0 as long as the specimen takes more than the error feeds.
//
// What yielding storeys of the numerical part dissipate, E_h, counts here as what the
// specimen dissipates does: E_d stands for E_d + E_h. SW is without E_h (see devices), so
// that it may then reach 100 % before SW_e.
//
// Sums over the whole test move slowly when it has lasted for long. The second indicator
// is the same of the last seconds: both sums fade with the time constant recentS. By (5.13)
// what they fed less what they took is E_k + E_s − W_I less its own fading mean: at 100 % the
// tracking error feeds all that both parts take, and free motion does not decay. Free motion of a
// linear loop grows above 100 %; a yielding specimen ends in a limit cycle at 100 %, less by C_SW.
//
// W_S is −W_exp of EEI. Of perfect tracking W_e is 0, but for an integrator that holds the force
// over its step: then W_e = Σ (f[k] − f[k−1]) (x[k] − x[k−1])/2, the work of half a sample
// of delay (½ k h ∫ v² dt of a spring), which the hold feeds indeed. Independent white noise of
// f_m (σ_f) and x_m (σ_x) adds random walks: σ_f σ_x √(N/2) after N samples, and σ_x √(Σ Δf²),
// which grows with the motion, and a ripple σ_x |f|. A constant offset of a sensor adds no work
// along a closed path.
type errorWork struct {
	specimen, work float64 // J: W_S, W_e
	share, recent  float64 // %: SW_e of the whole test, and of the last recentS
	fed, taken     float64 // J: W_e and E_d + W_S of the last recentS
	before         float64 // J: E_d + W_S of the tick before
}

// recentS is how long the sums of the second indicator remember, s.
const recentS = 2.0

// begin takes the works that the test starts with.
func (w *errorWork) begin(e *Energies) {
	w.specimen, w.work = -e.work, e.feedback-e.work
	w.before = w.specimen
}

// add follows the step whose energies e has.
func (w *errorWork) add(e *Energies) {
	fed := w.work
	w.specimen = -e.work
	w.work = e.feedback + w.specimen
	taken, forget := e.dissipated+e.hysteretic+w.specimen, e.h*(1/recentS)
	w.fed += (w.work - fed) - forget*w.fed
	w.taken += (taken - w.before) - forget*w.taken
	w.before = taken
	w.share = share(w.work, taken, e.cSW)
	w.recent = share(w.fed, w.taken, e.cSW)
}

// share is work over the energy taken and c, %, or 0 of work that is not fed. The energy taken is
// below 0 where a specimen gives back what it held before.
func share(work, taken, c float64) float64 {
	if !(work > 0) {
		return 0
	}
	if taken > 0 {
		c += taken
	}
	return 100 * work / c
}
