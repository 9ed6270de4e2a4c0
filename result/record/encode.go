package record

import (
	"bytes"
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// endOfStream is the message that ends an Arrow IPC stream.
var endOfStream = []byte{0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0}

// A batch has at most maxRows rows and about maxBatch bytes, however high the
// rate.
const (
	maxRows  = 1 << 16
	maxBatch = 32 << 20
)

// batchRows is the number of rows in a batch: a quarter of a second, cut down to
// an odd multiple of 8. A column is then a whole number of 64-byte blocks, so
// that Arrow puts no padding between columns, and their distance is not a power
// of two, so that the values of a row do not compete for one set of the cache
// (which would double the cost of a row).
func batchRows(rateHz float64, columns int) int {
	rows := min(int(min(rateHz/4, maxRows)), maxBatch/(8*columns))
	blocks := rows / 8
	if blocks%2 == 0 {
		blocks--
	}
	return 8 * max(blocks, 1)
}

// newSchema is the Arrow schema of the columns: float64, never null, with
// unit, doc and source as field metadata.
func newSchema(columns []Column) *arrow.Schema {
	fields := make([]arrow.Field, len(columns))
	for i, c := range columns {
		fields[i] = arrow.Field{
			Name: c.Name,
			Type: arrow.PrimitiveTypes.Float64,
			Metadata: arrow.NewMetadata(
				[]string{"unit", "doc", "source"},
				[]string{c.Unit, c.Doc, c.Source}),
		}
	}
	return arrow.NewSchema(fields, nil)
}

// schemaMessage is the first message of a stream.
func schemaMessage(schema *arrow.Schema) ([]byte, error) {
	var b bytes.Buffer
	if err := ipc.NewWriter(&b, ipc.WithSchema(schema)).Close(); err != nil {
		return nil, fmt.Errorf("record: arrow schema: %w", err)
	}
	return bytes.TrimSuffix(b.Bytes(), endOfStream), nil
}

// batchMessage is the message of a batch of rows, header and body. Column i of
// the batch is the first 8·rows bytes at i·stride of body, little endian.
func batchMessage(schema *arrow.Schema, body []byte, stride, rows int) ([]byte, error) {
	arrays := make([]arrow.Array, schema.NumFields())
	for i := range arrays {
		values := memory.NewBufferBytes(body[i*stride : i*stride+8*rows])
		data := array.NewData(arrow.PrimitiveTypes.Float64, rows, []*memory.Buffer{nil, values}, nil, 0, 0)
		arrays[i] = array.NewFloat64Data(data)
	}
	first, err := schemaMessage(schema)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	w := ipc.NewWriter(&b, ipc.WithSchema(schema))
	if err := w.Write(array.NewRecordBatch(schema, arrays, int64(rows))); err != nil {
		return nil, fmt.Errorf("record: arrow batch of %d rows: %w", rows, err)
	}
	return b.Bytes()[len(first):], nil // the writer is dropped without Close: no end of stream
}
