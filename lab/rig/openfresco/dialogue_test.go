package openfresco

import (
	"encoding/binary"
	"errors"
	"math"
	"strings"
	"testing"

	"rths"
	"rths/lab/numerical"
)

// header writes a header of 11 numbers.
func header(v ...int32) []byte {
	var b []byte
	for _, x := range v {
		b = binary.LittleEndian.AppendUint32(b, uint32(x))
	}
	return b
}

func TestHeader(t *testing.T) {
	for _, c := range []struct {
		b    []byte
		dof  int
		want string // part of the refusal; "": accepted
	}{
		{header(1, 1, 1, 0, 1, 0, 0, 0, 1, 0, 256), 1, ""}, // genericClient
		{header(3, 3, 3, 0, 1, 0, 0, 0, 3, 0, 256), 3, ""}, // of three degrees of freedom
		{header(4, 4, 4, 0, 0, 0, 0, 0, 4, 0, 256), 4, ""}, // the C client
		{header(1, 1, 1, 0, 1, 1, 1, 1, 1, 1, 256), 1, ""}, // all that there is
		{header(2, 0, 0, 0, 0, 2, 0, 0, 2, 0, 256), 2, ""}, // expControl GenericTCP
		{header(1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 2), 1, ""},   // the shortest
		{header(2, 2, 2, 0, 1, 0, 0, 0, 2, 0, 256), 1,
			"degrees of freedom: 2 in the element of the analysis (its header), 1 in structure.dof: want 1 in the -dof lists " +
				"of the element, or structure.dof: 2"},
		{header(2, 2, 2, 0, 1, 0, 0, 0, 1, 0, 256), 1, "2 displacements commanded: want 1"},
		{header(0, 0, 0, 1, 0, 1, 0, 0, 1, 0, 256), 1, "0 displacements commanded: want 1"},
		{header(1, 2, 1, 0, 1, 0, 0, 0, 1, 0, 256), 1,
			"2 velocities commanded: want 1, the degrees of freedom of the element (structure.dof), or 0"},
		{header(1, 1, 1, 0, 1, 0, 0, 0, 0, 0, 256), 1, "0 forces wanted: want 1"},
		{header(1, 1, 1, 1, 1, 0, 0, 0, 1, 0, 256), 1, "1 forces commanded"},
		{header(1, 1, 1, 0, 2, 0, 0, 0, 1, 0, 256), 1, "2 times commanded"},
		{header(1, 1, 1, 0, -1, 0, 0, 0, 1, 0, 256), 1, "-1 times commanded"},
		{header(1, 1, 1, 0, 1, 0, 0, 0, 1, 0, 4), 1, "messages of 4 numbers: want 5 to"},
		{header(1, 1, 1, 0, 1, 0, 0, 0, 1, 0, math.MaxInt32), 1, "messages of 2147483647 numbers"},
		{header(1, 1, 1, 0, 1, 0, 0, 0, 1, 0, -256), 1, "messages of -256 numbers"},
		{header(1<<24, 1<<24, 1<<24, 0, 1<<24, 0, 0, 0, 1<<24, 0, 1<<16), 1,
			"bytes are swapped (1 displacements and messages of 256 numbers"},
		{[]byte("GET / HTTP/1.1\r\nHost: 127.0.0.1:8090\r\nUser-A"), 1,
			`first bytes, "GET / HTTP/1", begin no header: want element genericClient`},
		{header(1<<24, 1<<24, 1<<24, 0, 1<<24, 0, 0, 0, 1<<24, 0, 0x10000000), 1,
			"bytes are swapped (1 displacements and messages of 16 numbers"},
		{header(-1, 1, 1, 0, 1, 0, 0, 0, 1, 0, 256), 1, "begin no header"},
		{header(1, 1, 1)[:12], 1, "header of 12 bytes"},
	} {
		_, err := parseHeader(c.b, c.dof)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("% x: %v: want %q", c.b, err, c.want)
		}
	}
}

// message is what a genericClient of one degree of freedom sends.
func message(code float64, v ...float64) []byte {
	b := make([]byte, number*256)
	setFloat(b, 0, code)
	for i, x := range v {
		setFloat(b, 1+i, x)
	}
	return b
}

func talk(t testing.TB, c *Config) *dialogue {
	t.Helper()
	n := int32(c.DOF)
	h, err := parseHeader(header(n, n, n, 0, 1, 0, 0, 0, n, 0, 256), c.DOF)
	if err != nil {
		t.Fatal(err)
	}
	return newDialogue(h, c)
}

func spring() *Config {
	return &Config{DOF: 1, Units: Units{1, 1}, Stiffness: []float64{100}}
}

// saying is a message, and what the server has to do.
type saying struct {
	code, x, time float64
	want          act
}

