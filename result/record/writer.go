package record

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"

	"rths"
)

// Writer writes the archive of one run, row by row. It belongs to one goroutine.
type Writer struct {
	dir     string
	root    *os.Root // dir as it was when made: another folder put in its place is left alone
	lock    *os.File // held until Close: Rewrite keeps off; nil where a system cannot lock folders
	columns []Column

	frames *stream
	around *stream // nil before its first row
	named  int     // streams whose names are on the disk; 0 before the first Sync: Close syncs only after a Sync
	err    error   // first failure; nothing is written after it
}

// Create makes the folder, or takes an empty one, writes a manifest with
// status "running", reserves the room of the manifest at the end and opens the
// stream of frames, whose rows have the given columns.
//
// If the folder exists but cannot be written to, the error is a Failure. Then the manifest
// says so, or, without room for a manifest, nothing is left in the folder.
func Create(dir string, m Manifest, columns []Column) (*Writer, error) {
	if err := sound(m.RateHz, columns); err != nil {
		return nil, err
	}
	w := &Writer{dir: dir, columns: columns, frames: newStream(FramesFile, columns, batchRows(m.RateHz, len(columns)))}
	_, missing := os.Stat(dir)
	var err error
	if w.root, err = makeFolder(dir); err != nil {
		return nil, err
	}
	if w.lock, err = lockFolder(w.root); err != nil {
		w.root.Close()
		return nil, fmt.Errorf("record: folder %s: %w", dir, err)
	}
	m.Status, m.Reason = rths.Running, ""
	if w.err = w.begin(m); w.err == nil {
		return w, nil
	}
	err = w.Close(m)
	clearAway(dir, missing != nil)
	return nil, err
}

