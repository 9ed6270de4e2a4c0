package syntax

import "strings"

// Cursor is a place in a text that is being written: it may not be YAML yet.
type Cursor struct {
	Path   []string          // keys from the top to the block or the value at the place; a list's dash is "[]"
	Word   string            // what stands before the place of the key or value that is being written
	From   int               // column where Word begins, from 0, in bytes
	Value  bool              // the place is that of a value, of the last key of Path
	Beside map[string]string // plain values of the block at the place, as kind: amb
}

// At is the cursor at a byte of a line, both from 0. It goes by indentation and by the braces of its line: a flow block
// over several lines is read as its first line.
func At(text string, line, column int) Cursor {
	lines := strings.Split(text, "\n")
	if line < 0 || line >= len(lines) {
		return Cursor{}
	}
	now := strings.TrimRight(lines[line], "\r")
	column = max(0, min(column, len(now)))
	c := Cursor{Path: above(lines, line, depthOf(now, column)), Beside: map[string]string{}}
	c.within(now, column)
	c.beside(lines, line, now, column)
	return c
}

// indent is the column of the first letter of a line, past dashes of a list; -1: it has none.
func indent(line string) int {
	at := len(line) - len(strings.TrimLeft(line, " -"))
	if rest := line[at:]; rest == "" || rest[0] == '#' || rest[0] == '\r' {
		return -1
	}
	return at
}

// depthOf is the column of a line in which a key begins, or may begin.
func depthOf(line string, column int) int {
	if at := indent(line); at >= 0 {
		return at
	}
	return column
}

// keyOf is the key of a line and what follows its colon; "": there is none.
func keyOf(line string) (key, rest string) {
	name, rest, ok := strings.Cut(strings.TrimLeft(line, " -"), ":")
	if !ok || strings.ContainsAny(name, "{[#\"' ") {
		return "", ""
	}
	return name, strings.TrimSpace(rest)
}

// above are the keys of the blocks that a line at a depth lies in.
func above(lines []string, line, depth int) []string {
	var path []string
	dashed := func(text string) bool { return strings.HasPrefix(strings.TrimLeft(text, " "), "- ") }
	if line < len(lines) && dashed(lines[line]) {
		path = append(path, "[]")
	}
	for i := line - 1; i >= 0 && depth > 0; i-- {
		at := indent(lines[i])
		if at < 0 || at > depth {
			continue
		}
		if at == depth {
			if dashed(lines[i]) && (len(path) == 0 || path[len(path)-1] != "[]") {
				path = append(path, "[]")
			}
			continue
		}
		if key, _ := keyOf(lines[i]); key != "" {
			path = append(path, key)
		}
		depth = at
	}
	for i, j := 0, len(path)-1; i < j; i, j = i+1, j-1 {
		path[i], path[j] = path[j], path[i]
	}
	return path
}

// within goes through the line to the column: into its key, and into braces.
func (c *Cursor) within(line string, column int) {
	start := max(0, indent(line))
	c.From, c.Value = min(start, column), false
	var open []int
	for i := start; i < column; i++ {
		switch ch := line[i]; {
		case ch == '#' && (i == 0 || line[i-1] == ' '):
			c.From, c.Word = column, ""
			return
		case ch == ':' && (i+1 == len(line) || line[i+1] == ' ') && !c.Value:
			c.Path = append(c.Path, strings.Trim(strings.TrimSpace(line[c.From:i]), "{- "))
			c.Value, c.From = true, i+1
		case ch == '{' || ch == '[':
			open = append(open, len(c.Path))
			c.Value, c.From = ch == '[', i+1
		case ch == '}' || ch == ']':
			if len(open) > 0 {
				c.Path, open = c.Path[:open[len(open)-1]], open[:len(open)-1]
			}
			c.Value, c.From = true, i+1
		case ch == ',' && len(open) > 0:
			if len(c.Path) > open[len(open)-1] {
				c.Path, c.Value = c.Path[:open[len(open)-1]], false
			}
			c.From = i + 1
		}
	}
	for c.From < column && line[c.From] == ' ' {
		c.From++
	}
	c.Word = line[c.From:column]
}

// beside collects the plain values of the block at the place.
func (c *Cursor) beside(lines []string, line int, now string, column int) {
	if open := strings.LastIndexByte(now[:column], '{'); open >= 0 && !strings.Contains(now[open:column], "}") {
		end := len(now)
		if shut := strings.IndexByte(now[column:], '}'); shut >= 0 {
			end = column + shut
		}
		for part := range strings.SplitSeq(now[open+1:end], ",") {
			c.note(part)
		}
		return
	}
	depth := depthOf(now, column)
	for _, way := range []int{-1, 1} {
		for i := line; i >= 0 && i < len(lines); i += way {
			at := indent(lines[i])
			if at < 0 || at > depth {
				continue
			}
			if at < depth {
				break
			}
			c.note(lines[i])
		}
	}
}

func (c *Cursor) note(line string) {
	if key, value := keyOf(strings.TrimSpace(line)); key != "" {
		value, _, _ = strings.Cut(value, " #")
		if value = strings.TrimSpace(value); value != "" && value[0] != '{' && value[0] != '[' {
			c.Beside[key] = value
		}
	}
}
