package rig

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"rths"
	"rths/maths/signal"
)

// Network says which datagrams between the loop and a virtual laboratory the network spoils,
// so that a test meets a bad network before it meets the laboratory's. Datagrams are numbered
// by sample: reading k is of sample k, command k is made from reading k. What becomes of a
// datagram follows from the seed, its number and its direction alone, in whatever order and
// how often one asks. A datagram that is sent again is exempt: that is for the sender to
// know.
type Network struct {
	list    []*NetworkFault
	draws   [][2]draw // of each fault: of commands and of readings
	samples int       // of the run
}

// Delivery is what becomes of a datagram.
type Delivery struct {
	Lost    bool // it does not arrive; then nothing else is said
	Twice   bool // it arrives twice
	Swapped bool // it is held back until the next one of its direction has gone
	Later   int  // it arrives so many samples later
}

// NetworkMaker is the maker interface of the table NetworkKinds.
type NetworkMaker interface {
	Make(c FaultConfig) (*NetworkFault, error)
}

// NetworkKinds is the table of faults of a network.
var NetworkKinds = []rths.Kind[NetworkMaker]{
	{
		Name: "loss", Doc: "datagrams do not arrive",
		Ref:      "definition: a datagram is lost with probability share, independently of all others",
		Defaults: func() NetworkMaker { return &LossFault{all()} },
	},
	{
		Name: "duplication", Doc: "datagrams arrive twice",
		Ref:      "definition: a datagram is doubled with probability share, independently of all others",
		Defaults: func() NetworkMaker { return &DuplicationFault{all()} },
	},
	{
		Name: "reordering", Doc: "datagrams are held back until the next one of their direction has gone",
		Ref:      "definition: a datagram is overtaken by the next one with probability share, independently of all others",
		Defaults: func() NetworkMaker { return &ReorderingFault{all()} },
	},
	{
		Name: "jitter", Doc: "datagrams arrive some samples later",
		Ref: "definition: a datagram comes least to most samples later, all equally probable, with probability share, " +
			"independently of all others",
		Defaults: func() NetworkMaker { return &JitterFault{Hit: all(), Least: 2, Most: 5} },
	},
	{
		Name: "freeze", Doc: "the rig neither takes nor gives datagrams",
		Ref:      "definition: no datagram passes from the fault's first sample to its last",
		Defaults: func() NetworkMaker { return &FreezeFault{} },
	},
}

// NetworkFault is one fault of a network, made for a run.
type NetworkFault struct {
	Kind     string // its word in NetworkKinds
	Of       string // commands, readings or both
	From, To int    // samples it is at work in: From ≤ k < To

	freezes     bool
	share       float64
	effect      Delivery // of a datagram that it hits
	least, most int      // of Delivery.Later
}

// Directions of datagrams, and the word for both.
const (
	commands = iota
	readings
	both = "both"
)

var directions = [2]string{allCommands, allReadings}

// Hit are the keys of faults that hit some of the datagrams.
type Hit struct {
	Of    string `yaml:"of" doc:"commands, readings or both"`
	Span  `yaml:",inline"`
	Share float64 `yaml:"share" doc:"share of the datagrams that it hits, at random from the scenario's seed: above 0, at most 1, which is all"`
}

func all() Hit { return Hit{Of: both, Share: 1} }

func (p *Hit) fault(kind string, c FaultConfig) (*NetworkFault, error) {
	switch {
	case p.Of != both && !slices.Contains(directions[:], p.Of):
		return nil, fmt.Errorf("of %q: want commands, readings or both", p.Of)
	case !(p.Share > 0 && p.Share <= 1):
		return nil, fmt.Errorf("share %g: want above 0, at most 1", p.Share)
	}
	f := &NetworkFault{Kind: kind, Of: p.Of, share: p.Share}
	var err error
	f.From, f.To, err = p.ticks(c)
	return f, err
}

// LossFault loses datagrams.
type LossFault struct {
	Hit `yaml:",inline"`
}

// Make makes it.
func (p *LossFault) Make(c FaultConfig) (*NetworkFault, error) {
	return p.with(Delivery{Lost: true}, "loss", c)
}

// DuplicationFault doubles datagrams.
type DuplicationFault struct {
	Hit `yaml:",inline"`
}

// Make makes it.
func (p *DuplicationFault) Make(c FaultConfig) (*NetworkFault, error) {
	return p.with(Delivery{Twice: true}, "duplication", c)
}

// ReorderingFault holds datagrams back until the next one has gone.
type ReorderingFault struct {
	Hit `yaml:",inline"`
}

// Make makes it.
func (p *ReorderingFault) Make(c FaultConfig) (*NetworkFault, error) {
	return p.with(Delivery{Swapped: true}, "reordering", c)
}

