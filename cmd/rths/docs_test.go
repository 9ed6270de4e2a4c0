package main

import (
	"bytes"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"rths/kit/rthstest"
)

var block = regexp.MustCompile(`(?ms)^` + "```" + `(\w+)( \w+)?\n(.*?)^` + "```")

// Commands in README and the other pages run as they stand: yaml and text blocks that name a file
// are written, console blocks are run line by line in that folder by bash (a line that ends in & in the
// background, until the page has ended), octave and python blocks by these programs. A second word after the language
// is a need of the block: records (ground motions), slurm (.ci/slurm), octave, cc (a C compiler, which finds the
// sources of lab/rig/wire/testdata in the folder, and its programs), wasm (the sources and modules of examples/wasm,
// which the block finds in the folder), clang (the same, with a compiler for them), opensees (which finds
// examples/opensees in the folder), or a module of Python; the test leaves out a block whose need is not met. The lines
// of an output block are among those that the console block above it has printed, and a picture whose title names a
// file is the one that the page's commands draw: -update writes both. Without RTHS_FULL=1 the pages that a new user
// reads run alone.
func TestDocs(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: the commands of the pages are run without the race detector")
	}
	first := []string{"README.md", "first-run.md", "first-test.md", "first-test-in-the-browser.md", "install.md",
		"run-a-test.md"}
	for page, text := range readPages(t) {
		if !slices.Contains(first, filepath.Base(page)) && rthstest.Draws(0, 1) == 0 {
			continue
		}
		t.Run(filepath.Base(page), func(t *testing.T) { playPage(t, page, text) })
	}
}

