package realtime

import (
	"maps"
	"math"
	"strings"
	"testing"
)

// intelTable is of a machine whose CPU 1 is offline.
const intelTable = `           CPU0       CPU2       CPU3
  0:         31          0          0  IR-IO-APIC    2-edge      timer
 16:         12          4          5  IR-IO-APIC   16-fasteoi   ehci_hcd:usb1, i801_smbus
120:          0          0          0  DMAR-MSI    0-edge      dmar0
136:          7    1000000        200  IR-PCI-MSIX-0000:03:00.0    1-edge      eth0-TxRx-0
140:          1          2          3  IR-PCI-MSI 458752-edge      PCIe PME
NMI:          1          2          3   Non-maskable interrupts
LOC:       9000       8000      40960   Local timer interrupts
FOO:          1          2          9
BAD:          1         1a          9   Garbage
ERR:          0
MIS:          5
`

const armTable = `           CPU0       CPU1
 11:       1000       2000     GICv3  27 Level     arch_timer
 42:          0         17     GICv3  65 Level     uart-pl011
IPI0:       300        400       Rescheduling interrupts
Err:          0
`

func TestInterrupts(t *testing.T) {
	for _, row := range []struct {
		table string
		cpu   int
		want  map[string]uint64
	}{
		{intelTable, 3, map[string]uint64{"0 timer": 0, "16 ehci_hcd:usb1, i801_smbus": 5, "120 dmar0": 0,
			"136 eth0-TxRx-0": 200, "140 PCIe PME": 3, "NMI Non-maskable interrupts": 3, "LOC Local timer interrupts": 40960,
			"FOO": 9}},
		{intelTable, 2, map[string]uint64{"0 timer": 0, "16 ehci_hcd:usb1, i801_smbus": 4, "120 dmar0": 0,
			"136 eth0-TxRx-0": 1000000, "140 PCIe PME": 2, "NMI Non-maskable interrupts": 2, "LOC Local timer interrupts": 8000,
			"FOO": 2}},
		{armTable, 0, map[string]uint64{"11 arch_timer": 1000, "42 uart-pl011": 0, "IPI0 Rescheduling interrupts": 300}},
		{armTable, 1, map[string]uint64{"11 arch_timer": 2000, "42 uart-pl011": 17, "IPI0 Rescheduling interrupts": 400}},
	} {
		got, err := parseInterrupts(row.table, row.cpu)
		if err != nil || !maps.Equal(got, row.want) {
			t.Errorf("CPU %d: %v, %v: want %v", row.cpu, got, err, row.want)
		}
	}
	if got, err := parseInterrupts(intelTable, 1); err == nil || err.Error() != "want a column CPU1" {
		t.Errorf("%v, %v: want an error", got, err)
	}
}

// counting is a machine that counts for CPU 3.
func counting() map[string]string {
	return map[string]string{
		"proc/stat": "cpu  1 2 3 4 5 6 7 900 9 10\ncpu2 1 2 3 4 5 6 7 100 9 10\ncpu3 1 2 3 4 5 6 7 250 9 " +
			"10\nintr 5\n",
		"proc/interrupts":      intelTable,
		cpuFolder + "online":   "0,2-3\n",
		cpuFolder + "isolated": "3\n",
		cpuFolder + "cpu3/thermal_throttle/core_throttle_count":    "4\n",
		cpuFolder + "cpu3/thermal_throttle/package_throttle_count": "7\n",
	}
}

