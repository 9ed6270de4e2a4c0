package foreign

import (
	"cmp"
	"fmt"
	"math/bits"
)

// Indexes of chunks in a layout of version 4 (IV.A.2.i, VII); 0 is a B-tree of version 1.
const (
	indexSingle     = 1
	indexImplicit   = 2 // none: chunks follow each other
	indexFixed      = 3
	indexExtensible = 4
	indexTree2      = 5
)

const mostNode = 1 << 20 // bytes of a node of a B-tree of version 2

// marked is n bytes behind the four of a mark.
func (f *hdf5) marked(addr uint64, mark string, n int) (*cursor5, error) {
	b, err := f.at(addr, 4+n)
	if err == nil && string(b[:4]) != mark {
		err = fmt.Errorf("byte %d: want %s", addr, mark)
	}
	if err != nil {
		return nil, err
	}
	return &cursor5{f: f, b: b[4:]}, nil
}

// bytes are those of a chunk.
func (a *array5) bytes() int { return a.size * a.storage.chunk[0] * a.storage.chunk[1] }

// listed reads an index of another kind than a B-tree of version 1.
func (a *array5) listed(dimensions int) error {
	s, rows := &a.storage, 0
	switch s.index {
	case indexSingle:
		a.chunks = []chunk5{{stored: cmp.Or(s.single, uint64(a.bytes())), mask: s.mask, addr: s.addr}}
		return nil
	case indexTree2:
		return a.f.tree2(s.addr, func(record []byte) error {
			c := &cursor5{f: a.f, b: record}
			one := chunk5{addr: c.addr(), stored: uint64(a.bytes())}
			if bytes := len(c.b) - 4 - 8*dimensions; bytes > 0 {
				one.stored, one.mask = c.u(bytes), c.u(4)
			}
			for i := range dimensions {
				one.at[i] = int(min(c.u(8), 1<<32)) * s.chunk[i]
			}
			return cmp.Or(c.err, a.take(one))
		})
	case indexExtensible:
		if a.most[1] >= endless {
			rows = 1
		}
	}
	l, err := a.line(rows)
	switch {
	case err != nil:
		return err
	case s.index == indexImplicit:
		return l.implicit()
	case s.index == indexFixed:
		return l.fixed()
	}
	return l.extensible()
}

// take takes a chunk, if it is not beyond the edge of a dataset that was made smaller.
func (a *array5) take(c chunk5) error {
	if c.at[0] >= a.dims[0] || c.at[1] >= a.dims[1] || c.addr == undefined {
		return nil
	}
	if len(a.chunks) == mostChunks {
		return fmt.Errorf("more than %d chunks: want larger ones", mostChunks)
	}
	a.chunks = append(a.chunks, c)
	return nil
}

// line5 is an index by numbers: chunk i is in row i/per and column i%per of chunks. Rows go on along the dimension that
// has no end, if there is one.
type line5 struct {
	*array5
	rows, per, last int
	page            int // elements of an index in one piece
	size            int // bytes of an element
}

// line makes the index of a dataset whose chunks go on along a dimension.
func (a *array5) line(rows int) (*line5, error) {
	l := &line5{array5: a, rows: rows}
	chunks := func(n, i int) int { return (n + a.storage.chunk[i] - 1) / a.storage.chunk[i] }
	l.per = chunks(a.most[1-rows], 1-rows)
	n := chunks(a.dims[rows], rows)
	if l.per > mostChunks/max(n, 1) {
		return nil, fmt.Errorf("more than %d chunks: want larger ones", mostChunks)
	}
	l.last = n * l.per
	return l, nil
}

// put adds chunk i.
func (l *line5) put(i int, c chunk5) error {
	c.at[l.rows], c.at[1-l.rows] = i/l.per*l.storage.chunk[l.rows], i%l.per*l.storage.chunk[1-l.rows]
	return l.take(c)
}

// element reads the element of chunk i: an address and, where there are filters, its bytes and which of them it lacks.
func (l *line5) element(i int, c *cursor5) error {
	one := chunk5{addr: c.addr(), stored: uint64(l.bytes())}
	if l.size > l.f.offsets {
		one.stored, one.mask = c.u(l.size-l.f.offsets-4), c.u(4)
	}
	return cmp.Or(c.err, l.put(i, one))
}

