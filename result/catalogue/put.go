package catalogue

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/bits"
	"os"
	"path/filepath"
	"slices"
	"time"

	"rths/scenario/files"
)

// patience is the longest wait for another program that writes to the catalogue.
const patience = 2 * time.Second

// errBusy is the error of a lock that another program has.
var errBusy = errors.New("want it to be free")

// locked does something with the catalogue of a folder while no other program writes to it.
func locked(dir string, do func(path string) error) error {
	path := filepath.Join(dir, File)
	if err := plain(path); err != nil {
		return err
	}
	for began := time.Now(); ; time.Sleep(5 * time.Millisecond) {
		release, err := lock(path)
		switch {
		case err == nil:
			defer release()
			return do(path)
		case !errors.Is(err, errBusy):
			return fmt.Errorf("%s: it cannot be opened, or not written: want the right to write to the file and its folder: %w",
				path, err)
		case time.Since(began) > patience:
			return fmt.Errorf("%s: another program has locked it for %v: %w", path, patience, err)
		}
	}
}

// put puts an entry into a file that is locked: at its end, of which no more is read than the last record and those
// with names. A file with a torn end, or of which more than half does not count any more, is written anew.
func put(path string, e *Entry) error {
	c, named, size, err := ending(path)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if !c.torn {
		known := len(c.names)
		c.set(e)
		record := appendRecord(nil, named, c.names[known:], e.Folder, c.pieces[0])
		if !due(size, size+int64(len(record))) {
			return add(path, record, size)
		}
		whole, err := load(path)
		if err != nil {
			return err
		}
		if whole.set(e); whole.size() > size/2 {
			return add(path, record, size)
		}
		return whole.write(path)
	}
	whole, err := load(path)
	if err != nil {
		return err
	}
	whole.set(e)
	return whole.write(path)
}

// leastDue are the bytes after which a file is looked at: a smaller one is not written anew.
const leastDue = 64 << 10

// due reports whether a file that has grown is to be looked at: each time that it is some eighth larger.
func due(size, grown int64) bool {
	step := max(leastDue, int64(1)<<bits.Len64(uint64(size))/16)
	return size/step != grown/step
}

// size is the length of a file of the contents alone, without their names.
func (c *contents) size() (bytes int64) {
	for i, folder := range c.folders {
		bytes += int64(around + len(folder) + len(c.pieces[i]))
	}
	return bytes
}

// add writes a record to the end of a file.
func add(path string, record []byte, size int64) error {
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = file.WriteAt(record, size)
	if err == nil {
		err = file.Sync()
	}
	return errors.Join(err, file.Close())
}

// ending is what an entry needs that is added to a file: the names in it, the place of the last record that has any,
// and its size. A file without a sound last record is torn.
func ending(path string) (c *contents, named, size int64, err error) {
	c = &contents{places: map[string]int{}, torn: true}
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return c, 0, 0, nil
	}
	if err != nil {
		return nil, 0, 0, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, 0, 0, err
	}
	size = info.Size()
	if err := readHead(file); err != nil {
		return nil, 0, 0, err
	}
	var length [4]byte
	if _, err := file.ReadAt(length[:], max(0, size-4)); err != nil {
		return c, 0, 0, nil
	}
	last := size - around - int64(binary.LittleEndian.Uint32(length[:]))
	var lists [][]string // of names, the last first
	for at := last; at != 0; {
		body, err := bodyAt(file, at, size)
		r := packed{piece: body}
		earlier, names := int64(r.number()), r.names()
		if err != nil || r.bad || earlier < 0 || earlier >= at || at == last && around+int64(len(body)) != size-last {
			return c, 0, 0, nil
		}
		if len(names) > 0 {
			lists = append(lists, names)
			named = max(named, at)
		}
		at = earlier
	}
	slices.Reverse(lists)
	c.names, c.torn = slices.Concat(lists...), false
	return c, named, size, nil
}

// bodyAt reads the body of the record at a place.
func bodyAt(file *os.File, at, size int64) ([]byte, error) {
	var length [4]byte
	if at < int64(headSize) || at > size-around {
		return nil, errPacked
	}
	if _, err := file.ReadAt(length[:], at); err != nil {
		return nil, err
	}
	n := around + int64(binary.LittleEndian.Uint32(length[:]))
	if n > size-at {
		return nil, errPacked
	}
	record := make([]byte, n)
	if _, err := file.ReadAt(record, at); err != nil {
		return nil, err
	}
	return bodyOf(record)
}

// appendRecord adds a record to a text. named is the place of the record before it that has names.
func appendRecord(out []byte, named int64, names []string, folder string, piece []byte) []byte {
	start := len(out)
	out = append(out, make([]byte, before)...)
	out = binary.AppendUvarint(out, uint64(named))
	out = binary.AppendUvarint(out, uint64(len(names)))
	for _, text := range append(names[:len(names):len(names)], folder) {
		out = append(binary.AppendUvarint(out, uint64(len(text))), text...)
	}
	out = append(out, piece...)
	body := out[start+before:]
	binary.LittleEndian.PutUint32(out[start:], uint32(len(body)))
	binary.LittleEndian.PutUint32(out[start+4:], sum(body))
	binary.LittleEndian.PutUint32(out[start+8:], sum(out[start:start+8]))
	return binary.LittleEndian.AppendUint32(out, uint32(len(body)))
}

// write writes the contents to a new file that takes the name of the old one. Its first record has all names.
func (c *contents) write(path string) error {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	old, missing := os.Stat(path)
	err := files.Write(path, func(w io.Writer) error {
		b := bufio.NewWriterSize(w, 1<<16)
		b.Write(head())
		named, names := int64(0), c.names
		var record []byte
		for i, folder := range c.folders {
			record = appendRecord(record[:0], named, names, folder, c.pieces[i])
			b.Write(record)
			named, names = int64(headSize), nil
		}
		err := b.Flush()
		if file, ok := w.(*os.File); ok && err == nil {
			err = file.Sync()
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if missing == nil {
		_ = os.Chmod(path, old.Mode().Perm()) // who could write to it still can
	}
	if folder, err := os.Open(filepath.Dir(path)); err == nil { // where a system syncs folders
		_ = folder.Sync()
		folder.Close()
	}
	return nil
}
