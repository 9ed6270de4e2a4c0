package foreign

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
)

// hdf5Mark begins an HDF5 file, or stands at byte 512, 1024, 2048, … after a block of the user, as in files of MATLAB 7.3.
const hdf5Mark = "\x89HDF\r\n\x1a\n"

// hdf5 is a file. Sections of its code are those of the HDF5 File Format Specification, version 3.0.
//
// It reads the subset that MATLAB 7.3, h5py, PyTables and OpenSees write, with libver='latest' too: superblocks 0 to 3,
// object headers 1 and 2, groups of symbol tables or links, numbers and compounds of numbers, contiguous, compact and
// chunked, compressed by deflate and shuffle.
type hdf5 struct {
	r       io.ReaderAt
	size    int64
	base    int64 // what addresses count from
	offsets int   // bytes of an address
	lengths int   // bytes of a length
	vars    []Variable
	matlab  bool
	seen    map[uint64]bool // headers of groups
	objects int
	nodes   int // of B-trees
	numbers int
	left    []LeftOut // datasets of numbers
}

const (
	deepestGroup  = 32
	mostObjects   = 100_000 // and nodes of trees
	mostMessages  = 10_000
	mostChunkSize = 1 << 26
	mostChunks    = 1 << 22
	mostNumbers   = 1 << 31 // of all datasets
	undefined     = math.MaxUint64
)

// hdf5At is the byte at which HDF5 begins in a file; -1: it does not.
func hdf5At(r io.ReaderAt) int64 {
	var mark [8]byte
	for at := int64(0); at <= 1<<20; at = max(512, 2*at) {
		if _, err := r.ReadAt(mark[:], at); err != nil {
			return -1
		}
		if string(mark[:]) == hdf5Mark {
			return at
		}
	}
	return -1
}

// openHDF5 lists the arrays of numbers of a file: of one or two dimensions, as a MATLAB array of the same numbers, whose
// dimensions are in the other order; and those that are left out, with the reason.
func openHDF5(r io.ReaderAt, size, at int64) (vars []Variable, left []LeftOut, err error) {
	f := &hdf5{r: r, size: size, seen: map[uint64]bool{}}
	head, err := f.at(0, int(min(size, 10)))
	if err != nil {
		return nil, nil, err
	}
	f.matlab = string(head) == "MATLAB 7.3"
	root, err := f.superblock(at)
	if err != nil {
		return nil, nil, fmt.Errorf("byte %d: HDF5 superblock: %w", at, err)
	}
	if err := f.object("", root, 0); err != nil {
		return nil, nil, err
	}
	if len(f.vars) == 0 && len(f.left) > 0 {
		return nil, nil, errors.New("no arrays of numbers; " + ListLeft(f.left, ""))
	}
	return f.vars, f.left, nil
}

// superblock reads section II.A, and leaves in data what addresses count from.
func (f *hdf5) superblock(at int64) (root uint64, err error) {
	head, err := f.at(uint64(at+8), int(min(f.size-at-8, 120)))
	if err != nil {
		return 0, err
	}
	c := &cursor5{f: f, b: head}
	f.offsets, f.lengths = 8, 8
	switch version := c.u(1); version {
	case 0, 1:
		c.skip(4)
		f.offsets, f.lengths = int(c.u(1)), int(c.u(1))
		c.skip(1 + 2 + 2 + 4)
		if version == 1 {
			c.skip(4)
		}
		base := c.addr()
		c.skip(4 * f.offsets) // free space, end, driver, name of the root
		root = c.addr()
		err = f.rebase(base)
	case 2, 3:
		f.offsets, f.lengths = int(c.u(1)), int(c.u(1))
		c.skip(1)
		base := c.addr()
		c.skip(2 * f.offsets)
		root = c.addr()
		err = f.rebase(base)
	default:
		err = fmt.Errorf("version %d: want 0 to 3", version)
	}
	for _, n := range []int{f.offsets, f.lengths} {
		if n != 2 && n != 4 && n != 8 {
			err = fmt.Errorf("addresses of %d and lengths of %d bytes: want 2, 4 or 8", f.offsets, f.lengths)
		}
	}
	return root, cmp.Or(c.err, err)
}

