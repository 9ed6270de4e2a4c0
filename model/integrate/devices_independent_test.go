package integrate

import (
	"math"
	"testing"

	"rths"
	"rths/kit/rthstest"
	"rths/model/device"
	"rths/model/structure"
)

// Numbers of kit/independent/devices.py: at each of deviceTicks (1/1024 s) the displacements of three floors (m), then
// the forces of four devices (N). "reference" is Runge–Kutta in steps of 1/16384 s.
var deviceProgram = map[string][]float64{
	"reference-first": {
		-0.0005847010314674754, -0.00111637752315102, -0.00121596182102305, -522.947286241023,
		-153.9222335175251, 44.48792368641396, 0.0,
		0.003169736493759546, 0.005452217662905285, 0.005131480628264193, 961.6868147712527,
		455.7068969745234, 114.7918013884094, 290.443532581057,
		-0.0159060538039452, -0.02451793541275973, -0.03536405932361331, 975.4756495370314,
		-756.5845828503715, 630.1028967894886, -4103.587082551947,
		-0.01642364286827533, -0.02267486685471569, -0.03045480659819877, -895.733756945369,
		-1214.89201075237, 842.4702259837901, -3734.973370943137,
	},
	"central-first": {
		-0.0005847310649827275, -0.001116373189448471, -0.001215957178490599, -522.9424743016143,
		-153.9139204018095, 44.4883304581493, 0.0,
		0.003169810431683746, 0.005452220323169773, 0.005131529190633333, 961.6555681853657,
		455.6945580199668, 114.7780843210566, 290.4440646339546,
		-0.01590602721659094, -0.02451809491412808, -0.03536369959910449, 975.4406111585873,
		-756.5639894262829, 629.9030932677772, -4103.618982825617,
		-0.01642338512247098, -0.02267446297651949, -0.03045449419634123, -895.7028852780892,
		-1214.928555676677, 842.4731173298615, -3734.892595303897,
	},
	"average-first": {
		-0.0005847268542602465, -0.001116435588581856, -0.001216013955902888, -522.9476869033273,
		-153.9269087466897, 44.48649734522728, 0.0,
		0.003169823945374592, 0.005452301974334929, 0.005131545538282804, 961.6992263770549,
		455.6853209158965, 114.8111920768058, 290.4603948669858,
		-0.0159063331892632, -0.02451739699682086, -0.03536461035669344, 975.4985762255286,
		-756.7410848264136, 630.4487792987851, -4103.479399364174,
		-0.01642389973739974, -0.02267585598797519, -0.03045516908025386, -895.8705767429916,
		-1214.841316134858, 842.4610210179088, -3735.171197595038,
	},
	"reference-second": {
		-0.0010181418128118, -0.001035830236854631, -0.001319350003393893, -53.07457606438965,
		-207.1660473709263, 56.67130773890479, 7.075369617132437,
		0.006162696323443152, 0.008051793034671628, 0.008746395933028086, 339.5182213774069,
		521.0358606934326, -134.4418207457782, -755.6386844913904,
		-0.03407457372605904, -0.05321841193864765, -0.05722847734261557, -3069.825897325673,
		-1424.368238772953, 632.7343966154968, 800.0,
		-0.04540442412206457, -0.06768087435978823, -0.06815131458020533, -4364.088892267713,
		-1713.617487195765, 540.8087628959607, 800.0,
	},
	"central-second": {
		-0.001018122364473257, -0.00103580853766498, -0.001319320144577767, -53.07012202781267,
		-207.161707532996, 56.66967912063993, 7.074469276689265,
		0.006162729847599718, 0.008051789251106743, 0.008746307709041053, 339.4695694567216,
		521.0357850221349, -134.4254337339753, -755.6237614028099,
		-0.03407475208748355, -0.05321878148961623, -0.05722899694078448, -3069.916190861444,
		-1424.375629792325, 632.7443589457522, 800.0,
		-0.04540500081347805, -0.06768139317044265, -0.06815226927153774, -4364.137959342283,
		-1713.627863408853, 540.8411128057716, 800.0,
	},
	"average-second": {
		-0.00101817948999966, -0.001035872302679034, -0.001319409092969749, -53.07764998046609,
		-207.1744605358069, 56.67470557098108, 7.077125071749784,
		0.006162708016203442, 0.008051898183720629, 0.008746647877516152, 339.5742707550352,
		521.0379636744126, -134.471015476909, -755.6760670068746,
		-0.03407438381824096, -0.0532176433734115, -0.05722790922643541, -3069.755973893826,
		-1424.35286746823, 632.7367851393515, 800.0,
		-0.0454036330107792, -0.06768120355016154, -0.06815041174545287, -4364.067515480793,
		-1713.624071003231, 540.7436078070209, 800.0,
	},
}

var deviceTicks = []int{256, 600, 1111, 1800}

// deviceFrames are those of the program: floors from 0, and −1 for the ground.
func deviceFrames() map[string][]structure.Device {
	return map[string][]structure.Device{
		"first": {
			among(1, -1, 0, &device.Viscous{C: 3e3, Alpha: 0.4, V0: 5e-3, K: 1e4}),
			among(2, 0, 2, &device.Maxwell{K: 3e5, C: 5e3, Alpha: 0.6}),
			among(3, 2, 1, &device.LuGre{Sigma0: 4e5, Sigma1: 2e3, Sigma2: 100, Fc: 800, Fs: 1000, Vs: 0.05}),
			among(4, -1, 1, &device.Stop{K: 2e5, Travel: 0.004, Gap: true, Hook: true}),
		},
		"second": {
			among(1, 0, 2, &device.Viscoelastic{K: 5e4, C: 2e3,
				Branches: []device.Branch{{K: 1e5, Rate: 8}, {K: 5e4, Rate: 60}}}),
			among(2, -1, 1, &device.Bilinear{K0: 2e5, K2: 2e4, Dy: 0.002}),
			among(3, 2, 1, &device.BoucWen{Ke: 2e5, A: 0.1, Fy: 600, N: 2.5, Eta1: 0.8, Eta2: 0.3,
				Alpha: 1e-4, Beta: 1e-3, Kh: 5e7}),
			among(4, 1, 0, &device.Friction{K: 4e5, Mu: 0.1, N: 8e3}),
		},
	}
}

