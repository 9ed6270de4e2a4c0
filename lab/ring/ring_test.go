package ring_test

import (
	"math"
	"path/filepath"
	"testing"

	"rths/kit/rthstest"
	"rths/lab/ring"
)

func TestBytes(t *testing.T) {
	for _, c := range []struct {
		width, rows int
		want        int64
	}{
		{1, 1, 36864 + 8},
		{26, 168674, 36864 + 8*26*168674},
		{1, (math.MaxInt64 - 36864) / 8, math.MaxInt64 - 7},
		{1, (math.MaxInt64-36864)/8 + 1, math.MaxInt64},
		{1 << 31, 1 << 31, math.MaxInt64}, // 2^65 bytes
		{0, 1, math.MaxInt64},
		{1, 0, math.MaxInt64},
		{-1, -1, math.MaxInt64},
	} {
		if got := ring.Bytes(c.width, c.rows); got != c.want {
			t.Errorf("%d × %d: %d bytes: want %d", c.width, c.rows, got, c.want)
		}
	}
}

// What cannot be a ring is refused before a file is made.
func TestShapesRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ring")
	for _, s := range []ring.Shape{
		{Width: 0, Rows: 1, RateHz: 1},
		{Width: 1, Rows: 0, RateHz: 1},
		{Width: -1, Rows: 1, RateHz: 1},
		{Width: 1, Rows: -1, RateHz: 1},
		{Width: 1, Rows: math.MaxUint32 + 1, RateHz: 1},
		{Width: math.MaxUint32 + 1, Rows: 1, RateHz: 1},
		{Width: math.MaxUint32, Rows: math.MaxUint32, RateHz: 1},
	} {
		_, err := ring.Create(path, s)
		rthstest.WantError(t, err, "want 1 to 4294967295 of each")
	}
	for _, rate := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		_, err := ring.Create(path, ring.Shape{Width: 1, Rows: 1, RateHz: rate})
		rthstest.WantError(t, err, "want more than 0")
	}
}
