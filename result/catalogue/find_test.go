package catalogue

import (
	"bytes"
	"strings"
	"testing"

	"rths/result/record"
)

func items() []Item {
	of := func(folder, name, started string, numbers record.Values) Item {
		return Item{"lab", &Entry{Folder: folder, Kind: Run, Name: name, Status: "completed", Started: started,
			Numbers: numbers}}
	}
	return []Item{
		of("frame-1", "frame", "2026-11-02T10:00:00Z", record.Values{{Name: "J2_1_pct", V: 3}, {Name: "J2_2_pct", V: 4}}),
		of("frame-2", "frame", "2026-11-01T10:00:00Z", record.Values{{Name: "J2_pct", V: 2}}),
		of("table-1", "table", "2026-11-03T10:00:00Z", record.Values{{Name: "J2_pct", V: 1}}),
	}
}

// A word means the run with this folder, or else with this name, or else with a folder that begins so.
func TestPick(t *testing.T) {
	for word, want := range map[string]string{
		"frame-2": "lab/frame-2", "table": "lab/table-1", "ta": "lab/table-1",
		"frame": "frame means 2 runs: want one of lab/frame-1, lab/frame-2", "fr": "fr means 2 runs",
		"tabel-1": "tabel-1: found no such run: want its folder, or a name that rths runs lists: did you mean table-1?",
	} {
		got, err := pick(items(), word, word)
		switch {
		case err != nil && !strings.HasPrefix(err.Error(), want):
			t.Errorf("%s: %v: want %s", word, err, want)
		case err == nil && got.Path() != want:
			t.Errorf("%s: %s: want %s", word, got.Path(), want)
		}
	}
}

// Runs are sorted by date, by text or by number; a run without the number comes last.
func TestSort(t *testing.T) {
	for by, want := range map[string]string{
		"date": "frame-2 frame-1 table-1", "name": "frame-2 frame-1 table-1", "folder": "frame-1 frame-2 table-1",
		"J2_pct": "table-1 frame-2 frame-1",
	} {
		list := items()
		Sort(list, by)
		var got []string
		for _, r := range list {
			got = append(got, r.Folder)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("by %s: %v: want %s", by, got, want)
		}
	}
}

// The table leaves out what is empty for all, and joins the numbers of several actuators.
func TestPrintTable(t *testing.T) {
	var out bytes.Buffer
	Print(&out, items()[:2], []string{"J1_ms", "J2_pct"})
	lines := strings.Split(out.String(), "\n")
	for i, want := range []string{"run date kind status J2_pct", "lab/frame-1 3.00/4.00", "lab/frame-2 2.00"} {
		got := strings.Fields(lines[i])
		if i > 0 {
			got = []string{got[0], got[len(got)-1]}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("line %d: %q: want %s", i, lines[i], want)
		}
	}
}
