package tables

// Column reads the values of a column.
func (t *Table) Column(name string) ([]float64, error) {
	column, err := t.Signal(name)
	return column.Values(), err
}

// KeepInMemory lets so many numbers of a table stay in memory until its result is called.
func KeepInMemory(numbers int) (restore func()) {
	was := mostInMemory
	mostInMemory = numbers
	return func() { mostInMemory = was }
}
