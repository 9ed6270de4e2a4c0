package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// bounds are what the processes of a test binary may take together. What they use counts and not the clock on the wall:
// on a loaded machine the tests of a sound package may take ten times as long.
type bounds struct {
	// memory in use, bytes: a mutant that appends for ever ends here and not with the machine. Address space (ulimit -v)
	// is no measure: a program with gcc's AddressSanitizer, as a test of export makes them, reserves 20 TB.
	memory int64
	cpu    time.Duration // of the processors: past it a test is in an endless loop
	idle   time.Duration // without any use of a processor: past it a test waits for ever
}

// most is for a package whose tests use so much time of the processors.
func most(cpu time.Duration) bounds {
	return bounds{memory: 4 << 30, cpu: 3*cpu + 5*time.Second, idle: 30 * time.Second}
}

// watch ends a session that leaves its bounds, by end; it returns once the session is over.
func (b bounds) watch(over context.Context, session int, end context.CancelCauseFunc) {
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	last, since := time.Duration(0), time.Now()
	for {
		select {
		case <-over.Done():
			return
		case <-tick.C:
		}
		memory, cpu := useOf(session)
		if cpu != last {
			last, since = cpu, time.Now()
		}
		switch {
		case memory > b.memory:
			end(fmt.Errorf("took %d MB of memory", memory>>20))
		case cpu > b.cpu:
			end(fmt.Errorf("took %v of the processors", cpu))
		case time.Since(since) > b.idle:
			end(fmt.Errorf("used no processor for %v", b.idle))
		}
	}
}

// ticksPerSecond is the unit of times in /proc: USER_HZ, 100 on every Linux that Go runs on.
const ticksPerSecond = 100

// Places of the fields of /proc/PID/stat after the name of the process.
const (
	statSession = 3
	statTimes   = 11 // four: of the process in user and kernel mode, and of its children that have ended
	statPages   = 21
)

// useOf is the memory in use, bytes, and the time of the processors of all processes of a session. A process that ends
// meanwhile counts for nothing but in its parent's times.
func useOf(session int) (memory int64, cpu time.Duration) {
	stats, _ := filepath.Glob("/proc/[0-9]*/stat") // the pattern is sound
	for _, path := range stats {
		text, _ := os.ReadFile(path)
		fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:])) // the name may hold spaces
		if len(fields) <= statPages || fields[statSession] != strconv.Itoa(session) {
			continue
		}
		number := func(i int) int64 {
			n, _ := strconv.ParseInt(fields[i], 10, 64)
			return n
		}
		memory += number(statPages) * int64(os.Getpagesize())
		for i := range int64(4) {
			cpu += time.Duration(number(statTimes+int(i))) * time.Second / ticksPerSecond
		}
	}
	return memory, cpu
}
