package report

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"encoding/binary"
	"math"
)

// bare is how many of the 23 bits of a mantissa a packed number leaves out: it is right to 4 parts in a million.
const bare = 6

// pack writes numbers for the script of the page, which unpacks them: each as float32 without its last bits, as a whole
// number in the order of the numbers, less the one before, with the sign in the last bit; first the lowest bytes of
// all, then the next; compressed (deflate, as browsers know it), in base64.
func pack(values []float64) string {
	n := len(values)
	planes := make([]byte, 4*n)
	before := uint32(0)
	for k, v := range values {
		place := inOrder(math.Float32bits(float32(v)))
		step := int32(place - before)
		before = place
		for j, word := 0, uint32(step<<1)^uint32(step>>31); j < 4; j++ {
			planes[j*n+k] = byte(word >> (8 * j))
		}
	}
	var out bytes.Buffer
	to := base64.NewEncoder(base64.StdEncoding, &out)
	w, _ := flate.NewWriter(to, flate.DefaultCompression) // a level that there is
	_, _ = w.Write(planes)                                // into memory
	_ = w.Close()
	_ = to.Close()
	return out.String()
}

// plainly writes numbers as float32 in base64: for a page on the same computer, which has no time to unpack.
func plainly(values []float64) string {
	bytes := make([]byte, 0, 4*len(values))
	for _, v := range values {
		bytes = binary.LittleEndian.AppendUint32(bytes, math.Float32bits(float32(v)))
	}
	return base64.StdEncoding.EncodeToString(bytes)
}

// inOrder is the bits of a float32, rounded, as a whole number that is larger for a larger number. What is no number
// stays.
func inOrder(b uint32) uint32 {
	if b&0x7F800000 != 0x7F800000 {
		b += 1 << (bare - 1)
	}
	b = b >> bare << bare
	if b>>31 == 1 {
		b = ^b
	} else {
		b |= 1 << 31
	}
	return b >> bare
}
