// Package tables reads files of numbers that other programs have written (text, recorders of OpenSees, MAT, Parquet,
// Arrow), joins several, and finds the columns that a judgement or an identification needs by their names and units.
package tables

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"rths"
	"rths/model/foreign"
	"rths/result/record"
	"rths/scenario/files"
)

// Table has named columns of numbers from another program. Entries that are no numbers
// are NaN. The columns of an Arrow stream that this package has written stay in the file, which is open until Close.
type Table struct {
	Names      []string
	Units      []string // as the file states them, "" where it does not
	Columns    []record.Signal
	Understood []string                     // how the texts were read, a line each
	Notes      []string                     // what was left out of the files, a sentence each
	Inputs     []files.Input                // the files
	left       []foreign.LeftOut            // of the file
	skip       int                          // lines of a text that are not read
	strange    map[int]strange              // the first entry of a column that is no number
	line       func(column, row int) string // where an entry stands
	parts      []part                       // the files, where they are several
	archive    *record.Archive              // whose file the columns stay in; nil: they are in memory
	spooled    bool                         // that file is one of the temporary folder
}

// strange is a text found in the place of a number.
type strange struct {
	row  int
	text string
}

// Read reads a file by its extension: .csv, .txt, .dat, .tsv, .asc and .lvm (LabVIEW) as text, .out as rows of
// a recorder of OpenSees or OpenFresco,
// .mat (MATLAB), .h5 and .hdf5 (HDF5), .tdms (LabVIEW), .parquet, and .arrow or .feather (Arrow IPC, stream or file);
// or the frames of the folder of a run, which must be as the run left them (Manifest.Verify).
func Read(path string) (*Table, error) { return read(path, 0) }

// read is Read without the first lines of a text.
func read(path string, skip int) (*Table, error) {
	readers := map[string]func(*os.File, *Table) error{
		".csv": readText, ".txt": readText, ".dat": readText, ".tsv": readText, ".asc": readText, ".lvm": readText,
		".out": readRecorder, ".mat": readMAT, ".h5": readMAT, ".hdf5": readMAT,
		".parquet": readParquet, ".tdms": readTDMS, ".tdms_index": readTDMS,
		".arrow": readArrow, ".arrows": readArrow, ".feather": readArrow, ".ipc": readArrow,
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		frames := filepath.Join(path, record.FramesFile)
		if _, err := os.Stat(frames); errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%s: found a folder without %s: want a data file, or the folder of a run", path,
				record.FramesFile)
		}
		path = frames
	}
	kind := strings.ToLower(filepath.Ext(path))
	if kind == ".xml" || kind == ".bin" {
		return nil, fmt.Errorf("%s: a file of type %q: a recorder of OpenSees writes .out with -file in place of -xml or "+
			"-binary", path, kind)
	}
	unchecked, err := record.VerifyBeside(path)
	if err != nil {
		return nil, err
	}
	file, err := files.Open(path)
	if err != nil {
		return nil, err
	}
	read, ok := readers[kind]
	if !ok {
		read = readerOf(file)
	}
	t := newTable()
	t.skip = skip
	if unchecked != "" {
		t.Notes = append(t.Notes, unchecked)
	}
	if err = t.fill(file, read); err != nil || t.archive == nil || t.spooled {
		file.Close()
	}
	if err != nil && t.spooled {
		t.archive.Close()
	}
	if err != nil {
		return nil, err
	}
	return t, nil
}

// readerOf is the reader for what a file begins with, of an extension that does not tell.
func readerOf(file *os.File) func(*os.File, *Table) error {
	head := make([]byte, 8)
	n, _ := file.ReadAt(head, 0) // an error comes again
	for begin, read := range map[string]func(*os.File, *Table) error{"MATLAB ": readMAT, "\x89HDF": readMAT, "PAR1": readParquet,
		"ARROW1": readArrow, "TDSm": readTDMS, "TDSh": readTDMS} {
		if strings.HasPrefix(string(head[:n]), begin) {
			return read
		}
	}
	return readText
}

// fill reads an open file, and beside that its hash.
func (t *Table) fill(file *os.File, read func(*os.File, *Table) error) error {
	var input files.Input
	hashed := make(chan error, 1)
	go func() {
		var err error
		input, err = files.InputOf(file)
		hashed <- err
	}()
	if err := guarded(read, file, t); err != nil {
		return fmt.Errorf("%s: %w", file.Name(), err)
	}
	if len(t.Names) == 0 {
		return fmt.Errorf("%s: no columns of numbers: want at least one", file.Name())
	}
	t.fillUnits()
	if err := t.distinct(); err != nil {
		return fmt.Errorf("%s: %w", file.Name(), err)
	}
	for _, lines := range [][]string{t.Understood, t.Notes} {
		for i, line := range lines {
			lines[i] = file.Name() + ": " + line
		}
	}
	err := <-hashed
	t.Inputs = []files.Input{input}
	return err
}

// Err is the first error met while columns were read from a file.
func (t *Table) Err() error {
	for _, p := range append(t.parts, part{table: t}) {
		if a := p.table.archive; a != nil && a.StreamErr() != nil {
			return fmt.Errorf("%s: %w", p.table.Inputs[0].File, a.StreamErr())
		}
	}
	return nil
}

