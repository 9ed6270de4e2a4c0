package plant

import (
	"math"
	"math/rand/v2"
	"strings"

	"rths"
)

// The specimen of the benchmark package (docs/reference/benchmark-siso.md, Partition).
const (
	specimenMass      = 29.13
	specimenDamping   = 114.22
	specimenStiffness = 1190e3
)

func benchmarkSpecimen() Specimen {
	return &linear{m: specimenMass, c: specimenDamping, k: specimenStiffness}
}

const rate = 4096

// refused says whether a transfer system does not take a specimen: because it has
// no mass, or makes it unstable.
func refused(p TransferMaker, s Specimen) bool {
	_, err := p.Make(At{RateHz: rate, Specimen: s})
	return err != nil && (strings.Contains(err.Error(), "the specimen's mass is 0 kg") ||
		strings.Contains(err.Error(), "unstable with this specimen"))
}

// trace is the motion of a plant: one value per step.
type trace struct{ x, v, a, f []float64 }

// roomy is a reading with room for velocity and acceleration.
func roomy() *rths.Reading {
	r := rths.NewReading(1, 1)
	r.Motion = rths.NewMotion(1)
	return &r
}

// drive runs the plant under the commands.
func drive(p Plant, commands []float64) (out trace) {
	n := len(commands)
	now, all := roomy(), make([]float64, 4*n)
	out = trace{x: all[:n:n], v: all[n : 2*n : 2*n], a: all[2*n : 3*n : 3*n], f: all[3*n:]}
	for k := range commands {
		p.Step(now, commands[k:k+1])
		out.x[k], out.v[k], out.a[k], out.f[k] = now.X[0], now.V[0], now.A[0], now.F[0]
	}
	return out
}

// wander is n commands with jumps and slow parts, of the order of size.
func wander(seed uint64, n int, size float64) []float64 {
	r, u := rand.New(rand.NewPCG(seed, 1)), make([]float64, n)
	hz := 1 + 4*r.Float64()
	for k := range u {
		u[k] = size * (math.Sin(2*math.Pi*hz*float64(k)/rate) + 0.1*r.NormFloat64())
	}
	return u
}

// repeat gives every command several times, as a faster clock sees it.
func repeat(u []float64, times int) (out []float64) {
	for _, v := range u {
		for range times {
			out = append(out, v)
		}
	}
	return out
}

func steps(n int) []float64 {
	u := make([]float64, n)
	for k := range u {
		u[k] = 1
	}
	return u
}

func peak(x []float64) (most float64) {
	for _, v := range x {
		most = max(most, math.Abs(v))
	}
	return most
}

// apart is the largest distance of two traces.
func apart(a, b []float64) (most float64) {
	for i := range a {
		most = max(most, math.Abs(a[i]-b[i]))
	}
	return most
}

// mean, sd and correlation of samples.
func mean(x []float64) (m float64) {
	for _, v := range x {
		m += v / float64(len(x))
	}
	return m
}

func sd(x []float64) float64 { return math.Sqrt(covariance(x, x)) }

func covariance(x, y []float64) (c float64) {
	mx, my := mean(x), mean(y)
	for i := range x {
		c += (x[i] - mx) * (y[i] - my) / float64(len(x)-1)
	}
	return c
}

func correlation(x, y []float64) float64 { return covariance(x, y) / (sd(x) * sd(y)) }
