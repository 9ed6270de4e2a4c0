package page

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"rths/result/record"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const plainScenario = `name: plain
rate_hz: 256
ground: {kind: sine, frequency_hz: 2, amplitude_m_s2: 1, duration_s: 2}
structure: {kind: shear, masses: [1000], stiffnesses: [1e6], damping: {modal_ratio: [0.02]}}
specimen: {kind: linear, mass: 10, damping: 100, stiffness: 1e5}
transfer: {kind: second-order, stroke_m: 0.05, rate_m_s: 0.5}
compensator: {kind: none}
limits: [{channel: measured_m, trip: 0.02, warn: 0.01}, {channel: error_m, trip: 0.005}, {channel: command_rate_m_s, trip: 10}]
`

// plainTest is a test with the columns of a run.
func plainTest(t testing.TB) *Test {
	t.Helper()
	m := &record.Manifest{Name: "plain", RateHz: 256, Scenario: plainScenario, Folder: t.TempDir()}
	for _, c := range [][2]string{{"time_s", "s"}, {"target_m", "m"}, {"measured_m", "m"}, {"command_m", "m"},
		{"force_N", "N"}, {"late", "-"}, {"guard_state", "-"}, {"error_m", "m"}, {"command_rate_m_s", "m/s"}} {
		m.Columns = append(m.Columns, record.Column{Name: c[0], Unit: c[1], Source: "frame"})
	}
	return &Test{Manifest: m, Samples: 512, Virtual: true}
}

// rowAt is a row of a sine, with a spike of one sample in the measured displacement.
func rowAt(k, spike int) []float64 {
	const w = 2 * math.Pi * 2
	x, v := 0.004*math.Sin(w*float64(k)/256), 0.004*w*math.Cos(w*float64(k)/256)
	measured := x
	if k == spike {
		measured = 0.0195
	}
	return []float64{float64(k) / 256, x, measured, x, 1e5 * x, 0, 2, math.Abs(measured - x), v}
}

// opened is a page that listens, with its hub and its feed.
type opened struct {
	*testing.T
	*Server
	feed  *Feed
	stops chan string
}

func open(t *testing.T, change func(*Config)) *opened {
	t.Helper()
	o := &opened{T: t, stops: make(chan string, 8)}
	c := Config{Address: "127.0.0.1:0", Hub: NewHub(nil), Ask: true, Stop: func(who string) { o.stops <- who }}
	if change != nil {
		change(&c)
	}
	s, err := Listen(c)
	if err != nil {
		t.Fatal(err)
	}
	o.Server = s
	t.Cleanup(func() { c.Hub.Close(); s.Close(); http.DefaultClient.CloseIdleConnections() })
	if o.feed, err = c.Hub.Begin(plainTest(t)); err != nil {
		t.Fatal(err)
	}
	return o
}

// frames reads events from a connection until one pleases.
func (o *opened) until(in *bufio.Scanner, pleases func(kind string, data map[string]any) bool) {
	o.Helper()
	kind := ""
	for in.Scan() {
		line := in.Text()
		if of, ok := strings.CutPrefix(line, "event: "); ok {
			kind = of
		}
		text, ok := strings.CutPrefix(line, "data: ")
		if !ok {
			continue
		}
		var data map[string]any
		if err := json.Unmarshal([]byte(text), &data); err != nil {
			o.Fatalf("event %s: %v\n%.300s", kind, err, text)
		}
		if pleases(kind, data) {
			return
		}
	}
	o.Fatalf("the events ended: %v", in.Err())
}

func (o *opened) events() (*bufio.Scanner, func()) {
	o.Helper()
	r, err := http.Get("http://" + o.Address() + "/events")
	if err != nil {
		o.Fatal(err)
	}
	in := bufio.NewScanner(r.Body)
	in.Buffer(nil, 16<<20)
	return in, func() { r.Body.Close() }
}

// number is a number within a list within data.
func number(v any, path ...int) float64 {
	for _, i := range path {
		l, ok := v.([]any)
		if !ok || i >= len(l) {
			return math.NaN()
		}
		v = l[i]
	}
	x, ok := v.(float64)
	if !ok {
		return math.NaN()
	}
	return x
}

