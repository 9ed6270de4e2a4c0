package main

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"debug/elf"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"time"
)

// release is the number of the version that CHANGELOG.md describes. Records name the revision: it says more.
const release = "0.1.0"

// builtFrom is the revision that .ci/release gives to a binary by -ldflags -X; go build finds
// none in a worktree of git.
var builtFrom string

// version is the revision the binary was built from. Where that does not tell two programs apart, the hash
// of the binary stands beside it.
var version = sync.OnceValue(func() string {
	from := builtFrom
	if info, ok := debug.ReadBuildInfo(); ok && from == "" {
		from = revision(info)
	}
	return identified(cmp.Or(from, unknownRevision), program())
})

// identified is a revision, with the hash of the program at path where the revision is one of many programs.
func identified(revision, path string) string {
	if revision != unknownRevision && !strings.HasSuffix(revision, withChanges) {
		return revision
	}
	sum, err := hashOf(path)
	if err != nil { // then no other program is this one
		sum = fmt.Sprintf("cannot be read, process %d at %s", os.Getpid(), time.Now().Format(time.RFC3339Nano))
	}
	return revision + ", binary " + sum
}

// program is the path of the binary that runs, also where another one has taken its name by now.
func program() string {
	const running = "/proc/self/exe"
	if _, err := os.Stat(running); err == nil {
		return running
	}
	path, _ := os.Executable() // "" cannot be read
	return path
}

// hashOf is the hash of a binary's content that the linker of Go has put into it. For a file without one it is the
// beginning of its SHA-256, 16 hexadecimal digits, which takes tens of milliseconds.
func hashOf(path string) (string, error) {
	if id := contentID(path); id != "" {
		return id, nil
	}
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	sum := sha256.New()
	_, err = io.Copy(sum, file)
	return fmt.Sprintf("%x", sum.Sum(nil)[:8]), err
}

// contentID is the last part of the build ID in an ELF file: the hash of its content; empty where there is none.
func contentID(path string) string {
	file, err := elf.Open(path)
	if err != nil {
		return ""
	}
	defer file.Close()
	note := file.Section(".note.go.buildid")
	if note == nil {
		return ""
	}
	id, err := note.Data()
	slash := bytes.LastIndexByte(id, '/')
	if err != nil || slash < 0 {
		return ""
	}
	return string(bytes.TrimRight(id[slash+1:], "\x00"))
}

// unknownRevision is said of a build outside a checkout, and of go run and go test.
const unknownRevision = "unknown"

// withChanges is said of a build from a checkout that had changes.
const withChanges = " with changes"

// revision is the commit that go build and go install write into a binary, with the word
// that the checkout had changes; or else the version of the module.
func revision(info *debug.BuildInfo) string {
	commit, dirty := "", ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			commit = s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
			dirty = withChanges
		}
	}
	switch {
	case commit != "":
		return commit + dirty
	case info.Main.Version == "" || info.Main.Version == "(devel)":
		return unknownRevision
	}
	return info.Main.Version
}

// printVersion prints name, release, revision, Go version and computer.
func (a *app) printVersion(out io.Writer) error {
	platform := runtime.GOOS + "/" + runtime.GOARCH
	return a.show(out, map[string]string{
		"name": "rths", "release": release, "version": version(), "go": runtime.Version(), "platform": platform,
	}, func(out io.Writer) {
		fmt.Fprintf(out, "rths %s (%s), %s, %s\n", release, version(), runtime.Version(), platform)
	})
}
