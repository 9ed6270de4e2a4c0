package foreign

import (
	"fmt"
	"strings"
)

// Column is a named list of numbers in a file.
type Column struct {
	Name string
	Unit string // "" where the file states none
	N    int
}

// Columns are the lists of numbers of a file that stay there until they are read.
type Columns struct {
	List []Column
	Left []LeftOut
	Cut  string // how the file ends before its end, as of a program that was killed; "" of a whole one
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

// LeftOut is what of a file is no column, and why: with what a person can do about it.
type LeftOut struct{ Name, Why string }

func (l LeftOut) String() string { return l.Name + ": " + l.Why }

// ListLeft says what is left out in a few words, and first what is called as asked; "" where nothing is left out.
func ListLeft(left []LeftOut, asked string) string {
	if len(left) == 0 {
		return ""
	}
	const mostReasons, mostNames = 2, 3
	names, reasons := map[string][]string{}, []string{}
	for _, wanted := range []bool{true, false} {
		for _, l := range left {
			if strings.Contains(strings.ToLower(l.Name), strings.ToLower(asked)) != wanted {
				continue
			}
			if names[l.Why] == nil {
				reasons = append(reasons, l.Why)
			}
			names[l.Why] = append(names[l.Why], l.Name)
		}
	}
	var out []string
	more := len(left)
	for _, why := range reasons[:min(len(reasons), mostReasons)] {
		n := len(names[why])
		more -= n
		few := strings.Join(names[why][:min(n, mostNames)], ", ")
		if n > mostNames {
			few += fmt.Sprintf(" and %d more", n-mostNames)
		}
		out = append(out, few+": "+why)
	}
	if more > 0 {
		out = append(out, fmt.Sprintf("and %d more", more))
	}
	return "left out: " + strings.Join(out, "; ")
}
