package record

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"

	"rths"
	"rths/scenario/files"
)

// Archive is a run read back: its manifest and one of its streams, whose columns are read from
// the file when they are asked for.
type Archive struct {
	Manifest
	Dir       string
	Truncated bool // the stream has no end: the run was killed, or is still running
	stream    string
	index     map[string]int
	blocks    blocks
	memory    [][]float64 // in place of blocks (Kept)

	made    os.FileInfo // of the stream's file, when it was opened
	pyramid *pyramid    // that fits; nil: there is none, or it is damaged
	beside  *os.File    // of the pyramid
	peaks   []*peaks    // of each column, once it was asked for
}

// Open opens the archive in dir. Where a file of its numbers is not as the run left it, the error is a Damage
// (Manifest.Verify). Open then reads the stream once, from the beginning to the end, to see that it is sound and where
// the columns stand. The stream of a run that was killed, or whose record failed, is read up to its last whole batch. A
// record that failed, or was killed, before its first row may have no stream: then the columns come from the manifest.
func Open(dir string) (*Archive, error) {
	return open(dir, FramesFile, func(m *Manifest, err error) bool {
		return m.RowsKept != nil && *m.RowsKept == 0 || m.Status == rths.Running && noHead(err)
	})
}

// OpenAround is Open for the ticks before and after a run (AroundFile). A run without such ticks
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
	info, err := file.Stat()
	if err == nil {
		a.made = info
		err = a.read(file, info.Size())
	}
	if err != nil {
		file.Close()
		return fmt.Errorf("%s: %w", file.Name(), err)
	}
	return nil
}

// read finds the columns in the first size bytes of a file, which may still be growing.
func (a *Archive) read(file io.ReaderAt, size int64) (err error) {
	a.blocks.file = file
	a.Truncated, err = scan(file, size, func(schema message) error {
		columns, err := schema.columns()
		if err != nil {
			return err
		}
		return a.setColumns(columns)
	}, func(m message) error { return a.blocks.add(m, len(a.Columns)) })
	return err
}

// scan reads an Arrow stream or file of size bytes once: its schema goes to head, and each message behind it to batch.
// cut says that the stream has no end. Looking up an entry of a flatbuffer beyond its bytes panics; this is the
// boundary where that becomes an error.
func scan(file io.ReaderAt, size int64, head, batch func(message) error) (cut bool, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = Unsound("Arrow stream", p)
		}
	}()
	var m message
	next, err := messagesOf(file, size)
	if err == nil {
		m, err = next()
	}
	if err != nil {
		return false, fmt.Errorf("want an Arrow stream: %w", err)
	}
	for err = head(m); err == nil; {
		if m, err = next(); err == nil {
			err = batch(m)
		}
	}
	switch err {
	case io.EOF:
		return false, nil
	case errCut:
		return true, nil
	}
	return false, err
}

func (a *Archive) setColumns(columns []Column) error {
	if len(columns) == 0 {
		return errors.New("no columns: want at least time_s")
	}
	for i := range columns { // the stream knows names, units and docs
		if j := slices.IndexFunc(a.Columns, func(c Column) bool { return c.Name == columns[i].Name }); j >= 0 {
			columns[i].Meaning = a.Columns[j].Meaning
		}
	}
	a.Columns = columns
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
	if len(a.memory) > 0 {
		return len(a.memory[0])
	}
	return a.blocks.rows
}

// All are the rows in order, a number for each column. Each overwrites the one before. They end early
// where the file cannot be read: Err.
func (a *Archive) All() iter.Seq[[]float64] {
	return func(yield func([]float64) bool) {
		row, columns := make([]float64, len(a.Columns)), make([]Signal, len(a.Columns))
		for i, c := range a.Columns {
			columns[i], _ = a.Signal(c.Name)
		}
		for k := range a.Rows() {
			for i := range columns {
				row[i] = columns[i].At(k)
			}
			if a.Err() != nil || !yield(row) {
				return
			}
		}
	}
}

// ReadStream finds the columns of an Arrow stream as this package writes it, or of such a stream in an Arrow file, in
// the first size bytes of a file. They stay there: the archive has the file, and closes it. A stream of another kind is
// a ForeignError.
func ReadStream(file *os.File, size int64) (*Archive, error) {
	a := &Archive{}
	return a, a.read(file, size)
}

// StreamErr is Err without the folder of the archive.
func (a *Archive) StreamErr() error { return a.blocks.failed() }

// Err is the first error met while columns were read. A number that could not be read is NaN.
func (a *Archive) Err() error {
	err := a.blocks.failed()
	if err == nil {
		return nil
	}
	return fmt.Errorf("record: %s: %w", filepath.Join(a.Dir, a.stream), err)
}

// Close closes the file of the columns, which cannot be read any more.
func (a *Archive) Close() error {
	var err error
	if a.beside != nil {
		err = a.beside.Close()
	}
	if file, ok := a.blocks.file.(io.Closer); ok {
		err = errors.Join(err, file.Close())
	}
	return err
}

// Names are the column names in order.
func (a *Archive) Names() []string {
	names := make([]string, len(a.Columns))
	for i, c := range a.Columns {
		names[i] = c.Name
	}
	return names
}

// Has reports whether there is a column of this name.
func (a *Archive) Has(name string) bool {
	_, ok := a.index[name]
	return ok
}

// Signal is the column of that name, read a block at a time, and whether there is one. It holds one block of its own:
// two that are read at different places are two signals.
func (a *Archive) Signal(name string) (Signal, bool) {
	i, ok := a.index[name]
	if !ok {
		return Signal{}, false
	}
	if a.memory != nil {
		return SignalOf(a.memory[i]), true
	}
	return Signal{n: a.Rows(), column: &cursor{of: &a.blocks, column: i}, factor: 1, peaks: a.peaksOf(i)}, true
}

// peaksOf are the peaks of a column; nil without a pyramid. A damaged one is not asked again.
func (a *Archive) peaksOf(i int) *peaks {
	if a.pyramid == nil {
		return nil
	}
	if a.peaks[i] == nil {
		if a.peaks[i] = a.pyramid.column(a.beside, i); a.peaks[i] == nil {
			a.pyramid = nil
		}
	}
	return a.peaks[i]
}

// Column reads a column as a whole, and whether there is one that could be read: Err.
func (a *Archive) Column(name string) ([]float64, bool) {
	s, ok := a.Signal(name)
	values := s.Values()
	return values, ok && a.blocks.failed() == nil
}
