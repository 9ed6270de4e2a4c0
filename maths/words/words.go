package words

import "strings"

// Nearest is the name that a misspelt one may mean: that with the fewest edits, at most two
// and fewer than it has letters; "" if there is none.
func Nearest(name string, names []string) string {
	best, least := "", min(3, len(name))
	for _, n := range names {
		if dist := Distance(name, n); dist < least {
			best, least = n, dist
		}
	}
	return best
}

// Distance is the number of edits of single letters, and of swaps of neighbours, between two words (optimal string
// alignment).
func Distance(a, b string) int {
	before, row, next := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		next[0] = i + 1
		for j := range len(b) {
			cost := row[j]
			if a[i] != b[j] {
				cost++
			}
			next[j+1] = min(cost, next[j]+1, row[j+1]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				next[j+1] = min(next[j+1], before[j-1]+1)
			}
		}
		before, row, next = row, next, before
	}
	return row[len(b)]
}

// Meant asks whether one of the names was meant, as the end of an error; "" without names.
func Meant(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return ": did you mean " + strings.Join(names, ", ") + "?"
}

// LongestName is the most bytes of a name.
const LongestName = 40

// IsName reports whether a text is a letter and then letters, digits and _, LongestName at most.
func IsName(name string) bool {
	for i, c := range name {
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !letter && (i == 0 || c != '_' && (c < '0' || c > '9')) {
			return false
		}
	}
	return name != "" && len(name) <= LongestName
}
