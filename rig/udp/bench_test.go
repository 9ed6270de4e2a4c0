package udp

import (
	"context"
	"net/netip"
	"slices"
	"testing"
	"time"

	"rths"
	"rths/rig/wire"
	"rths/rthstest"
	"rths/scenario"
)

const benched = `name: a bench
rate_hz: 4096
ground: {kind: sine, frequency_hz: 2, amplitude_m_s2: 1, duration_s: 4}
structure: {kind: shear, masses: [1000], stiffnesses: [1e6], damping: {modal_ratio: [0.02]}}
specimen: {kind: linear, mass: 10, damping: 100, stiffness: 1e5}
transfer: {kind: second-order, stroke_m: 0.1, rate_m_s: 0.5}
sensors: {displacement_noise: 1e-6, force_noise: 1}
rig: {kind: udp}
`

// BenchmarkLockstepTick is a tick of a loop that does nothing but read and write, over datagrams to a
// virtual laboratory. In turn with it, 512 at a time, go round trips of as long datagrams between two
// bare sockets: the metric is the median of the ratios of their times.
func BenchmarkLockstepTick(b *testing.B) {
	for _, key := range []string{"", "a key of twenty bytes"} {
		name := "no-key"
		if key != "" {
			name = "key"
		}
		b.Run(name, func(b *testing.B) {
			b.Setenv(KeyVariable, key)
			r, stop := dialBench(b)
			defer stop()
			bare, end := echoed(b)
			defer end()
			read := rths.NewReading(1, 1).WithoutTruth()
			tick := func() {
				if r.Read(&read) != nil || r.Write([]float64{0}) != nil {
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

func dialBench(b *testing.B) (r *Rig, stop func()) {
	s := rthstest.Must(scenario.Parse("bench", []byte(benched), ".", nil))
	made := func() (*scenario.Laboratory, error) { return s.Laboratory(scenario.Options{}) }
	lab := rthstest.Must(made())
	server := rthstest.Must(NewServer("127.0.0.1:0", Laboratory{Info: lab.Info(), Guard: lab.OwnLimits(), Make: func() (rths.Rig, error) {
		l, err := made()
		return l.Rig, err
	}}, func(Session) {}))
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error)
	go func() { done <- server.Serve(ctx) }()
	r = rthstest.Must(Dial(Config{Address: server.Address().String(), Wish: s.Wish("bench")}))
	return r, func() { r.Close(); cancel(); <-done }
}

// echoed is a round trip of a datagram of a reading's length to a goroutine that sends it back.
func echoed(b *testing.B) (trip, end func()) {
	far := rthstest.Must(listen(netip.MustParseAddrPort("127.0.0.1:0")))
	near := rthstest.Must(dial(rthstest.Must(far.local())))
	stop, done := make(chan bool), make(chan bool)
	go func() {
		defer close(done)
		buf := make([]byte, wire.MostBytes)
		for {
			select {
			case <-stop:
				return
			default:
			}
			if far.wait(far.now() + int64(10*time.Millisecond)) {
				if n, from := far.receiveFrom(buf); n > 0 {
					far.sendTo(buf[:n], from)
				}
			}
		}
	}()
	buf := make([]byte, 84)
	return func() {
		near.send(buf)
		for !near.wait(near.now()+int64(time.Second)) || near.receive(buf) == 0 {
		}
	}, func() { close(stop); <-done; near.close(); far.close() }
}
