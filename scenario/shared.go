package scenario

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"rths"
	"rths/method/criteria"
	"rths/method/module"
	"rths/model/ground"
	"rths/model/integrate"
	"rths/model/structure"
	"rths/scenario/files"
)

// Shared is what the runs of a study have in common: records, matrices and modules as they stand in their files,
// excitations, reduced structures, and reference responses of linear structures. Each is kept when it is made for
// the second time, so that values which no two runs share take no room. A run gives the
// same bits with Shared and without. Several goroutines may build with one Shared.
type Shared struct {
	mu         sync.Mutex
	room       int // numbers that may still be kept
	seen       map[[sha256.Size]byte]bool
	records    map[string]kept
	tables     map[string]keptFile[*structure.Table]
	modules    map[string]keptFile[*module.Module]
	shakings   map[[sha256.Size]byte]*Shaking
	references map[[sha256.Size]byte]*history
	reductions map[[sha256.Size]byte]*structure.Reduced
}

// kept is a record and the files that it was read from.
type kept struct {
	motion ground.Motion
	inputs []files.Input
}

// Bounds of what is kept: numbers of 8 bytes, and keys of things that were made once.
const (
	sharedNumbers = 7 << 20 // 56 MB
	sharedKeys    = 1 << 20
)

// NewShared makes an empty Shared.
func NewShared() *Shared {
	return &Shared{room: sharedNumbers, seen: map[[sha256.Size]byte]bool{}, records: map[string]kept{},
		tables: map[string]keptFile[*structure.Table]{}, modules: map[string]keptFile[*module.Module]{},
		shakings: map[[sha256.Size]byte]*Shaking{}, references: map[[sha256.Size]byte]*history{},
		reductions: map[[sha256.Size]byte]*structure.Reduced{}}
}

// wanted reports whether something of so many numbers is to be kept: it was made before, and
// there is room, which is taken.
func (c *Shared) wanted(key [sha256.Size]byte, numbers int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.seen[key] {
		if len(c.seen) < sharedKeys {
			c.seen[key] = true
		}
		return false
	}
	if numbers > c.room {
		return false
	}
	c.room -= numbers
	return true
}

// recall is the record of a file, read once.
func (c *Shared) recall(read *files.Inputs) func(key string, file func() (ground.Motion, error)) (ground.Motion,
	error) {
	return func(key string, file func() (ground.Motion, error)) (ground.Motion, error) {
		c.mu.Lock()
		defer c.mu.Unlock() // the others wait for the file
		if k, ok := c.records[key]; ok {
			read.Read = append(read.Read, k.inputs...)
			return k.motion, nil
		}
		before := len(read.Read)
		m, err := file()
		if numbers := len(m.A); err == nil && numbers <= c.room {
			c.room -= numbers
			c.records[key] = kept{m, slices.Clone(read.Read[min(before, len(read.Read)):])}
		}
		return m, err
	}
}

// keptFile is what a file holds, and the files that it was read from.
type keptFile[T any] struct {
	content T
	input   []files.Input
}

// recalled is what a file holds, read once, where there is room for its numbers.
func recalled[T interface{ Size() int }](c *Shared, kept map[string]keptFile[T], key string, read *files.Inputs,
	file func(*files.Inputs) (T, error)) (content T, err error) {
	c.mu.Lock()
	defer c.mu.Unlock() // the others wait for the file
	k, ok := kept[key]
	if !ok {
		var own files.Inputs
		if content, err = file(&own); err != nil {
			return content, err
		}
		k = keptFile[T]{content, own.Read}
		if size := content.Size(); size <= c.room {
			c.room -= size
			kept[key] = k
		}
	}
	for _, input := range k.input {
		if !slices.Contains(read.Read, input) {
			read.Read = append(read.Read, input)
		}
	}
	return k.content, nil
}

// Shake is the excitation of a scenario, as Scenario.Shake makes it.
func (c *Shared) Shake(s *Scenario, recordsDir string) (*Shaking, error) {
	return c.shake(s.clone(), recordsDir)
}

