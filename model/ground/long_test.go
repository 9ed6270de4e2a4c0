package ground_test

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rths/kit/rthstest"
	"rths/model/ground"
	"rths/scenario/files"
)

// endless is a text that begins with a heading and then repeats for ever. It counts what
// is read of it.
type endless struct {
	heading, again string
	read           int
}

func (e *endless) Read(b []byte) (int, error) {
	n := copy(b, e.heading)
	e.heading = e.heading[n:]
	for n < len(b) {
		n += copy(b[n:], e.again)
	}
	e.read += n
	return n, nil
}

// Of a line that never ends a reader holds one megabyte, and says where the line is.
func TestEndlessLine(t *testing.T) {
	at2 := "PEER\nevent, station, 180\nACCELERATION TIME SERIES IN UNITS OF G\nNPTS= 4000, DT= .0050 SEC\n"
	for name, c := range map[string]struct {
		heading, line string
		read          func(r io.Reader) (ground.Motion, error)
	}{
		"csv": {"0,0\n", "line 2", func(r io.Reader) (ground.Motion,
			error) {
			return ground.ReadCSV(r, "x", ground.Want{})
		}},
		"values": {"0\n", "line 2", func(r io.Reader) (ground.Motion,
			error) {
			return ground.ReadCSV(r, "x", ground.Want{Dt: 0.01})
		}},
		"at2": {at2, "line 5", func(r io.Reader) (ground.Motion,
			error) {
			return ground.ReadAT2(r, "x", ground.Want{})
		}},
		"heading of at2": {"PEER\n", "line 2", func(r io.Reader) (ground.Motion,
			error) {
			return ground.ReadAT2(r, "x", ground.Want{})
		}},
		"cosmos": {"Corrected accelerogram\n", "line 2",
			func(r io.Reader) (ground.Motion, error) { return ground.ReadCOSMOS(r, "x", ground.Want{}) }},
		"knet": {"Origin Time\n", "line 2", func(r io.Reader) (ground.Motion,
			error) {
			return ground.ReadKNET(r, "x", ground.Want{})
		}},
	} {
		t.Run(name, func(t *testing.T) {
			text := &endless{heading: c.heading, again: "1"}
			_, err := c.read(text)
			if err == nil || !strings.Contains(err.Error(), c.line+": longer than 1 MB") {
				t.Errorf("%v: want that %s is longer than 1 MB", err, c.line)
			}
			if text.read > 4<<20 {
				t.Errorf("%d bytes were read", text.read)
			}
		})
	}
}

// A file of samples without end is refused at the limit, and not held as text.
func TestEndlessSamples(t *testing.T) {
	if rthstest.Draws(0, 1) == 0 {
		t.Skip("RTHS_FULL=1 reads 8388608 samples")
	}
	text := &endless{again: "1\n"}
	_, err := ground.ReadCSV(text, "x", ground.Want{Dt: 0.01})
	if err == nil || !strings.Contains(err.Error(), "line 8388609: want at most 8388608 samples") {
		t.Errorf("%v: want that there are too many samples", err)
	}
}

// A file that no motion needs is refused by its size, before it is read. The file is a
// hole: it takes no room.
func TestReadRefusesSize(t *testing.T) {
	path := filepath.Join(t.TempDir(), "long.csv")
	if err := os.WriteFile(path, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, 1<<30); err != nil {
		t.Skip(err)
	}
	if _, err := (ground.At{Files: files.Disk{}}).Read(path, ground.Want{}); err == nil ||
		!strings.Contains(err.Error(), "found a file of 1074 MB: want at most 536.9 MB") {
		t.Errorf("%v: want that the file is too large", err)
	}
}
