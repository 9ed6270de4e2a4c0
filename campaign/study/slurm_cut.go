package study

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"time"

	"rths/scenario/files"
)

// A task lasts at least 30 s, or takes all runs that there are: to start one costs Slurm about a second. Runs
// differ, and a node may be quicker than the login node: the estimate aims at twice that.
const (
	taskSeconds    = 60.0
	measuredRuns   = 4
	longestMeasure = 10 * time.Second // after which no further run is begun
	longestRun     = time.Minute      // of a run here: a longer one is a task of its own
)

// measure gives the number of runs of a task. The first call makes a few runs here, spread over the list;
// a calibration, whose generations are alike, then sends whole generations. A run that takes longer
// than longest is given up here.
func (f *follower) measure(ctx context.Context, longest time.Duration) (size int, err error) {
	if f.measured > 0 {
		return f.measured, nil
	}
	limited, cancel := context.WithTimeout(ctx, longest)
	defer cancel()
	start, rest, spent := time.Now(), f.rest, 0.0
	made := map[int]bool{}
	for i := range min(measuredRuns, len(rest)) {
		run := rest[i*len(rest)/min(measuredRuns, len(rest))]
		row, err := f.bench.Play(limited, f.jobs.Template, f.jobs.Settings(run))
		if err == nil {
			row.Run, made[run] = run, true
			err = f.keepRows([]Row{row})
		} else if ctx.Err() == nil { // too long a run
			spent, err = math.Inf(1), nil
		}
		if err != nil {
			return 0, err
		}
		if spent += row.WallS; time.Since(start) > longestMeasure {
			break
		}
	}
	f.rest = without(rest, made)
	f.measured = sized(spent / float64(len(made)))
	return f.measured, nil
}

// sized is the number of runs of a task, of the wall time of a run.
func sized(each float64) int {
	return int(math.Ceil(min(max(1, taskSeconds/each), mostRuns)))
}

func without(runs []int, made map[int]bool) (out []int) {
	for _, run := range runs {
		if !made[run] {
			out = append(out, run)
		}
	}
	return out
}

// evenly cuts runs into parts of at least size runs, as even as can be; if exact, of size runs and a
// last one of those that are left.
func evenly(runs []int, size int, exact bool) (parts [][]int) {
	n := len(runs)
	if exact {
		for from := 0; from < n; from += size {
			parts = append(parts, runs[from:min(n, from+size)])
		}
		return parts
	}
	if n == 0 {
		return nil
	}
	k := max(1, n/size)
	for i := range k {
		parts = append(parts, runs[i*n/k:(i+1)*n/k])
	}
	return parts
}

// prepare finds the folder of the batches and the fingerprint of the program, and begins the name of
// the copy with it: a program that is built anew changes no task.
func (s *Slurm) prepare() (dir string, err error) {
	dir, err = filepath.Abs(filepath.Join(s.Folder, "slurm"))
	if err != nil {
		return "", err
	}
	if s.program == "" {
		s.program = s.Program
	}
	if s.program == "" {
		if s.program, err = os.Executable(); err != nil {
			return "", err
		}
	}
	if s.sum == "" {
		if s.sum, err = fingerprint(s.program); err != nil {
			return "", err
		}
	}
	s.copied = filepath.Join(dir, "rths-"+s.sum[:16])
	return dir, nil
}

// copyProgram puts the copy of the program into the shared folder.
func (s *Slurm) copyProgram() error {
	if _, err := os.Stat(s.copied); errors.Is(err, os.ErrNotExist) {
		if sum, err := fingerprint(s.program); err != nil {
			return err
		} else if sum != s.sum {
			return fmt.Errorf("%s has been built again since it was started: run the command again", s.program)
		}
		if err := copyFile(s.copied, s.program); err != nil {
			return err
		}
	}
	return os.Chmod(s.copied, 0o755)
}

func fingerprint(path string) (string, error) {
	var read files.Inputs
	if err := read.Sum(path, largestInput); err != nil {
		return "", err
	}
	return read.Read[0].SHA256, nil
}

func copyFile(path, from string) error {
	file, err := files.Open(from)
	if err != nil {
		return err
	}
	err = files.Write(path, func(w io.Writer) error {
		_, err := io.Copy(w, file)
		return err
	})
	return errors.Join(err, file.Close())
}
