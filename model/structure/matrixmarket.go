package structure

import (
	"bufio"
	"fmt"
	"io"

	"rths/maths/lti"
)

// WriteMatrixMarket writes a symmetric matrix in the format Matrix Market (coordinate real symmetric: the
// lower triangle, counted from 1), with 17 digits and a comment of one line.
func WriteMatrixMarket(w io.Writer, a *lti.CSR, comment string) error {
	lower := 0
	a.Each(func(i, j int, v float64) {
		if j <= i && v != 0 {
			lower++
		}
	})
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "%%%%MatrixMarket matrix coordinate real symmetric\n%% %s\n%d %d %d\n", comment, a.Rows(), a.Rows(),
		lower)
	a.Each(func(i, j int, v float64) {
		if j <= i && v != 0 {
			fmt.Fprintf(out, "%d %d %.17g\n", i+1, j+1, v)
		}
	})
	return out.Flush()
}
