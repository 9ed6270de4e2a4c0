package scenario_test

import (
	"slices"
	"strings"
	"testing"
)

// Tags stand in the resolved scenario, and a tag that nobody could type is refused.
func TestTags(t *testing.T) {
	s := parsed(t, small+"tags: [calibration, specimen-b]\n")
	text, err := s.YAML()
	if err != nil {
		t.Fatal(err)
	}
	if again := parsed(t, text); !slices.Equal(again.Tags, []string{"calibration", "specimen-b"}) {
		t.Errorf("tags %q after a round trip", again.Tags)
	}
	if none := parsed(t, small); len(none.Tags) > 0 {
		t.Errorf("tags %q of a scenario without", none.Tags)
	}
	for tags, want := range map[string]string{
		`[a, ""]`:     `"": want a word, without blanks around it`,
		`[" a"]`:      `" a": want a word, without blanks around it`,
		`["a\tb"]`:    `"a\tb": want a word without control characters`,
		`[a, b, a]`:   `"a" stands twice: want each word once`,
		`calibration`: `want a list`,
	} {
		_, err := parse(small + "tags: " + tags + "\n")
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "tags") {
			t.Errorf("tags: %s: %v: want %q", tags, err, want)
		}
	}
}
