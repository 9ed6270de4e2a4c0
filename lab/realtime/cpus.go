package realtime

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// mostCPUs is the largest number of CPUs that a Linux kernel is built for (CONFIG_NR_CPUS).
const mostCPUs = 8192

// parseCPUs reads a list of CPUs as Linux writes a list, "2-3,5". An empty text is an empty
// list. The result ascends and holds each CPU once.
func parseCPUs(text string) (cpus []int, err error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return nil, nil
	}
	var listed [mostCPUs]bool
	for part := range strings.SplitSeq(text, ",") {
		first, last, err := parseRange(part)
		if err != nil {
			return nil, err
		}
		for cpu := first; cpu <= last; cpu++ {
			listed[cpu] = true
		}
	}
	for cpu, is := range listed {
		if is {
			cpus = append(cpus, cpu)
		}
	}
	return cpus, nil
}

// parseRange reads "5" or "2-3".
func parseRange(part string) (first, last int, err error) {
	from, to, isRange := strings.Cut(part, "-")
	first, err = parseCPU(from)
	if last = first; err == nil && isRange {
		last, err = parseCPU(to)
	}
	if err != nil || last < first {
		return 0, 0, fmt.Errorf("CPUs %.40q: want a list such as 2-3,5", part)
	}
	return first, last, nil
}

func parseCPU(text string) (int, error) {
	n, err := strconv.ParseUint(text, 10, 64)
	if err == nil && n >= mostCPUs {
		err = fmt.Errorf("CPU %d: want less than %d", n, mostCPUs)
	}
	return int(n), err
}

// parseMask reads a set of CPUs as hexadecimal digits, "00000000,0000000f": the lowest bit is
// CPU 0, a comma stands after each 32 bits.
func parseMask(text string) (cpus []int, err error) {
	digits := strings.ReplaceAll(strings.TrimSpace(text), ",", "")
	if digits == "" || len(digits) > mostCPUs/4 {
		return nil, fmt.Errorf("CPUs %.40q: want hexadecimal digits such as 0000000f", text)
	}
	for i := len(digits) - 1; i >= 0; i-- {
		bits, err := strconv.ParseUint(digits[i:i+1], 16, 8)
		if err != nil {
			return nil, fmt.Errorf("CPUs %.40q: want hexadecimal digits such as 0000000f", text)
		}
		for b := range 4 {
			if bits>>b&1 == 1 {
				cpus = append(cpus, 4*(len(digits)-1-i)+b)
			}
		}
	}
	return cpus, nil
}

// formatCPUs writes ascending CPUs as Linux does, "2-3,5".
func formatCPUs(cpus []int) string {
	var parts []string
	for i := 0; i < len(cpus); {
		j := i + 1
		for j < len(cpus) && cpus[j] == cpus[j-1]+1 {
			j++
		}
		part := strconv.Itoa(cpus[i])
		if j > i+1 {
			part += "-" + strconv.Itoa(cpus[j-1])
		}
		parts, i = append(parts, part), j
	}
	return strings.Join(parts, ",")
}

// cpusOrNone is formatCPUs for a sentence.
func cpusOrNone(cpus []int) string {
	if len(cpus) == 0 {
		return "none"
	}
	return formatCPUs(cpus)
}

// without are the CPUs that are not among others.
func without(cpus []int, others ...int) []int {
	return slices.DeleteFunc(slices.Clone(cpus), func(cpu int) bool { return slices.Contains(others, cpu) })
}

// among are the CPUs that are among others.
func among(cpus, others []int) []int {
	return slices.DeleteFunc(slices.Clone(cpus), func(cpu int) bool { return !slices.Contains(others, cpu) })
}

// isolated lists the CPUs on which Linux starts nothing by itself (isolcpus=); none where the
// list cannot be read.
func isolated(root string) []int {
	cpus, _ := machine{root: root}.cpus(isolatedFile)
	return cpus
}

// Online lists the CPUs in use; none where the list cannot be read.
func Online(root string) []int {
	cpus, _ := machine{root: root}.cpus("/sys/devices/system/cpu/online")
	return cpus
}
