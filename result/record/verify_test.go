package record_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rths"
	"rths/result/record"
	"rths/result/tables"
)

// change changes the manifest of a folder.
func change(t *testing.T, dir string, how func(*record.Manifest)) {
	t.Helper()
	m, err := record.LoadManifest(dir)
	if err != nil {
		t.Fatal(err)
	}
	how(&m)
	text, err := m.Text()
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, record.ManifestFile, text)
}

func write(t *testing.T, dir, name string, text []byte) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
		t.Fatal(err)
	}
}

// sealed is the end of a test whose ring is gone: nothing is left to recover.
func sealed() record.Manifest {
	m := bench()
	m.Test.Ring = ""
	return m
}

// whole is the record of a test with rows of three batches in one stream and of two in the other.
func whole(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	w := newBench(t, dir)
	appendBoth(w, allFrames, allAround)
	if err := w.Close(sealed()); err != nil {
		t.Fatal(err)
	}
	return dir
}

// verifiers are all ways to the numbers of a record; around says which see the rows around the run alone.
var verifiers = []struct {
	name   string
	around bool
	read   func(dir string) error
}{
	{"Open", false, func(dir string) error { _, err := record.Open(dir); return err }},
	{"OpenAround", true, func(dir string) error { _, err := record.OpenAround(dir); return err }},
	{"Verify", false, func(dir string) error {
		m, err := record.LoadManifest(dir)
		return errors.Join(err,
			m.Verify(dir))
	}},
	{"ReadTable", false, func(dir string) error { _, err := tables.Read(dir); return err }},
	{"ReadTable of a file", false, func(dir string) error {
		_,
			err := tables.Read(filepath.Join(dir, record.FramesFile))
		return err
	}},
	{"ReadTable of the other file", false, func(dir string) error {
		_,
			err := tables.Read(filepath.Join(dir, record.AroundFile))
		return err
	}},
}

// wantDamage wants every way to the numbers to say what is wrong with a file, or, found "", that nothing is.
func wantDamage(t *testing.T, what, dir, name, found string) {
	t.Helper()
	for _, v := range verifiers {
		err := v.read(dir)
		var damage *record.Damage
		if found == "" || v.around && name != record.AroundFile {
			if err != nil {
				t.Errorf("%s, %s: %v: want a sound record", what, v.name, err)
			}
			continue
		}
		if !errors.As(err, &damage) || damage.Path != filepath.Join(dir, name) || !strings.Contains(damage.Found, found) ||
			!strings.Contains(err.Error(), name) {
			t.Errorf("%s, %s: %v: want that %s %s", what, v.name, err, name, found)
		}
	}
}

// places are bytes of a stream: every first and last one of a message, the end mark, and others between.
func places(stream []byte) (list []int) {
	for at := range stream {
		begins := func(n int) bool { return bytes.HasPrefix(stream[min(n, len(stream)):], []byte{0xFF, 0xFF, 0xFF, 0xFF}) }
		if begins(at) || begins(at+1) || at%61 == 0 || at >= len(stream)-9 {
			list = append(list, at)
		}
	}
	return list
}

// A stream that is cut off, at the boundaries of its batches or between them, is told by all that reads it.
func TestCutOffIsTold(t *testing.T) {
	dir := whole(t)
	wantDamage(t, "untouched", dir, "", "")
	for _, name := range []string{record.FramesFile, record.AroundFile} {
		text := read(t, dir, name)
		for _, n := range places(text) {
			write(t, dir, name, text[:n])
			wantDamage(t, "cut off", dir, name, "bytes, and the run has written")
			if t.Failed() {
				t.Fatalf("%s: %d of %d bytes", name, n, len(text))
			}
		}
		write(t, dir, name, append(slices.Clip(text), 0))
		wantDamage(t, "appended", dir, name, "bytes, and the run has written")
		os.Remove(filepath.Join(dir, name))
		if _, err := record.Open(dir); !strings.Contains(err.Error(), name+" is missing") {
			t.Errorf("removed: %v", err)
		}
		write(t, dir, name, text)
	}
	wantDamage(t, "restored", dir, "", "")
}

