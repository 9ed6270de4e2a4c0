package realtime_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sys/unix"

	"rths/kit/rthstest"
	"rths/lab/realtime"
)

// enterIn is the variable that makes the test binary a process that enters real time.
const enterIn = "REALTIME_TEST_CPU"

func TestMain(m *testing.M) {
	if cpu := os.Getenv(enterIn); cpu != "" {
		if err := json.NewEncoder(os.Stdout).Encode(enterAndLook(rthstest.Must(strconv.Atoi(cpu)))); err != nil {
			panic(err)
		}
		return
	}
	os.Exit(m.Run())
}

// thread is what Linux says of one.
type thread struct {
	ID, Policy, Priority int
	CPUs                 []int
}

// inside is what a process in real time sees of itself.
type inside struct {
	CPU             int
	Grants          []realtime.Grant
	Loop            thread
	Others, Relaxed []thread
	Locked          bool  // memory
	Faults          int64 // of an allocation within the reserve
}

// enterAndLook enters real time, starts threads, and looks.
func enterAndLook(cpu int) inside {
	p := realtime.Enter(cpu)
	wake := threadsMore(20)
	out := inside{CPU: p.CPU, Grants: p.Grants, Locked: status("VmLck") != "0 kB"}
	before := realtime.Faults()
	kept := make([][]byte, 500)
	for i := range kept {
		kept[i] = make([]byte, 8000)
		kept[i][4000] = 1
	}
	out.Faults = realtime.Faults() - before
	runtime.KeepAlive(kept)
	out.Loop, out.Others = look()
	p.Relax()
	_, out.Relaxed = look()
	wake()
	return out
}

// threadsMore starts threads that wait.
func threadsMore(n int) (end func()) {
	var up, down sync.WaitGroup
	up.Add(n)
	down.Add(1)
	for range n {
		go func() {
			runtime.LockOSThread()
			up.Done()
			down.Wait()
		}()
	}
	up.Wait()
	return down.Done
}

func status(key string) string {
	text, _ := os.ReadFile("/proc/self/status")
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, key+":"); ok {
			return strings.TrimSpace(rest)
		}
	}
	return ""
}

func look() (own thread, others []thread) {
	for _, e := range rthstest.Must(os.ReadDir("/proc/self/task")) {
		id := rthstest.Must(strconv.Atoi(e.Name()))
		attr, err := unix.SchedGetAttr(id, 0)
		if err != nil { // it has ended
			continue
		}
		t := thread{ID: id, Policy: int(attr.Policy), Priority: int(attr.Priority)}
		var set unix.CPUSet
		_ = unix.SchedGetaffinity(id, &set)
		for cpu := range 1024 {
			if set.IsSet(cpu) {
				t.CPUs = append(t.CPUs, cpu)
			}
		}
		if id == unix.Gettid() {
			own = t
		} else {
			others = append(others, t)
		}
	}
	return own, others
}

// entered is what a process of its own says that has entered real time, started by some command.
func entered(t *testing.T, cpu int, with ...string) inside {
	t.Helper()
	line := append(with, os.Args[0])
	c := exec.Command(line[0], line[1:]...)
	c.Env = append(os.Environ(), enterIn+"="+strconv.Itoa(cpu))
	c.Stderr = os.Stderr
	var out inside
	if err := json.Unmarshal(rthstest.Must(c.Output()), &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func granted(list []realtime.Grant, name string) bool {
	return slices.ContainsFunc(list, func(g realtime.Grant) bool { return g.Name == name && g.Granted })
}

// A process in real time is so as a whole: its threads, also those that it starts later, its memory. It says what it
// was granted, and what it was not.
func TestEnter(t *testing.T) {
	online := realtime.Online("/")
	cpu := online[len(online)-1]
	of := entered(t, cpu)
	for _, g := range of.Grants {
		if !g.Granted && g.Mend == "" || g.Text == "" {
			t.Errorf("%+v: want what was granted, or what grants it", g)
		}
	}
	if granted(of.Grants, "memory") != of.Locked {
		t.Errorf("memory is locked: %t, and the grants are %+v", of.Locked, of.Grants)
	}
	if granted(of.Grants, "memory") && of.Faults != 0 {
		t.Errorf("%d page faults in the warm reserve", of.Faults)
	}
	if granted(of.Grants, "processor") && (of.CPU != cpu || !slices.Equal(of.Loop.CPUs, []int{cpu})) {
		t.Errorf("the loop is on %v, CPU %d: want %d", of.Loop.CPUs, of.CPU, cpu)
	}
	fifo := granted(of.Grants, "priority")
	if fifo != (of.Loop.Policy == unix.SCHED_FIFO && of.Loop.Priority == realtime.LoopPriority) {
		t.Errorf("the loop's thread %+v, and the grants are %+v", of.Loop, of.Grants)
	}
	if len(of.Others) < 20 {
		t.Errorf("%d other threads: want those that were started", len(of.Others))
	}
	for _, other := range of.Others {
		if fifo && (other.Policy != unix.SCHED_FIFO || other.Priority != realtime.OtherPriority) {
			t.Errorf("thread %+v: want FIFO %d", other, realtime.OtherPriority)
		}
		if granted(of.Grants, "processor") && len(online) > 1 && slices.Contains(other.CPUs, cpu) {
			t.Errorf("thread %+v may use the loop's processor", other)
		}
	}
	for _, other := range of.Relaxed {
		if fifo && other.Policy != unix.SCHED_FIFO {
			t.Errorf("thread %+v after Relax: want its priority, as the loop goes on", other)
		}
	}
}

// Without rights nothing fails: the process says what is missing, and what grants it.
func TestEnterWithoutRights(t *testing.T) {
	if _, err := exec.LookPath("setpriv"); err != nil || os.Getuid() != 0 {
		t.Skip("setpriv is not installed, or this is not root")
	}
	of := entered(t, 9999, "setpriv", "--bounding-set", "-sys_nice,-ipc_lock", "sh", "-c",
		`ulimit -r 0; ulimit -l 64; exec "$0"`)
	var names []string
	for _, g := range realtime.Missing(of.Grants) {
		names = append(names, g.Name)
		if g.Mend == "" {
			t.Errorf("%+v: want what grants it", g)
		}
	}
	if want := []string{"memory", "processor", "priority"}; !slices.Equal(names, want) || of.CPU != -1 {
		t.Errorf("missing %q, CPU %d: want %q and -1", names, of.CPU, want)
	}
	if of.Loop.Policy != unix.SCHED_NORMAL || of.Locked {
		t.Errorf("thread %+v, memory locked: %t: want neither", of.Loop, of.Locked)
	}
}
