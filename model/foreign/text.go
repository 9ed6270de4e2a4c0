// Package foreign reads what other programs write: rows of text in UTF-8 or UTF-16 in their dialects, measurement files
// of LabVIEW, MATLAB and HDF5 files. It opens no files: callers hand over an io.Reader, and say what the numbers mean.
// Not for MATLAB 7.3 files, which are HDF5.
package foreign

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// kinds are files of another kind, by their first bytes, and what to do with them.
var kinds = []struct{ begin, found, want string }{
	{"PK\x03\x04", "a ZIP file, as an Excel workbook is", "text: save the sheet as CSV"},
	{"\xd0\xcf\x11\xe0", "an Excel workbook", "text: save the sheet as CSV"},
	{"TDSm", "a TDMS file of LabVIEW", "text: export it as CSV"},
	{"MATLAB 5.0 MAT", "a MATLAB file", "text, or a name that ends in .mat"},
	{"MATLAB 7.3 MAT", "a MATLAB 7.3 file", "text, or a name that ends in .mat"},
	{"\x89HDF", "an HDF5 file", "text, or a name that ends in .h5"},
	{"PAR1", "a Parquet file", "text"},
	{"ARROW1", "an Arrow file", "text"},
	{"<?xml", "XML", "columns of numbers; a recorder of OpenSees writes them with -file in place of -xml"},
	{"PEER NGA", "a PEER record", "columns of numbers, or a name that ends in .at2"},
	{"PEER STRONG", "a PEER record", "columns of numbers, or a name that ends in .at2"},
	{"Origin Time", "a K-NET record", "columns of numbers, or the extension of its component, such as .ew"},
}

// looked is the number of bytes that the kind of a file is told by.
const looked = 512

// Text is the text of a file in UTF-8, without byte order mark. UTF-16, as Excel and
// LabVIEW write it, is known by its mark. A measurement file of LabVIEW becomes the text of a table. What is no text is
// an error.
func Text(r io.Reader) (io.Reader, error) {
	b := bufio.NewReaderSize(r, mostHeading)
	if mark, _ := b.Peek(3); marked(string(mark)) {
		b = bufio.NewReaderSize(transform.NewReader(b, unicode.BOMOverride(encoding.Nop.NewDecoder())), mostHeading)
	}
	head, _ := b.Peek(looked) // an error of r comes again
	for _, k := range kinds {
		if strings.HasPrefix(string(head), k.begin) {
			return nil, fmt.Errorf("line 1: found %s: want %s", k.found, k.want)
		}
	}
	if bytes.IndexByte(head, 0) >= 0 {
		return nil, errors.New("line 1: found bytes that are no text: want UTF-8, or UTF-16 with its byte order mark")
	}
	if strings.HasPrefix(string(head), lvmMark) {
		return newLVM(b), nil
	}
	return b, nil
}

// marked tells whether a text begins with the byte order mark of UTF-8 or UTF-16.
func marked(begin string) bool {
	return slices.ContainsFunc([]string{"\xef\xbb\xbf", "\xfe\xff", "\xff\xfe"},
		func(mark string) bool { return strings.HasPrefix(begin, mark) })
}
