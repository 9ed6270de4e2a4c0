package realtime

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Counters are what the machine has counted for the loop's CPU since the machine started.
type Counters struct {
	// time in which a host ran other work in place of this CPU, s; steps of 0.01 s
	StealS float64 `json:"steal_s"`
	// by number and device, "36 eth0", or by the kernel's name, "LOC Local timer interrupts"
	Interrupts map[string]uint64 `json:"interrupts"`
	Throttled  uint64            `json:"throttled"` // times that the core or its package slowed down, too hot

	elsewhere []int            // CPUs that may take the interrupts
	missing   map[string]error // by name of a condition: why its count cannot be read
}

// Names of the conditions of Since.
const (
	stealName      = "steal"
	interruptsName = "interrupts on the loop's CPU"
	thermalName    = "thermal throttling"
)

// ReadCounters reads what the machine has counted for a CPU. A count that cannot be read is 0,
// and Since says why. ReadCounters fails if no count can be read.
func ReadCounters(root string, cpu int) (Counters, error) {
	m := machine{root, cpu}
	c := Counters{elsewhere: m.elsewhere(), missing: map[string]error{}}
	c.StealS, c.missing[stealName] = m.steal()
	c.Interrupts, c.missing[interruptsName] = m.interrupts()
	c.Throttled, c.missing[thermalName] = m.throttled()
	for _, err := range c.missing {
		if err == nil {
			return c, nil
		}
	}
	return c, errors.Join(c.missing[stealName], c.missing[interruptsName], c.missing[thermalName])
}

// steal reads the eighth number of the CPU's line of /proc/stat, in 1/100 s (USER_HZ).
func (m machine) steal() (seconds float64, err error) {
	text, err := m.text("/proc/stat")
	if err != nil {
		return 0, err
	}
	name := fmt.Sprintf("cpu%d", m.cpu)
	for line := range strings.SplitSeq(text, "\n") {
		words := strings.Fields(line)
		if len(words) < 9 || words[0] != name {
			continue
		}
		if n, err := strconv.ParseUint(words[8], 10, 64); err == nil {
			return float64(n) / 100, nil
		}
	}
	return 0, fmt.Errorf("/proc/stat: want a line %s with 8 numbers", name)
}

func (m machine) interrupts() (map[string]uint64, error) {
	text, err := m.text("/proc/interrupts")
	if err != nil {
		return nil, err
	}
	counts, err := parseInterrupts(text, m.cpu)
	if err != nil {
		return nil, fmt.Errorf("/proc/interrupts: %w", err)
	}
	return counts, nil
}

// parseInterrupts reads the column of a CPU from the table of /proc/interrupts: a line of the
// CPUs that are online, then lines of a number or name, the counts of each CPU, and words. Lines
// without a count for each CPU ("ERR:") count for no CPU.
func parseInterrupts(text string, cpu int) (map[string]uint64, error) {
	head, rows, _ := strings.Cut(text, "\n")
	cpus := strings.Fields(head)
	column := slices.Index(cpus, fmt.Sprintf("CPU%d", cpu))
	if column < 0 {
		return nil, fmt.Errorf("want a column CPU%d", cpu)
	}
	counts := map[string]uint64{}
	for row := range strings.SplitSeq(rows, "\n") {
		label, rest, _ := strings.Cut(row, ":")
		if words := strings.Fields(rest); allNumbers(words, len(cpus)) {
			n, _ := strconv.ParseUint(words[column], 10, 64)
			counts[nameInterrupt(label, rest, len(words) == len(cpus))] = n
		}
	}
	return counts, nil
}

// allNumbers tells whether the first n words are counts.
func allNumbers(words []string, n int) bool {
	if len(words) < n {
		return false
	}
	return !slices.ContainsFunc(words[:n], func(w string) bool {
		_, err := strconv.ParseUint(w, 10, 64)
		return err != nil
	})
}

// nameInterrupt is the label of a row with the device or description, which follows the row's
// last two spaces.
func nameInterrupt(label, rest string, bare bool) string {
	label, rest = strings.TrimSpace(label), strings.TrimSpace(rest)
	if bare {
		return label
	}
	if at := strings.LastIndex(rest, "  "); at >= 0 {
		rest = rest[at+2:]
	}
	return label + " " + rest
}

// throttled reads how often the core or its package was too hot. Only Intel's processors count.
func (m machine) throttled() (uint64, error) {
	core, err := m.number(m.ofCPU("thermal_throttle/core_throttle_count"))
	if err != nil {
		return 0, err
	}
	pkg, _ := m.number(m.ofCPU("thermal_throttle/package_throttle_count"))
	return uint64(max(core, 0)) + uint64(max(pkg, 0)), nil
}

