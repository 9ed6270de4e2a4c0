package realtime

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const (
	cpuFolder   = "sys/devices/system/cpu/"
	clockFile   = "sys/devices/system/clocksource/clocksource0/current_clocksource"
	runtimeFile = "proc/sys/kernel/sched_rt_runtime_us"
	periodFile  = "proc/sys/kernel/sched_rt_period_us"
	intelFlags  = "fpu tsc msr constant_tsc nonstop_tsc ht"
)

// tuned is a machine of 4 cores with Debian 13, PREEMPT_RT and CPU 3 isolated.
func tuned() map[string]string {
	return map[string]string{
		"proc/version": "Linux version 6.12.48+deb13-rt-amd64 (debian-kernel@lists.debian.org) " +
			"(x86_64-linux-gnu-gcc-14 (Debian 14.2.0-19) 14.2.0, GNU ld (GNU Binutils for Debian) 2.44) #1 SMP PREEMPT_RT " +
			"Debian 6.12.48-1 (2025-09-20)\n",
		"proc/cmdline": "BOOT_IMAGE=/vmlinuz root=/dev/sda1 isolcpus=domain,managed_irq,3 nohz_full=3 " +
			"rcu_nocbs=3 irqaffinity=0-2\n",
		"proc/cpuinfo": "processor\t: 0\nflags\t\t: " + intelFlags + "\n\nprocessor\t: 1\nflags\t\t: " +
			intelFlags + "\n",
		"proc/irq/default_smp_affinity":                  "7\n",
		runtimeFile:                                      "-1\n",
		clockFile:                                        "tsc\n",
		"sys/class/dmi/id/sys_vendor":                    "Supermicro\n",
		"dev/cpu_dma_latency":                            "",
		cpuFolder + "online":                             "0-3\n",
		cpuFolder + "isolated":                           "3\n",
		cpuFolder + "nohz_full":                          "3\n",
		cpuFolder + "cpu3/topology/thread_siblings_list": "3\n",
		cpuFolder + "cpu3/cpufreq/scaling_governor":      "performance\n",
		cpuFolder + "cpu3/cpuidle/state0/name":           "POLL\n",
		cpuFolder + "cpu3/cpuidle/state0/latency":        "0\n",
		cpuFolder + "cpu3/cpuidle/state0/disable":        "0\n",
		cpuFolder + "cpu3/cpuidle/state1/name":           "C1\n",
		cpuFolder + "cpu3/cpuidle/state1/latency":        "2\n",
		cpuFolder + "cpu3/cpuidle/state1/disable":        "0\n",
		cpuFolder + "cpu3/cpuidle/state2/name":           "C6\n",
		cpuFolder + "cpu3/cpuidle/state2/latency":        "85\n",
		cpuFolder + "cpu3/cpuidle/state2/disable":        "1\n",
	}
}

// desktop is a machine of 2 cores and 4 threads with Debian 12 as installed; root looks at it.
func desktop() map[string]string {
	files := with(tuned(), map[string]string{
		"proc/version": "Linux version 6.1.0-25-amd64 (debian-kernel@lists.debian.org) (gcc-12 (Debian " +
			"12.2.0-14) 12.2.0, GNU ld (GNU Binutils for Debian) 2.40) #1 SMP PREEMPT_DYNAMIC Debian 6.1.106-3 (2024-08-26)\n",
		"proc/cmdline":                   "BOOT_IMAGE=/vmlinuz root=/dev/sda1 ro quiet\n",
		"proc/irq/default_smp_affinity":  "f\n",
		"sys/kernel/debug/sched/preempt": "none (voluntary) full\n",
		runtimeFile:                      "950000\n",
		periodFile:                       "1000000\n",
		cpuFolder + "isolated":           "\n",
		cpuFolder + "nohz_full":          "(null)\n",
		cpuFolder + "cpu3/topology/thread_siblings_list":  "1,3\n",
		cpuFolder + "cpu3/cpufreq/scaling_governor":       "powersave\n",
		cpuFolder + "cpu3/cpuidle/state2/disable":         "0\n",
		cpuFolder + "cpu3/power/pm_qos_resume_latency_us": "0\n",
	})
	delete(files, "dev/cpu_dma_latency")
	return files
}

