package record

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"rths/files"
)

// Export writes the frames into the archive's folder as CSVFile, ParquetFile or
// MATFile and lists the file in the manifest.
func (a *Archive) Export(name string) error {
	writers := map[string]func(io.Writer) error{CSVFile: a.WriteCSV, ParquetFile: a.WriteParquet, MATFile: a.WriteMAT}
	write, ok := writers[name]
	if !ok {
		return fmt.Errorf("record: export to %q: want %s, %s or %s", name, CSVFile, ParquetFile, MATFile)
	}
	if err := files.Write(filepath.Join(a.Dir, name), write); err != nil {
		return err
	}
	if !slices.Contains(a.Files, name) {
		a.Files = append(a.Files, name)
	}
	return a.Manifest.save(a.Dir)
}
