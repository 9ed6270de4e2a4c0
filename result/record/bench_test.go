package record_test

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"rths"
	"rths/result/record"
)

const (
	benchColumns = 20
	benchRows    = 41 * 4096 // the El Centro record at the benchmark's rate
)

// BenchmarkRecord records a run of 20 columns, and writes the same bytes
// through a bufio.Writer, both to a file in the same folder, and reports the
// ratio of the two times.
func BenchmarkRecord(b *testing.B) {
	dir := b.TempDir()
	var archive, plain time.Duration
	file, run := filepath.Join(dir, "plain"), filepath.Join(dir, "run")
	for range b.N {
		plain += timed(b, func() error { return plainWrite(file) })
		os.Remove(file)
		archive += timed(b, func() error { return recordChannels(run) })
		os.RemoveAll(run)
	}
	ticks := float64(b.N) * benchRows
	b.ReportMetric(float64(archive.Nanoseconds())/ticks, "record-ns/tick")
	b.ReportMetric(float64(plain.Nanoseconds())/ticks, "plain-ns/tick")
	b.ReportMetric(archive.Seconds()/plain.Seconds(), "ratio")
}

func timed(b *testing.B, f func() error) time.Duration {
	start := time.Now()
	if err := f(); err != nil {
		b.Fatal(err)
	}
	return time.Since(start)
}

func recordChannels(dir string) error {
	var frame rths.Frame
	values := make([]float64, benchColumns-4) // beside time, ground, age and late
	var channels []rths.Channel
	for i := range values {
		channels = append(channels, rths.Channel{Name: fmt.Sprint("c", i), Unit: "m", V: &values[i]})
	}
	w, err := record.NewRecorder(dir, record.Manifest{RateHz: 4096}, &frame, channels)
	if err != nil {
		return err
	}
	for k := range benchRows {
		frame.T = float64(k) / 4096
		for i := range values {
			values[i] = frame.T
		}
		w.Observe(&frame)
	}
	return w.Close(record.Manifest{RateHz: 4096})
}

func plainWrite(path string) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(file, 1<<16)
	row := make([]byte, 8*benchColumns)
	for k := range benchRows {
		t := float64(k) / 4096
		for i := range benchColumns {
			binary.LittleEndian.PutUint64(row[8*i:], math.Float64bits(t))
		}
		if _, err := w.Write(row); err != nil {
			return err
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return file.Close()
}
