//go:build !linux

package session

import "syscall"

// ownGroup: a test in the laboratory needs Linux.
func ownGroup() *syscall.SysProcAttr { return nil }
