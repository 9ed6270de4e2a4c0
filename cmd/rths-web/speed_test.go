//go:build !js

package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"testing"

	"rths/workbench"
)

// The size of the page, and the time of a run in it beside this program's, in turn: figures that make page prints.
func TestPageSpeed(t *testing.T) {
	if os.Getenv("RTHS_PAGE") == "" {
		t.Skip("times: make page prints them")
	}
	t.Setenv("RTHS_BROWSER", "1")
	b, text := opened(t, "init/benchmark.yaml")
	desk := deskOf(t)
	var ours, theirs []float64
	for i := range 11 {
		other := workbench.Place{Path: "example.yaml", Text: fmt.Sprintf("%s\n# %d\n", text, i)}
		in := workbench.Try{Place: other, Points: 1500}
		body, _ := json.Marshal(in)
		v, err := desk.Call(t.Context(), "try", body, nil)
		if err != nil {
			t.Fatal(err)
		}
		ours, theirs = append(ours, v.(workbench.Tried).RunMs), append(theirs, asked[workbench.Tried](b, "try", in).RunMs)
	}
	slices.Sort(ours)
	slices.Sort(theirs)
	fmt.Printf("a run of 20 s at 4096 Hz: %.0f ms in the page, %.0f ms in the program, %.1f times (limit 12)\n",
		theirs[5], ours[5], theirs[5]/ours[5])
	page, err := os.ReadFile(b.Says("decodeURI(location.pathname)"))
	if err != nil {
		t.Fatal(err)
	}
	var packed bytes.Buffer
	w, _ := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	w.Write(page)
	w.Close()
	fmt.Printf("the page: %.2f MB, %.2f MB compressed (limit 5)\n", float64(len(page))/1e6, float64(packed.Len())/1e6)
}
