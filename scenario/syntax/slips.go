package syntax

import (
	"fmt"
	"strings"
)

// slip says what is wrong with the layout of a text that is no valid YAML, with its place,
// or nil if no line is wrong by itself. The YAML library often names the line before, and
// speaks of its own tokens.
func slip(name, text string) error {
	l := layout{}
	for i, line := range strings.Split(text, "\n") {
		l.line = i + 1
		if what := l.take(strings.TrimRight(line, " \r")); what != "" {
			return fmt.Errorf("%s:%d:%d: %s", name, l.line, l.column, what)
		}
	}
	if len(l.open) > 0 {
		what := l.unclosed()
		return fmt.Errorf("%s:%d:%d: %s", name, l.line, l.column, what)
	}
	return nil
}

// layout follows the lines of a text.
type layout struct {
	line, column int
	open         []bracket
	blocks       []level // the blocks that the line may belong to, from the outermost
}

type bracket struct {
	sign         byte
	line, column int
}

var closing = map[byte]byte{'{': '}', '[': ']'}

// level is a block by its column, from 1, and the last key in it.
type level struct {
	column int
	key    string
	full   bool // the key has a value in its own line
	inner  int  // column of the block below the key; 0: none yet
}

// dash stands for the key of an entry of a list.
const dash = "the dash"

// unclosed goes back to the innermost open bracket.
func (l *layout) unclosed() string {
	b := l.open[len(l.open)-1]
	l.line, l.column = b.line, b.column
	return fmt.Sprintf("found %c without its %c: want both", b.sign, closing[b.sign])
}

// take looks at the next line, and says what is wrong with it.
func (l *layout) take(line string) string {
	body := strings.TrimLeft(line, " ")
	l.column = len(line) - len(body) + 1
	if trimmed := strings.TrimLeft(body, "\t "); body != "" && body[0] == '\t' && trimmed != "" && trimmed[0] != '#' &&
		len(l.open) == 0 {
		return "found a tab before the first letter: want spaces, as YAML takes no tabs there"
	}
	body = strings.TrimSpace(body)
	if body == "" || body[0] == '#' || strings.HasPrefix(body, "---") {
		return ""
	}
	if len(l.open) > 0 {
		if _, _, isKey := splitKey(body); isKey && l.column == 1 {
			return l.unclosed()
		}
		return l.brackets(body, l.column)
	}
	for strings.HasPrefix(body, "- ") || body == "-" {
		if what := l.enter("", dash); what != "" {
			return what
		}
		rest := strings.TrimLeft(body[1:], " ")
		l.column += len(body) - len(rest)
		body = rest
		l.blocks[len(l.blocks)-1].inner = l.column
		l.blocks = append(l.blocks, level{column: l.column, key: dash})
	}
	if body == "" || strings.IndexByte("{[\"'", body[0]) >= 0 {
		return l.brackets(body, l.column)
	}
	return l.takeKey(body)
}

// takeKey looks at a line of the form KEY: VALUE, or at an entry of a list.
func (l *layout) takeKey(body string) string {
	key, value, ok := splitKey(body)
	last := len(l.blocks) - 1
	switch {
	case !ok && last >= 0 && l.blocks[last].key == dash && l.blocks[last].column == l.column:
		return "" // an entry of a list
	case !ok && (strings.HasPrefix(body, "//") || strings.HasPrefix(body, "%")):
		return fmt.Sprintf("found %.40q: want # before a comment", body)
	case !ok && strings.Contains(body, ":"):
		return fmt.Sprintf("found %.40q: want a space after the colon", body)
	case !ok && body[0] == '-':
		return fmt.Sprintf("found %.40q: want KEY: VALUE, or a space after the dash of a list's entry", body)
	case !ok:
		return fmt.Sprintf("found %.40q: want KEY: VALUE", body)
	}
	if what := l.enter(value, key); what != "" {
		return what
	}
	if value != "" && strings.IndexByte("{[\"'|>", value[0]) < 0 {
		if inner, _, second := splitKey(value); second {
			return fmt.Sprintf(
				"found the keys %.40s and %.40s in a line: want {…} around the block, as in %.40s: {%.40s}, or a line for each key",
				key, inner, key, value)
		}
	}
	return l.brackets(value, l.column+len(body)-len(value))
}

// enter puts a key or a dash into the block of its column.
func (l *layout) enter(value, key string) string {
	for len(l.blocks) > 0 && l.blocks[len(l.blocks)-1].column > l.column {
		l.blocks = l.blocks[:len(l.blocks)-1]
	}
	now := level{column: l.column, key: key, full: value != "" && !strings.HasPrefix(value, "#")}
	if len(l.blocks) == 0 {
		l.blocks = append(l.blocks, now)
		return ""
	}
	above := &l.blocks[len(l.blocks)-1]
	switch {
	case above.column == l.column && key == "kind" && !above.full && above.inner == 0 && above.key != dash:
		return fmt.Sprintf("found kind in column %d: want all lines of the block further in than %.40s", l.column, above.key)
	case above.column == l.column:
		*above = now
	case above.full:
		return fmt.Sprintf(
			"found %.40s in column %d: want column %d, as %.40s above, which has a value and so takes no block", key, l.column,
			above.column, above.key)
	case above.inner > 0:
		return fmt.Sprintf("found %.40s in column %d: want column %d, as the lines above, or column %d, as %.40s", key,
			l.column, above.inner, above.column, above.key)
	default:
		above.inner = l.column
		l.blocks = append(l.blocks, now)
	}
	return ""
}

// splitKey cuts KEY: VALUE.
func splitKey(body string) (key, value string, ok bool) {
	if before, found := strings.CutSuffix(body, ":"); found && !strings.Contains(before, ": ") {
		return before, "", true
	}
	key, value, ok = strings.Cut(body, ": ")
	return key, strings.TrimSpace(value), ok && key != ""
}

// brackets follows the brackets of a text that begins in the column, outside of quotes and
// comments, and says what is wrong with them.
func (l *layout) brackets(text string, column int) string {
	quote := byte(0)
	for i := range len(text) {
		switch c := text[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '#' && (i == 0 || text[i-1] == ' '):
			return ""
		case c == '{' || c == '[':
			l.open = append(l.open, bracket{c, l.line, column + i})
		case (c == '}' || c == ']') && len(l.open) > 0:
			b := l.open[len(l.open)-1]
			if c != closing[b.sign] {
				l.column = column + i
				return fmt.Sprintf("found %c: want %c first, for the %c of line %d, column %d", c, closing[b.sign], b.sign, b.line,
					b.column)
			}
			l.open = l.open[:len(l.open)-1]
		}
	}
	return ""
}