// Since is what has come in the seconds since earlier counters, which ReadCounters has read
// for the same CPU.
func (c Counters) Since(earlier Counters, seconds float64) []Condition {
	conditions := []Condition{
		c.stealSince(earlier, seconds),
		c.interruptsSince(earlier, seconds),
		c.throttledSince(earlier, seconds),
	}
	for i, condition := range conditions {
		err := cmp.Or(c.missing[condition.Name], earlier.missing[condition.Name])
		if err == nil && !(seconds > 0) {
			err = fmt.Errorf("counted for %g s: want more than 0", seconds)
		}
		if err != nil {
			conditions[i] = countCondition(condition.Name).unknown(err)
		}
	}
	return conditions
}

// countCondition is a condition of Since that is not judged yet.
func countCondition(name string) Condition {
	return Condition{Name: name, Wants: map[string]string{
		stealName:      "a machine of its own: no host gives the loop's CPU to other work",
		interruptsName: fmt.Sprintf("at most %d interrupts of devices per second", mostInterrupts),
		thermalName:    "a processor that heat never slows down: better cooling, or a slower clock",
	}[name]}
}

func (c Counters) stealSince(earlier Counters, seconds float64) Condition {
	condition := countCondition(stealName)
	lost := c.StealS - earlier.StealS
	found := fmt.Sprintf("the host took %.0f ms in %.3g s", 1e3*max(lost, 0), seconds)
	if lost < 0.005 { // half a step
		return condition.good(found)
	}
	return condition.bad(found, "")
}

// mostInterrupts is how many interrupts of devices a second may bring to the loop's CPU. One
// takes some 10 µs of a loop's period of 244 µs.
const mostInterrupts = 10

// interruptsSince judges interrupts of devices, which can go to other CPUs. Timers wake the
// loop, and the kernel's own interrupts wake the loop for a reading.
func (c Counters) interruptsSince(earlier Counters, seconds float64) Condition {
	condition := countCondition(interruptsName)
	came := map[string]uint64{}
	for name, n := range c.Interrupts {
		if d := counted(n, earlier.Interrupts[name]); d > 0 {
			came[name] = d
		}
	}
	names := slices.SortedFunc(maps.Keys(came), func(a, b string) int {
		return cmp.Or(cmp.Compare(came[b], came[a]), cmp.Compare(a, b))
	})
	devices, sum := []string{}, uint64(0)
	for _, name := range names {
		if isDevice(name) {
			devices, sum = append(devices, name), sum+came[name]
		}
	}
	found := fmt.Sprintf("devices %s per second", perSecond(sum, seconds))
	for _, name := range names[:min(3, len(names))] {
		found += fmt.Sprintf("; %s %s", name, perSecond(came[name], seconds))
	}
	if float64(sum) <= mostInterrupts*seconds {
		return condition.good(found)
	}
	return condition.bad(found, moveInterrupts(devices, c.elsewhere))
}

// isDevice tells the interrupts of devices, whose names begin with a number, from the kernel's
// own. ARM numbers its timers too.
func isDevice(name string) bool {
	number, device, _ := strings.Cut(name, " ")
	_, err := strconv.ParseUint(number, 10, 64)
	return err == nil && !strings.Contains(device, "timer")
}

// moveInterrupts is a command that moves interrupts to other CPUs until the next start.
func moveInterrupts(names []string, cpus []int) string {
	if len(cpus) == 0 {
		return ""
	}
	numbers := ""
	for _, name := range names {
		number, _, _ := strings.Cut(name, " ")
		numbers += " " + number
	}
	return fmt.Sprintf("for i in%s; do echo %s > /proc/irq/$i/smp_affinity_list; done", numbers, formatCPUs(cpus))
}

// counted is how far a count has come. Counts of 32 bits begin at 0 again.
func counted(now, earlier uint64) uint64 {
	if now < earlier {
		return uint64(uint32(now - earlier))
	}
	return now - earlier
}

func perSecond(n uint64, seconds float64) string {
	rate := float64(n) / seconds
	if rate < 100 {
		return fmt.Sprintf("%.1f", rate)
	}
	return fmt.Sprintf("%.0f", rate)
}

func (c Counters) throttledSince(earlier Counters, seconds float64) Condition {
	condition := countCondition(thermalName)
	n := counted(c.Throttled, earlier.Throttled)
	found := fmt.Sprintf("the processor slowed down %d times in %.3g s", n, seconds)
	if n == 0 {
		return condition.good(found)
	}
	return condition.bad(found, "")
}
