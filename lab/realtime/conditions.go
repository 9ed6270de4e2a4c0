package realtime

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
)

// Condition is a property of the machine that real time depends on.
type Condition struct {
	Name  string `json:"name"`
	Found string `json:"found"`           // in words, with the value that was read; else why it cannot be read
	Good  bool   `json:"good"`            // as real time wants it
	Known bool   `json:"known"`           // false: it cannot be read, and is not good
	Wants string `json:"wants,omitempty"` // what real time wants; empty where it is good
	Mend  string `json:"mend,omitempty"`  // one command for root on Debian 12 or 13; empty where no command helps
}

func (c Condition) good(found string) Condition {
	c.Found, c.Good, c.Known, c.Wants = found, true, true, ""
	return c
}

func (c Condition) bad(found, mend string) Condition {
	c.Found, c.Known, c.Mend = found, true, mend
	return c
}

func (c Condition) unknown(err error) Condition {
	c.Found = fmt.Sprintf("cannot be read: %v", err)
	return c
}

// Conditions reads the properties of the machine whose file system begins at root, for a loop
// on one CPU. The list has the same names in the same order on every machine.
func Conditions(root string, cpu int) []Condition {
	m := machine{root, cpu}
	return []Condition{
		m.preemption(),
		m.isolation(),
		m.interruptAffinity(),
		m.hyperThreading(),
		m.governor(),
		m.idleStates(),
		m.clockSource(),
		m.throttling(),
		m.virtual(),
	}
}

func (m machine) preemption() Condition {
	c := Condition{Name: "kernel preemption", Wants: "PREEMPT_RT: a kernel that interrupts its own work for the loop"}
	model, err := m.preemptionModel()
	switch {
	case err != nil:
		return c.unknown(err)
	case model == "PREEMPT_RT":
		return c.good(model)
	}
	return c.bad(model, "apt install linux-image-rt-$(dpkg --print-architecture) # then restart the machine")
}

// preemptionModel is what the kernel was built with. Kernels with the real-time patches have
// /sys/kernel/realtime; others say so in /proc/version only, after the number of the build: "…
// #1 SMP PREEMPT_RT Debian 6.12.48-1". Kernels before 5.4 wrote "PREEMPT RT".
func (m machine) preemptionModel() (string, error) {
	if flag, _ := m.line("/sys/kernel/realtime"); flag == "1" {
		return "PREEMPT_RT", nil
	}
	version, err := m.line("/proc/version")
	if err != nil {
		return "", err
	}
	at := strings.LastIndex(version, " #")
	if at < 0 {
		return "", fmt.Errorf("/proc/version: %.40q: want the number of a build, such as #1", version)
	}
	words := append(strings.Fields(version[at:]), "")
	i := slices.IndexFunc(words, func(w string) bool { return strings.HasPrefix(w, "PREEMPT") })
	switch {
	case i < 0:
		return "none or voluntary (/proc/version does not say PREEMPT)", nil
	case words[i] == "PREEMPT" && words[i+1] == "RT":
		return "PREEMPT_RT", nil
	case words[i] == "PREEMPT_DYNAMIC":
		return words[i] + m.dynamicModel(), nil
	}
	return words[i], nil
}

// dynamicModel is the model that a PREEMPT_DYNAMIC kernel follows now: the word in brackets of
// "none (voluntary) full". Only root may read the file.
func (m machine) dynamicModel() string {
	line, _ := m.line("/sys/kernel/debug/sched/preempt")
	_, rest, _ := strings.Cut(line, "(")
	now, _, ok := strings.Cut(rest, ")")
	if !ok {
		return ""
	}
	return ", set to " + now
}