// sound wants a rate that batches can be made for, and columns with names of their own.
func sound(rateHz float64, columns []Column) error {
	if !(rateHz > 0) || math.IsInf(rateHz, 0) {
		return fmt.Errorf("record: rate %g Hz: want more than 0", rateHz)
	}
	if len(columns) == 0 {
		return errors.New("record: no columns: want one at least")
	}
	return unique(columns)
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
	return w.frames.open(w.root)
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

// sign fills in what the writer knows of a manifest.
func (w *Writer) sign(m Manifest) Manifest {
	m.Format = Format
	m.Columns = w.columns
	m.Files, m.Sums = []string{ManifestFile}, nil
	for _, s := range w.streams() {
		m.Files = append(m.Files, s.name)
	}
	return m.withAround(w.AroundRows())
}

// withAround is the manifest with the number of rows around the run.
func (m Manifest) withAround(rows int) Manifest {
	if m.Test != nil {
		t := *m.Test // the caller's stays as it is
		t.AroundRows = rows
		m.Test = &t
	}
	return m
}

// streams are the streams that have begun, or were to begin.
func (w *Writer) streams() []*stream {
	if w.around == nil {
		return []*stream{w.frames}
	}
	return []*stream{w.frames, w.around}
}

// Append takes a row of the frames, a number for each column. Full batches are written. A failure
// is kept and returned by Close.
func (w *Writer) Append(row []float64) {
	if w.err == nil {
		w.err = w.frames.append(row)
	}
}

// AppendAround takes a row of a tick before the first one of the run, or after the last one. The
// first such row opens the stream AroundFile. A failure of this stream is one of the record.
func (w *Writer) AppendAround(row []float64) {
	if w.err == nil && w.around == nil {
		w.err = w.openAround()
	}
	if w.err == nil {
		w.err = w.around.append(row)
	}
}

func (w *Writer) openAround() error {
	w.around = newStream(AroundFile, w.columns, w.frames.stride/8)
	return w.around.open(w.root)
}

// Flush writes the rows of partial batches, however few. Call it where the rows go over from one stream to the other:
// earlier rows are then in a file before later ones.
func (w *Writer) Flush() {
	for _, s := range w.streams() {
		if w.err == nil {
			w.err = s.part()
		}
	}
}

// Discard removes what the writer has made, as far as it is still its own: a record that shall not be.
func (w *Writer) Discard() {
	_ = w.Close(Manifest{RateHz: 1})
	for _, name := range []string{ManifestFile, FramesFile, AroundFile} {
		_ = os.Remove(filepath.Join(w.dir, name))
	}
	_ = os.Remove(w.dir)
}

// Rows is the number of rows that Append has taken; of a failed record, the rows in the file.
func (w *Writer) Rows() int { return w.count(w.frames) }

// AroundRows is the same of AppendAround.
func (w *Writer) AroundRows() int {
	if w.around == nil {
		return 0
	}
	return w.count(w.around)
}

func (w *Writer) count(s *stream) int {
	if w.err != nil {
		return s.written // nothing is written any more
	}
	return s.written + s.at/8
}

// Sync waits until the disk has all whole batches of both streams, which are then safe from a power
// failure; Close does the same from the first Sync on. The rows of a batch that is not full stay in
// memory. A disk may take many milliseconds. An error is a failure of the record.
func (w *Writer) Sync() error {
	streams := w.streams()
	for _, s := range streams {
		if w.err == nil {
			w.err = s.sync()
		}
	}
	if w.err == nil && w.named < len(streams) {
		w.named, w.err = len(streams), syncFolder(w.root)
	}
	return w.err
}

// Err is the first failure so far, or nil.
func (w *Writer) Err() error { return w.err }

// Check is Err, and also checks that the streams are still in their folder: rows written to a
// removed file are lost. Check asks the file system: call it once in many ticks.
func (w *Writer) Check() error {
	for _, s := range w.streams() {
		if w.err == nil {
			w.err = s.inPlace(w.dir)
		}
	}
	return w.err
}

// Close writes the rows of the last, partial batches, the ends of the streams and
// the manifest as it is at the end of the run. A failure of the recording, the
// first of all, makes the manifest say "failed" and is returned as a Failure.
func (w *Writer) Close(m Manifest) error {
	if w.root == nil {
		return fmt.Errorf("record: archive %s is closed already", w.dir)
	}
	defer func() { unlockFolder(w.lock); w.root.Close(); w.root = nil }()
	err := w.closeStreams()
	m = w.sign(m)
	if err == nil {
		m.Sums = w.sums()
		err = m.replace(w.root)
	}
	if err == nil && w.named > 0 {
		err = syncFolder(w.root)
	}
	if err == nil {
		return nil
	}
	return w.fail(m, err)
}

// sums are the hashes of the streams that are still in the folder.
func (w *Writer) sums() (list []Sum) {
	for _, s := range w.streams() {
		if s.in(w.root) {
			list = append(list, s.sum())
		}
	}
	return list
}

// closeStreams ends the streams and closes their files.
func (w *Writer) closeStreams() error {
	for _, s := range w.streams() {
		if w.err == nil {
			w.err = s.end()
		}
	}
	if w.named > 0 {
		w.Sync()
	}
	w.Check()
	for _, s := range w.streams() {
		if err := s.close(); w.err == nil {
			w.err = err
		}
	}
	return w.err
}

// fail saves the manifest of a record that failed, and returns the Failure.
func (w *Writer) fail(m Manifest, err error) *Failure {
	failure := &Failure{Err: advise(err)}
	m.Files, m.Sums = []string{ManifestFile}, w.sums()
	around := 0
	if w.frames.in(w.root) {
		failure.Rows = w.frames.written
		m.Files = append(m.Files, FramesFile)
	}
	if w.around != nil && w.around.in(w.root) {
		around = w.around.written
		m.Files = append(m.Files, AroundFile)
	}
	failure.Ticks = max(m.Samples, failure.Rows)
	m = m.withAround(around)
	m.Fail(failure)
	failure.Unsaid = m.saveFailed(w.root)
	return failure
}
