package record

import (
	"errors"
	"fmt"
	"syscall"

	"rths"
)

// Failure is the error of a record that could not be kept to the end of the run.
type Failure struct {
	Rows   int   // rows that are kept: as many as Open reads
	Ticks  int   // ticks of the run
	Err    error // first cause
	Unsaid error // why the manifest does not say so; nil where it does
}

// Error says how many rows are kept, and the cause.
func (f *Failure) Error() string {
	text := fmt.Sprintf("the record failed after %d of %d rows: %v", f.Rows, f.Ticks, f.Err)
	if f.Unsaid != nil {
		text += fmt.Sprintf("; there is no manifest that says so: %v", f.Unsaid)
	}
	return text
}

// Unwrap returns the cause.
func (f *Failure) Unwrap() error { return f.Err }

// Fail makes m the manifest of a run whose record failed. The run's own reason stays in
// front: a run may trip and also lose its record.
func (m *Manifest) Fail(f *Failure) {
	m.Status = rths.Failed
	if m.Reason != "" {
		m.Reason += "; "
	}
	m.Reason += f.Error()
	rows := f.Rows
	m.Samples, m.RowsKept = rows, &rows
}

// noRoom reports whether a disk, a quota or a limit on the size of files is full.
func noRoom(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, syscall.EFBIG)
}

// advise says what to do where there is no room.
func advise(err error) error {
	if !noRoom(err) {
		return err
	}
	return fmt.Errorf("%w: make free space (disk, quota, ulimit -f) or choose another folder", err)
}