// A viewer that comes late gets the whole test, with the spike of one sample; so does one that was there.
func TestViewersGetTheSpike(t *testing.T) {
	o := open(t, nil)
	highest := func(bins any) float64 {
		most := 0.0
		list, _ := bins.([]any)
		for i := range list {
			most = math.Max(most, number(bins, i, 2+2*2+1)) // measured is the third quantity
		}
		return most
	}
	in, end := o.events()
	defer end()
	o.until(in, func(kind string, data map[string]any) bool { return kind == "hello" && data["about"] != nil })
	go func() {
		for k := range 6000 {
			o.feed.Row(rowAt(k, 3001))
			if k%50 == 49 {
				o.feed.Show(Now{Word: "RUNNING", Tick: k})
				time.Sleep(time.Millisecond)
			}
		}
		for range 50 { // what was handed over too late before
			o.feed.Show(Now{Word: "RUNNING", Tick: 6000})
			time.Sleep(time.Millisecond)
		}
	}()
	var live, worst float64
	o.until(in, func(kind string, data map[string]any) bool {
		live = math.Max(live, highest(data["bins"]))
		worst = number(data["worst"], 0)
		return kind == "frame" && number(data["rows"]) == 6000
	})
	if live != 19.5 || worst != 19.5 {
		t.Errorf("frames have at most %g mm, the bar %g: want the spike of 19.5 mm", live, worst)
	}
	late, end2 := o.events()
	defer end2()
	o.until(late, func(kind string, data map[string]any) bool {
		whole, _ := data["whole"].([]any)
		if got := highest(data["whole"]); got != 19.5 || len(whole) < 500 || len(whole) > historyBins {
			t.Errorf("history of %d bins up to %g mm: want at most %d with the spike of 19.5 mm", len(whole), got, historyBins)
		}
		return true
	})
}

// A viewer that stops reading: rows and the other viewer go on, its frames are dropped and counted, and it is let go.
func TestViewerThatStopsReading(t *testing.T) {
	o := open(t, nil)
	c, err := net.Dial("tcp", o.Address())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_ = c.(*net.TCPConn).SetReadBuffer(1024)
	fmt.Fprintf(c, "GET /events HTTP/1.1\r\nHost: %s\r\n\r\n", o.Address())
	in, end := o.events()
	defer end()
	o.until(in, func(kind string, data map[string]any) bool { return kind == "frame" && number(data["viewers"]) == 2 })
	k := 0
	feed := func() { // full frames fill the buffers between; rows that waited for the viewer would wait for ever
		for range 1024 {
			o.feed.Row(rowAt(k, -1))
			if k%64 == 0 {
				o.feed.Show(Now{Word: "RUNNING", Tick: k})
			}
			k++
		}
	}
	o.until(in, func(kind string, data map[string]any) bool {
		feed()
		return number(data["dropped"]) > 20
	})
	if got := o.feed.row; got != k {
		t.Errorf("%d rows: want %d", got, k)
	}
	o.until(in, func(kind string, data map[string]any) bool { return number(data["viewers"]) == 1 })
}

// A feed whose hub is busy keeps its rows in bounded memory, and loses no extreme.
func TestFeedWhileTheHubIsBusy(t *testing.T) {
	h := NewHub(nil)
	defer h.Close()
	f, err := h.Begin(plainTest(t))
	if err != nil {
		t.Fatal(err)
	}
	h.mail.Lock()
	for k := range 100000 {
		f.Row(rowAt(k, 77777))
		f.Show(Now{})
	}
	n := len(f.pending.all())
	h.mail.Unlock()
	most := 0.0
	for _, b := range f.pending.all() {
		most = math.Max(most, b[7])
	}
	if n > pendingMax || math.Abs(most-19.5) > 1e-9 {
		t.Errorf("%d bins up to %g mm: want at most %d with the spike of 19.5 mm", n, most, pendingMax)
	}
}

// Rows allocate nothing.
func TestRowsAllocateNothing(t *testing.T) {
	h := NewHub(nil)
	defer h.Close()
	f, err := h.Begin(plainTest(t))
	if err != nil {
		t.Fatal(err)
	}
	row, k := rowAt(100, -1), 0
	if n := testing.AllocsPerRun(2000, func() { f.Row(row); k++ }); n != 0 {
		t.Errorf("%g allocations in a row", n)
	}
}

