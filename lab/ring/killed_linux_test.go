package ring_test

import (
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"rths/kit/rthstest"
	"rths/lab/realtime"
	"rths/lab/ring"
)

// loopIn is the variable that makes the test binary a loop. Its value is the path of the ring.
const loopIn = "RING_TEST_PATH"

func TestMain(m *testing.M) {
	if path := os.Getenv(loopIn); path != "" {
		loopForever(path)
	}
	os.Exit(m.Run())
}

// loopForever writes rows until it is killed, or until the test that started it has ended.
func loopForever(path string) {
	go func() {
		io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	p, err := ring.Open(path)
	if err != nil {
		panic(err)
	}
	p.SetState(7)
	for i := uint64(0); ; {
		p.Beat(realtime.Now())
		if put(p, i) {
			i++
		} else {
			time.Sleep(10 * time.Microsecond)
		}
	}
}

// startLoop starts a loop in a process of its own and returns what kills it.
func startLoop(t *testing.T, path string) (kill func()) {
	t.Helper()
	loop := exec.Command(os.Args[0])
	loop.Env = append(os.Environ(), loopIn+"="+path)
	loop.Stderr = os.Stderr
	in, err := loop.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := loop.Start(); err != nil {
		t.Fatal(err)
	}
	killed := false
	kill = func() {
		if !killed {
			killed = true
			loop.Process.Kill()
			loop.Wait()
			in.Close()
		}
	}
	t.Cleanup(kill)
	return kill
}

// until waits for something that a loop does.
func until(t *testing.T, what string, done func() bool) {
	t.Helper()
	for begun := time.Now(); !done(); time.Sleep(100 * time.Microsecond) {
		if time.Since(begun) > 30*time.Second {
			t.Fatalf("after 30 s no %s", what)
		}
	}
}

// A loop is killed at any moment, sometimes in the middle of a row. The supervisor then has every row that
// was published; so has a recovery, as far as the ring reaches back.
func TestLoopKilled(t *testing.T) {
	const width, rows = 1024, 16
	tries := 20
	if testing.Short() {
		tries = 3
	}
	random := rand.New(rand.NewPCG(1, 1))
	path := filepath.Join(t.TempDir(), "ring")
	for range tries {
		c := rthstest.Must(ring.Create(path, shape(width, rows)))
		begun := realtime.Now()
		kill := startLoop(t, path)
		row, taken, enough := make([]float64, width), uint64(0), 2*rows+random.Uint64N(2000)
		until(t, "rows", func() bool { taken = drain(t, c, row, taken); return taken > enough })
		kill()
		if taken = drain(t, c, row, taken); taken != c.Head() || c.State() != 7 {
			t.Fatalf("%d rows, state %d: want %d, 7", taken, c.State(), c.Head())
		}
		if beat := c.LoopBeat(); beat < begun || beat > realtime.Now() {
			t.Errorf("the loop was alive at %d: want between %d and %d, on one clock", beat, begun, realtime.Now())
		}
		c.Close()
		checkRest(t, path, taken-rows+1, taken)
		os.Remove(path)
	}
}

// Both are killed: the supervisor before it takes a row, the loop once the ring is full. Every row is there.
// While the loop lives, nobody recovers.
func TestBothKilled(t *testing.T) {
	const rows = 1000
	path := filepath.Join(t.TempDir(), "ring")
	c := rthstest.Must(ring.Create(path, shape(47, rows)))
	kill := startLoop(t, path)
	until(t, "full ring", func() bool { return c.Head() == rows })
	c.Close()
	if _, err := ring.Read(path); !errors.Is(err, ring.ErrInUse) {
		t.Errorf("error %v: want %v", err, ring.ErrInUse)
	}
	kill()
	checkRest(t, path, 0, rows)
}
