package kit

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"rths"
	"rths/maths/lti"
)

// Sine is a smooth target of n coordinates at tick k of the given rate: 3 mm at
// 3.6 Hz with a slower component, risen from rest over half a second.
func Sine(m *rths.Motion, k int, rateHz float64) {
	t := float64(k) / rateHz
	for i := range m.X {
		a := 0.003 / float64(i+1)
		ramp, slope, bend := smoothstep(t / 0.5)
		x, v, acc := 0.0, 0.0, 0.0
		for _, of := range [][2]float64{{1, 2 * math.Pi * 3.6}, {0.3, 2 * math.Pi * 1.1}} {
			b, w := a*of[0], of[1]
			sin, cos := math.Sincos(w * t)
			x, v, acc = x+b*sin, v+b*w*cos, acc-b*w*w*sin
		}
		m.X[i] = ramp * x
		m.V[i] = ramp*v + slope/0.5*x
		m.A[i] = ramp*acc + 2*slope/0.5*v + bend/0.25*x
	}
}

// smoothstep rises from 0 to 1 with three continuous derivatives, of which it returns two: compensators
// that differentiate three times must not be judged on a kink.
func smoothstep(u float64) (rise, slope, bend float64) {
	u = min(max(u, 0), 1)
	left := 1 - u
	return u * u * u * u * (35 - u*(84-u*(70-20*u))), 140 * u * u * u * (left * left * left),
		420 * u * u * (left * left) * (left - u)
}

// bench is a rig in miniature: on each axis two lags of 10 ms in series, with a stroke, and a
// little ripple on the reading in place of noise. One axis does not feel the others.
type bench struct {
	rateHz float64
	k      int
	x, y   []float64 // m
	v, a   []float64 // m/s, m/s²: changes of x and v over the sample
	stroke float64   // the largest displacement, m
}

// lag is the time of each lag, s; stroke the bench's own stroke, m, which no sound
// command reaches.
const lag, stroke = 0.010, 0.1

func newBench(axes int, rateHz float64) *bench {
	return &bench{rateHz: rateHz, stroke: stroke, x: make([]float64, axes), y: make([]float64, axes),
		v: make([]float64, axes), a: make([]float64, axes)}
}

// BenchModel is the kit's rig as a continuous system, from the commands of its axes to
// their displacements: what a method that is designed on a model is made for.
func BenchModel(axes int) (lti.SS, error) {
	n := 2 * axes
	a, b, c := mat.NewDense(n, n, nil), mat.NewDense(n, axes, nil), mat.NewDense(axes, n, nil)
	for i := range axes {
		a.Set(2*i, 2*i, -1/lag)
		a.Set(2*i+1, 2*i+1, -1/lag)
		a.Set(2*i+1, 2*i, 1/lag)
		b.Set(2*i, i, 1/lag)
		c.Set(i, 2*i+1, 1)
	}
	return lti.NewSS(a, b, c, mat.NewDense(axes, axes, nil), 0)
}

func (b *bench) read(r *rths.Reading) {
	r.Age = 0
	for i, x := range b.x {
		if i < len(r.A) {
			r.A[i] = b.a[i]
		}
		r.TrueX[i] = x
		r.X[i] = x + 1e-5*math.Sin(float64(7*b.k+i))
		r.TrueF[i], r.F[i] = 1e6*x, 1e6*r.X[i]
	}
}

// clean is a reading without ripple.
func (b *bench) clean(r *rths.Reading) {
	b.read(r)
	copy(r.X, r.TrueX)
	copy(r.F, r.TrueF)
}

func (b *bench) write(command []float64) {
	step := 1 / (lag * b.rateHz)
	for i, u := range command {
		b.y[i] += step * (min(max(u, -b.stroke), b.stroke) - b.y[i])
		v := (b.y[i] - b.x[i]) / lag
		b.x[i] += step * (b.y[i] - b.x[i])
		b.v[i], b.a[i] = v, (v-b.v[i])*b.rateHz
	}
	b.k++
}

// trouble spoils the bench before tick k. was is the reading
// of the tick before, as the compensator got it.
type trouble func(b *bench, now, was *rths.Reading)

// none: all goes well.
func none(*bench, *rths.Reading, *rths.Reading) {}

// troubled are ticks in the midst of what rough does: a method that holds its last good
// reading needs that to go on.
var troubled = []int{1003, 2503, 2520, 4000, 5002, 6150, 6270}

// rough loses readings of one axis and of all, repeats others, and for a while reaches
// less than half of the target.
func rough(b *bench, now, was *rths.Reading) {
	bad := []float64{math.NaN(), math.Inf(1), math.Inf(-1)}[b.k/1000%3]
	last := len(now.X) - 1
	switch {
	case b.k > 1000 && b.k%1000 < 5:
		now.X[last], now.F[last] = bad, bad
	case b.k >= 2500 && b.k < 2540:
		poison(now.X)
		poison(now.F)
		poison(now.A)
	case b.k >= 6110 && b.k < 6210: // the last message is repeated
		copy(now.X, was.X)
		copy(now.F, was.F)
		copy(now.A, was.A)
		now.Age = was.Age + 1
	}
	if b.stroke = stroke; b.k >= 3500 && b.k < 4700 {
		b.stroke = 0.002
	}
}

// hugeTick is the tick of the reading of huge.
const hugeTick = 3000

// huge has one reading that is a number, but no displacement.
func huge(b *bench, now, _ *rths.Reading) {
	if last := len(now.X) - 1; b.k == hugeTick {
		now.X[last], now.F[last] = math.MaxFloat64, math.MaxFloat64
	}
}