func (f *hdf5) rebase(base uint64) error {
	if base > uint64(f.size) {
		return fmt.Errorf("base address %d beyond the file of %d bytes", base, f.size)
	}
	f.base = int64(base)
	return nil
}

// at is n bytes at an address.
func (f *hdf5) at(addr uint64, n int) ([]byte, error) {
	size := uint64(f.size - f.base)
	if n < 0 || addr > size || uint64(n) > size-addr {
		return nil, fmt.Errorf("byte %d: the file ends before %d bytes there", addr, n)
	}
	if n > MostInMemory {
		return nil, fmt.Errorf("byte %d: %d bytes in one: want at most %d", addr, n, MostInMemory)
	}
	out := make([]byte, n)
	if got, err := f.r.ReadAt(out, f.base+int64(addr)); got < n {
		return nil, fmt.Errorf("byte %d: %w", addr, err)
	}
	return out, nil
}

// cursor5 reads little-endian numbers. After an error they are 0.
type cursor5 struct {
	f   *hdf5
	b   []byte
	err error
}

func (c *cursor5) take(n int) []byte {
	if c.err != nil || n < 0 || n > len(c.b) {
		if c.err == nil {
			c.err = errors.New("it is cut off")
		}
		return nil
	}
	out := c.b[:n]
	c.b = c.b[n:]
	return out
}

func (c *cursor5) skip(n int) { c.take(n) }

// u is a number of n bytes.
func (c *cursor5) u(n int) (v uint64) {
	for i, b := range c.take(n) {
		if i < 8 {
			v |= uint64(b) << (8 * i)
		}
	}
	return v
}

// addr is an address, and the undefined one undefined.
func (c *cursor5) addr() uint64 {
	v := c.u(c.f.offsets)
	if c.err == nil && c.f.offsets < 8 && v == 1<<(8*c.f.offsets)-1 {
		return undefined
	}
	return v
}

func (c *cursor5) length() uint64 { return c.u(c.f.lengths) }

// text is the characters before a zero.
func (c *cursor5) text() string {
	n := bytes.IndexByte(c.b, 0)
	if n < 0 {
		c.take(len(c.b) + 1)
		return ""
	}
	s := string(c.take(n))
	c.skip(1)
	return s
}

// message5 is a message of an object header (IV.A.2).
type message5 struct {
	kind   uint64
	shared bool
	data   []byte
}

// Kinds of messages.
const (
	msgSpace     = 0x01
	msgLinkInfo  = 0x02
	msgType      = 0x03
	msgLink      = 0x06
	msgLayout    = 0x08
	msgFilters   = 0x0B
	msgAttribute = 0x0C
	msgContinued = 0x10
	msgSymbols   = 0x11
)

// header5 is how a header of an object writes its messages.
type header5 struct {
	version2 bool
	order    bool // each has the order of its making
}

// messages reads the header of an object (IV.A.1), with its continuations.
func (f *hdf5) messages(addr uint64) (out []message5, err error) {
	h, block, err := f.header(addr)
	if err != nil {
		return nil, err
	}
	blocks := [][]byte{block}
	for i := 0; i < len(blocks); i++ {
		list, err := f.block(h, blocks[i])
		if err == nil && len(out)+len(blocks) > mostMessages {
			err = errors.New("too many messages: want a sound file")
		}
		if err != nil {
			return out, fmt.Errorf("byte %d: header of an object: %w", addr, err)
		}
		for _, m := range list {
			if m.kind != msgContinued {
				out = append(out, m)
				continue
			}
			more, err := f.continuation(h, m)
			if err != nil {
				return out, fmt.Errorf("byte %d: continuation of a header: %w", addr, err)
			}
			blocks = append(blocks, more)
		}
	}
	return out, nil
}

