package record

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	flatbuffers "github.com/google/flatbuffers/go"
)

// fileMagic begins and ends an Arrow file. Between stand a stream, and a footer with the schema and the places of the
// batches.
const fileMagic = "ARROW1"

// messagesOf gives one message of an Arrow stream at each call, or the schema and the batches of an Arrow file. A file
// without its end was cut off: what is left of it is read as a stream.
func messagesOf(file io.ReaderAt, size int64) (next func() (message, error), err error) {
	s := &source{end: size}
	if magicAt(file, 0) {
		if size >= 18 && magicAt(file, size-int64(len(fileMagic))) {
			return fileMessages(file, size)
		}
		s.at = 8
	}
	s.r = bufio.NewReaderSize(io.NewSectionReader(file, s.at, size-s.at), 1<<20)
	return s.next, nil
}

func magicAt(file io.ReaderAt, at int64) bool {
	found := make([]byte, len(fileMagic))
	n, _ := file.ReadAt(found, at)
	return string(found[:n]) == fileMagic
}

func fileMessages(file io.ReaderAt, size int64) (next func() (message, error), err error) {
	s := &source{end: size - int64(len(fileMagic))}
	goTo := func(at int64) { s.r, s.at = io.NewSectionReader(file, at, s.end-at), at }
	goTo(s.end - 4)
	length, err := s.take(nil, 4)
	if err != nil {
		return nil, err
	}
	n := int64(binary.LittleEndian.Uint32(length))
	if n > size-18 {
		return nil, fmt.Errorf("a footer of %d bytes in a file of %d", n, size)
	}
	s.end -= 4
	goTo(s.end - n)
	text, err := s.take(nil, n)
	if err != nil {
		return nil, err
	}
	footer := flatbuffers.Table{Bytes: text, Pos: flatbuffers.GetUOffsetT(text)}
	schema := message{version: footer.GetInt16Slot(footerVersion, 0), kind: kindSchema}
	if !child(&schema.header, footer, footerSchema) {
		return nil, errors.New("a footer without schema")
	}
	places, batches, err := vector(footer, footerBatches, 24)
	if err != nil {
		return nil, fmt.Errorf("footer: %w", err)
	}
	s.at, s.end = 8, s.end-n
	i := -1
	return func() (message, error) {
		switch i++; {
		case i == 0:
			return schema, nil
		case i > batches:
			return message{}, io.EOF
		}
		at := footer.GetInt64(places + flatbuffers.UOffsetT(24*(i-1)))
		if at < s.at || at > s.end {
			return message{}, fmt.Errorf("batch %d begins at byte %d: want one from %d to %d", i, at, s.at, s.end)
		}
		goTo(at)
		m, err := s.next()
		if err != nil {
			err = fmt.Errorf("batch %d: %w", i, err)
		}
		return m, err
	}, nil
}
