package record

// Written is the number of rows that are in the file.
func (w *Writer) Written() int { return w.frames.written }
