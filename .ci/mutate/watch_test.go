package main

import (
	"math"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// A program that takes memory or a processor for ever ends, with the processes it has started, and so does a
// program that waits for ever. A program that only reserves address space lives.
func TestBounds(t *testing.T) {
	b := bench{pkg: ".", bounds: bounds{memory: math.MaxInt64, cpu: time.Hour, idle: time.Hour}}
	for _, c := range []struct {
		script, want string
		spoil        func(*bounds)
	}{
		{`x=0123456789; while :; do x=$x$x; done & wait`, "of memory", func(b *bounds) { b.memory = 32 << 20 }},
		{`while :; do :; done & wait`, "of the processors", func(b *bounds) { b.cpu = 100 * time.Millisecond }},
		{`sleep 1000 & wait`, "used no processor", func(b *bounds) { b.idle = 200 * time.Millisecond }},
	} {
		bound := b
		c.spoil(&bound.bounds)
		if _, _, err := bound.command("sh", "-c", c.script); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v: want %s", c.script, err, c.want)
		}
	}
	if out, _, err := b.command("sh", "-c", "echo modest"); err != nil || out != "modest\n" {
		t.Errorf("a modest program: %q, %v", out, err)
	}
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("python3 is not installed")
	}
	b.bounds.memory = 512 << 20
	reserve := "import mmap; m = mmap.mmap(-1, 1 << 38, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000); m[0] = " +
		"1; print(m[0])"
	if out, _, err := b.command("python3", "-c", reserve); err != nil || out != "1\n" {
		t.Errorf("256 GB reserved and one page used: %q, %v", out, err)
	}
}
