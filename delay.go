package rths

// delay is a line of n past vectors of equal width.
type delay struct {
	n, width, at int
	buf          []float64
}

func newDelay(n, width int) delay { return delay{n: n, width: width, buf: make([]float64, n*width)} }

// slot is the oldest vector; after it has been read it is overwritten with the
// newest, and advance moves on.
func (d *delay) slot() []float64 { return d.buf[d.at : d.at+d.width] }

func (d *delay) advance() {
	if d.at += d.width; d.at == len(d.buf) {
		d.at = 0
	}
}

// fill sets all vectors of the line to v.
func (d *delay) fill(v []float64) {
	for j := range d.n {
		copy(d.buf[j*d.width:], v)
	}
}

// AppendState appends the vectors, newest first.
func (d *delay) AppendState(dst []float64) []float64 {
	for j := d.n - 1; j >= 0; j-- {
		i := (d.at/d.width + j) % d.n * d.width
		dst = append(dst, d.buf[i:i+d.width]...)
	}
	return dst
}

// SetState takes the vectors, newest first.
func (d *delay) SetState(src []float64) []float64 {
	d.at = 0
	for j := d.n - 1; j >= 0; j-- {
		src = src[copy(d.buf[j*d.width:(j+1)*d.width], src):]
	}
	return src
}
