package doctor

import (
	"context"
	"fmt"
	"os/exec"
	"runtime"
	"strings"
	"time"
)

// untilEOF is a script of the shell that runs a command until its standard input ends: a load ends with its
// doctor, however the doctor ends.
const untilEOF = `"$@" & cat > /dev/null; kill $!; wait`

// startLoad loads the machine until stop is called, and says with what.
func startLoad(ctx context.Context) (command string, stop func(), err error) {
	ctx, cancel := context.WithCancel(ctx)
	lines := loadWith(exec.LookPath)
	var running []*exec.Cmd
	stop = func() {
		cancel()
		for _, c := range running {
			_ = c.Wait()
		}
	}
	for _, line := range lines {
		c := exec.CommandContext(ctx, "sh", append([]string{"-c", untilEOF, "load"}, line...)...)
		in, err := c.StdinPipe() // ends with this process
		if err == nil {
			c.Cancel, c.WaitDelay = in.Close, 10*time.Second
			err = c.Start()
		}
		if err != nil {
			stop()
			return "", nil, fmt.Errorf("the load %s: %w", strings.Join(line, " "), err)
		}
		running = append(running, c)
	}
	return describe(lines), stop, nil
}

// loadWith are the commands of the load: stress-ng where it is installed, or else loops of the shell.
func loadWith(look func(string) (string, error)) [][]string {
	n := runtime.NumCPU()
	if _, err := look("stress-ng"); err == nil {
		return [][]string{{"stress-ng", "--quiet", "--cpu", fmt.Sprint(n), "--vm", "1", "--vm-bytes", "64M", "--switch", "1",
			"--sock", "1", "--timeout", "0"}}
	}
	var out [][]string
	for range n {
		out = append(out, []string{"sh", "-c", "while :; do :; done"})
	}
	return append(out, []string{"sh", "-c", "while :; do dd if=/dev/zero of=/dev/null bs=1M count=100 2>/dev/null; done"})
}

// describe says a load in one line.
func describe(lines [][]string) string {
	if len(lines) == 1 {
		return strings.Join(lines[0], " ")
	}
	return fmt.Sprintf("%d × %s, %s", len(lines)-1, strings.Join(lines[0], " "), strings.Join(lines[len(lines)-1], " "))
}
