package export

import (
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"rths/scenario/files"
)

// WriteC writes the files of C into a new folder, whole or not at all, and returns their paths.
func WriteC(dir string, content map[string]string) (paths []string, err error) {
	for _, name := range slices.Sorted(maps.Keys(content)) {
		paths = append(paths, filepath.Join(dir, name))
	}
	return paths, files.NewFolder(dir, func(into string) error {
		for name, text := range content {
			if err := os.WriteFile(filepath.Join(into, name), []byte(text), 0o644); err != nil {
				return err
			}
		}
		return nil
	})
}

// WriteFMU writes an FMU, with a binary for this computer where asked for.
func WriteFMU(path string, e Source, binary bool) error {
	content, err := FMU(e)
	if err != nil {
		return err
	}
	packed := map[string][]byte{}
	for name, text := range content {
		packed[name] = []byte(text)
	}
	if binary {
		if packed["binaries/linux64/"+e.Name+".so"], err = SharedLibrary(content, e.Name); err != nil {
			return err
		}
	}
	data, err := Zip(packed)
	if err != nil {
		return err
	}
	return files.Write(path, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}