// guest is a virtual machine of one CPU without control of the processor's clock.
func guest() map[string]string {
	return map[string]string{
		"proc/version": "Linux version 5.10.0-32-cloud-amd64 (debian) (gcc-10) #1 SMP Debian 5.10.223-1 " +
			"(2024-08-10)\n",
		"proc/cmdline":                  "root=/dev/vda1\n",
		"proc/cpuinfo":                  "processor\t: 0\nflags\t\t: fpu tsc hypervisor constant_tsc\n",
		"proc/irq/default_smp_affinity": "1\n",
		runtimeFile:                     "500000\n",
		clockFile:                       "hpet\n",
		"sys/class/dmi/id/sys_vendor":   "QEMU\n",
		"sys/class/dmi/id/product_name": "Standard PC (Q35 + ICH9, 2009)\n",
		cpuFolder + "online":            "0\n",
		cpuFolder + "isolated":          "\n",
		cpuFolder + "cpu0/topology/thread_siblings_list": "0\n",
	}
}

// describe writes conditions as lines: state and name, what was found, what is wanted, what mends.
func describe(conditions []Condition) string {
	var b strings.Builder
	for _, c := range conditions {
		state := "unknown"
		if c.Known {
			state = map[bool]string{true: "good", false: "bad"}[c.Good]
		}
		fmt.Fprintf(&b, "%s %s: %s\n", state, c.Name, c.Found)
		if c.Wants != "" {
			fmt.Fprintf(&b, "  wants %s\n", c.Wants)
		}
		if c.Mend != "" {
			fmt.Fprintf(&b, "  mend %s\n", c.Mend)
		}
	}
	return b.String()
}

func TestConditions(t *testing.T) {
	for name, m := range map[string]struct {
		files map[string]string
		cpu   int
	}{
		"tuned":   {tuned(), 3},
		"desktop": {desktop(), 3},
		"guest":   {guest(), 0},
		"empty":   {nil, 1},
	} {
		want, err := os.ReadFile(filepath.Join("testdata", name+".txt"))
		if err != nil {
			t.Fatal(err)
		}
		if got := describe(Conditions(plant(t, m.files), m.cpu)); got != string(want) {
			t.Errorf("%s:\n%s\nwant:\n%s", name, got, want)
		}
	}
}

// named is the condition of a name.
func named(t *testing.T, conditions []Condition, name string) Condition {
	t.Helper()
	for _, c := range conditions {
		if c.Name == name {
			return c
		}
	}
	t.Fatalf("no condition %q in %v", name, conditions)
	return Condition{}
}

