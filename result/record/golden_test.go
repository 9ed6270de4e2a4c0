package record_test

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"testing"

	"rths"
	"rths/result/record"
)

// goldenFrames is the SHA-256 of frames.arrow of the run below, as the first Writer of one stream
// wrote it. It changes with the order of fields in which encode.go writes a schema or the header of a
// batch; then compare the files column by column, and set the new hash.
const goldenFrames = "091b93d959ced426dbc792309b08ba3b97930fb33c789209041dfa6f4218ac1c"

// The bytes of a run's frames do not change from one version of this package to the next.
func TestFramesAreGolden(t *testing.T) {
	frame := rths.Frame{Ground: make([]float64, 3), Desired: make([]float64, 1), Read: rths.NewReading(1, 1),
		Command: make([]float64, 1)}
	channel := rths.Channel{Name: "a0", Unit: "s", V: new(float64)}
	dir := filepath.Join(t.TempDir(), "run")
	w, err := record.NewRecorder(dir, manifest(), &frame, []rths.Channel{channel})
	if err != nil {
		t.Fatal(err)
	}
	for k := range 2500 { // two batches and a part; every number is exact on any machine
		x := float64(k) / 4096
		frame.K, frame.T, frame.Desired[0], frame.Read.X[0], frame.Read.F[0], frame.Command[0] = k, x, x+1, x+2, x+3, x+4
		frame.Ground[0], *channel.V, frame.Read.Age = -x, -x-1, k%3
		w.Observe(&frame)
	}
	if err := w.Close(manifest()); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, record.FramesFile))
	if err != nil {
		t.Fatal(err)
	}
	if sum := sha256.Sum256(text); hex.EncodeToString(sum[:]) != goldenFrames {
		t.Errorf("%d bytes with the SHA-256 %x: want %s", len(text), sum, goldenFrames)
	}
}
