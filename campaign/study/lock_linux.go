package study

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// holder is the program on this computer that has locked a file, as in "process 71, rths study a.yaml"; "": none that
// can be seen.
func holder(path string) string {
	file, err := os.Stat(path)
	if err != nil {
		return ""
	}
	inode := strconv.FormatUint(file.Sys().(*syscall.Stat_t).Ino, 10)
	locks, _ := os.ReadFile("/proc/locks") // without it nobody is known
	for line := range strings.Lines(string(locks)) {
		// 1: FLOCK ADVISORY WRITE PROCESS MAJOR:MINOR:INODE 0 EOF
		f := strings.Fields(line)
		if len(f) < 6 || f[1] != "FLOCK" || !strings.HasSuffix(f[5], ":"+inode) || !hasOpen(f[4], file) {
			continue
		}
		words, _ := os.ReadFile("/proc/" + f[4] + "/cmdline")
		words = bytes.ReplaceAll(bytes.Trim(words, "\x00"), []byte{0}, []byte{' '})
		return strings.TrimSuffix(fmt.Sprintf("process %s, %s", f[4], cut(string(words))), ", ")
	}
	return ""
}

// hasOpen reports whether a process has a file open: file systems may have equal numbers of files.
func hasOpen(process string, file os.FileInfo) bool {
	list, _ := filepath.Glob("/proc/" + process + "/fd/*")
	for _, name := range list {
		if other, err := os.Stat(name); err == nil && os.SameFile(file, other) {
			return true
		}
	}
	return false
}
