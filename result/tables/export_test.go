package tables

// Column reads the values of a column.
func (t *Table) Column(name string) ([]float64, error) {
	column, err := t.Signal(name)
	return column.Values(), err
}
