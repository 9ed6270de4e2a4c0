package rig

import (
	"math"
	"slices"
	"strings"
	"testing"

	"rths/kit/rthstest"
)

// long is a run of 20000 datagrams each way.
var long = FaultConfig{RateHz: 100, Samples: 20000, Seed: 3}

func network(t *testing.T, c FaultConfig, makers ...NetworkMaker) *Network {
	t.Helper()
	var list []*NetworkFault
	for _, m := range makers {
		list = append(list, rthstest.Must(m.Make(c)))
	}
	return NewNetwork(c, list)
}

// fates are those of all datagrams of a direction.
func fates(c FaultConfig, of func(k uint64) Delivery) []Delivery {
	out := make([]Delivery, c.Samples)
	for k := range out {
		out[k] = of(uint64(k))
	}
	return out
}

func counted(list []Delivery, is func(Delivery) bool) (n float64) {
	for _, f := range list {
		if is(f) {
			n++
		}
	}
	return n
}

// within4 reports whether n of so many trials of probability p lie within four standard
// deviations of the binomial distribution.
func within4(n, trials, p float64) bool {
	return math.Abs(n-trials*p) <= 4*math.Sqrt(trials*p*(1-p))
}

// Each kind hits its share of the datagrams of its direction, and no others. What becomes of a
// datagram says nothing of the next one, of its answer, or of the same number under another
// seed: pairs are as many as chance wants.
func TestNetworkHitsItsShare(t *testing.T) {
	lost := func(f Delivery) bool { return f == Delivery{Lost: true} }
	twice := func(f Delivery) bool { return f == Delivery{Twice: true} }
	swapped := func(f Delivery) bool { return f == Delivery{Swapped: true} }
	later := func(f Delivery) bool { return f.Later >= 2 && f.Later <= 5 && f == Delivery{Later: f.Later} }
	for _, share := range []float64{0.01, 0.3, 0.9} {
		for name, tc := range map[string]struct {
			make func(of string) NetworkMaker
			is   func(Delivery) bool
		}{
			"loss":        {func(of string) NetworkMaker { return &LossFault{Hit{of, Span{}, share}} }, lost},
			"duplication": {func(of string) NetworkMaker { return &DuplicationFault{Hit{of, Span{}, share}} }, twice},
			"reordering":  {func(of string) NetworkMaker { return &ReorderingFault{Hit{of, Span{}, share}} }, swapped},
			"jitter":      {func(of string) NetworkMaker { return &JitterFault{Hit{of, Span{}, share}, 2, 5} }, later},
		} {
			n := network(t, long, tc.make(both))
			c, r := fates(long, n.Command), fates(long, n.Reading)
			other := long
			other.Seed++
			for what, list := range map[string][]Delivery{"commands": c, "readings": r} {
				if hit := counted(list, tc.is); !within4(hit, 20000, share) ||
					hit+counted(list, func(f Delivery) bool { return f == Delivery{} }) != 20000 {
					t.Errorf("%s of %s: %g are hit, of a share %g of 20000; or there are other fates", name, what, hit, share)
				}
			}
			for what, list := range map[string][]Delivery{"next": slices.Concat(c[1:], c[:1]), "answer": r,
				"other seed": fates(other, network(t, other, tc.make(both)).Command)} {
				pairs := 0.0
				for k := range c {
					if tc.is(c[k]) && tc.is(list[k]) {
						pairs++
					}
				}
				if !within4(pairs, 20000, share*share) {
					t.Errorf("%s: %g pairs with the %s: want about %g", name, pairs, what, 20000*share*share)
				}
			}
			if n := network(t, long, tc.make(allCommands)); counted(fates(long, n.Command), tc.is) == 0 ||
				counted(fates(long, n.Reading), func(f Delivery) bool { return f != Delivery{} }) != 0 {
				t.Errorf("%s of commands: no command is hit, or a reading is", name)
			}
			if n := network(t, long, tc.make(allReadings)); counted(fates(long, n.Reading), tc.is) == 0 ||
				counted(fates(long, n.Command), func(f Delivery) bool { return f != Delivery{} }) != 0 {
				t.Errorf("%s of readings: no reading is hit, or a command is", name)
			}
		}
	}
}