// follow wants a dialogue to go as it is written. After a motion the answer is a hundred times the displacement.
func follow(t *testing.T, name string, d *dialogue, list []saying) {
	t.Helper()
	now := rths.NewReading(1, 1)
	for i, s := range list {
		got, err := d.take(message(s.code, s.x, 0, 0, s.time))
		if err != nil || got != s.want {
			t.Fatalf("%s: message %d, %g of %g at %g s: %d, %v: want %d", name, i+1, s.code, s.x, s.time, got, err, s.want)
		}
		if got == move {
			now.X[0], now.F[0] = d.trial[0], 100*d.trial[0]
			d.put(&now)
		}
		if (got == move || got == answer) && s.code == getForce {
			if f := float(d.reply, 0); f != 100*d.trial[0] {
				t.Fatalf("%s: message %d: force %g at %g", name, i+1, f, d.trial[0])
			}
		}
	}
}

// The dialogues of OpenSees 3.8.0, as seen on the wire.
func TestDialogues(t *testing.T) {
	explicit := []saying{
		{setTrial, 0, 0, silent}, {setTrial, 0.1, 0.01, silent}, {getMass, 0, 0, answer}, {getDamp, 0, 0, answer},
		{getForce, 0, 0, move}, {getDamp, 0, 0, answer},
		{setTrial, 0.1, 0.01, silent}, {commit, 0, 0.01, silent},
		{setTrial, 0.3, 0.02, silent}, {getDamp, 0, 0, answer}, {getForce, 0, 0, move}, {setTrial, 0.3, 0.02, silent},
		{commit, 0, 0.02, silent},
		{getForce, 0, 0.02, answer}, // a recorder
	}
	newton := []saying{
		// the old displacement at the new time
		{setTrial, 0, 0.01, silent}, {tangentStiff, 0, 0, answer}, {getForce, 0, 0, answer},
		{setTrial, 0.2, 0.01, silent}, {getForce, 0, 0, move}, {tangentStiff, 0, 0, answer},
		{setTrial, 0.21, 0.01, silent}, {getForce, 0, 0, move}, {setTrial, 0.21, 0.01, silent}, {getForce, 0, 0, answer},
		{commit, 0, 0.01, silent},
		{setTrial, 0.21, 0.02, silent}, {initialStiff, 0, 0, answer}, {getForce, 0, 0, answer}, {setTrial, 0.4, 0.02, silent},
		{getForce, 0, 0, move}, {commit, 0, 0.02, silent},
	}
	d := talk(t, spring())
	follow(t, "explicit", d, explicit)
	if d.moved != 2 || d.steps != 2 || d.time != 0.02 {
		t.Errorf("explicit: %g motions, %g steps to %g s: want 2, 2, 0.02", d.moved, d.steps, d.time)
	}
	d = talk(t, spring())
	follow(t, "Newton", d, newton)
	if d.moved != 3 || d.steps != 2 {
		t.Errorf("Newton: %g motions, %g steps: want 3, 2", d.moved, d.steps)
	}
	// Others: an acquisition moves too, the quantities alone do not; words without an answer; words that nobody knows.
	d = talk(t, spring())
	follow(t, "others", d, []saying{
		{1, 0, 0, silent}, {4, 0, 0, silent}, {setTrial, 0.5, 0, silent}, {7, 0, 0, answer}, {acquire, 0, 0, move},
		{acquire, 0, 0, answer},
		{0, 0, 0, silent}, {50, 0, 0, silent}, {98, 0, 0, silent}, {4.2, 0, 0, silent}, {math.NaN(), 0, 0, silent},
		{math.Inf(1), 0, 0, silent}, {-3, 0, 0, silent}, {1e300, 0, 0, silent},
		// there and back before anybody asked
		{setTrial, 0.6, 0, silent}, {setTrial, 0.5, 0, silent}, {getForce, 0, 0, answer},
		{die, 0, 0, end},
	})
	if d.unknown != 8 {
		t.Errorf("%d words that nobody knows: want 8", d.unknown)
	}
}

// In real time a step has one motion.
func TestOneMotion(t *testing.T) {
	c := spring()
	c.OneMotion = true
	d := talk(t, c)
	follow(t, "one motion", d, []saying{{setTrial, 1, 0.01, silent}, {getForce, 0, 0, move}, {commit, 0, 0, silent},
		{setTrial, 2, 0.02, silent}, {getForce, 0, 0, move}, {setTrial, 3, 0.02, silent}})
	if _, err := d.take(message(getForce)); !errors.Is(err, numerical.TwoMotion.Err()) {
		t.Errorf("a second motion: %v", err)
	}
}

