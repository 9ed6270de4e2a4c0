package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"rths/result/record"
)

// Control characters, direction marks and broken letters are shown; all else is as it
// was, whatever the pieces it is written in.
func TestPrinterEscapes(t *testing.T) {
	for text, want := range map[string]string{
		"m/s²\tΔ – 地震\n":       "m/s²\tΔ – 地震\n",
		"\x1b[31mred\x07":      `\x1b[31mred\x07`,
		"a\rb\x00\x7f":         `a\x0db\x00\u007f`,
		"csi \u009b31m":        `csi \u009b31m`,
		"gpj\u202exe\u2066":    `gpj\u202exe\u2066`,
		"line\u2028line":       `line\u2028line`,
		"\xff\xfe broken \xe2": `\xff\xfe broken \xe2`,
		"":                     "",
	} {
		for size := 1; size <= len(text)+1; size++ {
			var out bytes.Buffer
			p := &printer{to: &out}
			for rest := text; rest != ""; {
				piece := rest[:min(size, len(rest))]
				if n, err := p.Write([]byte(piece)); n != len(piece) || err != nil {
					t.Fatalf("%q: wrote %d, %v", piece, n, err)
				}
				rest = rest[len(piece):]
			}
			p.close()
			if out.String() != want {
				t.Errorf("%q in pieces of %d: got %q, want %q", text, size, &out, want)
			}
		}
	}
}

// JSON means the same after the printer.
func TestPrinterJSON(t *testing.T) {
	want := "\x1b \x7f \u009b \u202e \u2028 \\ ² 𝄞"
	var out bytes.Buffer
	if err := record.WriteJSON(&printer{to: &out}, want); err != nil {
		t.Fatal(err)
	}
	var got string
	if err := json.Unmarshal(out.Bytes(), &got); err != nil || got != want {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
	if strings.ContainsAny(out.String(), "\x1b\x7f\u009b\u202e") {
		t.Errorf("%q holds control characters", &out)
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestPrinterRemembersFailure(t *testing.T) {
	p := &printer{to: full{}}
	if _, err := p.Write([]byte("text")); err == nil || p.err == nil {
		t.Errorf("%v, %v: want the failure twice", err, p.err)
	}
}
