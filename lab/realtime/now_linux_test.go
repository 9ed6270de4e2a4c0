package realtime

import "testing"

// Now is the clock of all processes: what the system says lies between two readings of Now, but for the
// time that it took to set one clock by the other.
func TestNowIsTheClockOfAllProcesses(t *testing.T) {
	const apart = 20_000 // ns
	for range 1000 {
		before := Now()
		system := monotonic()
		if after := Now(); system < before-apart || system > after+apart {
			t.Fatalf("the system's clock says %d ns between %d and %d ns", system, before, after)
		}
	}
}
