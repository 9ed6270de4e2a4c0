package study

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Slurm is the executor of a cluster. It cuts jobs into shards, submits them as job arrays by sbatch,
// follows them by squeue, and submits a lost shard again. Nothing else says that a shard is done
// but its file of rows: a task that has left the queue without it is lost. When ctx ends, the tasks
// go on, and who asks for the same jobs again finds their rows.
type Slurm struct {
	Folder string // that login and compute nodes share; batches stand in its folder slurm
	// that has the command shard; "": this program. A copy of it stands beside the batches
	Program   string
	Partition string                           // "": Slurm's own
	Time      string                           // limit of a task, as sbatch takes it; "": the partition's
	ShardSize int                              // runs of a shard; 0: so many that a task lasts at least 30 s
	Collect   bool                             // take the rows that there are; submit nothing and wait for nothing
	Attempts  int                              // submissions of a shard; 0: 3
	Poll      time.Duration                    // first pause between two looks, which grows to 10 s; 0: 1 s
	Grace     time.Duration                    // between the end of a task and its loss, for slow shared folders; 0: 30 s
	Say       func(format string, args ...any) // what happens; may be nil

	program, sum, copied string // the program, its fingerprint, and the name of its copy
	measured             int    // runs of a task; 0: not measured yet
}

// Defaults and limits of Slurm.
const (
	defaultAttempts = 3
	defaultPoll     = time.Second
	longestPoll     = 10 * time.Second
	defaultGrace    = 30 * time.Second
	patience        = 10 * time.Minute // with a squeue that does not answer
)

// Make makes the jobs. An error keeps all rows that there are, and leaves tasks alone.
func (s *Slurm) Make(ctx context.Context, b *Bench, jobs Jobs, keep func(Row) error) error {
	todo := jobs.todo()
	if len(todo) == 0 {
		return nil
	}
	f, err := s.follow(ctx, b, jobs, keep)
	if err != nil {
		return err
	}
	f.want(todo)
	if err := f.look(ctx); err != nil {
		return stopped(ctx, err)
	}
	if s.Collect {
		return f.incomplete()
	}
	if err := f.cut(ctx); err != nil {
		return stopped(ctx, err)
	}
	return stopped(ctx, f.wait(ctx))
}

