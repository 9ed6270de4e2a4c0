package udp_test

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"math"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"rths"
	"rths/kit/rthstest"
	"rths/lab/rig"
	"rths/lab/rig/udp"
	"rths/lab/rig/wire"
)

const (
	rateHz    = 256.0
	stiffness = 1e6 // N/m
	keyHere   = "a key of twenty bytes"
	keyThere  = "another key, of 24 bytes"
)

func TestMain(m *testing.M) {
	_ = flag.Set("test.parallel", "8") // tests that wait for a watchdog leave the processor to others
	m.Run()
}

// The C program of lab/rig/wire/testdata against this package, over sockets: its rig under our loop, our rig
// under its loop.
func TestCounterpart(t *testing.T) {
	file := func(name string) string { return filepath.Join("..", "wire", "testdata", name) }
	open := rthstest.Compile(t, "-std=c11", "-O2", file("counterpart.c"))
	keyed := rthstest.Compile(t, "-std=c11", "-O2", file("counterpart.c"), file("counterpart_hmac.c"))
	for name, c := range map[string]struct{ program, key string }{
		"without a key":                  {open, ""},
		"without a key, but able to":     {keyed, ""},
		"with one":                       {keyed, keyHere},
		"with one of many bytes, hashed": {keyed, strings.Repeat(keyHere, 4)},
	} {
		if len(c.key) != len(keyHere) && c.program == keyed && rthstest.Draws(0, 1) == 0 {
			continue // lab/rig/wire tries the keys without sockets
		}
		t.Run("its rig "+name, func(t *testing.T) { rigInC(t, c.program, c.key) })
		t.Run("its loop "+name, func(t *testing.T) { loopInC(t, c.program, c.key) })
	}
	t.Run("two keys", func(t *testing.T) {
		rthstest.Full(t) // lab/rig/wire opens no datagram of another key
		twoKeys(t, keyed)
	})
}

// start starts the C program with a key until the test ends.
func start(t *testing.T, key string, args ...string) (out *bufio.Reader, c *exec.Cmd) {
	t.Helper()
	c = exec.Command(args[0], args[1:]...)
	c.Env = []string{}
	if key != "" {
		c.Env = append(c.Env, udp.KeyVariable+"="+key)
	}
	pipe := rthstest.Must(c.StdoutPipe())
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Process.Kill(); _ = c.Wait() })
	return bufio.NewReader(pipe), c
}

// startRig starts the rig in C and gives its address.
func startRig(t *testing.T, program, key string) string {
	t.Helper()
	out, _ := start(t, key, program, "slave", "127.0.0.1", "0", fmt.Sprint(rateHz), fmt.Sprint(stiffness), "10")
	var port int
	if _, err := fmt.Fscanf(out, "port %d\n", &port); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("udp://127.0.0.1:%d", port)
}

func wish() wire.Expectation {
	return wire.Expectation{RateHz: rateHz, Sensors: rths.Sensors{X: 1, F: 1}, Program: "test"}
}

// rigInC loads the rig in C: an ideal actuator and a spring, so the displacement is the command and the
// force is stiffness × displacement, to the bit.
func rigInC(t *testing.T, program, key string) {
	t.Setenv(udp.KeyVariable, key)
	link := rthstest.Must(udp.Dial(udp.Config{Address: startRig(t, program, key), Expected: wish()}))
	read, command := rths.NewReading(1, 1), []float64{0}
	for k := range 300 {
		if err := link.Read(&read); err != nil {
			t.Fatal(err)
		}
		if read.X[0] != command[0] || read.F[0] != stiffness*command[0] || read.Age != 0 {
			t.Fatalf("reading %d: %g m, %g N, age %d; want %g m and %g N", k, read.X[0], read.F[0], read.Age, command[0],
				stiffness*command[0])
		}
		command[0] = 0.01 * math.Sin(float64(k)/7)
		if err := link.Write(command); err != nil {
			t.Fatal(err)
		}
	}
	if err := link.Read(&read); err != nil || read.X[0] != command[0] {
		t.Errorf("the last reading: %g m, %v; want %g m", read.X[0], err, command[0])
	}
	theirs, known := link.Close()
	want := wire.Counts{Sent: 304, Received: 304} // hello, keep, start, 300 commands, bye, and their answers
	if ours := link.Counts(); !known || ours != want || theirs != want {
		t.Errorf("our loop counted %+v, the rig in C %+v (%t), want %+v of both", ours, theirs, known, want)
	}
}

// spring is a rig of an ideal actuator and a spring. It remembers its commands.
type spring struct{ x []float64 }

func (s *spring) Read(r *rths.Reading) error {
	r.X[0], r.Age = s.x[len(s.x)-1], 0
	r.F[0] = stiffness * r.X[0]
	return nil
}

func (s *spring) Write(command []float64) error {
	s.x = append(s.x, command[0])
	return nil
}

func (s *spring) VisitState(v *rths.StateVisitor) {
	v.Float(&s.x[len(s.x)-1])
	if v.Restoring() {
		s.x = s.x[len(s.x)-1:]
	}
}

