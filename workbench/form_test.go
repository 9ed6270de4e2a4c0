package workbench

import (
	"io/fs"
	"slices"
	"strings"
	"testing"

	"rths/scenario"
	"rths/scenario/syntax"
	"rths/scenarios"
)

// slotAt is the slot of a path of a text, as in ground.kind.
func slotAt(t *testing.T, d *Desk, text, path string) *syntax.Slot {
	t.Helper()
	f := must[Form](t, d, "form", Place{"frame.yaml", text})
	s, _ := f.Find(strings.Fields(path))
	if s == nil {
		t.Fatalf("%s: found no such key in the form", path)
	}
	return s
}

// Every key says what it holds, its unit, its default, its line and what the text has.
func TestForm(t *testing.T) {
	d, _ := opened(t)
	text := frame + "sensors: {odd: 1}\nlimits: none\nexpect: {J2_pct: {max: 3}}\nfaults:\n  - {kind: stuck, from_s: 1}\n"
	for _, c := range []struct {
		path string
		want syntax.Slot
	}{
		{"rate_hz", syntax.Slot{Holds: "number", Unit: "Hz", Default: "4096", Given: true, Value: "1024", Line: 2,
			Column: 1}},
		{"loop", syntax.Slot{Holds: "text", Default: "closed"}},
		{"ground", syntax.Slot{Holds: "choice", Given: true, Kind: "sine", Table: "ground", Line: 3, Column: 1}},
		{"ground frequency_hz", syntax.Slot{Holds: "number", Unit: "Hz", Default: "1", Given: true, Value: "2", Line: 3,
			Column: 37}},
		{"structure masses", syntax.Slot{Holds: "list", Unit: "kg", Given: true, Value: "1000, 1000", Count: 2, Line: 4,
			Column: 26}},
		{"structure damping rayleigh", syntax.Slot{Holds: "block"}},
		{"compensator filter_hz", syntax.Slot{Holds: "number", Unit: "Hz", Default: "20",
			Range: "5 to 40, on a log scale"}},
		{"compensator remove_offset", syntax.Slot{Holds: "truth", Default: "true"}},
		{"integrator", syntax.Slot{Holds: "choice", Kind: "rk4", Table: "integrator"}},
		{"sensors odd", syntax.Slot{Holds: "unknown", Given: true, Value: "1", Line: 8, Column: 11}},
		{"limits", syntax.Slot{Holds: "blocks", Each: "block", Given: true, Value: "none", Line: 9, Column: 1}},
		{"expect J2_pct max", syntax.Slot{Holds: "number", Given: true, Value: "3", Line: 10, Column: 19}},
		{"faults 1 from_s", syntax.Slot{Holds: "number", Unit: "s", Given: true, Value: "1", Line: 12, Column: 19}},
		{"two_rate", syntax.Slot{Holds: "block"}},
	} {
		got, want := *slotAt(t, d, text, c.path), c.want
		if got.Doc == "" && got.Holds != syntax.HoldsUnknown {
			t.Errorf("%s: want its line of documentation", c.path)
		}
		if c.path == "faults 1 from_s" {
			want.Default = got.Default
		}
		if f, g := summary(got), summary(want); f != g {
			t.Errorf("%s: %s: want %s", c.path, f, g)
		}
	}
}

// summary is what a slot says, but for its line of documentation.
func summary(s syntax.Slot) string {
	out := []string{s.Holds, s.Unit, s.Range, s.Default, s.Value, s.Kind, s.Table, s.Each}
	if s.Given {
		out = append(out, "given")
	}
	return strings.Join(out, "|") + "|" + strings.Repeat(".", s.Line) + strings.Repeat(",", s.Column+s.Count)
}

// A text without a form says why, and where.
func TestFormOfNone(t *testing.T) {
	d, _ := opened(t)
	for text, want := range map[string]Remark{
		frame + "seed: {":                  {Severity: "error", Line: 8, Text: "found { without its }: want both"},
		"":                                 {Severity: "error", Text: "frame.yaml: the file is empty: want a scenario"},
		"scenario: frame.yaml\nvary: {}\n": {Severity: "info", Text: "this is a study: it has no form, only its text"},
	} {
		f := must[Form](t, d, "form", Place{"frame.yaml", text})
		if f.Wrong == nil || f.Wrong.Text != want.Text || f.Wrong.Line != want.Line || len(f.Slots) > 0 {
			t.Errorf("%q: %+v: want %+v and no keys", text, f.Wrong, want)
		}
	}
}

