package record

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"path/filepath"

	"rths/files"
)

// Archive is a run read back: its manifest and all columns of one of its streams.
type Archive struct {
	Manifest
	Dir       string
	Truncated bool // the stream has no end: the run was killed, or is still running
	stream    string
	values    [][]float64
	index     map[string]int
}

// Open reads the archive in dir. Where a file of its numbers is not as the run left it, the error is a Damage
// (Manifest.Verify). The stream of a run that was killed, or whose record failed, is read up to its last whole batch. A record
// that failed, or was killed, before its first row may have no stream: then the columns come from the manifest.
func Open(dir string) (*Archive, error) {
	return open(dir, FramesFile, func(m *Manifest, err error) bool {
		return m.RowsKept != nil && *m.RowsKept == 0 || m.Status == Running && noHead(err)
	})
}

// OpenAround is Open for the ticks before and behind a run (AroundFile). A run without such ticks
// has no rows. The time counts from the beginning of the session with the rig.
func OpenAround(dir string) (*Archive, error) {
	return open(dir, AroundFile, func(_ *Manifest, err error) bool { return noHead(err) })
}

// noHead reports whether a stream is missing, or cut off before its first row.
func noHead(err error) bool { return errors.Is(err, fs.ErrNotExist) || errors.Is(err, errCut) }

// open reads a stream. bare says of which errors the columns of the manifest, without rows, are the
// stream.
func open(dir, stream string, bare func(*Manifest, error) bool) (*Archive, error) {
	m, err := LoadManifest(dir)
	if err != nil {
		return nil, err
	}
	check := m.Verify
	if stream == AroundFile {
		check = func(dir string) error { return m.verify(dir, stream) } // Open has read the frames
	}
	if err := check(dir); err != nil {
		return nil, fmt.Errorf("record: %w", err)
	}
	a := &Archive{Manifest: m, Dir: dir, stream: stream}
	err = a.readStream()
	if err != nil && bare(&m, err) {
		a.Truncated = stream == FramesFile || !errors.Is(err, fs.ErrNotExist)
		err = a.setColumns(m.Columns)
	}
	if err != nil {
		return nil, fmt.Errorf("record: %w", err)
	}
	return a, nil
}

// readStream reads the stream in the archive's folder.
func (a *Archive) readStream() error {
	file, err := files.Open(filepath.Join(a.Dir, a.stream))
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

// All are the rows in order, a number for each column. Each overwrites the one before.
func (a *Archive) All() iter.Seq[[]float64] {
	return func(yield func([]float64) bool) {
		row := make([]float64, len(a.values))
		for k := range a.Rows() {
			for i, column := range a.values {
				row[i] = column[k]
			}
			if !yield(row) {
				return
			}
		}
	}
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
