package workbench

import (
	"slices"
	"sync"

	"rths/result/record"
)

// tried is a run that is kept for the calls that follow.
type tried struct {
	of    [32]byte // its text
	run   *record.Archive
	users int // calls that read it now
}

// keptRuns are runs that are kept, the newest first. The memory of a run that is forgotten serves the next one as soon
// as no call reads it: new memory would take a quarter of the time of a run.
type keptRuns struct {
	sync.Mutex
	list  []*tried
	spare *record.Archive
}

// mostTried is how many runs are kept: the last one, and those that are pinned. One of 41 s at 4096 Hz takes 40 MB.
const mostTried = 1 + mostPinned

// find is the run of a text, which becomes the newest; nil where it is not kept. Who finds a run releases it.
func (k *keptRuns) find(of [32]byte) *tried {
	k.Lock()
	defer k.Unlock()
	i := slices.IndexFunc(k.list, func(t *tried) bool { return t.of == of })
	if i < 0 {
		return nil
	}
	t := k.list[i]
	t.users++
	k.list = slices.Insert(slices.Delete(k.list, i, i+1), 0, t)
	return t
}

// add keeps a run. Who adds a run releases it.
func (k *keptRuns) add(of [32]byte, run *record.Archive) *tried {
	k.Lock()
	defer k.Unlock()
	t := &tried{of: of, run: run, users: 1}
	k.list = slices.Insert(k.list, 0, t)
	k.cut(func(i int, _ *tried) bool { return i < mostTried })
	return t
}

// release is said by a call that reads a run no more.
func (k *keptRuns) release(t *tried) {
	k.Lock()
	defer k.Unlock()
	t.users--
	k.reuse(t)
}

// only forgets the runs that are not among those.
func (k *keptRuns) only(those []*tried) {
	k.Lock()
	defer k.Unlock()
	k.cut(func(_ int, t *tried) bool { return slices.Contains(those, t) })
}

// memory is a run whose memory may be written over; nil: there is none.
func (k *keptRuns) memory() *record.Archive {
	k.Lock()
	defer k.Unlock()
	spare := k.spare
	k.spare = nil
	return spare
}

func (k *keptRuns) cut(stays func(i int, t *tried) bool) {
	all := k.list
	k.list = nil
	for i, t := range all {
		if stays(i, t) {
			k.list = append(k.list, t)
		}
	}
	for _, t := range all {
		k.reuse(t)
	}
}

func (k *keptRuns) reuse(t *tried) {
	if t.users == 0 && !slices.Contains(k.list, t) {
		k.spare = t.run
	}
}