// stopped is the error of a context that has ended in place of what that has led to.
func stopped(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// follower follows the shards of one Make.
type follower struct {
	*Slurm
	bench    *Bench
	jobs     Jobs
	keep     func(Row) error
	batch    *batchFolder
	queue    queue
	wanted   map[int]bool // runs without a row
	rest     []int        // wanted runs without a shard, in order
	open     []*task
	lost     []*task // given up
	reported map[string]bool
}

// task is a shard under way.
type task struct {
	*shard
	attempts int
	gone     time.Time // when the shard was first missed in the queue; zero: it is there
}

func (s *Slurm) follow(ctx context.Context, b *Bench, jobs Jobs, keep func(Row) error) (*follower, error) {
	dir, err := s.prepare()
	if err != nil {
		return nil, err
	}
	c, err := newCommon(ctx, b, &jobs, s.sum)
	if err != nil {
		return nil, err
	}
	f := &follower{Slurm: s, bench: b, jobs: jobs, keep: keep, wanted: map[int]bool{}, reported: map[string]bool{}}
	f.batch, err = openBatch(dir, c, !s.Collect)
	f.queue.name = "rths-" + c.Identity[:16]
	return f, err
}

// want notes the runs that are wanted, and opens the shards of an earlier call that hold some.
func (f *follower) want(todo []int) {
	for _, run := range todo {
		f.wanted[run] = true
	}
	covered := map[int]bool{}
	for _, s := range f.batch.shards {
		holds := false
		for _, run := range s.Runs {
			covered[run] = true
			holds = holds || f.wanted[run]
		}
		if holds {
			f.open = append(f.open, &task{shard: s, attempts: 1})
		}
	}
	for _, run := range todo {
		if !covered[run] {
			f.rest = append(f.rest, run)
		}
	}
}

// cut makes shards of the runs that have none, and submits them.
func (f *follower) cut(ctx context.Context) error {
	if len(f.rest) == 0 {
		return nil
	}
	size := f.ShardSize
	if size == 0 {
		var err error
		if size, err = f.measure(ctx, longestRun); err != nil {
			return err
		}
	}
	var fresh []*task
	for _, runs := range evenly(f.rest, size, f.ShardSize > 0) {
		s, err := f.batch.add(&f.jobs, runs)
		if err != nil {
			return err
		}
		fresh = append(fresh, &task{shard: s})
	}
	f.open, f.rest = append(f.open, fresh...), nil
	return f.submit(ctx, fresh)
}

// wait looks at queue and folder until every shard has its rows or is given up.
func (f *follower) wait(ctx context.Context) error {
	pause := f.Poll
	if pause == 0 {
		pause = defaultPoll
	}
	for len(f.open) > 0 {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
		pause = max(pause, min(pause*3/2, longestPoll))
		if err := f.look(ctx); err != nil {
			return err
		}
		if err := f.submit(ctx, f.missed()); err != nil {
			return err
		}
	}
	return f.failure()
}

// look takes the rows of shards that have ended, and notes which shards have left the queue. The
// queue is read first: a shard that ends in between has its rows.
func (f *follower) look(ctx context.Context) error {
	err := f.queue.read(ctx)
	if ctx.Err() != nil || err != nil && !f.queue.patient() && !f.Collect {
		return errors.Join(err, ctx.Err())
	}
	if err != nil {
		f.once("%v: what runs is not known", err)
	} else if why := f.queue.why(); why != "" {
		f.once("%s", why)
	}
	ended, err := f.batch.ended()
	if err != nil {
		return err
	}
	open := f.open
	f.open = nil
	for i, t := range open {
		done, err := f.take(t, ended)
		if err != nil {
			f.open = append(f.open, open[i:]...)
			return err
		}
		if !done {
			f.open = append(f.open, t)
		}
	}
	return nil
}

// take keeps the rows of a shard, if they are there.
func (f *follower) take(t *task, ended map[int]bool) (done bool, err error) {
	if ended[t.Number] {
		rows, err := f.batch.rows(t.shard)
		if err == nil {
			return true, f.keepRows(rows)
		}
		f.once("%v: the shard counts as missing", err)
	}
	switch {
	case f.queue.has(t.Number):
		t.gone = time.Time{}
	case t.gone.IsZero():
		t.gone = time.Now()
	}
	return false, nil
}

func (f *follower) keepRows(rows []Row) error {
	for _, row := range rows {
		if !f.wanted[row.Run] {
			continue
		}
		if err := f.keep(row); err != nil {
			return err
		}
		delete(f.wanted, row.Run)
	}
	return nil
}

// missed are the shards to submit again. Those that were submitted often enough are given up.
func (f *follower) missed() (again []*task) {
	grace, most := f.Grace, f.Attempts
	if grace == 0 {
		grace = defaultGrace
	}
	if most == 0 {
		most = defaultAttempts
	}
	open := f.open
	f.open = nil
	for _, t := range open {
		if t.gone.IsZero() || time.Since(t.gone) < grace {
			f.open = append(f.open, t)
			continue
		}
		f.say("shard %d has left the queue without rows (submission %d of %d)%s", t.Number, t.attempts, most,
			f.batch.words(t.Number))
		if t.attempts >= most {
			f.lost = append(f.lost, t)
			continue
		}
		again, f.open = append(again, t), append(f.open, t)
	}
	return again
}

// failure is the error of the shards that were given up.
func (f *follower) failure() error {
	if len(f.lost) == 0 {
		return nil
	}
	shards, of := "shard "+numbers(f.lost), ""
	if len(f.lost) > 1 {
		shards, of = "shards "+numbers(f.lost), " each; of the first of them"
	}
	first := f.lost[0]
	err := fmt.Errorf("%s, %s, left the queue without rows after %s%s%s",
		shards, counted(len(f.wanted), "run"), counted(first.attempts, "submission"), of, f.batch.words(first.Number))
	return errors.Join(err, f.batch.writable())
}

// Incomplete is the error of a Slurm that collects where rows are missing.
type Incomplete struct {
	Rows     int // that are missing
	Queued   int // shards that run or wait
	Lost     int // shards that have left the queue without rows
	Unknown  int // shards without rows, where squeue does not answer
	NotAsked int // rows that no shard holds
}

// Error counts the rows and shards.
func (e *Incomplete) Error() string {
	text := fmt.Sprintf("%s missing: %s in the queue, %d lost", counted(e.Rows, "row"), counted(e.Queued, "shard"), e.Lost)
	if e.Unknown > 0 {
		text = fmt.Sprintf("%s missing, in %s", counted(e.Rows, "row"), counted(e.Unknown, "shard"))
	}
	if e.NotAsked > 0 {
		text += fmt.Sprintf(", and %s in no shard that this version of the program has submitted", counted(e.NotAsked, "row"))
	}
	return text
}

func (f *follower) incomplete() error {
	e := &Incomplete{Rows: len(f.wanted), NotAsked: len(f.rest)}
	for _, t := range f.open {
		switch {
		case f.queue.answered.IsZero():
			e.Unknown++
		case t.gone.IsZero():
			e.Queued++
		default:
			e.Lost++
		}
	}
	if e.Rows == 0 {
		return nil
	}
	return e
}

func (s *Slurm) say(format string, args ...any) {
	if s.Say != nil {
		s.Say(format, args...)
	}
}

// once says what was not said before.
func (f *follower) once(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !f.reported[text] {
		f.reported[text] = true
		f.say("%s", text)
	}
}