// read reads counters of a machine that has some.
func read(t *testing.T, files map[string]string) Counters {
	t.Helper()
	c, err := ReadCounters(plant(t, files), 3)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestReadCounters(t *testing.T) {
	c := read(t, counting())
	if c.StealS != 2.5 || c.Interrupts["136 eth0-TxRx-0"] != 200 || c.Throttled != 11 {
		t.Errorf("%+v: want 2.5 s of steal, 200 of eth0, 11 times too hot", c)
	}
	core := with(counting(), map[string]string{cpuFolder + "cpu3/thermal_throttle/package_throttle_count": ""})
	if c := read(t, core); c.Throttled != 4 {
		t.Errorf("%+v: want 4 times too hot", c)
	}
	if c, err := ReadCounters(t.TempDir(), 3); err == nil || c.StealS != 0 || c.Throttled != 0 {
		t.Errorf("%+v: want an error", c)
	} else if got := err.Error(); strings.Count(got, "file does not exist") != 3 {
		t.Errorf("%s: want three files", got)
	}
}

// quiet, busy: 10 s later the kernel's own interrupts have come, or all others too.
func TestSince(t *testing.T) {
	before := counting()
	quiet := with(before, map[string]string{
		"proc/interrupts": strings.NewReplacer("40960", "81920", "200  IR", "300  IR", " 3   Non",
			"39   Non").Replace(intelTable),
	})
	busy := with(before, map[string]string{
		"proc/stat": "cpu3 1 2 3 4 5 6 7 251\n",
		"proc/interrupts": strings.NewReplacer("40960", "81920", "200  IR", "299  IR", "  5  IR", "  7  IR", " 3   Non",
			" 4   Non").Replace(intelTable),
		cpuFolder + "cpu3/thermal_throttle/core_throttle_count": "6\n",
	})
	for _, row := range []struct {
		about string
		later map[string]string
		want  string
	}{
		{"quiet", quiet, `good steal: the host took 0 ms in 10 s
good interrupts on the loop's CPU: devices 10.0 per second; LOC Local timer interrupts 4096; 136 eth0-TxRx-0 10.0; ` +
			`NMI Non-maskable interrupts 3.6
good thermal throttling: the processor slowed down 0 times in 10 s
`},
		{"busy", busy, `bad steal: the host took 10 ms in 10 s
  wants a machine of its own: no host gives the loop's CPU to other work
bad interrupts on the loop's CPU: devices 10.1 per second; LOC Local timer interrupts 4096; 136 eth0-TxRx-0 9.9; 16 ` +
			`ehci_hcd:usb1, i801_smbus 0.2
  wants at most 10 interrupts of devices per second
  mend for i in 136 16; do echo 0,2 > /proc/irq/$i/smp_affinity_list; done
bad thermal throttling: the processor slowed down 2 times in 10 s
  wants a processor that heat never slows down: better cooling, or a slower clock
`},
	} {
		conditions := read(t, row.later).Since(read(t, before), 10)
		consistent(t, row.about, conditions)
		if got := describe(conditions); got != row.want {
			t.Errorf("%s:\n%s\nwant:\n%s", row.about, got, row.want)
		}
	}
}

// A timer of ARM has a number, but is no device.
func TestSinceOnARM(t *testing.T) {
	files := map[string]string{"proc/interrupts": armTable}
	before, err := ReadCounters(plant(t, files), 1)
	if err != nil {
		t.Fatal(err)
	}
	files["proc/interrupts"] = strings.NewReplacer("2000", "9000", "400", "900", "17", "18").Replace(armTable)
	after, err := ReadCounters(plant(t, files), 1)
	if err != nil {
		t.Fatal(err)
	}
	got, want := after.Since(before, 1)[1].Found,
		"devices 1.0 per second; 11 arch_timer 7000; IPI0 Rescheduling interrupts 500; 42 uart-pl011 1.0"
	if got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	noLists := Counters{Interrupts: map[string]uint64{"42 uart": 11}}.Since(Counters{}, 1)[1]
	if noLists.Good || noLists.Mend != "" {
		t.Errorf("%+v: want no command, for want of other CPUs", noLists)
	}
}

// A count that either reading lacks, or that has no duration, is unknown.
func TestSinceUnknown(t *testing.T) {
	whole := read(t, counting())
	noHeat := read(t, with(counting(), map[string]string{cpuFolder + "cpu3/thermal_throttle/core_throttle_count": ""}))
	noStat := read(t, with(counting(), map[string]string{"proc/stat": "cpu3 1 2 3 4 5 6 7\n"}))
	noTable := read(t, with(counting(), map[string]string{"proc/interrupts": "none"}))
	for _, row := range []struct {
		later, earlier Counters
		seconds        float64
		want           string // known or not, and a part of what was found
		says           string
	}{
		{whole, whole, 1, "true true true", ""},
		{noHeat, whole, 1, "true true false", "core_throttle_count: file does not exist"},
		{whole, noStat, 1, "false true true", "/proc/stat: want a line cpu3 with 8 numbers"},
		{noTable, noTable, 1, "true false true", "/proc/interrupts: want a column CPU3"},
		{whole, whole, 0, "false false false", "counted for 0 s: want more than 0"},
		{whole, whole, math.NaN(), "false false false", "counted for NaN s"},
	} {
		conditions := row.later.Since(row.earlier, row.seconds)
		consistent(t, row.want, conditions)
		known := []string{}
		for _, c := range conditions {
			known = append(known, map[bool]string{true: "true", false: "false"}[c.Known])
		}
		if got, said := strings.Join(known, " "), describe(conditions); got != row.want || !strings.Contains(said, row.says) {
			t.Errorf("%s:\n%swant %s and %q", got, said, row.want, row.says)
		}
	}
}

func TestCounted(t *testing.T) {
	for _, row := range []struct{ now, earlier, want uint64 }{
		{7, 5, 2},
		{5, 5, 0},
		{3, 1<<32 - 2, 5}, // 32 bits begin at 0 again
		{1 << 40, 1, 1<<40 - 1},
	} {
		if got := counted(row.now, row.earlier); got != row.want {
			t.Errorf("%d after %d: %d, want %d", row.now, row.earlier, got, row.want)
		}
	}
}

func TestCountersOfThisMachine(t *testing.T) {
	for _, cpu := range []int{-1, 0, 1, 1 << 30} {
		c, _ := ReadCounters("/", cpu)
		later, _ := ReadCounters("/", cpu)
		consistent(t, "this machine", later.Since(c, 1e-3))
	}
}

// The columns of two CPUs have the same rows, whatever the table.
func FuzzInterrupts(f *testing.F) {
	for _, text := range []string{intelTable, armTable, "", "CPU0 CPU1\n:", "CPU0 CPU1\n1: 1 2\n1: 3 4 x  y",
		"CPU1 CPU0 x\n0: 1 1 1", "CPU0 CPU0 CPU1\n"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		a, errA := parseInterrupts(text, 0)
		b, errB := parseInterrupts(text, 1)
		if errA != nil || errB != nil {
			return
		}
		for name := range a {
			if _, ok := b[name]; !ok || len(a) != len(b) {
				t.Fatalf("%q: %v and %v", text, a, b)
			}
		}
		consistent(t, text, Counters{Interrupts: a}.Since(Counters{Interrupts: b}, 1))
	})
}
