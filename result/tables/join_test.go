package tables_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rths/result/tables"
)

// inFolder writes files of a name and a text each into a folder, where the test goes on.
func inFolder(t *testing.T, texts map[string]string) {
	t.Helper()
	t.Chdir(t.TempDir())
	for name, text := range texts {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// A recorder's rows have no titles; a last row without its end is left out, however whole it looks.
func TestReadRecorder(t *testing.T) {
	for _, c := range []struct {
		text, columns string
		notes         int
	}{
		{"0.01 1.5e-05 -2\n0.02 3 4\n", "[[0.01 0.02] [1.5e-05 3] [-2 4]]", 0},
		{" 0.01 1 \r\n 0.02 2 \r\n", "[[0.01 0.02] [1 2]]", 0},
		{"0.01,1\n0.02,2\n", "[[0.01 0.02] [1 2]]", 0}, // -fileCSV
		{"0.01 1\n0.02 2", "[[0.01] [1]]", 1},
		{"0.01 1\n0.0", "[[0.01] [1]]", 1},
		{"nan -nan\n1 2\n", "[[NaN 1] [NaN 2]]", 0},
	} {
		inFolder(t, map[string]string{"disp.out": c.text})
		table, err := tables.Read("disp.out")
		if err != nil {
			t.Errorf("%q: %v", c.text, err)
			continue
		}
		if got := fmt.Sprint(columns(table)); got != c.columns || len(table.Notes) != c.notes || table.Names[0] != "1" ||
			table.Names[1] != "2" {
			t.Errorf("%q: %s under %v, notes %q: want %s, %d notes", c.text, got, table.Names, table.Notes, c.columns, c.notes)
		}
	}
	inFolder(t, map[string]string{"disp.out": "1 2\n3"})
	if table, err := tables.Read("disp.out"); err != nil ||
		table.Notes[0] != `disp.out: the last row, "3", has no end of line: it was cut off and is left out` {
		t.Errorf("%v, %v: want a note", table, err)
	}
}

func TestReadRecorderRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"":               "found no row: want the file of a recorder after OpenSees has ended, or after wipe",
		"0.01 1":         "found no row",
		"0.01 1\n0.02\n": "line 2: found 1 columns: want 2, as in the first line",
		"<?xml version": "line 1: found XML: want columns of numbers; a recorder of OpenSees writes them with -file " +
			"in place of -xml",
		"{\x14\xaeGz\x84?\x00": "found binary data: want text, which a recorder of OpenSees writes with -file in place " +
			"of -binary",
		"\x84?\xae":           "found binary data",
		"time disp\n0.01 1\n": `line 1: column 2: found "disp": want a number`,
		"0.01 1\n0.02 -nan\n": "line 2: column 2: found NaN: want a finite number",
		"0.01 1\n0.02 inf\n":  "line 2: column 2: found +Inf: want a finite number",
		"0.01 1\n0.02 x\n":    `line 2: column 2: found "x": want a number`,
	} {
		inFolder(t, map[string]string{"disp.out": text})
		table, err := tables.Read("disp.out")
		if err == nil {
			_, err = table.Column("2")
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v: want %q", text, err, want)
		}
	}
	for name, want := range map[string]string{"disp.xml": "-file in place of -xml or -binary",
		"disp.bin": "-file in place of -xml or -binary"} {
		inFolder(t, map[string]string{name: "1 2\n"})
		if _, err := tables.Read(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v: want %q", name, err, want)
		}
	}
}

