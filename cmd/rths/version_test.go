package main

import (
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"strings"
	"testing"
)

// Two programs of one revision are told apart by their bytes where the revision is unknown or had changes; a commit and
// the version of a module stand alone.
func TestIdentified(t *testing.T) {
	dir := t.TempDir()
	one, other := filepath.Join(dir, "one"), filepath.Join(dir, "other")
	for path, text := range map[string]string{one: "abc", other: "abd"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, revision := range []string{unknownRevision, "0123 with changes"} {
		// FIPS 180-2, appendix B.1
		if got, want := identified(revision, one), revision+", binary ba7816bf8f01cfea"; got != want {
			t.Errorf("%q: want %q", got, want)
		}
		if identified(revision, one) == identified(revision, other) {
			t.Errorf("%s: two programs have one version", revision)
		}
		none := filepath.Join(dir, "none")
		if a := identified(revision, none); a == identified(revision, none) {
			t.Errorf("%s: a program that cannot be read is another one", a)
		}
	}
	for _, revision := range []string{"0123", "v0.0.0-20260101000000-0123456789ab"} {
		if got := identified(revision, one); got != revision {
			t.Errorf("%q: want %q", got, revision)
		}
	}
	if got, again := version(), version(); got != again ||
		!regexp.MustCompile(`^unknown, binary [0-9A-Za-z_-]{16,20}$`).MatchString(got) {
		t.Errorf("%q and %q: want the hash of this test", got, again)
	}
}

// The revision is the commit, with the word that there were changes; a build without
// version control says so.
func TestRevision(t *testing.T) {
	vcs := func(settings ...debug.BuildSetting) *debug.BuildInfo {
		return &debug.BuildInfo{Main: debug.Module{Version: "v0.0.0-20260101000000-0123456789ab"}, Settings: settings}
	}
	for want, info := range map[string]*debug.BuildInfo{
		"0123": vcs(debug.BuildSetting{Key: "vcs.revision", Value: "0123"},
			debug.BuildSetting{Key: "vcs.modified", Value: "false"}),
		"0123 with changes": vcs(debug.BuildSetting{Key: "vcs.modified", Value: "true"},
			debug.BuildSetting{Key: "vcs.revision", Value: "0123"}),
		"v0.0.0-20260101000000-0123456789ab": vcs(),
		"unknown":                            {Main: debug.Module{Version: "(devel)"}},
	} {
		if got := revision(info); got != want {
			t.Errorf("%+v: %q: want %q", info, got, want)
		}
	}
	if got := revision(&debug.BuildInfo{}); got != unknownRevision {
		t.Errorf("no version: %q: want %q", got, unknownRevision)
	}
}

// The changelog begins with this release, and whoever cites the program cites it.
func TestReleaseIsDescribed(t *testing.T) {
	for file, line := range map[string]string{"CHANGELOG.md": "\n## " + release + "\n",
		"CITATION.cff": "\nversion: " + release + "\n"} {
		text, err := os.ReadFile("../../" + file)
		if err != nil {
			t.Fatal(err)
		}
		if first := strings.Index(string(text), line[:len(line)-len(release)-1]); first < 0 ||
			!strings.HasPrefix(string(text)[first:], line) {
			t.Errorf("%s: want %q first", file, line)
		}
	}
}
