package ground

import (
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rths/kit/rthstest"
	"rths/scenario/files"
)

// allExtensions is the list in error messages.
var allExtensions = strings.Join(extensions(), " ")

// atDisk reads real files.
var atDisk = At{Files: files.Disk{}}

// find looks for a record in a real folder.
func find(dir, name string) (string, error) {
	return At{Files: files.Disk{}, RecordsDir: dir}.Find(name)
}

// folder is a temporary folder with the given files.
func folder(t *testing.T, texts map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range texts {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// someRecords has a record of peak 3 in every format.
func someRecords(t *testing.T) string {
	return folder(t, map[string]string{
		"a.csv": "t,a\n0,1\n0.1,-3\n", "b.TXT": "0 1\n0.1 -3\n", "c.dat": "0;1\n0.1;-3\n",
		"D.AT2": at2(inG, "NPTS= 2, DT= .1 SEC", "1 -3"),
		"e.mat": string(rthstest.MATFile(binary.LittleEndian, true, record2xN("q"), recordNx2("r"))),
		"f.mat": string(rthstest.MATFile(binary.LittleEndian, true, record2xN("q"))),
		"g.xls": "",
	})
}

func TestReadByExtension(t *testing.T) {
	dir := someRecords(t)
	for _, c := range []struct {
		file, unit, name string
		pga              float64
	}{
		{"a.csv", "", "a", 3}, {"b.TXT", "", "b", 3}, {"c.dat", "cm/s2", "c", 0.03},
		{"D.AT2", "", "D", 3 * 9.80665}, {"D.AT2", "g", "D", 3 * 9.80665}, {"f.mat", "", "f", 3},
		{"f.mat", "g", "f", 3 * 9.80665},
	} {
		m, err := atDisk.Read(filepath.Join(dir, c.file), Want{Unit: c.unit})
		if err != nil || m.Name != c.name || m.PGA() != c.pga {
			t.Errorf("%s in %q: %+v, %v: want %s with PGA %g", c.file, c.unit, m, err, c.name, c.pga)
		}
	}
}

func TestReadErrors(t *testing.T) {
	dir := someRecords(t)
	in := func(name string) string { return filepath.Join(dir, name) }
	_, err := atDisk.Read(in("g.xls"), Want{})
	wantError(t, err, in("g.xls")+`: extension ".xls": want one of `+allExtensions)
	_, err = atDisk.Read(in("D.AT2"), Want{Unit: "gal"})
	wantError(t, err, in("D.AT2")+`: unit "gal": the heading says g: want the same, or no unit`)
	_, err = atDisk.Read(in("e.mat"), Want{})
	wantError(t, err, in("e.mat")+
		": 2 arrays could be the motion: want the name of one (variable in a scenario, --channel of rths ground); the file "+
		"holds q (2x4 double), r (4x2 double)")
	if _, err = atDisk.Read(in("none.csv"), Want{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
}

func TestFind(t *testing.T) {
	dir := folder(t, map[string]string{"elcentro.csv": "", "elcentro.mat": "", "kobe.mat": "", "kobe.txt": "",
		"RSN6.I-ELC180.AT2": "", "records.json": ""})
	if err := os.Mkdir(filepath.Join(dir, "folder.csv"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"elcentro": "elcentro.csv", "ElCentro": "elcentro.csv", "kobe": "kobe.mat",
		"rsn6.i-elc180": "RSN6.I-ELC180.AT2"} {
		if got, err := find(dir, name); err != nil || got != filepath.Join(dir, want) {
			t.Errorf("%s: %q, %v: want %s", name, got, err, want)
		}
	}
	for _, name := range []string{"chile", "folder", "records", "../kobe", ""} {
		if path, err := find(dir, name); err == nil {
			t.Errorf("%q: found %s", name, path)
		}
	}
}

func TestFindErrors(t *testing.T) {
	dir := folder(t, map[string]string{"elcentro.csv": "", "kobe.mat": "", "records.json": ""})
	_, err := find(dir, "chile")
	wantError(t, err, `record "chile": want one of those in `+dir+": elcentro.csv, kobe.mat")
	_, err = find(dir, "elcento")
	wantError(t, err, `record "elcento" (did you mean elcentro?): want one of those in `+dir+": elcentro.csv, kobe.mat")
	_, err = find("", "chile")
	wantError(t, err, `record "chile": the folder of records is not known: set RTHS_RECORDS or --records`)
	empty := t.TempDir()
	_, err = find(empty, "chile")
	wantError(t, err, `record "chile": want one of those in `+empty+": no file "+allExtensions)
	none := filepath.Join(empty, "none")
	if _, err = find(none, "chile"); !errors.Is(err, fs.ErrNotExist) ||
		!strings.Contains(err.Error(), "RTHS_RECORDS or --records") {
		t.Errorf("a folder that is not there: %v", err)
	}
	many := map[string]string{}
	for i := range 60 {
		many[strings.Repeat("x", i+1)+".csv"] = ""
	}
	if _, err = find(folder(t, many), "chile"); !strings.HasSuffix(err.Error(), " and 20 more") {
		t.Errorf("a folder of 60 records: %v", err)
	}
}

// The records of the single-actuator benchmark (docs/reference/benchmark-siso.md, Ground
// motions; PGA in g of 9.81 m/s²).
func TestBenchmarkRecords(t *testing.T) {
	dir := rthstest.Records(t)
	for _, c := range []struct {
		name    string
		dt      float64
		n       int
		pga     float64
		samples int
		first   int // sample that is not zero
	}{
		{"elcentro", 0.02, 2060, 3.134930197183131, 168674, 250},
		{"kobe", 0.01, 5095, 6.329845418788505, 208651, 500},
		{"morgan", 0.005, 7995, 2.3891714901346512, 163718, 1000},
		{"maule", 0.005, 28338, 3.93209325, 580342, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			path, err := find(dir, c.name)
			if err != nil {
				t.Skip(err)
			}
			m, err := atDisk.Read(path, Want{})
			if err != nil {
				t.Fatal(err)
			}
			if m.T0 != 0 || m.Dt != c.dt || len(m.A) != c.n || m.PGA() != c.pga || m.Samples(4096) != c.samples {
				t.Errorf("first %g s, step %g s, %d points, PGA %v, %d samples at 4096 Hz: want 0, %g, %d, %v, %d",
					m.T0, m.Dt, len(m.A), m.PGA(), m.Samples(4096), c.dt, c.n, c.pga, c.samples)
			}
			for i, a := range m.A[:c.first+1] {
				if (a != 0) != (i == c.first) {
					t.Fatalf("sample %d is %g: want zeros up to %d", i, a, c.first)
				}
			}
		})
	}
}

// The beginning of a file tells its format where the extension does not, or says text; and a name does in any case.
func TestFormatByContent(t *testing.T) {
	shelf := map[string]string{}
	for _, f := range Formats {
		_, data := sample(t, f)
		shelf[f.Name] = string(data)
	}
	at := At{Files: onShelf(shelf)}
	for _, f := range Formats {
		own, err := at.Read(f.Name, Want{Format: f.Name})
		if err != nil {
			t.Errorf("%s by name: %v", f.Name, err)
			continue
		}
		for _, path := range []string{f.Name, f.Name + ".record", f.Name + ".txt"} {
			shelf[path] = shelf[f.Name]
			m, err := at.Read(path, Want{})
			if err != nil || m.Dt != own.Dt || !slices.Equal(m.A, own.A) {
				t.Errorf("%s: %d samples, %v: want those of %s", path, len(m.A), err, f.Name)
			}
		}
	}
	_, err := at.Read("at2", Want{Format: "at3"})
	if err == nil || !strings.HasPrefix(err.Error(), `format "at3": want one of csv, at2, mat`) {
		t.Error(err)
	}
	shelf["note"] = "nothing here"
	_, err = at.Read("note", Want{})
	wantError(t, err, `note: extension "": want one of `+allExtensions)
}

// onShelf are files in memory.
type onShelf map[string]string

func (s onShelf) Open(path string, _ int64) (io.ReadCloser, error) {
	return io.NopCloser(strings.NewReader(s[path])), nil
}
func (s onShelf) Names(string) ([]string, error) { return nil, nil }