// elements reads n elements at an address, from that of chunk i on: in one piece, or in pages. Bits of a map tell which
// pages were written, from a bit on.
func (l *line5) elements(at uint64, i, n int, written []byte, bit int) error {
	page := min(n, l.page)
	for p := 0; p*page < n && i+p*page < l.last; p++ {
		if k := bit + p; len(written) > 0 && written[k/8]&(0x80>>(k%8)) == 0 {
			continue
		}
		first := i + p*page
		some := min(page, n-p*page, l.last-first)
		raw, err := l.f.at(at+uint64(p)*uint64(page*l.size+4), some*l.size)
		if err != nil {
			return err
		}
		for k := range some {
			if err := l.element(first+k, &cursor5{f: l.f, b: raw[k*l.size:]}); err != nil {
				return err
			}
		}
	}
	return nil
}

// sized checks the bytes of an element and of a page.
func (l *line5) sized(size, pageBits uint64) error {
	if l.size = int(size); l.size != l.f.offsets && l.size < l.f.offsets+5 || l.size > 32 || pageBits > 30 {
		return fmt.Errorf("index of chunks: elements of %d bytes, pages of 2^%d: want a sound file", size, pageBits)
	}
	l.page = 1 << pageBits
	return nil
}

// pages are those of n elements; 0: they stand in one piece.
func (l *line5) pages(n int) int {
	if n <= l.page {
		return 0
	}
	return (n + l.page - 1) / l.page
}

// implicit is chunks that follow each other.
func (l *line5) implicit() error {
	size, bytes := uint64(l.f.size-l.f.base), uint64(l.bytes())
	if l.storage.addr > size || uint64(l.last) > (size-l.storage.addr)/bytes {
		return fmt.Errorf("byte %d: the file ends before %d chunks there", l.storage.addr, l.last)
	}
	for i := range l.last {
		if err := l.put(i, chunk5{addr: l.storage.addr + uint64(i)*bytes, stored: bytes}); err != nil {
			return err
		}
	}
	return nil
}

// fixed reads a fixed array (VII.C).
func (l *line5) fixed() error {
	c, err := l.f.marked(l.storage.addr, "FAHD", 4+l.f.lengths+l.f.offsets)
	if err != nil {
		return err
	}
	c.skip(2)
	if err := l.sized(c.u(1), c.u(1)); err != nil {
		return err
	}
	n, block := int(min(c.length(), mostChunks+1)), c.addr()
	if block == undefined {
		return nil
	}
	if n > mostChunks {
		return fmt.Errorf("more than %d chunks: want larger ones", mostChunks)
	}
	c, err = l.f.marked(block, "FADB", 2+l.f.offsets+(l.pages(n)+7)/8)
	if err != nil {
		return err
	}
	at := block + 4 + uint64(len(c.b))
	if n > l.page {
		at += 4 // a checksum
	}
	c.skip(2 + l.f.offsets)
	return l.elements(at, 0, n, c.b, 0)
}

// extensible reads an extensible array (VII.D): the first elements stand in its index block, others in blocks of data,
// which grow, and which the index block or a secondary block u has.
func (l *line5) extensible() error {
	f := l.f
	c, err := f.marked(l.storage.addr, "EAHD", 8+6*f.lengths+f.offsets)
	if err != nil {
		return err
	}
	c.skip(2)
	size, maxBits, first, least, pointers := c.u(1), int(c.u(1)), int(c.u(1)), uint(c.u(1)), uint(c.u(1))
	if err := l.sized(size, c.u(1)); err != nil {
		return err
	}
	direct, levels := 2*bits.TrailingZeros(pointers), 1+maxBits-bits.TrailingZeros(least)
	if bits.OnesCount(least) != 1 || bits.OnesCount(pointers) != 1 || maxBits > 48 || levels < direct {
		return fmt.Errorf("byte %d: extensible array of 2^%d elements: want a sound file", l.storage.addr, maxBits)
	}
	c.skip(4 * f.lengths)
	l.last = min(l.last, int(min(c.length(), mostChunks)))
	c.skip(f.lengths)
	block, before, offset := c.addr(), 2+f.offsets, (maxBits+7)/8
	if block == undefined {
		return nil
	}
	index, err := f.marked(block, "EAIB", before+first*l.size+(2*int(pointers-1)+levels-direct)*f.offsets)
	if err != nil {
		return err
	}
	index.skip(before)
	for i := range first {
		if err := l.element(i, &cursor5{f: f, b: index.take(l.size)}); err != nil {
			return err
		}
	}
	for u, i := 0, first; u < levels && i < l.last; u++ {
		blocks, n := 1<<(u/2), int(least)<<((u+1)/2)
		list, pages, written := index, l.pages(n), []byte(nil)
		if u >= direct {
			at := index.addr()
			if at == undefined {
				i += blocks * n
				continue
			}
			maps := blocks * ((pages + 7) / 8)
			if list, err = f.marked(at, "EASB", before+offset+maps+blocks*f.offsets); err != nil {
				return err
			}
			list.skip(before + offset)
			written = list.take(maps)
		}
		for b := 0; b < blocks && i < l.last; b, i = b+1, i+n {
			if err := l.block(list.addr(), before+offset, i, n, written, b*pages); err != nil {
				return err
			}
		}
	}
	return nil
}

