package record

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
)

// Export writes the frames into the archive's folder as CSVFile, ParquetFile or
// MATFile and lists the file in the manifest.
func (a *Archive) Export(name string) error {
	writers := map[string]func(io.Writer) error{CSVFile: a.WriteCSV, ParquetFile: a.WriteParquet, MATFile: a.WriteMAT}
	write, ok := writers[name]
	if !ok {
		return fmt.Errorf("record: export to %q: want %s, %s or %s", name, CSVFile, ParquetFile, MATFile)
	}
	file, err := os.Create(filepath.Join(a.Dir, name))
	if err != nil {
		return fmt.Errorf("record: %w", err)
	}
	if err := errors.Join(write(file), file.Close()); err != nil {
		return err
	}
	if !slices.Contains(a.Files, name) {
		a.Files = append(a.Files, name)
	}
	return a.Manifest.save(a.Dir)
}
