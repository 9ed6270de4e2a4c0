package page

import "math"

// lag follows how far the measured displacement is behind its target, and how large it is beside it. For a motion
// x = A sin ωt and a reading m = r A sin(ωt − φ)
//
//	m = a x + b ẋ,  a = r cos φ,  b = −(r/ω) sin φ
//
// a and b are least squares over the last second or so, each row counts less by the factor that makes the mean age memoryS.
// ω² is the mean of ẋ² over that of x². Then r = √(a² + (bω)²) and the delay is φ/ω.
type lag struct {
	rate, forget  float64
	before, now   [2]float64 // target and measured of the last two rows
	rows          int
	xx, vv, xv    float64 // sums of products of target x and its velocity v
	xm, vm        float64
	delay, amount float64 // ms, %
}

const memoryS = 1

func newLag(rate float64) lag {
	return lag{rate: rate, forget: 1 - 1/(memoryS*rate), delay: math.NaN(), amount: math.NaN()}
}

// see takes a row. The velocity is the central difference, so the row before is the one that counts.
func (l *lag) see(target, measured float64) {
	if !(math.Abs(target) < math.MaxFloat64) || !(math.Abs(measured) < math.MaxFloat64) {
		return
	}
	if l.rows++; l.rows > 2 {
		x, m := l.now[0], l.now[1]
		v := (target - l.before[0]) * l.rate / 2
		l.xx, l.vv, l.xv = l.xx*l.forget+x*x, l.vv*l.forget+v*v, l.xv*l.forget+x*v
		l.xm, l.vm = l.xm*l.forget+x*m, l.vm*l.forget+v*m
	}
	l.before, l.now = l.now, [2]float64{target, measured}
}

// find sets delay and amplitude; not numbers where the target has hardly moved.
func (l *lag) find() {
	l.delay, l.amount = math.NaN(), math.NaN()
	det := l.xx*l.vv - l.xv*l.xv
	if float64(l.rows) < memoryS*l.rate/2 || !(det > 1e-9*l.xx*l.vv) {
		return
	}
	a, b := (l.xm*l.vv-l.vm*l.xv)/det, (l.vm*l.xx-l.xm*l.xv)/det
	w := math.Sqrt(l.vv / l.xx)
	l.amount = 100 * math.Hypot(a, b*w)
	l.delay = 1e3 * math.Atan2(-b*w, a) / w
}