func (p *Hit) with(effect Delivery, kind string, c FaultConfig) (*NetworkFault, error) {
	f, err := p.fault(kind, c)
	if err == nil {
		f.effect = effect
	}
	return f, err
}

// JitterFault delays datagrams.
type JitterFault struct {
	Hit   `yaml:",inline"`
	Least int `yaml:"least" doc:"shortest delay, samples, at least 1"`
	Most  int `yaml:"most" doc:"longest delay, samples, at most 1000"`
}

// longestJitter bounds the datagrams that wait at a time.
const longestJitter = 1000

// Make makes it.
func (p *JitterFault) Make(c FaultConfig) (*NetworkFault, error) {
	if p.Least < 1 || p.Most < p.Least || p.Most > longestJitter {
		return nil, fmt.Errorf("least %d, most %d: want 1 ≤ least ≤ most ≤ %d samples", p.Least, p.Most, longestJitter)
	}
	f, err := p.fault("jitter", c)
	if err == nil {
		f.least, f.most = p.Least, p.Most
	}
	return f, err
}

// FreezeFault silences the rig.
type FreezeFault struct {
	Span `yaml:",inline"`
}

// Make makes it.
func (p *FreezeFault) Make(c FaultConfig) (*NetworkFault, error) {
	f := &NetworkFault{Kind: "freeze", Of: both, freezes: true}
	var err error
	f.From, f.To, err = p.ticks(c)
	return f, err
}

func (f *NetworkFault) on(k uint64) bool { return k >= uint64(f.From) && k < uint64(f.To) }

func (f *NetworkFault) hits(direction int) bool {
	return !f.freezes && (f.Of == both || f.Of == directions[direction])
}

// Clash refuses two faults of one kind on the same datagrams.
func (f *NetworkFault) Clash(others []*NetworkFault) error {
	for i, o := range others {
		shared := f.Of == both || o.Of == both || f.Of == o.Of
		if o.Kind == f.Kind && shared && f.From < o.To && o.From < f.To {
			return fmt.Errorf("%s: meets entry %d of the same kind on %s: want one after the other", f.Kind, i+1, o.Of)
		}
	}
	return nil
}

// NewNetwork makes the network of a laboratory from faults made for the same configuration.
// The place of a fault in the list chooses its random numbers.
func NewNetwork(c FaultConfig, list []*NetworkFault) *Network {
	n := &Network{list: list, draws: make([][2]draw, len(list)), samples: c.Samples}
	for i := range list {
		for d, name := range directions {
			n.draws[i][d] = newDraw(c.Seed, fmt.Sprintf("network %d %s", i+1, name))
		}
	}
	return n
}

// Command is what becomes of command k.
func (n *Network) Command(k uint64) Delivery { return n.delivery(commands, k) }

// Reading is what becomes of reading k.
func (n *Network) Reading(k uint64) Delivery { return n.delivery(readings, k) }

// Frozen is the number of samples, from k on, in which the rig neither takes nor gives datagrams.
// Forever: to the end of the run.
func (n *Network) Frozen(k uint64) uint64 {
	from := k
	for slices.ContainsFunc(n.list, func(f *NetworkFault) bool { return f.freezes && f.on(k) }) {
		k++
	}
	if k > from && k >= uint64(n.samples) {
		return Forever
	}
	return k - from
}

// Forever is a number of samples without an end.
const Forever = math.MaxUint64

func (n *Network) delivery(direction int, k uint64) (out Delivery) {
	for i, f := range n.list {
		if !f.on(k) || !f.hits(direction) {
			continue
		}
		random := n.draws[i][direction].at(k)
		if chance := float64(random.Uint64()>>11) / (1 << 53); chance >= f.share { // 53 random bits
			continue
		}
		if f.effect.Lost {
			return Delivery{Lost: true}
		}
		out.Twice, out.Swapped = out.Twice || f.effect.Twice, out.Swapped || f.effect.Swapped
		if f.most > 0 {
			out.Later = f.least + int(random.Uint64()%uint64(f.most-f.least+1))
		}
	}
	return out
}

// draw gives the random numbers of each datagram of a direction, without those before it.
type draw struct{ high, low uint64 }

func newDraw(seed uint64, stream string) draw {
	s := signal.Stream(seed, stream)
	return draw{s.Uint64(), s.Uint64()}
}

// at is the generator of datagram k. The odd factor, 2⁶⁴ over the golden ratio, spreads
// neighbours over all bits.
func (d draw) at(k uint64) (random rand.PCG) {
	random.Seed(d.high, d.low^k*0x9e3779b97f4a7c15)
	return random
}