// Every shipped scenario has a form that knows all of its keys.
func TestFormOfAll(t *testing.T) {
	for _, text := range shippedTexts(t) {
		root, err := syntax.Parse("x.yaml", []byte(text), "a scenario")
		if err != nil {
			t.Fatal(err)
		}
		var look func(list []syntax.Slot)
		look = func(list []syntax.Slot) {
			for _, s := range list {
				if s.Holds == syntax.HoldsUnknown || s.Given && s.Line == 0 {
					t.Errorf("%.40q: %s: %+v", text, s.Path, s)
				}
				look(s.Slots)
			}
		}
		look(scenario.Form(root).Slots)
	}
}

func shippedTexts(t testing.TB) (out []string) {
	err := fs.WalkDir(scenarios.Files, ".", func(name string, e fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(name, ".yaml") {
			text, err := scenarios.Files.ReadFile(name)
			out = append(out, string(text))
			return err
		}
		return err
	})
	if err != nil || len(out) < 20 {
		t.Fatalf("%d scenarios, %v: want those of the program", len(out), err)
	}
	return out
}

// An edit of the form changes its lines of the text only.
func TestEdit(t *testing.T) {
	d, _ := opened(t)
	for _, c := range []struct{ key, action, value, old, new, gone string }{
		{"rate_hz", "set", "2048", "rate_hz: 1024", "rate_hz: 2048", ""},
		{"rate_hz", "set", " 2,5 ", "rate_hz: 1024", "rate_hz: 2,5", ""},
		{"rate_hz", "set", "", "rate_hz: 1024\n", "", ""},
		{"loop", "set", "", "", "", ""},
		{"name", "set", "a: b", "name: frame", `name: "a: b"`, ""},
		{"loop", "set", "open", "rate_hz: 1024\n", "rate_hz: 1024\nloop: open\n", ""},
		{"timing target", "set", "next", "rate_hz: 1024\n", "rate_hz: 1024\ntiming: {target: next}\n", ""},
		{"structure masses", "set", "1000, 1200", "[1000, 1000]", "[1000, 1200]", ""},
		{"structure damping", "remove", "", ", damping: {modal_ratio: [0.02]}", "", ""},
		{"compensator kind", "set", "pi", "kind: amb, order: 2", "kind: pi", "compensator.order"},
		{"compensator kind", "set", "amb-fixed", "kind: amb,", "kind: amb-fixed,", ""},
		{"specimen kind", "set", "bilinear", "linear, mass", "bilinear, mass", ""},
		{"integrator kind", "set", "newmark", "specimen:", "integrator: {kind: newmark}\nspecimen:", ""},
		{"two_rate", "set", "", "specimen:", "two_rate: {}\nspecimen:", ""},
		{"faults", "add", "stuck", "order: 2}\n", "order: 2}\nfaults: [{kind: stuck}]\n", ""},
		{"expect", "add", "J2_pct", "order: 2}\n", "order: 2}\nexpect: {J2_pct: {}}\n", ""},
		{"scatter", "add", "specimen.mass", "compensator", "scatter: {specimen.mass: {kind: normal}}\ncompensator", ""},
		{"scatter", "add", "each[2].transfer.gain", "compensator",
			"scatter: {\"each[2].transfer.gain\": {kind: normal}}\ncompensator", ""},
	} {
		got := must[Edited](t, d, "edit", Edit{Place{"frame.yaml", frame}, strings.Fields(c.key), c.action, c.value})
		want := strings.Replace(frame, c.old, c.new, 1)
		if got.Text != want || strings.Join(got.Gone, " ") != c.gone {
			t.Errorf("%s %s %q: %q, gone %q: want %q", c.action, c.key, c.value, got.Text, got.Gone, want)
		}
	}
}

// A record needs no key kind; another kind of ground has one in its place.
func TestEditRecord(t *testing.T) {
	d, _ := opened(t)
	text := strings.Replace(frame, "{kind: sine, duration_s: 2, frequency_hz: 2, amplitude_m_s2: 1}",
		"\n  # a record\n  record: elcentro # of 1940\n  scale: 0.4\n", 1)
	if s := slotAt(t, d, text, "ground"); s.Kind != "record" {
		t.Errorf("%+v: want the kind record", s)
	}
	got := must[Edited](t, d, "edit", Edit{Place{"frame.yaml", text}, syntax.Path{"ground", "kind"}, "set", "sine"})
	want := strings.Replace(text, "record: elcentro # of 1940\n  scale: 0.4\n", "kind: sine\n", 1)
	if got.Text != want || strings.Join(got.Gone, " ") != "ground.record ground.scale" {
		t.Errorf("%q, gone %q: want %q", got.Text, got.Gone, want)
	}
}

