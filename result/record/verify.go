package record

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"rths"
	"rths/scenario/files"
)

// Damage is the error of a file of numbers that is not as its run left it.
type Damage struct {
	Path  string
	Found string // what is wrong with it
}

// Error says what was found, and what to do.
func (d *Damage) Error() string {
	return fmt.Sprintf(
		"%s %s: the record is damaged: want the file as the run left it, from the computer of the run or an intact copy "+
			"(rths judge reads what is left in a copy of the file alone)", d.Path, d.Found)
}

// Unchecked says why the files of a record cannot be compared with its manifest; "" where they can.
func (m *Manifest) Unchecked() string {
	switch {
	case m.Status == rths.Running:
		return "the manifest says running: the run goes on or was killed, and there is no SHA-256 yet to compare its " +
			"rows with"
	case m.Test != nil && m.Test.Ring != "": // Rewrite may have replaced the streams, and not yet the manifest
		return "the record waits for rths recover: until then its rows are not compared with their SHA-256"
	}
	return ""
}

// Verify reads the streams in dir and wants them as the manifest says. Else the error is a Damage. It wants
// nothing where Unchecked says why.
func (m *Manifest) Verify(dir string) error {
	for _, name := range []string{FramesFile, AroundFile} {
		if err := m.verify(dir, name); err != nil {
			return err
		}
	}
	return nil
}

// verify is Verify for one stream.
func (m *Manifest) verify(dir, name string) error {
	if m.Unchecked() != "" {
		return nil
	}
	path, sum := filepath.Join(dir, name), sumOf(m.Sums, name)
	file, err := files.Open(path)
	missing := errors.Is(err, fs.ErrNotExist)
	switch {
	case missing && sum == nil:
		return nil
	case missing:
		return &Damage{path, fmt.Sprintf("is missing, and the run has written %d bytes", sum.Bytes)}
	case err != nil:
		return err
	}
	defer file.Close()
	if sum == nil {
		return &Damage{path, "has no SHA-256 in the manifest, which every file of a run has"}
	}
	found, err := m.compare(file, sum)
	if err == nil && found != "" {
		err = &Damage{path, found}
	}
	return err
}

// compare says in what a file differs from the manifest; "": in nothing. Where the record failed, part of a message may
// follow its whole messages.
func (m *Manifest) compare(file *os.File, sum *Sum) (found string, err error) {
	info, err := file.Stat()
	if err != nil {
		return "", err
	}
	if size := info.Size(); size < sum.Bytes || size > sum.Bytes && m.RowsKept == nil {
		return fmt.Sprintf("has %d bytes, and the run has written %d", size, sum.Bytes), nil
	}
	sha := sha256.New()
	if _, err := io.Copy(sha, io.LimitReader(file, sum.Bytes)); err != nil {
		return "", err
	}
	if got := hex.EncodeToString(sha.Sum(nil)); got != sum.SHA256 {
		return fmt.Sprintf("has the SHA-256 %.12s…, and %.12s… when the run had written it: it was altered", got, sum.SHA256),
			nil
	}
	return "", nil
}

// VerifyBeside is Verify for a stream that is read alone, where the manifest of its run is beside it. why is Unchecked.
func VerifyBeside(path string) (why string, err error) {
	dir, name := filepath.Split(path)
	if name != FramesFile && name != AroundFile {
		return "", nil
	}
	m, err := LoadManifest(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	return m.Unchecked(), m.Verify(dir)
}
