package main

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// equivalent is the list of mutants that no test can notice, by file, function, line
// before and line after: line numbers move too often. The value is how many mutants of
// the package a block has matched.
type equivalent map[string]int

// readEquivalent reads blocks separated by empty lines; a line that begins with # is a
// remark, in a block of its own:
//
//	maths/lti/matrix.go pivot
//	- if a > b {
//	+ if a >= b {
//	because of two equal pivots either will do.
func readEquivalent(text string) (equivalent, error) {
	list := equivalent{}
	for block := range strings.SplitSeq(strings.TrimSpace(text), "\n\n") {
		lines := strings.SplitN(strings.TrimSpace(block), "\n", 4)
		if strings.HasPrefix(lines[0], "#") || lines[0] == "" {
			continue
		}
		if len(lines) < 4 || !strings.HasPrefix(lines[1], "- ") || !strings.HasPrefix(lines[2], "+ ") {
			return nil, fmt.Errorf("equivalent.txt: the block %q wants four lines: file and function, - before, + after, reason",
				lines[0])
		}
		place, before, after := lines[0], oneLine(lines[1][2:]), oneLine(lines[2][2:])
		list[key(place, before, after)] = 0
	}
	return list, nil
}

func key(place, before, after string) string {
	return strings.TrimSpace(place) + "\n- " + before + "\n+ " + after
}

// without are the mutants not on the list, and how many are.
func (list equivalent) without(all []mutant) (rest []mutant, listed int) {
	for _, m := range all {
		before, after := m.lines()
		k := key(m.file+" "+m.function, before, after)
		if _, ok := list[k]; ok {
			list[k]++
			listed++
			continue
		}
		rest = append(rest, m)
	}
	return rest, listed
}

// warnUnmatched names the blocks about the package that match none of its mutants: the code
// has changed and the block has to go.
func (list equivalent) warnUnmatched(pkg string, all []mutant) {
	folder := path.Dir(filepath.ToSlash(all[0].file))
	for k, n := range list {
		file, _, _ := strings.Cut(k, " ")
		if n == 0 && path.Dir(file) == folder {
			fmt.Fprintf(os.Stderr, "equivalent.txt: no mutant of %s is\n%s\n", pkg, k)
		}
	}
}
