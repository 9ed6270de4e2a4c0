package stability

import (
	"math"
	"testing"

	"rths"
	"rths/kit/rthstest"
	"rths/model/device"
	"rths/model/integrate"
	"rths/model/structure"
)

// softFrame yields at storeys 2 and 3 of the frame of run, far or near.
func softFrame(drift float64) []structure.YieldingStorey {
	return []structure.YieldingStorey{
		{Storey: 2, Bilinear: &structure.BilinearStorey{YieldDrift: drift, PostYieldRatio: 0.2}},
		{Storey: 3, BoucWen: &structure.BoucWenStorey{YieldDrift: drift / 2, PostYieldRatio: 0.1}},
	}
}

// watched is the Energies of a run of a yielding frame of three floors.
func watched(t *testing.T, kind string, delay int, storeys []structure.YieldingStorey,
	more ...rths.Observer) (e *Energies) {
	t.Helper()
	runYielding(t, kind, 3, delay, rths.Timing{}, storeys, func(p *structure.Partition, c Config) []rths.Observer {
		var err error
		if e, err = NewEnergies(p, c); err != nil {
			t.Fatal(err)
		}
		return append([]rths.Observer{e}, more...)
	})
	return e
}

// plasticWork sums what the storeys of softFrame dissipate in another way than Energies:
// (k₀ − k₂) d_y per plastic drift, and ∫ z q dd.
type plasticWork struct{ drift, before, up, z, sum float64 }

func (p *plasticWork) Observe(f *rths.Frame) {
	x := f.Num.X
	d := x[1] - x[0]
	before := p.up
	p.up = d - min(max(d-p.up, -p.drift), p.drift)
	p.sum += 0.8e6 * p.drift * math.Abs(p.up-before)

	d = x[2] - x[1]
	fy, parts := 0.9e6*p.drift/2, 20
	for range parts {
		dd, q := (d-p.before)/float64(parts), math.Pow(p.z/fy, 2)
		if p.z*dd < 0 {
			q = 0 // η₁ = η₂
		}
		p.sum += p.z * q * dd
		p.z += 0.9e6 * (1 - q) * dd
	}
	p.before = d
}

// Eq. 5.13 with E_h holds as without yielding: to rounding (and the tolerance of Newton's
// method, 1e-12 of a drift in each step), as far as balanced says. E_h is the work of the plastic drifts.
func TestEnergiesBalanceWhileYielding(t *testing.T) {
	for _, kind := range integrate.Kinds {
		other := &plasticWork{drift: 2e-3}
		e := watched(t, kind.Name, 3, softFrame(2e-3), other)
		got := summary(e, "energy_residual_pct")
		t.Logf("%s: residual %.2g %% of %.3g J, E_h %.4g J, by plastic drifts %.4g J", kind.Name, got,
			summary(e, "input_work_max_J"), e.hysteretic, other.sum)
		limit := balanced(kind.Name)
		if !(got < limit) || !(e.hysteretic > 0.2*e.input) {
			t.Errorf("%s: residual %.3g %%: want less than %g %%; E_h %g J of %g J", kind.Name, got, limit, e.hysteretic,
				e.input)
		}
		if w := &e.errors; w.share != share(w.work, e.dissipated+e.hysteretic+w.specimen, e.cSW) {
			t.Errorf("%s: SW_e %g %%: want E_h in what both parts take", kind.Name, w.share)
		}
		if !(math.Abs(e.hysteretic-other.sum) < 5e-3*other.sum) {
			t.Errorf("%s: E_h %g J: want the work of the plastic drifts, %g J", kind.Name, e.hysteretic, other.sum)
		}
	}
}

// While all storeys stay elastic, every energy and indicator is that of the linear frame, to
// rounding, and E_h is zero.
func TestEnergiesOfElasticStoreys(t *testing.T) {
	for _, kind := range integrate.Kinds {
		far, linear := watched(t, kind.Name, 3, softFrame(1e3)), watched(t, kind.Name, 3, nil)
		scale := math.Abs(linear.most.input)
		for i, c := range linear.Channels() {
			if got := *far.Channels()[i].V; !(math.Abs(got-*c.V) <= 1e-9*max(scale, math.Abs(*c.V))) {
				t.Errorf("%s: %s %g: want %g", kind.Name, c.Name, got, *c.V)
			}
		}
		if !(math.Abs(far.hysteretic) < 1e-9*scale) || linear.hysteretic != 0 {
			t.Errorf("%s: E_h %g and %g J: want 0", kind.Name, far.hysteretic, linear.hysteretic)
		}
		if n := len(linear.Channels()); len(far.Channels()) != n+1 || far.Channels()[n].Name != "hysteretic_J" {
			t.Errorf("%s: want a channel hysteretic_J of yielding storeys alone", kind.Name)
		}
	}
}

