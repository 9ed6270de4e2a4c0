package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// memoryBytes is the memory that the processes of a test binary may take together: a mutant that appends for ever
// ends there and not with the machine.
//
// Memory in use counts, not address space (ulimit -v): a program with gcc's AddressSanitizer, as a test of export
// makes them, reserves 20 TB and uses little of it.
const memoryBytes = 4 << 30

// watchMemory calls kill once the processes of a session take more memory than most; it ends when done is closed.
func watchMemory(session int, most int64, done <-chan struct{}, kill func()) {
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-done:
			return
		case <-tick.C:
		}
		if memoryOf(session) > most {
			kill()
			return
		}
	}
}

// memoryOf is the memory in use of all processes of a session, bytes. A process that ends meanwhile counts nothing.
func memoryOf(session int) (sum int64) {
	stats, _ := filepath.Glob("/proc/[0-9]*/stat") // the pattern is sound
	for _, path := range stats {
		text, _ := os.ReadFile(path)
		// The name, in brackets, may hold spaces; 3 fields on stands the session, 18 further the pages in use.
		fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
		if len(fields) > 21 && fields[3] == strconv.Itoa(session) {
			pages, _ := strconv.ParseInt(fields[21], 10, 64)
			sum += pages * int64(os.Getpagesize())
		}
	}
	return sum
}