// A bit that has changed, in schema, header, numbers or end mark, is told by all that reads it.
func TestFlippedBitIsTold(t *testing.T) {
	dir := whole(t)
	for _, name := range []string{record.FramesFile, record.AroundFile} {
		text := read(t, dir, name)
		for _, at := range places(text) {
			text[at] ^= 1 << (at % 8)
			write(t, dir, name, text)
			text[at] ^= 1 << (at % 8)
			wantDamage(t, "altered", dir, name, "it was altered")
			if t.Failed() {
				t.Fatalf("%s: byte %d", name, at)
			}
		}
		write(t, dir, name, text)
	}
	wantDamage(t, "restored", dir, "", "")
}

// A stream of another run, and one that the manifest does not know, are told too.
func TestForeignStreamIsTold(t *testing.T) {
	dir := whole(t)
	text := read(t, dir, record.FramesFile)
	write(t, dir, record.AroundFile, text)
	wantDamage(t, "another stream", dir, record.AroundFile, "bytes, and the run has written")
	change(t, dir, func(m *record.Manifest) { m.Sums = m.Sums[:1] })
	wantDamage(t, "unknown", dir, record.AroundFile, "has no SHA-256 in the manifest")
	os.Remove(filepath.Join(dir, record.AroundFile))
	if _, err := record.Open(dir); err != nil {
		t.Errorf("a record of one stream: %v", err)
	}
}

// The manifest has the size and the SHA-256 of each stream, as sha256sum prints it, however many batches there are, and
// whatever was flushed in between.
func TestSumsAreOfTheFiles(t *testing.T) {
	for _, every := range []int{1, 3, 8, 100} {
		dir := filepath.Join(t.TempDir(), "run")
		w := newBench(t, dir)
		for k := range 1000 {
			w.Append(rowAt(k, ofFrames))
			w.AppendAround(rowAt(k, ofAround))
			if k%every == 0 {
				w.Flush()
			}
		}
		if err := w.Close(sealed()); err != nil {
			t.Fatal(err)
		}
		checkSums(t, dir, record.FramesFile, record.AroundFile)
	}
	m := bench()
	m.Sums = []record.Sum{{File: record.FramesFile}} // of another record
	dir := filepath.Join(t.TempDir(), "run")
	w, err := record.Create(dir, m, three)
	if err != nil {
		t.Fatal(err)
	}
	checkSums(t, dir)
	if err := w.Close(m); err != nil {
		t.Fatal(err)
	}
	checkSums(t, dir, record.FramesFile)
	checkSums(t, recordRun(t, 40*1016+7, manifest()), record.FramesFile)
	checkSums(t, recordRun(t, 0, manifest()), record.FramesFile)
}

// checkSums wants the hashes of these files, and no others, in the manifest.
func checkSums(t *testing.T, dir string, names ...string) {
	t.Helper()
	m, err := record.LoadManifest(dir)
	if err != nil {
		t.Fatal(err)
	}
	var want []record.Sum
	for _, name := range names {
		text := read(t, dir, name)
		sum := sha256.Sum256(text)
		want = append(want, record.Sum{File: name, Bytes: int64(len(text)), SHA256: hex.EncodeToString(sum[:])})
	}
	if !slices.Equal(m.Sums, want) {
		t.Errorf("sums %+v: want %+v", m.Sums, want)
	}
}

// The hash of a failed record is of the rows that are kept: they are checked, and what follows them is not.
func TestSumOfAFailedRecord(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	w := newBench(t, dir)
	appendBoth(w, allFrames, allAround)
	w.Append([]float64{1})
	if err := w.Close(sealed()); !errors.As(err, new(*record.Failure)) {
		t.Fatalf("%v: want a failure", err)
	}
	checkSums(t, dir, record.FramesFile, record.AroundFile)
	for _, name := range []string{record.FramesFile, record.AroundFile} {
		text := read(t, dir, name)
		batch := 4 + bytes.Index(text[4:], []byte{0xFF, 0xFF, 0xFF, 0xFF}) // after the schema
		write(t, dir, name, append(slices.Clip(text), text[batch:batch+20]...))
		wantDamage(t, "part of a message", dir, name, "")
		write(t, dir, name, text[:len(text)-1])
		wantDamage(t, "cut off", dir, name, "bytes, and the run has written")
		altered := bytes.Clone(text)
		altered[len(text)-1] ^= 1
		write(t, dir, name, altered)
		wantDamage(t, "altered", dir, name, "it was altered")
		write(t, dir, name, text)
	}
}