// Eq. 5.13 holds with devices of every law, between floors and to the ground. A device's linear damping is in E_d, so
// that a linear damper leaves E_h at 0; what others dissipate is in E_h, which never falls far.
func TestEnergiesBalanceWithDevices(t *testing.T) {
	for name, law := range map[string]device.Law{
		"viscous": &device.Viscous{C: 4e3, Alpha: 0.5, V0: 5e-3}, "linear": &device.Viscoelastic{K: 1e5, C: 2e3},
		"branch":  &device.Viscoelastic{K: 1e5, Branches: []device.Branch{{K: 4e5, Rate: 20}}},
		"maxwell": &device.Maxwell{K: 4e5, C: 6e3, Alpha: 0.6},
		"lugre":   &device.LuGre{Sigma0: 1e6, Sigma1: 3e3, Sigma2: 200, Fc: 1500, Fs: 1800, Vs: 0.05},
		"bouc":    &device.Damped{Law: &device.BoucWen{Ke: 4e5, A: 0.1, Fy: 1200, N: 2, Eta1: 0.5, Eta2: 0.5}, C: 500},
		"stop":    &device.Stop{K: 4e5, Travel: 0.002, Gap: true, Hook: true},
	} {
		var list []structure.Device
		for i, at := range [][2]int{{-1, 1}, {0, 2}} {
			d := structure.Device{Number: i + 1, Down: at[0], Up: at[1], Law: law}
			d.K, d.C = law.AtRest()
			list = append(list, d)
		}
		for _, kind := range integrate.Kinds {
			var e *Energies
			least, most := 0.0, 0.0
			runYielding(t, kind.Name, 3, 3, rths.Timing{}, nil, func(p *structure.Partition, c Config) []rths.Observer {
				e = rthstest.Must(NewEnergies(p, c))
				return []rths.Observer{e, look(func() {
					least, most = min(least, e.hysteretic-most), max(most, e.hysteretic)
				})}
			}, list...)
			got, limit := summary(e, "energy_residual_pct"), balanced(kind.Name)
			if kind.Name == "average-acceleration" { // Newton's method stops at 1e-15 m in each of 8192 steps
				limit = 1e-8
			}
			if t.Logf("%s, %s: residual %.2g %%, E_h %.3g J, E_d %.3g J", name, kind.Name, got, e.hysteretic,
				e.dissipated); !(got < limit) {
				t.Errorf("%s, %s: residual %.3g %%: want less than %g %%", name, kind.Name, got, limit)
			}
			switch name {
			case "linear", "stop":
				if !(math.Abs(e.hysteretic) < 2e-3*e.most.input) {
					t.Errorf("%s, %s: E_h %g J of %g J: want 0", name, kind.Name, e.hysteretic, e.most.input)
				}
			default:
				if !(e.hysteretic > 0.02*e.most.input) || !(least > -0.01*most) {
					t.Errorf("%s, %s: E_h %g J of %g J, with a fall of %g J", name, kind.Name, e.hysteretic, e.most.input, least)
				}
			}
		}
	}
}

// look is an observer that does something.
type look func()

func (l look) Observe(*rths.Frame) { l() }

// What is remembered of yielding storeys goes through the state.
func TestYieldingEnergiesResume(t *testing.T) {
	p, f, set := floors3(t)
	whole, err := (&structure.Shear{Masses: []float64{1, 1, 1}, Stiffnesses: []float64{1e6, 1e6, 1e6},
		Yielding: softFrame(1e-3)}).Make()
	if err != nil {
		t.Fatal(err)
	}
	p.Devices = whole.Devices
	for _, c := range []Config{{RateHz: 4096, Held: true, SW: 1, EEI: 1}, {RateHz: 4096, Lambda: 11.5, SW: 1, EEI: 1}} {
		resume(t, p, f, set, c)
	}
}
