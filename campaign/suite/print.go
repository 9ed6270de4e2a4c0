package suite

import (
	"fmt"
	"io"
	"reflect"
	"strings"
	"text/tabwriter"

	"rths/result/record"
)

// column is a column of a printed table.
type column struct{ key, head, format string }

// Print prints the tables: the fields of a struct with a tag print, or all fields of a record.Row.
func (r *Result) Print(out io.Writer) {
	for _, table := range r.Tables {
		io.WriteString(out, table.Before)
		t := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
		for i, row := range table.Rows {
			columns, cells := printed(reflect.ValueOf(row))
			if i == 0 {
				for _, c := range columns {
					fmt.Fprintf(t, "%s\t", c.head)
				}
				fmt.Fprintln(t)
			}
			fmt.Fprintf(t, "%s\t\n", strings.Join(cells, "\t"))
			if b, ok := row.(Below); ok {
				printBelow(t, columns, b)
			}
		}
		t.Flush()
		io.WriteString(out, table.After)
	}
}

// printBelow prints values in the columns of their keys, and their label before the first.
func printBelow(out io.Writer, columns []column, b Below) {
	label, values := b.Below()
	if label == "" {
		return
	}
	cells := make([]string, len(columns))
	first := len(columns)
	for i, c := range columns {
		if v, ok := values.Get(c.key).(float64); ok && c.key != "" {
			cells[i], first = record.Text(c.format, v), min(first, i)
		}
	}
	cells[max(0, first-1)] = label
	fmt.Fprintf(out, "%s\t\n", strings.Join(cells, "\t"))
}

// printed are the columns of a row, and its cells.
func printed(row reflect.Value) (columns []column, cells []string) {
	if row.Type() == reflect.TypeFor[record.Row]() {
		for i, c := range row.Interface().(record.Row) {
			format := "%.3f"
			if i == 0 {
				format = "%g"
			}
			columns = append(columns, column{c.Key, c.Key, format})
			cells = append(cells, cell(reflect.ValueOf(c.V), format))
		}
		return columns, cells
	}
	for i := range row.NumField() {
		field := row.Type().Field(i)
		if field.Anonymous {
			c, v := printed(row.Field(i))
			columns, cells = append(columns, c...), append(cells, v...)
		}
		format := field.Tag.Get("print")
		if format == "" {
			continue
		}
		key, _, _ := strings.Cut(field.Tag.Get("col"), ",")
		head, named := field.Tag.Lookup("head")
		if !named {
			head = key
		}
		columns, cells = append(columns, column{key, head, format}), append(cells, cell(row.Field(i), format))
	}
	return columns, cells
}

// cell writes a value; strokes separate several numbers.
func cell(v reflect.Value, format string) string {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return "–"
		}
		return cell(v.Elem(), format)
	case reflect.Array:
		var parts []string
		for i := range v.Len() {
			parts = append(parts, cell(v.Index(i), format))
		}
		return strings.Join(parts, "/")
	case reflect.Float64:
		return record.Text(format, v.Float())
	}
	return fmt.Sprintf(format, v.Interface())
}
