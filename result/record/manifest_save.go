package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"unicode/utf8"
)

// A manifest is written to nextManifest, then renamed to ManifestFile: a reader
// sees the old manifest or the new one, never half of one. The room for the last
// manifest is taken before the run, so that a full disk cannot keep a run from
// saying how it ended:
//
//  1. The manifest "running" is saved, with spare spaces at its end.
//  2. nextManifest is made again and given blocks of the disk (reserve).
//  3. At the end the manifest is written over these blocks and renamed. This takes
//     no room from the disk unless the manifest has outgrown the reserve. Then a
//     short one, which fits, says that the record failed.
//  4. Where the folder refuses the rename, the short one is written over the manifest
//     "running" and its spare spaces. Only here a reader might see half of one.
const (
	nextManifest = ManifestFile + ".tmp"
	reserved     = 64 << 10 // bytes: criteria, events and spectra of most runs
	spare        = 4 << 10  // bytes at the end of "running": what a short manifest has more than it
	longReason   = spare / 4
	longCause    = spare / 8
)

// Text is the manifest as it stands in its file.
func (m Manifest) Text() ([]byte, error) {
	m.prepare()
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("record: manifest: %w", err)
	}
	return append(text, '\n'), nil
}

// save replaces the manifest in dir.
func (m Manifest) save(dir string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("record: %w", err)
	}
	defer root.Close()
	if err := m.replace(root); err != nil {
		root.Remove(nextManifest)
		return fmt.Errorf("record: writing the manifest: %w", err)
	}
	return nil
}

// replace writes the manifest to nextManifest and renames it.
func (m Manifest) replace(root *os.Root) error {
	text, err := m.Text()
	if err != nil {
		return err
	}
	return replace(root, text)
}

func replace(root *os.Root, text []byte) error {
	if err := writeNext(root, text); err != nil {
		return err
	}
	return root.Rename(nextManifest, ManifestFile)
}

// writeNext writes the text to nextManifest and syncs it.
func writeNext(root *os.Root, text []byte) error {
	file, err := root.OpenFile(nextManifest, os.O_CREATE|os.O_WRONLY, 0o644) // not truncated: the blocks stay
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	if err == nil {
		err = errors.Join(file.Truncate(int64(len(text))), file.Sync())
	}
	return errors.Join(err, file.Close())
}

// saveRunning saves the manifest of a run that begins, with spare spaces, and
// reserves the room of the manifest it ends with.
func (m Manifest) saveRunning(root *os.Root) error {
	text, err := m.Text()
	if err != nil {
		return err
	}
	if err := replace(root, padded(text, len(text)+spare)); err != nil {
		return err
	}
	file, err := root.OpenFile(nextManifest, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	return errors.Join(reserve(file, len(text)+reserved), file.Close())
}

// reserve takes n bytes from the disk. A file system that cannot allocate is made
// to by writing.
func reserve(file *os.File, n int) error {
	if allocate(file, int64(n)) == nil {
		return nil
	}
	_, err := file.Write(bytes.Repeat([]byte{' '}, n))
	return err
}

// padded is the text with spaces before its last line end, n bytes together.
func padded(text []byte, n int) []byte {
	out := bytes.Repeat([]byte{' '}, n)
	copy(out, text[:len(text)-1])
	out[n-1] = '\n'
	return out
}

// saveFailed saves the manifest of a failed record by the first way that works.
func (m Manifest) saveFailed(root *os.Root) error {
	defer root.Remove(nextManifest) // it is there only where the rename was refused
	err := m.replace(root)
	if err != nil {
		err = m.short().replace(root)
	}
	if err != nil {
		err = m.short().overwrite(root)
	}
	return err
}

// short leaves out results, docs, meanings, events, spectra and the history of a test, and cuts long texts. It
// fits into the room of the manifest "running" if Inputs, Drawn, Rig's texts, Rehearsal and Ring are those
// of the beginning: the reason and the cause take three eighths of the spare bytes, and numbers that came
// later, shifts of 16 actuators among them, less than the rest.
func (m Manifest) short() Manifest {
	m.Criteria, m.Indicators, m.Compensator, m.Learned = nil, nil, nil, nil
	m.Docs, m.Meanings, m.Events, m.Spectra, m.Notes, m.Warnings, m.Unmet = nil, nil, nil, nil, nil, nil, nil
	m.Blocks = ""
	m.Reason = cut(m.Reason, longReason)
	if m.Test != nil {
		m.Test = m.Test.short()
	}
	return m
}

// cut shortens a text to what takes n bytes in JSON.
func cut(text string, n int) string {
	for i, r := range text {
		if n -= jsonBytes(r); n < 0 {
			return text[:i] + " …"
		}
	}
	return text
}

// jsonBytes is the most that a character takes in JSON: six where it is escaped.
func jsonBytes(r rune) int {
	if r < ' ' || r == utf8.RuneError || strings.ContainsRune("\"\\<>&\u2028\u2029", r) {
		return 6
	}
	return utf8.RuneLen(r)
}

// overwrite writes the manifest over the one that is there, which stays as long as
// it was: this needs neither room nor a rename.
func (m Manifest) overwrite(root *os.Root) error {
	text, err := m.Text()
	if err != nil {
		return err
	}
	file, err := root.OpenFile(ManifestFile, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return errors.Join(fill(file, text), file.Close())
}

func fill(file *os.File, text []byte) error {
	info, err := file.Stat()
	if err != nil {
		return err
	}
	if info.Size() < int64(len(text)) {
		return fmt.Errorf("%s has %d bytes: want space for %d", file.Name(), info.Size(), len(text))
	}
	if _, err := file.Write(padded(text, int(info.Size()))); err != nil {
		return err
	}
	return file.Sync()
}
