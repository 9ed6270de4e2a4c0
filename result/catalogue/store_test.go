package catalogue

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"rths"
	"rths/result/record"
)

// some are entries in the order in which they are put into a catalogue: some again, and some with names of their own.
func some() (list []Entry) {
	for i, folder := range []string{"a", "b", "a", "study", "c", "b"} {
		e := Entry{Folder: folder, Kind: Run, Name: fmt.Sprint("run ", i), Status: rths.Completed, Tags: []string{"t"}[:i%2]}
		e.Numbers = record.Values{{Name: "J1_ms", V: float64(i)}, {Name: fmt.Sprint("n", i/2), V: 0.5}}
		list = append(list, e)
	}
	return list
}

// filled puts entries into a catalogue, and returns the length of the file after each of them.
func filled(t testing.TB, dir string, list []Entry) (ends []int64) {
	t.Helper()
	for i := range list {
		putIn(t, dir, &list[i])
		info, err := os.Stat(filepath.Join(dir, File))
		if err != nil {
			t.Fatal(err)
		}
		ends = append(ends, info.Size())
	}
	return ends
}

func putIn(t testing.TB, dir string, e *Entry) {
	t.Helper()
	if err := locked(dir, func(path string) error { return put(path, e) }); err != nil {
		t.Fatal(err)
	}
}

// after is what a catalogue says in which entries were put.
func after(list []Entry) string {
	c := &contents{places: map[string]int{}}
	for i := range list {
		c.set(&list[i])
	}
	return said(c)
}

// said is what contents say, in words.
func said(c *contents) string {
	var out Listing
	if err := c.list(Query{}, "", &out); err != nil {
		return err.Error()
	}
	var text strings.Builder
	for _, e := range out.Entries {
		fmt.Fprintf(&text, "%s %q %v", e.Folder, e.Name, e.Tags)
		for _, v := range e.Numbers {
			fmt.Fprintf(&text, " %s=%g", v.Name, v.V)
		}
		text.WriteByte('\n')
	}
	return fmt.Sprintf("%s%q", &text, out.Names)
}

// A file that ends anywhere has the whole records before its end, and takes the next one.
func TestCutAnywhere(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, File)
	list := some()
	ends := filled(t, dir, list)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	next := Entry{Folder: "next", Kind: Run, Name: "next", Numbers: record.Values{{Name: "n0", V: 7}, {Name: "new", V: 8}}}
	for n := range len(whole) + 1 {
		if err := os.WriteFile(path, whole[:n], 0o644); err != nil {
			t.Fatal(err)
		}
		kept := 0
		for kept < len(ends) && ends[kept] <= int64(n) {
			kept++
		}
		c, err := loadOld(path)
		if err != nil {
			t.Fatalf("%d bytes: %v", n, err)
		}
		if got, want := said(c), after(list[:kept]); got != want {
			t.Fatalf("%d bytes: %s\nwant %s", n, got, want)
		}
		for range 2 {
			putIn(t, dir, &next)
		}
		if c, err = loadOld(path); err != nil || c.torn {
			t.Fatalf("%d bytes and a record: %v", n, err)
		}
		if got, want := said(c), after(append(slices.Clone(list[:kept]), next)); got != want {
			t.Fatalf("%d bytes and a record: %s\nwant %s", n, got, want)
		}
	}
}

// A file with a wrong byte is refused, or ends before its last record: it gives no wrong entry, to a list or to the
// next writer.
func TestWrongByte(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, File)
	list := some()
	ends := filled(t, dir, list)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	last := len(list) - 1
	short := after(list[:last])
	next := Entry{Folder: "next", Kind: Run, Name: "next", Numbers: record.Values{{Name: "n0", V: 7}}}
	for i := range text {
		for _, bits := range []byte{1, 0x80, 0xff, text[i]} {
			if bits == 0 {
				continue
			}
			text[i] ^= bits
			c, err := parse(text)
			switch {
			case err == nil && (int64(i) < ends[last-1] || said(c) != short):
				t.Errorf("byte %d, bits %x: %s\nwant an error, or %s", i, bits, said(c), short)
			case err != nil && !errors.Is(err, ErrUnusable) && i >= headSize:
				t.Errorf("byte %d, bits %x: %v: want %v", i, bits, err, ErrUnusable)
			}
			if err := os.WriteFile(path, text, 0o644); err != nil {
				t.Fatal(err)
			}
			text[i] ^= bits
			if locked(dir, func(path string) error { return put(path, &next) }) != nil {
				continue
			}
			c, err = loadOld(path)
			if err == nil && said(c) != after(append(slices.Clone(list[:last]), next)) {
				t.Errorf("byte %d, bits %x, and a record: %s\nwant %s and the record, or an error", i, bits, said(c), short)
			}
		}
	}
}