func (m machine) isolation() Condition {
	c := Condition{Name: "isolated CPUs", Wants: "a CPU on which Linux runs the loop and nothing else"}
	isolated, err := m.cpus(isolatedFile)
	if err != nil {
		return c.unknown(err)
	}
	found := fmt.Sprintf("%s (nohz_full: %s; rcu_nocbs: %s)", cpusOrNone(isolated), m.tickless(), m.parameter("rcu_nocbs"))
	if slices.Contains(isolated, m.cpu) {
		return c.good(found)
	}
	wants, mend := m.isolate(isolated)
	c.Wants = cmp.Or(wants, c.Wants)
	return c.bad(found, mend)
}

// isolate is a command that isolates the loop's CPU, or what real time wants instead.
func (m machine) isolate(isolated []int) (wants, mend string) {
	switch online := Online(m.root); {
	case len(online) == 0:
		return "", ""
	case !slices.Contains(online, m.cpu):
		return "the loop on a CPU that is online: " + formatCPUs(online), ""
	case len(isolated) > 0:
		return "the loop on an isolated CPU: " + formatCPUs(isolated), ""
	case len(online) == 1:
		return twoCPUs, ""
	case m.cpu == 0:
		return "the loop on another CPU than 0, which Linux needs for itself, and that CPU isolated", ""
	}
	return "", atBoot("isolated", fmt.Sprintf("isolcpus=domain,managed_irq,%d nohz_full=%d rcu_nocbs=%d", m.cpu, m.cpu,
		m.cpu))
}

const twoCPUs = "a machine of 2 CPUs or more: one for the loop, one for all else"

// tickless are the CPUs without a timer tick. Kernels write "(null)" for none.
func (m machine) tickless() string {
	const file = "/sys/devices/system/cpu/nohz_full"
	cpus, err := m.cpus(file)
	if null, _ := m.line(file); err != nil && null != "(null)" && !errors.Is(err, fs.ErrNotExist) {
		return "cannot be read"
	}
	return cpusOrNone(cpus)
}

// parameter is the value of a parameter of the kernel's command line.
func (m machine) parameter(name string) string {
	line, err := m.line("/proc/cmdline")
	if err != nil {
		return "cannot be read"
	}
	value := "none"
	for word := range strings.FieldsSeq(line) {
		if v, ok := strings.CutPrefix(word, name+"="); ok {
			value = v
		}
	}
	return value
}

// interruptAffinity is where interrupts go that nobody directs. irqbalance and drivers may
// direct them elsewhere: Counters tells what came.
func (m machine) interruptAffinity() Condition {
	const file = "/proc/irq/default_smp_affinity"
	c := Condition{Name: "interrupt affinity", Wants: "interrupts on other CPUs than the loop's"}
	line, err := m.line(file)
	if err != nil {
		return c.unknown(err)
	}
	cpus, err := parseMask(line)
	if err != nil {
		return c.unknown(fmt.Errorf("%s: %w", file, err))
	}
	found := "interrupts go to CPUs " + cpusOrNone(cpus)
	if !slices.Contains(cpus, m.cpu) {
		return c.good(found)
	}
	if others := m.elsewhere(); len(others) > 0 {
		return c.bad(found, atBoot("interrupts", "irqaffinity="+formatCPUs(others)))
	}
	if len(Online(m.root)) == 1 {
		c.Wants = twoCPUs
	}
	return c.bad(found, "")
}

// hyperThreading asks who shares the core of the loop's CPU: two threads of a core take turns
// at its units, whatever their priority.
func (m machine) hyperThreading() Condition {
	c := Condition{Name: "hyper-threading", Wants: "a core for the loop alone"}
	siblings, err := m.cpus(m.ofCPU("topology/thread_siblings_list"))
	if err != nil {
		return c.unknown(err)
	}
	siblings = without(siblings, m.cpu)
	if online := Online(m.root); len(online) > 0 {
		siblings = among(siblings, online)
	}
	if len(siblings) == 0 {
		return c.good(fmt.Sprintf("the core of CPU %d runs no other CPU", m.cpu))
	}
	found := fmt.Sprintf("the core of CPU %d also runs CPU %s", m.cpu, formatCPUs(siblings))
	busy := without(siblings, isolated(m.root)...)
	switch {
	case len(busy) == 0:
		return c.good(found + ", which is isolated too")
	case busy[0] == 0:
		c.Wants = "the loop on a CPU that does not share the core of CPU 0, which Linux needs for itself"
		return c.bad(found, "")
	}
	var files []string
	for _, cpu := range busy {
		files = append(files, fileOf(cpu, "online"))
	}
	return c.bad(found, inFiles("sibling", "0", files...))
}