func (c *Shared) shake(s *Scenario, recordsDir string) (*Shaking, error) {
	key := s.shakingKey(recordsDir)
	c.mu.Lock()
	made := c.shakings[key]
	c.mu.Unlock()
	if made != nil {
		return made, nil
	}
	made, err := s.shakeWith(recordsDir, c)
	if err == nil && c.wanted(key, len(made.Half)+len(made.Motion.A)) {
		c.mu.Lock()
		c.shakings[key] = made
		c.mu.Unlock()
	}
	return made, err
}

// shakingKey is all that an excitation hangs on.
func (s *Scenario) shakingKey(recordsDir string) [sha256.Size]byte {
	var text strings.Builder
	fmt.Fprintf(&text, "%q %q %g %g %g %d", recordsDir, s.baseDir, s.StepHz(), s.Duration, s.Amplitude, s.leadSteps())
	for _, source := range s.sources() {
		fmt.Fprintf(&text, " %s %s %+v %+v", source.key, source.from.Kind, source.from.Params, source.axis)
		if ground.Random(source.from.Params) {
			fmt.Fprintf(&text, " %d", s.Seed)
		}
	}
	return sha256.Sum256([]byte(text.String()))
}

// reduced is a reduction, made or kept. Nobody changes one.
func (c *Shared) reduced(key [sha256.Size]byte, reduce func() (*structure.Reduced, error)) (*structure.Reduced, error) {
	c.mu.Lock()
	known := c.reductions[key]
	c.mu.Unlock()
	if known != nil {
		return known, nil
	}
	made, err := reduce()
	if err == nil && c.wanted(key, 3*made.N*made.N) {
		c.mu.Lock()
		c.reductions[key] = made
		c.mu.Unlock()
	}
	return made, err
}

// reference is the reference itself, one that also keeps what it gives, or what another run has
// kept.
func (c *Shared) reference(ref *integrate.Reference, shaking [sha256.Size]byte, samples int) criteria.Reference {
	text := shaking[:]
	for _, v := range ref.AppendModel(nil) {
		text = binary.LittleEndian.AppendUint64(text, math.Float64bits(v))
	}
	key := sha256.Sum256(text)
	n := len(ref.State().X)
	c.mu.Lock()
	known := c.references[key]
	c.mu.Unlock()
	if known != nil {
		return newReplay(known, n)
	}
	if !c.wanted(key, n*samples) {
		return ref
	}
	out := &recorder{Reference: ref, x: make([]float64, 0, n*samples)}
	out.full = func() {
		c.mu.Lock()
		c.references[key] = &history{out.x}
		c.mu.Unlock()
	}
	return out
}

// history is the displacements of a reference response, one sample after the other.
type history struct{ x []float64 }

// recorder is a reference that keeps its displacements until all samples are there.
type recorder struct {
	*integrate.Reference
	x    []float64
	full func()
}

// Step advances the reference. Its state shows the displacements after the step.
func (r *recorder) Step(ground []float64) {
	r.Reference.Step(ground)
	if len(r.x) == cap(r.x) {
		return
	}
	r.x = append(r.x, r.Reference.State().X...)
	if len(r.x) == cap(r.x) {
		r.full()
	}
}

// replay is a reference whose displacements are known. It has no velocities.
type replay struct {
	of     *history
	k      []float64 // the next sample
	motion rths.Motion
}

func newReplay(of *history, n int) *replay {
	return &replay{of, make([]float64, 1), rths.Motion{X: make([]float64, n)}}
}

// Step shows the next sample.
func (r *replay) Step([]float64) {
	n := len(r.motion.X)
	from := int(r.k[0]) * n
	copy(r.motion.X, r.of.x[from:from+n])
	r.k[0]++
}

// State is the motion of the present sample, displacements alone.
func (r *replay) State() *rths.Motion { return &r.motion }

// VisitState visits the number of the next sample.
func (r *replay) VisitState(v *rths.StateVisitor) { v.Floats(r.k) }
