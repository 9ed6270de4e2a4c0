package main

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// word is a word, a number or a sign.
var word = regexp.MustCompile(`[\pL\pN_.+\-]+|[^\s\pL\pN_.+\-]`)

func words(text string) []string { return word.FindAllString(text, -1) }

// comparison counts.
type comparison struct {
	texts, words int
	volatile     int      // words that the old program does not repeat
	loose        []string // texts whose number of words it does not repeat
	differences  []string
}

func (c *comparison) add(d comparison) {
	c.texts += d.texts
	c.words += d.words
	c.volatile += d.volatile
	c.loose = append(c.loose, d.loose...)
	c.differences = append(c.differences, d.differences...)
}

// compare compares two runs of the old program with one of the new.
func compare(old, again, now tree) comparison {
	var c comparison
	names := maps.Clone(old)
	maps.Copy(names, now)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		a, inOld := old[name]
		b, twice := again[name]
		n, inNew := now[name]
		switch {
		case !inOld && !twice:
			c.differ("%s: new", name)
		case !inOld || !twice:
			c.loose = append(c.loose, name)
		case !inNew:
			c.differ("%s: gone", name)
		case len(a) != len(b):
			c.loose = append(c.loose, name)
		default:
			c.texts++
			c.compareWords(name, a, b, n)
		}
	}
	return c
}

func (c *comparison) differ(format string, args ...any) {
	c.differences = append(c.differences, fmt.Sprintf(format, args...))
}

// compareWords tells the first difference of two lists of words, with the words before it.
func (c *comparison) compareWords(name string, a, b, n []string) {
	for i, w := range a {
		if w != b[i] {
			c.volatile++
			continue
		}
		if i >= len(n) || n[i] != w {
			c.differ("%s: … %s ⟨%s⟩, was ⟨%s⟩", name, strings.Join(a[max(0, i-8):i], " "), upTo(n, i, 8), upTo(a, i, 8))
			return
		}
		c.words++
	}
	if len(n) > len(a) {
		c.differ("%s: more: %s", name, upTo(n, len(a), 8))
	}
}

// upTo are some words from place i on.
func upTo(w []string, i, most int) string {
	if i >= len(w) {
		return "end"
	}
	return strings.Join(w[i:min(len(w), i+most)], " ")
}
