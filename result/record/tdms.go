package record

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strings"
)

// WriteTDMS writes a TDMS file of version 2.0 in one segment: in the group frames a channel of doubles for each column,
// with its unit (unit_string), its meaning (description) and the step of the times (wf_increment). LabVIEW and DIAdem read
// it.
//
// Source: National Instruments, TDMS File Format Internal Structure (2023).
func (a *Archive) WriteTDMS(w io.Writer) error {
	signals := make([]Signal, len(a.Columns))
	for i, c := range a.Columns {
		signals[i], _ = a.Signal(c.Name)
	}
	var start, step float64
	if i, ok := a.index["time_s"]; ok && a.Rows() > 1 {
		start, step = signals[i].At(0), signals[i].At(1)-signals[i].At(0)
	}
	out := bufio.NewWriterSize(w, 1<<16)
	_, err := out.Write(tdmsHead(a.Columns, a.Rows(), start, step))
	var number [8]byte
	for _, s := range signals {
		for k := 0; k < s.Len() && err == nil; k++ {
			binary.LittleEndian.PutUint64(number[:], math.Float64bits(s.At(k)))
			_, err = out.Write(number[:])
		}
	}
	if err == nil {
		err = out.Flush()
	}
	if err != nil {
		return fmt.Errorf("record: tdms: %w", err)
	}
	return a.Err()
}

// tdmsBuffer is metadata in the making.
type tdmsBuffer struct{ b []byte }

func (t *tdmsBuffer) u32(values ...int) {
	for _, v := range values {
		t.b = binary.LittleEndian.AppendUint32(t.b, uint32(v))
	}
}

func (t *tdmsBuffer) u64(values ...uint64) {
	for _, v := range values {
		t.b = binary.LittleEndian.AppendUint64(t.b, v)
	}
}

func (t *tdmsBuffer) text(s string) {
	t.u32(len(s))
	t.b = append(t.b, s...)
}

// Types, and what stands in place of the index of an object without numbers.
const (
	tdmsInt32, tdmsDouble, tdmsText = 3, 10, 0x20
	tdmsNoNumbers                   = 0xFFFFFFFF
)

func (t *tdmsBuffer) textProperty(name, value string) {
	t.text(name)
	t.u32(tdmsText)
	t.text(value)
}

func (t *tdmsBuffer) numberProperty(name string, value float64) {
	t.text(name)
	t.u32(tdmsDouble)
	t.u64(math.Float64bits(value))
}

// tdmsHead is all that stands before the numbers.
func tdmsHead(columns []Column, rows int, start, step float64) []byte {
	const group = "/'frames'"
	meta := &tdmsBuffer{}
	meta.u32(2 + len(columns))
	for _, path := range []string{"/", group} {
		meta.text(path)
		meta.u32(tdmsNoNumbers, 0)
	}
	for _, c := range columns {
		meta.text(group + "/'" + strings.ReplaceAll(c.Name, "'", "''") + "'")
		meta.u32(20, tdmsDouble, 1)
		meta.u64(uint64(rows))
		properties := 2
		if step > 0 {
			properties = 5
		}
		meta.u32(properties)
		meta.textProperty("unit_string", c.Unit)
		meta.textProperty("description", c.Doc)
		if step > 0 {
			meta.numberProperty("wf_start_offset", start)
			meta.numberProperty("wf_increment", step)
			meta.text("wf_samples")
			meta.u32(tdmsInt32, 1)
		}
	}
	head := &tdmsBuffer{b: []byte("TDSm")}
	const withMetadata, newObjects, withNumbers = 2, 4, 8
	head.u32(withMetadata|newObjects|withNumbers, 4713)
	head.u64(uint64(len(meta.b)+8*rows*len(columns)), uint64(len(meta.b)))
	return append(head.b, meta.b...)
}