// block reads a block of data, whose n elements stand behind so many bytes.
func (l *line5) block(at uint64, before, i, n int, written []byte, bit int) error {
	if at == undefined {
		return nil
	}
	if _, err := l.f.marked(at, "EADB", before); err != nil {
		return err
	}
	if at += uint64(4 + before); n > l.page {
		at += 4 // a checksum
	}
	return l.elements(at, i, n, written, bit)
}

// tree2 calls each with every record of a B-tree of version 2 (III.A.2).
func (f *hdf5) tree2(addr uint64, each func(record []byte) error) error {
	c, err := f.marked(addr, "BTHD", 14+f.offsets)
	if err != nil {
		return err
	}
	c.skip(2)
	node := int(min(c.u(4), mostNode+1))
	t := &tree2{hdf5: f, each: each, size: node, record: int(c.u(2))}
	depth := int(c.u(2))
	c.skip(2)
	root, n := c.addr(), int(c.u(2))
	if root == undefined || c.err != nil {
		return c.err
	}
	if node > mostNode || t.record < 1 || depth > deepestGroup || node < 10+t.record {
		return fmt.Errorf("byte %d: B-tree of depth %d, nodes of %d bytes: want a sound file", addr, depth, node)
	}
	most := (node - 10) / t.record
	t.counts = bytesOf(most)
	t.totals = []int{0, 0}
	for all, level := most, 1; level < depth; level++ {
		pointer := f.offsets + t.counts + t.totals[level]
		most := max(1, (node-10-pointer)/(t.record+pointer))
		all = (most+1)*min(all, 1<<40) + most
		t.totals = append(t.totals, bytesOf(all))
	}
	return t.node(root, n, depth)
}

// bytesOf are the bytes that a number up to n needs.
func bytesOf(n int) int { return (bits.Len(uint(n))-1)/8 + 1 }

// tree2 is a B-tree of version 2.
type tree2 struct {
	*hdf5
	size   int   // bytes of a node
	record int   // bytes of a record
	read   int   // records
	counts int   // bytes of the number of records of a child
	totals []int // bytes of the number of records below a child, by the level of its node
	each   func(record []byte) error
}

// node reads a node of n records; leaves have the level 0.
func (t *tree2) node(addr uint64, n, level int) error {
	if t.nodes++; t.nodes > mostObjects {
		return fmt.Errorf("byte %d: B-tree: more than %d nodes: want a sound file", addr, mostObjects)
	}
	mark, pointers := "BTLF", 0
	if level > 0 {
		mark, pointers = "BTIN", (n+1)*(t.offsets+t.counts+t.totals[level])
	}
	if t.read += n; 10+n*t.record+pointers > t.size || t.read > mostChunks {
		return fmt.Errorf("byte %d: B-tree: a node of %d records, %d in all: want a sound file", addr, n, t.read)
	}
	c, err := t.marked(addr, mark, 2+n*t.record+pointers)
	if err != nil {
		return err
	}
	c.skip(2)
	for range n {
		if err := t.each(c.take(t.record)); err != nil {
			return err
		}
	}
	for i := 0; level > 0 && i <= n; i++ {
		child, count := c.addr(), int(c.u(t.counts))
		c.skip(t.totals[level])
		if err := t.node(child, count, level-1); err != nil {
			return err
		}
	}
	return nil
}
