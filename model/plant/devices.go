package plant

import (
	"fmt"
	"slices"

	"rths"
	"rths/model/device"
)

// Devices is the table of devices of the numerical part: the specimens that are a law between two ends.
var Devices = devices()

func devices() (out []rths.Kind[SpecimenMaker]) {
	laws := []string{"linear", "viscous-damper", "maxwell", "viscoelastic", "fractional", "friction", "lugre", "stop",
		"bilinear", "bouc-wen"}
	for _, k := range Specimens {
		if !slices.Contains(laws, k.Name) {
			continue
		}
		if bent, ok := k.Defaults().(*BoucWen); ok { // without the mass of the specimen in the thesis
			k.Defaults = func() SpecimenMaker { m := *bent; m.Mass = 0; return &m }
		}
		out = append(out, k)
	}
	return out
}

// DeviceOf is the law of a row of Devices, with its dashpot, and the numbers of the law that may be learned, by their
// keys and without bounds. A device has no mass: the degrees of freedom that it stands between have it. A Maxwell damper
// with the exponent 1 is linear, unless it learns.
func DeviceOf(m SpecimenMaker, learns bool) (device.Law, []device.Parameter, error) {
	s, err := m.Make()
	if err != nil {
		return nil, nil, err
	}
	if s.Mass() != 0 {
		return nil, nil, fmt.Errorf("mass %g kg: want 0: a device has no mass, its ends have it, in the structure", s.Mass())
	}
	if p, ok := m.(*Maxwell); ok && learns {
		l := &device.Maxwell{K: p.Stiffness, C: p.Damping, Alpha: p.Exponent}
		return l, []device.Parameter{number("stiffness", "N/m", &l.K), number("damping", "N·(s/m)^α", &l.C),
			number("exponent", "-", &l.Alpha)}, nil
	}
	switch s := s.(type) {
	case *linear:
		l := &device.Viscoelastic{K: s.k, C: s.c}
		return l, spring(l), nil
	case *yields:
		law := &device.Damped{Law: s.Law, C: s.C}
		return law, learnable(law), nil
	case *viscoelastic:
		l := s.Law.(*device.Viscoelastic)
		if _, ok := m.(*Fractional); ok {
			return l, nil, nil
		}
		list := spring(l)
		for i := range l.Branches {
			list = append(list, number(fmt.Sprintf("branch_stiffnesses[%d]", i+1), "N/m", &l.Branches[i].K))
		}
		return l, list, nil
	case *device.Mounted:
		return s.Law, learnable(s.Law), nil
	}
	return nil, nil, fmt.Errorf("a specimen of this kind is no device: want one of %s", kindNames(Devices))
}

func kindNames(kinds []rths.Kind[SpecimenMaker]) (out []string) {
	for _, k := range kinds {
		out = append(out, k.Name)
	}
	return out
}

func number(key, unit string, v *float64) device.Parameter {
	return device.Parameter{Name: key, Unit: unit, V: v}
}

func spring(l *device.Viscoelastic) []device.Parameter {
	return []device.Parameter{number("stiffness", "N/m", &l.K), number("damping", "N·s/m", &l.C)}
}

// learnable are the numbers of a law by the keys of its kind.
func learnable(law device.Law) []device.Parameter {
	switch l := law.(type) {
	case *device.Backlash:
		return learnable(l.Law)
	case *device.Damped:
		return append(learnable(l.Law), number("damping", "N·s/m", &l.C))
	case *device.Bilinear:
		return []device.Parameter{number("stiffness", "N/m", &l.K0), number("post_stiffness", "N/m", &l.K2),
			number("yield_displacement", "m", &l.Dy)}
	case *device.BoucWen:
		return []device.Parameter{number("stiffness", "N/m", &l.Ke), number("post_yield_ratio", "-", &l.A),
			number("yield_force", "N", &l.Fy), number("exponent", "-", &l.N), number("eta1", "-", &l.Eta1),
			number("eta2", "-", &l.Eta2), number("alpha", "1/J", &l.Alpha), number("beta", "1/J", &l.Beta),
			number("hardening", "N/m³", &l.Kh)}
	case *device.Friction:
		return []device.Parameter{number("coefficient", "-", &l.Mu), number("normal_force", "N", &l.N),
			number("stick_stiffness", "N/m", &l.K)}
	case *device.LuGre:
		return []device.Parameter{number("stiffness", "N/m", &l.Sigma0), number("bristle_damping", "N·s/m", &l.Sigma1),
			number("damping", "N·s/m", &l.Sigma2), number("coulomb_force", "N", &l.Fc), number("static_force", "N", &l.Fs),
			number("stribeck_speed", "m/s", &l.Vs)}
	case *device.Stop:
		return []device.Parameter{number("stiffness", "N/m", &l.K), number("travel", "m", &l.Travel)}
	case *device.Viscous:
		return []device.Parameter{number("damping", "N·(s/m)^α", &l.C), number("exponent", "-", &l.Alpha),
			number("stiffness", "N/m", &l.K)}
	}
	return nil
}

// CheckDevice refuses numbers of a law that its kind refuses, as where one is learned.
func CheckDevice(law device.Law) error {
	switch l := law.(type) {
	case *device.Backlash:
		return CheckDevice(l.Law)
	case *device.Damped:
		return CheckDevice(l.Law)
	case *device.Bilinear:
		if l.K2 > l.K0 {
			return fmt.Errorf("post_stiffness %g N/m: want at most stiffness, %g N/m", l.K2, l.K0)
		}
	case *device.BoucWen:
		if !(l.A < 1) || !(l.N >= 1 && l.N <= 100) {
			return fmt.Errorf("post_yield_ratio %g, exponent %g: want below 1, and 1 to 100", l.A, l.N)
		}
	case *device.LuGre:
		return l.Check()
	case *device.Viscous:
		if !(l.Alpha <= 2) {
			return fmt.Errorf("exponent %g: want at most 2", l.Alpha)
		}
	case *device.Maxwell:
		if !(l.Alpha >= 0.1 && l.Alpha <= 1) {
			return fmt.Errorf("exponent %g: want 0.1 to 1", l.Alpha)
		}
	}
	return nil
}