// A record that has no hash yet is read as far as it goes, and says why it cannot be compared.
func TestUnchecked(t *testing.T) {
	for want, how := range map[string]func(*record.Manifest){
		"the manifest says running":         func(m *record.Manifest) { m.Status = rths.Running },
		"the record waits for rths recover": func(m *record.Manifest) { m.Test.Ring = "/dev/shm/rths-1" },
	} {
		dir := whole(t)
		change(t, dir, how)
		for _, name := range []string{record.FramesFile, record.AroundFile} {
			text := read(t, dir, name)
			write(t, dir, name, text[:len(text)-1])
		}
		wantDamage(t, want, dir, "", "")
		a, err := record.Open(dir)
		checkRows(t, a, err, allFrames, ofFrames, true)
		if got := a.Unchecked(); !strings.Contains(got, want) {
			t.Errorf("%q: want %q", got, want)
		}
		table, err := tables.Read(dir)
		if err != nil || len(table.Notes) != 2 || !strings.Contains(table.Notes[0], want) ||
			!strings.Contains(table.Notes[1], "the 21 rows of its complete batches are read") {
			t.Errorf("%v, notes %q: want %q and the rows", err, table.Notes, want)
		}
	}
	dir := whole(t)
	m, err := record.LoadManifest(dir)
	if why := m.Unchecked(); err != nil || why != "" {
		t.Errorf("%v, %q: want nothing of a whole record", err, why)
	}
	if table, err := tables.Read(dir); err != nil || len(table.Notes) > 0 {
		t.Errorf("%v, notes %q: want none", err, table.Notes)
	}
}

// A file that is not the stream of a run needs no manifest, and one that cannot be read is said.
func TestTableWithoutManifest(t *testing.T) {
	dir := whole(t)
	text := read(t, dir, record.FramesFile)
	write(t, dir, "copy.arrow", text[:len(text)-1])
	if table, err := tables.Read(filepath.Join(dir, "copy.arrow")); err != nil || len(table.Notes) != 1 {
		t.Errorf("%v, %+v: want the rows of a cut file, with a note", err, table)
	}
	os.Remove(filepath.Join(dir, record.ManifestFile))
	if _, err := tables.Read(dir); err != nil {
		t.Errorf("without manifest: %v", err)
	}
	write(t, dir, record.ManifestFile, []byte("{"))
	if _, err := tables.Read(dir); err == nil || !strings.Contains(err.Error(), "want the manifest of a run") {
		t.Errorf("half a manifest: %v", err)
	}
}

// Rewrite hashes the streams that it writes, and keeps the hash of one that stays.
func TestRewriteSums(t *testing.T) {
	dir := whole(t)
	m, err := record.LoadManifest(dir)
	if err != nil {
		t.Fatal(err)
	}
	m.Sums = nil // a caller need not have them
	for _, rows := range []struct{ frames, around func(func([]float64) bool) }{{nil, nil}, {rowsFrom(30, ofFrames), nil},
		{nil, rowsFrom(40, ofAround)}, {nil, nil}} {
		if err := record.Rewrite(dir, m, rows.frames, rows.around); err != nil {
			t.Fatal(err)
		}
		checkSums(t, dir, record.FramesFile, record.AroundFile)
		wantDamage(t, "rewritten", dir, "", "")
	}
	if a, err := record.OpenAround(dir); err != nil || a.Rows() != 40 {
		t.Errorf("%v, %d rows: want 40", err, a.Rows())
	}
	os.Remove(filepath.Join(dir, record.AroundFile))
	if err := record.Rewrite(dir, m, rowsFrom(30, ofFrames), rowsFrom(0, 0)); err != nil {
		t.Fatal(err)
	}
	checkSums(t, dir, record.FramesFile)
}
