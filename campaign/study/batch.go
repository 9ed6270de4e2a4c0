package study

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"rths/scenario"
	"rths/scenario/files"
	"rths/scenario/syntax"
)

// A batchFolder is a folder with jobs for other computers, cut into shards. The computer that asks and those
// that work share the folder:
//
//	batch.json            what all shards share
//	shard-0000.json       the runs of a shard and their settings
//	shard-0000.rows       their rows, in the format of the log (log.go), written whole
//	task-0-0-JOB.out      what a task has printed: first shard of its array, number in the array, job
//
// The name of the folder hangs on the jobs and the program alone: who asks for the same jobs again
// finds the shards and their rows.
type batchFolder struct {
	dir    string
	common common
	shards []*shard
}

// common is batch.json.
type common struct {
	Format   int                `json:"format"`
	Identity string             `json:"identity"` // fingerprint of jobs and program
	Name     string             `json:"name"`
	Folder   string             `json:"folder"`  // working folder: relative file names start from there
	Records  string             `json:"records"` // of named ground motions
	Radii    bool               `json:"radii"`
	Inputs   []files.Input      `json:"inputs"`
	Template *scenario.Template `json:"template"`
}

// shard is a part of a batch that one task makes.
type shard struct {
	Number   int                `json:"shard"` // from 0, as Slurm counts its tasks
	Identity string             `json:"identity"`
	Runs     []int              `json:"runs"` // numbers of the jobs
	Settings [][]syntax.Setting `json:"settings,omitempty"`
}

// Names of a batch's files.
const (
	commonFile = "batch.json"
	shardGlob  = "shard-*.json"
	longestDoc = 1 << 30
)

func (b *batchFolder) path(number int, end string) string {
	return filepath.Join(b.dir, fmt.Sprintf("shard-%04d%s", number, end))
}

// newCommon states jobs. program is the fingerprint of the program.
func newCommon(ctx context.Context, b *Bench, jobs *Jobs, program string) (c common, err error) {
	c = common{Format: Format, Name: jobs.Name, Records: b.RecordsDir, Radii: b.Radii, Template: jobs.Template,
		Inputs: []files.Input{}}
	if c.Folder, err = os.Getwd(); err != nil {
		return c, err
	}
	own := jobs.Template.Inputs() // the template goes with the batch
	for _, in := range b.inputs(ctx, jobs) {
		if !slices.Contains(own, in) {
			c.Inputs = append(c.Inputs, in)
		}
	}
	sum := sha256.New()
	fmt.Fprintf(sum, "%d %s %t %d\n%s\n", Format, program, b.Radii, jobs.N, jobs.Template.Text())
	for _, in := range c.Inputs {
		fmt.Fprintf(sum, "%q %s\n", filepath.Base(in.File), in.SHA256)
	}
	for i := range jobs.N {
		fmt.Fprintf(sum, "%q\n", jobs.Settings(i))
	}
	c.Identity = hex.EncodeToString(sum.Sum(nil))
	return c, nil
}

// inputs are the files that jobs read.
func (b *Bench) inputs(ctx context.Context, jobs *Jobs) []files.Input {
	if jobs.Inputs != nil {
		return jobs.Inputs
	}
	s, err := jobs.Template.With(jobs.Settings(0)...)
	if err != nil {
		return nil // a row with this reason
	}
	run, err := s.Build(ctx, scenario.Options{RecordsDir: b.RecordsDir, Shared: b.Shared})
	if err != nil {
		return nil
	}
	return run.Inputs
}

// openBatch opens the folder of jobs below dir, or makes it if it may.
func openBatch(dir string, c common, may bool) (*batchFolder, error) {
	b := &batchFolder{dir: filepath.Join(dir, c.Identity[:16]), common: c}
	var before common
	switch err := readJSON(filepath.Join(b.dir, commonFile), &before); {
	case errors.Is(err, os.ErrNotExist) && !may:
		return b, nil
	case errors.Is(err, os.ErrNotExist):
		if err := os.MkdirAll(b.dir, 0o777); err != nil {
			return nil, err
		}
		return b, writeJSON(filepath.Join(b.dir, commonFile), c)
	case err != nil:
		return nil, err
	case before.Identity != c.Identity:
		return nil, fmt.Errorf("%s holds other jobs: want it removed", b.dir)
	}
	// the same files elsewhere
	if before.Folder != c.Folder || before.Records != c.Records || !slices.Equal(before.Inputs, c.Inputs) {
		if err := writeJSON(filepath.Join(b.dir, commonFile), c); err != nil {
			return nil, err
		}
	}
	return b, b.load()
}

// load reads the shards that there are.
func (b *batchFolder) load() error {
	names, err := filepath.Glob(filepath.Join(escaped(b.dir), shardGlob))
	if err != nil {
		return err
	}
	for _, name := range names {
		s := new(shard)
		if err := readJSON(name, s); err != nil {
			return err
		}
		if s.Identity != b.common.Identity {
			return fmt.Errorf("%s is of other jobs: want the folder %s removed", name, b.dir)
		}
		s.Settings = nil
		b.shards = append(b.shards, s)
	}
	slices.SortFunc(b.shards, func(x, y *shard) int { return x.Number - y.Number })
	return nil
}

