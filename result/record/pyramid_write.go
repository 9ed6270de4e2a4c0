package record

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"slices"

	"rths/scenario/files"
)

// WantsPyramid reports whether an archive is long and final, and has no pyramid that fits it.
func (a *Archive) WantsPyramid() bool {
	return a.Rows() >= PyramidRows && a.stream == FramesFile && a.pyramid == nil && !a.Truncated
}

// WritePyramid makes the PyramidFile of an archive, which has been opened and may be in use; stop ends it early.
func (a *Archive) WritePyramid(stop <-chan struct{}) error {
	path := filepath.Join(a.Dir, PyramidFile)
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("record: %s: found no plain file: want one, or none", path)
	}
	file, err := files.Open(filepath.Join(a.Dir, FramesFile))
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	id, ok := identify(&a.Manifest, info)
	if !ok || a.made == nil || !os.SameFile(a.made, info) || !a.made.ModTime().Equal(info.ModTime()) {
		return fmt.Errorf("record: %s: the archive is not final, or has changed: open it again", a.Dir)
	}
	p := &pyramid{identity: id, names: a.Names(), rows: a.blocks.rows, list: a.blocks.list}
	return files.Write(path, func(w io.Writer) error {
		if _, err := w.Write(p.head()); err != nil {
			return err
		}
		from := &blocks{file: file, list: p.list, rows: p.rows}
		for i := range p.names {
			b, err := p.build(from, i, stop)
			if err == nil {
				_, err = w.Write(binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, castagnoli)))
			}
			if err != nil {
				return err
			}
		}
		now, err := os.Stat(file.Name())
		if err == nil && (!os.SameFile(now, info) || now.Size() != info.Size() || !now.ModTime().Equal(info.ModTime())) {
			err = fmt.Errorf("record: %s has changed meanwhile", file.Name())
		}
		return err
	})
}

// build computes the blocks of a column.
func (p *pyramid) build(from *blocks, column int, stop <-chan struct{}) ([]byte, error) {
	var out bytes.Buffer
	values, raw := make([]float64, cursorRows), make([]byte, 8*cursorRows)
	whole := p.rows - p.rows%baseRows
	var below []reach
	for row := 0; row < whole; row += cursorRows {
		select {
		case <-stop:
			return nil, errors.New("record: the pyramid was not wanted any more")
		default:
		}
		part := values[:min(cursorRows, whole-row)]
		if err := from.read(part, raw, column, row); err != nil {
			return nil, err
		}
		for block := range slices.Chunk(part, baseRows) {
			e := nowhere
			for k, v := range block {
				e.number(k, v)
			}
			below = append(below, e)
			e.write(&out)
		}
	}
	for w := baseRows; w*levelBlocks <= p.rows; w *= levelBlocks {
		var above []reach
		for group := range slices.Chunk(below[:len(below)-len(below)%levelBlocks], levelBlocks) {
			e := nowhere
			for k, one := range group {
				e.block(k*w, one)
			}
			above = append(above, e)
			e.write(&out)
		}
		below = above
	}
	return out.Bytes(), nil
}
