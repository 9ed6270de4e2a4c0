package record

import (
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"slices"
	"strings"
)

// beside is the end of the name under which Rewrite writes a stream.
const beside = ".tmp"

// Rewrite completes the folder of a run that was killed. The rows replace FramesFile and AroundFile,
// then m replaces the manifest; a nil sequence leaves its stream as it is, and an empty sequence of
// rows around leaves no AroundFile. A row has a number for each of m.Columns and is not kept;
// a sequence may read the archive that is there. Rewrite sets Format, Files and Sums, and by the rows
// Samples, RowsKept (nil) and Test.AroundRows; the status and everything else is the caller's. It leaves
// files that it does not know alone, and lists those that m lists. It refuses to replace a stream by
// one of fewer rows.
//
// Whatever ends Rewrite, a killed process or a full disk, the folder then has each file as it was or
// whole and new, and Rewrite can be called again. All that needs room on the disk is written and synced
// under other names before the first file is replaced; an error removes it. Rewrite refuses a folder
// that a Writer, or another Rewrite, is writing into.
func Rewrite(dir string, m Manifest, frames, around iter.Seq[[]float64]) error {
	if err := sound(m.RateHz, m.Columns); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("record: %w", err)
	}
	defer root.Close()
	lock, err := lockFolder(root)
	if err != nil {
		return fmt.Errorf("record: folder %s: %w", dir, err)
	}
	defer unlockFolder(lock)
	clearBeside(root)
	defer clearBeside(root)
	if err := rewrite(dir, root, m, frames, around); err != nil {
		return fmt.Errorf("record: completing the folder %s: %w", dir, advise(err))
	}
	return nil
}

// clearBeside removes streams under other names: of this Rewrite, or of one that was killed.
func clearBeside(root *os.Root) {
	root.Remove(FramesFile + beside)
	root.Remove(AroundFile + beside)
}

func rewrite(dir string, root *os.Root, m Manifest, frames, around iter.Seq[[]float64]) error {
	f, err := writeBeside(root, FramesFile, m, frames)
	if err != nil {
		return err
	}
	a, err := writeBeside(root, AroundFile, m, around)
	if err != nil {
		return err
	}
	if err := errors.Join(f.noFewer(dir), a.noFewer(dir)); err != nil {
		return err
	}
	m.Sums = sumsOf(dir, f, a)
	text, err := completed(root, m, f, a).Text()
	if err != nil {
		return err
	}
	err = writeNext(root, text)
	for _, s := range []*stream{f, a} { // from here on nothing needs room
		if err == nil && s != nil {
			err = s.replace(root)
		}
	}
	if err == nil {
		err = syncFolder(root) // the streams before the manifest that tells of them
	}
	if err == nil {
		err = root.Rename(nextManifest, ManifestFile)
	}
	if err != nil {
		root.Remove(nextManifest)
		return err
	}
	return syncFolder(root)
}

// writeBeside writes a stream of the rows under another name; nil where there is no sequence.
func writeBeside(root *os.Root, name string, m Manifest, rows iter.Seq[[]float64]) (*stream, error) {
	if rows == nil {
		return nil, nil
	}
	s := newStream(name+beside, m.Columns, batchRows(m.RateHz, len(m.Columns)))
	defer s.close()
	if err := s.open(root); err != nil {
		return nil, err
	}
	for row := range rows {
		if err := s.append(row); err != nil {
			return nil, err
		}
	}
	return s, errors.Join(s.end(), s.sync())
}

// noFewer wants a stream to have the rows at least that a reader finds in the one to be replaced.
func (s *stream) noFewer(dir string) error {
	if s == nil {
		return nil
	}
	old := Archive{Dir: dir, stream: strings.TrimSuffix(s.name, beside)}
	if err := old.readStream(); err == nil && s.written < old.Rows() { // one that nobody can read holds nothing to lose
		return fmt.Errorf("%s has %d rows, and would have %d: want none lost", old.stream, old.Rows(), s.written)
	}
	return nil
}

// keeps reports whether there is to be a file of the stream: without rows around the run there is none.
func (s *stream) keeps() bool { return s.name != AroundFile+beside || s.written > 0 }

// replace gives a stream its name.
func (s *stream) replace(root *os.Root) error {
	name := strings.TrimSuffix(s.name, beside)
	if s.keeps() {
		return root.Rename(s.name, name)
	}
	if err := root.Remove(name); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// sumsOf are the hashes of a folder whose streams are replaced by f and a. A nil one stays, with the hash in the
// manifest that is there.
func sumsOf(dir string, f, a *stream) (list []Sum) {
	before, _ := LoadManifest(dir) // without one there are none
	for _, of := range []struct {
		name string
		new  *stream
	}{{FramesFile, f}, {AroundFile, a}} {
		stays := sumOf(before.Sums, of.name)
		switch {
		case of.new == nil && stays != nil:
			list = append(list, *stays)
		case of.new != nil && of.new.keeps():
			list = append(list, of.new.sum())
		}
	}
	return list
}

// completed is the manifest of a folder whose streams are replaced by f and a; nil ones stay.
func completed(root *os.Root, m Manifest, f, a *stream) Manifest {
	m.Format = Format
	if f != nil {
		m.Samples, m.RowsKept = f.written, nil
	}
	if a != nil {
		m = m.withAround(a.written)
	}
	listed := m.Files
	m.Files = []string{ManifestFile}
	for _, name := range append([]string{FramesFile, AroundFile}, listed...) {
		_, err := root.Stat(name)
		there := err == nil
		for _, s := range []*stream{f, a} {
			if s != nil && s.name == name+beside {
				there = s.keeps()
			}
		}
		if there && !slices.Contains(m.Files, name) {
			m.Files = append(m.Files, name)
		}
	}
	return m
}