// playPage runs the blocks of a page, in a folder of their own.
func playPage(t *testing.T, page, text string) {
	page, err := filepath.Abs(page)
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	t.Setenv("XDG_STATE_HOME", t.TempDir()) // what the doctor finds while tests run is for no other page
	var s script
	fresh := block.ReplaceAllStringFunc(text, func(whole string) string {
		m := block.FindStringSubmatch(whole)
		if m[1] == "output" {
			return "```output\n" + s.output(t, m[3]) + "```"
		}
		s.add(t, m[1], strings.TrimSpace(m[2]), m[3])
		return whole
	})
	s.run(t)
	s.pictures(t, filepath.Dir(page), text)
	if *update && fresh != text {
		if err := os.WriteFile(page, []byte(fresh), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// Links between the pages lead to files.
func TestLinks(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)#: ]+)(#[^)]*)?( "[^"]*")?\)`)
	for page, text := range readPages(t) {
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			if _, err := os.Stat(filepath.Join(filepath.Dir(page), m[1])); err != nil {
				t.Errorf("%s: %v", page, err)
			}
		}
	}
}

// readPages reads README, CONTRIBUTING, CHANGELOG, docs, the format of records and the protocol of rigs, by path.
func readPages(t *testing.T) map[string]string {
	t.Helper()
	names, err := filepath.Glob("../../docs/[^a]*/*.md") // all but the decisions
	if err != nil || len(names) < 40 {
		t.Fatalf("%d pages, %v", len(names), err)
	}
	pages := map[string]string{}
	more := []string{"README.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs/index.md"}
	for _, name := range more {
		names = append(names, "../../"+name)
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		pages[name] = string(text)
	}
	return pages
}

// script is the blocks of octave or of python that wait: they run together, before the next
// block of anything else.
type script struct {
	program, text string
	printed       string // by the last console block
	leftOut       bool   // some block of the page, as its need is not met
}

func (s *script) add(t *testing.T, language, needs, body string) {
	t.Helper()
	program := map[string]string{"octave": "octave-cli", "python": python(needs)}[language]
	if language == "octave" {
		needs = "octave"
	}
	if slices.Contains([]string{"console", "octave", "python"}, language) && needs != "" && !installed(needs) {
		t.Logf("a %s block is left out: there is no %s", language, needs)
		s.printed, s.leftOut = "", true
		return
	}
	if program != s.program {
		s.run(t)
	}
	switch language {
	case "yaml", "text":
		first, _, _ := strings.Cut(body, "\n")
		if name, ok := strings.CutPrefix(first, "# file: "); ok {
			if err := os.WriteFile(name, []byte(body), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	case "console":
		s.printed = ""
		switch needs {
		case "opensees":
			runWithOpenSees(t, body)
			return
		case "wasm", "clang":
			copyMethods(t)
		case "cc":
			copyCounterparts(t)
		}
		for line := range strings.Lines(body) {
			s.printed += runLine(t, strings.TrimSpace(line), needs)
		}
	case "octave", "python":
		s.program, s.text = program, s.text+body
	}
}

// run runs what waits, in the folder of the page.
func (s *script) run(t *testing.T) {
	t.Helper()
	if s.text == "" {
		return
	}
	const name = "blocks.txt"
	if err := os.WriteFile(name, []byte(s.text), 0o644); err != nil {
		t.Fatal(err)
	}
	args := map[string][]string{"octave-cli": {"--no-init-file", "--quiet"}}[s.program]
	if out, err := exec.Command(s.program, append(args, name)...).CombinedOutput(); err != nil {
		t.Errorf("%s: %v\n%s\n%s", s.program, err, s.text, out)
	}
	s.program, s.text = "", ""
}

// begins are the words by which a line of a block may begin. Any line may begin by rths.
var begins = map[string]*regexp.Regexp{
	"cc":       regexp.MustCompile(`^(cc|export|\./\S+) `),
	"clang":    regexp.MustCompile(`^(sh|\./\S+) `),
	"opensees": regexp.MustCompile(`^([A-Z]+=\S+ )*OpenSees `),
}

// runLine runs a line by bash, as a reader does, and returns what rths has printed.
func runLine(t *testing.T, line, needs string) string {
	t.Helper()
	command, ok := strings.CutPrefix(line, "$ ")
	isOurs := strings.HasPrefix(command, "rths ")
	if more := begins[needs]; !ok || !isOurs && (more == nil || !more.MatchString(command+" ")) {
		t.Errorf("line %q of a console block is no command of rths, nor of %v", line, more)
		return ""
	}
	if assigned, ok := strings.CutPrefix(command, "export "); ok {
		name, value, _ := strings.Cut(assigned, "=")
		t.Setenv(name, value)
		return ""
	}
	if command, ok := strings.CutSuffix(command, " &"); ok {
		end := os.Kill
		if isOurs {
			end = os.Interrupt
		}
		inBackground(t, command, end)
		return ""
	}
	var out, errs bytes.Buffer
	c := inBash(command)
	c.Stdout, c.Stderr = &out, &errs
	if err := c.Run(); err != nil {
		t.Errorf("%s: %v\n%s", command, err, errs.String())
	} else if isOurs && out.Len() == 0 && !strings.Contains(command, " > ") {
		t.Errorf("%s printed nothing", command)
	}
	if !isOurs {
		return ""
	}
	return out.String() + errs.String()
}

// inBash is a command whose words, braces, quotes and redirections bash reads. Its process is bash's: a signal comes to
// the command. rths is TestMain's.
func inBash(command string) *exec.Cmd {
	return exec.Command("bash", "--noprofile", "--norc", "-c", "OpenSees() { exec \"$RTHS_OPENSEES\" \"$@\"; }; "+command)
}

// copyMethods copies examples/wasm into the folder; what is there stays.
func copyMethods(t *testing.T) {
	t.Helper()
	names, err := filepath.Glob(methods)
	if err != nil || len(names) < 6 {
		t.Fatalf("%s: %d files, %v", methods, len(names), err)
	}
	for _, name := range names {
		if _, err := os.Stat(filepath.Base(name)); err == nil {
			continue
		}
		text, err := os.ReadFile(name)
		if err == nil {
			err = os.WriteFile(filepath.Base(name), text, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// methods are the files of examples/wasm. The tests change the folder later.
var methods = func() string {
	pattern, err := filepath.Abs("../../examples/wasm/*.*")
	if err != nil {
		log.Fatal(err)
	}
	return pattern
}()

// copyCounterparts copies the sources that pages compile into the folder.
func copyCounterparts(t *testing.T) {
	t.Helper()
	for _, name := range counterparts {
		text, err := os.ReadFile(name)
		if err == nil {
			err = os.WriteFile(filepath.Base(name), text, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// inBackground runs a command until the end of the page, where a signal
// ends it: Ctrl-C, as rths wants, or one that needs no answer.
func inBackground(t *testing.T, command string, end os.Signal) {
	c := inBash("exec " + command)
	var errs bytes.Buffer
	c.Stderr = &errs
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.Process.Signal(end)
		if err := c.Wait(); err != nil && end == os.Interrupt || errs.Len() > 0 && end == os.Kill {
			t.Errorf("%s: %v\n%s", command, err, errs.String())
		}
	})
}

// counterparts are the sources that pages compile. The tests change the folder later.
var counterparts = func() []string {
	folder, err := filepath.Abs("../../lab/rig/wire/testdata")
	if err != nil {
		log.Fatal(err)
	}
	return []string{filepath.Join(folder, "counterpart.c"), filepath.Join(folder, "counterpart_hmac.c")}
}()

// installed tells whether a block's need is met.
func installed(needs string) bool {
	switch needs {
	case "records":
		return os.Getenv("RTHS_RECORDS") != ""
	case "opensees":
		return os.Getenv("RTHS_OPENSEES") != ""
	case "slurm":
		return os.Getenv("RTHS_SLURM") == "1"
	case "octave":
		_, err := exec.LookPath("octave-cli")
		return err == nil
	case "wasm":
		return true
	case "clang":
		_, err := exec.LookPath("clang")
		_, noLinker := exec.LookPath("wasm-ld")
		return err == nil && noLinker == nil
	case "cc":
		_, err := exec.LookPath("cc")
		return err == nil
	}
	return python(needs) != ""
}

// python is the Python that has the module: the first one found, or the
// system's; "" where neither has.
func python(module string) string { return pythons()[module] }

// pythons asks each Python once for all modules that pages need.
var pythons = sync.OnceValue(func() map[string]string {
	have := map[string]string{}
	for _, program := range []string{"/usr/bin/python3", "python3"} {
		const find = "import importlib.util as u; print(*[m for m in ['numpy', 'pandas', 'pyarrow', 'scipy'] if " +
			"u.find_spec(m)])"
		out, err := exec.Command(program, "-c", find).Output()
		if err != nil {
			continue
		}
		for module := range strings.FieldsSeq(string(out)) {
			have[module] = program
		}
	}
	return have
})