// Files stand side by side under their names. Rows beyond the shortest are left out with a note,
// and each file is an input with its hash.
func TestReadTables(t *testing.T) {
	texts := map[string]string{
		"ctrl.out":  "0.01 1\n0.02 2\n0.03 x\n",
		"daq.out":   "0.01 5 6\n0.02 7 8\n0.0",
		"alone.csv": "t,x [mm]\n0.01,5\n0.02,6\n",
		"a/x.out":   "1\n2\n", "b/x.out": "3\n4\n",
	}
	inFolder(t, texts)
	table, err := tables.ReadAll([]string{"ctrl.out", "daq.out"},
		"target=ctrl.out:2, time = ctrl.out:1[s] ,measured=daq.out:3", 0)
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(table.Names, columns(table)[0],
		columns(table)[2:]); got != "[ctrl.out:1 ctrl.out:2 daq.out:1 daq.out:2 daq.out:3] [0.01 0.02] [[0.01 0.02] [5 "+
		"7] [6 8]]" {
		t.Error(got)
	}
	// x stands beyond the end of daq.out.
	if got, err := table.Column("ctrl.out:2"); err != nil || fmt.Sprint(got) != "[1 2]" {
		t.Errorf("%v, %v", got, err)
	}
	notes := []string{`daq.out: the last row, "0.0", has no end of line: it was cut off and is left out`,
		"ctrl.out: 1 of 3 rows are left out: daq.out ends before them"}
	if !slices.Equal(table.Notes, notes) {
		t.Errorf("notes %q: want %q", table.Notes, notes)
	}
	for i, name := range []string{"ctrl.out", "daq.out"} {
		sum := sha256.Sum256([]byte(texts[name]))
		if in := table.Inputs[i]; filepath.Base(in.File) != name || !filepath.IsAbs(in.File) ||
			in.SHA256 != hex.EncodeToString(sum[:]) {
			t.Errorf("input %+v: want %s", in, name)
		}
	}
	both, err := tables.ReadAll([]string{"a/x.out", "b/x.out", "alone.csv"}, "target=a/x.out:1", 0)
	if err != nil || fmt.Sprint(both.Names) != "[a/x.out:1 b/x.out:1 alone.csv:t alone.csv:x]" || both.Units[3] != "mm" ||
		fmt.Sprint(both.Columns[1].Values()) != "[3 4]" {
		t.Errorf("%v %v, %v: want paths where two files have one name", both.Names, both.Units, err)
	}
	if one, err := tables.ReadAll([]string{"a/x.out"}, "", 0); err != nil || one.Names[0] != "1" {
		t.Errorf("%v, %v: want one file without its name", one, err)
	}
}

// A text where a number belongs is an error if it stands in the rows that both files have, and none beyond them.
func TestTextBehindTheCut(t *testing.T) {
	inFolder(t, map[string]string{"ctrl.out": "0.01 1\n0.02 x\n0.03 y\n", "daq.out": "0.01 5\n0.02 7\n",
		"one.out": "0.01 5\n"})
	for short, want := range map[string]string{"daq.out": `ctrl.out: line 2: column ctrl.out:2: found "x": want a number`,
		"one.out": ""} {
		table, err := tables.ReadAll([]string{"ctrl.out", short}, "time=ctrl.out:1", 0)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := table.Column("ctrl.out:2"); (err == nil) != (want == "") ||
			err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("beside %s: %v: want %q", short, err, want)
		}
	}
}

func TestReadTablesRefuses(t *testing.T) {
	inFolder(t, map[string]string{
		"ctrl.out": "0.01 1\n0.02 2\n0.03 3\n", "daq.out": "0.01 5\n0.03 6\n", "bare.out": "5\n6\n7\n",
		"x.csv":       "t,x\n0.01,5\n0.02,6\n0.03,7\n",
		"strange.out": "0.01 5\nx 6\n0.03 7\n", "a,b.out": "1\n",
	})
	for _, c := range []struct{ files, columns, want string }{
		{"ctrl.out daq.out", "time=ctrl.out:1",
			"time: in row 2 found 0.02 in ctrl.out and 0.03 in daq.out: want the same times in all files: record with the " +
				"same -dT and -precision"},
		{"ctrl.out daq.out", "time=daq.out:1", "time: in row 2 found 0.03 in daq.out and 0.02 in ctrl.out"},
		{"ctrl.out bare.out", "time=ctrl.out:1",
			"in row 1 found 0.01 in ctrl.out and 5 in bare.out: want the same times in all files: record with the same -dT " +
				"and -precision; if a file has no times (no -time), want --rate HZ in place of time="},
		{"ctrl.out daq.out", "",
			"daq.out has 2 rows and ctrl.out has 3: without times nothing says which rows belong together: want --columns " +
				"time=ctrl.out:1, or the same number of rows"},
		{"ctrl.out x.csv", "time=ctrl.out:1",
			"time: no column x.csv:1: x.csv has t, x; every file has its times in the column of one name, here 1"},
		{"ctrl.out bare.out", "time=1", "time: no column 1: want FILE:COLUMN, as in ctrl.out:1"},
		{"ctrl.out bare.out", "time=ctl.out:1", "time: no column ctl.out:1 (did you mean ctrl.out:1?): want FILE:COLUMN"},
		{"ctrl.out bare.out", "time=bare.out:2", "time: no column bare.out:2: bare.out has column 1, without title"},
		{"ctrl.out strange.out", "time=ctrl.out:1",
			`time: strange.out: line 2: column strange.out:1: found "x": want a number`},
		{"ctrl.out ctrl.out", "", "ctrl.out is given twice: want each file once"},
		{"ctrl.out a,b.out", "", "a,b.out: found a comma in the name"},
		{"ctrl.out none.out", "", "none.out: no such file"},
	} {
		if _, err := tables.ReadAll(strings.Fields(c.files), c.columns, 0); err == nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%s, %s: error %v: want %q", c.files, c.columns, err, c.want)
		}
	}
}
