package report

import (
	"compress/flate"
	"encoding/base64"
	"encoding/binary"
	"io"
	"math"
	"strings"
	"testing"
)

// Unpack is what the script of the page makes of packed numbers.
func Unpack(t testing.TB, text string) (out []float64) {
	t.Helper()
	planes, err := io.ReadAll(flate.NewReader(base64.NewDecoder(base64.StdEncoding, strings.NewReader(text))))
	if err != nil || len(planes)%4 != 0 {
		t.Fatalf("%d bytes: %v", len(planes), err)
	}
	n, place := len(planes)/4, uint32(0)
	for k := range n {
		word := binary.LittleEndian.Uint32([]byte{planes[k], planes[n+k], planes[2*n+k], planes[3*n+k]})
		place += word>>1 ^ -(word & 1)
		b := place << bare
		if b>>31 == 1 {
			b &^= 1 << 31
		} else {
			b = ^b
		}
		out = append(out, float64(math.Float32frombits(b>>bare<<bare)))
	}
	return out
}

// Packed numbers come back to 4 parts in a million, in any order of sizes and signs; what is no number stays none.
func TestPackedNumbersComeBack(t *testing.T) {
	values := []float64{0, 1, -1, 1e-30, -1e30, 3e38, -3e38, 1e-45, 0.1, -0.1, 123456, math.NaN(),
		math.Inf(1), math.Inf(-1),
		-7.25, 7.25, 0, 1e300, math.NaN(), 5}
	for k := range 5000 {
		values = append(values, 3e-3*math.Sin(float64(k)/50)*math.Exp(-float64(k)/900))
	}
	got := Unpack(t, pack(values))
	if len(got) != len(values) {
		t.Fatalf("%d of %d numbers", len(got), len(values))
	}
	for k, v := range values {
		want := float64(float32(v))
		same := got[k] == want || math.IsNaN(got[k]) && math.IsNaN(want)
		if !same && !(math.Abs(got[k]-want) <= 4e-6*math.Abs(want)+2e-44*(1<<bare)) {
			t.Errorf("number %d: %g comes back as %g", k, v, got[k])
		}
	}
	if got := Unpack(t, pack(nil)); len(got) != 0 {
		t.Errorf("nothing comes back as %v", got)
	}
}
