package workbench

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// deskOf is the desk of a folder with these files.
func deskOf(t *testing.T, files map[string]string) *Desk {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "folder")
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	d, err := Open(folder, "", "a test")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d
}

// asked is the answer of a call as JSON, or its error.
func asked(t testing.TB, d *Desk, name string, in any) (string, error) {
	t.Helper()
	text, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	out, err := d.Call(t.Context(), name, text, nil)
	if err != nil {
		return "", err
	}
	if text, err = json.Marshal(out); err != nil {
		t.Fatal(err)
	}
	return string(text), nil
}

// Files outside of the folder are neither read, nor written, nor listed.
func TestOutside(t *testing.T) {
	d := deskOf(t, map[string]string{"in.yaml": "name: in\n"})
	beside := filepath.Join(filepath.Dir(d.Folder), "secret.yaml")
	if err := os.WriteFile(beside, []byte("name: secret\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	links := map[string]string{"link.yaml": beside, "up": filepath.Dir(d.Folder), "relative.yaml": "../secret.yaml"}
	for name, to := range links {
		if err := os.Symlink(to, filepath.Join(d.Folder, name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, path := range []string{"../secret.yaml", beside, "link.yaml", "relative.yaml", "up/secret.yaml", "./in.yaml",
		"a/../../secret.yaml", "", ".", "in.yaml/../../secret.yaml", "in.txt", "/etc/passwd", "in.yaml\x00"} {
		if got, err := asked(t, d, "open", wanted{path}); err == nil {
			t.Errorf("open %q: found %s: want it refused", path, got)
		}
		for _, anyway := range []bool{false, true} {
			got, err := asked(t, d, "save", Save{Place: Place{path, "name: changed\n"}, Anyway: anyway})
			if err == nil {
				t.Errorf("save %q: found %s: want it refused", path, got)
			}
		}
		if _, err := asked(t, d, "new", New{Path: path, Template: "frame"}); path != "" && err == nil {
			t.Errorf("new %q: want it refused", path)
		}
	}
	if text, err := os.ReadFile(beside); err != nil || string(text) != "name: secret\n" {
		t.Errorf("%s %v: want the file beside the folder unchanged", text, err)
	}
	got, err := asked(t, d, "files", struct{}{})
	if err != nil || !strings.Contains(got, `"in.yaml"`) || strings.Contains(got, "link") ||
		strings.Contains(got, `up/`) || strings.Contains(got, "relative") {
		t.Errorf("%s %v: want the files of the folder alone", got, err)
	}
}

// A file that has changed since it was read is shown, not replaced.
func TestSave(t *testing.T) {
	d := deskOf(t, map[string]string{"a.yaml": "name: a\n"})
	first := revisionOf([]byte("name: a\n"))
	path := filepath.Join(d.Folder, "a.yaml")
	for _, c := range []struct {
		disk, mine, revision string
		anyway               bool
		want                 string
	}{
		{"name: a\n", "name: b\n", first, false, "name: b\n"},
		{"name: c\n", "name: b\n", first, false, "name: c\n"},
		{"name: c\n", "name: b\n", first, true, "name: b\n"},
		{"name: c\n", "name: c\n", first, false, "name: c\n"}, // both have written the same
		{"name: c\n", "name: d\n", "", false, "name: c\n"},
		{"", "name: d\n", first, false, ""}, // deleted
		{"", "name: d\n", first, true, "name: d\n"},
		{"", "name: d\n", "", false, "name: d\n"},
	} {
		if err := os.WriteFile(path, []byte(c.disk), 0o644); err != nil {
			t.Fatal(err)
		}
		if c.disk == "" {
			os.Remove(path)
		}
		got, err := asked(t, d, "save", Save{Place{"a.yaml", c.mine}, c.revision, c.anyway})
		if err != nil {
			t.Fatal(err)
		}
		text, _ := os.ReadFile(path)
		shown := strings.Contains(got, "theirs")
		if string(text) != c.want || shown != (c.want == c.disk && c.mine != c.disk) {
			t.Errorf("%+v: found %q on the disk, %s", c, text, got)
		}
	}
	if list, err := os.ReadDir(d.Folder); err != nil || len(list) != 1 {
		t.Errorf("%v %v: want nothing beside the file", list, err)
	}
}

// What cannot be written or is too large says so, and changes nothing.
func TestBadFiles(t *testing.T) {
	d := deskOf(t, map[string]string{"large.yaml": strings.Repeat("x", largestText+1)})
	if err := os.Mkdir(filepath.Join(d.Folder, "folder.yaml"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		call string
		in   any
		want string
	}{
		{"open", wanted{"large.yaml"}, "want at most"},
		{"open", wanted{"none.yaml"}, "no such file"},
		{"open", wanted{"folder.yaml"}, "is a folder"},
		{"save", Save{Place: Place{"large.yaml", strings.Repeat("x", largestText+1)}, Anyway: true}, "want at most"},
		{"save", Save{Place: Place{"folder.yaml", "name: a\n"}, Anyway: true}, "is a folder"},
		{"save", Save{Place: Place{"none/a.yaml", "name: a\n"}}, "want a folder that can be written"},
		{"new", New{Path: "large.yaml", Template: "frame"}, "want at most"},
		{"new", New{Template: "none"}, "want one that files lists"},
	} {
		if _, err := asked(t, d, c.call, c.in); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %.60v: found error %v: want %q", c.call, c.in, err, c.want)
		}
	}
}

// The numbers of a text have the keys that --set takes.
func TestNumbers(t *testing.T) {
	d := deskOf(t, nil)
	text := "name: a 5\nrate_hz: 1024\nstructure: {kind: shear, masses: [20e3, 1], of: '3'}\n" +
		"limits:\n- {trip: 0.1, channel: x}\n\"a.b\": 3\nrows: [[1, 2]]\n"
	got, err := asked(t, d, "numbers", Place{"a.yaml", text})
	want := `[{"key":"rate_hz","value":1024},{"key":"structure.masses[1]","value":20000},` +
		`{"key":"structure.masses[2]","value":1},{"key":"limits[1].trip","value":0.1}]`
	if err != nil || got != want {
		t.Errorf("%s %v: want %s", got, err, want)
	}
	if _, err = asked(t, d, "numbers", Place{"a.yaml", "a: [1"}); err == nil || !strings.HasPrefix(err.Error(),
		"a.yaml:") {
		t.Errorf("found error %v: want its place", err)
	}
}

// A scenario's data files lie below the folder too.
func TestDataFilesOutside(t *testing.T) {
	d := deskOf(t, map[string]string{"quake.csv": "0,0\n0.01,1\n", "a.yaml": ""})
	if err := os.MkdirAll(filepath.Join(d.Folder, "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/etc", filepath.Join(d.Folder, "etc")); err != nil {
		t.Fatal(err)
	}
	for file, inside := range map[string]bool{
		"quake.csv": true, "../quake.csv": true, "none.csv": true, filepath.Join(d.Folder, "quake.csv"): true,
		"/etc/passwd": false, "../../x.csv": false, "etc/passwd": false, "../etc/passwd": false,
	} {
		in := Place{"sub/a.yaml", "name: a\nground: {file: '" + file + "'}\n"}
		if file == "quake.csv" || file == "etc/passwd" {
			in.Path = "a.yaml"
		}
		_, err := d.parse(in)
		if out := err != nil && strings.Contains(err.Error(), "outside of the folder"); out == inside {
			t.Errorf("%s from %s: %v: inside %t", file, in.Path, err, inside)
		}
	}
	d.Records = d.Folder
	_, err := d.built(t.Context(), Place{"a.yaml", strings.Replace(frame,
		"kind: sine, duration_s: 2, frequency_hz: 2, amplitude_m_s2: 1",
		"record: ../../etc/passwd", 1)})
	if err == nil || !strings.Contains(err.Error(), "record") {
		t.Errorf("a record outside of the records: %v", err)
	}
}
