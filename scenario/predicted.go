package scenario

import (
	"gonum.org/v1/gonum/mat"

	"rths"
	"rths/method/stability"
	"rths/model/plant"
)

// Predicted is what a test of several actuators is to do, by the reference response: the undivided structure, or
// numerical part and specimens together.
type Predicted struct {
	Specimens []plant.Specimen
	Along     *mat.Dense // deformation of each specimen (row) per interface coordinate

	b  *builder
	at []int // degrees of freedom of the interface
}

// Motion shows the motion of the interface coordinates (m or rad, and their rates) at each sample. The motion shown
// changes with the next sample. Accelerations of a linear reference are differences of velocities. known is false where
// there is no reference response, and of specimens on a shake table, whose motion is another one.
func (p *Predicted) Motion(each func(m *rths.Motion)) (known bool, err error) {
	if p.b.judged.Reference == nil || p.b.s.OnShakeTable() {
		return false, nil
	}
	own := *p.b
	own.o.Shared = nil // what runs share has no velocities
	ref, err := own.boundary.reference(&own)
	if err != nil {
		return false, err
	}
	wave, n := own.wave()
	out := rths.NewMotion(len(p.at))
	stability.Respond(ref, wave, n, own.run.Steps, func(k int, _ []float64) {
		m := ref.State()
		for i, dof := range p.at {
			switch {
			case len(m.A) > 0:
				out.A[i] = m.A[dof]
			case k > 0: // a linear reference has none
				out.A[i] = (m.V[dof] - out.V[i]) / own.h
			}
			out.X[i], out.V[i] = m.X[dof], m.V[dof]
		}
		each(&out)
	})
	return true, nil
}

// Predicted is what the test is to do; nil: it has one actuator, an interface of its own, or
// keeps forces.
func (r *Run) Predicted() *Predicted { return r.predicted }

// predict keeps what a prediction needs.
func (b *builder) predict() error {
	n, ok := b.boundary.(*several)
	if !ok || b.part == nil || b.s.Mixed() {
		return nil
	}
	rows, _, err := b.s.deformations()
	b.run.predicted = &Predicted{b.spec.(*plant.Assembly).Specimens(), rows, b, b.places(n.at)}
	return err
}

// Ratings are stroke, rate and force of each actuator, as far as its transfer system states them.
func (s *Scenario) Ratings() []plant.Rating {
	each := s.Transfers()
	out := make([]plant.Rating, s.Axes())
	for i := range out {
		if r, ok := each[min(i, len(each)-1)].(plant.Rated); ok {
			out[i] = r.Rated()
		}
	}
	return out
}
