package record

import (
	"errors"
	"io"
)

// errNone is met in a browser.
var errNone = errors.New("record: a page without rths writes no Parquet: want rths run in a terminal")

// WriteParquet is not for browsers.
func (s *Sheet) WriteParquet(io.Writer) error { return errNone }
