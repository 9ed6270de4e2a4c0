package files

import (
	"fmt"
	"os"
)

func open(path string) (*os.File, error) {
	return nil, fmt.Errorf("%s: a page without rths reads no files: want rths ui, or rths run in a terminal", path)
}
