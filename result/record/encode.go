package record

import (
	"encoding/binary"
	"math"

	flatbuffers "github.com/google/flatbuffers/go"
)

// formatV5 is the version of Arrow's metadata in a message: that of Arrow 1.0 and later.
const formatV5 = 4

// schemaMessage is the first message of a stream: columns of float64, never null, with unit, doc and source as field
// metadata.
func schemaMessage(columns []Column) []byte {
	b := flatbuffers.NewBuilder(1024)
	fields := make([]flatbuffers.UOffsetT, len(columns))
	for i, c := range columns {
		fields[i] = putField(b, c)
	}
	list := putList(b, fields)
	b.StartObject(4)
	b.PrependUOffsetTSlot(fieldOf(schemaFields), list, 0)
	return finish(b, kindSchema, b.EndObject(), 0)
}

// putField writes a field of a schema.
func putField(b *flatbuffers.Builder, c Column) flatbuffers.UOffsetT {
	name := b.CreateString(c.Name)
	b.StartObject(1)
	b.PrependInt16Slot(fieldOf(floatPrecision), float64s, 0)
	kind, children := b.EndObject(), putList(b, nil)
	var pairs []flatbuffers.UOffsetT
	for _, p := range [][2]string{{"unit", c.Unit}, {"doc", c.Doc}, {"source", c.Source}} {
		key, value := b.CreateString(p[0]), b.CreateString(p[1])
		b.StartObject(2)
		b.PrependUOffsetTSlot(fieldOf(pairKey), key, 0)
		b.PrependUOffsetTSlot(fieldOf(pairValue), value, 0)
		pairs = append(pairs, b.EndObject())
	}
	metadata := putList(b, pairs)
	b.StartObject(7)
	b.PrependUOffsetTSlot(fieldOf(fieldName), name, 0)
	b.PrependByteSlot(fieldOf(fieldTypeKind), kindFloat, 0)
	b.PrependUOffsetTSlot(fieldOf(fieldType), kind, 0)
	b.PrependUOffsetTSlot(fieldOf(fieldChildren), children, 0)
	b.PrependUOffsetTSlot(fieldOf(fieldMetadata), metadata, 0)
	return b.EndObject()
}

// fieldOf is the number of the field at a slot.
func fieldOf(slot int) int { return (slot - 4) / 2 }

// putList writes a vector of tables. A Builder writes from the end to the beginning.
func putList(b *flatbuffers.Builder, list []flatbuffers.UOffsetT) flatbuffers.UOffsetT {
	b.StartVector(flatbuffers.SizeUOffsetT, len(list), flatbuffers.SizeUOffsetT)
	for i := len(list) - 1; i >= 0; i-- {
		b.PrependUOffsetT(list[i])
	}
	return b.EndVector(len(list))
}

// putPairs writes a vector of n pairs of numbers.
func putPairs(b *flatbuffers.Builder, n int, pair func(i int) (first, second int)) flatbuffers.UOffsetT {
	b.StartVector(16, n, 8)
	for i := n - 1; i >= 0; i-- {
		first, second := pair(i)
		b.Prep(8, 16)
		b.PrependInt64(int64(second))
		b.PrependInt64(int64(first))
	}
	return b.EndVector(n)
}

// batchMessage is the message of a batch of rows, header and body. Column i of the batch is the first 8·rows bytes at
// i·stride of body, little endian.
func batchMessage(columns int, body []byte, stride, rows int) []byte {
	size := 8 * rows
	b := flatbuffers.NewBuilder(0)
	nodes := putPairs(b, columns, func(int) (values, nulls int) { return rows, 0 })
	buffers := putPairs(b, 2*columns, func(i int) (from, bytes int) {
		return i / 2 * size, i % 2 * size // an even one would say which values are null: it is empty
	})
	b.StartObject(5)
	b.PrependInt64Slot(fieldOf(batchLength), int64(rows), 0)
	b.PrependUOffsetTSlot(fieldOf(batchNodes), nodes, 0)
	b.PrependUOffsetTSlot(fieldOf(batchBuffers), buffers, 0)
	message := finish(b, kindBatch, b.EndObject(), columns*size)
	for i := range columns {
		message = append(message, body[i*stride:i*stride+size]...)
	}
	return message
}

// finish is a message without its body, which will have so many bytes.
func finish(b *flatbuffers.Builder, kind byte, header flatbuffers.UOffsetT, body int) []byte {
	b.StartObject(5)
	b.PrependInt16Slot(fieldOf(messageVersion), formatV5, 0)
	b.PrependByteSlot(fieldOf(messageKind), kind, 0)
	b.PrependUOffsetTSlot(fieldOf(messageHeader), header, 0)
	b.PrependInt64Slot(fieldOf(messageBody), int64(body), 0)
	b.Finish(b.EndObject())
	table := b.FinishedBytes()
	padded := (len(table) + 7) &^ 7
	message := make([]byte, 0, 8+padded+body)
	message = binary.LittleEndian.AppendUint32(message, math.MaxUint32)
	message = binary.LittleEndian.AppendUint32(message, uint32(padded))
	message = append(message, table...)
	return append(message, make([]byte, padded-len(table))...)
}
