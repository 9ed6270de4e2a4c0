package plant

import (
	"fmt"
	"math"
)

// Rating is the capacity of every actuator of a transfer system; 0 means unknown. Limits
// and guards use it. The simulated plant does not stop there (but see
// Silva2020.ForceLimit).
type Rating struct {
	Stroke float64 `yaml:"stroke_m,omitempty" doc:"rating: largest displacement of every actuator from its zero, m. No command leaves a guarded run that is beyond it. 0: not stated"`
	Rate   float64 `yaml:"rate_m_s,omitempty" doc:"rating: largest velocity of every actuator, m/s. No command of a guarded run changes faster. 0: not stated"`
	Force  float64 `yaml:"force_n,omitempty" doc:"rating: largest force of every actuator, N. 0: not stated"`
}

// Rated is implemented by all transfer systems.
type Rated interface{ Rated() Rating }

// Rated is the rating from the parameters.
func (r *Rating) Rated() Rating { return *r }

// Check wants three numbers of 0 or more.
func (r *Rating) Check() error {
	for _, q := range []struct {
		key string
		v   float64
	}{{"stroke_m", r.Stroke}, {"rate_m_s", r.Rate}, {"force_n", r.Force}} {
		if !(q.v >= 0) || math.IsInf(q.v, 0) {
			return fmt.Errorf("%s %g: want more than 0, or 0 for not stated", q.key, q.v)
		}
	}
	return nil
}
