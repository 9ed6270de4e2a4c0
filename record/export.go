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
// MATFile and lists the file in the manifest. What fails leaves neither a file nor
// an entry.
func (a *Archive) Export(name string) error {
	writers := map[string]func(io.Writer) error{CSVFile: a.WriteCSV, ParquetFile: a.WriteParquet, MATFile: a.WriteMAT}
	write, ok := writers[name]
	if !ok {
		return fmt.Errorf("record: export to %q: want %s, %s or %s", name, CSVFile, ParquetFile, MATFile)
	}
	if err := a.writeFile(name, write); err != nil {
		return err
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

// writeFile writes a file that appears whole or not at all.
func (a *Archive) writeFile(name string, write func(io.Writer) error) error {
	final := filepath.Join(a.Dir, name)
	file, err := os.Create(final + ".tmp")
	if err != nil {
		return fmt.Errorf("record: %w", err)
	}
	err = errors.Join(write(file), file.Close())
	if err == nil {
		err = os.Rename(final+".tmp", final)
	}
	if err != nil {
		os.Remove(final + ".tmp")
		return advise(err)
	}
	return nil
}
