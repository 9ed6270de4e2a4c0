package record

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"slices"

	"rths/scenario/files"
)

// PyramidFile is the file beside FramesFile with the smallest and the largest number of each block of rows of each
// column, and where the batches stand. With it a long archive is opened, and its curves are drawn, without reading all
// of it. It is made of the archive alone, and may be removed at any time.
//
// All is little-endian. The file has pyramidMagic; the length of the head, uint32; the head; its CRC-32C, uint32; then
// for each column its blocks and their CRC-32C. The head has size, instant (ns since 1970) and SHA-256 of the archive's
// file, rows, numbers of columns and of batches; length and bytes of each column's name; rows, place and stride of each
// batch. A block has the smallest and the largest finite number, float64, and their rows after the first one of the
// block, uint32; +Inf and −Inf where there is none. The blocks of baseRows rows come first, then those of levelBlocks
// times as many, and so on, whole blocks alone.
const PyramidFile = "frames.minmax"

const (
	pyramidMagic = "rthsmm\x01\n" // with the version
	baseRows     = PyramidBlock
	levelBlocks  = 16
	blockBytes   = 24
	largestHead  = 256 << 20
)

// PyramidBlock is the number of rows of its smallest block.
const PyramidBlock = 256

// PyramidRows is the number of rows from which on an archive is worth a pyramid: a shorter one is read at once.
const PyramidRows = 1 << 19

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// identity is what a pyramid knows its archive by.
type identity struct {
	size, changed int64 // bytes, ns
	sha256        [32]byte
}

// identify is the identity of the frames of a run; not ok while they are not final, or not whole.
func identify(m *Manifest, info os.FileInfo) (id identity, ok bool) {
	sum := sumOf(m.Sums, FramesFile)
	if m.Unchecked() != "" || m.RowsKept != nil || sum == nil || sum.Bytes != info.Size() {
		return id, false
	}
	sha, err := hex.DecodeString(sum.SHA256)
	id.size, id.changed = info.Size(), info.ModTime().UnixNano()
	return id, err == nil && copy(id.sha256[:], sha) == len(id.sha256)
}

// pyramid is the head of a PyramidFile.
type pyramid struct {
	identity
	names []string
	rows  int
	list  []block
	bytes int64 // of magic and head
}

// widths are the rows of a block of each level.
func (p *pyramid) widths() (out []int) {
	for w := baseRows; w <= p.rows; w *= levelBlocks {
		out = append(out, w)
	}
	return out
}

// columnBytes is the length of a column in the file, with its CRC.
func (p *pyramid) columnBytes() int64 {
	n := int64(4)
	for _, w := range p.widths() {
		n += blockBytes * int64(p.rows/w)
	}
	return n
}

// head writes magic and head.
func (p *pyramid) head() []byte {
	order := binary.LittleEndian
	var b []byte
	b = order.AppendUint64(b, uint64(p.size))
	b = order.AppendUint64(b, uint64(p.changed))
	b = append(b, p.sha256[:]...)
	b = order.AppendUint64(b, uint64(p.rows))
	b = order.AppendUint32(b, uint32(len(p.names)))
	b = order.AppendUint32(b, uint32(len(p.list)))
	for _, name := range p.names {
		b = append(order.AppendUint32(b, uint32(len(name))), name...)
	}
	for _, one := range p.list {
		b = order.AppendUint32(b, uint32(one.rows))
		b = order.AppendUint64(b, uint64(one.at))
		b = order.AppendUint64(b, uint64(one.stride))
	}
	out := order.AppendUint32([]byte(pyramidMagic), uint32(len(b)))
	return order.AppendUint32(append(out, b...), crc32.Checksum(b, castagnoli))
}

var errPyramid = errors.New("no pyramid, or a damaged one")

// parsePyramid reads what head has written, from the beginning of a file of so many bytes.
func parsePyramid(r io.Reader, size int64) (*pyramid, error) {
	var first [len(pyramidMagic) + 4]byte
	if _, err := io.ReadFull(r, first[:]); err != nil || string(first[:len(pyramidMagic)]) != pyramidMagic {
		return nil, errPyramid
	}
	order := binary.LittleEndian
	n := int64(order.Uint32(first[len(pyramidMagic):]))
	if n > min(size, largestHead) {
		return nil, errPyramid
	}
	b := make([]byte, n+4)
	if _, err := io.ReadFull(r, b); err != nil || crc32.Checksum(b[:n], castagnoli) != order.Uint32(b[n:]) {
		return nil, errPyramid
	}
	p := &pyramid{bytes: int64(len(first)) + n + 4}
	if err := p.parse(b[:n]); err != nil {
		return nil, err
	}
	if size != p.bytes+int64(len(p.names))*p.columnBytes() {
		return nil, errPyramid
	}
	return p, nil
}

