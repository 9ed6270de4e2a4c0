package record

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"

	"github.com/apache/arrow-go/v18/arrow"

	"rths"
)

// Writer writes the archive of one run. It is the observer of one loop and
// belongs to its goroutine.
//
// A row is copied value by value into a batch of columns. The header of a batch
// depends only on its number of rows, so it is made once, in front of the
// columns, and a full batch leaves in a single write to the unbuffered file: a
// killed program loses at most the batch it had not finished.
type Writer struct {
	dir    string
	file   *os.File
	frame  *rths.Frame
	layout *layout
	schema *arrow.Schema

	message []byte // header and body of a full batch
	body    []byte // the body in it: one column after the other, float64, little endian
	stride  int    // bytes from one column to the next
	at      int    // byte of the current row in each column
	written int    // rows in the file
	err     error  // first failure; nothing is written after it
}

// Create makes the folder, or takes an empty one, writes a manifest with
// status "running" and opens the stream of frames. The frame must be the one
// that will be observed: its slices give the number of axes, forces and degrees
// of freedom and are read in every tick. The number of ground components is
// len(f.Ground)/3, or 1 while f.Ground is empty.
func Create(dir string, m Manifest, f *rths.Frame, channels []rths.Channel) (*Writer, error) {
	if !(m.RateHz > 0) || math.IsInf(m.RateHz, 0) {
		return nil, fmt.Errorf("record: rate %g Hz: want more than 0", m.RateHz)
	}
	l, err := newLayout(f, channels)
	if err != nil {
		return nil, err
	}
	if err := makeFolder(dir); err != nil {
		return nil, err
	}
	w := &Writer{dir: dir, frame: f, layout: l, schema: newSchema(l.columns)}
	if err := w.makeBatch(batchRows(m.RateHz, len(l.columns))); err != nil {
		return nil, err
	}
	m.Status = Running
	if err := w.saveManifest(m); err != nil {
		return nil, err
	}
	if err := w.openStream(); err != nil {
		return nil, err
	}
	return w, nil
}

// makeFolder wants a new or empty folder.
func makeFolder(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("record: folder %s cannot be made: %w: want a place that can be written to", dir, err)
	}
	inside, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("record: %w", err)
	}
	if len(inside) > 0 {
		return fmt.Errorf("record: folder %s holds %s: want a new or empty folder", dir, inside[0].Name())
	}
	return nil
}

// makeBatch allocates the message of a full batch and fills in its header.
func (w *Writer) makeBatch(rows int) error {
	w.stride = 8 * rows
	size := w.stride * len(w.layout.columns)
	message, err := batchMessage(w.schema, make([]byte, size), w.stride, rows)
	if err != nil {
		return err
	}
	w.message = message
	w.body = message[len(message)-size:]
	return nil
}

func (w *Writer) openStream() error {
	file, err := os.OpenFile(filepath.Join(w.dir, FramesFile), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("record: %w", err)
	}
	w.file = file
	first, err := schemaMessage(w.schema)
	if err != nil {
		return errors.Join(err, file.Close())
	}
	if _, err := file.Write(first); err != nil {
		return errors.Join(fmt.Errorf("record: %w", err), file.Close())
	}
	return nil
}

func (w *Writer) saveManifest(m Manifest) error {
	m.Format = Format
	m.Columns = w.layout.columns
	m.Files = []string{ManifestFile, FramesFile}
	return m.save(w.dir)
}

// UsesRates: velocities and accelerations of the numerical part are recorded.
func (w *Writer) UsesRates() {}

// Observe copies the tick into the batch, also a tick that failed, and writes
// the batch when it is full. A failure is kept and returned by Close.
func (w *Writer) Observe(f *rths.Frame) {
	if w.err != nil || !w.sameFrame(f) {
		return
	}
	copy(w.layout.ground, f.Ground)
	at := w.at
	for _, source := range w.layout.sources {
		binary.LittleEndian.PutUint64(w.body[at:], math.Float64bits(*source))
		at += w.stride
	}
	if w.at += 8; w.at == w.stride {
		w.flush()
	}
}

// sameFrame reports whether f is the frame the columns were laid out for.
func (w *Writer) sameFrame(f *rths.Frame) bool {
	switch n := len(f.Ground) / 3; {
	case f != w.frame:
		w.err = errors.New("record: observed another frame than the one the archive was created with")
	case n != len(w.layout.ground) && n > 0:
		w.err = fmt.Errorf("record: tick %d has %d ground components: the archive was created with %d", f.K, n, len(w.layout.ground))
	}
	return w.err == nil
}

// flush writes the full batch.
func (w *Writer) flush() {
	w.at = 0
	if _, err := w.file.Write(w.message); err != nil {
		w.err = fmt.Errorf("record: after %d rows: %w", w.written, err)
		return
	}
	w.written += w.stride / 8
}

// Written is the number of rows that are in the file.
func (w *Writer) Written() int { return w.written }

// Err is the first failure so far, or nil.
func (w *Writer) Err() error { return w.err }

// Close writes the rows of the last, partial batch, the end of the stream and
// the manifest as it is at the end of the run. It returns the first failure of
// the whole recording.
func (w *Writer) Close(m Manifest) error {
	if w.file == nil {
		return fmt.Errorf("record: archive %s is closed already", w.dir)
	}
	if w.err == nil {
		w.err = w.finish()
	}
	closed := w.file.Close()
	w.file = nil
	return errors.Join(w.err, closed, w.saveManifest(m))
}

// finish writes what is left and the end of the stream.
func (w *Writer) finish() error {
	rows := w.at / 8
	end := endOfStream
	if rows > 0 {
		batch, err := batchMessage(w.schema, w.body, w.stride, rows)
		if err != nil {
			return err
		}
		end = append(batch, endOfStream...)
	}
	if _, err := w.file.Write(end); err != nil {
		return fmt.Errorf("record: after %d rows: %w", w.written, err)
	}
	w.at = 0
	w.written += rows
	return nil
}
