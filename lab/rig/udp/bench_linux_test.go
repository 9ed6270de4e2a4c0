package udp_test

import (
	"slices"
	"syscall"
	"testing"
	"time"

	"rths/kit/rthstest"
	"rths/lab/rig/udp"
)

// BenchmarkLockstepTick is a tick of a loop that does nothing but read and write, over datagrams to a
// virtual laboratory. In turn with it, 512 at a time, go round trips of as long datagrams between two
// bare sockets: the metric is the median of the ratios of their times.
func BenchmarkLockstepTick(b *testing.B) {
	for name, key := range map[string]string{"no-key": "", "key": "a key of twenty bytes"} {
		b.Run(name, func(b *testing.B) {
			b.Setenv(udp.KeyVariable, key)
			r := serveBench(b, "rate_hz=4096", "sensors={displacement_noise: 1e-6, force_noise: 1}").dial(b)
			defer r.Close()
			bare, read := echoed(b), reading()
			tick := func() {
				if r.Read(read) != nil || r.Write([]float64{0}) != nil {
					b.Fatal("the rig is gone")
				}
			}
			timed := func(f func()) float64 {
				begun := time.Now()
				for range 512 {
					f()
				}
				return float64(time.Since(begun)) / 512
			}
			var ratios, ticks, trips []float64
			for b.Loop() {
				t, w := timed(tick), timed(bare)
				ratios, ticks, trips = append(ratios, t/w), append(ticks, t), append(trips, w)
			}
			for unit, v := range map[string][]float64{"ratio": ratios, "ns/tick": ticks, "ns/trip": trips} {
				slices.Sort(v)
				b.ReportMetric(v[len(v)/2], unit)
			}
			b.ReportMetric(0, "ns/op")
		})
	}
}

// echoed is a round trip of a datagram as long as the bench's readings, between two sockets of the system
// that wait for it. An empty datagram ends the far side.
func echoed(b *testing.B) (trip func()) {
	b.Helper()
	open := func() (fd int, at syscall.Sockaddr) {
		fd = rthstest.Must(syscall.Socket(syscall.AF_INET, syscall.SOCK_DGRAM, 0))
		if err := syscall.Bind(fd, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
			b.Fatal(err)
		}
		return fd, rthstest.Must(syscall.Getsockname(fd))
	}
	near, _ := open()
	far, there := open()
	done := make(chan bool)
	go func() {
		defer close(done)
		buf := make([]byte, 128)
		for {
			n, from, err := syscall.Recvfrom(far, buf, 0)
			if n == 0 || err != nil || syscall.Sendto(far, buf[:n], 0, from) != nil {
				return
			}
		}
	}()
	b.Cleanup(func() {
		syscall.Sendto(near, nil, 0, there)
		<-done
		syscall.Close(near)
		syscall.Close(far)
	})
	buf := make([]byte, 84)
	return func() {
		if err := syscall.Sendto(near, buf, 0, there); err != nil {
			b.Fatal(err)
		}
		if _, _, err := syscall.Recvfrom(near, buf, 0); err != nil {
			b.Fatal(err)
		}
	}
}
