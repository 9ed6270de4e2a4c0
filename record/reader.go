package record

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"rths/files"
)

// Archive is a run read back: its manifest and all columns of its stream.
type Archive struct {
	Manifest
	Dir       string
	Truncated bool // the stream has no end: the run was killed, or is still running
	values    [][]float64
	index     map[string]int
}

// Open reads the archive in dir. A stream that was cut off is read up to its
// last whole batch. A record that failed before its first row may have no stream:
// then the columns come from the manifest.
func Open(dir string) (*Archive, error) {
	m, err := LoadManifest(dir)
	if err != nil {
		return nil, err
	}
	a := &Archive{Manifest: m, Dir: dir}
	err = a.readFrames()
	if err != nil && m.RowsKept != nil && *m.RowsKept == 0 {
		a.Truncated = true
		err = a.setColumns(m.Columns)
	}
	if err != nil {
		return nil, fmt.Errorf("record: %w", err)
	}
	return a, nil
}

// readFrames reads the stream in the archive's folder.
func (a *Archive) readFrames() error {
	file, err := files.Open(filepath.Join(a.Dir, FramesFile))
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	if err := a.read(bufio.NewReaderSize(file, 1<<16), info.Size()); err != nil {
		return fmt.Errorf("%s: %w", file.Name(), err)
	}
	return nil
}

// read fills the archive from the first size bytes of a stream that may still
// be growing. Looking up an entry of a flatbuffer beyond its bytes panics; this
// is the boundary where that becomes an error.
func (a *Archive) read(r io.Reader, size int64) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = unsound("Arrow stream", p)
		}
	}()
	stream := source{r: r, left: size}
	first, err := stream.next()
	if err != nil {
		return fmt.Errorf("want an Arrow stream: %w", err)
	}
	columns, err := first.columns()
	if err != nil {
		return err
	}
	if err := a.setColumns(columns); err != nil {
		return err
	}
	for {
		m, err := stream.next()
		switch {
		case err == io.EOF:
			return nil
		case err == errCut:
			a.Truncated = true
			return nil
		case err != nil:
			return err
		}
		if err := m.appendTo(a.values); err != nil {
			return err
		}
	}
}

func (a *Archive) setColumns(columns []Column) error {
	if len(columns) == 0 {
		return errors.New("no columns: want at least time_s")
	}
	a.Columns = columns
	a.values = make([][]float64, len(columns))
	a.index = make(map[string]int, len(columns))
	for i, c := range columns {
		if _, taken := a.index[c.Name]; taken {
			return fmt.Errorf("two columns named %q: want one", c.Name)
		}
		a.index[c.Name] = i
	}
	return nil
}

// Rows is the number of ticks.
func (a *Archive) Rows() int {
	if len(a.values) == 0 {
		return 0
	}
	return len(a.values[0])
}

// Names are the column names in order.
func (a *Archive) Names() []string {
	names := make([]string, len(a.Columns))
	for i, c := range a.Columns {
		names[i] = c.Name
	}
	return names
}

// Column returns the values of a column, which belong to the archive, and
// whether there is such a column.
func (a *Archive) Column(name string) ([]float64, bool) {
	i, ok := a.index[name]
	if !ok {
		return nil, false
	}
	return a.values[i], true
}
