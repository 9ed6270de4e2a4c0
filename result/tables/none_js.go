package tables

import (
	"errors"
	"os"
)

var errNone = errors.New("a page without rths reads no Arrow or Parquet: want rths in a terminal, or a table as CSV")

func readParquet(*os.File, *Table) error { return errNone }

func (t *Table) readAnyArrow(*os.File, int64) error { return errNone }
