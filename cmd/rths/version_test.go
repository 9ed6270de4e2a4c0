package main

import (
	"runtime/debug"
	"testing"
)

// The revision is the commit, with the word that there were changes; a build without
// version control says so.
func TestRevision(t *testing.T) {
	vcs := func(settings ...debug.BuildSetting) *debug.BuildInfo {
		return &debug.BuildInfo{Main: debug.Module{Version: "v0.0.0-20260101000000-0123456789ab"}, Settings: settings}
	}
	for want, info := range map[string]*debug.BuildInfo{
		"0123":                               vcs(debug.BuildSetting{Key: "vcs.revision", Value: "0123"}, debug.BuildSetting{Key: "vcs.modified", Value: "false"}),
		"0123 with changes":                  vcs(debug.BuildSetting{Key: "vcs.modified", Value: "true"}, debug.BuildSetting{Key: "vcs.revision", Value: "0123"}),
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
