package report

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"rths"
	"rths/result/record"
)

// timing says how long the test was, how fast it ran, and what its criteria are of.
func timing(a *record.Archive) string {
	kept := ""
	if a.RowsKept != nil {
		kept = " kept"
	}
	text := fmt.Sprintf("%.4g s at %.4g Hz (%d samples%s)", simulated(a), a.RateHz, a.Rows(), kept)
	if a.WallS > 0 {
		text += fmt.Sprintf(", run in %.3g s", a.WallS)
	}
	if a.RealtimeFactor > 0 {
		text += fmt.Sprintf(", %s times real time", factor(a.RealtimeFactor))
	}
	if a.Started != "" {
		text += ", started " + a.Started
	}
	return text
}

// remarks are what a reader must know of the criteria, the expectations that the run misses,
// its warnings, and what was said of the scenario.
func remarks(a *record.Archive, b blocks) []string {
	var out []string
	switch {
	case a.Manifest.Test != nil && a.Rows() == 0: // no criteria
	case cutShort(a):
		out = append(out, "Criteria are of the whole run, also of the command's way to rest.")
	case a.Status == rths.Tripped:
		out = append(out, "Criteria are of the whole run, also of the time after the limit had acted.")
	}
	if t := a.Manifest.Test; t != nil {
		if failed := failedChecks(t); failed != "" {
			out = append(out, "Checks before arming that FAILED: "+failed)
		}
	}
	if b.text("limits") == "none" {
		out = append(out, "This run had no limits.")
	}
	if why := a.Unchecked(); why != "" {
		out = append(out, "Not checked: "+why)
	}
	if a.RowsKept != nil {
		out = append(out, "Criteria are of the run until it ended, also of samples that are not kept.")
	}
	for _, missed := range a.Unmet {
		out = append(out, "Not reached: "+missed)
	}
	out = append(out, a.Warnings...)
	for _, note := range a.Notes {
		if !strings.HasPrefix(note, "no limits act") { // stands above
			out = append(out, "Note before the run: "+note)
		}
	}
	return out
}

// factor is a ratio without needless digits.
func factor(x float64) string {
	if x >= 10 {
		return fmt.Sprintf("%.0f", x)
	}
	return fmt.Sprintf("%.2g", x)
}

// simulated is the simulated time, s.
func simulated(a *record.Archive) float64 {
	if a.SimulatedS > 0 || !(a.RateHz > 0) {
		return a.SimulatedS
	}
	return float64(a.Rows()) / a.RateHz
}

// status is the end of the run in words.
func status(a *record.Archive) string {
	words := map[string]string{
		rths.Completed: "Completed",
		rths.Tripped:   "Tripped by a limit",
		rths.Diverged:  "Diverged",
		rths.Stopped:   "Stopped",
		rths.Failed:    "Failed",
		rths.Lost:      "Lost",
		rths.Running:   "Still running, or killed",
	}
	word, ok := words[a.Status]
	if a.Status == rths.Tripped && cutShort(a) {
		word = "Tripped"
	}
	if !ok {
		word = "Status " + a.Status
	}
	if a.Truncated && a.RowsKept == nil { // else the reason says how many rows are kept
		word += fmt.Sprintf(" (record ends without its end mark, %d rows read)", a.Rows())
	}
	if a.Verdict != "" {
		word += ", " + a.Verdict
	}
	return word
}

// runNames are the names of the runs. Runs of one name are told apart by their folders, or
// by numbers if their folders have one name too.
func runNames(runs []*record.Archive) []string {
	names := make([]string, len(runs))
	for i, a := range runs {
		names[i] = cmp.Or(a.Name, a.Dir)
	}
	if len(unique(names)) < len(names) {
		folders := make([]string, len(runs))
		for i, a := range runs {
			folders[i] = filepath.Base(a.Dir)
		}
		if len(unique(folders)) == len(runs) {
			return folders
		}
	}
	count, seen := map[string]int{}, map[string]int{}
	for _, n := range names {
		count[n]++
	}
	for i, n := range names {
		if count[n] > 1 {
			seen[n]++
			names[i] = fmt.Sprintf("%s [%d]", n, seen[n])
		}
	}
	return names
}

// longName is the length at which a name no longer fits above a column or beside a curve.
const longName = 24

// shortNames leaves out the words that all names begin with but the last of them, as in
// "variant 3", if some names are long, and returns those words.
func shortNames(names []string) (short []string, beginning string) {
	words := make([][]string, len(names))
	longest := 0
	for i, n := range names {
		words[i], longest = strings.Fields(n), max(longest, utf8.RuneCountInString(n))
	}
	same := 0
	for longest > longName && len(names) > 1 && !slices.ContainsFunc(words, func(w []string) bool {
		return len(w) <= same+1 || w[same] != words[0][same]
	}) {
		same++
	}
	if same < 2 {
		return names, ""
	}
	for _, w := range words {
		short = append(short, strings.Join(w[same-1:], " "))
	}
	return short, strings.TrimRight(strings.Join(words[0][:same-1], " "), ",:;")
}

func unique(names []string) []string { return slices.Compact(slices.Sorted(slices.Values(names))) }
