package rthstest

import "fmt"

// TwoStoreys is a scenario with a storey in the laboratory, at a rate that any machine keeps, with
// noise, limits and a method that adapts. rig is the block rig.
func TwoStoreys(durationS float64, rig string) string {
	return fmt.Sprintf(`name: two storeys, one in the laboratory
rate_hz: 256
ground: {kind: sine, frequency_hz: 2, amplitude_m_s2: 1, duration_s: %g}
structure: {kind: shear, masses: [1000, 1000], stiffnesses: [1e6, 1e6], damping: {modal_ratio: [0.02]}}
specimen: {kind: linear, mass: 10, damping: 100, stiffness: 1e5}
transfer: {kind: second-order, stroke_m: 0.1, rate_m_s: 0.5}
compensator: {kind: cats}
sensors: {displacement_noise: 1e-6, force_noise: 1}
rig: %s
`, durationS, rig)
}

// FirstOrder is a virtual test of so many seconds whose actuator is exactly of first order: its inverse is known.
func FirstOrder(durationS float64) string {
	return fmt.Sprintf(`name: first order
rate_hz: 256
ground: {kind: clough-penzien, duration_s: %g, pga_g: 0.2, rise_s: 0.5, strong_s: %g, decay_s: 1}
structure: {kind: oscillator, mass: 1000, frequency_hz: 1, damping_ratio: 0.05}
integrator: {kind: central-difference}
timing: {target: next}
specimen: {kind: linear, stiffness: 8000}
transfer: {kind: first-order, tau_ms: 12}
scatter:
  transfer.tau_ms: {kind: normal, mean: 12, sd: 0.0001}
sensors: {displacement_noise: 1e-4, force_noise: 0.5}
limits: none
`, durationS, durationS/2)
}
