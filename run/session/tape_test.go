package session

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"rths"
	"rths/lab/rig/wire"
	"rths/result/record"
)

// scripted is a rig that gives readings as they are set, and keeps what it is told.
type scripted struct {
	now  rths.Reading
	err  error
	told []float64
}

func (r *scripted) Read(out *rths.Reading) error {
	copy(out.X, r.now.X)
	copy(out.F, r.now.F)
	copy(out.A, r.now.A)
	if r.now.Age > 0 || r.now.Late { // a rig may leave both as they are where a reading is fresh
		out.Age, out.Late = r.now.Age, r.now.Late
	}
	return r.err
}

func (r *scripted) Write(u []float64) error { r.told = slices.Clone(u); return r.err }

// A tape records the rig's own numbers and gives the loop those counted from its zero; a
// reading that fails changes neither.
func TestTapeShifts(t *testing.T) {
	r := &scripted{now: rths.Reading{Motion: rths.Motion{X: []float64{1, 2}, A: []float64{5}}, F: []float64{30}, Age: 2,
		Late: true}}
	band := newTape(r, wire.Expectation{Sensors: rths.Sensors{X: 2, F: 1, A: 1}, RateHz: 100}, 0)
	copy(band.shiftX, []float64{0.25, 0})
	band.shiftF[0] = 10
	out := rths.Reading{Motion: rths.Motion{X: make([]float64, 2), A: make([]float64, 1)}, F: make([]float64, 1)}
	if err := band.Read(&out); err != nil {
		t.Fatal(err)
	}
	sound := func(what string) {
		t.Helper()
		if !slices.Equal(out.X, []float64{0.75, 2}) || out.F[0] != 20 || out.A[0] != 5 || out.Age != 2 || !out.Late {
			t.Errorf("%s: %+v: want the reading without its shift", what, out)
		}
		if !slices.Equal(band.raw.X, []float64{1, 2}) || band.raw.F[0] != 30 || band.raw.A[0] != 5 ||
			band.values[atRawAge] != 2 || band.values[atRawLate] != 1 {
			t.Errorf("%s: recorded %+v: want what the rig gave", what, band.raw)
		}
	}
	sound("a reading")
	if band.values[atFailed] != 0 {
		t.Error("a sound reading failed")
	}
	r.now = rths.Reading{Motion: rths.Motion{X: []float64{9, 9}, A: []float64{9}}, F: []float64{9}}
	r.err = errors.New("gone")
	if err := band.Read(&out); !errors.Is(err, r.err) || band.values[atFailed] != 1 {
		t.Errorf("%v, failed %g", err, band.values[atFailed])
	}
	sound("a reading that failed")
	r.err = nil
	if err := band.Read(&out); err != nil || band.values[atFailed] != 0 || out.Late || out.Age != 0 ||
		band.values[atRawLate] != 0 || out.X[0] != 8.75 {
		t.Errorf("the next: %v, %+v", err, out)
	}
	if err := band.Write([]float64{3, math.Copysign(0, -1)}); err != nil || r.told[0] != 3.25 || !math.Signbit(r.told[1]) {
		t.Errorf("told %g, %v: want 3.25 and -0", r.told, err)
	}
	if band.Unwrap() != any(r) {
		t.Error("the rig inside is another")
	}
}

// The columns of a tape have names of their own, and show what the tape holds.
func TestTapeChannels(t *testing.T) {
	band := newTape(&scripted{}, wire.Expectation{Sensors: rths.Sensors{X: 2, F: 1, A: 3}, RateHz: 100}, 0)
	units := map[string]string{}
	for _, c := range band.Channels() {
		if units[c.Name] != "" {
			t.Errorf("%s stands twice", c.Name)
		}
		units[c.Name] = c.Unit
	}
	if len(units) != channels+2+2+1+3 {
		t.Errorf("%d columns: want %d", len(units), channels+8)
	}
	for name, unit := range map[string]string{"phase": "-", "taken_at_s": "s", "raw_command_1_m": "m", "raw_2_m": "m",
		"raw_N": "N", "raw_3_m_s2": "m/s²"} {
		if units[name] != unit {
			t.Errorf("%s in %q: want %q", name, units[name], unit)
		}
	}
	now := int64(0)
	band.now = func() int64 { now += 5e8; return now }
	out := rths.Reading{Motion: rths.Motion{X: make([]float64, 2), A: make([]float64, 3)}, F: make([]float64, 1)}
	if err := errors.Join(band.Read(&out), band.Write([]float64{0, 0})); err != nil || band.values[atTaken] != 0.5 ||
		band.values[atLeft] != 1 {
		t.Errorf("taken at %g, left at %g s, %v: want 0.5, 1", band.values[atTaken], band.values[atLeft], err)
	}
}

