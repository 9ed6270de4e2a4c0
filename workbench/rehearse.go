//go:build !js

package workbench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"path/filepath"

	"rths/result/catalogue"
	"rths/result/record"
	"rths/result/report"
	"rths/run/session"
)

func (d *Desk) rehearse(ctx context.Context, in Rehearse, progress func(float64)) (Rehearsed, error) {
	text, err := d.read(in.Path)
	if err != nil {
		return Rehearsed{}, err
	}
	if revisionOf(text) != in.Revision || string(text) != in.Text {
		return Rehearsed{}, Refuse("%s: save it first: the test in the laboratory reads the file", in.name())
	}
	s, err := d.parse(in.Place)
	if err != nil {
		return Rehearsed{}, &Refused{err}
	}
	out := Rehearsed{Rig: s.Rig.Given()}
	dir := catalogue.Fresh(d.Folder, s.Name)
	v := &session.Virtual{Version: d.Version, Out: dir}
	m, err := d.virtual(ctx, v, textRun{Place: in.Place, progress: progress})
	if err != nil {
		return out, err
	}
	if err := catalogue.Add(dir); err != nil {
		out.Remarks = append(out.Remarks, "the run is in no catalogue: "+err.Error())
	}
	a, err := record.Open(dir)
	if err != nil {
		return out, &Refused{err}
	}
	defer a.Close()
	out.Sentence, out.Remarks = report.Sentence(a), append(out.Remarks, m.Warnings...)
	if out.Folder, err = filepath.Rel(d.Folder, dir); err != nil {
		return out, err
	}
	out.Folder = filepath.ToSlash(out.Folder)
	out.Commands = []string{
		"rths report " + out.Folder,
		fmt.Sprintf("rths test %s --rehearsal %s --page 127.0.0.1:7480", in.Path, out.Folder),
	}
	return out, nil
}

// Report writes the report of a run in the folder of the desk.
func (d *Desk) Report(w io.Writer, folder string) error {
	a, err := d.archive(folder)
	if err != nil {
		return err
	}
	defer a.Close()
	return report.Page(w, []*record.Archive{a})
}

// Export writes the frames of a run in the folder of the desk, as the file of that name in an archive: frames.csv, ….
func (d *Desk) Export(w io.Writer, folder, file string) error {
	a, err := d.archive(folder)
	if err != nil {
		return err
	}
	defer a.Close()
	if err := a.Write(w, file); err != nil {
		return &Refused{err}
	}
	return nil
}

// archive opens a run in the folder of the desk.
func (d *Desk) archive(folder string) (*record.Archive, error) {
	if !fs.ValidPath(folder) {
		return nil, Refuse("%q: want the folder of a run", folder)
	}
	_, err := d.store.Stat(path.Join(folder, record.ManifestFile)) // not outside of the folder of the desk
	if errors.Is(err, fs.ErrNotExist) {
		return nil, Refuse("%s has no %s: want the folder of a run", folder, record.ManifestFile)
	}
	if err == nil {
		_, err = d.store.Stat(path.Join(folder, record.FramesFile))
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, &Refused{err}
	}
	a, err := record.Open(filepath.Join(d.Folder, filepath.FromSlash(folder)))
	if err != nil {
		return nil, &Refused{err}
	}
	return a, nil
}