// parse reads the head. Its numbers bound what is allocated and where the archive is read.
func (p *pyramid) parse(b []byte) error {
	const fixed, each = 64, 20
	order := binary.LittleEndian
	if len(b) < fixed {
		return errPyramid
	}
	p.size, p.changed = int64(order.Uint64(b)), int64(order.Uint64(b[8:]))
	copy(p.sha256[:], b[16:])
	rows, columns, batches := order.Uint64(b[48:]), int64(order.Uint32(b[56:])), int64(order.Uint32(b[60:]))
	b = b[fixed:]
	if p.size < 0 || rows > uint64(p.size)/8 || 4*columns > int64(len(b)) || columns == 0 {
		return errPyramid
	}
	p.rows = int(rows)
	for range columns {
		if len(b) < 4 || uint64(len(b)-4) < uint64(order.Uint32(b)) {
			return errPyramid
		}
		n := order.Uint32(b)
		p.names, b = append(p.names, string(b[4:4+n])), b[4+n:]
	}
	if int64(len(b)) != each*batches {
		return errPyramid
	}
	all := 0
	for ; len(b) > 0; b = b[each:] {
		one := block{first: all, rows: int(order.Uint32(b)), at: int64(order.Uint64(b[4:]))}
		one.stride = int64(order.Uint64(b[12:]))
		length := 8 * int64(one.rows)
		room := p.size - length - one.at // for the columns after the first one
		if one.rows == 0 || one.at < 0 || one.stride < 0 || room < 0 || columns > 1 && one.stride < length ||
			one.stride > 0 && columns-1 > room/one.stride {
			return errPyramid
		}
		p.list, all = append(p.list, one), all+one.rows
	}
	if all != p.rows {
		return errPyramid
	}
	return nil
}

// column reads the blocks of a column; nil where they are damaged.
func (p *pyramid) column(file io.ReaderAt, i int) *peaks {
	b := make([]byte, p.columnBytes())
	if _, err := file.ReadAt(b, p.bytes+int64(i)*int64(len(b))); err != nil {
		return nil
	}
	n := len(b) - 4
	if crc32.Checksum(b[:n], castagnoli) != binary.LittleEndian.Uint32(b[n:]) {
		return nil
	}
	out := &peaks{}
	for _, w := range p.widths() {
		bytes := blockBytes * (p.rows / w)
		out.levels, b = append(out.levels, level{w, b[:bytes:bytes]}), b[bytes:]
	}
	return out
}

// Reopen is Open for an archive that may have a pyramid. Where that fits, the stream is not read: it is as it was when
// Open has found it sound, by size and instant.
func Reopen(dir string) (*Archive, error) {
	if a := reopen(dir); a != nil {
		return a, nil
	}
	return Open(dir)
}

func reopen(dir string) *Archive {
	m, err := LoadManifest(dir)
	if err != nil {
		return nil
	}
	beside, err := files.Open(filepath.Join(dir, PyramidFile))
	if err != nil {
		return nil
	}
	info, err := beside.Stat()
	var p *pyramid
	if err == nil {
		p, err = parsePyramid(beside, info.Size())
	}
	a := &Archive{Manifest: m, Dir: dir, stream: FramesFile, pyramid: p, beside: beside}
	if err == nil {
		err = a.fit()
	}
	if err != nil {
		a.Close()
		return nil
	}
	return a
}

// fit opens the frames, and wants them to be those of the pyramid.
func (a *Archive) fit() error {
	file, err := files.Open(filepath.Join(a.Dir, FramesFile))
	if err != nil {
		return err
	}
	a.blocks.file = file
	info, err := file.Stat()
	if err != nil {
		return err
	}
	a.made = info
	if id, ok := identify(&a.Manifest, info); !ok || id != a.pyramid.identity {
		return errPyramid
	}
	columns := slices.Clone(a.Columns)
	if err := a.setColumns(columns); err != nil {
		return err
	}
	if !slices.Equal(a.Names(), a.pyramid.names) {
		return errPyramid
	}
	a.blocks.list, a.blocks.rows = a.pyramid.list, a.pyramid.rows
	a.peaks = make([]*peaks, len(a.Columns))
	return nil
}
