package foreign

// Column is a named list of numbers in a file.
type Column struct {
	Name string
	Unit string // "" where the file states none
	N    int
}

// Columns are the lists of numbers of a file that stay there until they are read.
type Columns struct {
	List []Column
	Left []string // what of the file is left out, and why
	Cut  string   // how the file ends before its end, as of a program that was killed; "" of a whole one
	read func(put func(column int, values []float64) error) error
}

// Read gives the numbers of each column in their order, some at a time. The slice is used again after put has returned.
func (c *Columns) Read(put func(column int, values []float64) error) error { return c.read(put) }

// Values are the numbers of all columns.
func (c *Columns) Values() ([][]float64, error) {
	out := make([][]float64, len(c.List))
	err := c.Read(func(i int, values []float64) error { out[i] = append(out[i], values...); return nil })
	return out, err
}
