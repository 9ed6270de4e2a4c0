package compare

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"rths"
	"rths/result/catalogue"
	"rths/result/record"
	"rths/workbench"
)

// leave leaves the folder of a run, without frames.
func leave(t testing.TB, dir, folder string, m record.Manifest) {
	t.Helper()
	m.Format = record.Format
	text, err := m.Text()
	at := filepath.Join(dir, folder)
	if err = errors.Join(err, os.MkdirAll(at, 0o755)); err == nil {
		err = os.WriteFile(filepath.Join(at, record.ManifestFile), text, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func bench(t testing.TB, folder string) *Bench {
	t.Helper()
	b, err := Open(folder)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	return b
}

// ask calls as the page does.
func ask[Out any](t testing.TB, b *Bench, name string, in any) (out Out, err error) {
	t.Helper()
	text, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	got, err := b.Calls()[name](t.Context(), text, func(float64) {})
	if err != nil {
		if refused := (*workbench.Refused)(nil); !errors.As(err, &refused) {
			t.Errorf("%s: %v: want an error for the reader", name, err)
		}
		return out, err
	}
	if text, err = json.Marshal(got); err != nil {
		t.Fatal(err)
	}
	return out, json.Unmarshal(text, &out)
}

// random is a manifest of any run.
func random(r *rand.Rand, i int) record.Manifest {
	m := record.Manifest{Name: fmt.Sprintf("%s %d", []string{"frame", "Frame PI", "tower"}[r.IntN(3)], r.IntN(5)),
		Status:  []string{rths.Completed, rths.Tripped, rths.Diverged}[r.IntN(3)],
		Verdict: []string{"good", "poor", ""}[r.IntN(3)], RateHz: float64(256 * (1 + r.IntN(3))),
		Started:  time.Date(2026, 1, 1+r.IntN(20), r.IntN(24), i%60, 0, 0, time.UTC).Format(time.RFC3339),
		Scenario: "compensator: {kind: " + []string{"pi", "amb"}[r.IntN(2)] + "}\n"}
	for _, tag := range []string{"a", "b", "second series"} {
		if r.IntN(3) == 0 {
			m.Tags = append(m.Tags, tag)
		}
	}
	if r.IntN(5) > 0 {
		m.Criteria = append(m.Criteria, rths.Value{Name: "J2_pct", V: float64(r.IntN(40)) / 4})
	}
	if r.IntN(5) == 0 {
		m.Criteria = append(m.Criteria, rths.Value{Name: "J1_ms", V: math.NaN()})
	} else {
		m.Criteria = append(m.Criteria, rths.Value{Name: "J1_ms", V: r.NormFloat64()})
	}
	return m
}

// choice is a word of a filter, and what a plain loop takes for it.
type choice struct {
	text string
	is   func(m *record.Manifest, folder string, gone bool) bool
}

func choices(r *rand.Rand) []choice {
	of := func(m *record.Manifest, name string) float64 { return m.Criteria.Of(name) }
	limit := float64(r.IntN(40)) / 4
	day := time.Date(2026, 1, 1+r.IntN(20), 0, 0, 0, 0, time.UTC)
	began := func(m *record.Manifest) time.Time { at, _ := time.Parse(time.RFC3339, m.Started); return at }
	has := func(text, part string) bool { return strings.Contains(strings.ToLower(text), part) }
	type M = record.Manifest
	return []choice{
		{fmt.Sprintf("J2_pct<%g", limit), func(m *M, _ string, _ bool) bool { return of(m, "J2_pct") < limit }},
		{fmt.Sprintf("J2_pct >= %g", limit), func(m *M, _ string, _ bool) bool { return of(m, "J2_pct") >= limit }},
		{"J1_ms > 0", func(m *M, _ string, _ bool) bool { return of(m, "J1_ms") > 0 }},
		{"rate_hz=512", func(m *M, _ string, _ bool) bool { return m.RateHz == 512 }},
		{"tag=a", func(m *M, _ string, _ bool) bool { return slices.Contains(m.Tags, "a") }},
		{`tag="second series"`, func(m *M, _ string, _ bool) bool { return slices.Contains(m.Tags, "second series") }},
		{"status=tripped,diverged", func(m *M, _ string, gone bool) bool { return !gone && m.Status != rths.Completed }},
		{"status=gone", func(_ *M, _ string, gone bool) bool { return gone }},
		{"verdict=GOOD", func(m *M, _ string, _ bool) bool { return m.Verdict == "good" }},
		{"compensator=amb", func(m *M, _ string, _ bool) bool { return strings.Contains(m.Scenario, "amb") }},
		{"frame", func(m *M, folder string, _ bool) bool { return has(m.Name, "frame") || has(folder, "frame") }},
		{"kind=study", func(*M, string, bool) bool { return false }},
		{"since=" + day.Format(time.RFC3339), func(m *M, _ string, _ bool) bool { return !began(m).Before(day) }},
		{"before=" + day.Format(time.RFC3339), func(m *M, _ string, _ bool) bool { return began(m).Before(day) }},
	}
}

// Of random catalogues, filters and orders the page gets what plain loops over the manifests give, in whole and in
// parts.
func TestListsAgainstPlainLoops(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 6 {
		folder := t.TempDir()
		dir := filepath.Join(folder, catalogue.Default)
		all, gone := map[string]record.Manifest{}, map[string]bool{}
		for i := range 10 + r.IntN(40) {
			name := fmt.Sprintf("r%02d", i)
			all[name] = random(r, i)
			leave(t, dir, name, all[name])
		}
		if _, err := catalogue.Rebuild(dir); err != nil {
			t.Fatal(err)
		}
		for name := range all {
			if r.IntN(8) == 0 {
				gone[name] = true
				if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
					t.Fatal(err)
				}
			}
		}
		b := bench(t, folder)
		for range 40 {
			var words []string
			var tests []choice
			for _, c := range choices(r) {
				status := func(word string) bool { return strings.HasPrefix(word, "status=") } // two mean either
				if r.IntN(8) == 0 && !(status(c.text) && slices.ContainsFunc(words, status)) {
					words, tests = append(words, c.text), append(tests, c)
				}
			}
			by, down := []string{"date", "run", "status", "J2_pct", "J1_ms", "verdict", "tags"}[r.IntN(7)], r.IntN(2) == 0
			var want []string
			for name, m := range all {
				if !slices.ContainsFunc(tests, func(c choice) bool { return !c.is(&m, name, gone[name]) }) {
					want = append(want, "runs/"+name)
				}
			}
			slices.Sort(want)
			in := Wanted{Filter: strings.Join(words, "  "), Sort: by, Down: down, Rows: mostRows}
			got, err := ask[Listed](t, b, "runs", in)
			if err != nil {
				t.Fatalf("%+v: %v", in, err)
			}
			var found []string
			for i, row := range got.Rows {
				found = append(found, row.Run)
				if i > 0 {
					checkOrder(t, in, all, gone, got.Rows[i-1].Run, row.Run)
				}
			}
			checkParts(t, b, in, found)
			if slices.Sort(found); !slices.Equal(found, want) || got.Total != len(want) {
				t.Fatalf("%q: %q, %d in all: want %q", in.Filter, found, got.Total, want)
			}
		}
	}
}

// checkOrder wants two neighbours in order.
func checkOrder(t *testing.T, in Wanted, all map[string]record.Manifest, gone map[string]bool, first, second string) {
	t.Helper()
	key := func(run string) (text string, number float64) {
		name := strings.TrimPrefix(run, "runs/")
		m := all[name]
		switch in.Sort {
		case "run":
			return name, 0
		case "status":
			if gone[name] {
				return catalogue.Gone, 0
			}
			return m.Status, 0
		case "verdict":
			return m.Verdict, 0
		case "tags":
			return strings.Join(m.Tags, ", "), 0
		case "date":
			return m.Started, 0
		}
		return "", m.Criteria.Of(in.Sort)
	}
	a, x := key(first)
	b, y := key(second)
	order := cmp.Or(strings.Compare(a, b), cmp.Compare(x, y))
	switch {
	case math.IsNaN(x) && !math.IsNaN(y):
		t.Errorf("%+v: %s, which has no such number, stands before %s", in, first, second)
	case math.IsNaN(y):
	case !in.Down && order > 0 || in.Down && order < 0:
		t.Errorf("%+v: %s (%s %g) stands before %s (%s %g)", in, first, a, x, second, b, y)
	}
}

// checkParts wants the same rows when they are asked for in parts.
func checkParts(t *testing.T, b *Bench, in Wanted, want []string) {
	t.Helper()
	var parts []string
	for in.From, in.Rows = 0, 7; in.From < len(want); in.From += 7 {
		got, err := ask[Listed](t, b, "runs", in)
		if err != nil || got.From != in.From {
			t.Fatalf("%+v: %v, from %d", in, err, got.From)
		}
		for _, row := range got.Rows {
			parts = append(parts, row.Run)
		}
	}
	if !slices.Equal(parts, want) {
		t.Errorf("%+v: in parts %q: want %q", in, parts, want)
	}
}

// A filter that cannot be read says what was found and what is wanted.
func TestFilterThatCannotBeRead(t *testing.T) {
	folder := t.TempDir()
	leave(t, filepath.Join(folder, "runs"), "a", random(rand.New(rand.NewPCG(1, 1)), 1))
	if _, err := catalogue.Rebuild(filepath.Join(folder, "runs")); err != nil {
		t.Fatal(err)
	}
	b := bench(t, folder)
	for text, want := range map[string]string{
		"J2_pct<": "want a number", "<3": "want the name", "J2_pct!3": "want one of", "status=triped": "tripped",
		"status<3": "want status= and a word", "tag=": "want a word", "kind=none": "want one of run, study",
		"since=monday": "want a date", "J1_mss<3": "no run in", "rate_hz=1 J2_pct<x": "want a number",
		"before=": "want a word", `"a<b" = 3`: "want", "= =": "want",
	} {
		_, err := ask[Listed](t, b, "runs", Wanted{Filter: text, Rows: 5})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v: want %q", text, err, want)
		}
	}
}

// The command is that of a terminal, whatever the words are, and there is none where rths runs has no flag.
func TestCommand(t *testing.T) {
	for text, want := range map[string]string{
		"": "rths runs", "J2_pct < 3  tag=\"it's\"": `rths runs --tag 'it'\''s' --where 'J2_pct<3'`,
		"status=tripped,gone kind=run frame*": "rths runs --name 'frame*' --kind run --status tripped,gone",
		"rig=lab":                             "",
	} {
		f, err := parseFilter(text)
		if got := f.command("date"); err != nil || got != want {
			t.Errorf("%q: %v, %q: want %q", text, err, got, want)
		}
	}
}

// FuzzFilter reads any text as a filter without a panic, and says what is wrong to the reader.
func FuzzFilter(f *testing.F) {
	f.Add(`J2_pct < 3 status=tripped tag="a b" since=2026-11-02 frame`)
	f.Add(`"" < = " = "`)
	f.Fuzz(func(t *testing.T, text string) {
		got, err := parseFilter(text)
		if refused := (*workbench.Refused)(nil); err != nil && !errors.As(err, &refused) {
			t.Errorf("%v: want an error for the reader", err)
		}
		got.command("date")
	})
}
