package record

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"

	"github.com/apache/arrow-go/v18/arrow"
)

// Writer writes the archive of one run, row by row. It belongs to one goroutine.
//
// Each row is copied into a batch of columns. The header of a batch depends only on its
// number of rows, so it is made once. A full batch is one write to the unbuffered file: a
// killed program loses at most its unfinished batch.
type Writer struct {
	dir    string
	root   *os.Root    // dir as it was when made: another folder put in its place is left alone
	file   *os.File    // the stream
	made   os.FileInfo // identity of the stream's file
	schema *arrow.Schema

	columns []Column

	message []byte // header and body of a full batch
	body    []byte // the body in it: one column after the other, float64, little endian
	stride  int    // bytes from one column to the next
	at      int    // byte of the current row in each column
	written int    // rows in the file
	err     error  // first failure; nothing is written after it
}

// Create makes the folder, or takes an empty one, writes a manifest with
// status "running", reserves the room of the manifest at the end and opens the
// stream of frames, whose rows have the given columns.
//
// If the folder exists but cannot be written to, the error is a Failure. Then the manifest
// says so, or, without room for a manifest, nothing is left in the folder.
func Create(dir string, m Manifest, columns []Column) (*Writer, error) {
	if !(m.RateHz > 0) || math.IsInf(m.RateHz, 0) {
		return nil, fmt.Errorf("record: rate %g Hz: want more than 0", m.RateHz)
	}
	if len(columns) == 0 {
		return nil, errors.New("record: no columns: want one at least")
	}
	if err := unique(columns); err != nil {
		return nil, err
	}
	w := &Writer{dir: dir, columns: columns, schema: newSchema(columns)}
	if err := w.makeBatch(batchRows(m.RateHz, len(columns))); err != nil {
		return nil, err
	}
	_, missing := os.Stat(dir)
	var err error
	if w.root, err = makeFolder(dir); err != nil {
		return nil, err
	}
	m.Status, m.Reason = Running, ""
	if w.err = w.begin(m); w.err == nil {
		return w, nil
	}
	err = w.Close(m)
	clearAway(dir, missing != nil)
	return nil, err
}

// makeFolder wants a new or empty folder.
func makeFolder(dir string) (*os.Root, error) {
	err := os.MkdirAll(dir, 0o755)
	switch {
	case err != nil && noRoom(err):
		return nil, &Failure{Err: advise(err), Unsaid: errors.New("there is no folder")}
	case err != nil:
		return nil, fmt.Errorf("record: folder %s cannot be made: %w: want a place that can be written to", dir, err)
	}
	inside, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("record: %w", err)
	}
	if len(inside) > 0 {
		return nil, fmt.Errorf("record: folder %s holds %s: want a new or empty folder", dir, inside[0].Name())
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("record: %w", err)
	}
	return root, nil
}

// begin writes manifest and schema.
func (w *Writer) begin(m Manifest) error {
	if err := w.sign(m).saveRunning(w.root); err != nil {
		return err
	}
	return w.openStream()
}

// clearAway removes a record without manifest, and the folder if it was made for it.
func clearAway(dir string, made bool) {
	if _, err := os.Stat(filepath.Join(dir, ManifestFile)); !errors.Is(err, os.ErrNotExist) {
		return
	}
	os.Remove(filepath.Join(dir, FramesFile))
	if made {
		os.Remove(dir)
	}
}

// makeBatch allocates the message of a full batch and fills in its header.
func (w *Writer) makeBatch(rows int) error {
	w.stride = 8 * rows
	size := w.stride * len(w.columns)
	message, err := batchMessage(w.schema, make([]byte, size), w.stride, rows)
	if err != nil {
		return err
	}
	w.message = message
	w.body = message[len(message)-size:]
	return nil
}

func (w *Writer) openStream() error {
	first, err := schemaMessage(w.schema)
	if err != nil {
		return err
	}
	if w.file, err = w.root.OpenFile(FramesFile, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644); err != nil {
		return err
	}
	if w.made, err = w.file.Stat(); err != nil {
		return err
	}
	return w.write(first, 0)
}

