package catalogue_test

import (
	"fmt"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"rths"
	"rths/result/catalogue"
)

// hostile are texts that mean something to SQL, to patterns or to a terminal.
var hostile = []string{
	`'; DROP TABLE runs; --`, `" OR 1=1 --`, `%`, `_`, `a'b`, `a"b`, `\`, "new\nline", "nul\x00byte", "Ünïcode", "?1",
	":name", "$x", "[a-z]*", "",
}

// Names, tags and filters are values and never SQL: each finds its own run.
func TestHostileNames(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "with ?#% 'and\" blank")
	for i, text := range hostile {
		m := manifest(text, rths.Value{Name: "c" + text, V: float64(i)})
		m.Tags, m.Reason = []string{text, "all"}, text
		add(t, leave(t, dir, fmt.Sprintf("f%02d", i), m))
	}
	for i, text := range hostile {
		folder := fmt.Sprintf("f%02d", i)
		if got := list(t, dir, catalogue.Query{Tags: []string{text, "all"}}); folders(got) != folder || got[0].Name != text ||
			got[0].Reason != text || got[0].Tags[0] != text {
			t.Errorf("tag %q: %+v: want the run %s", text, got, folder)
		}
		where := []catalogue.Condition{{Name: "c" + text, Sign: "=", Limit: float64(i)}}
		if got := list(t, dir, catalogue.Query{Where: where}); folders(got) != folder {
			t.Errorf("where %v: %s: want %s", where, folders(got), folder)
		}
		if got := folders(list(t, dir, catalogue.Query{Kind: text})); text != "" && got != "" {
			t.Errorf("kind %q: %s", text, got)
		}
		if got := folders(list(t, dir, catalogue.Query{Name: text})); !strings.ContainsAny(text, "[\x00") &&
			!strings.Contains(got, folder) {
			t.Errorf("name %q: %s: want %s among them", text, got, folder)
		}
	}
	if got := list(t, dir, catalogue.Query{Where: []catalogue.Condition{{Name: "c", Sign: "<> 0 OR 1 =", Limit: 1}},
		Tags: []string{"none"}}); len(got) > 0 {
		t.Errorf("%s: want nothing", folders(got))
	}
	if got := list(t, dir, catalogue.Query{}); len(got) != len(hostile) {
		t.Errorf("%d rows: want %d", len(got), len(hostile))
	}
}

// filtered is a catalogue of four runs and a study.
func filtered(t *testing.T) string {
	dir := t.TempDir()
	for _, r := range []struct {
		folder, name, started string
		j2                    float64
		tags                  []string
	}{
		{"pi-1", "Frame PI", "2026-11-01T12:00:00Z", 4, nil},
		{"amb-1", "frame amb", "2026-11-02T00:30:00+01:00", 2, []string{"thesis"}}, // 1 November, 23:30 UTC
		{"amb-2", "frame amb", "2026-11-02T12:00:00.5Z", 1.5, []string{"thesis", "b"}},
		{"judged", "test", "", math.NaN(), nil},
	} {
		m := manifest(r.name, rths.Value{Name: "J2_pct", V: r.j2})
		m.Started, m.Tags = r.started, r.tags
		add(t, leave(t, dir, r.folder, m))
	}
	add(t, leaveText(t, dir, "study-1", catalogue.StudyFile, study))
	return dir
}

func TestFilters(t *testing.T) {
	dir := filtered(t)
	at := func(text string) time.Time {
		when, err := time.Parse(time.RFC3339, text)
		if err != nil {
			t.Fatal(err)
		}
		return when
	}
	where := func(texts ...string) (out []catalogue.Condition) {
		for _, text := range texts {
			c, err := catalogue.ParseCondition(text)
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, c)
		}
		return out
	}
	for want, queries := range map[string][]catalogue.Query{
		"pi-1 amb-1 amb-2 judged study-1": {{}, {Name: "*"}},
		"pi-1 amb-1 amb-2 study-1":        {{Before: at("9999-01-01T00:00:00Z")}},
		"pi-1 amb-1 amb-2": {{Name: "FRAME"}, {Name: "frame*"}, {Name: "f?ame [ap]*"},
			{Where: where("J2_pct>0")}, {Before: at("2026-11-03T00:00:00Z")},
			{Since: at("0001-02-01T00:00:00Z"), Before: at("2026-11-03T00:00:00Z")}},
		"amb-1 amb-2 study-1": {{Name: "amb"}, {Tags: []string{"thesis"}}, {Since: at("2026-11-01T23:30:00Z")}},
		"amb-2 study-1":       {{Since: at("2026-11-02T12:00:00.25Z")}},
		"amb-2": {{Name: "amb-2"}, {Tags: []string{"b", "thesis"}}, {Where: where("J2_pct<2")},
			{Name: "amb", Where: where("J2_pct <= 1.5", "rate_hz=1024")}},
		"pi-1": {{Before: at("2026-11-01T23:30:00Z")}, {Name: "* pi"},
			{Where: where("J2_pct >= 4")}},
		"study-1": {{Kind: catalogue.Calibration}, {Where: where("failed>0")}},
		"": {{Kind: catalogue.Study}, {Name: "am?"}, {Name: "[", Tags: nil},
			{Where: where("J9_pct<1")}, {Where: where("spread<1")}},
	} {
		for _, q := range queries {
			if got := folders(list(t, dir, q)); got != want {
				t.Errorf("%+v: %q: want %q", q, got, want)
			}
		}
	}
}

// A comparison is that of float64.
func TestWhereIsExact(t *testing.T) {
	dir := t.TempDir()
	var values []float64
	for i, x := range []float64{0.1, math.Nextafter(0.1, 1), -1, 0, 1 << 60, 1<<60 + 256, 1e-310} {
		values = append(values, x)
		add(t, leave(t, dir, fmt.Sprint(i), manifest("x", rths.Value{Name: "x", V: x})))
	}
	holds := map[string]func(a, b float64) bool{
		"<": func(a, b float64) bool { return a < b }, "<=": func(a, b float64) bool { return a <= b },
		"=":  func(a, b float64) bool { return a == b },
		">=": func(a, b float64) bool { return a >= b }, ">": func(a, b float64) bool { return a > b },
	}
	for _, sign := range catalogue.Signs {
		for _, limit := range values {
			c, err := catalogue.ParseCondition("x" + sign + strconv.FormatFloat(limit, 'g', -1, 64))
			if err != nil {
				t.Fatal(err)
			}
			var want []string
			for i, x := range values {
				if holds[sign](x, limit) {
					want = append(want, fmt.Sprint(i))
				}
			}
			if got := folders(list(t, dir, catalogue.Query{Where: []catalogue.Condition{c}})); got != strings.Join(want, " ") {
				t.Errorf("%v: %s: want %s", c, got, want)
			}
		}
	}
}

func TestParseCondition(t *testing.T) {
	for text, want := range map[string]catalogue.Condition{
		"J2_pct<3":                {"J2_pct", "<", 3},
		" sw_pct  >=  -1.5e2 ":    {"sw_pct", ">=", -150},
		"J2_pct.p95=0":            {"J2_pct.p95", "=", 0},
		"energy_error_θ_J<=0x1p4": {"energy_error_θ_J", "<=", 16},
	} {
		if got, err := catalogue.ParseCondition(text); err != nil || got != want {
			t.Errorf("%q: %+v, %v: want %+v", text, got, err, want)
		}
	}
	for text, want := range map[string]string{
		"":                "want a name, one of <= >= < > =, and a number, as in J2_pct<3",
		"J2_pct":          "want a name, one of",
		"<3":              `found the name "": want the name of one criterion`,
		"J2 pct<3":        `found the name "J2 pct"`,
		"J2_pct;--<3":     "found the name",
		"J2_pct==3":       "found ==: want one of <= >= < > =",
		"J2_pct!=3":       "found !=: want one of",
		"J2_pct=<3":       "found =<: want one of",
		"J2_pct<":         `found "" after <: want a number`,
		"J2_pct<3%":       `found "3%" after <: want a number`,
		"J2_pct<nan":      `found "nan" after <: want a number`,
		"J2_pct<1e999":    `found "1e999" after <: want a number`,
		"1<J2_pct<3":      `found "J2_pct<3" after <: want a number`,
		"J2_pct<3 OR 1=1": `found "3 OR 1=1" after <: want a number`,
	} {
		if _, err := catalogue.ParseCondition(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v: want %q", text, err, want)
		}
	}
}

// What is read is written as a text that gives the same; the rest is an error with the text.
func FuzzParseCondition(f *testing.F) {
	for _, text := range append([]string{"J2_pct<3", "a<=-1e-7", "x = 5 ", "<", "a=="}, hostile...) {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c, err := catalogue.ParseCondition(text)
		if err != nil {
			if !strings.Contains(err.Error(), strconv.Quote(text)) {
				t.Errorf("%q: %v: want the text in the error", text, err)
			}
			return
		}
		again, err := catalogue.ParseCondition(c.Name + c.Sign + strconv.FormatFloat(c.Limit, 'g', -1, 64))
		if err != nil || again != c || !rths.Finite(c.Limit) || strings.ContainsAny(c.Name, " '\";()\x00") || c.Name == "" {
			t.Errorf("%q: %+v, again %+v, %v", text, c, again, err)
		}
	})
}

// Any filter is answered, whatever it holds.
func TestAnyQuery(t *testing.T) {
	dir := filtered(t)
	rapid.Check(t, func(r *rapid.T) {
		q := catalogue.Query{Name: rapid.String().Draw(r, "name"), Kind: rapid.String().Draw(r, "kind"),
			Tags: rapid.SliceOfN(rapid.String(), 0, 3).Draw(r, "tags")}
		if _, err := catalogue.List(dir, q); err != nil {
			r.Fatal(err)
		}
	})
}
