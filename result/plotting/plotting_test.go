package plotting

import (
	"cmp"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestPowers(t *testing.T) {
	if got := Powers("1.2e-07") + Powers("3e+12") + Powers("12.5"); got != "1.2·10⁻⁷3·10¹²12.5" {
		t.Error(got)
	}
	if got := PlainPowers("10⁻⁶ s³"); got != "1e-6 s³" {
		t.Error(got)
	}
	if got := codePage("target − 5 µm², ω"); got != "target \x96 5 \xb5m\xb2, ?" {
		t.Errorf("%q", got)
	}
}

func TestDecadeTicks(t *testing.T) {
	var labels []string
	ticks := DecadeTicks{}.Ticks(0.01, 10)
	for _, tick := range ticks {
		if tick.Label != "" {
			labels = append(labels, tick.Label)
		}
	}
	if got := strings.Join(labels, " "); got != "0.01 0.1 1 10" || len(ticks) != 28 {
		t.Errorf("%s, %d ticks", got, len(ticks))
	}
}

func TestTicks(t *testing.T) {
	for _, c := range []struct {
		low, high float64
		want      []string
	}{
		{-4.2, 4.2, []string{"-4", "-2", "0", "2", "4"}},
		{0.018, 0.021, []string{"0.018", "0.019", "0.020", "0.021"}},
		{0, 1.7e-4, []string{"0", "5e-05", "0.0001", "0.00015"}},
		{1, 1.01, []string{"1.000", "1.002", "1.004", "1.006", "1.008", "1.010"}},
		{1e300, 1e300, []string{"1e+300"}},
	} {
		var got []string
		for _, tick := range (RoundTicks(5)).Ticks(c.low, c.high) {
			got = append(got, tick.Label)
		}
		if len(got) != len(c.want) {
			t.Errorf("%g to %g: %q, want %q", c.low, c.high, got, c.want)
			continue
		}
		for i := range got {
			if got[i] != c.want[i] {
				t.Errorf("%g to %g: %q, want %q", c.low, c.high, got, c.want)
			}
		}
	}
}

func TestShort(t *testing.T) {
	for _, c := range [][2]string{{"name", "name"}, {" two\n\x00words ", "two words"}, {"abcdefghijklmnop", "abcd…mnop"},
		{"ρρρρρρρρρρρρ", "ρρρρ…ρρρρ"}} {
		if got := Short(c[0], 9); got != c[1] {
			t.Errorf("%q: %q, want %q", c[0], got, c[1])
		}
	}
}

func TestDecade(t *testing.T) {
	if got := []string{Decade(1, -3), Decade(5, 4), Decade(1, 5), Decade(1, -4)}; !slices.Equal(got,
		[]string{"0.001", "50000", "1e5", "1e-4"}) {
		t.Error(got)
	}
}

// Every colour of a picture stands in the table: no other file of the program states one.
func TestColoursStandInOneTable(t *testing.T) {
	literal := regexp.MustCompile(`"#([0-9A-Fa-f]{3}){1,2}"`)
	stated := 0
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() && filepath.Base(path) == ".git" {
			return cmp.Or(err, fs.SkipDir)
		}
		if filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		text, err := os.ReadFile(path)
		found := literal.FindAllString(string(text), -1)
		if filepath.Base(path) == "colours.go" {
			stated += len(found)
		} else if len(found) > 0 {
			t.Errorf("%s states %q: want names of result/plotting/colours.go", path, found)
		}
		return err
	})
	if err != nil || stated < len(Colours) {
		t.Errorf("%d colours in the table, %v", stated, err)
	}
}