// Close closes the files of columns that are not in memory.
func (t *Table) Close() (err error) {
	for _, p := range append(t.parts, part{table: t}) {
		if p.table.archive != nil {
			err = errors.Join(err, p.table.archive.Close())
		}
	}
	return err
}

func newTable() *Table {
	return &Table{strange: map[int]strange{}, line: func(_, row int) string { return fmt.Sprintf("row %d", row+1) }}
}

// guarded turns a panic of a library that met a broken file into an error.
func guarded(read func(*os.File, *Table) error, file *os.File, t *Table) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = record.Unsound("file", p)
		}
	}()
	return read(file, t)
}

// Signal reads a column. An entry that is no finite number is an error that says where it is.
func (t *Table) Signal(name string) (record.Signal, error) {
	i := slices.Index(t.Names, name)
	if i < 0 {
		return record.Signal{}, t.absent(name)
	}
	if s, ok := t.strange[i]; ok {
		return record.Signal{}, fmt.Errorf("%s: column %s: found %.40q: want a number, with a decimal point if any",
			t.line(i, s.row), name, s.text)
	}
	column := t.Columns[i]
	for row := range column.Len() {
		if v := column.At(row); !rths.Finite(v) {
			return record.Signal{}, cmp.Or(t.Err(), fmt.Errorf("%s: column %s: found %g: want a finite number", t.line(i, row),
				name, v))
		}
	}
	return column, nil
}

// fillUnits takes units off the titles, as in "force [kN]", where the file does
// not state them by itself.
func (t *Table) fillUnits() {
	for len(t.Units) < len(t.Names) {
		t.Units = append(t.Units, "")
	}
	for i, name := range t.Names {
		open := strings.LastIndexAny(name, "[(")
		if t.Units[i] != "" || open <= 0 || !strings.ContainsAny(name[len(name)-1:], "])") {
			continue
		}
		t.Units[i] = strings.TrimSpace(name[open+1 : len(name)-1])
		t.Names[i] = strings.TrimSpace(name[:open])
	}
}

// distinct refuses two columns of one name.
func (t *Table) distinct() error {
	seen := map[string]int{}
	for i, name := range t.Names {
		if before, twice := seen[name]; twice {
			return fmt.Errorf("columns %d and %d are both named %q: want different names", before+1, i+1, name)
		}
		seen[name] = i
	}
	return nil
}

// add appends a column.
func (t *Table) add(name, unit string, values record.Signal) {
	t.Names, t.Units, t.Columns = append(t.Names, name), append(t.Units, unit), append(t.Columns, values)
}

func readTDMS(file *os.File, t *Table) error {
	info, err := file.Stat()
	if err != nil {
		return err
	}
	c, err := foreign.ReadTDMS(file, info.Size())
	if err != nil {
		return err
	}
	return t.addColumns(c)
}

func readMAT(file *os.File, t *Table) error {
	info, err := file.Stat()
	if err != nil {
		return err
	}
	c, err := foreign.ReadMATVectors(file, info.Size(), "file of arrays")
	if err != nil {
		return err
	}
	return t.addColumns(c)
}

// addColumns reads columns: into memory, or into a file of the temporary folder where they are long.
func (t *Table) addColumns(c *foreign.Columns) error {
	t.left = c.Left
	t.Notes = append(t.Notes, foreign.NotesOfLeft(t.left)...)
	if c.Cut != "" {
		t.Notes = append(t.Notes, c.Cut)
	}
	numbers, rows := 0, 0
	names := make([]string, len(c.List))
	for i, column := range c.List {
		numbers, rows, names[i] = numbers+column.N, max(rows, column.N), column.Name
	}
	if numbers < mostInMemory {
		values, err := c.Values()
		if err != nil {
			return err
		}
		for i, column := range c.List {
			t.add(column.Name, column.Unit, record.SignalOf(values[i]))
		}
		return nil
	}
	a, err := record.SpoolColumns(names, rows, c.Read)
	if err != nil {
		return err
	}
	t.archive, t.spooled = a, true
	for _, column := range c.List {
		values, _ := a.Signal(column.Name)
		t.add(column.Name, column.Unit, values.First(column.N))
	}
	return nil
}

// readArrow leaves the columns of a stream as this project writes it in the file, and reads those of others (other
// types than float64, nulls, compression) into memory.
func readArrow(file *os.File, t *Table) error {
	info, err := file.Stat()
	if err != nil {
		return err
	}
	a, own := record.ReadStream(file, info.Size())
	var foreign *record.ForeignError
	if errors.As(own, &foreign) {
		return t.readAnyArrow(file, info.Size())
	}
	for _, c := range a.Columns {
		column, _ := a.Signal(c.Name)
		t.add(c.Name, c.Unit, column)
	}
	if a.Truncated {
		t.Notes = append(t.Notes,
			fmt.Sprintf("the stream ends without its end mark: it was cut off, or is still being written; the %d rows of its "+
				"complete batches are read", a.Rows()))
	}
	t.archive = a
	return own
}
