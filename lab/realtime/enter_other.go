//go:build !linux

package realtime

import (
	"errors"
	"fmt"
	"runtime"
)

func (p *Process) enter() {
	p.CPU = -1
	for _, name := range []string{"memory", "processor", "priority"} {
		p.Grants = append(p.Grants, Grant{Name: name, Needed: true, Text: "needs Linux, and this is " + runtime.GOOS,
			Mend: "a computer with Linux"})
	}
}

// Possible says that real time needs Linux.
func Possible() error {
	return fmt.Errorf("real time needs Linux, and this is %s: rehearse the test here (rths run), and make it on a "+
		"computer with Linux", runtime.GOOS)
}

// Faults needs Linux.
func Faults() int64 { return 0 }

// DefaultCPU needs Linux.
func DefaultCPU() int { return 0 }

// NumericalCPU needs Linux.
func NumericalCPU(int) int { return 0 }

// MachineID needs Linux.
func MachineID() string { return runtime.GOOS }

// Beside needs Linux.
func Beside(int) error { return errors.New("needs Linux") }