func (m machine) governor() Condition {
	c := Condition{Name: "governor", Wants: "performance: the processor's clock never waits for work to speed up"}
	if m.exists(m.ofCPU("")) && !m.exists(m.ofCPU("cpufreq")) {
		return c.good("none: Linux does not change the processor's clock")
	}
	file := m.ofCPU("cpufreq/scaling_governor")
	switch governor, err := m.line(file); {
	case err != nil:
		return c.unknown(err)
	case governor == "performance":
		return c.good(governor)
	default:
		return c.bad(governor, inFiles("governor", "performance", file))
	}
}

// longestWake is the longest time that an idle CPU may take to wake, µs: 4 % of a period at
// 4096 Hz.
const longestWake = 10

// idleStates asks how long the loop's CPU may take to wake. A loop that holds
// /dev/cpu_dma_latency at 0 forbids all states but the first while the loop runs.
func (m machine) idleStates() Condition {
	c := Condition{Name: "idle states", Wants: fmt.Sprintf("an idle CPU that wakes within %d µs", longestWake)}
	if m.exists(m.ofCPU("")) && !m.exists(m.ofCPU("cpuidle")) {
		return c.good("none that Linux chooses")
	}
	state, latency, err := m.deepest()
	found := fmt.Sprintf("CPU %d wakes from %s within %d µs", m.cpu, state, latency)
	switch {
	case err != nil:
		return c.unknown(err)
	case latency <= longestWake:
		return c.good(found)
	case m.exists("/dev/cpu_dma_latency"):
		return c.good(found + "; the loop forbids this state by /dev/cpu_dma_latency while the loop runs")
	}
	return c.bad(found, inFiles("idle", fmt.Sprint(longestWake), m.ofCPU(wakeFile)))
}

// wakeFile holds the time, µs, within which the user wants a CPU to wake: 0 is any time, "n/a"
// is no time at all.
const wakeFile = "power/pm_qos_resume_latency_us"

// permits tells whether the user permits the loop's CPU a state that takes so long to wake from, µs.
func (m machine) permits(wake int) bool {
	limit, err := m.number(m.ofCPU(wakeFile))
	if text, _ := m.line(m.ofCPU(wakeFile)); text == "n/a" {
		return wake == 0
	}
	return err != nil || limit == 0 || wake <= limit
}

// deepest is the idle state of the loop's CPU that takes longest to wake from, and this time,
// µs, among the states that the user permits.
func (m machine) deepest() (name string, latency int, err error) {
	name = "idling"
	for i := 0; i == 0 || m.exists(m.ofCPU(fmt.Sprintf("cpuidle/state%d", i))); i++ {
		folder := m.ofCPU(fmt.Sprintf("cpuidle/state%d/", i))
		wake, err := m.number(folder + "latency")
		if err != nil {
			return "", 0, err
		}
		off, _ := m.line(folder + "disable")
		if off == "1" || wake < latency || !m.permits(wake) {
			continue
		}
		latency = wake
		if name, err = m.line(folder + "name"); err != nil {
			name = fmt.Sprintf("state%d", i)
		}
	}
	return name, latency, nil
}

// quickClocks are the clocks that a program reads without a call of the kernel or slow hardware.
var quickClocks = []string{"tsc", "kvm-clock", "hyperv_clocksource_tsc_page", "xen", "arch_sys_counter",
	"riscv_clocksource", "timebase"}

