package main

import (
	"os/exec"
	"strings"
	"testing"
	"time"
)

// A program that takes memory for ever ends, with the processes it has started; one that only reserves address space lives.
func TestMemoryIsLimited(t *testing.T) {
	b := bench{pkg: ".", limit: time.Minute}
	greedy := `x=0123456789; while :; do x=$x$x; done & wait`
	if out, err := b.command(32<<20, "sh", "-c", greedy); err == nil || !strings.Contains(err.Error(), "killed") {
		t.Errorf("a greedy program: %v, %s: want it killed", err, out)
	}
	if out, err := b.command(32<<20, "sh", "-c", "echo modest"); err != nil || out != "modest\n" {
		t.Errorf("a modest program: %q, %v", out, err)
	}
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("python3 is not installed")
	}
	reserve := "import mmap; m = mmap.mmap(-1, 1 << 38, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000); m[0] = 1; print(m[0])"
	if out, err := b.command(512<<20, "python3", "-c", reserve); err != nil || out != "1\n" {
		t.Errorf("256 GB reserved and one page used: %q, %v", out, err)
	}
}
