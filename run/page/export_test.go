package page

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"rths/result/record"
	"rths/workbench"
)

// A record is downloaded in each format, as a file with a plain name; what is no run, or outside, is not.
func TestExport(t *testing.T) {
	s := serve(t, "127.0.0.1:0")
	cookie := s.login()
	folder := s.w.desk.(*workbench.Desk).Folder
	m := record.Manifest{Name: "a", RateHz: 64}
	w, err := record.Create(filepath.Join(folder, "runs", "näme \"1\""), m, []record.Column{{Name: "time_s", Unit: "s"}})
	if err != nil {
		t.Fatal(err)
	}
	w.Append([]float64{0.25})
	if err := w.Close(m); err != nil {
		t.Fatal(err)
	}
	for file, begins := range map[string]string{
		"frames.csv": "time_s\n0.25\n", "frames.mat": "MATLAB 5.0", "frames.parquet": "PAR1",
	} {
		path := "/export/" + file + "/runs/n%C3%A4me%20%221%22"
		s.want(http.StatusUnauthorized, "GET", path, "")
		out, text := s.ask("GET", path, "", "Cookie", cookie)
		if out.StatusCode != http.StatusOK || !strings.HasPrefix(text, begins) {
			t.Errorf("%s: %s, %.40q: want a file that begins with %q", file, out.Status, text, begins)
		}
		name := "attachment; filename=n-me--1" + filepath.Ext(file)
		got := out.Header.Get("Content-Disposition")
		if got != name || out.Header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: want %s", got, name)
		}
	}
	for path, want := range map[string]string{
		"/export/frames.xlsx/runs/n%C3%A4me%20%221%22": "want frames.csv, frames.parquet, frames.mat, frames.h5 or " +
			"frames.tdms",
		"/export/frames.csv/runs/none": "want the folder of a run",
		"/export/frames.csv/%2e%2e/x":  "want the folder of a run",
		"/export/frames.csv/":          "want the folder of a run",
	} {
		if text := s.want(http.StatusNotFound, "GET", path, "", "Cookie", cookie); !strings.Contains(text, want) {
			t.Errorf("%s: %q: want %q", path, text, want)
		}
	}
}

// broken is a desk whose record cannot be read to its end.
type broken struct{ slow }

func (broken) Export(w io.Writer, _, _ string) error {
	fmt.Fprint(w, strings.Repeat("0,1\n", 1<<16))
	return errors.New("the disk has gone")
}

// A download that fails on the way is broken off: nobody takes it for whole.
func TestExportBreaksOff(t *testing.T) {
	w := &Workbench{desk: broken{}}
	server := httptest.NewServer(http.HandlerFunc(w.export))
	defer server.Close()
	out, err := http.Get(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Body.Close()
	if n, err := io.Copy(io.Discard, out.Body); err == nil {
		t.Errorf("%d bytes, and no error: want the download broken off", n)
	}
}

func TestSafeName(t *testing.T) {
	for text, want := range map[string]string{"frame-1": "frame-1", "../..": "run", "a\r\nb": "a--b", ".hidden": "hidden",
		strings.Repeat("x", 300): strings.Repeat("x", 100), "": "run", "näme": "n-me"} {
		if got := safeName(text); got != want {
			t.Errorf("%q: %q: want %q", text, got, want)
		}
	}
}