// deviceRun is what the program prints, of an integrator in steps of 1/1024 s or so many times finer. RK4 holds the
// force of the specimen over its step, and so has that of the middle.
func deviceRun(t *testing.T, m Maker, list []structure.Device, finer int) (out []float64) {
	t.Helper()
	frame := mustStructure(t, &structure.Shear{
		Masses: []float64{1000, 900, 800}, Stiffnesses: []float64{4e5, 3e5, 2e5},
		Damping: structure.Damping{Matrix: structure.Rows([][]float64{{1100, -400, 0}, {-400, 900, -300}, {0, -300, 500}})},
	})
	p := rthstest.Must(rthstest.Must(frame.Fit(list)).Divide(1, 20, 150, 5e4))
	ground := func(t float64) float64 {
		return (1 - math.Exp(-4*t*t)) * (2*math.Sin(8.2*t) + 1.5*math.Sin(26*t+1))
	}
	h, middle := 1/1024.0/float64(finer), 0.0
	if _, ok := m.(*RK4); ok {
		middle = h / 2
	}
	in, target, felt := must(t, m, p, h), rths.NewMotion(1), rths.NewReading(1, 1)
	channels := in.(rths.Channeler).Channels()
	for k, next := 0, 0; next < len(deviceTicks); k++ {
		at := float64(k) * h
		felt.F[0] = 500 * math.Sin(17*(at+middle)) * (1 - math.Exp(-9*(at+middle)*(at+middle)))
		in.Step(&target, []float64{ground(at), ground(at + h/2), ground(at + h)}, &felt)
		if k == deviceTicks[next]*finer {
			out = append(out, in.State().X...)
			for i := range list {
				out = append(out, *channels[2*i+1].V)
			}
			next++
		}
	}
	return out
}

// deviceOff is how far displacements and forces are from those wanted, each in the largest of its kind.
func deviceOff(t *testing.T, got, want []float64) (x, force float64) {
	t.Helper()
	if len(want) != 7*len(deviceTicks) || len(got) != len(want) {
		t.Fatalf("%d and %d numbers: want %d", len(got), len(want), 7*len(deviceTicks))
	}
	var most [2]float64
	for i, w := range want {
		off, size := &x, &most[0]
		if i%7 >= 3 {
			off, size = &force, &most[1]
		}
		*off, *size = max(*off, math.Abs(got[i]-w)), max(*size, math.Abs(w))
	}
	return x / most[0], force / most[1]
}

// The same schemes, written from their equations: to 1e-10 of the largest displacement and force. Rounding is 1e-11.
func TestDevicesAsInTheProgram(t *testing.T) {
	for name, list := range deviceFrames() {
		for method, m := range map[string]Maker{"central": &CentralDifference{}, "average": &AverageAcceleration{}} {
			name := method + "-" + name
			x, force := deviceOff(t, deviceRun(t, m, list, 1), deviceProgram[name])
			if t.Logf("%s: %.2g of the displacements, %.2g of the forces", name, x, force); !(max(x, force) <= 1e-10) {
				t.Errorf("%s: off by %.2g of the displacements, %.2g of the forces", name, x, force)
			}
		}
	}
}

// Every method comes to the program's reference with order 2, and in four times finer steps to 1e-5 of the largest
// displacement, of forces to 3e-5. RK4, with the force of the specimen held and laws that have kinks, comes to 5e-7.
// The reference itself is off by 2e-8, found with steps three times finer.
func TestDevicesComeToTheReference(t *testing.T) {
	for name, list := range deviceFrames() {
		want := deviceProgram["reference-"+name]
		for _, kind := range Kinds {
			x, force := deviceOff(t, deviceRun(t, kind.Defaults(), list, 1), want)
			x4, force4 := deviceOff(t, deviceRun(t, kind.Defaults(), list, 4), want)
			order, orderForce := slope(x, x4)/2, slope(force, force4)/2
			near := x4 < 1e-5 && force4 < 3e-5 && order > 1.8 && orderForce > 1.8
			if kind.Name == "rk4" {
				near = x4 < 5e-7 && force4 < 5e-7
			}
			const text = "%s, %s frame: off by %.2g of the displacements, order %.2f; %.2g of the forces, order %.2f"
			if t.Logf(text, kind.Name, name, x4, order, force4, orderForce); !near {
				t.Errorf(text, kind.Name, name, x4, order, force4, orderForce)
			}
		}
	}
}

// The program still gives these numbers, of which other libraries round the last digits otherwise.
func TestProgramOfTheDevices(t *testing.T) {
	got := rthstest.Independent(t, "devices.py")
	for name, want := range deviceProgram {
		if x, force := deviceOff(t, got[name], want); !(max(x, force) <= 1e-11) {
			t.Errorf("%s: the program is off by %.2g of the displacements, %.2g of the forces", name, x, force)
		}
	}
}