// Each row changes files of a machine, seen by a loop on CPU 3: an empty text takes a file away.
var changes = []struct {
	about     string
	from      func() map[string]string
	files     map[string]string
	condition string
	state     string // good, bad (no command mends it), mend or unknown
	says      string // a part of what was found, wanted or of the command
}{
	{"kernel with patches", desktop, map[string]string{"sys/kernel/realtime": "1\n"}, "kernel preemption", "good",
		"PREEMPT_RT"},
	{"flag 0", tuned, map[string]string{"sys/kernel/realtime": "0\n"}, "kernel preemption", "good", "PREEMPT_RT"},
	{"kernel 4.19", tuned, map[string]string{"proc/version": "Linux version 4.19.0-rt (a@b) #1 SMP PREEMPT RT Debian\n"},
		"kernel preemption", "good", "PREEMPT_RT"},
	{"kernel for desktops", tuned, map[string]string{"proc/version": "Linux version 5.4 (a@b) #1 SMP PREEMPT\n"},
		"kernel preemption", "mend", ": PREEMPT\n"},
	{"a builder's name", tuned, map[string]string{"proc/version": "Linux version 5.4 (PREEMPT_RT@b) #1 SMP Debian\n"},
		"kernel preemption", "mend", "none or voluntary"},
	{"settings for root only", desktop, map[string]string{"sys/kernel/debug/sched/preempt": ""}, "kernel preemption",
		"mend", ": PREEMPT_DYNAMIC\n"},
	{"no build", tuned, map[string]string{"proc/version": "PREEMPT_RT\n"}, "kernel preemption", "unknown",
		`/proc/version: "PREEMPT_RT": want the number of a build`},
	{"two lines", tuned, map[string]string{"proc/version": "Linux #1\nPREEMPT_RT"}, "kernel preemption", "unknown",
		"want one line of text"},

	{"another isolated CPU", desktop, map[string]string{cpuFolder + "isolated": "2\n"}, "isolated CPUs", "bad",
		"the loop on an isolated CPU: 2"},
	{"the loop's CPU offline", desktop, map[string]string{cpuFolder + "online": "0-2\n"}, "isolated CPUs", "bad",
		"the loop on a CPU that is online: 0-2"},
	{"no list of CPUs", desktop, map[string]string{cpuFolder + "online": ""}, "isolated CPUs", "bad", "nothing else"},
	{"a list that is none", tuned, map[string]string{cpuFolder + "isolated": "three\n"}, "isolated CPUs", "unknown",
		`/sys/devices/system/cpu/isolated: CPUs "three`},
	{"no nohz_full", tuned, map[string]string{cpuFolder + "nohz_full": ""}, "isolated CPUs", "good",
		"nohz_full: none; rcu_nocbs: 3"},
	{"garbage", tuned, map[string]string{cpuFolder + "nohz_full": "?", "proc/cmdline": ""}, "isolated CPUs", "good",
		"nohz_full: cannot be read; rcu_nocbs: cannot be read"},

	{"64 CPUs", tuned, map[string]string{"proc/irq/default_smp_affinity": "ffffffff,fffffff7\n"}, "interrupt affinity",
		"good", "0-2,4-63"},
	{"64 CPUs, all", tuned, map[string]string{"proc/irq/default_smp_affinity": "ffffffff,ffffffff\n"},
		"interrupt affinity", "mend", "irqaffinity=0-2\""},
	{"others isolated", desktop, map[string]string{cpuFolder + "isolated": "1-2\n"}, "interrupt affinity", "mend",
		"irqaffinity=0\""},
	{"all others isolated", desktop, map[string]string{cpuFolder + "isolated": "0-2\n"}, "interrupt affinity", "bad",
		"interrupts on other CPUs"},
	{"no mask", tuned, map[string]string{"proc/irq/default_smp_affinity": "all\n"}, "interrupt affinity", "unknown",
		`/proc/irq/default_smp_affinity: CPUs "all"`},

	{"an isolated sibling", desktop, map[string]string{cpuFolder + "isolated": "1,3\n"}, "hyper-threading", "good",
		"CPU 1, which is isolated too"},
	{"a sibling offline", desktop, map[string]string{cpuFolder + "online": "0,2-3\n"}, "hyper-threading", "good",
		"no other CPU"},
	{"a sibling, no list of CPUs", desktop, map[string]string{cpuFolder + "online": ""}, "hyper-threading", "mend",
		"cpu1/online"},
	{"CPU 0 for a sibling", desktop, map[string]string{cpuFolder + "cpu3/topology/thread_siblings_list": "0,3\n"},
		"hyper-threading", "bad", "core of CPU 0"},
	{"three siblings, one isolated", desktop, map[string]string{cpuFolder +
		"cpu3/topology/thread_siblings_list": "1-3,5\n", cpuFolder + "online": "0-7", cpuFolder + "isolated": "2\n"},
		"hyper-threading", "mend", "' /sys/devices/system/cpu/cpu1/online /sys/devices/system/cpu/cpu5/online >"},

	{"no governor", tuned, map[string]string{cpuFolder + "cpu3/cpufreq/scaling_governor": "",
		cpuFolder + "cpu3/cpufreq/scaling_driver": "x"}, "governor", "unknown",
		"/sys/devices/system/cpu/cpu3/cpufreq/scaling_governor: file does not exist"},
	{"as long a line as Linux writes", tuned, map[string]string{cpuFolder +
		"cpu3/cpufreq/scaling_governor": strings.Repeat("x", 4096)}, "governor", "mend", "x"},
	{"too long a line", tuned, map[string]string{cpuFolder + "cpu3/cpufreq/scaling_governor": strings.Repeat("x", 4097)},
		"governor", "unknown", "want one line"},
	{"no cpufreq", tuned, map[string]string{cpuFolder + "cpu3/cpufreq/scaling_governor": ""}, "governor", "good", "none"},

	{"the loop may forbid", desktop, map[string]string{"dev/cpu_dma_latency": "\x00"}, "idle states", "good",
		"wakes from C6 within 85 µs; the loop forbids"},
	{"9 µs allowed", desktop, map[string]string{cpuFolder + "cpu3/power/pm_qos_resume_latency_us": "9\n"}, "idle states",
		"good", "C1 within 2 µs"},
	{"85 µs allowed", desktop, map[string]string{cpuFolder + "cpu3/power/pm_qos_resume_latency_us": "85\n"}, "idle states",
		"mend", "C6 within 85 µs"},
	{"nothing allowed", desktop, map[string]string{cpuFolder + "cpu3/power/pm_qos_resume_latency_us": "n/a\n"},
		"idle states", "good", "POLL within 0 µs"},
	{"just good", desktop, map[string]string{cpuFolder + "cpu3/cpuidle/state2/latency": "10\n"}, "idle states", "good",
		"C6 within 10 µs"},
	{"just not good", desktop, map[string]string{cpuFolder + "cpu3/cpuidle/state2/latency": "11\n"}, "idle states", "mend",
		"C6 within 11 µs"},
	{"no name, the deepest not the last", desktop, map[string]string{cpuFolder + "cpu3/cpuidle/state1/latency": "90\n",
		cpuFolder + "cpu3/cpuidle/state1/name": ""}, "idle states", "mend", "state1 within 90 µs"},
	{"all states off", tuned, map[string]string{cpuFolder + "cpu3/cpuidle/state0/disable": "1",
		cpuFolder + "cpu3/cpuidle/state1/disable": "1"}, "idle states", "good", "wakes from idling within 0 µs"},
	{"no latency", tuned, map[string]string{cpuFolder + "cpu3/cpuidle/state2/latency": "long\n"}, "idle states", "unknown",
		`state2/latency: "long": want a whole number`},

	{"a clock that lost the watchdog", tuned, map[string]string{clockFile: "hpet\n"}, "clock source", "mend",
		"tsc=reliable"},
	{"an old processor", tuned, map[string]string{clockFile: "acpi_pm\n", "proc/cpuinfo": "flags : tsc constant_tsc\n"},
		"clock source", "bad", "acpi_pm"},
	{"ARM", tuned, map[string]string{clockFile: "arch_sys_counter\n"}, "clock source", "good", "arch_sys_counter"},
	{"KVM", tuned, map[string]string{clockFile: "kvm-clock\n"}, "clock source", "good", "kvm-clock"},

	{"95 %", tuned, map[string]string{runtimeFile: "950000\n"}, "real-time throttling", "good",
		"95 % of the time (sched_rt_runtime_us is 950000) and leaves 5 %"},
	{"less", tuned, map[string]string{runtimeFile: "949999\n"}, "real-time throttling", "mend",
		"sched_rt_runtime_us=950000 "},
	{"no time at all", tuned, map[string]string{runtimeFile: "0\n"}, "real-time throttling", "mend", "may take 0 %"},
	{"another period", tuned, map[string]string{runtimeFile: "8\n", periodFile: "10\n"}, "real-time throttling", "mend",
		"sched_rt_runtime_us=10 "},
	{"no period", tuned, map[string]string{runtimeFile: "8\n", periodFile: "0\n"}, "real-time throttling", "mend",
		"sched_rt_runtime_us=950000 "},

	{"no maker", guest, map[string]string{"sys/class/dmi/id/sys_vendor": "", "sys/class/dmi/id/product_name": ""},
		"virtual machine", "bad", "yes: the processor reports a hypervisor"},
	{"a guest on ARM", guest, map[string]string{"proc/cpuinfo": "Features : fp\n"}, "virtual machine", "bad", "yes: QEMU"},
	{"one flag", tuned, map[string]string{"proc/cpuinfo": "flags : fpu\n"}, "virtual machine", "good",
		"reports no hypervisor"},
	{"a board", guest, map[string]string{"proc/cpuinfo": "Features : fp\n", "sys/class/dmi/id/sys_vendor": "",
		"sys/class/dmi/id/product_name": "", "sys/firmware/devicetree/base/model": "Raspberry Pi 5\x00"}, "virtual machine",
		"good", "no: Raspberry Pi 5"},
	{"a nameless board", tuned, map[string]string{"proc/cpuinfo": "Features : fp\n", "sys/class/dmi/id/sys_vendor": ""},
		"virtual machine", "unknown", "neither /proc/cpuinfo nor"},
}

