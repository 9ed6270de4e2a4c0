package wire

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"unicode"

	"rths"
)

// Clock says who makes the ticks.
type Clock uint8

// The clocks.
const (
	Lockstep Clock = iota // the rig moves one sample per command, and answers
	OwnClock              // the rig ticks by itself; a command acts from its next tick
)

// String is the word of a scenario.
func (c Clock) String() string {
	switch c {
	case Lockstep:
		return "lockstep"
	case OwnClock:
		return "rig"
	}
	return fmt.Sprintf("clock %d", uint8(c))
}

// Expectation is what a loop wants of a rig: the body of Hello, and its numbers of channels.
type Expectation struct {
	RateHz  float64
	Clock   Clock
	Sensors rths.Sensors
	Program string // that wants it, up to 32 bytes
}

// Info is what a rig says of itself: the body of Welcome.
type Info struct {
	RateHz    float64
	WatchdogS float64 // without commands for so long the rig goes to safety
	Clock     Clock
	Virtual   bool   // nothing moves but numbers
	Name      string // of the laboratory, up to 56 bytes

	X, F, A []Channel // displacements, forces, accelerations
	L       []Channel // lengths of other instruments
}

// Channel is one quantity of a rig.
type Channel struct {
	Range float64 // largest magnitude, in Unit; 0: not stated
	Rate  float64 // of a displacement the largest velocity, in Unit per second; 0: not stated
	Unit  string  // "m", "rad", "N", "N·m", "m/s²", "rad/s²"; up to 8 bytes
}

// quantities are the kinds of channels, with the units that a loop takes.
var quantities = [4]struct {
	name  string
	units map[string]bool
}{
	{"displacement", map[string]bool{"m": true, "rad": true}}, {"force", map[string]bool{"N": true, "N·m": true}},
	{"acceleration", map[string]bool{"m/s²": true, "rad/s²": true}}, {"length", map[string]bool{"m": true}},
}

// Sensors are the numbers of channels.
func (i *Info) Sensors() rths.Sensors {
	return rths.Sensors{X: len(i.X), F: len(i.F), A: len(i.A), L: len(i.L)}
}

// numbers sets a header's numbers of channels.
func (h *Header) numbers(s rths.Sensors) {
	h.NX, h.NF, h.NA, h.NL = uint8(s.X), uint8(s.F), uint8(s.A), uint8(s.L)
}

// sensors are a header's numbers of channels.
func (h *Header) sensors() rths.Sensors {
	return rths.Sensors{X: int(h.NX), F: int(h.NF), A: int(h.NA), L: int(h.NL)}
}

// check refuses an Info that a datagram cannot carry, or that no rig can be.
func (i *Info) check() error {
	if err := checkRate(i.RateHz); err != nil {
		return err
	}
	switch {
	case !(i.WatchdogS > 0) || math.IsInf(i.WatchdogS, 0):
		return fmt.Errorf("watchdog of %g s: want a rig that goes to safety when no commands come, after more than 0 s",
			i.WatchdogS)
	case i.Clock > OwnClock:
		return fmt.Errorf("%s: want lockstep or rig", i.Clock)
	case len(i.X) < 1 || max(len(i.X), len(i.F), len(i.A), len(i.L)) > MostChannels:
		return fmt.Errorf("%d displacements, %d forces, %d accelerations, %d lengths: want 1 to %d, and at most %d of the "+
			"others", len(i.X), len(i.F), len(i.A), len(i.L), MostChannels, MostChannels)
	}
	for kind, list := range [][]Channel{i.X, i.F, i.A, i.L} {
		for n, c := range list {
			what := quantities[kind].name
			switch {
			case !quantities[kind].units[c.Unit]:
				return fmt.Errorf("%s %d in %q: want SI units, one of m, rad, N, N·m, m/s², rad/s² as fits the quantity", what, n+1,
					c.Unit)
			case !(c.Range >= 0) || math.IsInf(c.Range, 0) || !(c.Rate >= 0) || math.IsInf(c.Rate, 0):
				return fmt.Errorf("%s %d: range %g, rate %g: want 0 (not stated) or more", what, n+1, c.Range, c.Rate)
			}
		}
	}
	return nil
}

