package scenario_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"rths/scenario"
)

// deeper is a text of blocks inside each other, each two columns further in.
func deeper(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%*sa:\n", 2*i, "")
	}
	return b.String()
}

func keys(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "k%d: 1\n", i)
	}
	return b.String()
}

// hostile are texts that take a YAML library's time or memory, and where the error
// has to stand.
var hostile = []struct{ name, text, want string }{
	{"lists", strings.Repeat("[", 40_000), "x.yaml:1:34: nested deeper than 32 levels"},
	{"lists in a value", "name: " + strings.Repeat("[", 40_000), "nested deeper"},
	{"lists that close in quotes", strings.Repeat(`["]",`, 20_000), "nested deeper"},
	{"lists that close in comments", strings.Repeat("[ # ]\n", 50_000), "x.yaml:34:1: nested deeper"},
	{"lists behind an apostrophe", "a: it's " + "\nb: " + strings.Repeat("[", 40_000), "nested deeper"},
	{"lists that close as maps", strings.Repeat("[}", 40_000), "nested deeper"},
	{"maps", strings.Repeat("{a: ", 40_000), "nested deeper"},
	{"dashes", strings.Repeat("- ", 40_000), "x.yaml:1:67: nested deeper"},
	{"indentation", deeper(1000), "nested deeper"},
	{"keys", keys(40_000), "x.yaml:10001:7: found more than 10000 keys"},
	{"keys of one map", "{" + strings.Repeat("a: 1, ", 40_000) + "}", "more than 10000 keys"},
	{"laughs", "a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n", `x.yaml:1:4: found "&": anchors`},
	{"anchors", strings.Repeat("&a ", 40_000), "x.yaml:1:1: found \"&\": anchors"},
	{"tags", strings.Repeat("!a ", 40_000), "anchors"},
	{"merge", "a: {b: 1}\n<<: a\n", "merge keys"},
	{"question marks", strings.Repeat("? ", 40_000), "question mark"},
	{"directives", strings.Repeat("%a\n", 40_000), "directives"},
	{"documents", strings.Repeat("---\na: 1\n", 9_000), "x.yaml:3:1: a second document begins: want one"},
	{"brackets that close", strings.Repeat("]", 40_000), "x.yaml:1:1: found \"]]]]"},
	{"quotes", strings.Repeat(`"x" `, 40_000), "x.yaml:1:5: not valid YAML: "},
	{"no letters", strings.Repeat("@", 40_000), "x.yaml:1:1: found \"@@@@"},
	{"a long name", strings.Repeat("a", 1<<20) + ": 1\n", "want a name of at most 100 letters"},
	{"unknown keys", keys(4_000), "and 3980 more errors"},
	{"unknown kinds", "faults:\n" + strings.Repeat("- {kind: stuk}\n", 4_000), "and 3980 more errors"},
	{"a long kind", "ground: {kind: " + strings.Repeat("a", 1<<20) + "}\n", "want one of record"},
	{"a wrong indentation below", keys(9_000) + " a: 1\n", "x.yaml:9001:2: found a in column 2"},
	{"a bracket open below", strings.Repeat("#\n", 100_000) + "a: [1\n", "x.yaml:100001:4: found [ without its ]"},
	{"a long value", "seed: " + strings.Repeat("a", 1<<20) + "\n", "want a whole number"},
	{"too much", strings.Repeat("# comment\n", 1<<20), "found 10.49 MB: want a scenario of at most 4.194 MB"},
	{"NUL", "name: a\x00b\n", "x.yaml:1:8: found the control character U+0000"},
	{"escape", "name: a\nseed: \x1b[31m1\n", "x.yaml:2:7: found the control character U+001B"},
	{"UTF-16", "\xff\xfen\x00", "x.yaml:1:1: found byte 0xff: want text in UTF-8"},
	{"byte order mark alone", "\ufeff", "empty"},
}

// A hostile text is refused with its place, within the memory of an honest one.
func TestHostileText(t *testing.T) {
	for _, c := range hostile {
		t.Run(c.name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := scenario.Parse("x.yaml", []byte(c.text), ".", nil)
			runtime.ReadMemStats(&after)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("got %.300v, want %q", err, c.want)
			}
			if len(err.Error()) > 10_000 {
				t.Errorf("a message of %d bytes: want one that can be read", len(err.Error()))
			}
			if used := after.TotalAlloc - before.TotalAlloc; used > 256<<20 {
				t.Errorf("%d MB of memory were used: want at most 256 MB", used>>20)
			}
		})
	}
}

// The value of an override is read as the file is.
func TestHostileOverride(t *testing.T) {
	for _, c := range []struct{ set, want string }{
		{"name=" + strings.Repeat("[", 200_000), "nested deeper"},
		{"name=" + strings.Repeat("- ", 100_000), "nested deeper"},
		{"name=" + strings.Repeat("x", 5<<20), "at most 4.194 MB"},
		{strings.Repeat("a.", 100_000) + "a=1", "100001 keys inside each other: want at most 33"},
		{strings.Repeat("a", 100_000) + "=1", "want keys of at most 100 letters"},
	} {
		_, err := scenario.Parse("x.yaml", []byte(small), ".", []string{c.set})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.20s…: got %.200v, want %q", c.set, err, c.want)
		} else if len(err.Error()) > 10_000 {
			t.Errorf("%.20s…: a message of %d bytes: want one that can be read", c.set, len(err.Error()))
		}
	}
}

// What an honest scenario holds is not refused: lists in lists, brackets and quotes in
// texts and comments, long lists of numbers, a byte order mark, line ends of Windows.
func TestHonestText(t *testing.T) {
	numbers := strings.TrimSuffix(strings.Repeat("1000, ", 2000), ", ")
	texts := map[string]string{
		"brackets in quotes":  strings.Replace(small, "name: small", `name: "`+strings.Repeat("[", 100)+`"`, 1),
		"brackets in comment": "# " + strings.Repeat("[{ ", 100) + "\n" + small,
		"byte order mark":     "\ufeff" + small,
		"Windows":             strings.ReplaceAll(small, "\n", "\r\n"),
		"one document":        "---\n" + small,
		"many numbers": strings.Replace(strings.Replace(small, "[1000, 1000]", "["+numbers+"]", 1), "[1e6, 1e6]",
			"["+numbers+"]", 1),
	}
	for name, text := range texts {
		if _, err := scenario.Parse(name, []byte(text), ".", nil); err != nil {
			t.Errorf("%s: %.300v", name, err)
		}
	}
}

// A scenario is a plain file of a bounded size, which is looked at before it is read.
func TestLoadPlainFile(t *testing.T) {
	dir := t.TempDir()
	large := filepath.Join(dir, "large.yaml")
	if err := os.WriteFile(large, bytes.Repeat([]byte("#\n"), 4<<20), 0o644); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		large:                              "found a file of 8.389 MB: want at most 4.194 MB",
		dir:                                "found a folder: want a plain file",
		"/dev/zero":                        "found a device: want a plain file",
		filepath.Join(dir, "nowhere.yaml"): "no such file",
	} {
		if _, err := scenario.Load(path, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v: want %q", path, err, want)
		}
	}
}
