package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// generated is the line after which the program writes a page.
const generated = "<!-- Generated "

// byHand are the texts that people wrote, by their paths in the repository.
func byHand(t *testing.T) map[string]string {
	out := map[string]string{}
	for _, p := range Pages() {
		if p.Path != "internals/validation.md" { // rths benchmark writes it
			out["docs/"+p.Path], _, _ = strings.Cut(p.Text, generated)
		}
	}
	for _, name := range []string{"README.md", "CONTRIBUTING.md"} {
		text, err := os.ReadFile(filepath.Join("..", name))
		if err != nil {
			t.Fatal(err)
		}
		out[name] = string(text)
	}
	return out
}

// unused are words that no page has: nobody of the field says so.
var unused = regexp.MustCompile(
	`(?i)\b(is borne|behind|one behind the other|it is said|is said to|must stand by itself|those of|` +
		`that of the|wherefore|whereof)\b`)

const (
	longestSentence = 30     // words
	mostWords       = 45_000 // that a person wrote: decisions, commands with their output and table marks aside
)

// Pages are plain: no words that nobody of the field says, no sentence of more than 30 words, a text for each image,
// and no more words than a person reads.
func TestPagesArePlain(t *testing.T) {
	words := 0
	for name, text := range byHand(t) {
		words += len(strings.Fields(strings.ReplaceAll(blocks.ReplaceAllString(text, ""), "|", " ")))
		for i, line := range strings.Split(text, "\n") {
			if m := unused.FindString(targets.ReplaceAllString(line, "]")); m != "" {
				t.Errorf("%s:%d: %q is a word that pages do not use", name, i+1, m)
			}
			if strings.Contains(line, "![](") {
				t.Errorf("%s:%d: an image without a text", name, i+1)
			}
		}
		for _, s := range sentences(text) {
			if n := len(strings.Fields(s)); n > longestSentence {
				t.Errorf("%s: a sentence of %d words: %s", name, n, s)
			}
		}
	}
	if words > mostWords {
		t.Errorf("people wrote %d words: want at most %d", words, mostWords)
	}
}

var (
	blocks  = regexp.MustCompile("(?ms)^ *```.*?^ *```")
	spans   = regexp.MustCompile("`[^`]*`")
	targets = regexp.MustCompile(`\]\([^)]*\)`)
	ends    = regexp.MustCompile(`[.!?:;]["”)*]*\s`)
)

// sentences are the sentences of the paragraphs and lists of a page: code counts as one word. A colon and a semicolon
// end one, as they do for a reader.
func sentences(page string) (out []string) {
	page = blocks.ReplaceAllString(page, "\n")
	page = spans.ReplaceAllString(page, "code")
	page = targets.ReplaceAllString(page, "]")
	var paragraph []string
	flush := func() {
		for _, s := range ends.Split(strings.Join(paragraph, " ")+" ", -1) {
			out = append(out, strings.TrimSpace(s))
		}
		paragraph = nil
	}
	for _, line := range strings.Split(page, "\n") {
		text := strings.TrimSpace(line)
		begins := strings.HasPrefix(text, "- ") || strings.HasPrefix(text, "* ") || strings.HasPrefix(text, "#") ||
			strings.HasPrefix(text, "|") ||
			text == "" || len(text) > 2 && text[0] >= '0' && text[0] <= '9' && text[1] == '.'
		if begins {
			flush()
		}
		if !strings.HasPrefix(text, "|") && !strings.HasPrefix(line, "    ") {
			paragraph = append(paragraph, text)
		}
	}
	flush()
	return out
}

// Each page of start and guides shows a command, which a test runs.
func TestGuidesShowCommands(t *testing.T) {
	for _, p := range Pages() {
		folder, name := filepath.Split(p.Path)
		if (folder == "start/" || folder == "guides/") && name != "index.md" && !strings.Contains(p.Text, "\n```console") {
			t.Errorf("%s: no block of commands", p.Path)
		}
	}
}

// The checker notices what it is for.
func TestSentences(t *testing.T) {
	got := sentences(
		"# Title\n\nOne two. Three\nfour: five.\n\n```console\n$ rths run a long line that is no sentence\n```\n- six " +
			"`seven eight`\n- nine\n\n| a | b |\n")
	want := []string{"# Title", "One two", "Three four", "five", "- six code", "- nine"}
	var kept []string
	for _, s := range got {
		if s != "" {
			kept = append(kept, s)
		}
	}
	if strings.Join(kept, "|") != strings.Join(want, "|") {
		t.Errorf("%q: want %q", kept, want)
	}
}