// write writes a message of the stream. Its rows count when all of it is in the file.
func (w *Writer) write(message []byte, rows int) error {
	if _, err := w.file.Write(message); err != nil {
		return err
	}
	w.written += rows
	return nil
}

// sign fills in what the writer knows of a manifest.
func (w *Writer) sign(m Manifest) Manifest {
	m.Format = Format
	m.Columns = w.columns
	m.Files = []string{ManifestFile, FramesFile}
	return m
}

// Append copies a row, a number for each column, into the batch, and writes the batch when
// it is full. A failure is kept and returned by Close.
func (w *Writer) Append(row []float64) {
	if w.err != nil {
		return
	}
	if len(row) != len(w.columns) {
		w.err = fmt.Errorf("row of %d numbers: want %d, one for each column", len(row), len(w.columns))
		return
	}
	at := w.at
	for _, v := range row {
		binary.LittleEndian.PutUint64(w.body[at:], math.Float64bits(v))
		at += w.stride
	}
	w.advance()
}

// advance goes on to the next row of the batch, which is written when it is full.
func (w *Writer) advance() {
	if w.at += 8; w.at == w.stride {
		w.flush()
	}
}

// flush writes the full batch.
func (w *Writer) flush() {
	w.at = 0
	w.err = w.write(w.message, w.stride/8)
}

// Err is the first failure so far, or nil.
func (w *Writer) Err() error { return w.err }

// Check is Err, and also checks that the stream is still in its folder: rows written to a
// removed file are lost. Check asks the file system: call it once in many ticks.
func (w *Writer) Check() error {
	if w.err == nil {
		w.err = w.inPlace()
	}
	return w.err
}

// inPlace wants the stream where a reader will look for it.
func (w *Writer) inPlace() error {
	path := filepath.Join(w.dir, FramesFile)
	there, err := os.Stat(path)
	if err == nil && !os.SameFile(there, w.made) {
		err = errors.New("another file has its name")
	}
	if err != nil {
		return fmt.Errorf("%s was moved or removed during the run: leave the folder alone until the run ends (%w)", path, err)
	}
	return nil
}

// Close writes the rows of the last, partial batch, the end of the stream and
// the manifest as it is at the end of the run. A failure of the recording, the
// first of all, makes the manifest say "failed" and is returned as a Failure.
func (w *Writer) Close(m Manifest) error {
	if w.root == nil {
		return fmt.Errorf("record: archive %s is closed already", w.dir)
	}
	defer func() { w.root.Close(); w.root = nil }()
	m = w.sign(m)
	err := w.closeStream()
	if err == nil {
		err = m.replace(w.root)
	}
	if err == nil {
		return nil
	}
	return w.fail(m, err)
}

// closeStream ends the stream and closes its file.
func (w *Writer) closeStream() error {
	if w.err == nil {
		w.err = w.finish()
	}
	if w.file != nil {
		if err := w.file.Close(); w.err == nil {
			w.err = err
		}
	}
	return w.err
}

// finish writes the remaining rows and the end of the stream.
func (w *Writer) finish() error {
	if rows := w.at / 8; rows > 0 {
		batch, err := batchMessage(w.schema, w.body, w.stride, rows)
		if err != nil {
			return err
		}
		w.at = 0
		if err := w.write(batch, rows); err != nil {
			return err
		}
	}
	if err := w.write(endOfStream, 0); err != nil {
		return err
	}
	return w.inPlace()
}

// fail saves the manifest of a record that failed, and returns the Failure.
func (w *Writer) fail(m Manifest, err error) *Failure {
	failure := &Failure{Err: advise(err)}
	m.Files = []string{ManifestFile}
	if there, err := w.root.Stat(FramesFile); err == nil && os.SameFile(there, w.made) {
		failure.Rows = w.written
		m.Files = append(m.Files, FramesFile)
	}
	failure.Ticks = max(m.Samples, failure.Rows)
	m.Fail(failure)
	failure.Unsaid = m.saveFailed(w.root)
	return failure
}
