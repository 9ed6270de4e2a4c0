package main

import (
	"strings"
	"testing"
)

// What the old program does not repeat is not compared; what it repeats is, word by word and key by key.
func TestCompare(t *testing.T) {
	run := func(date, manifest, page string) tree {
		t := tree{}
		t.add("manifest.json", `{"date": "`+date+`", `+manifest+`}`)
		t.add("report.html", "<p>"+date+" <b>"+page+"</b> 3 s simulated in "+date+" ms, 15 times real time")
		return t
	}
	old, again := run("day 1", `"J2_pct": 1.25`, "1.25"), run("day 2", `"J2_pct": 1.25`, "1.25")
	for name, c := range map[string]struct {
		now  tree
		want string // of the first difference; "": none
	}{
		"another date":   {run("day 3", `"J2_pct": 1.25`, "1.25"), ""},
		"another value":  {run("day 3", `"J2_pct": 1.26`, "1.25"), "manifest.json/J2_pct: …  ⟨1.26⟩, was ⟨1.25⟩"},
		"another key":    {run("day 3", `"J2_pct": 1.25, "J3_pct": 2`, "1.25"), "manifest.json/J3_pct: new"},
		"no such key":    {run("day 3", `"list": []`, "1.25"), "manifest.json/J2_pct: gone"},
		"another number": {run("day 3", `"J2_pct": 1.25`, "1.26"), "⟨1.26 < / b > 3 s MEASURED⟩, was ⟨1.25"},
		"more":           {run("day 3", `"J2_pct": 1.25`, "1.25 x"), "⟨x < / b"},
	} {
		got := strings.Join(compare(old, again, c.now).differences, "; ")
		if c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%s: differences %q, want %q", name, got, c.want)
		}
	}
	if c := compare(old, again, again); c.volatile != 2 || c.texts != 3 {
		t.Errorf("%d words not repeated and %d texts compared, want the two dates and 3", c.volatile, c.texts)
	}
	if c := compare(old, run("day 2", "\"list\": [1]", "1.25 x"), old); len(c.loose) != 2 || len(c.differences) != 0 {
		t.Errorf("not compared: %q, want the page and the key", c.loose)
	}
}
