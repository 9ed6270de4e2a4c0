package record_test

import (
	"fmt"
	"os"
	"path/filepath"

	"rths"
	"rths/result/record"
)

// An archive of two columns is written row by row and read back.
func ExampleCreate() {
	folder, err := os.MkdirTemp("", "record")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(folder)
	run := filepath.Join(folder, "run")
	columns := []record.Column{
		{Name: "t", Unit: "s", Doc: "time", Source: "frame"},
		{Name: "measured_m", Unit: "m", Doc: "measured displacement", Source: "frame"},
	}
	m := record.Manifest{Name: "two rows", RateHz: 100, Samples: 2}
	w, err := record.Create(run, m, columns)
	if err != nil {
		fmt.Println(err)
		return
	}
	w.Append([]float64{0, 0})
	w.Append([]float64{0.01, 0.002})
	m.Status = rths.Completed
	if err := w.Close(m); err != nil {
		fmt.Println(err)
		return
	}

	a, err := record.Open(run)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(a.Manifest.Status, a.Rows(), "rows")
	for row := range a.All() {
		fmt.Println(row)
	}
	// Output:
	// completed 2 rows
	// [0 0]
	// [0.01 0.002]
}
