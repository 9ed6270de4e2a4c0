package files_test

import (
	"errors"
	"os"
	"testing"

	"rths/scenario/files"
)

// A folder is claimed once, and is empty again afterwards.
func TestClaim(t *testing.T) {
	dir := t.TempDir()
	for range 2 {
		claim, err := files.Claim(dir)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := files.Claim(dir); !errors.Is(err, files.ErrClaimed) {
			t.Errorf("the second claim: %v: want that the folder is claimed", err)
		}
		if err := claim.Close(); err != nil {
			t.Error(err)
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			t.Errorf("left %v, %v: want nothing", left, err)
		}
	}
}