func checkRate(hz float64) error {
	if !(hz > 0) || hz > 1e7 {
		return fmt.Errorf("rate %g Hz: want more than 0, at most 1e7", hz)
	}
	return nil
}

// Meets says what of a wish the rig does not offer; the reason is 0 where it offers all.
func (i *Info) Meets(w *Expectation) (Reason, string) {
	switch {
	case w.RateHz != i.RateHz:
		return OtherRate, fmt.Sprintf("the loop runs at %.9g Hz, the rig at %.9g Hz: want one rate_hz", w.RateHz, i.RateHz)
	case w.Sensors != i.Sensors():
		l, r := w.Sensors, i.Sensors()
		return OtherChannels,
			fmt.Sprintf("displacements, forces, accelerations, lengths: loop %d, %d, %d, %d, rig %d, %d, %d, %d: want one "+
				"interface and the same sensors", l.X, l.F, l.A, l.L, r.X, r.F, r.A, r.L)
	case w.Clock != i.Clock:
		return OtherClock, fmt.Sprintf("the loop wants clock %s, the rig has %s: want one rig.clock (rths rig --clock)",
			w.Clock, i.Clock)
	}
	return 0, ""
}

func (w *Expectation) put(body []byte) {
	le := binary.LittleEndian
	le.PutUint64(body, math.Float64bits(w.RateHz))
	body[8] = byte(w.Clock)
	putText(body[16:], w.Program)
}

func (w *Expectation) take(h *Header, body []byte) {
	w.RateHz = math.Float64frombits(binary.LittleEndian.Uint64(body))
	w.Clock = Clock(body[8])
	w.Sensors = h.sensors()
	w.Program = text(body[16:])
}

func (i *Info) put(body []byte) {
	le := binary.LittleEndian
	le.PutUint64(body, math.Float64bits(i.RateHz))
	le.PutUint64(body[8:], math.Float64bits(i.WatchdogS))
	body[16] = byte(i.Clock)
	if i.Virtual {
		body[17] = 1
	}
	putText(body[24:welcomeBody], i.Name)
	body = body[welcomeBody:]
	for _, list := range [][]Channel{i.X, i.F, i.A, i.L} {
		for _, c := range list {
			body = putValues(body, []float64{c.Range, c.Rate})
			putText(body[:8], c.Unit)
			body = body[8:]
		}
	}
}

func (i *Info) take(h *Header, body []byte) error {
	le := binary.LittleEndian
	i.RateHz, i.WatchdogS = math.Float64frombits(le.Uint64(body)), math.Float64frombits(le.Uint64(body[8:]))
	i.Clock, i.Virtual = Clock(body[16]), body[17] != 0
	i.Name = text(body[24:welcomeBody])
	body = body[welcomeBody:]
	for _, list := range []struct {
		of *[]Channel
		n  uint8
	}{{&i.X, h.NX}, {&i.F, h.NF}, {&i.A, h.NA}, {&i.L, h.NL}} {
		*list.of = nil
		for range list.n {
			var v [2]float64
			body = takeValues(v[:], body)
			*list.of = append(*list.of, Channel{v[0], v[1], text(body[:8])})
			body = body[8:]
		}
	}
	return i.check()
}

// putText writes as much of a text as fits, and zeros after it.
func putText(dst []byte, s string) { clear(dst[copy(dst, s):]) }

// text reads a text up to its first zero. Bytes that would spoil a screen are question marks.
func text(b []byte) string {
	if n := bytes.IndexByte(b, 0); n >= 0 {
		b = b[:n]
	}
	return strings.Map(func(r rune) rune {
		if r == unicode.ReplacementChar || !unicode.IsPrint(r) {
			return '?'
		}
		return r
	}, string(b))
}
