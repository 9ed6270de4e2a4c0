package main

import (
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
)

// builtFrom is the revision that .ci/release gives to a binary by -ldflags -X; go build finds
// none in a worktree of git.
var builtFrom string

// version is the revision the binary was built from.
func version() string {
	if builtFrom != "" {
		return builtFrom
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return unknownRevision
	}
	return revision(info)
}

// unknownRevision is said of a build outside a checkout, and of go run and go test.
const unknownRevision = "unknown"

// revision is the commit that go build and go install write into a binary, with the word
// that the checkout had changes; or else the version of the module.
func revision(info *debug.BuildInfo) string {
	commit, dirty := "", ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			commit = s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
			dirty = " with changes"
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

// printVersion prints name, revision, Go version and computer.
func printVersion(out io.Writer, asJSON bool) error {
	if asJSON {
		return printJSON(out, map[string]string{"name": "rths", "version": version(), "go": runtime.Version(), "platform": runtime.GOOS + "/" + runtime.GOARCH})
	}
	_, err := fmt.Fprintf(out, "rths %s, %s, %s/%s\n", version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return err
}