// serve serves springs until the test ends. Once stopped, it gives the session and the spring of the last
// session.
func serve(t *testing.T) (address []string, stop func() (*udp.Session, *spring)) {
	t.Helper()
	var of *udp.Session
	var last *spring
	lab := udp.Laboratory{
		Info: wire.Info{RateHz: rateHz, WatchdogS: 10, Name: "a spring",
			X: []wire.Channel{{Range: 0.1, Unit: "m"}}, F: []wire.Channel{{Unit: "N"}}},
		Make: func() (rths.Rig, error) { last = &spring{[]float64{0}}; return last, nil },
		Guard: rig.GuardConfig{RateHz: rateHz, Axes: 1, Forces: 1, Stroke: 0.1, NonFinite: rig.Hold, HoldS: 1,
			Profile: rig.Profile{Velocity: 0.1, Acceleration: 1, WithinS: 10}},
	}
	server := rthstest.Must(udp.NewServer("127.0.0.1:0", lab, func(s udp.Session) { of = &s }))
	end := rthstest.Background(t, server.Serve)
	stop = func() (*udp.Session, *spring) {
		end()
		return of, last
	}
	return []string{server.Address().Addr().String(), strconv.Itoa(int(server.Address().Port()))}, stop
}

// loopInC has the loop in C load our rig. It prints the readings as our rig gave them, and both counts.
func loopInC(t *testing.T, program, key string) {
	const n = 300
	t.Setenv(udp.KeyVariable, key)
	address, stop := serve(t)
	out, c := start(t, key, append([]string{program, "master"},
		append(address, fmt.Sprint(rateHz), strconv.Itoa(n))...)...)
	var lines []string
	for s := bufio.NewScanner(out); s.Scan(); {
		lines = append(lines, s.Text())
	}
	err := c.Wait()
	session, made := stop()
	if err != nil || len(lines) != n+3 || session == nil || len(made.x) < n+1 {
		t.Fatalf("%v, %d lines, session %v, %d commands", err, len(lines), session, len(made.x)-1)
	}
	for k, x := range made.x[:n+1] { // after them the rig goes to safety
		if want := fmt.Sprintf("%d %.17g %.17g", k, x, stiffness*x); lines[k] != want {
			t.Errorf("reading %d: %q, want %q", k, lines[k], want)
		}
		if want := 0.001 * math.Sin(4*math.Pi*float64(k-1)/rateHz); k > 0 && math.Abs(x-want) > 1e-15 {
			t.Errorf("command %d: %g m, want %g", k-1, x, want)
		}
	}
	want := wire.Counts{Sent: n + 4, Received: n + 4}
	text := fmt.Sprintf(": sent %d, received %d, repeated 0, old 0, bad 0, clipped 0", n+4, n+4)
	if session.Counts != want || session.End != "bye" || lines[n+1] != "loop"+text || lines[n+2] != "rig"+text {
		t.Errorf("our rig counted %+v (%s), the loop in C\n%s\n%s\nwant %+v of both", session.Counts, session.End, lines[n+1],
			lines[n+2], want)
	}
}

// twoKeys has different keys on the two sides, either way, and on one side none: silence, and nothing
// moves. All wait their five seconds at once.
func twoKeys(t *testing.T, program string) {
	rthstest.Long(t)
	t.Setenv(udp.KeyVariable, keyHere)
	address, stop := serve(t)
	var loops []*exec.Cmd
	for _, key := range []string{keyThere, ""} {
		_, c := start(t, key, append([]string{program, "master"}, append(address, fmt.Sprint(rateHz), "9")...)...)
		loops = append(loops, c)
	}
	at := startRig(t, program, keyThere)
	if _, err := udp.Dial(udp.Config{Address: at, Expected: wish()}); err == nil ||
		!strings.Contains(err.Error(), "the rig does not answer") {
		t.Errorf("our loop at a rig in C with another key: %v", err)
	}
	for _, c := range loops {
		var failed *exec.ExitError
		if err := c.Wait(); !errors.As(err, &failed) || failed.ExitCode() != 1 {
			t.Errorf("the loop in C: %v, want exit status 1", err)
		}
	}
	if session, made := stop(); session != nil || len(made.x) != 1 {
		t.Errorf("session %+v, %d commands at our rig: want none", session, len(made.x)-1)
	}
	// The rig in C is still free, and stands where it stood.
	t.Setenv(udp.KeyVariable, keyThere)
	link := rthstest.Must(udp.Dial(udp.Config{Address: at, Expected: wish()}))
	read := rths.NewReading(1, 1)
	if err := link.Read(&read); err != nil || read.X[0] != 0 {
		t.Errorf("%g m, %v: want 0", read.X[0], err)
	}
	if theirs, known := link.Close(); !known || theirs.Clipped+theirs.Old+theirs.Bad != 0 {
		t.Errorf("the rig in C counted %+v (%t)", theirs, known)
	}
}
