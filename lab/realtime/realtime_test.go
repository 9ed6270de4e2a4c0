package realtime_test

import (
	"testing"
	"time"

	"rths/lab/realtime"
)

// Now is a clock in ns that goes forward.
func TestNow(t *testing.T) {
	begun, now := time.Now(), realtime.Now()
	time.Sleep(time.Millisecond)
	if d := realtime.Now() - now; now <= 0 || d < int64(time.Millisecond) || d > int64(time.Since(begun)) {
		t.Errorf("%d ns: want what another clock says, %v at most", d, time.Since(begun))
	}
}

func BenchmarkNow(b *testing.B) {
	for b.Loop() {
		realtime.Now()
	}
}