// header reads what stands before the messages, and gives the first block of them.
func (f *hdf5) header(addr uint64) (h header5, block []byte, err error) {
	head, err := f.at(addr, 16)
	switch {
	case err != nil:
		return h, nil, err
	case string(head[:4]) != "OHDR" && head[0] != 1:
		return h, nil, fmt.Errorf("byte %d: header of an object of version %d: want 1 or 2", addr, head[0])
	case head[0] == 1:
		block, err = f.at(addr+16, int(binary.LittleEndian.Uint32(head[8:])))
		return h, block, err
	}
	flags, start := head[5], 6
	if flags&0x20 != 0 {
		start += 16
	}
	if flags&0x10 != 0 {
		start += 4
	}
	sized, err := f.at(addr+uint64(start), 1<<(flags&3))
	if err != nil {
		return h, nil, err
	}
	size := (&cursor5{f: f, b: sized}).u(len(sized))
	block, err = f.at(addr+uint64(start+len(sized)), int(min(size, 1<<30)))
	return header5{version2: true, order: flags&4 != 0}, block, err
}

// block reads the messages of a block.
func (f *hdf5) block(h header5, block []byte) (out []message5, err error) {
	c := &cursor5{f: f, b: block}
	least := 8
	if h.version2 {
		least = 4 // a gap at the end may be shorter than what stands before a message
	}
	if h.order {
		least = 6
	}
	for len(c.b) >= least && c.err == nil {
		var m message5
		var size int
		if h.version2 {
			m.kind, size = c.u(1), int(c.u(2))
			m.shared = c.u(1)&2 != 0
			if h.order {
				c.skip(2)
			}
		} else {
			m.kind, size = c.u(2), int(c.u(2))
			m.shared = c.u(1)&2 != 0
			c.skip(3)
		}
		m.data = c.take(size)
		out = append(out, m)
	}
	return out, c.err
}

// continuation is the block that a message names.
func (f *hdf5) continuation(h header5, m message5) ([]byte, error) {
	c := &cursor5{f: f, b: m.data}
	at, n := c.addr(), c.length()
	more, err := f.at(at, int(min(n, 1<<30)))
	switch {
	case c.err != nil || err != nil:
		return nil, cmp.Or(c.err, err)
	case h.version2 && (len(more) < 8 || string(more[:4]) != "OCHK"):
		return nil, fmt.Errorf("byte %d: want OCHK", at)
	case h.version2:
		return more[4 : len(more)-4], nil
	}
	return more, nil
}

// object reads a group with all in it, or a dataset.
func (f *hdf5) object(path string, addr uint64, depth int) error {
	if f.objects++; depth > deepestGroup || f.objects > mostObjects {
		return fmt.Errorf("%s: more than %d groups in each other, or %d objects: want fewer", path, deepestGroup, mostObjects)
	}
	messages, err := f.messages(addr)
	if err != nil {
		return fmt.Errorf("%s: %w", named5(path), err)
	}
	if slices.ContainsFunc(messages, func(m message5) bool { return m.kind == msgLayout }) {
		return f.dataset(path, messages)
	}
	if f.seen[addr] {
		return nil // another name of a group, or a ring
	}
	f.seen[addr] = true
	if slices.ContainsFunc(messages, func(m message5) bool {
		title, _ := f.attribute(&cursor5{f: f, b: m.data})
		return m.kind == msgAttribute && title == "MATLAB_sparse"
	}) {
		f.leave(named5(path), "a sparse matrix of MATLAB 7.3: want it saved by save -v7")
		return nil
	}
	for _, m := range messages {
		c := &cursor5{f: f, b: m.data}
		switch m.kind {
		case msgSymbols:
			tree, heap := c.addr(), c.addr()
			err = c.err
			if err == nil {
				err = f.symbols(path, tree, heap, depth, 0)
			}
		case msgLink:
			var l link5
			if l, err = f.link(c); err == nil {
				err = f.member(path, l.name, l.addr, depth)
			}
		case msgLinkInfo:
			c.skip(1)
			if c.u(1)&1 != 0 {
				c.skip(8)
			}
			if heap, tree := c.addr(), c.addr(); c.err == nil && heap != undefined {
				err = f.dense(path, heap, tree, depth)
			}
		}
		if err != nil {
			return fmt.Errorf("%s: %w", named5(path), err)
		}
	}
	return nil
}

