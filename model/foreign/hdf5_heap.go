package foreign

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"strings"
)

// heap5 is a fractal heap (III.G): its objects stand in direct blocks. Where there are several, an indirect block is a
// table of them, whose rows double.
type heap5 struct {
	*hdf5
	head   int // bytes before the offset of a block in the heap: mark, version, address of the heap
	offset int // bytes of an offset
	length int // bytes of a length
	width  int // of the table
	start  uint64
	direct int // rows of direct blocks
	root   uint64
	rows   int // of the root; 0: it is a direct block
}

// heap reads the header of a fractal heap.
func (f *hdf5) heap(addr uint64) (*heap5, error) {
	c, err := f.marked(addr, "FRHP", 18+12*f.lengths+3*f.offsets)
	if err != nil {
		return nil, err
	}
	c.skip(3)
	filters := c.u(2)
	c.skip(1)
	longest := c.u(4)
	c.skip(10*f.lengths + 2*f.offsets)
	h := &heap5{hdf5: f, head: 5 + f.offsets, width: int(c.u(2)), start: c.length()}
	largest, maxBits := c.length(), int(c.u(2))
	c.skip(2)
	h.root, h.rows = c.addr(), int(c.u(2))
	h.offset = (maxBits + 7) / 8
	switch {
	case c.err != nil:
		return nil, c.err
	case filters != 0:
		return nil, errors.New("names of members that are compressed: want a group without filters")
	case h.width < 1 || bits.OnesCount64(h.start) != 1 || bits.OnesCount64(largest) != 1 || largest < h.start ||
		longest < 1 || maxBits > 64 || largest > mostChunkSize:
		return nil, fmt.Errorf("byte %d: heap of blocks of %d to %d bytes: want a sound file", addr, h.start, largest)
	}
	h.direct = bits.TrailingZeros64(largest/h.start) + 2
	h.length = min((bits.TrailingZeros64(largest)+7)/8, bytesOf(int(longest)))
	return h, nil
}

// object is what an identifier names.
func (h *heap5) object(id []byte) ([]byte, error) {
	c := &cursor5{f: h.hdf5, b: id}
	if kind := c.u(1) >> 4 & 3; kind != 0 {
		return nil, fmt.Errorf("a very long name of a member (object of kind %d in a heap): want a shorter one", kind)
	}
	off, n := c.u(h.offset), int(c.u(h.length))
	if c.err != nil {
		return nil, c.err
	}
	block, size, rows := h.root, h.start, h.rows
	for deep := 0; rows > 0; deep++ {
		row, first := 0, uint64(0)
		size = h.start
		for ; off-first >= uint64(h.width)*size; row++ {
			if first += uint64(h.width) * size; row > 0 {
				size *= 2
			}
			if row == 64 || deep == deepestGroup {
				return nil, errors.New("an object beyond the heap: want a sound file")
			}
		}
		column := (off - first) / size
		off -= first + column*size
		entry := uint64(h.head+h.offset) + (uint64(row*h.width)+column)*uint64(h.offsets)
		if _, err := h.marked(block, "FHIB", 0); err != nil {
			return nil, err
		}
		raw, err := h.at(block+entry, h.offsets)
		if err != nil {
			return nil, err
		}
		if block = (&cursor5{f: h.hdf5, b: raw}).addr(); row < h.direct {
			rows = 0
		}
	}
	if _, err := h.marked(block, "FHDB", 0); err != nil {
		return nil, err
	}
	if off > size || uint64(n) > size-off {
		return nil, errors.New("an object beyond its block: want a sound file")
	}
	return h.at(block+off, n)
}

// dense reads the members of a group whose links stand in a heap, by their names.
func (f *hdf5) dense(path string, heap, tree uint64, depth int) error {
	h, err := f.heap(heap)
	if err != nil {
		return err
	}
	var links []link5
	err = f.tree2(tree, func(record []byte) error {
		if len(record) < 5 || len(links) == mostObjects {
			return fmt.Errorf("records of %d bytes, %d of them: want a sound file", len(record), len(links))
		}
		raw, err := h.object(record[4:]) // behind the hash of the name
		if err != nil {
			return err
		}
		l, err := f.link(&cursor5{f: f, b: raw})
		links = append(links, l)
		return err
	})
	slices.SortFunc(links, func(a, b link5) int { return strings.Compare(a.name, b.name) })
	for _, l := range links {
		if err == nil {
			err = f.member(path, l.name, l.addr, depth)
		}
	}
	return err
}
