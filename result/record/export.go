package record

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"rths/scenario/files"
)

// Export writes the frames into the archive's folder as CSVFile, ParquetFile or
// MATFile and lists the file in the manifest. A failed export leaves neither a file nor an
// entry.
func (a *Archive) Export(name string) error {
	writers := map[string]func(io.Writer) error{CSVFile: a.WriteCSV, ParquetFile: a.WriteParquet, MATFile: a.WriteMAT}
	write, ok := writers[name]
	if a.stream == AroundFile {
		return fmt.Errorf("record: export of %s: want the archive of Open", a.stream)
	}
	if !ok {
		return fmt.Errorf("record: export to %q: want %s, %s or %s", name, CSVFile, ParquetFile, MATFile)
	}
	if err := files.Write(filepath.Join(a.Dir, name), write); err != nil {
		return advise(err)
	}
	if slices.Contains(a.Files, name) {
		return nil
	}
	m := a.Manifest
	m.Files = append(slices.Clip(m.Files), name)
	if err := m.save(a.Dir); err != nil {
		os.Remove(filepath.Join(a.Dir, name)) // the manifest does not list it
		return err
	}
	a.Manifest = m
	return nil
}
