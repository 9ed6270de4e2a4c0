package ground

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"rths/scenario/files"
)

// sample is the file of a format in testdata: its name is the format's.
func sample(t testing.TB, f Format) (path string, data []byte) {
	t.Helper()
	found, err := filepath.Glob("testdata/" + f.Name + ".*")
	if err != nil || len(found) != 1 {
		t.Fatalf("%s: found %q: want one sample testdata/%s%s", f.Name, found, f.Name, f.Extensions[0])
	}
	if data, err = os.ReadFile(found[0]); err != nil {
		t.Fatal(err)
	}
	return found[0], data
}

// place is how an error says where a file is wrong.
var place = regexp.MustCompile(
	`^x: (.*: )?(line \d|byte \d|sample \d|found \d+ (lines|bytes)|too few points: found \d|no real .* the file holds)`)

// mustFail wants an error that says the place, and no motion.
func mustFail(t *testing.T, f Format, what string, r io.Reader) {
	t.Helper()
	m, err := f.Read(r, "x", Want{})
	if err == nil || len(m.A) > 0 || !place.MatchString(err.Error()) {
		t.Errorf("%s: %d samples, error %v: want none, and an error with the place", what, len(m.A), err)
	}
}

// Every row is described, and no extension belongs to two of them.
func TestFormatsAreDescribed(t *testing.T) {
	keys := map[string]bool{}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[Conditioning]()) {
		key, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		keys[key] = true
	}
	seen := map[string]bool{}
	for _, f := range Formats {
		if f.Name == "" || f.Doc == "" || f.Ref == "" || len(f.Extensions) == 0 || f.Read == nil {
			t.Errorf("%+v: want name, doc, reference, extensions and a reader", f)
		}
		for _, word := range append([]string{f.Name}, f.Extensions...) {
			if seen[word] || word != strings.ToLower(word) {
				t.Errorf("%s: %q: want a word of its own in lower case", f.Name, word)
			}
			seen[word] = true
		}
		for _, key := range f.Keys {
			if !keys[key] {
				t.Errorf("%s: key %q is none of a record", f.Name, key)
			}
		}
	}
}

// A file in the format is read by its extension, from any reader, and only as far as
// the reader goes.
func TestFormatsRead(t *testing.T) {
	broken := errors.New("the disk is broken")
	for _, f := range Formats {
		t.Run(f.Name, func(t *testing.T) {
			path, data := sample(t, f)
			want, err := f.Read(bytes.NewReader(data), "x", Want{})
			soundMotion(t, want, err)
			if err != nil || want.PGA() == 0 {
				t.Fatalf("peak %g, error %v: want a motion", want.PGA(), err)
			}
			for _, r := range []io.Reader{iotest.OneByteReader(bytes.NewReader(data)),
				iotest.DataErrReader(bytes.NewReader(data))} {
				if got, err := f.Read(r, "x", Want{}); err != nil || !reflect.DeepEqual(got, want) {
					t.Errorf("read in other pieces: %+v, %v: want %+v", got, err, want)
				}
			}
			torn := io.MultiReader(bytes.NewReader(data), iotest.ErrReader(broken))
			if _, err := f.Read(torn, "x", Want{}); !errors.Is(err, broken) {
				t.Errorf("a reader that fails: error %v: want its own", err)
			}
			for _, extension := range f.Extensions {
				other := filepath.Join(t.TempDir(), "a"+strings.ToUpper(extension))
				if err := os.WriteFile(other, data, 0o644); err != nil {
					t.Fatal(err)
				}
				if got, err := atDisk.Read(other, Want{}); err != nil || !slices.Equal(got.A, want.A) {
					t.Errorf("%s: %v", other, err)
				}
			}
			if _, err := (At{Files: files.Disk{}, RecordsDir: filepath.Dir(path)}).Find(filepath.Base(path)); err != nil {
				t.Error(err)
			}
		})
	}
}

