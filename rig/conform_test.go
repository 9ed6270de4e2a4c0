package rig

import (
	"testing"

	"rths"
	"rths/plant"
	"rths/rthstest"
)

func TestTable(t *testing.T) { rthstest.Keeps(t, rthstest.Table(FaultKinds)) }

// lasting are faults of every row that are at work for most of the kit's ticks, the first
// tick among them or not.
func lasting() []FaultMaker {
	late := Span{FromS: 0.1, DurationS: 1.6}
	return []FaultMaker{
		&StuckFault{"measured_m", Span{0.5, 0.7}}, &SpikeFault{"force_N", late, 5}, &DriftFault{"measured_m", late, 0.1},
		&ReversedFault{"force_N", Span{}}, &LostReadings{late, 0.5}, &LostCommands{"", late, 0.4}, &LateCommands{"", Span{0, 1.8}, 50},
	}
}

// What is around the sensors and the virtual rig inside keep what every rig must keep: each
// row of the faults by itself, all of them together, and a computed force.
func TestConformance(t *testing.T) {
	c := FaultConfig{RateHz: rate, Samples: rthstest.Ticks, Axes: 1, LoadCells: 1, Seed: 3}
	virtual := func() rths.Rig { r, _ := benchmark(t, 3); return r }
	rigs := map[string]func() rths.Rig{
		"virtual":    virtual,
		"all faults": func() rths.Rig { return NewFaults(virtual(), c, made(t, c, lasting()...)) },
		"computed": func() rths.Rig {
			return computed(t, &plant.Bilinear{Stiffness: 2e5, PostStiffness: 1e5, YieldDisplacement: 1e-3}, 3)
		},
	}
	if n := len(lasting()); n != len(FaultKinds) {
		t.Fatalf("%d faults: want one of each of the %d rows", n, len(FaultKinds))
	}
	for i, k := range FaultKinds {
		rigs[k.Name] = func() rths.Rig {
			list := made(t, c, lasting()[i])
			if list[0].Kind != k.Name {
				t.Fatalf("fault %d is %s: want %s", i+1, list[0].Kind, k.Name)
			}
			return NewFaults(virtual(), c, list)
		}
	}
	for name, make := range rigs {
		t.Run(name, func(t *testing.T) {
			r := rthstest.Rig{Axes: 1, Forces: 1, RateHz: rate, Size: 3e-3, Make: make}
			rthstest.Keeps(t, r.Broken())
		})
	}
}
