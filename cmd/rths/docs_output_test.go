package main

import (
	"image"
	"image/png"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// output compares an output block with what the console block above it has printed, and returns
// the block as it should be.
func (s *script) output(t *testing.T, body string) string {
	t.Helper()
	if s.printed == "" {
		if !s.leftOut {
			t.Errorf("an output block stands behind no console block that prints:\n%s", body)
		}
		return body
	}
	fresh, strange := quoted(body, s.printed)
	for _, line := range strange {
		t.Errorf("no line like this was printed, in this order: %q", line)
	}
	if !*update && fresh != body && strange == nil {
		t.Errorf("the page has\n%sand what was printed is\n%srun RTHS_FULL=1 go test ./cmd/rths -run TestDocs -update", body,
			fresh)
	}
	return fresh
}

// mostFolded are the most lines of a page into which a printed line is folded.
const mostFolded = 6

// quoted finds the lines of an output block among printed ones, in their order. A line of the block is a printed one,
// or equals one but for its numbers: then fresh has the printed one. Lines of the block may be one printed line,
// folded; … stands for lines that are left out. strange are the lines that match none.
func quoted(body, printed string) (fresh string, strange []string) {
	lines, all := strings.Split(strings.TrimSuffix(body, "\n"), "\n"), strings.Split(printed, "\n")
	var out []string
	for i := 0; i < len(lines); {
		if text := strings.TrimSpace(lines[i]); text == "" || text == "…" {
			out = append(out, lines[i])
			i++
			continue
		}
		n, at := printedAs(lines[i:], all)
		if n == 0 {
			strange, out = append(strange, lines[i]), append(out, lines[i])
			i++
			continue
		}
		out = append(out, folded(lines[i:i+n], all[at])...)
		i, all = i+n, all[at+1:]
	}
	return strings.Join(out, "\n") + "\n", strange
}

// printedAs finds the first lines among printed ones: n of them are the printed line at; 0: they are none.
func printedAs(lines, all []string) (n, at int) {
	for _, alike := range []func(string) string{unspaced, unnumbered} {
		for n := 1; n <= min(mostFolded, len(lines)); n++ {
			want := alike(strings.Join(lines[:n], " "))
			if at := slices.IndexFunc(all, func(line string) bool { return alike(line) == want }); at >= 0 {
				return n, at
			}
		}
	}
	return 0, 0
}

// unspaced is a line by its words, unnumbered is the same without its numbers. A dash stands
// for a missing number.
func unspaced(line string) string   { return strings.Join(strings.Fields(line), " ") }
func unnumbered(line string) string { return number.ReplaceAllString(unspaced(line), "#") }

var number = regexp.MustCompile(`[-−+]?\d[\d.]*(e[-+]?\d+)?|–`)

// folded is a printed line: the lines that are there if they have its words, or it anew.
func folded(lines []string, printed string) []string {
	const width = 100
	switch {
	case unspaced(strings.Join(lines, " ")) == unspaced(printed):
		return lines
	case len(lines) == 1:
		return []string{strings.TrimRight(printed, " ")}
	}
	out := []string{""}
	for _, word := range strings.Fields(printed) {
		last := &out[len(out)-1]
		if *last != "" && utf8.RuneCountInString(*last+" "+word) > width {
			out = append(out, word)
			continue
		}
		*last = strings.TrimSpace(*last + " " + word)
	}
	return out
}

// pagePicture is one of a page whose title is the file that the page's commands draw.
var pagePicture = regexp.MustCompile(`!\[[^\]]*\]\((\S+) "(\S+)"\)`)

// pictures compares the pictures of a page with what its commands have drawn; folder is that of the page.
func (s *script) pictures(t *testing.T, folder, text string) {
	t.Helper()
	for _, m := range pagePicture.FindAllStringSubmatch(text, -1) {
		name := filepath.Join(folder, m[1])
		data, err := os.ReadFile(m[2])
		switch {
		case err != nil && s.leftOut:
		case err != nil:
			t.Errorf("the commands of the page draw no such picture: %v", err)
		case *update:
			if err := os.WriteFile(name, data, 0o644); err != nil {
				t.Fatal(err)
			}
		case !reflect.DeepEqual(pixels(t, name), pixels(t, m[2])):
			t.Errorf("%s is not the picture that the commands of the page draw: run RTHS_FULL=1 go test ./cmd/rths -run "+
				"TestDocs -update, and look at it", m[1])
		}
	}
}

func pixels(t *testing.T, name string) image.Image {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	p, err := png.Decode(f)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return p
}

// What a page quotes of a command's output is what it prints.
func TestQuoted(t *testing.T) {
	const printed = "mode 1: 3.6 Hz\nmode 2: 16 Hz\n  a  1  –\n  a  2  3\nThe test tolerates 14 ms and is stable.\n"
	for _, of := range []struct{ what, body, want, strange string }{
		{"as printed", "mode 2: 16 Hz\n", "mode 2: 16 Hz\n", ""},
		{"another number", "mode 1: 3.5 Hz\n…\na  2 3\n", "mode 1: 3.6 Hz\n…\na  2 3\n", ""},
		{"a number that is none", "a 1 7\n", "  a  1  –\n", ""},
		{"folded", "The test tolerates\n14 ms and is stable.\n", "The test tolerates\n14 ms and is stable.\n", ""},
		{"folded, another number", "The test tolerates\n15 ms and is stable.\n", "The test tolerates 14 ms and is stable.\n",
			""},
		{"another order", "mode 2: 16 Hz\nThe test tolerates 14 ms and is stable.\na 1 3\n",
			"mode 2: 16 Hz\nThe test tolerates 14 ms and is stable.\na 1 3\n", "a 1 3"},
		{"another word", "The test tolerates 14 ms and is unstable.\n", "The test tolerates 14 ms and is unstable.\n",
			"The test tolerates 14 ms and is unstable."},
	} {
		if got, strange := quoted(of.body, printed); got != of.want || strings.Join(strange, "; ") != of.strange {
			t.Errorf("%s: %q, strange %q: want %q, %q", of.what, got, strange, of.want, of.strange)
		}
	}
}
