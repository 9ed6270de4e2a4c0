package realtime

import "golang.org/x/sys/unix"

// monotonic reads the clock of all processes, ns.
func monotonic() int64 {
	var t unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_MONOTONIC, &t) // every Linux has this clock
	return t.Nano()
}

// SleepUntil sleeps until an instant, ns of Now. An instant that has passed is no sleep.
func SleepUntil(at int64) {
	t := unix.NsecToTimespec(at)
	for unix.ClockNanosleep(unix.CLOCK_MONOTONIC, unix.TIMER_ABSTIME, &t, nil) == unix.EINTR {
	}
}
