package workbench

import (
	"slices"
	"strings"
	"testing"

	"rths/scenario"
)

// at is the place of a bar in a text.
func at(text string) At {
	before, after, _ := strings.Cut(text, "|")
	lines := strings.Split(before, "\n")
	return At{before + after, len(lines), len([]rune(lines[len(lines)-1])) + 1}
}

// The words that may stand at a place, and what they replace.
func TestComplete(t *testing.T) {
	d, _ := opened(t)
	for _, c := range []struct {
		text      string
		from      int
		has, lack string
	}{
		{"|", 1, "ground", "kind"},
		{"na|", 1, "name", ""},
		{"name: x\n|", 1, "rate_hz", "name"},
		{"ground: {kind: |", 16, "sine", "amb"},
		{"compensator:\n  kind: |", 9, "amb", "sine"},
		{"compensator: {kind: amb, |", 26, "order", "ground"},
		{"compensator:\n  kind: kf\n  |", 3, "qf", "gamma"},
		{"structure:\n  kind: shear\n  damping: {|", 13, "modal_ratio", "kind"},
		{"faults:\n  - kind: |", 11, "stuck", "sine"},
		{"loop: |", 7, "closed", ""},
		{"sensors: {|", 11, "displacement_noise", "kind"},
		{"compensator: {ü: 1, kind: |", 27, "amb", ""},
	} {
		out := must[Items](t, d, "complete", at(c.text))
		labels := []string{}
		for _, i := range out.Items {
			labels = append(labels, i.Label)
		}
		if out.From != c.from || !slices.Contains(labels, c.has) || c.lack != "" && slices.Contains(labels, c.lack) {
			t.Errorf("%q: from column %d: %q: want column %d, %q and not %q", c.text, out.From, labels, c.from, c.has, c.lack)
		}
	}
}

// Every key at the top and every kind of a block is explained in the words of rths doc.
func TestHoverKnowsAllKeys(t *testing.T) {
	d, _ := opened(t)
	for _, b := range scenario.Blocks() {
		if h := must[*Hover](t, d, "hover", at(b.Key+"|: ")); h == nil || !strings.HasPrefix(h.Text, b.Doc) {
			t.Errorf("%s: %+v: want %q", b.Key, h, b.Doc)
		}
		for _, k := range b.Kinds {
			if b.List || b.Keyed {
				continue
			}
			h := must[*Hover](t, d, "hover", at(b.Key+": {kind: "+k.Name+"|}"))
			if h == nil || h.Title != k.Name || !strings.HasPrefix(h.Text, k.Doc) {
				t.Errorf("%s %s: %+v: want %q", b.Key, k.Name, h, k.Doc)
			}
			for _, p := range k.Params {
				if strings.ContainsAny(p.Key, ".[") {
					continue
				}
				h := must[*Hover](t, d, "hover", at(b.Key+": {kind: "+k.Name+", "+p.Key+"|: "))
				if h == nil || !strings.HasPrefix(h.Text, p.Doc) {
					t.Errorf("%s.%s of %s: %+v: want %q", b.Key, p.Key, k.Name, h, p.Doc)
				}
			}
		}
	}
	for _, text := range []string{"|", "# com|ment", "rate_hz: 10|24", "name: so|me", "nonsense|: 1"} {
		if h := must[*Hover](t, d, "hover", at(text)); h != nil {
			t.Errorf("%q: %+v: want nothing", text, h)
		}
	}
}

// No text and no place makes an answer panic.
func FuzzWords(f *testing.F) {
	f.Add("ground: {kind: sine, [}\n - a:", 1, 3)
	d, err := Open(f.TempDir(), "", "")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string, line, column int) {
		in := At{text, line, column}
		if _, err := d.complete(t.Context(), in); err != nil {
			t.Error(err)
		}
		if _, err := d.hover(t.Context(), in); err != nil {
			t.Error(err)
		}
	})
}
