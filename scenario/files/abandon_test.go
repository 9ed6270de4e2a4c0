package files_test

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"rths/scenario/files"
)

// A program that is stopped in the middle of a file leaves nothing of the file. Abandon
// is the end of a program, so that the test is one.
func TestAbandon(t *testing.T) {
	if dir := os.Getenv("ABANDON_IN"); dir != "" {
		begun := make(chan bool)
		go files.Write(filepath.Join(dir, "file"), func(w io.Writer) error {
			fmt.Fprint(w, "half")
			close(begun)
			select {}
		})
		<-begun
		files.Abandon()
		os.Exit(0)
	}
	dir := t.TempDir()
	c := exec.Command(os.Args[0], "-test.run=TestAbandon$")
	c.Env = append(os.Environ(), "ABANDON_IN="+dir)
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left %v, %v: want nothing", left, err)
	}
}
