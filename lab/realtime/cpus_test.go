package realtime

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestCPUs(t *testing.T) {
	for text, want := range map[string][]int{
		"":            nil,
		"\n":          nil,
		"0\n":         {0},
		"2-3,5\n":     {2, 3, 5},
		"7,1-2,2":     {1, 2, 7},
		"8190-8191":   {8190, 8191},
		"0-1,4-5,8-9": {0, 1, 4, 5, 8, 9},
	} {
		got, err := parseCPUs(text)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: %v, %v: want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"(null)", "3-2", "8192", "0-99999999999999999999", "-1", "1,", "1--2", "0-31:1/2", "x"} {
		if got, err := parseCPUs(text); err == nil || got != nil {
			t.Errorf("%q: %v, %v: want an error", text, got, err)
		}
	}
}

func TestMask(t *testing.T) {
	for text, want := range map[string][]int{
		"f":                 {0, 1, 2, 3},
		"8":                 {3},
		"f7\n":              {0, 1, 2, 4, 5, 6, 7},
		"00000002,00000001": {0, 33},
		"0":                 nil,
	} {
		got, err := parseMask(text)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: %v, %v: want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", ",", "0x3", "g", strings.Repeat("f", mostCPUs/4+1)} {
		if got, err := parseMask(text); err == nil {
			t.Errorf("%.20q: %v: want an error", text, got)
		}
	}
	if all, err := parseMask(strings.Repeat("f", mostCPUs/4)); err != nil || len(all) != mostCPUs {
		t.Errorf("%d CPUs, %v: want %d", len(all), err, mostCPUs)
	}
}

func TestFormatCPUs(t *testing.T) {
	for want, cpus := range map[string][]int{
		"":        nil,
		"4":       {4},
		"0-1":     {0, 1},
		"0,2":     {0, 2},
		"2-4,6,8": {2, 3, 4, 6, 8},
	} {
		if got := formatCPUs(cpus); got != want {
			t.Errorf("%v: %q: want %q", cpus, got, want)
		}
	}
}

func TestIsolatedAndOnline(t *testing.T) {
	root := plant(t, map[string]string{
		"sys/devices/system/cpu/isolated": "2-3\n",
		"sys/devices/system/cpu/online":   "0-3,6\n",
	})
	if got, want := fmt.Sprint(isolated(root), Online(root)), "[2 3] [0 1 2 3 6]"; got != want {
		t.Errorf("%s: want %s", got, want)
	}
	if empty := t.TempDir(); isolated(empty) != nil || Online(empty) != nil {
		t.Errorf("%v, %v: want none", isolated(empty), Online(empty))
	}
}

// A list ascends, holds CPUs that exist, and is written and read again as it was.
func FuzzCPUs(f *testing.F) {
	for _, text := range []string{"", "0", "2-3,5", "0-8191", "(null)", "3-2", "1,,2", "0-18446744073709551616"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		_, _ = parseMask(text)
		cpus, err := parseCPUs(text)
		if err != nil {
			return
		}
		for i, cpu := range cpus {
			if cpu < 0 || cpu >= mostCPUs || i > 0 && cpu <= cpus[i-1] {
				t.Fatalf("%q: %v", text, cpus)
			}
		}
		again, err := parseCPUs(formatCPUs(cpus))
		if err != nil || !slices.Equal(again, cpus) {
			t.Fatalf("%q: %v became %v, %v", text, cpus, again, err)
		}
	})
}
