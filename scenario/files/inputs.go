package files

import (
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
)

// Input is a file that was read.
type Input struct {
	File   string `json:"file"` // absolute path, with slashes
	SHA256 string `json:"sha256"`
}

// Inputs opens files as Disk does, and keeps a list of those that were read.
type Inputs struct {
	Disk
	Read []Input // in the order in which they were closed, each once
}

// Open is Disk.Open. The file stands in the list from Close on, with the hash of all its
// bytes: Close reads those that the reader left.
func (in *Inputs) Open(path string, limit int64) (io.ReadCloser, error) {
	file, err := in.Disk.Open(path, limit)
	if err != nil {
		return nil, err
	}
	return &hashed{file: file, sum: sha256.New(), path: path, in: in}, nil
}

// Sum reads a file for the list alone.
func (in *Inputs) Sum(path string, limit int64) error {
	file, err := in.Open(path, limit)
	if err != nil {
		return err
	}
	return file.Close()
}

// InputOf is the entry of an open file in such a list, with the hash of all its bytes. The file is read from its
// beginning to its end, wherever another reader stands in it.
func InputOf(file *os.File) (Input, error) {
	sum := sha256.New()
	if _, err := io.Copy(sum, io.NewSectionReader(file, 0, math.MaxInt64)); err != nil {
		return Input{}, err
	}
	path := file.Name()
	if whole, err := filepath.Abs(path); err == nil {
		path = filepath.ToSlash(whole)
	}
	return Input{path, hex.EncodeToString(sum.Sum(nil))}, nil
}

// hashed is an open file and the hash of what was read of it.
type hashed struct {
	file io.ReadCloser
	sum  hash.Hash
	path string
	in   *Inputs
}

func (h *hashed) Read(b []byte) (int, error) {
	n, err := h.file.Read(b)
	h.sum.Write(b[:n])
	return n, err
}

func (h *hashed) Close() error {
	_, err := io.Copy(h.sum, h.file)
	if closed := h.file.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return err
	}
	if whole, err := filepath.Abs(h.path); err == nil {
		h.path = filepath.ToSlash(whole)
	}
	if input := (Input{h.path, hex.EncodeToString(h.sum.Sum(nil))}); !slices.Contains(h.in.Read, input) {
		h.in.Read = append(h.in.Read, input)
	}
	return nil
}

// Changed are the files of now that were read before with other bytes. A file is known by
// its path, or by its name where it stands in another folder now; one that is new is not
// in the list.
func Changed(before, now []Input) (changed []Input) {
	for _, input := range now {
		same := slices.DeleteFunc(slices.Clone(before), func(b Input) bool { return b.File != input.File })
		if len(same) == 0 {
			same = slices.DeleteFunc(slices.Clone(before),
				func(b Input) bool { return filepath.Base(b.File) != filepath.Base(input.File) })
		}
		if len(same) > 0 && !slices.ContainsFunc(same, func(b Input) bool { return b.SHA256 == input.SHA256 }) {
			changed = append(changed, input)
		}
	}
	return changed
}
