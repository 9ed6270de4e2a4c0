package main

import (
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"rths/result/record"
)

// printer writes the output of a command. It keeps the error of an incomplete write: half
// a table on a full disk is no success. It shows control characters as \x1b and the like:
// keys, names and titles come from files, and a terminal would obey them.
type printer struct {
	to   io.Writer
	err  error
	rest []byte // the begun letter at the end of the last Write
}

func (p *printer) Write(b []byte) (int, error) {
	text, rest := escaped(append(p.rest, b...))
	p.rest = append([]byte(nil), rest...)
	p.put(text)
	if p.err != nil {
		return 0, p.err
	}
	return len(b), nil
}

// close writes the bytes of an incomplete letter.
func (p *printer) close() {
	for _, c := range p.rest {
		p.put(fmt.Appendf(nil, `\x%02x`, c))
	}
	p.rest = nil
}

func (p *printer) put(text []byte) {
	if p.err == nil {
		_, p.err = p.to.Write(text)
	}
}

// escaped makes control characters of the text visible, up to an incomplete letter at its
// end. The encoder of JSON has escaped control characters already; escaped leaves its \u
// alone.
func escaped(text []byte) (shown, rest []byte) {
	done := 0 // bytes of text that are in shown
	for i := 0; i < len(text); {
		if c := text[i]; ' ' <= c && c <= '~' { // nearly all: the rest of the loop takes long
			i++
			continue
		}
		c, size := utf8.DecodeRune(text[i:])
		switch {
		case c == utf8.RuneError && size == 1 && !utf8.FullRune(text[i:]):
			return append(shown, text[done:i]...), text[i:]
		case c == utf8.RuneError && size == 1, c < ' ' && c != '\n' && c != '\t':
			shown = fmt.Appendf(append(shown, text[done:i]...), `\x%02x`, text[i])
			done = i + size
		case unicode.IsControl(c) && c >= ' ', unicode.Is(unicode.Bidi_Control, c), c == '\u2028', c == '\u2029':
			shown = fmt.Appendf(append(shown, text[done:i]...), `\u%04x`, c)
			done = i + size
		}
		i += size
	}
	if done == 0 {
		return text, nil
	}
	return append(shown, text[done:]...), nil
}

// show prints a result: its document with --json, and its text without. The printer keeps the error of a write.
func (a *app) show(out io.Writer, document any, text func(io.Writer)) error {
	if a.json {
		return record.WriteJSON(out, document)
	}
	text(out)
	return nil
}

// lines ends every text with a new line.
func lines(list []string) string {
	var b strings.Builder
	for _, text := range list {
		b.WriteString(text + "\n")
	}
	return b.String()
}

// writeText writes a text, as files.Write wants it.
func writeText(text string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	}
}
