package doctor

import (
	"context"
	"fmt"
	"math"
	"os/exec"
	"runtime"
	"strings"
)

// startLoad loads the machine until stop is called, and says with what. A load whose doctor was killed ends after
// some seconds, s.
func startLoad(ctx context.Context, seconds float64) (command string, stop func(), err error) {
	ctx, cancel := context.WithCancel(ctx)
	lines := loadWith(exec.LookPath, fmt.Sprintf("%.0f", math.Ceil(seconds)))
	var running []*exec.Cmd
	stop = func() {
		cancel()
		for _, c := range running {
			_ = c.Wait()
		}
	}
	for _, line := range lines {
		c := exec.CommandContext(ctx, line[0], line[1:]...)
		ownGroup(c)
		if err := c.Start(); err != nil {
			stop()
			return "", nil, fmt.Errorf("the load %s: %w", strings.Join(line, " "), err)
		}
		running = append(running, c)
	}
	return describe(lines), stop, nil
}

// loadWith are the commands of the load: stress-ng where it is installed, or else loops of the shell.
func loadWith(look func(string) (string, error), seconds string) [][]string {
	n := runtime.NumCPU()
	if _, err := look("stress-ng"); err == nil {
		return [][]string{{"stress-ng", "--quiet", "--cpu", fmt.Sprint(n), "--vm", "1", "--vm-bytes", "64M", "--switch", "1", "--sock", "1", "--timeout", seconds}}
	}
	var out [][]string
	for range n {
		out = append(out, []string{"timeout", seconds, "sh", "-c", "while :; do :; done"})
	}
	return append(out, []string{"timeout", seconds, "sh", "-c", "while :; do dd if=/dev/zero of=/dev/null bs=1M count=100 2>/dev/null; done"})
}

// describe says a load in one line.
func describe(lines [][]string) string {
	if len(lines) == 1 {
		return strings.Join(lines[0], " ")
	}
	return fmt.Sprintf("%d × %s, %s", len(lines)-1, strings.Join(lines[0], " "), strings.Join(lines[len(lines)-1], " "))
}
