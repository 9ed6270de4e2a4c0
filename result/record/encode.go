//go:build !js

package record

import (
	"bytes"
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// schema is what a stream begins with.
type schema = *arrow.Schema

// newSchema is the Arrow schema of the columns: float64, never null, with
// unit, doc and source as field metadata.
func newSchema(columns []Column) schema {
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
func schemaMessage(schema schema) ([]byte, error) {
	var b bytes.Buffer
	if err := ipc.NewWriter(&b, ipc.WithSchema(schema)).Close(); err != nil {
		return nil, fmt.Errorf("record: arrow schema: %w", err)
	}
	return bytes.TrimSuffix(b.Bytes(), endOfStream), nil
}

// batchMessage is the message of a batch of rows, header and body. Column i of
// the batch is the first 8·rows bytes at i·stride of body, little endian.
func batchMessage(schema schema, body []byte, stride, rows int) ([]byte, error) {
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
