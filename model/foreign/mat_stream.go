package foreign

import (
	"encoding/binary"
	"fmt"
	"io"
)

// stream reads the elements inside a variable one after the other.
type stream struct {
	r     io.Reader
	order binary.ByteOrder
}

// tag reads a tag: the element's type and length, and its body if it is small
// enough to stand inside the tag.
func (s *stream) tag() (kind uint32, n int, inside []byte, err error) {
	var b [8]byte
	if _, err := io.ReadFull(s.r, b[:]); err != nil {
		return 0, 0, nil, fmt.Errorf("tag of an element: %w", err)
	}
	kind = s.order.Uint32(b[:])
	if small := int(kind >> 16); small != 0 {
		if small > 4 {
			return 0, 0, nil, fmt.Errorf("small element of %d bytes, want at most 4", small)
		}
		return kind & 0xffff, small, b[4 : 4+small], nil
	}
	return kind, int(s.order.Uint32(b[4:])), nil, nil
}

// body reads an element of at most limit bytes and the padding after it.
func (s *stream) body(limit int) (kind uint32, data []byte, err error) {
	kind, n, inside, err := s.tag()
	if err != nil || inside != nil {
		return kind, inside, err
	}
	if n > limit {
		return kind, nil, fmt.Errorf("element of %d bytes, want at most %d", n, limit)
	}
	data, err = io.ReadAll(io.LimitReader(s.r, int64(n)))
	if err != nil {
		return kind, nil, err
	}
	if len(data) < n {
		return kind, nil, fmt.Errorf("element of %d bytes ends after %d: want a complete file", n, len(data))
	}
	if pad := (8 - n%8) % 8; pad > 0 {
		// The last padding of a variable may be missing.
		if _, err := io.CopyN(io.Discard, s.r, int64(pad)); err != nil && err != io.EOF {
			return kind, nil, err
		}
	}
	return kind, data, nil
}

// small reads an element of the given type and at most limit bytes.
func (s *stream) small(what string, kind uint32, limit int) ([]byte, error) {
	found, data, err := s.body(limit)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	if found != kind {
		return nil, fmt.Errorf("%s: element of type %d, want %d", what, found, kind)
	}
	return data, nil
}

// dimensions reads the size of an array.
func (s *stream) dimensions() ([]int, error) {
	data, err := s.small("dimensions", 5, 256)
	if err != nil {
		return nil, err
	}
	if len(data)%4 != 0 || len(data) < 8 {
		return nil, fmt.Errorf("dimensions: %d bytes, want 4 for each of two or more", len(data))
	}
	dims := make([]int, len(data)/4)
	for i := range dims {
		if dims[i] = int(int32(s.order.Uint32(data[4*i:]))); dims[i] < 0 {
			return nil, fmt.Errorf("dimensions: found %d, want 0 or more", dims[i])
		}
	}
	return dims, nil
}

// indices reads whole numbers of 0 or more, at most so many.
func (s *stream) indices(what string, most int) ([]int, error) {
	data, err := s.small(what, 5, 4*most)
	if err != nil {
		return nil, err
	}
	out := make([]int, len(data)/4)
	for i := range out {
		if out[i] = int(int32(s.order.Uint32(data[4*i:]))); out[i] < 0 {
			return nil, fmt.Errorf("%s: found %d, want 0 or more", what, out[i])
		}
	}
	return out, nil
}

// end looks at the end of the element: a compressed one ends with its checksum, tested when it is reached.
func (s *stream) end() error {
	if _, err := io.CopyN(io.Discard, s.r, 1<<10); err != nil && err != io.EOF {
		return err
	}
	return nil
}
