package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
)

const rehearsalPage = "../../docs/guides/rehearse-a-fault.md"

// The table of docs/guides/rehearse-a-fault.md is of the runs above it, a row for each command
// in their order. `make pages` brings the table up to date.
func TestPagesRehearsal(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: the commands of the pages are run without the race detector")
	}
	if runtime.GOARCH != "amd64" {
		t.Skip("a loop thrown off by a fault has other digits on another architecture")
	}
	text, err := os.ReadFile(rehearsalPage)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "rehearsal.yaml")
	commands := rehearsalCommands(t, string(text), file)
	_, table, ok := strings.Cut(string(text), "| fault | seen by | J4_true |\n|---|---|---|\n")
	table, _, _ = strings.Cut(table, "\n\n")
	rows := strings.Split(table, "\n")
	if !ok || len(rows) != len(commands) || len(rows) < 10 {
		t.Fatalf("%d commands, %d rows: want a row for each of at least 10", len(commands), len(rows))
	}
	for i, command := range commands {
		want := fmt.Sprintf("|%s| %s |", strings.Split(rows[i], "|")[1],
			rehearse(t, strings.Replace(command, "rehearsal.yaml", file, 1)))
		if rows[i] != want && !*update {
			t.Errorf("row %d is\n%s\nwant\n%s\nrun `make pages`", i+1, rows[i], want)
		}
		rows[i] = want
	}
	if *update {
		page := strings.Replace(string(text), table, strings.Join(rows, "\n"), 1)
		if err := os.WriteFile(rehearsalPage, []byte(page), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// rehearsalCommands writes the page's scenario to file and lists the commands with a
// fault.
func rehearsalCommands(t *testing.T, page, file string) []string {
	t.Helper()
	for _, m := range block.FindAllStringSubmatch(page, -1) {
		if m[1] == "yaml" {
			if err := os.WriteFile(file, []byte(m[3]), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	var out []string
	for _, m := range regexp.MustCompile(`(?m)^\$ rths (run .* 'faults=\[\{.*)$`).FindAllStringSubmatch(page, -1) {
		out = append(out, m[1])
	}
	return out
}

// rehearse is the second and third cell of a row: the first limits that see the fault,
// and J4 without sensor noise.
func rehearse(t *testing.T, command string) string {
	t.Helper()
	var out, errs bytes.Buffer
	c := inBash("rths " + command + " --json")
	c.Stdout, c.Stderr = &out, &errs
	if err := c.Run(); err != nil {
		t.Fatalf("rths %s: %v\n%s", command, err, errs.String())
	}
	var r struct {
		Criteria map[string]float64
		Events   []struct {
			Time           float64 `json:"time_s"`
			Channel, Fault string
		}
	}
	if err := json.Unmarshal(out.Bytes(), &r); err != nil {
		t.Fatal(err)
	}
	var seen []string
	more, known := 0, map[string]bool{} // a limit and the rating clip the same channel
	for _, e := range r.Events {
		switch {
		case e.Fault != "" || known[e.Channel]:
			continue
		case len(seen) < 4:
			seen = append(seen, fmt.Sprintf("`%s` %s", e.Channel, after(e.Time-r.Events[0].Time)))
		default:
			more++
		}
		known[e.Channel] = true
	}
	if seen == nil {
		seen = []string{"nothing"}
	}
	if more > 0 {
		seen = append(seen, fmt.Sprintf("%d more", more))
	}
	return fmt.Sprintf("%s | %.0f %%", strings.Join(seen, ", "), r.Criteria["J4_true_pct"])
}

// after is a time in words.
func after(s float64) string {
	switch ms := 1000 * s; {
	case s == 0:
		return "at once"
	case s >= 1:
		return fmt.Sprintf("%.1f s", s)
	case ms >= 10:
		return fmt.Sprintf("%.0f ms", math.Round(ms))
	default:
		return fmt.Sprintf("%.1f ms", ms)
	}
}
