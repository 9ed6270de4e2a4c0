package tables_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"rths/kit/rthstest"
	"rths/result/tables"
)

// longTDMS is a file of two groups: a of n doubles, b of half as many.
func longTDMS(n int) []byte {
	var meta, raw []byte
	text := func(s string) { meta = append(binary.LittleEndian.AppendUint32(meta, uint32(len(s))), s...) }
	u32 := func(v ...uint32) {
		for _, v := range v {
			meta = binary.LittleEndian.AppendUint32(meta, v)
		}
	}
	u32(2)
	for i, name := range []string{"/'one'/'a'", "/'two'/'b'"} {
		text(name)
		u32(20, 10, 1)
		meta = binary.LittleEndian.AppendUint64(meta, uint64(n/(i+1)))
		u32(0)
		for k := range n / (i + 1) {
			raw = binary.LittleEndian.AppendUint64(raw, math.Float64bits(float64(k)*(1-1.5*float64(i))))
		}
	}
	out := bytes.NewBuffer([]byte("TDSm"))
	for _, v := range []any{uint32(2 | 4 | 8), uint32(4713), uint64(len(meta) + len(raw)), uint64(len(meta))} {
		_ = binary.Write(out, binary.LittleEndian, v)
	}
	return append(append(out.Bytes(), meta...), raw...)
}

// Long columns of several lengths stand in a file of the temporary folder, which goes with the table.
func TestLongColumns(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	t.Setenv("TMP", dir) // Windows
	defer tables.KeepInMemory(1000)()
	const n = 30_001
	path := filepath.Join(t.TempDir(), "long.tdms")
	if err := os.WriteFile(path, longTDMS(n), 0o644); err != nil {
		t.Fatal(err)
	}
	table := rthstest.Must(tables.Read(path))
	if fmt.Sprint(table.Names) != "[one/a two/b]" {
		t.Fatal(table.Names)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "rths-table-*")); len(left) != 0 && runtime.GOOS != "windows" {
		t.Fatalf("%q: a killed program would leave it", left)
	}
	for i, column := range table.Columns {
		if column.Len() != n/(i+1) {
			t.Fatalf("%s: %d rows: want %d", table.Names[i], column.Len(), n/(i+1))
		}
		for k := range column.Len() {
			if got, want := column.At(k), float64(k)*(1-1.5*float64(i)); got != want {
				t.Fatalf("%s, row %d: %g: want %g", table.Names[i], k+1, got, want)
			}
		}
	}
	if err := table.Close(); err != nil {
		t.Error(err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "rths-table-*")); len(left) != 0 {
		t.Errorf("%q are left", left)
	}
}