// By default a fault hits every datagram in both directions, from the first to the last.
func TestNetworkFaultsByDefault(t *testing.T) {
	for _, kind := range NetworkKinds {
		if kind.Name == "freeze" { // which takes no datagrams at all
			continue
		}
		n := network(t, short, kind.Defaults())
		for of, list := range map[string][]Delivery{allCommands: fates(short, n.Command),
			allReadings: fates(short, n.Reading)} {
			if free := counted(list, func(f Delivery) bool { return f == Delivery{} }); free != 0 {
				t.Errorf("%s: %g of %d %s are not hit", kind.Name, free, short.Samples, of)
			}
		}
	}
}

// All delays from least to most are equally probable.
func TestJitterIsUniform(t *testing.T) {
	n := network(t, long, &JitterFault{Hit{allReadings, Span{}, 1}, 2, 5})
	list := fates(long, n.Reading)
	for d := range 8 {
		got, want := counted(list, func(f Delivery) bool { return f.Later == d }), 0.25
		if d < 2 || d > 5 {
			want = 0
		}
		if !within4(got, 20000, want) {
			t.Errorf("%g readings are %d samples late: want a share of %g of 20000", got, d, want)
		}
	}
	if n := network(t, long, &JitterFault{Hit{both, Span{}, 1}, 3, 3}); n.Command(7) != (Delivery{Later: 3}) {
		t.Errorf("%+v: want exactly 3 samples", n.Command(7))
	}
}

// badNetwork is one fault of every kind, overlapping.
func badNetwork() []NetworkMaker {
	return []NetworkMaker{
		&LossFault{Hit{both, Span{0.1, 0.2}, 0.3}}, &DuplicationFault{Hit{both, Span{0.05, 0.2}, 0.5}},
		&ReorderingFault{Hit{allReadings, Span{0, 0.3}, 0.5}},
		&JitterFault{Hit{allCommands, Span{0.1, 0.2}, 0.5}, 1, 9}, &FreezeFault{Span{0.15, 0.05}},
	}
}

// A fate hangs on seed, number and direction alone: asked backwards, twice or for some only,
// the network says the same. A further entry changes none of the others.
func TestFatesDoNotHangOnTheQuestions(t *testing.T) {
	if n := len(badNetwork()); n != len(NetworkKinds) {
		t.Fatalf("%d kinds of %d", n, len(NetworkKinds))
	}
	n := network(t, short, badNetwork()...)
	c, r := fates(short, n.Command), fates(short, n.Reading)
	again := network(t, short, badNetwork()...)
	for k := short.Samples - 1; k >= 0; k -= 3 {
		if a, b := again.Reading(uint64(k)), again.Reading(uint64(k)); a != r[k] || b != r[k] {
			t.Errorf("reading %d: %+v, %+v: want %+v", k, a, b, r[k])
		}
		if a := again.Command(uint64(k)); a != c[k] {
			t.Errorf("command %d: %+v: want %+v", k, a, c[k])
		}
	}
	alone, more := network(t, long, &LossFault{Hit{both, Span{}, 0.5}}),
		network(t, long, &LossFault{Hit{both, Span{}, 0.5}}, &DuplicationFault{Hit{both, Span{}, 0.5}})
	for k := range uint64(1000) {
		if alone.Command(k).Lost != more.Command(k).Lost {
			t.Fatalf("command %d: another fate with a further entry", k)
		}
	}
	if allocs := testing.AllocsPerRun(10, func() { n.Command(12); n.Reading(12); n.Frozen(12) }); allocs != 0 {
		t.Errorf("%g allocations", allocs)
	}
}

