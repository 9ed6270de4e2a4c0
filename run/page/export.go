package page

import (
	"mime"
	"net/http"
	"path"
	"strings"
)

// export is the record of a run in the folder, as a file that the browser keeps. It is sent as it is made: where that
// fails on the way, the download is broken off.
func (w *Workbench) export(out http.ResponseWriter, r *http.Request) {
	folder, file := r.PathValue("folder"), r.PathValue("file")
	to := &download{out: out, name: safeName(path.Base(folder)) + path.Ext(file)}
	switch err := w.desk.Export(to, folder, file); {
	case err != nil && to.begun:
		panic(http.ErrAbortHandler)
	case err != nil:
		refuse(out, http.StatusNotFound, err)
	}
}

// download says what it is when its first byte comes.
type download struct {
	out   http.ResponseWriter
	name  string
	begun bool
}

func (d *download) Write(b []byte) (int, error) {
	if !d.begun {
		d.begun = true
		d.out.Header().Set("Content-Type", "application/octet-stream")
		d.out.Header().Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": d.name}))
	}
	return d.out.Write(b)
}

// safeName is a text that any file system takes as the name of a file.
func safeName(text string) string {
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_.", r) {
			return r
		}
		return '-'
	}, text)
	if name = strings.Trim(name, "-."); name == "" {
		return "run"
	}
	return name[:min(len(name), 100)]
}
