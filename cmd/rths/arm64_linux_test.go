package main

import (
	"bytes"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"rths/kit/rthstest"
	"rths/result/record"
)

// The program for arm64, built as .ci/release does, writes the frames of the one for amd64 to the byte: for all shipped
// scenarios, with an artificial ground motion where theirs is a recorded one.
func TestARM64HasTheSameFrames(t *testing.T) {
	if os.Getenv("RTHS_ARM64") == "" {
		t.Skip("make arm64: it compiles everything anew, and takes minutes")
	}
	if runtime.GOARCH != "amd64" {
		t.Fatalf("this is %s: want amd64", runtime.GOARCH)
	}
	folder := t.TempDir()
	build := exec.Command("go", "build", "-gcflags=all=-d=fmahash=qn", "-o", filepath.Join(folder, "arm64"), ".")
	build.Env = append(os.Environ(), "GOARCH=arm64", "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	texts := rthstest.Shipped(t, "../../scenarios")
	for name, text := range rthstest.Shipped(t, "../../scenarios/init") {
		texts["init-"+name] = text
	}
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(folder, name)
			if err := os.WriteFile(path, []byte(texts[name]), 0o644); err != nil {
				t.Fatal(err)
			}
			amd64, arm64 := path+"-amd64", path+"-arm64"
			for out, command := range map[string][]string{
				amd64: {"rths"}, arm64: {"qemu-aarch64-static", filepath.Join(folder, "arm64")},
			} {
				command = append(command, "run", path, "--out", out)
				if said, err := exec.Command(command[0], command[1:]...).CombinedOutput(); err != nil {
					t.Fatalf("%q: %v\n%s", command, err, said)
				}
			}
			sameFrames(t, amd64, arm64)
		})
	}
}

// sameFrames wants the frames of two runs to be equal to the byte, and says which columns differ.
func sameFrames(t *testing.T, left, right string) {
	t.Helper()
	var files [2][]byte
	var runs [2]*record.Archive
	for i, folder := range []string{left, right} {
		raw, err := os.ReadFile(filepath.Join(folder, "frames.arrow"))
		if err != nil {
			t.Fatal(err)
		}
		run, err := record.Open(folder)
		if err != nil {
			t.Fatal(err)
		}
		defer run.Close()
		files[i], runs[i] = raw, run
	}
	if bytes.Equal(files[0], files[1]) {
		return
	}
	t.Error("the files of frames differ")
	for _, name := range runs[0].Names() {
		want, _ := runs[0].Column(name)
		got, _ := runs[1].Column(name)
		if len(got) != len(want) {
			t.Fatalf("%s: %d rows: want %d", name, len(got), len(want))
		}
		peak, worst := 0.0, 0.0
		for k, v := range want {
			peak, worst = math.Max(peak, math.Abs(v)), math.Max(worst, math.Abs(v-got[k]))
		}
		if worst != 0 {
			t.Errorf("%s differs by %.2g of its peak", name, worst/peak)
		}
	}
}