// Faults begin and end at their samples. A lost datagram has no other fate; the others add up.
func TestNetworkKeepsItsSpans(t *testing.T) {
	n := network(t, short, &DuplicationFault{Hit{both, Span{FromS: 0.12}, 1}}, &LossFault{Hit{allCommands, middle, 1}},
		&ReorderingFault{Hit{allReadings, Span{0.2, 0.1}, 1}},
		&JitterFault{Hit{both, Span{0.25, 0.1}, 1}, 4, 4}, &FreezeFault{Span{0.3, 0.04}})
	for k := range uint64(60) {
		command := Delivery{Twice: k >= 12 && k < 40}
		if k >= 25 && k < 35 {
			command.Later = 4
		}
		reading := command
		reading.Swapped = k >= 20 && k < 30
		if k >= 10 && k < 15 {
			command = Delivery{Lost: true}
		}
		if n.Command(k) != command || n.Reading(k) != reading || n.Frozen(k) > 0 != (k >= 30 && k < 34) ||
			k == 31 && n.Frozen(k) != 3 {
			t.Errorf("sample %d: command %+v, reading %+v, frozen %v: want %+v, %+v", k, n.Command(k), n.Reading(k), n.Frozen(k),
				command, reading)
		}
	}
	if n := network(t, short, &FreezeFault{}); n.Frozen(0) != Forever || n.Frozen(39) != Forever || n.Frozen(40) != 0 ||
		n.Command(3) != (Delivery{}) {
		t.Error("want a frozen rig to the end of the run, and no fate of its datagrams")
	}
}

// Without an entry nothing happens.
func TestGoodNetwork(t *testing.T) {
	n := NewNetwork(short, nil)
	for k := range uint64(40) {
		if n.Command(k) != (Delivery{}) || n.Reading(k) != (Delivery{}) || n.Frozen(k) > 0 {
			t.Fatalf("sample %d: %+v, %+v, %v", k, n.Command(k), n.Reading(k), n.Frozen(k))
		}
	}
}

func TestWrongNetworkFaults(t *testing.T) {
	for want, m := range map[string]NetworkMaker{
		`of "command": want commands, readings or both`:            &LossFault{Hit{"command", Span{}, 1}},
		`of "": want commands, readings or both`:                   &ReorderingFault{Hit{"", Span{}, 1}},
		"share 0: want above 0, at most 1":                         &DuplicationFault{Hit{both, Span{}, 0}},
		"share 1.1: want above 0, at most 1":                       &LossFault{Hit{both, Span{}, 1.1}},
		"share NaN: want above 0, at most 1":                       &ReorderingFault{Hit{both, Span{}, math.NaN()}},
		"from_s 0.4: want 0 or more and less than the 0.4 s":       &LossFault{Hit{both, Span{FromS: 0.4}, 1}},
		"duration_s -1: want more than 0":                          &FreezeFault{Span{0, -1}},
		"from_s -1: want 0 or more":                                &FreezeFault{Span{-1, 0}},
		"least 0, most 5: want 1 ≤ least ≤ most ≤ 1000 samples":    &JitterFault{Hit{both, Span{}, 1}, 0, 5},
		"least 6, most 5: want 1 ≤ least ≤ most ≤ 1000 samples":    &JitterFault{Hit{both, Span{}, 1}, 6, 5},
		"least 2, most 1001: want 1 ≤ least ≤ most ≤ 1000 samples": &JitterFault{Hit{both, Span{}, 1}, 2, 1001},
	} {
		if _, err := m.Make(short); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%+v: %v: want %q", m, err, want)
		}
	}
}

// Two faults of one kind cannot hit the same datagrams; of other kinds, directions or times
// they can.
func TestNetworkFaultsClash(t *testing.T) {
	first := rthstest.Must((&LossFault{Hit{allCommands, middle, 1}}).Make(short))
	for _, tc := range []struct {
		m     NetworkMaker
		clash bool
	}{
		{&LossFault{Hit{allCommands, Span{0.14, 0.1}, 0.1}}, true},
		{&LossFault{Hit{both, Span{}, 1}}, true},
		{&LossFault{Hit{allReadings, Span{}, 1}}, false},
		{&LossFault{Hit{both, Span{0.15, 0.1}, 1}}, false},
		{&LossFault{Hit{both, Span{0, 0.1}, 1}}, false},
		{&DuplicationFault{Hit{allCommands, middle, 1}}, false},
		{&FreezeFault{middle}, false},
	} {
		f := rthstest.Must(tc.m.Make(short))
		err := f.Clash([]*NetworkFault{rthstest.Must((&FreezeFault{Span{0.39, 0.01}}).Make(short)), first})
		if (err != nil) != tc.clash || err != nil && !strings.Contains(err.Error(),
			"loss: meets entry 2 of the same kind on commands: want one after the other") {
			t.Errorf("%+v: %v: want a clash: %v", tc.m, err, tc.clash)
		}
	}
}
