package record

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"rths/scenario/files"
)

// Write writes the frames as CSVFile, ParquetFile, MATFile, HDF5File or TDMSFile.
func (a *Archive) Write(w io.Writer, name string) error {
	write, err := a.writer(name)
	if err != nil {
		return err
	}
	return write(w)
}

// writer is what writes the frames as a file of that name.
func (a *Archive) writer(name string) (func(io.Writer) error, error) {
	if a.stream == AroundFile {
		return nil, fmt.Errorf("record: export of %s: want the archive of Open", a.stream)
	}
	write, ok := map[string]func(io.Writer) error{CSVFile: a.WriteCSV, ParquetFile: a.WriteParquet,
		MATFile: a.WriteMAT, HDF5File: a.WriteHDF5, TDMSFile: a.WriteTDMS}[name]
	if !ok {
		return nil, fmt.Errorf("record: export to %q: want %s, %s, %s, %s or %s", name, CSVFile, ParquetFile, MATFile,
			HDF5File, TDMSFile)
	}
	return write, nil
}

// Export writes the frames into the archive's folder as CSVFile, ParquetFile, MATFile,
// HDF5File or TDMSFile and lists the file in the manifest. A failed export leaves neither a file nor an
// entry.
func (a *Archive) Export(name string) error {
	write, err := a.writer(name)
	if err != nil {
		return err
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
