package study

import (
	"fmt"
	"os"
	"path/filepath"
)

// Asked is what somebody has asked for. It stands in the folder of the result, so that it can be asked for again.
type Asked struct {
	File string   `json:"file"` // of the study or scenario; in a folder, a relative name starts from there
	Sets []string `json:"set,omitempty"`
	Comparison
	Base string `json:"base,omitempty"` // of a study: the base scenario in one line, without defaults
}

// For is what was asked for as it stands in a folder.
func (a Asked) For(dir string) Asked {
	from, err := filepath.Abs(dir)
	to, wrong := filepath.Abs(a.File)
	if err == nil && wrong == nil {
		a.File = to
		if way, err := filepath.Rel(from, to); err == nil {
			a.File = filepath.ToSlash(way)
		}
	}
	return a
}

// From is what was asked for as it stands in a folder, with a path of the file that this program can open.
func (a Asked) From(dir string) Asked {
	if a.File != "" && !filepath.IsAbs(a.File) {
		a.File = filepath.Join(dir, filepath.FromSlash(a.File))
	}
	return a
}

// ReadManifest reads the manifest of the study in a folder.
func ReadManifest(dir string) (Manifest, error) { return loadManifest(dir) }

// Look reads the rows that a folder has, also while a program makes them. The folder takes none by this.
func Look(dir string, p *Plan) (*Folder, error) {
	m, err := loadManifest(dir)
	if err != nil {
		return nil, err
	}
	if m.Runs != p.Runs() {
		return nil, fmt.Errorf("%s is of %d runs, and the study file of %d: want the file as it was", dir, m.Runs, p.Runs())
	}
	file, err := os.Open(filepath.Join(dir, LogFile))
	if err != nil {
		return nil, err
	}
	defer file.Close()
	f := &Folder{Dir: dir, Manifest: m, Table: newTable(p.Runs())}
	_, err = readLog(file, m.Identity, f.Table)
	return f, err
}

// Summary is the summary of the rows that are there.
func (f *Folder) Summary(p *Plan) (*Summary, error) { return f.Table.summarise(p) }

// Holder is the program on this computer that works in a folder of a study or an advice; "": none that can be seen.
func Holder(dir string) string {
	if who := holder(filepath.Join(dir, LogFile)); who != "" {
		return who
	}
	return holder(dir)
}