// The bars: peak, largest of the test, velocities, and what has acted first.
func TestBarsAndFirstCause(t *testing.T) {
	h := NewHub(nil)
	defer h.Close()
	f, err := h.Begin(plainTest(t))
	if err != nil {
		t.Fatal(err)
	}
	for k := range 100 {
		f.Row(rowAt(k, -1))
	}
	w := 2 * math.Pi * 2
	if got, want := f.levels[2].worst, 1e3*0.004*w; math.Abs(got-want) > 0.01*want {
		t.Errorf("largest rate of the command %g mm/s: want %g within 1 %%", got, want)
	}
	if len(f.notes) != 0 {
		t.Errorf("notes %q: want none below 10 mm", f.notes)
	}
	warned := rowAt(100, -1)
	warned[2] = 0.0125
	f.Row(warned)
	f.Row(warned)
	if want := []string{"warning: measured is 12.5 mm, warning level 10 mm"}; !slices.Equal(f.notes, want) {
		t.Errorf("notes %q: want %q", f.notes, want)
	}
	if f.summary.cause != "" {
		t.Errorf("cause %q before anything has acted", f.summary.cause)
	}
	row := rowAt(100, -1)
	row[2], row[7] = row[2]+0.006, 0.006
	f.Row(row)
	row[6] = holding + 1
	f.Row(row)
	if want := "error is 6 mm, limit 5 mm"; f.summary.cause != want {
		t.Errorf("first cause %q: want %q", f.summary.cause, want)
	}
	row[2], row[7] = row[2]+0.02, 0.026
	f.Row(row)
	if !strings.HasPrefix(f.summary.cause, "error") {
		t.Errorf("a later crossing has changed the first cause: %q", f.summary.cause)
	}
}

// A value that is not a number takes nothing away from the largest one of the test.
func TestBarsKeepTheLargest(t *testing.T) {
	h := NewHub(nil)
	defer h.Close()
	f, err := h.Begin(plainTest(t))
	if err != nil {
		t.Fatal(err)
	}
	row := rowAt(0, -1)
	for _, x := range []float64{0.01, -0.03, math.NaN(), 0.02} {
		row[2] = x
		f.Row(row)
	}
	if l := f.levels[0]; l.worst != 30 || l.value != 20 {
		t.Errorf("now %g mm, largest %g mm: want 20 and 30", l.value, l.worst)
	}
}

// The end of a test is drawn, though its last bin is not full; and a state is not lost while the hub is busy.
func TestLastRowIsDrawn(t *testing.T) {
	o := open(t, nil)
	for k := range 257 { // bins of 2 rows
		o.feed.Row(rowAt(k, 256))
	}
	o.Hub.mail.Lock()
	o.feed.Show(Now{Word: "HOLDING"})
	o.Hub.mail.Unlock()
	o.feed.Flush()
	o.feed.Flush() // has nothing more
	o.Hub.Conclude("", "", Verdict{Status: "completed"})
	in, end := o.events()
	defer end()
	o.until(in, func(kind string, data map[string]any) bool {
		if kind != "frame" {
			return false
		}
		now, _ := data["now"].(map[string]any)
		if now["Word"] != "HOLDING" || !(math.Abs(number(data["worst"], 0)-19.5) <= 1e-9) {
			t.Errorf("state %v, largest %v mm: want HOLDING and 19.5", now["Word"], number(data["worst"], 0))
		}
		return true
	})
	if b := o.Hub.whole.bins[o.Hub.whole.used-1]; !(math.Abs(b[7]-19.5) <= 1e-9) {
		t.Errorf("the last bin goes up to %g mm: want 19.5", b[7])
	}
}

// The page's share of a tick of a virtual run, or of a row of the supervisor.
func BenchmarkRow(b *testing.B) {
	h := NewHub(nil)
	defer h.Close()
	f, err := h.Begin(plainTest(b))
	if err != nil {
		b.Fatal(err)
	}
	row, k := rowAt(100, -1), 0
	for b.Loop() {
		f.Row(row)
		if k++; k%80 == 0 {
			f.Show(Now{Word: "RUNNING"})
		}
	}
}