func TestChanges(t *testing.T) {
	for _, row := range changes {
		c := named(t, Conditions(plant(t, with(row.from(), row.files)), 3), row.condition)
		state := map[bool]string{true: "bad", false: "unknown"}[c.Known]
		switch {
		case c.Good:
			state = "good"
		case c.Mend != "":
			state = "mend"
		}
		if said := describe([]Condition{c}); state != row.state || !strings.Contains(said, row.says) {
			t.Errorf("%s: %s: %s\nwant %s and %q", row.about, state, said, row.state, row.says)
		}
	}
}

// CPU 0 of several is never isolated: Linux needs it.
func TestIsolationOfCPU0(t *testing.T) {
	c := named(t, Conditions(plant(t, desktop()), 0), "isolated CPUs")
	if c.Good || c.Mend != "" || !strings.Contains(c.Wants, "another CPU than 0") {
		t.Errorf("%+v: want another CPU", c)
	}
}

// consistent tells what every list of conditions has: what is good wants nothing, what is not
// good wants something, a command mends only what is known and not good.
func consistent(t *testing.T, about string, conditions []Condition) {
	t.Helper()
	for _, c := range conditions {
		if c.Name == "" || c.Found == "" || c.Good != (c.Wants == "") || c.Good && !c.Known ||
			c.Mend != "" && (c.Good || !c.Known) || c.Known == strings.HasPrefix(c.Found, "cannot be read: ") {
			t.Errorf("%s: %+v", about, c)
		}
	}
}

// Each file in turn is a folder, empty or garbage.
func TestConditionsOfGarbage(t *testing.T) {
	for name := range desktop() {
		for about, text := range map[string]string{"empty": "\n", "binary": "\x01\xff\x00",
			"long": strings.Repeat("9,", 1e5)} {
			files := with(desktop(), map[string]string{name: text})
			consistent(t, name+" "+about, Conditions(plant(t, files), 3))
		}
		root := plant(t, with(desktop(), map[string]string{name: "", name + "/folder": "x"}))
		conditions := Conditions(root, 3)
		consistent(t, name+" a folder", conditions)
		if said := describe(conditions); strings.Contains(said, root) {
			t.Errorf("%s: want names of files without %s", said, root)
		}
	}
}

func TestConditionsOfThisMachine(t *testing.T) {
	for _, cpu := range []int{-1, 0, 1, 1 << 30} {
		consistent(t, fmt.Sprint("CPU ", cpu), Conditions("/", cpu))
	}
}