// A file of zeros behind its records, as after a loss of power, has the records.
func TestZerosAtTheEnd(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, File)
	filled(t, dir, some())
	text, err := os.ReadFile(path)
	if err == nil {
		err = os.WriteFile(path, append(text, make([]byte, 100)...), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	putIn(t, dir, &Entry{Folder: "next"})
	c, err := loadOld(path)
	if want := after(append(some(), Entry{Folder: "next"})); err != nil || c.torn || said(c) != want {
		t.Errorf("%v: %s\nwant %s", err, said(c), want)
	}
}

// A reader finds every entry while others are put in, and the file is written anew again and again.
func TestReadMeanwhile(t *testing.T) {
	const folders, writers, rounds = 6, 3, 60
	dir := t.TempDir()
	path := filepath.Join(dir, File)
	entry := func(folder, round int) *Entry {
		return &Entry{Folder: fmt.Sprint(folder), Kind: Run, Name: fmt.Sprint(round), Note: strings.Repeat("x", 10_000),
			Numbers: record.Values{{Name: fmt.Sprint("n", folder), V: float64(round)}}}
	}
	for i := range folders {
		putIn(t, dir, entry(i, 0))
	}
	var writing, reading sync.WaitGroup
	for w := range writers {
		writing.Go(func() {
			for round := range rounds {
				if err := locked(dir, func(path string) error { return put(path, entry(w, 1+round)) }); err != nil {
					t.Error(err)
				}
			}
		})
	}
	done := make(chan struct{})
	reading.Go(func() {
		var last [folders]float64
		for over := false; !over; {
			select {
			case <-done:
				over = true
			default:
			}
			out, err := List(dir, Query{})
			if err != nil || len(out.Entries) != folders {
				t.Errorf("%v, %d entries: want %d", err, len(out.Entries), folders)
				return
			}
			for i, e := range out.Entries {
				if v := e.Numbers[0].V; e.Folder != fmt.Sprint(i) || v < last[i] || fmt.Sprint(v) != e.Name {
					t.Errorf("%s: %g after %g: want no older entry", e.Folder, v, last[i])
				}
				last[i] = e.Numbers[0].V
			}
		}
	})
	writing.Wait()
	close(done)
	reading.Wait()
	info, err := os.Stat(path)
	if err != nil || info.Size() > 4*folders*10_000 {
		t.Errorf("%v, %d bytes: want at most some times those of the entries", err, info.Size())
	}
	for w := range writers {
		c, err := loadOld(path)
		if err != nil || !strings.Contains(said(c), fmt.Sprintf("%d %q", w, fmt.Sprint(rounds))) {
			t.Errorf("%v: want the last entry of %d", err, w)
		}
	}
}

// A file that is written anew is as open to others as it was.
func TestWrittenAnewKeepsItsMode(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, File)
	filled(t, dir, some())
	if err := errors.Join(os.Chmod(path, 0o664), locked(dir, func(path string) error {
		c, err := load(path)
		if err == nil {
			err = c.write(path)
		}
		return err
	})); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm()&0o666 != 0o664 && info.Mode().Perm() != 0o666 {
		t.Errorf("%v, %v: want rw-rw-r--", err, info.Mode())
	}
}

// A locked catalogue costs a writer 2 s and an error that says so, and a reader nothing.
func TestLocked(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	filled(t, dir, some())
	release, err := lock(filepath.Join(dir, File))
	if err != nil {
		t.Fatal(err)
	}
	if err := locked(dir, func(string) error { return nil }); err == nil ||
		!strings.Contains(err.Error(), "another program has locked it for 2s") {
		t.Errorf("%v: want that it is locked", err)
	}
	if out, err := List(dir, Query{}); err != nil || len(out.Entries) != 4 {
		t.Errorf("%v, %d entries: want 4", err, len(out.Entries))
	}
	release()
	putIn(t, dir, &Entry{Folder: "next"})
}

// farAway is an entry whose number has a name that no catalogue of ours gives.
func farAway() []byte {
	return pack(&Entry{Numbers: record.Values{{Name: "a"}}}, map[string]uint64{"a": 1 << 40})
}

// A number without a name makes the file unusable, and takes no room.
func TestNumberOfAName(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, File), appendRecord(head(), 0, []string{"a"}, "f", farAway()),
		0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := List(dir, Query{}); !errors.Is(err, ErrUnusable) {
		t.Errorf("%v: want %v", err, ErrUnusable)
	}
}

// FuzzFile reads any bytes without a panic, and gives no more than they can hold.
func FuzzFile(f *testing.F) {
	dir := f.TempDir()
	filled(f, dir, some())
	text, err := os.ReadFile(filepath.Join(dir, File))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add(text[:len(text)-3])
	f.Add(appendRecord(head(), 0, []string{"a", "a", ""}, "f", []byte{9}))
	f.Add(appendRecord(head(), 1<<40, nil, "f", farAway()))
	f.Add(slices.Concat(head(), []byte{255, 255, 255, 255, 0, 0, 0, 0}, make([]byte, 20)))
	f.Fuzz(func(t *testing.T, text []byte) {
		c, err := parse(text)
		if err != nil {
			return
		}
		held := 0
		for i, folder := range c.folders {
			held += len(folder) + len(c.pieces[i])
		}
		for _, name := range c.names {
			held += len(name)
		}
		if held > len(text) || len(c.folders) > len(text)/around || len(c.names) > len(text) {
			t.Errorf("%d bytes in %d folders and %d names: the file has %d", held, len(c.folders), len(c.names), len(text))
		}
		path := filepath.Join(t.TempDir(), File)
		if err := errors.Join(os.WriteFile(path, text, 0o644), put(path, &Entry{Folder: "next"})); err != nil {
			t.Fatal(err)
		}
		again, err := loadOld(path)
		if c.torn && errors.Is(err, ErrUnusable) {
			return // a sound record in the torn one
		}
		if err != nil || again.torn || !again.has("next") || len(again.folders) < len(c.folders) {
			t.Errorf("%v: want the %d folders that it had, and one", err, len(c.folders))
		}
	})
}
