package scenario

import (
	"fmt"
	"math"

	"rths/method/criteria"
	"rths/model/device"
	"rths/model/integrate"
	"rths/model/plant"
	"rths/model/structure"
)

// together is the reference response of numerical part, devices, yielding storeys and specimens, as
// if nothing stood between them; it starts where the test starts. Without specimens all are
// linear parts of the structure, which then stands undivided; if nothing has a law of its own, the
// response is exact. Devices that learn are what they learn from.
func (b *builder) together(specimens []integrate.Element) (criteria.Reference, error) {
	part := b.apart
	if len(specimens) == 0 {
		if part = b.apart.Whole.Undivided(); len(part.Devices) == 0 {
			return undivided(b)
		}
	}
	part, elements := integrate.DeviceElements(part, b.teacher())
	ref, err := integrate.NewCoupled(part, append(elements, specimens...), b.dt)
	if err == nil && b.start != nil {
		ref.Start(b.s.Initial, device.Way, device.BringS+device.HoldS)
	}
	return ref, err
}

// undivided is the response of the whole structure, which is linear.
func undivided(b *builder) (criteria.Reference, error) {
	ref, err := integrate.NewReference(b.part.Whole, b.dt)
	if err == nil && b.start != nil {
		err = ref.Start(b.s.Initial)
	}
	if err == nil && b.o.Shared != nil && b.o.Shaking == nil {
		return b.o.Shared.reference(ref, b.s.shakingKey(b.o.RecordsDir), b.run.Steps), nil
	}
	return ref, err
}

// wantOneYielding refuses a storey that yields where a specimen along the same drift is taken
// out of it: the law of the storey is that of both, and says nothing of the share of either
// once a part has yielded. A linear specimen must not be stiffer than the storey is after
// yielding.
func (b *builder) wantOneYielding(name string, spec plant.Specimen, along []float64) error {
	_, _, k, within := plant.Within(spec)
	_, linear := spec.(plant.Linear)
	for i := range b.run.Whole.Devices {
		y := &b.run.Whole.Devices[i]
		if y.Storey == 0 { // beside the structure, which the specimen is taken out of
			continue
		}
		scale := parallel(along, y.Along(len(along)))
		post := y.Law.(device.Spring).PostYield()
		switch {
		case !within || scale == 0:
		case !linear:
			return fmt.Errorf(
				"%s yields, and so does storey %d, which it is a part of (structure.yielding[%d]): the storey's law does not say "+
					"which part has yielded: want the yielding part of storey %d in the specimen alone, a linear specimen, or a "+
					"specimen of another storey or floor", name, y.Storey, i+1, y.Storey)
		case k*scale*scale > post*(1+1e-9):
			return fmt.Errorf(
				"%s does not yield, and its stiffness of %g N/m is a part of storey %d, which has %g N/m after yielding "+
					"(structure.yielding[%d]): want a specimen of at most that, a larger post_yield_ratio, or a specimen of another "+
					"storey or floor", name, k, y.Storey, post, i+1)
		}
	}
	return nil
}

// parallel is c if along is c times drift, else 0.
func parallel(along, drift []float64) float64 {
	ab, aa, bb := 0.0, 0.0, 0.0
	for i, a := range along {
		ab, aa, bb = ab+a*drift[i], aa+a*a, bb+drift[i]*drift[i]
	}
	if math.Abs(ab*ab-aa*bb) > 1e-12*aa*bb {
		return 0
	}
	return ab / bb
}

// freeField is the numerical part with the ground motion given at the interface.
func (b *builder) freeField(part *structure.Partition) (*structure.Partition, error) {
	if n := len(part.Devices); n > 0 {
		return nil, fmt.Errorf("interface_motion free-field adds the free field to the motion of the numerical part, which "+
			"is right of a linear part only, and %d devices or storeys have a law of their own (devices, structure.yielding): "+
			"want interface_motion absolute, or none of them", n)
	}
	return part.FreeField(), nil
}
