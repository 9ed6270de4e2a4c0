package structure

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"rths"
	"rths/maths/lti"
)

// market is a Matrix Market file while it is read (Boisvert, Pozo and Remington 1996, NISTIR 5935): a heading, comments
// after %, a line of sizes, and a line for each entry (coordinate) or number (array, column by column). The file of a
// symmetric matrix has the lower triangle alone.
type market struct {
	*lines
	t          *Table
	coordinate bool
	symmetric  bool
	count      int // of entries or numbers
}

// readMatrixMarket reads a matrix of real or whole numbers, general or symmetric.
func readMatrixMarket(r io.Reader) (*Table, error) {
	l, err := newLines(r)
	if err != nil {
		return nil, err
	}
	m := &market{lines: l, t: &Table{}}
	heading, ok, err := l.next("")
	if err == nil && !ok {
		err = errNoNumbers
	}
	if err == nil {
		err = m.heading(heading)
	}
	if err == nil {
		err = m.sizes()
	}
	if err == nil {
		err = m.numbers()
	}
	return m.t, err
}

// heading is the first line, as in %%MatrixMarket matrix coordinate real symmetric.
func (m *market) heading(text string) error {
	const example = "%%MatrixMarket matrix coordinate real symmetric"
	words := strings.Fields(strings.ToLower(text))
	if len(words) != 5 || words[0] != "%%matrixmarket" || words[1] != "matrix" {
		return m.errorf("found %.60q: want the heading of a Matrix Market file, as in %s", text, example)
	}
	m.coordinate, m.symmetric = words[2] == "coordinate", words[4] == "symmetric"
	switch {
	case !m.coordinate && words[2] != "array":
		return m.errorf("found %.20q: want coordinate or array, as in %s", words[2], example)
	case words[3] != "real" && words[3] != "integer" && words[3] != "double":
		return m.errorf("found a matrix of kind %.20q: want real numbers, as in %s", words[3], example)
	case !m.symmetric && words[4] != "general":
		return m.errorf("found a matrix that is %.20q: want general or symmetric, as in %s", words[4], example)
	}
	return nil
}

// sizes reads the line of rows, columns, and, of coordinates, entries.
func (m *market) sizes() error {
	text, ok, err := m.next("%")
	if err != nil {
		return err
	}
	want, names := 2, "rows and columns"
	if m.coordinate {
		want, names = 3, "rows, columns and entries"
	}
	var size []int
	for _, f := range strings.Fields(text) {
		if n, err := strconv.Atoi(f); err == nil && n >= 0 && n <= 1<<40 {
			size = append(size, n)
		}
	}
	if !ok || len(size) != want || len(strings.Fields(text)) != want || size[0] < 1 || size[1] < 1 {
		return m.errorf("found %.60q: want the numbers of %s", text, names)
	}
	m.t.rows, m.t.cols = size[0], size[1]
	if m.symmetric && size[0] != size[1] {
		return m.errorf("found a symmetric matrix of %d rows and %d columns: want as many columns as rows", size[0], size[1])
	}
	return m.room(size)
}

// room refuses a matrix too large, and counts its entries or numbers.
func (m *market) room(size []int) error {
	rows, cols := size[0], size[1]
	switch {
	case rows > mostRows || cols > mostRows:
		return m.errorf("found %d rows and %d columns: want at most %d", rows, cols, mostRows)
	case m.coordinate && size[2] > min(mostFull, rows*cols):
		return m.errorf("found %d entries of %d rows and %d columns: want at most %d", size[2], rows, cols,
			min(mostFull, rows*cols))
	case m.coordinate:
		m.count = size[2]
		return nil
	case rows*cols > mostFull:
		return m.errorf("%w", errFull)
	case m.symmetric:
		m.count = rows * (rows + 1) / 2
	default:
		m.count = rows * cols
	}
	m.t.full = []float64{} // filled by numbers
	return nil
}

// numbers reads the entries or numbers.
func (m *market) numbers() error {
	var column []float64
	for k := 0; ; k++ {
		text, ok, err := m.next("%")
		switch {
		case err != nil:
			return err
		case !ok && k < m.count:
			return fmt.Errorf("the file ends after %d of %d entries: want a complete file", k, m.count)
		case !ok && !m.coordinate:
			m.fill(column)
			return nil
		case !ok:
			return m.once()
		case k == m.count:
			return m.errorf("found %.40q after the last of %d entries: want the number of entries in the line of sizes", text,
				m.count)
		}
		if m.coordinate {
			err = m.entry(strings.Fields(text))
		} else {
			var v float64
			if v, err = number(text); err != nil {
				err = m.errorf("%w", err)
			}
			column = append(column, v)
		}
		if err != nil {
			return err
		}
	}
}

// entry reads row, column and value of one entry.
func (m *market) entry(fields []string) error {
	if len(fields) != 3 {
		return m.errorf("found %d words: want row, column and value of an entry", len(fields))
	}
	i, err1 := strconv.Atoi(fields[0])
	j, err2 := strconv.Atoi(fields[1])
	v, err3 := strconv.ParseFloat(fields[2], 64)
	switch {
	case err1 != nil || err2 != nil || i < 1 || i > m.t.rows || j < 1 || j > m.t.cols:
		return m.errorf("found row %.20s, column %.20s: want whole numbers of 1 to %d and 1 to %d", fields[0], fields[1],
			m.t.rows, m.t.cols)
	case err3 != nil || !rths.Finite(v):
		return m.errorf("found %.40q: want a finite number", fields[2])
	case m.symmetric && i < j:
		return m.errorf(
			"entry (%d,%d) is above the diagonal: of a symmetric matrix the file has the lower triangle alone; want the "+
				"heading general for a file with both", i, j)
	}
	m.t.entries = append(m.t.entries, lti.Entry{Row: i - 1, Col: j - 1, V: v})
	if m.symmetric && i != j {
		m.t.entries = append(m.t.entries, lti.Entry{Row: j - 1, Col: i - 1, V: v})
	}
	return nil
}

// once refuses an entry that is there twice: programs differ in whether they add both.
func (m *market) once() error {
	sorted := slices.Clone(m.t.entries)
	slices.SortFunc(sorted, func(a, b lti.Entry) int {
		return cmp.Or(cmp.Compare(a.Row, b.Row),
			cmp.Compare(a.Col, b.Col))
	})
	for k := 1; k < len(sorted); k++ {
		if a, b := sorted[k-1], sorted[k]; a.Row == b.Row && a.Col == b.Col {
			return fmt.Errorf("entry (%d,%d) is there twice: want it once, with its sum", b.Row+1, b.Col+1)
		}
	}
	return nil
}

// fill takes the numbers of an array, column by column; of a symmetric one the lower triangle.
func (m *market) fill(column []float64) {
	rows, cols := m.t.rows, m.t.cols
	m.t.full = make([]float64, rows*cols)
	at := 0
	for j := range cols {
		first := 0
		if m.symmetric {
			first = j
		}
		for i := first; i < rows; i++ {
			m.t.full[i*cols+j] = column[at]
			if m.symmetric {
				m.t.full[j*cols+i] = column[at]
			}
			at++
		}
	}
}