// What cannot be done is refused in a sentence that names the key.
func TestEditRefuses(t *testing.T) {
	d, _ := opened(t)
	for _, c := range []struct{ text, key, action, value, want string }{
		{"rate_hz: {", "rate_hz", "set", "1", "found { without its }"},
		{"a: &b 1\nseed: *b\n", "seed", "set", "1", "anchors, aliases"},
		{frame, "ratehz", "set", "1", "ratehz: found no such key in the form"},
		{frame, "ground", "set", "1", "a block has no value of its own"},
		{frame, "structure masses", "set", "1, [2", "want values with commas between them"},
		{frame, "structure masses", "set", "1] # 2", "want values with commas between them"},
		{frame, "ground", "add", "1", "ground holds no entries"},
		{frame, "expect", "add", "", "want a name"},
		{frame + "expect: {J2_pct: {max: 3}}\n", "expect", "add", "J2_pct", "an entry J2_pct already"},
		{frame, "seed", "turn", "1", `action "turn": want set, remove or add`},
	} {
		_, err := answer[Edited](t, d, "edit", Edit{Place{"frame.yaml", c.text}, strings.Fields(c.key), c.action, c.value})
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s %s %q: %v: want %q", c.action, c.key, c.value, err, c.want)
		}
	}
}

// A remark knows the key that it is about.
func TestRemarksHaveKeys(t *testing.T) {
	d, _ := opened(t)
	for add, want := range map[string]string{
		"seed: x\n": "seed", "wrong: 1\n": "wrong", "sensors: {force_noise: a}\n": "sensors.force_noise",
		"limits: [{channel: odd, trip: 1}]\n": "limits", "loop: ajar\n": "loop", "amplitude: -1\n": "amplitude",
		"expect: {J2_pct: {min: 3, max: 1}}\n": "expect.J2_pct",
	} {
		got := must[Checked](t, d, "check", Place{"frame.yaml", frame + add})
		if !slices.ContainsFunc(got.Remarks, func(r Remark) bool { return r.Key.String() == want }) {
			t.Errorf("%q: %+v: want one at %s", add, got.Remarks, want)
		}
	}
	text := strings.Replace(frame, "specimen:", "# specimen:", 1)
	if got := must[Checked](t, d, "check", Place{"frame.yaml", text}); got.Remarks[0].Key.String() != "specimen" {
		t.Errorf("%+v: want the key that is missing", got.Remarks)
	}
}

// Every kind of every block can be chosen in turn, and the last one leaves the keys that it knows only.
func TestEditKinds(t *testing.T) {
	d, _ := opened(t)
	form := must[Form](t, d, "form", Place{"frame.yaml", frame})
	for _, s := range form.Slots {
		text := frame
		for _, k := range form.Tables[s.Table] {
			if s.Holds != syntax.HoldsChoice {
				continue
			}
			text = must[Edited](t, d, "edit", Edit{Place{"frame.yaml", text}, append(s.Path, "kind"), "set", k.Name}).Text
			got := slotAt(t, d, text, s.Path.String())
			if got.Kind != k.Name || slices.ContainsFunc(got.Slots,
				func(s syntax.Slot) bool { return s.Holds == "unknown" }) {
				t.Errorf("%s of kind %s: %+v", s.Path, k.Name, got)
			}
		}
	}
}

// No edit of the form panics. What it refuses leaves the text as it is, in one line; what it does leaves all other keys
// at the top, in their order, as they were.
func FuzzEdit(f *testing.F) {
	for i, text := range shippedTexts(f) {
		f.Add(text, uint16(37*i), uint8(i), "5")
	}
	f.Add(frame, uint16(3), uint8(3), "kf")
	d, err := Open(f.TempDir(), "", "")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string, pick uint16, action uint8, value string) {
		in := Place{"x.yaml", text}
		form, err := d.form(t.Context(), in)
		if err != nil || form.Wrong != nil {
			return
		}
		var all []syntax.Path
		var look func(list []syntax.Slot)
		look = func(list []syntax.Slot) {
			for _, s := range list {
				all = append(all, s.Path)
				look(s.Slots)
			}
		}
		look(form.Slots)
		path := all[int(pick)%len(all)]
		edit := Edit{in, path, []string{"set", "remove", "add", "set"}[action%4], value}
		if action%4 == 3 {
			edit.Key = append(slices.Clone(path), "kind")
		}
		out, err := d.edit(t.Context(), edit)
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("%q: want one line", err)
			}
			return
		}
		before, _ := syntax.Parse("x.yaml", []byte(text), "a scenario")
		after, err := syntax.Parse("x.yaml", []byte(out.Text), "a scenario")
		if err != nil {
			t.Fatalf("%s %s %q: %v:\n%q", edit.Action, edit.Key, value, err, out.Text)
		}
		if got, want := others(after, path[0]), others(before, path[0]); got != want {
			t.Fatalf("%s %s %q: %s\nwant %s", edit.Action, edit.Key, value, got, want)
		}
	})
}

// others are the keys at the top but one.
func others(root *syntax.Node, but string) string {
	out := *root
	out.Keys = slices.DeleteFunc(slices.Clone(root.Keys), func(k *syntax.Key) bool { return k.Name == but })
	return out.Flow()
}
