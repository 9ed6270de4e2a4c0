package rths

// prompt brings the acceleration of a target that was made a tick before up to date with the
// force of this tick (see PromptUser). The zero value does nothing.
type prompt struct {
	inverseMass []float64 // M⁻¹, 1/kg, by rows
	before      []float64 // the force of the step that made the target, N
}

func newPrompt(c *Config) prompt {
	m := c.Renews()
	if m == nil {
		return prompt{}
	}
	return prompt{m, make([]float64, c.InterfaceForces)}
}

// Renews is M⁻¹ of the interface coordinates, by rows, by which the loop brings the target's
// acceleration up to date with the force of the tick; nil where the loop does not.
func (c *Config) Renews() []float64 {
	user, ok := As[PromptUser](c.Compensator)
	if !ok || !user.UsesPrompt() || c.Open || c.Timing.Target == Next || c.Integrator.Closing() {
		return nil
	}
	m, ok := c.Integrator.(Massive) // and not behind another rate or another frame of reference
	if !ok || len(m.InverseMass()) != c.InterfaceForces*c.InterfaceForces {
		return nil
	}
	return m.InverseMass()
}

// renew is a ← a − M⁻¹ (f − f_before).
func (p *prompt) renew(a, force []float64) {
	n := len(p.before)
	for i := range a {
		for j, f := range force {
			a[i] -= p.inverseMass[i*n+j] * (f - p.before[j])
		}
	}
	copy(p.before, force)
}
