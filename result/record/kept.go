package record

import "rths"

// Kept is the observer that keeps every tick of a loop in memory, as Recorder does in a file: for a run that is looked
// at and forgotten. Velocities and accelerations of the numerical part are left out: nothing that looks at it draws
// them.
type Kept struct {
	layout  *Layout
	columns [][]float64
	err     error
}

// NewKept is for a loop with this frame and these channels (NewLayout), of about so many ticks. It takes the memory of
// an old archive of a Kept, which nobody may read from then on; nil: there is none.
func NewKept(f *rths.Frame, channels []rths.Channel, ticks int, old *Archive) (*Kept, error) {
	l, err := NewLayout(f, channels)
	if err != nil {
		return nil, err
	}
	l.leaveOut("num_v", "num_a")
	k := &Kept{layout: l, columns: make([][]float64, len(l.Columns))}
	for i := range k.columns {
		if old != nil && i < len(old.memory) && cap(old.memory[i]) >= ticks {
			k.columns[i] = old.memory[i][:0]
		} else {
			k.columns[i] = make([]float64, 0, ticks)
		}
	}
	return k, nil
}

// Observe keeps the tick. The first failure is kept and returned by Archive.
func (k *Kept) Observe(f *rths.Frame) {
	if k.err != nil {
		return
	}
	if k.err = k.layout.take(f); k.err != nil {
		return
	}
	for i, source := range k.layout.sources {
		k.columns[i] = append(k.columns[i], *source)
	}
}

// Archive is what has been kept, with the manifest of its run. It has no folder.
func (k *Kept) Archive(m Manifest) (*Archive, error) {
	if k.err != nil {
		return nil, k.err
	}
	a := &Archive{Manifest: m, memory: k.columns}
	return a, a.setColumns(k.layout.Columns)
}
