package syntax

import (
	"bytes"
	"errors"
	"fmt"
	"unicode"
	"unicode/utf8"

	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/token"
)

// Bounds of a scenario. The YAML library takes unbounded memory for deep nesting, and a
// time that grows with the square of the number of keys. Entries are counted before the
// library cuts the text into tokens, depth and keys before the library builds its tree.
const (
	LargestText = 4 << 20 // bytes; the matrices of 300 degrees of freedom take 2 MB
	deepest     = 32      // blocks and lists inside each other
	mostKeys    = 10_000
	mostEntries = 400_000 // of lists and blocks; three matrices of 300 degrees of freedom take 270 000
	longName    = 100     // bytes of a key
)

// tokenize cuts the text into the tokens of the YAML library, and refuses text beyond the
// bounds of a scenario.
func tokenize(name string, text []byte) (token.Tokens, error) {
	if len(text) > LargestText {
		return nil, fmt.Errorf("%s: found %.4g MB: want a scenario of at most %.4g MB", name, float64(len(text))/1e6,
			float64(LargestText)/1e6)
	}
	if err := wantText(name, text); err != nil {
		return nil, err
	}
	if n := entries(text); n > mostEntries {
		return nil, fmt.Errorf("%s: found some %d entries: want a scenario of at most %d", name, n, mostEntries)
	}
	tokens := lexer.Tokenize(string(text))
	var n nesting
	for _, t := range tokens {
		if err := n.take(t); err != nil {
			return nil, fmt.Errorf("%s: %w", place(name, t), err)
		}
	}
	return tokens, nil
}

// entries are the signs that begin an entry of a list or a block.
func entries(text []byte) int {
	n := 0
	for _, sign := range []string{",", "[", "{", "\n", "- "} {
		n += bytes.Count(text, []byte(sign))
	}
	return n
}

// wantText refuses a file that is binary or in another encoding.
func wantText(name string, text []byte) error {
	line, begin := 1, 0
	for i := 0; i < len(text); {
		c, size := utf8.DecodeRune(text[i:])
		switch {
		case c == '\n':
			line, begin = line+1, i+1
		case c == utf8.RuneError && size == 1:
			return fmt.Errorf("%s:%d:%d: found byte %#02x: want text in UTF-8", name, line, i-begin+1, text[i])
		case unicode.IsControl(c) && c != '\t' && c != '\r':
			return fmt.Errorf("%s:%d:%d: found the control character %U: want text without any", name, line, i-begin+1, c)
		}
		i += size
	}
	return nil
}

func place(name string, t *token.Token) string {
	if t == nil || t.Position == nil {
		return name
	}
	return fmt.Sprintf("%s:%d:%d", name, t.Position.Line, t.Position.Column)
}

// nesting follows how deep blocks and lists stand inside each other.
type nesting struct {
	brackets        []token.Type // [ and { that are open
	columns         []int        // where the open blocks begin
	keys, documents int
}

// take looks at the next token.
func (n *nesting) take(t *token.Token) error {
	switch t.Type {
	case token.AnchorType, token.AliasType, token.TagType, token.MergeKeyType:
		return fmt.Errorf("found %.20q: anchors, aliases, tags and merge keys are not used in scenarios", t.Value)
	case token.DirectiveType, token.MappingKeyType:
		return fmt.Errorf(
			"found %.20q: directives and keys after a question mark are not used in scenarios (a comment begins with #)",
			t.Value)
	case token.DocumentHeaderType:
		if n.documents++; n.documents > 1 {
			return errors.New("a second document begins: want one")
		}
	case token.SequenceStartType, token.MappingStartType:
		n.brackets = append(n.brackets, t.Type)
	case token.SequenceEndType:
		n.closeBracket(token.SequenceStartType)
	case token.MappingEndType:
		n.closeBracket(token.MappingStartType)
	case token.SequenceEntryType:
		n.block(t)
	case token.MappingValueType:
		if n.keys++; n.keys > mostKeys {
			return fmt.Errorf("found more than %d keys: want a scenario", mostKeys)
		}
		if t.Prev != nil {
			n.block(t.Prev) // its key
		}
	}
	if len(n.brackets)+len(n.columns) > deepest+1 {
		return fmt.Errorf("nested deeper than %d levels", deepest)
	}
	return nil
}

// closeBracket closes the innermost bracket, whatever its kind: the parser refuses a wrong
// one.
func (n *nesting) closeBracket(kind token.Type) {
	if last := len(n.brackets) - 1; last >= 0 && n.brackets[last] == kind {
		n.brackets = n.brackets[:last]
	}
}

// block is a key or a dash: it ends the blocks that begin right of it, and begins one
// where none begins in its column.
func (n *nesting) block(t *token.Token) {
	if len(n.brackets) > 0 || t.Position == nil {
		return
	}
	at := t.Position.Column
	for len(n.columns) > 0 && n.columns[len(n.columns)-1] > at {
		n.columns = n.columns[:len(n.columns)-1]
	}
	if len(n.columns) == 0 || n.columns[len(n.columns)-1] < at {
		n.columns = append(n.columns, at)
	}
}
