package workbench

import (
	"io/fs"
	"testing/fstest"
	"time"
)

// mostBytes is the largest record that is kept: a browser gives 4 GB to all.
const mostBytes = 5e8

var results []string // a browser makes no folders of results

// memory is files in the memory of a browser.
type memory struct{ fstest.MapFS }

func openStore(string) (store, error) { return memory{fstest.MapFS{}}, nil }

func (m memory) write(name, text string) error {
	m.MapFS[name] = &fstest.MapFile{Data: []byte(text), Mode: fs.ModePerm, ModTime: time.Now()}
	return nil
}

func (m memory) Close() error { return nil }
