package wire

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"math"
	"os"
	"reflect"
	"rths"
	"strconv"
	"strings"
	"testing"

	"rths/kit/rthstest"
)

// golden is one datagram of testdata/datagrams.txt, by an independent program.
type golden struct {
	name   string
	key    []byte
	header Header
	body   []byte
	bytes  []byte
}

func goldens(t testing.TB) (out []golden) {
	t.Helper()
	text := rthstest.Must(os.ReadFile("testdata/datagrams.txt"))
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\n")
		switch {
		case line == "" || line[0] == '#':
		case line[0] != ' ':
			g := golden{}
			if name, ok := strings.CutSuffix(line, ", with the key"); ok {
				g.key = goldenKey
				line = name
			}
			g.name = line
			out = append(out, g)
		default:
			out[len(out)-1].add(t, strings.TrimSpace(line))
		}
	}
	if len(out) != 2*int(kinds-1) {
		t.Fatalf("%d datagrams: want one of each kind without the key and with it", len(out))
	}
	return out
}

var goldenKey = []byte("a key of the test, 32 bytes long")

// add takes a line: a field of the header, a field of the body, or bytes.
func (g *golden) add(t testing.TB, line string) {
	word, value, _ := strings.Cut(line, " ")
	value, _, _ = strings.Cut(value, "  #")
	if strings.HasSuffix(word, ":") {
		g.bytes = append(g.bytes, rthstest.Must(hex.DecodeString(strings.ReplaceAll(value, " ", "")))...)
		return
	}
	if size, ok := strings.CutPrefix(word, "text"); ok {
		field := make([]byte, rthstest.Must(strconv.Atoi(size)))
		copy(field, value)
		g.body = append(g.body, field...)
		return
	}
	h := reflect.ValueOf(&g.header).Elem()
	switch word {
	case "f64":
		g.body = binary.LittleEndian.AppendUint64(g.body, math.Float64bits(rthstest.Must(strconv.ParseFloat(value, 64))))
	case "u64":
		g.body = binary.LittleEndian.AppendUint64(g.body, rthstest.Must(strconv.ParseUint(value, 10, 64)))
	case "u8":
		g.body = append(g.body, byte(rthstest.Must(strconv.ParseUint(value, 10, 8))))
	default:
		field := h.FieldByNameFunc(func(name string) bool { return strings.EqualFold(name, word) })
		if field.CanInt() {
			field.SetInt(rthstest.Must(strconv.ParseInt(value, 10, 64)))
		} else {
			field.SetUint(rthstest.Must(strconv.ParseUint(value, 10, 64)))
		}
	}
}

// What an independent program makes of the page is what the codec makes of the same fields,
// and what the codec reads.
func TestGoldenDatagrams(t *testing.T) {
	for _, g := range goldens(t) {
		c := NewCodec(g.key)
		var buf [MostBytes]byte
		copy(c.Begin(buf[:], &g.header), g.body)
		if got := c.Seal(buf[:]); !bytes.Equal(got, g.bytes) {
			t.Errorf("%s, key %q:\n%x: want\n%x", g.name, g.key, got, g.bytes)
		}
		h, body, err := c.Open(g.bytes)
		if err != nil || h != g.header || !bytes.Equal(body, g.body) {
			t.Errorf("%s, key %q: opened as %+v, %x, %v: want %+v, %x", g.name, g.key, h, body, err, g.header, g.body)
		}
	}
}

// goldenInfo is the rig of the golden welcome.
func goldenInfo() Info {
	return Info{RateHz: 1024, WatchdogS: 0.25, Virtual: true, Name: "Prüfstand 2",
		X: []Channel{{0.1, 0.5, "m"}}, F: []Channel{{50000, 0, "N"}}, A: []Channel{{20, 0, "m/s²"}}}
}

// The bodies mean what their words say, both ways.
func TestGoldenBodies(t *testing.T) {
	for _, g := range goldens(t) {
		var got, want any
		again := make([]byte, len(g.body))
		switch g.header.Kind {
		case Hello:
			var w Expectation
			w.take(&g.header, g.body)
			w.put(again)
			got, want = w, Expectation{RateHz: 1024, Sensors: rths.Sensors{X: 1, F: 1, A: 1}, Program: "a loop"}
		case Welcome:
			var i Info
			if err := i.take(&g.header, g.body); err != nil {
				t.Error(err)
			}
			i.put(again)
			got, want = i, goldenInfo()
		case Bye:
			var c Counts
			c.take(g.body)
			c.put(again)
			got, want = c, Counts{Sent: 12, Received: 11, Repeated: 3, Old: 2, Bad: 1, Clipped: 5}
		default:
			continue
		}
		if !reflect.DeepEqual(got, want) || !bytes.Equal(again, g.body) {
			t.Errorf("%s: %+v: want %+v; written again %x: want %x", g.name, got, want, again, g.body)
		}
	}
}
