package realtime

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"unicode"
)

// machine is a machine whose files are read below root, as a loop on one CPU sees them. Any
// file may be missing, closed to this user, empty or garbage.
type machine struct {
	root string
	cpu  int
}

const isolatedFile = "/sys/devices/system/cpu/isolated"

// text is the text of a file. An error names the file as the machine does, without root, and
// is worded alike on all systems.
func (m machine) text(path string) (string, error) {
	data, err := os.ReadFile(filepath.Join(m.root, path))
	var p *fs.PathError
	switch {
	case err == nil:
		return string(data), nil
	case errors.Is(err, fs.ErrNotExist):
		err = fs.ErrNotExist
	case errors.Is(err, fs.ErrPermission):
		err = fs.ErrPermission
	case errors.As(err, &p):
		err = p.Err
	}
	return "", fmt.Errorf("%s: %w", path, err)
}

// longestLine is more than Linux writes into a file of one line (its command line: 2048).
const longestLine = 4096

// line is the text of a file that holds one line.
func (m machine) line(path string) (string, error) {
	text, err := m.text(path)
	if err != nil {
		return "", err
	}
	text = strings.Trim(text, " \t\n\x00") // a device tree ends its texts with a zero byte
	strange := func(r rune) bool { return !unicode.IsPrint(r) }
	if text == "" || len(text) > longestLine || strings.ContainsFunc(text, strange) {
		return "", fmt.Errorf("%s: %.40q: want one line of text", path, text)
	}
	return text, nil
}

func (m machine) number(path string) (int, error) {
	line, err := m.line(path)
	if err != nil {
		return 0, err
	}
	n, err := strconv.Atoi(line)
	if err != nil {
		return 0, fmt.Errorf("%s: %.40q: want a whole number", path, line)
	}
	return n, nil
}

// cpus is the list of CPUs in a file; none if the file is empty.
func (m machine) cpus(path string) ([]int, error) {
	text, err := m.text(path)
	if err != nil {
		return nil, err
	}
	cpus, err := parseCPUs(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return cpus, nil
}

func (m machine) exists(path string) bool {
	_, err := os.Stat(filepath.Join(m.root, path))
	return err == nil
}

// ofCPU is a file of the loop's CPU.
func (m machine) ofCPU(name string) string { return fileOf(m.cpu, name) }

func fileOf(cpu int, name string) string {
	return fmt.Sprintf("/sys/devices/system/cpu/cpu%d/%s", cpu, name)
}

// elsewhere are the CPUs for all other work: online, not isolated, not the loop's.
func (m machine) elsewhere() []int {
	return without(Online(m.root), append(isolated(m.root), m.cpu)...)
}
