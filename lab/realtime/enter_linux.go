package realtime

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Possible says whether this system knows real time.
func Possible() error { return nil }

const mendRights = "sudo setcap cap_sys_nice,cap_ipc_lock+ep $(command -v rths)"

func (p *Process) enter() {
	p.grant("memory", true, "locked", mendRights, unix.Mlockall(unix.MCL_CURRENT|unix.MCL_FUTURE))
	bound := p.bind()
	p.grant("processor", true, strconv.Itoa(p.CPU), "--cpu N, with a processor that this process may use", bound)
	p.grant("priority", true, fmt.Sprintf("FIFO %d, its process FIFO %d", p.rank, OtherPriority), mendRights, p.rise())
	p.grant("idle states", false, "held off", "sudo chmod o+w /dev/cpu_dma_latency", p.holdIdle())
}

// grant notes what was granted.
func (p *Process) grant(name string, needed bool, text, mend string, err error) {
	g := Grant{Name: name, Granted: err == nil, Needed: needed, Text: text}
	if err != nil {
		g.Text, g.Mend = err.Error(), mend
	}
	p.Grants = append(p.Grants, g)
}

// threads are those of this process.
func threads() ([]int, error) {
	list, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return nil, err
	}
	var out []int
	for _, e := range list {
		if id, err := strconv.Atoi(e.Name()); err == nil {
			out = append(out, id)
		}
	}
	return out, nil
}

// each does something to every thread of this process but the calling one, and again to those that have come
// meanwhile. A thread that has ended is none.
func each(do func(thread int) error) error {
	done := map[int]bool{unix.Gettid(): true}
	for again := true; again; {
		again = false
		list, err := threads()
		if err != nil {
			return err
		}
		for _, id := range list {
			if done[id] {
				continue
			}
			if err := do(id); err != nil && !errors.Is(err, unix.ESRCH) {
				return err
			}
			done[id], again = true, true
		}
	}
	return nil
}

// setCPUs is how many processors a set of Linux has room for here.
const setCPUs = 1024

// allowed are the processors that a thread may use; 0: the calling one.
func allowed(thread int) ([]int, error) {
	var set unix.CPUSet
	if err := unix.SchedGetaffinity(thread, &set); err != nil {
		return nil, err
	}
	var out []int
	for cpu := range setCPUs {
		if set.IsSet(cpu) {
			out = append(out, cpu)
		}
	}
	return out, nil
}

func setOf(cpus ...int) *unix.CPUSet {
	var set unix.CPUSet
	for _, cpu := range cpus {
		set.Set(cpu)
	}
	return &set
}

// bind puts the calling thread on its processor, and the others on the others that this process may use.
func (p *Process) bind() error {
	may, err := allowed(0)
	if err != nil {
		return os.NewSyscallError("sched_getaffinity", err)
	}
	if err := unix.SchedSetaffinity(0, setOf(p.CPU)); err != nil {
		wrong := fmt.Errorf("processor %d: %w", p.CPU, err)
		p.CPU = -1
		return wrong
	}
	p.others = slices.DeleteFunc(may, func(cpu int) bool { return cpu == p.CPU })
	if len(p.others) == 0 { // one processor: all share it
		return nil
	}
	return each(func(thread int) error { return unix.SchedSetaffinity(thread, setOf(p.others...)) })
}

// rise gives all threads their priorities.
func (p *Process) rise() error {
	if err := fifo(0, p.rank); err != nil {
		return fmt.Errorf("SCHED_FIFO %d: %w", p.rank, err)
	}
	return each(func(thread int) error { return fifo(thread, OtherPriority) })
}

// fifo gives a thread a fixed priority; 0: the calling one.
func fifo(thread, priority int) error {
	return unix.SchedSetAttr(thread, &unix.SchedAttr{Size: uint32(unsafe.Sizeof(unix.SchedAttr{})),
		Policy: unix.SCHED_FIFO, Priority: uint32(priority)}, 0)
}

// holdIdle asks for a processor that wakes at once, as long as this process lives.
func (p *Process) holdIdle() error {
	file, err := os.OpenFile("/dev/cpu_dma_latency", os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	if _, err := file.Write(make([]byte, 4)); err != nil { // 0 µs
		file.Close()
		return err
	}
	p.held = func() { file.Close() } // keeps it open
	return nil
}

// Faults are the page faults of the calling thread since it began.
func Faults() int64 {
	var u unix.Rusage
	_ = unix.Getrusage(unix.RUSAGE_THREAD, &u) // every Linux counts them
	return u.Minflt + u.Majflt
}

// DefaultCPU is the last processor that is isolated; without one, the last that this process may use: the
// first takes most interrupts.
func DefaultCPU() int {
	if list := isolated("/"); len(list) > 0 {
		return list[len(list)-1]
	}
	may, err := allowed(0)
	if err != nil || len(may) == 0 {
		return 0
	}
	return may[len(may)-1]
}

// NumericalCPU is the processor for a numerical part in a process of its own: the last one that is isolated, or
// else the last that this process may use, and not the loop's. With one processor all share it.
func NumericalCPU(loop int) int {
	for _, list := range [][]int{isolated("/"), mayUse()} {
		if list = without(list, loop); len(list) > 0 {
			return list[len(list)-1]
		}
	}
	return loop
}

func mayUse() []int {
	may, _ := allowed(os.Getpid()) // without them the loop's
	return may
}

// MachineID names this machine with its kernel.
func MachineID() string {
	var u unix.Utsname
	_ = unix.Uname(&u)
	id, _ := os.ReadFile("/etc/machine-id")
	return strings.TrimSpace(string(id)) + " " + unix.ByteSliceToString(u.Nodename[:]) + " " +
		unix.ByteSliceToString(u.Release[:])
}

// besidePriority of a thread that stands for another computer: above the threads beside a loop, below the loop.
const besidePriority = 70

// Beside makes the calling goroutine's thread, which it must have locked, one that stands for another computer: it has
// a fixed priority and stays off the processor of the loop. Where it gets neither, it is a plain thread.
func Beside(cpu int) error {
	may, err := allowed(0)
	if err != nil {
		return err
	}
	if may = slices.DeleteFunc(may, func(c int) bool { return c == cpu }); len(may) > 0 {
		err = unix.SchedSetaffinity(0, setOf(may...))
	}
	return errors.Join(err, fifo(0, besidePriority))
}