// add writes a new shard.
func (b *batchFolder) add(jobs *Jobs, runs []int) (*shard, error) {
	s := &shard{Identity: b.common.Identity, Runs: runs}
	if n := len(b.shards); n > 0 {
		s.Number = b.shards[n-1].Number + 1
	}
	for _, run := range runs {
		s.Settings = append(s.Settings, jobs.Settings(run))
	}
	if err := writeJSON(b.path(s.Number, ".json"), s); err != nil {
		return nil, err
	}
	s.Settings = nil
	b.shards = append(b.shards, s)
	return s, nil
}

// rows reads the rows of a shard. os.ErrNotExist: there are none yet.
func (b *batchFolder) rows(s *shard) ([]Row, error) {
	path := b.path(s.Number, ".rows")
	file, err := files.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // was read only
	rows, err := readShard(file, s.heading(), len(s.Runs))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	for i := range rows {
		rows[i].Run = s.Runs[i]
	}
	return rows, nil
}

// heading is the identity in the result of a shard, which belongs to its jobs and runs.
func (s *shard) heading() string {
	return fmt.Sprintf("%s-%d-%s", s.Identity, s.Number, hash(fmt.Sprint(s.Runs))[:16])
}

// readShard reads the rows of a shard of n runs, whole or not at all.
func readShard(r io.Reader, identity string, n int) ([]Row, error) {
	t := newTable(n)
	if _, err := readLog(r, identity, t); err != nil {
		return nil, err
	}
	if t.Done() < n {
		return nil, fmt.Errorf("%d of %d rows: want all", t.Done(), n)
	}
	rows := make([]Row, n)
	for i := range rows {
		rows[i], _ = t.Row(i)
	}
	return rows, nil
}

// appendShard is the text that readShard reads.
func appendShard(text []byte, identity string, rows []Row) []byte {
	t := newTable(len(rows))
	text = appendHeading(text, identity)
	for i := range rows {
		set, fresh := t.put(rows[i])
		if fresh {
			text = appendNames(text, t.sets[set])
		}
		text = appendRow(text, &rows[i], set, t.rows[rows[i].Run].values)
	}
	return text
}

func readJSON(path string, v any) error {
	file, err := files.Disk{}.Open(path, longestDoc)
	if err != nil {
		return err
	}
	text, err := io.ReadAll(file)
	if err = errors.Join(err, file.Close()); err == nil {
		err = json.Unmarshal(text, v)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

func writeJSON(path string, v any) error {
	return files.Write(path, func(w io.Writer) error { return json.NewEncoder(w).Encode(v) })
}

// escaped is a path whose letters filepath.Glob takes as they are.
func escaped(path string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(path)
}

// ended are the shards that have a file of rows. To read the folder is surer than to look for one
// file: a client of NFS remembers for a while that a file was missing.
func (b *batchFolder) ended() (map[int]bool, error) {
	out := map[int]bool{}
	if len(b.shards) == 0 {
		return out, nil
	}
	entries, err := os.ReadDir(b.dir)
	for _, e := range entries {
		var number int
		if n, _ := fmt.Sscanf(e.Name(), "shard-%d.rows", &number); n == 1 && strings.HasSuffix(e.Name(), ".rows") {
			out[number] = true
		}
	}
	return out, err
}

// lastWords bounds what is quoted of an output file, bytes.
const lastWords = 400

// words are the last words of a shard's last task, for the end of a message.
func (b *batchFolder) words(number int) string {
	host, err := os.Hostname()
	if err != nil {
		host = "this computer"
	}
	path := b.output(number)
	if path == "" {
		return fmt.Sprintf(
			": no output file of it is in %s: it was cancelled before it began, or its node does not see this folder: want a "+
				"folder that %s and the compute nodes share, by --out", b.dir, host)
	}
	text, err := readAll(path)
	if err != nil {
		return fmt.Sprintf(": %v", err)
	}
	last := strings.Join(strings.Fields(string(text[max(0, len(text)-lastWords):])), " ")
	if last == "" {
		return fmt.Sprintf(": %s is empty: the task was killed, or the folder is full", path)
	}
	return fmt.Sprintf(": %s ends with: %s", path, last)
}

// output is the newest output file of a shard; "": none.
func (b *batchFolder) output(number int) (newest string) {
	entries, _ := os.ReadDir(b.dir) // without it there is no output file
	last := -1
	for _, e := range entries {
		var first, id, job int
		if n, _ := fmt.Sscanf(e.Name(), "task-%d-%d-%d.out", &first, &id, &job); n == 3 && first+id == number && job > last {
			newest, last = filepath.Join(b.dir, e.Name()), job
		}
	}
	return newest
}

// writable is the error of a folder that takes no more: a task cannot say so there.
func (b *batchFolder) writable() error {
	path := filepath.Join(b.dir, "try")
	err := files.Write(path, func(w io.Writer) error {
		_, err := w.Write(make([]byte, 1<<16))
		return err
	})
	_ = os.Remove(path)
	return err
}
