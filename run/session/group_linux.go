package session

import "syscall"

// ownGroup has a process in a process group of its own: Ctrl-C at the terminal is not for it.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
