package study

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"rths/scenario/files"
	"rths/scenario/syntax"
)

// largestInput bounds an input file that a shard looks at, bytes.
const largestInput = 1 << 32

// PlayShard makes the runs of one shard of a batch, whose folder an Executor has written, and writes
// their rows. Rows appear whole or not at all: an error means that there are none, and the shard can
// be made again. PlayShard changes the working folder of the program to the folder of the
// program that asks, so that relative file names mean the same files.
func PlayShard(ctx context.Context, dir string, number, workers int) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	b := &batchFolder{dir: dir}
	s := new(shard)
	if err = readJSON(filepath.Join(dir, commonFile), &b.common); err == nil {
		err = readJSON(b.path(number, ".json"), s)
	}
	switch {
	case err != nil:
		return fmt.Errorf("%w: want a folder that login and compute nodes share", err)
	case s.Number != number || s.Identity != b.common.Identity || len(s.Runs) != len(s.Settings):
		return fmt.Errorf("%s: shard %d of %s: want shard %d of %s", dir, s.Number, s.Identity, number, b.common.Identity)
	}
	if err := b.common.enter(); err != nil {
		return err
	}
	rows, err := b.common.play(ctx, s, workers)
	if err != nil {
		return err
	}
	return files.Write(b.path(number, ".rows"), func(w io.Writer) error {
		_, err := w.Write(appendShard(nil, s.heading(), rows))
		return err
	})
}

// enter goes to the working folder, and looks whether the input files are the same as where the
// jobs were asked for.
func (c *common) enter() error {
	if err := os.Chdir(c.Folder); err != nil {
		return fmt.Errorf("%w: want a working folder that login and compute nodes share", err)
	}
	for _, in := range c.Inputs {
		var read files.Inputs
		if err := read.Sum(in.File, largestInput); err != nil {
			return fmt.Errorf("%w: want input files that login and compute nodes share", err)
		}
		if read.Read[0].SHA256 != in.SHA256 {
			return fmt.Errorf("%s is another file than where the study was asked for: want the file as it was", in.File)
		}
	}
	return nil
}

// play makes the runs. Rows are numbered within the shard.
func (c *common) play(ctx context.Context, s *shard, workers int) ([]Row, error) {
	bench := NewBench(c.Records)
	bench.Radii = c.Radii
	jobs := Jobs{Name: c.Name, N: len(s.Runs), Template: c.Template,
		Settings: func(i int) []syntax.Setting { return s.Settings[i] }}
	rows := make([]Row, jobs.N)
	return rows, Workers(workers).Make(ctx, bench, jobs, func(row Row) error {
		rows[row.Run] = row
		return nil
	})
}
