package record

import (
	"encoding/binary"
	"math"

	"rths"
)

// Recorder is the observer that writes every tick of a loop into an archive, also a tick that
// failed. Recorder copies a tick straight into the batch: by Layout.Row and Writer.Append a
// tick takes a third longer.
type Recorder struct {
	*Writer
	layout *Layout
}

// NewRecorder creates the archive (Create) of a loop with this frame and these channels
// (NewLayout).
func NewRecorder(dir string, m Manifest, f *rths.Frame, channels []rths.Channel) (*Recorder, error) {
	l, err := NewLayout(f, channels)
	if err != nil {
		return nil, err
	}
	w, err := Create(dir, m, l.Columns)
	if err != nil {
		return nil, err
	}
	return &Recorder{Writer: w, layout: l}, nil
}

// Observe writes the tick. A failure is kept and returned by Close.
func (r *Recorder) Observe(f *rths.Frame) {
	w := r.Writer
	if w.err != nil {
		return
	}
	if w.err = r.layout.take(f); w.err != nil {
		return
	}
	s := w.frames
	at := s.at
	for _, source := range r.layout.sources {
		binary.LittleEndian.PutUint64(s.body[at:], math.Float64bits(*source))
		at += s.stride
	}
	if s.next() {
		w.err = s.flush()
	}
}

// UsesRates: velocities and accelerations of the numerical part are recorded.
func (*Recorder) UsesRates() {}
