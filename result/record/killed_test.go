package record_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"rths"
	"rths/result/record"
)

// The variables that make the test binary a recording program.
const (
	recordIn     = "RECORD_TEST_DIR"
	recordWithin = "RECORD_TEST_LIMITS"
	rewriteIn    = "RECORD_TEST_REWRITE"
)

// recordLimited records under limits of the system, where there are such limits.
var recordLimited func()

func TestMain(m *testing.M) {
	if dir := os.Getenv(recordIn); dir != "" {
		recordForever(dir)
	}
	if dir := os.Getenv(rewriteIn); dir != "" {
		rewriteForever(dir)
	}
	if os.Getenv(recordWithin) != "" {
		recordLimited()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// recordForever records until it is killed, rows around the run with every other tick, and prints how
// many rows of the frames it has been told are written.
func recordForever(dir string) {
	tk := newTick()
	w, err := record.NewRecorder(dir, manifest(), &tk.frame, tk.channels)
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	for k, shown := 0, 0; ; k++ {
		w.Observe(tk.at(k))
		if k%2 == 0 {
			w.AppendAround(slices.Repeat([]float64{float64(k / 2)}, len(wantNames)))
		}
		if w.Written() > shown {
			shown = w.Written()
			if err := w.Sync(); err != nil {
				fmt.Println(err)
			}
			fmt.Println(shown)
			time.Sleep(time.Millisecond)
		}
	}
}

// A recording program killed at any moment leaves every row it had reported
// written.
func TestKilledRun(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), recordIn+"="+dir)
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	reported := 0
	for lines := bufio.NewScanner(out); lines.Scan(); {
		n, err := strconv.Atoi(lines.Text())
		if err != nil {
			t.Error(lines.Text())
			break
		}
		if reported = n; reported > 20000 {
			child.Process.Kill() // the rest of the output is still read
		}
	}
	child.Wait()
	a, err := record.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if !a.Truncated || a.Status != rths.Running || a.Rows() < reported {
		t.Errorf("truncated %v, status %s, %d rows: want true, running and at least %d", a.Truncated, a.Status, a.Rows(),
			reported)
	}
	checkColumns(t, a, a.Rows())
	around, err := record.OpenAround(dir)
	if err != nil || !around.Truncated || around.Rows() < reported/2-1016 {
		t.Fatalf("%v, %d rows around the run: want half of %d at least", err, around.Rows(), reported)
	}
	k := 0
	for row := range around.All() {
		if row[0] != float64(k) || row[len(row)-1] != float64(k) {
			t.Fatalf("row %d around the run: %g", k, row)
		}
		k++
	}
}
