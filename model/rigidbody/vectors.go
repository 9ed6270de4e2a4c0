package rigidbody

import "math"

func plus(a, b vector) vector  { return vector{a[0] + b[0], a[1] + b[1], a[2] + b[2]} }
func minus(a, b vector) vector { return vector{a[0] - b[0], a[1] - b[1], a[2] - b[2]} }

func scaled(a vector, s float64) vector { return vector{s * a[0], s * a[1], s * a[2]} }

func dot(a, b vector) float64 { return a[0]*b[0] + a[1]*b[1] + a[2]*b[2] }

func norm(a vector) float64 { return math.Sqrt(dot(a, a)) }

func cross(a, b vector) vector {
	return vector{a[1]*b[2] - a[2]*b[1], a[2]*b[0] - a[0]*b[2], a[0]*b[1] - a[1]*b[0]}
}

func times(m matrix, a vector) vector { return vector{dot(m[0], a), dot(m[1], a), dot(m[2], a)} }

// rotation is the rotation R about the vector θ by its length φ, and J of ω = J θ̇:
//
//	R = I + s [θ]× + c [θ]×²,  J = I + c [θ]× + d [θ]×²
//	s = sin φ/φ,  c = (1 − cos φ)/φ²,  d = (φ − sin φ)/φ³
func rotation(theta vector) (r, j matrix) {
	r, j = swing(theta)
	for i := range 3 {
		r[i][i]++
		j[i][i]++
	}
	return r, j
}

// swing is R − I and J − I, with all digits of small turns.
func swing(theta vector) (r, j matrix) {
	phi2 := dot(theta, theta)
	phi := math.Sqrt(phi2)
	s, c, d := 1-phi2/6*(1-phi2/20), 0.5-phi2/24*(1-phi2/30), 1.0/6-phi2/120*(1-phi2/42)
	if phi > 1e-2 { // below, the series are right to rounding
		sin := math.Sin(phi)
		half := math.Sin(phi / 2)
		s, c, d = sin/phi, 2*half*half/phi2, (phi-sin)/(phi2*phi)
	}
	x := matrix{{0, -theta[2], theta[1]}, {theta[2], 0, -theta[0]}, {-theta[1], theta[0], 0}}
	for i := range 3 {
		for k := range 3 {
			square := theta[i] * theta[k] // [θ]×² = θ θᵀ − φ² I
			if i == k {
				square -= phi2
			}
			r[i][k] = s*x[i][k] + c*square
			j[i][k] = c*x[i][k] + d*square
		}
	}
	return r, j
}
