package catalogue

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
)

// The file is a head and records, one for each entry that was added. The last record of a folder counts.
//
//	head    magic; version
//	record  length of the body; sum of the body; sum of these 8 bytes; body; length of the body
//	body    place of the record before this one that has names (0: none); number of names, length and bytes of each;
//	        length and bytes of the folder's name; the entry as pack writes it
//
// Numbers are uint32, little-endian, those of a body varints; sums are CRC-32C. A name of a number gets its id in the
// record that needs it first, and the ids count on from 0.
//
// Every byte stays as it was written: records are added at the end under a lock, and a file with a torn end, or with
// many records that do not count, is written anew and takes the name of the old one. So readers need no lock.
const (
	magic    = "rthsruns"
	version  = 1
	headSize = len(magic) + 4
	before   = 12         // bytes of a record in front of its body
	around   = before + 4 // and all that are not of its body
	largest  = 1 << 30    // bytes of a file
)

var (
	// ErrUnusable is the error of a file that Rebuild would put aside, but for an older version.
	ErrUnusable = errors.New("unusable as a catalogue of runs")
	errOlder    = errors.New("it has to be rebuilt")
	errTorn     = errors.New("a torn record") // its writer was killed, or is writing still
)

func damaged(place int) error {
	return fmt.Errorf("found a damaged record at byte %d: %w", place, ErrUnusable)
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func sum(text []byte) uint32 { return crc32.Checksum(text, castagnoli) }

func head() []byte { return binary.LittleEndian.AppendUint32([]byte(magic), version) }

// checkHead refuses a file that is no catalogue of this version. One that ends in its head is an empty catalogue.
func checkHead(text []byte) error {
	want := head()
	if len(text) < headSize && bytes.HasPrefix(want, text) {
		return nil
	}
	if len(text) < headSize || !bytes.HasPrefix(text, []byte(magic)) {
		return fmt.Errorf("found a file of another kind: %w", ErrUnusable)
	}
	switch found := binary.LittleEndian.Uint32(text[len(magic):]); {
	case found > version:
		return fmt.Errorf("version %d, by a newer rths: want version %d, or the newer rths", found, version)
	case found < version:
		return fmt.Errorf("version %d: want version %d: %w", found, version, errOlder)
	}
	return nil
}

// plain refuses what is no plain file, and may keep a reader waiting.
func plain(path string) error {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("%s: want a plain file: %w", path, ErrUnusable)
	}
	return nil
}

// contents are what a file holds.
type contents struct {
	names   []string // of numbers, at their ids
	ids     map[string]uint64
	folders []string // in the order in which they were added
	pieces  [][]byte // their entries, packed
	places  map[string]int
	torn    bool
}

// has reports whether a folder has an entry.
func (c *contents) has(folder string) bool {
	_, known := c.places[folder]
	return known
}

// load reads a file that is locked. One that is not there is empty.
func load(path string) (*contents, error) {
	c, err := loadOld(path)
	if errors.Is(err, fs.ErrNotExist) {
		return parse(nil)
	}
	return c, err
}

// loadOld reads a file that is there.
func loadOld(path string) (*contents, error) {
	if err := plain(path); err != nil {
		return nil, err
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	c, err := read(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return c, nil
}

func read(file *os.File) (*contents, error) {
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if err := readHead(file); err != nil {
		return nil, err
	}
	if info.Size() > largest {
		return nil, fmt.Errorf("found %d MB: want at most %d MB: %w", info.Size()>>20, largest>>20, ErrUnusable)
	}
	text := make([]byte, info.Size())
	n, err := file.ReadAt(text, 0)
	if err != nil && err != io.EOF {
		return nil, err
	}
	return parse(text[:n])
}

func readHead(file *os.File) error {
	text := make([]byte, headSize)
	n, err := file.ReadAt(text, 0)
	if err != nil && err != io.EOF {
		return err
	}
	return checkHead(text[:n])
}

// parse reads the bytes of a file. Its pieces are parts of them.
func parse(text []byte) (*contents, error) {
	c := &contents{places: make(map[string]int, len(text)/512)}
	if err := checkHead(text); err != nil || len(text) < headSize {
		c.torn = true
		return c, err
	}
	for at := headSize; at < len(text); {
		body, err := bodyOf(text[at:])
		if err == errTorn {
			c.torn = true
			break
		}
		if err == nil {
			err = c.take(body)
		}
		if err != nil {
			return nil, damaged(at)
		}
		at += around + len(body)
	}
	return c, nil
}

// bodyOf is the body of the record at the beginning of a text. What the text cannot tell from the end of a file
// whose writer was killed, or has lost its power, is errTorn.
func bodyOf(text []byte) ([]byte, error) {
	if len(text) < around {
		return nil, errTorn
	}
	if sum(text[:8]) != binary.LittleEndian.Uint32(text[8:]) {
		if len(bytes.TrimLeft(text, "\x00")) == 0 {
			return nil, errTorn
		}
		return nil, errPacked
	}
	length := binary.LittleEndian.Uint32(text)
	if int64(length) > int64(len(text)-around) {
		return nil, errTorn
	}
	n := int(length)
	body := text[before : before+n : before+n]
	if sum(body) != binary.LittleEndian.Uint32(text[4:]) || binary.LittleEndian.Uint32(text[before+n:]) != length {
		if len(text) == around+n {
			return nil, errTorn
		}
		return nil, errPacked
	}
	return body, nil
}

// take takes what the body of a record says.
func (c *contents) take(body []byte) error {
	r := packed{piece: body}
	_, names := r.number(), r.names()
	folder := r.next()
	if r.bad {
		return errPacked
	}
	c.names = append(c.names, names...)
	c.put(folder, body[r.at:])
	return nil
}

// put gives a folder its packed entry.
func (c *contents) put(folder, piece []byte) {
	at, known := c.places[string(folder)]
	if known {
		c.pieces[at] = piece
		return
	}
	name := string(folder)
	c.places[name] = len(c.folders)
	c.folders, c.pieces = append(c.folders, name), append(c.pieces, piece)
}

// set gives a folder its entry.
func (c *contents) set(e *Entry) {
	if c.ids == nil {
		c.ids = make(map[string]uint64, len(c.names))
		for id, name := range c.names {
			c.ids[name] = uint64(id)
		}
	}
	for _, v := range e.Numbers {
		if _, known := c.ids[v.Name]; !known {
			c.ids[v.Name] = uint64(len(c.names))
			c.names = append(c.names, v.Name)
		}
	}
	c.put([]byte(e.Folder), pack(e, c.ids))
}
