package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// aboutLicenses is the beginning of licenses.txt.
const aboutLicenses = `Third-party software in the program rths for Linux, macOS and Windows, and its licences.

The licence of rths itself is not chosen yet. The texts below are the licences of
what others have made; they do not cover rths.
`

// part is third-party software in the binary: a module of Go, Go itself, or an asset.
type part struct {
	name  string   // with the version of a module
	texts []string // of its licence files
}

// licenses.txt holds the licences of exactly what is linked into the binary. make licenses
// brings it up to date.
func TestLicenses(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: go list reads the packages of every platform")
	}
	want := licenceText(linked(t))
	switch {
	case *update:
		if err := os.WriteFile("licenses.txt", []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	case licenses != want:
		t.Error("licenses.txt is not what the module cache says: run `make licenses`")
	}
}

// A module without a licence file is an error.
func TestNoLicence(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "licence.go"), []byte("package x"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := licencesIn(dir, dir); err == nil {
		t.Error("no error: want one that there is no licence")
	}
	for _, name := range []string{"LICENSE", "licence-MIT.txt", "COPYING", "THIRD_PARTY_LICENSES"} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, name), []byte("Do what you like.\r\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		if texts, err := licencesIn(dir, dir); err != nil || !slices.Equal(texts, []string{"Do what you like.\n"}) {
			t.Errorf("%s: %q, %v: want its text", name, texts, err)
		}
	}
}

// linked are the parts of the binaries that .ci/release makes, in order.
func linked(t *testing.T) []part {
	t.Helper()
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	folders := map[string][]string{ // packages of each part, its root first
		"CodeMirror (the editor of scenarios)": {"../../workbench/front/assets"},
		"uPlot (the plots of reports)":         {"../../result/plotting/assets/uplot"},
		"the Go programming language":          {strings.TrimSpace(string(root))},
	}
	for _, target := range []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64"} {
		system, arch, _ := strings.Cut(target, "/")
		list := exec.Command("go", "list", "-deps", "-json=Dir,Module", ".")
		list.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+system, "GOARCH="+arch)
		out, err := list.Output()
		if err != nil {
			t.Fatal(err)
		}
		for d := json.NewDecoder(strings.NewReader(string(out))); ; {
			var p struct {
				Dir    string
				Module *struct {
					Path, Version, Dir string
					Main               bool
					Replace            *struct{} // a folder of ours
				}
			}
			if err := d.Decode(&p); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatal(err)
			}
			if m := p.Module; m != nil && !m.Main && m.Replace == nil {
				name := m.Path + " " + m.Version
				if folders[name] == nil {
					folders[name] = []string{m.Dir}
				}
				folders[name] = append(folders[name], p.Dir)
			}
		}
	}
	var parts []part
	for name, dirs := range folders {
		texts, err := licencesIn(dirs[0], dirs...)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		parts = append(parts, part{name, texts})
	}
	slices.SortFunc(parts, func(a, b part) int { return strings.Compare(a.name, b.name) })
	return parts
}

var licenceFile = regexp.MustCompile(
	`(?i)(^|[-._])(un)?licen[cs]es?([-._]|$)|^(copying|copyright|notice|patents)([-._]|$)`)

// licencesIn reads the licence files in the folders of packages and in those above them, up
// to root.
func licencesIn(root string, dirs ...string) (texts []string, err error) {
	var paths []string
	for _, dir := range dirs {
		for ; strings.HasPrefix(dir, root); dir = filepath.Dir(dir) {
			entries, err := os.ReadDir(dir)
			if err != nil {
				return nil, err
			}
			for _, e := range entries {
				if path := filepath.Join(dir, e.Name()); licenceFile.MatchString(e.Name()) && filepath.Ext(path) != ".go" &&
					!slices.Contains(paths, path) {
					paths = append(paths, path)
				}
			}
		}
	}
	slices.Sort(paths)
	for _, path := range paths {
		err = errors.Join(err, filepath.WalkDir(path, func(path string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			text, err := os.ReadFile(path)
			texts = append(texts, plain(string(text)))
			return err
		}))
	}
	if err == nil && len(texts) == 0 {
		err = fmt.Errorf("%s: found no licence file: want one; a module without a licence must not be in the program", root)
	}
	return texts, err
}

// plain is a text in UTF-8 (from Latin-1, where it is not), without carriage returns, form
// feeds and blanks at the ends of lines.
func plain(text string) string {
	if !utf8.ValidString(text) {
		letters := make([]rune, len(text))
		for i := range len(text) {
			letters[i] = rune(text[i])
		}
		text = string(letters)
	}
	text = strings.TrimPrefix(strings.NewReplacer("\r\n", "\n", "\r", "\n", "\f", "").Replace(text), "\ufeff")
	var out strings.Builder
	for line := range strings.Lines(strings.Trim(text, "\n") + "\n") {
		out.WriteString(strings.TrimRight(line, " \t\n") + "\n")
	}
	return out.String()
}

// licenceText writes the parts with their licences; a text that stood above is named.
func licenceText(parts []part) string {
	var out strings.Builder
	out.WriteString(aboutLicenses)
	above := map[string]string{}
	for _, p := range parts {
		fmt.Fprintf(&out, "\n== %s\n", p.name)
		for _, text := range p.texts {
			if first := above[text]; first != "" {
				fmt.Fprintf(&out, "\n(the same text as under %s)\n", first)
				continue
			}
			above[text] = p.name
			out.WriteString("\n" + text)
		}
	}
	return out.String()
}

// The text says whose licences these are, and names a module by its version: .ci/release
// compares these headings with the binary.
func TestLicensesSay(t *testing.T) {
	for _, want := range []string{"\n== github.com/spf13/cobra v", "\n== CodeMirror", "\n== uPlot",
		"\n== the Go programming language\n",
		"The licence of rths itself is not chosen"} {
		if !strings.Contains(licenses, want) {
			t.Errorf("no %q in licenses.txt", want)
		}
	}
}