// What is wrong in a file is refused, with its place: an empty file, a file of another
// kind, a value that is not a number, a line without end.
func TestFormatsRefuse(t *testing.T) {
	for _, f := range Formats {
		t.Run(f.Name, func(t *testing.T) {
			_, data := sample(t, f)
			mustFail(t, f, "empty", strings.NewReader(""))
			mustFail(t, f, "zeros", bytes.NewReader(make([]byte, 4096)))
			mustFail(t, f, "a picture", strings.NewReader("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"))
			mustFail(t, f, "a million columns alone", strings.NewReader(strings.Repeat("1 ", 1e6)))
			mustFail(t, f, "a million columns", bytes.NewReader(lastNumbers(data, strings.Repeat("1 ", 1e6))))
			for _, bad := range []float64{math.NaN(), math.Inf(1)} {
				mustFail(t, f, fmt.Sprint("a value of ", bad), bytes.NewReader(lastNumbers(data, fmt.Sprint(bad))))
			}
		})
	}
}

// lastNumbers puts a text in place of the last line of numbers, or a number in place
// of the last eight bytes of a file that is no text.
func lastNumbers(data []byte, text string) []byte {
	if bytes.IndexByte(data, 0) >= 0 {
		bad := math.NaN()
		if text == "+Inf" {
			bad = math.Inf(1)
		}
		return binary.LittleEndian.AppendUint64(bytes.Clone(data[:len(data)-8]), math.Float64bits(bad))
	}
	lines := strings.Split(string(data), "\n")
	for i := len(lines) - 1; i >= 0; i-- {
		words := strings.FieldsFunc(lines[i], func(r rune) bool { return strings.ContainsRune(" ,;\t", r) })
		if number(words) {
			first := lines[i][:strings.Index(lines[i], words[len(words)-1])] // the others stay, with their separators
			lines[i] = first + text
			break
		}
	}
	return []byte(strings.Join(lines, "\n"))
}

// number tells whether there are words and all are numbers.
func number(words []string) bool {
	for _, w := range words {
		if _, err := parseNumber(w); err != nil {
			return false
		}
	}
	return len(words) > 0
}

// A file that is cut off is refused with the place, or read as far as it goes where
// nothing in the format says how long it is. None makes a reader panic.
func TestFormatsCutOff(t *testing.T) {
	for _, f := range Formats {
		_, data := sample(t, f)
		whole, _ := f.Read(bytes.NewReader(data), "x", Want{})
		for n := range data {
			m, err := f.Read(bytes.NewReader(data[:n]), "x", Want{})
			soundMotion(t, m, err)
			if len(m.A) > len(whole.A) || err != nil && !place.MatchString(err.Error()) {
				t.Errorf("%s: the first %d of %d bytes: %d samples, error %v", f.Name, n, len(data), len(m.A), err)
			}
		}
	}
}

// No bytes make a reader panic or give a motion that is not sound.
func FuzzFormats(f *testing.F) {
	for i, format := range Formats {
		_, data := sample(f, format)
		f.Add(i, data, "", "", "", 0.0)
		f.Add(i, data[:len(data)/2], "1", "2", "g", 0.01)
	}
	kinds, err := filepath.Glob("testdata/kinds/*")
	if err != nil {
		f.Fatal(err)
	}
	for _, path := range kinds {
		data, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		i := slices.IndexFunc(Formats, func(f Format) bool { return slices.Contains(f.Extensions, filepath.Ext(path)) })
		f.Add(i, data, "", "", "", 0.0)
		f.Add(i, data, "", "2", "", 0.02)
	}
	f.Fuzz(func(t *testing.T, i int, data []byte, part, column, unit string, dt float64) {
		if i >= 0 && i < len(Formats) {
			m, err := Formats[i].Read(bytes.NewReader(data), "fuzz", Want{Part: part, Column: column, Unit: unit, Dt: dt})
			soundMotion(t, m, err)
		}
	})
}
