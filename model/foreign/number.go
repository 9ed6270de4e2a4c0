package foreign

import (
	"encoding/binary"
	"math"
	"math/bits"
)

// mostDigits are the decimal digits that a uint64 always holds.
const mostDigits = 19

// fives are the powers of 5 that a uint64 holds.
var fives = func() (out [28]uint64) {
	out[0] = 1
	for i := range out[1:] {
		out[i+1] = 5 * out[i]
	}
	return out
}()

// Numbers reads the line as so many numbers, and reports whether it is no more and no less than these. It takes no
// memory, and knows plain numbers alone, of 19 digits at most: of another line Split and Number tell what it is. The
// numbers are those of Number to the bit.
func (r *Rows) Numbers(to []float64) bool {
	line, point := r.line, byte('.')
	if r.Comma {
		point = ','
	}
	for i := range to {
		v, n := number(line, point)
		if n == 0 {
			return false
		}
		to[i], line = v, line[n:]
		n = r.blanks(line)
		if line = line[n:]; i == len(to)-1 {
			break
		}
		if r.Separator == 0 {
			if n == 0 {
				return false
			}
			continue
		}
		if len(line) == 0 || line[0] != r.Separator {
			return false
		}
		line = line[1:]
		line = line[r.blanks(line):]
	}
	return len(line) == 0
}

// blanks is the number of blanks that a line begins with; of tabs too, where these do not separate.
func (r *Rows) blanks(line []byte) (n int) {
	for n < len(line) && (line[n] == ' ' || line[n] == '\t' && r.Separator == 0) {
		n++
	}
	return n
}

// number is the number that b begins with, and its length; 0: there is none, or one that strconv has to read.
func number(b []byte, point byte) (v float64, n int) {
	negative := len(b) > 0 && b[0] == '-'
	if negative || len(b) > 0 && b[0] == '+' {
		n = 1
	}
	begin := n
	for n < len(b) && b[n] == '0' {
		n++
	}
	m, end := digits(b, n, 0)
	significant, found, exponent := end-n, end > begin, 0
	if n = end; n < len(b) && b[n] == point {
		n++
		begin = n
		for significant == 0 && n < len(b) && b[n] == '0' {
			n++
		}
		m, end = digits(b, n, m)
		significant, found, exponent = significant+end-n, found || end > begin, begin-end
		n = end
	}
	if !found || significant > mostDigits {
		return 0, 0
	}
	if n < len(b) && b[n]|0x20 == 'e' {
		n++
		minus := n < len(b) && b[n] == '-'
		if minus || n < len(b) && b[n] == '+' {
			n++
		}
		e, end := digits(b, n, 0)
		if end == n || end > n+3 {
			return 0, 0
		}
		if n = end; minus {
			e = -e
		}
		exponent += int(e)
	}
	v, ok := scaled(m, exponent)
	if !ok {
		return 0, 0
	}
	if negative {
		v = -v
	}
	return v, n
}

// digits appends the digits that stand in b from n on to those of m, and says where they end.
func digits(b []byte, n int, m uint64) (uint64, int) {
	for ; n+8 <= len(b); n += 8 { // Lemire, Number parsing at a gigabyte per second (2021), section 9: eight at a time
		x := binary.LittleEndian.Uint64(b[n:])
		if x&0xf0f0f0f0f0f0f0f0 != 0x3030303030303030 || (x+0x0606060606060606)&0xf0f0f0f0f0f0f0f0 != 0x3030303030303030 {
			break
		}
		x = (x & 0x0f0f0f0f0f0f0f0f) * (10<<8 + 1) >> 8
		x = (x & 0x00ff00ff00ff00ff) * (100<<16 + 1) >> 16
		m = 100_000_000*m + (x&0x0000ffff0000ffff)*(10_000<<32+1)>>32
	}
	for ; n < len(b) && b[n]-'0' < 10; n++ {
		m = 10*m + uint64(b[n]-'0')
	}
	return m, n
}

// scaled is the number nearest to m·10^exponent; false where this needs more than one product or quotient of whole
// numbers. Powers of 2 are exact here.
func scaled(m uint64, exponent int) (float64, bool) {
	if m == 0 {
		return 0, true
	}
	if exponent >= 0 {
		over, q := uint64(1), uint64(0)
		if exponent < len(fives) {
			over, q = bits.Mul64(m, fives[exponent])
		}
		return times2(q, exponent), over == 0
	}
	if -exponent >= len(fives) {
		return 0, false
	}
	d := fives[-exponent]
	up, down := bits.LeadingZeros64(m), bits.LeadingZeros64(d)
	m <<= up
	q, rest := bits.Div64(m>>1, m<<63, d<<down) // of at least 63 bits
	if rest != 0 {
		q |= 1 // far below the last bit of a float64: it tells a half from more
	}
	return times2(q, exponent-63-up+down), true
}

// times2 is q·2^e, rounded once.
func times2(q uint64, e int) float64 { return float64(q) * math.Float64frombits(uint64(1023+e)<<52) }
