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

// ListLeft says what is left out in a few words, and first what is called as asked; "" where nothing is left out.
func ListLeft(left []LeftOut, asked string) string {
	if len(left) == 0 {
		return ""
	}
	const mostReasons = 2
	texts, counts := byReason(left, asked)
	more := len(left)
	for i := range min(len(texts), mostReasons) {
		more -= counts[i]
	}
	texts = texts[:min(len(texts), mostReasons)]
	if more > 0 {
		texts = append(texts, fmt.Sprintf("and %d more", more))
	}
	return "left out: " + strings.Join(texts, "; ")
}

// NotesOfLeft says what is left out, in one note for each reason.
func NotesOfLeft(left []LeftOut) (notes []string) {
	texts, _ := byReason(left, "")
	for _, text := range texts {
		notes = append(notes, "left out: "+text)
	}
	return notes
}

// byReason has for each reason some names, and how many there are: first what is called as asked.
func byReason(left []LeftOut, asked string) (texts []string, counts []int) {
	const mostNames = 3
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
	for _, why := range reasons {
		n := len(names[why])
		few := strings.Join(names[why][:min(n, mostNames)], ", ")
		if n > mostNames {
			few += fmt.Sprintf(" and %d more", n-mostNames)
		}
		texts, counts = append(texts, few+": "+why), append(counts, n)
	}
	return texts, counts
}