// A displacement that is not finite, in the analysis or in metres, goes no further.
func TestNotFinite(t *testing.T) {
	for _, x := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), 1e300, -2e9} {
		d := talk(t, spring())
		if _, err := d.take(message(setTrial, x, 0, 0, 1)); !errors.Is(err, numerical.NotFinite.Err()) || d.trial[0] != 0 {
			t.Errorf("%g: %v, trial %g", x, err, d.trial[0])
		}
	}
	c := spring()
	c.Units.Length = 1000
	if _, err := talk(t, c).take(message(setTrial, 1e308)); !errors.Is(err, numerical.NotFinite.Err()) {
		t.Errorf("overflow: %v", err)
	}
	d := talk(t, spring()) // rates are not used
	if got, err := d.take(message(setTrial, 1, math.NaN(), math.NaN(), math.NaN())); got != silent || err != nil ||
		d.time != 0 {
		t.Errorf("rates: %d, %v, time %g", got, err, d.time)
	}
}

// Matrices go by columns, in the client's units, and one that nobody knows is refused.
func TestMatrices(t *testing.T) {
	c := &Config{DOF: 2, Units: Units{Length: 0.001, Force: 1000}, Stiffness: []float64{1e6, 2e6, 3e6, 4e6},
		Damping: []float64{0, 5e6, 0, 0}}
	d := talk(t, c)
	read := func(code float64) (out [4]float64) {
		m := message(code)
		if what, err := d.take(m); what != answer || err != nil {
			t.Fatal(what, err)
		}
		for i := range out {
			out[i] = float(d.replyTo(m), i)
		}
		return out
	}
	// kN/mm
	for code, want := range map[float64][4]float64{initialStiff: {1, 3, 2, 4}, tangentStiff: {1, 3, 2, 4},
		getDamp: {0, 0, 5, 0}, getMass: {}} {
		if got := read(code); got != want {
			t.Errorf("code %g: %v: want %v", code, got, want)
		}
	}
	d = talk(t, &Config{DOF: 1, Units: Units{1, 1}})
	if _, err := d.take(message(tangentStiff)); err == nil || !strings.Contains(err.Error(), "structure.stiffness") {
		t.Errorf("no stiffness: %v", err)
	}
	if what, err := d.take(message(getDamp)); what != answer || err != nil {
		t.Errorf("no damping: %v: want zeros", err)
	}
}

// The answer has all that the header wants, in its order and in the client's units.
func TestAnswer(t *testing.T) {
	h, err := parseHeader(header(2, 2, 2, 0, 1, 2, 2, 2, 2, 1, 256), 2)
	if err != nil {
		t.Fatal(err)
	}
	d := newDialogue(h, &Config{DOF: 2, Units: Units{Length: 0.5, Force: 4}})
	_, _ = d.take(message(setTrial, 1, 2, 0, 0, 0, 0, 7))
	now := rths.NewReading(2, 2)
	copy(now.X, []float64{1, 2})
	copy(now.F, []float64{12, 16})
	d.put(&now)
	for i, want := range []float64{2, 4, 0, 0, 0, 0, 3, 4, 7, 0} {
		if got := float(d.reply, i); got != want {
			t.Errorf("place %d: %g: want %g", i, got, want)
		}
	}
}

// FuzzClient is a client that sends anything: the server refuses it or goes on, and no displacement that is not finite
// gets through.
func FuzzClient(f *testing.F) {
	f.Add(uint8(1), header(1, 1, 1, 0, 1, 0, 0, 0, 1, 0, 256), message(setTrial, 1))
	f.Add(uint8(1), header(1, 1, 1, 0, 1, 0, 0, 0, 1, 0, 5),
		[]byte("\x00\x00\x00\x00\x00\x00\x08\x40\x00\x00\x00\x00\x00\x00\xf8\x7f\x00\x00\x00\x00\x00\x00\xf8\x7f"))
	f.Add(uint8(4), header(4, 4, 4, 0, 0, 0, 0, 0, 4, 0, 16), message(tangentStiff))
	f.Fuzz(func(t *testing.T, dof uint8, head, body []byte) {
		c := &Config{DOF: max(1, int(dof)%65), Units: Units{0.0254, 4448}, OneMotion: dof > 100}
		if dof%2 == 0 {
			c.Stiffness = make([]float64, c.DOF*c.DOF)
		}
		h, err := parseHeader(head, c.DOF)
		if err != nil {
			return
		}
		d := newDialogue(h, c)
		now := rths.NewReading(c.DOF, c.DOF)
		for size := number * h.Size; len(body) > 0; body = body[min(len(body), size):] {
			m := make([]byte, size)
			copy(m, body)
			what, err := d.take(m)
			if err != nil {
				return
			}
			switch what {
			case move:
				for _, x := range d.trial {
					if !rths.Finite(x * c.Units.Length) {
						t.Fatalf("%g got through", x)
					}
				}
				d.put(&now)
			case answer:
				if len(d.replyTo(m)) != size {
					t.Fatal("a reply of another length")
				}
			}
		}
	})
}
