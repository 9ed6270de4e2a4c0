package rths

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

// Distance is the number of single-letter edits between two words.
func Distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diag := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diag
			if a[i] != b[j] {
				cost++
			}
			diag = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
