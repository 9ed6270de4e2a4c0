package ring

import "unsafe"

// OnHeap is a ring without a file. The race detector looks at the memory of Go only, and not at a file that
// is mapped.
func OnHeap(s Shape) (*Producer, *Consumer) {
	words := make([]uint64, Bytes(s.Width, s.Rows)/numberBytes)
	memory := unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), numberBytes*len(words))
	return &Producer{side: newSide(nil, memory, s, 0)}, &Consumer{side: newSide(nil, memory, s, 0)}
}
