package analyse

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"rths"
	"rths/kit/rthstest"
	"rths/model/plant"
)

func kindOf(name string) *plant.Hydraulic {
	for _, k := range plant.Transfers {
		if k.Name == name {
			return k.Defaults().(*plant.Hydraulic)
		}
	}
	panic(name)
}

// loadingCommands are the experiments for an actuator, one after another.
func loadingCommands(p *plant.Hydraulic, rate float64) (u []float64) {
	stroke := 1 / p.ProportionalGain // m, that opens the valve fully
	add := func(seconds float64, of func(s float64) float64) {
		for k := range int(seconds * rate) {
			u = append(u, of(float64(k)/rate))
		}
	}
	add(0.3, func(float64) float64 { return 0 })
	for _, size := range []float64{0.2, -0.2, 0.8, -0.8, 1.6, -1.6, 0} {
		add(0.4, func(float64) float64 { return size * stroke })
	}
	for _, size := range []float64{0.05, 0.3} { // sweeps
		T, from, to := 4.0, 0.5, 60.0
		l := math.Log(to / from)
		add(T, func(s float64) float64 {
			return size * stroke * math.Sin(2*math.Pi*from*T/l*(math.Exp(s/T*l)-1)) * min(1, (T-s)/0.2)
		})
	}
	for _, speed := range []float64{0.002, 0.01, 0.04} { // ramps to and fro, m/s, of 0.7 s each
		add(1.4, func(s float64) float64 { return speed * (0.35 - math.Abs(math.Mod(s+0.35, 1.4)-0.7)) * -1 })
	}
	add(2, func(s float64) float64 { return 0.04 * stroke * math.Sin(2*math.Pi*s) }) // dead band
	add(2, func(s float64) float64 { return 0.004 * stroke * math.Sin(2*math.Pi*s) })
	return u
}

func spread(r *rand.Rand, factor float64) float64 {
	return math.Exp((2*r.Float64() - 1) * math.Log(factor))
}

func TestHydraulicLook(t *testing.T) {
	kinds := []string{"servo-hydraulic-25kN", "servo-hydraulic-nonlinear", "servo-hydraulic-2500kN"}
	in, all := 0, 0
	for i := range 8 {
		if os.Getenv("ONLY") != "" && !strings.Contains(os.Getenv("ONLY"), fmt.Sprint(i)) {
			continue
		}
		r := rand.New(rand.NewPCG(uint64(i), 7))
		truth := *kindOf(kinds[i%3])
		guess := truth
		for _, u := range unknowns {
			if u.absolute > 0 {
				*u.of(&truth) = -0.02 + 0.05*r.Float64()
			} else {
				f := spread(r, 1.3)
				*u.of(&truth) *= f
				*u.of(&guess) = *u.of(&truth) * spread(r, 1.5)
			}
		}
		truth.StaticForce = max(truth.StaticForce, truth.CoulombForce)
		guess.StaticForce = max(guess.StaticForce, guess.CoulombForce)
		k := truth.Force / truth.Stroke / 2
		m := truth.MovingMass * 5
		sp := &plant.LinearSpecimen{Mass: m, Stiffness: k, Damping: 2 * 0.02 * math.Sqrt(k*m)}
		test := &HydraulicTest{RateHz: 1024, Guess: guess, Specimen: sp, Kind: kinds[i%3]}
		test.Command = loadingCommands(&truth, 1024)
		data, err := test.simulate0(&truth)
		if err != nil {
			fmt.Println(err)
			continue
		}
		for k := range data.x {
			data.x[k] += 1e-6 * r.NormFloat64()
			data.f[k] += 5e-4 * truth.Force * r.NormFloat64()
		}
		test.Measured, test.Force = data.x, data.f
		start := time.Now()
		out, err := test.Run()
		if err != nil {
			fmt.Printf("%v %+v %+v\n", err, guess, sp)
			continue
		}
		fmt.Println(i, kinds[i%3], "n", len(test.Command), time.Since(start), "rounds", out.Rounds, "runs", out.Runs, "residual", out.Residual, "opening", out.Opening, "speed", out.SpoolSpeed)
		j := 0
		for _, u := range unknowns {
			if j < len(out.Parameters) && out.Parameters[j].Key == u.key {
				p := out.Parameters[j]
				j++
				v := *u.of(&truth)
				all++
				off := (p.Value - v) / p.Error
				if math.Abs(off) < 2 {
					in++
				}
				fmt.Printf("      %s true %.4g: %.2f errors off\n", u.key, v, off)
			}
		}
	}
	fmt.Println(in, all)
	_ = rths.Finite
	_ = rthstest.Long
}

func (t *HydraulicTest) simulate0(p *plant.Hydraulic) (*hydraulicRun, error) {
	t.Measured, t.Force = make([]float64, len(t.Command)), make([]float64, len(t.Command))
	return t.simulate(p)
}
