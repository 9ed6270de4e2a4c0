package catalogue

import (
	"slices"
	"strings"
)

// fits is a test whether a query chooses an entry with these texts and tags.
func (q *Query) fits() func(e *Entry) bool {
	named := q.named()
	return func(e *Entry) bool {
		if !named(e) || q.Kind != "" && e.Kind != q.Kind {
			return false
		}
		if !q.Since.IsZero() || !q.Before.IsZero() {
			began, ok := e.Began()
			if !ok || began.Before(q.Since) || !q.Before.IsZero() && !began.Before(q.Before) {
				return false
			}
		}
		for _, tag := range q.Tags {
			if !slices.Contains(e.Tags, tag) {
				return false
			}
		}
		return true
	}
}

// named is the test of the name. Capitals are as good as small letters.
func (q *Query) named() func(e *Entry) bool {
	part := strings.ToLower(q.Name)
	if strings.ContainsAny(part, "*?[") {
		pattern := []rune(part)
		is := func(text string) bool { return glob(pattern, []rune(strings.ToLower(text))) }
		return func(e *Entry) bool { return is(e.Name) || is(e.Folder) }
	}
	has := func(text string) bool { return strings.Contains(strings.ToLower(text), part) }
	return func(e *Entry) bool { return has(e.Name) || has(e.Folder) }
}

// glob reports whether a pattern is that of a whole text: * is any text, ? a character, [a-z] one of some, and [^a-z]
// one of all others.
func glob(pattern, text []rune) bool {
	p, t := 0, 0
	star, from := -1, 0 // the last * so far, and the text behind what it stands for
	for t < len(text) {
		if p < len(pattern) && pattern[p] == '*' {
			star, from = p, t
			p++
		} else if n := oneOf(pattern[p:], text[t]); n > 0 {
			p, t = p+n, t+1
		} else if star < 0 {
			return false
		} else {
			from++
			p, t = star+1, from
		}
	}
	return len(strings.Trim(string(pattern[p:]), "*")) == 0
}

// oneOf is the length of what stands for one character at the beginning of a pattern; 0 where that is another one.
func oneOf(pattern []rune, c rune) int {
	switch {
	case len(pattern) == 0:
		return 0
	case pattern[0] == '?' || pattern[0] == c && c != '[':
		return 1
	case pattern[0] != '[':
		return 0
	}
	i, found, wanted := 1, false, true
	if i < len(pattern) && pattern[i] == '^' {
		i, wanted = i+1, false
	}
	for first := i; i < len(pattern); i++ {
		low, high := pattern[i], pattern[i]
		if low == ']' && i > first {
			if found == wanted {
				return i + 1
			}
			return 0
		}
		if i+2 < len(pattern) && pattern[i+1] == '-' && pattern[i+2] != ']' {
			high = pattern[i+2]
			i += 2
		}
		found = found || low <= c && c <= high
	}
	return 0 // a [ without its ]
}
