//go:build !linux

package realtime

import "time"

// monotonic: instants count from the start of the process, and no other process shares them.
func monotonic() int64 { return 0 }

// SleepUntil sleeps until an instant, ns of Now, as exactly as the system can.
func SleepUntil(at int64) { time.Sleep(time.Duration(at - Now())) }