// After a stall a command may be away from the one that acts by what the actuator moves in the time since that was
// known, and one sample; and one sample from the last one.
func TestPaceAfterAStall(t *testing.T) {
	const step, period = 0.25, 0.125 // m, s: exact in binary
	for _, c := range []struct {
		now  float64 // since the command that acts was known, s
		want float64
		sent float64
	}{
		{0, 9, 0.25}, {0, -9, -0.25}, {0, 0.25, 0.25}, {0, 0.125, 0.125}, {0, 0.25 * (1 + 1e-9), 0.25 * (1 + 1e-9)},
		{0, 0.25 * (1 + 2e-9), 0.25}, {period, 9, 0.25}, {10 * period, -9, -0.25}, {0, math.Inf(1), 0.25},
	} {
		p := newPace(1, step/period, 1/period)
		p.startAt([]float64{0})
		p.see(0, -1, 0)
		u := []float64{c.want}
		if p.hold(u, c.now); u[0] != c.sent {
			t.Errorf("%g m wanted after %g s: %g sent: want %g", c.want, c.now, u[0], c.sent)
		}
	}
	// Commands in a burst at one instant: all together a sample's way from the one that acts, and
	// at each later sample one more.
	p := newPace(1, step/period, 1/period)
	p.startAt([]float64{1})
	p.see(0, -1, 0)
	for k, want := range []float64{1.25, 1.25, 1.25, 1.5, 1.75, 2} {
		u := []float64{50}
		if p.hold(u, float64(max(0, k-2))*period); u[0] != want {
			t.Errorf("command %d: %g: want %g", k, u[0], want)
		}
	}
	// A reading that says that the last of these acts frees the next one; an old number, or a command
	// that was not sent, says nothing.
	for _, c := range []struct{ number, acted, want float64 }{{0, 5, 2.25}, {1, 99, 2.25}, {2, 5, 2.25}, {3, 5, 2.5}} {
		p.see(c.number, c.acted, 3*period)
		u := []float64{50}
		if p.hold(u, 3*period); u[0] > c.want {
			t.Errorf("reading %g, command %g acts: %g sent: want at most %g", c.number, c.acted, u[0], c.want)
		}
	}
}

// The command of a controller that does not say which one acts is taken to be the last one, half a second after the
// first.
func TestPaceOfASilentController(t *testing.T) {
	const step, period = 0.25, 0.125
	p := newPace(1, step/period, 1/period)
	p.startAt([]float64{0})
	reached := []float64{}
	for k := range 12 {
		now := float64(k) * period
		p.see(float64(k), -1, now)
		u := []float64{50}
		p.hold(u, now)
		reached = append(reached, u[0])
	}
	// Each reading comes with the present instant: until then no more than one sample from where it stood.
	want := []float64{.25, .25, .25, .25, .25, .5, .75, 1, 1.25, 1.5, 1.75, 2}
	if !slices.Equal(reached, want) {
		t.Errorf("%g: want %g", reached, want)
	}
	// One that says that the first command acts, and still does: the others have not arrived.
	p = newPace(1, step/period, 1/period)
	p.startAt([]float64{0})
	for k := range 12 {
		now := float64(k) * period
		p.see(float64(k), 0, now)
		u := []float64{50}
		if p.hold(u, now); u[0] > 2*step {
			t.Errorf("command %d: %g sent: want at most %g", k, u[0], 2*step)
		}
	}
}

// An actuator whose rate nobody states is not held back.
func TestPaceWithoutRate(t *testing.T) {
	p := newPace(2, 0, 100)
	u := []float64{1, -70}
	if p.hold(u, 0); !slices.Equal(u, []float64{1, -70}) {
		t.Errorf("%g", u)
	}
}

// The place where a specimen was last seen is in the last row of a record, whatever its columns are called beside.
func TestLastSeen(t *testing.T) {
	columns := []record.Column{
		{Unit: "m", Meaning: rths.Meaning{Quantity: raw, Axis: 1}},
		{Unit: "m", Meaning: rths.Meaning{Quantity: raw, Axis: 2}},
		{Unit: "N", Meaning: rths.Meaning{Quantity: raw}},
		{Unit: "m", Meaning: rths.Meaning{Quantity: rawCommand, Axis: 1}},
		{Unit: "m", Meaning: rths.Meaning{Quantity: rawCommand, Axis: 2}},
		{Unit: "m/s²", Meaning: rths.Meaning{Quantity: raw}}, {Name: "raw_age"}, {Name: "taken_at_s"},
		{Name: "raw_x_m", Unit: "m"},
	}
	r := lastSeen(columns, []float64{0.001, -0.002, 300, 0.004, 0.005, 9, 9, 1.5, 9}, 18)
	if r.AtRest || r.KnownS != 1 || !slices.Equal(r.X, []record.Number{0.001, -0.002}) ||
		!slices.Equal(r.F, []record.Number{300}) || !slices.Equal(r.Command, []record.Number{0.004, 0.005}) {
		t.Errorf("%+v", r)
	}
	if want := "nothing is known of the specimen since 1.000 s after the start; it read 1 mm, -2 mm, 300 N then: " +
		mustDo; r.Text != want {
		t.Errorf("%q: want %q", r.Text, want)
	}
	if r := lastSeen(nil, nil, 18); float64(r.KnownS) == float64(r.KnownS) ||
		!strings.Contains(r.Text, "nothing was measured of the specimen") {
		t.Errorf("without columns: %+v", r)
	}
}
