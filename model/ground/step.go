package ground

// Step is an acceleration that is zero before the onset and constant from it
// on: the response of an undamped structure overshoots by its static value.
// The jump takes one step, because a motion is linear between its samples.
type Step struct {
	Sampling  `yaml:",inline"`
	Onset     float64 `yaml:"onset_s" doc:"time of the jump, s, 0 or more, less than duration_s"`
	Amplitude float64 `yaml:"amplitude_m_s2" doc:"acceleration after it, m/s²"`
}

// defaultStep is 1 m/s² after 1 s, for 10 s.
func defaultStep() Source {
	return &Step{Sampling: Sampling{Duration: 10}, Onset: 1, Amplitude: 1}
}

// Motion synthesises the step.
func (p *Step) Motion(at At) (Motion, error) {
	m, err := p.zeros("step", at)
	if err != nil {
		return Motion{}, err
	}
	err = check(
		rule{p.Onset >= 0 && p.Onset < p.Duration, "onset_s", p.Onset, "0 or more, less than duration_s"},
		amplitudeRule(p.Amplitude),
	)
	if err != nil {
		return Motion{}, err
	}
	onset := snap(p.Onset / m.Dt)
	for i := range m.A {
		if float64(i) >= onset {
			m.A[i] = p.Amplitude
		}
	}
	return m, nil
}