func named5(path string) string {
	if path == "" {
		return "the root group"
	}
	return path
}

// member is the object of a name in a group. MATLAB keeps what cells and objects refer to in groups like #refs#.
func (f *hdf5) member(path, name string, addr uint64, depth int) error {
	if strings.HasPrefix(name, "#") || addr == undefined {
		return nil
	}
	if path != "" {
		between := "/"
		if f.matlab {
			between = "."
		}
		name = path + between + name
	}
	return f.object(name, addr, depth+1)
}

// link5 is a name of an object in a group.
type link5 struct {
	name string
	addr uint64
}

// link reads a link (IV.A.2.g); soft and external ones have no address.
func (f *hdf5) link(c *cursor5) (link5, error) {
	c.skip(1)
	flags := c.u(1)
	kind := uint64(0)
	if flags&8 != 0 {
		kind = c.u(1)
	}
	if flags&4 != 0 {
		c.skip(8)
	}
	if flags&0x10 != 0 {
		c.skip(1)
	}
	l := link5{string(c.take(int(min(c.u(1<<(flags&3)), 1<<30)))), undefined}
	if kind == 0 {
		l.addr = c.addr()
	}
	return l, c.err
}

// symbols reads the members of a group from its B-tree (III.A.1), nodes and heap (III.B, III.D).
func (f *hdf5) symbols(path string, tree, heap uint64, depth, level int) error {
	head, err := f.at(heap, 8+2*f.lengths+f.offsets)
	if err != nil || string(head[:4]) != "HEAP" {
		return fmt.Errorf("byte %d: local heap: want HEAP", heap)
	}
	c := &cursor5{f: f, b: head[8:]}
	size := c.length()
	c.skip(f.lengths)
	names, err := f.at(c.addr(), int(min(size, 1<<30)))
	if err != nil {
		return err
	}
	return f.tree(tree, 0, f.lengths, 0, func(_ []byte, child uint64) error {
		head, err := f.at(child, 8)
		if err != nil || string(head[:4]) != "SNOD" {
			return fmt.Errorf("byte %d: node of symbols: want SNOD", child)
		}
		n := int(binary.LittleEndian.Uint16(head[6:]))
		entry := 2*f.offsets + 24
		body, err := f.at(child+8, n*entry)
		if err != nil {
			return err
		}
		for ; len(body) > 0; body = body[entry:] {
			c := &cursor5{f: f, b: body}
			at, addr := c.addr(), c.addr()
			if at >= uint64(len(names)) {
				return fmt.Errorf("byte %d: a name beyond the heap", child)
			}
			name := (&cursor5{f: f, b: names[at:]}).text()
			if err := f.member(path, name, addr, depth); err != nil {
				return err
			}
		}
		return nil
	})
}

// tree calls each with the key and address of every leaf of a B-tree of version 1, whose keys have so many bytes.
func (f *hdf5) tree(addr uint64, kind byte, key, depth int, each func(key []byte, child uint64) error) error {
	if f.nodes++; f.nodes > mostObjects {
		return fmt.Errorf("byte %d: B-tree: more than %d nodes: want a sound file", addr, mostObjects)
	}
	head, err := f.at(addr, 8+2*f.offsets)
	if err != nil || string(head[:4]) != "TREE" || head[4] != kind || depth > deepestGroup {
		return fmt.Errorf("byte %d: B-tree: want TREE of type %d", addr, kind)
	}
	level, n := head[5], int(binary.LittleEndian.Uint16(head[6:]))
	body, err := f.at(addr+uint64(len(head)), n*(key+f.offsets)+key)
	if err != nil {
		return err
	}
	for i := range n {
		c := &cursor5{f: f, b: body[i*(key+f.offsets):]}
		k, child := c.take(key), c.addr()
		if level > 0 {
			if next, err := f.at(child, 6); err != nil || next[5] >= level {
				return fmt.Errorf("byte %d: B-tree: want a node of a level below %d", child, level)
			}
			err = f.tree(child, kind, key, depth+1, each)
		} else {
			err = each(k, child)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
