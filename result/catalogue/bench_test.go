package catalogue_test

import (
	"fmt"
	"testing"
	"time"

	"rths"
	"rths/result/catalogue"
)

// many is a folder of runs with 32 numbers each, and their catalogue.
func many(b *testing.B, n int) string {
	dir := b.TempDir()
	for i := range n {
		m := manifest(fmt.Sprintf("frame %d", i%97))
		m.Started = time.Date(2026, 1, 5, 8, 7*i, 0, 0, time.UTC).Format(time.RFC3339)
		m.Tags = [][]string{{"thesis"}, {"thesis", fmt.Sprintf("specimen-%d", i%11)}, nil}[i%3]
		for k := range 27 {
			m.Criteria = append(m.Criteria, rths.Value{Name: fmt.Sprintf("J%d_pct", k+1), V: float64((i*7919+k*31)%1000) / 100})
		}
		leave(b, dir, fmt.Sprintf("frame-%05d", i), m)
	}
	if done, err := catalogue.Rebuild(dir); err != nil || done.Runs != n {
		b.Fatalf("%+v, %v: want %d runs", done, err, n)
	}
	return dir
}

// What a catalogue of 50 000 runs costs.
func BenchmarkCatalogue(b *testing.B) {
	const n = 50_000
	dir := many(b, n)
	shown := catalogue.Shown([]string{"J1_ms", "J2_pct", "J4_pct"})
	where := []catalogue.Condition{{Name: "J2_pct", Sign: "<", Limit: 3}}
	for _, c := range []struct {
		name string
		q    catalogue.Query
	}{
		{"all", catalogue.Query{}},
		{"shown", catalogue.Query{Select: shown}},
		{"where", catalogue.Query{Select: shown, Where: where, Tags: []string{"specimen-3"}}},
		{"name", catalogue.Query{Select: shown, Name: "*rame 1[0-5]"}},
	} {
		b.Run("list-"+c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if out, err := catalogue.List(dir, c.q); err != nil || len(out.Entries) == 0 {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("add", func(b *testing.B) {
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			add(b, fmt.Sprintf("%s/frame-%05d", dir, i*7919%n))
		}
	})
	b.Run("rebuild", func(b *testing.B) {
		for b.Loop() {
			if _, err := catalogue.Rebuild(dir); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// What a run costs that goes into the catalogue of a few runs.
func BenchmarkAdd(b *testing.B) {
	dir := many(b, 100)
	for i := 0; b.Loop(); i++ {
		add(b, fmt.Sprintf("%s/frame-%05d", dir, i%100))
	}
}
