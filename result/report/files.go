package report

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"rths"
	"rths/result/record"
)

// AddFiles writes files on request (CSV, Parquet, MAT, page) beside the record of a run, and lists all files. If this
// fails, the record is unharmed, and the run has failed.
func AddFiles(m *record.Manifest, dir string, names []string) {
	if m.RowsKept == nil && len(names) > 0 {
		if err := addFiles(dir, names); err != nil {
			m.Status, m.Reason = rths.Failed, strings.TrimPrefix(m.Reason+"; "+err.Error(), "; ")
		}
	}
	m.Files = nil
	for _, name := range append([]string{record.ManifestFile, record.FramesFile, record.AroundFile}, names...) {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			m.Files = append(m.Files, name)
		}
	}
}

func addFiles(dir string, names []string) error {
	archive, err := record.Open(dir)
	if err != nil {
		return err
	}
	for _, name := range names {
		if name == File {
			err = WritePage(filepath.Join(dir, name), WithRehearsal(archive))
		} else {
			err = archive.Export(name)
		}
		if err != nil {
			return fmt.Errorf("%s was not written: %w", name, err)
		}
	}
	return nil
}
