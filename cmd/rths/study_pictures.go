package main

import (
	"fmt"
	"io"
	"path/filepath"

	"rths/campaign/picture"
	"rths/result/report"
	"rths/scenario/files"
)

// drawStudy writes the page, and the pictures as files if a format is given, and names what
// was written.
func drawStudy(dir, format string, s *picture.Study) (names []string, err error) {
	if len(s.Status) == 0 && s.Search == nil {
		return nil, nil // nothing has been run
	}
	if err := files.Write(filepath.Join(dir, report.File), func(w io.Writer) error { return picture.StudyPage(w, s) }); err != nil {
		return nil, fmt.Errorf("%s was not written: %w", report.File, err)
	}
	names = append(names, report.File)
	if format == "" {
		return names, nil
	}
	paths, err := picture.StudyPlots(filepath.Join(dir, "plots"), format, s)
	for _, path := range paths {
		names = append(names, filepath.Join("plots", filepath.Base(path)))
	}
	return names, err
}