func (m machine) clockSource() Condition {
	c := Condition{Name: "clock source", Wants: "a clock of the processor itself, such as tsc"}
	clock, err := m.line("/sys/devices/system/clocksource/clocksource0/current_clocksource")
	switch {
	case err != nil:
		return c.unknown(err)
	case slices.Contains(quickClocks, clock):
		return c.good(clock)
	}
	mend := ""
	// A counter that stops in idle states or follows the processor's clock is not to be trusted.
	if flags, _ := m.flags(); slices.Contains(flags, "constant_tsc") && slices.Contains(flags, "nonstop_tsc") {
		mend = atBoot("clock", "clocksource=tsc tsc=reliable")
	}
	return c.bad(clock, mend)
}

// throttling is the part of the time that Linux leaves to real-time work at most. The kernel's
// default, 95 %, does not touch a loop that sleeps in each period.
func (m machine) throttling() Condition {
	c := Condition{Name: "real-time throttling", Wants: "95 % of the time or more for real-time work"}
	runtime, err := m.number("/proc/sys/kernel/sched_rt_runtime_us")
	if err != nil {
		return c.unknown(err)
	}
	if runtime < 0 {
		return c.good(fmt.Sprintf("off (sched_rt_runtime_us is %d)", runtime))
	}
	period, err := m.number("/proc/sys/kernel/sched_rt_period_us")
	if err != nil || period <= 0 {
		period = 1e6 // the kernel's default
	}
	percent := 100 * float64(runtime) / float64(period)
	found := fmt.Sprintf(
		"real-time work may take %.3g %% of the time (sched_rt_runtime_us is %d) and leaves %.3g %% to other work", percent,
		runtime, 100-percent)
	if enough := period - period/20; runtime < enough {
		return c.bad(found, bySysctl("kernel.sched_rt_runtime_us", enough))
	}
	return c.good(found + "; the limit acts only on a loop that never sleeps")
}

func (m machine) virtual() Condition {
	c := Condition{Name: "virtual machine",
		Wants: "a machine of its own: a virtual machine waits for the other work of its host"}
	flags, err := m.flags()
	maker := m.maker()
	switch {
	case slices.Contains(flags, "hypervisor") && maker == "":
		return c.bad("yes: the processor reports a hypervisor", "")
	case slices.Contains(flags, "hypervisor"):
		return c.bad("yes: "+maker, "")
	case len(flags) > 0:
		return c.good("no: the processor reports no hypervisor")
	case isVirtual(maker):
		return c.bad("yes: "+maker, "")
	case maker != "":
		return c.good("no: " + maker)
	case err == nil:
		err = errors.New("neither /proc/cpuinfo nor /sys/class/dmi/id tells")
	}
	return c.unknown(err)
}

// flags are the properties of the first processor; none on processors that are not x86.
func (m machine) flags() ([]string, error) {
	text, err := m.text("/proc/cpuinfo")
	for line := range strings.SplitSeq(text, "\n") {
		if name, value, _ := strings.Cut(line, ":"); strings.TrimSpace(name) == "flags" {
			return strings.Fields(value), nil
		}
	}
	return nil, err
}

// maker is who made the machine and how the machine is called; "" where the machine does not say.
func (m machine) maker() string {
	vendor, _ := m.line("/sys/class/dmi/id/sys_vendor")
	product, _ := m.line("/sys/class/dmi/id/product_name")
	model, _ := m.line("/sys/firmware/devicetree/base/model")
	return strings.Join(strings.Fields(vendor+" "+product+" "+model), " ")
}

// isVirtual asks whether a maker's name is that of a hypervisor.
func isVirtual(maker string) bool {
	names := []string{"QEMU", "KVM", "VMware", "VirtualBox", "Xen", "Parallels", "Virtual Machine",
		"Google Compute Engine", "dummy-virt"}
	return slices.ContainsFunc(names, func(name string) bool { return strings.Contains(maker, name) })
}
