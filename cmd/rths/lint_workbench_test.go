package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"rths/workbench"
)

// wantSameRemarks wants of the workbench what lint has printed of a file: the same words at the same places, and no
// others. It runs in all scripts after every lint of a scenario or a study.
func wantSameRemarks(ts *testscript.TestScript, path string, ok bool, printed string) {
	text, err := os.ReadFile(path)
	if err != nil || len(text) > 1<<20 {
		return
	}
	desk, err := workbench.Open(filepath.Dir(path), ts.Getenv("RTHS_RECORDS"), "")
	ts.Check(err)
	defer desk.Close()
	name := filepath.Base(path)
	in, err := json.Marshal(workbench.Place{Path: name, Text: string(text)})
	ts.Check(err)
	out, err := desk.Call(context.Background(), "check", in, nil)
	ts.Check(err)
	checked := out.(workbench.Checked)
	if checked.OK != ok {
		ts.Fatalf("lint accepts %s: %t, the workbench: %t %v", path, ok, checked.OK, checked.Remarks)
	}
	printed = strings.ReplaceAll(printed, path+":", name+":")
	rest := printed
	for _, r := range checked.Remarks {
		want := r.Text
		if r.Line > 0 {
			want = fmt.Sprintf("%s:%d:%d: %s", name, r.Line, r.Column, r.Text)
		}
		if !strings.Contains(printed, want) {
			ts.Fatalf("the workbench says %q: lint does not:\n%s", want, printed)
		}
		rest = strings.Replace(rest, want, "", 1)
	}
	for line := range strings.SplitSeq(rest, "\n") {
		if strings.HasPrefix(line, name+":") && !strings.Contains(line, ": ok, ") {
			ts.Fatalf("lint says %q: the workbench does not: %v", line, checked.Remarks)
		}
	}
}
