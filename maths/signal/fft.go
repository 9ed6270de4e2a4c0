package signal

import (
	"math"
	"slices"
)

// fft is the discrete Fourier transform of one length 2^k or 3·2^k: FFTPACK's (Swarztrauber 1982), with the numbers of
// gonum's translation to the bit, in a third of its time: that one copies, and works out the place of each number.
type fft struct {
	radices []int
	twist   [][]complex128 // of each pass: e^(2πi jk/n) for each j below the radix but 0
}

func newFFT(n int) *fft {
	f, left := &fft{}, n
	for _, radix := range []int{3, 4} {
		for ; left%radix == 0; left /= radix {
			f.radices = append(f.radices, radix)
		}
	}
	if left == 2 {
		f.radices = slices.Insert(f.radices, 0, 2)
	}
	left = n
	for _, radix := range f.radices {
		step := n / left
		left /= radix
		w := make([]complex128, 0, (radix-1)*left)
		for j := 1; j < radix; j++ {
			angle := float64(j*step) * (2 * math.Pi / float64(n))
			for k := range left {
				w = append(w, complex(math.Cos(float64(k)*angle), math.Sin(float64(k)*angle)))
			}
		}
		f.twist = append(f.twist, w)
	}
	return f
}

// of is the sum over m of x_m e^(sign 2πi km/n) for each k. It stands in x or in spare, and left is the other one.
func (f *fft) of(x, spare []complex128, sign float64) (out, left []complex128) {
	groups := 1
	for i, radix := range f.radices {
		switch radix {
		case 2:
			pass2(spare, x, f.twist[i], groups, sign)
		case 3:
			pass3(spare, x, f.twist[i], groups, sign)
		case 4:
			pass4(spare, x, f.twist[i], groups, sign)
		}
		groups *= radix
		x, spare = spare, x
	}
	return x, spare
}

// A pass takes groups of radix·m numbers, and lists the m numbers of each group and output, output after output.

func pass2(out, in, w []complex128, groups int, sign float64) {
	m := len(w)
	for k := range groups {
		a, b := in[2*k*m:][:m], in[(2*k+1)*m:][:m]
		y0, y1 := out[k*m:][:m], out[(groups+k)*m:][:m]
		for i, w := range w {
			y0[i] = a[i] + b[i]
			y1[i] = turned(w, sign) * (a[i] - b[i])
		}
	}
}

func pass3(out, in, w []complex128, groups int, sign float64) {
	const cos, sin = -0.5, 0.866025403784439 // of a third of a turn, as FFTPACK has them
	m := len(w) / 2
	w1, w2 := w[:m], w[m:][:m]
	for k := range groups {
		a, b, c := in[3*k*m:][:m], in[(3*k+1)*m:][:m], in[(3*k+2)*m:][:m]
		y0, y1, y2 := out[k*m:][:m], out[(groups+k)*m:][:m], out[(2*groups+k)*m:][:m]
		for i, w := range w1 {
			sum, difference := b[i]+c[i], quarter(b[i]-c[i], sign*sin)
			y0[i] = a[i] + sum
			sum = a[i] + complex(cos*real(sum), cos*imag(sum))
			y1[i] = turned(w, sign) * (sum - difference)
			y2[i] = turned(w2[i], sign) * (sum + difference)
		}
	}
}

func pass4(out, in, w []complex128, groups int, sign float64) {
	m := len(w) / 3
	w1, w2, w3 := w[:m], w[m:][:m], w[2*m:][:m]
	for k := range groups {
		a, b, c, d := in[4*k*m:][:m], in[(4*k+1)*m:][:m], in[(4*k+2)*m:][:m], in[(4*k+3)*m:][:m]
		y0, y1 := out[k*m:][:m], out[(groups+k)*m:][:m]
		y2, y3 := out[(2*groups+k)*m:][:m], out[(3*groups+k)*m:][:m]
		for i, w := range w1 {
			t1, t2, t3, t4 := a[i]-c[i], a[i]+c[i], b[i]+d[i], quarter(d[i]-b[i], sign)
			y0[i] = t2 + t3
			y1[i] = turned(w, sign) * (t1 + t4)
			y2[i] = turned(w2[i], sign) * (t2 - t3)
			y3[i] = turned(w3[i], sign) * (t1 - t4)
		}
	}
}

// turned is w, or its conjugate for a sign of -1.
func turned(w complex128, sign float64) complex128 { return complex(real(w), sign*imag(w)) }

// quarter is −i z times a factor.
func quarter(z complex128, factor float64) complex128 {
	return complex(factor*imag(z), -(factor * real(z)))
}
