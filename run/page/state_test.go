package page

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"rths/kit/rthstest"
	"rths/lab/realtime"
	"rths/lab/rig"
	"rths/result/record"
)

// quiet is a hub that sends nothing by itself, with a test: take gives what it would send.
func quiet(t *testing.T) (*Hub, *Feed) {
	t.Helper()
	h := newHub(nil)
	return h, rthstest.Must(h.Begin(plainTest(t)))
}

func texts(log []line) (out []string) {
	for _, l := range log {
		out = append(out, l.Text)
	}
	return out
}

// A frame says how the test goes, who has armed it and what it has come to; the next test begins without them.
func TestFramesSayHowTheTestGoes(t *testing.T) {
	h, _ := quiet(t)
	f, _, changed := h.take()
	if !changed || f.Number != 1 || f.Now.Word != "DISARMED" || f.Free != -1 || f.Verdict != nil || f.Armed != "" ||
		!slices.Equal(texts(f.Log), []string{"DISARMED"}) {
		t.Errorf("the first frame: %+v, changed %t", f, changed)
	}
	h.Armed("Ada")
	for _, c := range []struct {
		word   string
		moving bool
		log    []string
	}{{"ARMED", false, []string{"ARMED"}}, {"RUNNING", true, []string{"RUNNING"}}, {"RUNNING", true, nil},
		{"HOLDING", true, []string{"HOLDING"}}, {"RAMPING", true, []string{"RAMPING"}}} {
		h.Show(Now{Word: c.word, Tick: 7})
		f, _, changed := h.take()
		if changed || f.Now.Word != c.word || f.Now.Tick != 7 || f.Armed != "Ada" || !slices.Equal(texts(f.Log), c.log) ||
			h.moving() != c.moving {
			t.Errorf("%s: %+v, moving %t", c.word, f, h.moving())
		}
	}
	h.Conclude("TRIPPED", "go on", Verdict{Status: "tripped", Cause: "error"})
	if f, _, _ := h.take(); f.Now.Word != "TRIPPED" || f.Now.Phase != "tripped" || f.Now.Next != "go on" ||
		f.Now.Tick != 7 || f.Verdict.Cause != "error" || f.Verdict.Ended || h.moving() || h.reports() != nil {
		t.Errorf("concluded: %+v, verdict %+v", f.Now, f.Verdict)
	}
	h.Conclude("", "", Verdict{Status: "completed", Report: true})
	h.Show(Now{Word: "RUNNING"}) // as a straggler says
	if f, _, _ := h.take(); f.Verdict.Status != "completed" || h.moving() || h.reports() == nil {
		t.Errorf("concluded: verdict %+v, moving %t", f.Verdict, h.moving())
	}
	h.Over()
	if f, _, _ := h.take(); f.Now.Next != "nothing: the test has ended" || f.Verdict.Status != "completed" ||
		!f.Verdict.Ended {
		t.Errorf("over: %+v, verdict %+v", f.Now, f.Verdict)
	}
	rthstest.Must(h.Begin(plainTest(t)))
	if f, _, changed := h.take(); !changed || f.Verdict != nil || f.Armed != "" || f.Rows != 0 {
		t.Errorf("the next test begins with %+v", f)
	}

	early, _ := quiet(t)
	early.Over()
	if f, _, _ := early.take(); f.Verdict.Status != "not begun" || !f.Verdict.Ended || f.Verdict.Values == nil {
		t.Errorf("over before its begin: %+v", f.Verdict)
	}
}

// The verdict of a manifest has its numbers in the order of the record.
func TestVerdictOfAManifest(t *testing.T) {
	m := &record.Manifest{
		Status: "tripped", Reason: "a limit", Test: &record.Test{Cause: "error is 6 mm"},
		Criteria: record.Values{{Name: "J2_pct", V: 1.23456, Unit: "%"}}, Indicators: record.Values{{Name: "sw_pct",
			V: 100000}},
		Compensator: record.Values{{Name: "a0", V: 0.5}},
	}
	want := Verdict{Status: "tripped", Reason: "a limit", Cause: "error is 6 mm", Report: true,
		Values: []Value{{"J2", 1.23456, "%"}, {"sw_pct", 100000, ""}, {"a0", 0.5, ""}}}
	if got := VerdictOf(m, true); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v: want %+v", got, want)
	}
}

// The words of a verdict come later, and stay when the session ends. A test that has begun since gets none of them.
func TestWordsOfAVerdict(t *testing.T) {
	h, _ := quiet(t)
	of := h.of.Load()
	h.Conclude("DISARMED", "END", Verdict{Status: "completed"})
	h.Word(of, "Completed: well.")
	h.Conclude("DISARMED", "", Verdict{Status: "completed"})
	h.Over()
	if f, _, _ := h.take(); f.Verdict.Words != "Completed: well." || !f.Verdict.Ended {
		t.Errorf("verdict %+v: want the words, and the end", f.Verdict)
	}
	rthstest.Must(h.Begin(plainTest(t)))
	h.Word(of, "late")
	h.Conclude("DISARMED", "", Verdict{Status: "completed"})
	h.Word(of, "late")
	if f, _, _ := h.take(); f.Verdict.Words != "" {
		t.Errorf("the next test has the words %q of the one before", f.Verdict.Words)
	}
}

// Bars of cycle times that touch are joined while they are short; a gap stays a gap.
func TestBarsOfCycles(t *testing.T) {
	d := realtime.Distribution{Count: 17, Bins: realtime.Bins{{FromUs: 10, ToUs: 11, Count: 1},
		{FromUs: 500, ToUs: 501, Count: 2}, {FromUs: 501, ToUs: 502, Count: 4}, {FromUs: 900, ToUs: 1000, Count: 10}}}
	c := cycle(&realtime.Timing{Execution: d}, 1000)
	if !slices.Equal(c.From, []float64{10, 500, 900}) || !slices.Equal(c.To, []float64{11, 502, 1000}) ||
		!slices.Equal(c.Count, []float64{1, 6, 10}) {
		t.Errorf("bars %+v: want 10 to 11, 500 to 502, 900 to 1000 µs", c)
	}
}

// The log is numbered, and where lines are too many the newest stay, also while nobody looks. A line is
// short and has whole characters.
func TestLog(t *testing.T) {
	h, _ := quiet(t)
	h.take()
	for k := range logLines + 5 {
		h.Say(fmt.Sprint(k))
	}
	f, _, _ := h.take()
	if n := len(f.Log); n != logLines || f.Log[0].Text != "5" || f.Log[n-1].Text != fmt.Sprint(logLines+4) ||
		f.Log[n-1].N != logLines+6 {
		t.Errorf("%d lines from %+v: want the newest %d", n, f.Log[0], logLines)
	}
	if h.log[0].Text != "5" || len(h.log) != logLines { // the line before, DISARMED, has made room
		t.Errorf("the history of the log has %d lines from %+v: want %d", len(h.log), h.log[0], logLines)
	}
	h.Say("one more")
	if f, _, _ := h.take(); len(f.Log) != 1 || f.Log[0].N != logLines+7 || h.log[len(h.log)-1] != f.Log[0] ||
		len(h.log) != logLines {
		t.Errorf("one more line: %+v, in all %d", f.Log, len(h.log))
	}
	h.Say(strings.Repeat("m", lineBytes))
	h.Say("m" + strings.Repeat("ü", lineBytes))
	f, _, _ = h.take()
	if got := f.Log[0].Text; got != strings.Repeat("m", lineBytes) {
		t.Errorf("a line of %d bytes has become %d", lineBytes, len(got))
	}
	if got := f.Log[1].Text; !utf8.ValidString(got) || !strings.HasSuffix(got, "ü …") || len(got) > lineBytes+len(" …") ||
		len(got) < lineBytes-1 {
		t.Errorf("a line of %d bytes that ends in %q", len(got), got[len(got)-8:])
	}
}

// The bar of a limit has the largest value since the frame before, which is the present one where no row has come; the
// largest of the test stays.
func TestBarsOfFrames(t *testing.T) {
	h, f := quiet(t)
	h.take()
	give := func(measured ...float64) {
		row := rowAt(0, -1)
		for _, x := range measured {
			row[2] = x
			f.Row(row)
		}
		f.Show(Now{Word: "RUNNING"})
	}
	for _, c := range []struct {
		rows        []float64
		peak, worst float64
	}{{[]float64{0.002, 0.005, 0.001}, 5, 5}, {nil, 1, 5}, {[]float64{0.003}, 3, 5}, {[]float64{0.002, -0.007}, 7, 7},
		{nil, 7, 7}, {[]float64{0.001}, 7, 7}, {[]float64{0.001}, 1, 7}} {
		give(c.rows...)
		frame, _, _ := h.take()
		if math.Abs(frame.peak[0]-c.peak) > 1e-9 || math.Abs(frame.worst[0]-c.worst) > 1e-9 {
			t.Errorf("behind %v m: peak %g, largest %g mm: want %g and %g", c.rows, frame.peak[0], frame.worst[0], c.peak,
				c.worst)
		}
	}
	give(0.004)
	give(0.001)
	if frame, _, _ := h.take(); math.Abs(frame.peak[0]-4) > 1e-9 || frame.Rows != 10 || math.Abs(frame.T-9./256) > 1e-12 ||
		math.Abs(frame.values[2]-1) > 1e-9 {
		t.Errorf("two parts behind one frame: peak %g mm in %d rows until %g s, now %g mm: want 4 in 10 until 9/256 s, 1",
			frame.peak[0], frame.Rows, frame.T, frame.values[2])
	}
}

// The first bin and all others have the values of their own rows alone, and their times.
func TestBinsOfAFeed(t *testing.T) {
	h, f := quiet(t)
	h.take()
	row := rowAt(0, -1)
	for k := range 4 { // bins of 2 rows
		row[1], row[2], row[4] = 0.003, 0.002+0.001*float64(k), 500
		f.Row(row)
	}
	f.Show(Now{})
	_, bins, _ := h.take()
	if len(bins) != 2 {
		t.Fatalf("%d bins: want 2", len(bins))
	}
	for i, b := range bins {
		k := 2 * float64(i)
		for name, want := range map[string][2]float64{"target": {3, 3}, "measured": {2 + k, 3 + k}, "error": {k - 1, k},
			"force": {0.5, 0.5}} {
			q := quantity(f, name)
			if got := [2]float64{b[2+2*q], b[3+2*q]}; math.Abs(got[0]-want[0]) > 1e-9 || math.Abs(got[1]-want[1]) > 1e-9 {
				t.Errorf("bin %d: %s from %g to %g: want %v", i, name, got[0], got[1], want)
			}
		}
		if b[0] != k/256 || b[1] != (k+1)/256 {
			t.Errorf("bin %d goes from %g to %g s", i, b[0], b[1])
		}
	}
	f.Show(Now{})
	if _, bins, _ := h.take(); len(bins) != 0 {
		t.Errorf("%d bins without a row: want none", len(bins))
	}
	f.Row(row)
	f.Row(row)
	f.Show(Now{})
	if _, bins, _ := h.take(); len(bins) != 1 || bins[0][0] != 4./256 || len(h.newest.all()) != 3 ||
		len(h.whole.all()) != 3 {
		t.Errorf("bins %v behind two more rows: want one that begins with the first of them, and three in all", bins)
	}
}

// Late rows are counted, and the most of them in a row.
func TestLateRows(t *testing.T) {
	h, f := quiet(t)
	for _, late := range []float64{1, 0, 1, 1, 1, 0, 1, 1} {
		row := rowAt(0, -1)
		row[5] = late
		f.Row(row)
	}
	f.Show(Now{})
	if frame, _, _ := h.take(); frame.Late != 6 || frame.MostLate != 3 {
		t.Errorf("%d late rows, %d of them in a row: want 6 and 3", frame.Late, frame.MostLate)
	}
}

// The first cause is the one who has asked for the end from outside, else the limit that is passed by the most, else
// a cause that no limit shows. A limit that only indicates is no cause.
func TestFirstCause(t *testing.T) {
	for _, c := range []struct {
		asked          float64
		measured, errs float64 // m
		action         string
		want           string
	}{
		{0, 0.02, 0.004, "ramp", "measured is 20 mm, limit 20 mm"},
		{0, 0.03, 0.01, "ramp", "error is 10 mm, limit 5 mm"},
		{0, 0.05, 0.01, "ramp", "measured is 50 mm, limit 20 mm"},
		{0, 0.05, 0.01, "indicate", "error is 10 mm, limit 5 mm"},
		{0, 0.0199, 0.0049, "ramp", "readings were missing or late, or a value was not finite"},
		{1, 0.05, 0.01, "ramp", "the operator stopped the test"},
		{5, 0.05, 0.01, "ramp", "the process of the loop was told to end"},
		{6, 0.05, 0.01, "ramp", "measured is 50 mm, limit 20 mm"},
		{-1, 0.05, 0.01, "ramp", "measured is 50 mm, limit 20 mm"},
	} {
		h := newHub(nil)
		of := plainTest(t)
		of.Manifest.Columns = append(of.Manifest.Columns, record.Column{Name: "asked"})
		f := rthstest.Must(h.Begin(of))
		f.about.Limits[0].Action = c.action
		row := append(rowAt(0, -1), c.asked)
		row[2], row[7], row[8], row[6] = c.measured, c.errs, 0, holding-1
		if f.Row(row); f.summary.cause != "" {
			t.Errorf("cause %q before the guard acts", f.summary.cause)
		}
		row[6] = holding
		f.Row(row)
		f.Show(Now{})
		frame, _, _ := h.take()
		if frame.Cause != c.want || !slices.Contains(texts(frame.Log), "first cause: "+c.want) {
			t.Errorf("%+v: cause %q, log %q", c, frame.Cause, texts(frame.Log))
		}
		f.Row(row)
		f.Show(Now{})
		if again, _, _ := h.take(); again.Cause != c.want || len(again.Log) > 0 {
			t.Errorf("%+v: one row later cause %q, log %q: want it said once", c, again.Cause, texts(again.Log))
		}
	}
}

// The guard's states from holding on are those in which it acts.
func TestHoldingIsTheGuards(t *testing.T) {
	if holding != rig.Holding {
		t.Errorf("holding is %d: want the guard's %d", holding, rig.Holding)
	}
}

// A value that JSON cannot hold is null to a browser, and the event goes on after it.
func TestNoJSON(t *testing.T) {
	if got := string(appendJSON([]byte("data: "), math.NaN())); got != "data: null" {
		t.Errorf("%q", got)
	}
}

// A frame is an event with one line of JSON; what is not finite is null, and numbers have seven digits.
func TestTextOfAFrame(t *testing.T) {
	f := &frame{Number: 3, values: []float64{1.0 / 3, math.NaN(), 1e-9}, peak: []float64{math.Inf(-1)}, worst: nil}
	head, data, ok := bytes.Cut(f.text([]bin{{1, 2}, {3, math.Inf(1)}}), []byte("\ndata: "))
	if !ok || string(head) != "event: frame" || !bytes.HasSuffix(data, []byte("}\n\n")) ||
		bytes.Count(data, []byte("\n")) != 2 {
		t.Fatalf("%q", data)
	}
	var got map[string]any
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"n": 3.0, "values": []any{0.3333333, nil, 1e-9}, "peak": []any{nil}, "worst": []any{},
		"bins": []any{[]any{1.0, 2.0}, []any{3.0, nil}}}
	for name, v := range want {
		if !reflect.DeepEqual(got[name], v) {
			t.Errorf("%s is %v: want %v", name, got[name], v)
		}
	}
}

// A viewer gets the history first, then frames; one whose queue is full loses frames until the history is due
// again and it has read what it has.
func TestOffers(t *testing.T) {
	h, _ := quiet(t)
	h.take()
	v := &viewer{queue: make(chan []byte, 2)}
	next := func() string {
		select {
		case text := <-v.queue:
			kind, _, _ := strings.Cut(strings.TrimPrefix(string(text), "event: "), "\n")
			return kind
		default:
			return "nothing"
		}
	}
	offer := func(fresh bool) { h.offer(v, []byte("event: frame\n"), fresh) }
	want := func(of ...string) {
		t.Helper()
		for _, kind := range of {
			if got := next(); got != kind {
				t.Errorf("got %s: want %s", got, kind)
			}
		}
	}
	offer(true)
	offer(false)
	offer(false) // no place
	if !v.behind || v.dropped != 1 || h.dropped.Load() != 1 {
		t.Errorf("behind %t, %d and %d frames lost: want one", v.behind, v.dropped, h.dropped.Load())
	}
	want("hello", "frame", "nothing")
	offer(false) // it has had the history lately
	want("nothing")
	v.synced = v.synced.Add(-resyncEvery)
	offer(false)
	want("hello", "nothing")
	if v.behind || v.dropped != 2 || h.dropped.Load() != 2 {
		t.Errorf("behind %t, %d and %d frames lost: want two, and that it has caught up", v.behind, v.dropped,
			h.dropped.Load())
	}
	offer(false)
	offer(false)
	offer(false)
	v.synced = v.synced.Add(-resyncEvery)
	want("frame")
	offer(false) // one is left to read
	want("frame", "nothing")
	offer(false)
	want("hello")
}

// The whole text of the metrics: every name, its kind and its number.
func TestTextOfTheMetrics(t *testing.T) {
	h := newHub(nil)
	of := plainTest(t)
	of.Manifest.Columns = append(of.Manifest.Columns, record.Column{Name: "reading"}, record.Column{Name: "acted"})
	f := rthstest.Must(h.Begin(of))
	for k := range 5 {
		row := append(rowAt(0, -1), 3*float64(k), 2*float64(k))
		row[2], row[5], row[8] = 0.005, 1, 2
		f.Row(row)
	}
	f.Show(Now{Word: "HOLDING", Tick: 17, Behind: 6})
	h.dropped.Store(9)
	h.present.Store(4)
	h.free.Store(1 << 20)
	h.take()
	w := httptest.NewRecorder()
	(&Server{Config: Config{Hub: h}}).metrics(w, nil)
	var got []string
	for line := range strings.Lines(w.Body.String()) {
		if !strings.HasPrefix(line, "# HELP") {
			got = append(got, strings.TrimSpace(line))
		}
	}
	want := []string{
		"# TYPE rths_state gauge", `rths_state{state="disarmed"} 0`, `rths_state{state="armed"} 0`,
		`rths_state{state="running"} 0`,
		`rths_state{state="holding"} 1`, `rths_state{state="ramping"} 0`, `rths_state{state="tripped"} 0`,
		"# TYPE rths_ticks gauge", "rths_ticks 17", "# TYPE rths_rows_total counter", "rths_rows_total 5",
		"# TYPE rths_rows_behind gauge", "rths_rows_behind 6",
		"# TYPE rths_late_rows_total counter", "rths_late_rows_total 5", "# TYPE rths_readings_lost_total counter",
		"rths_readings_lost_total 8",
		"# TYPE rths_commands_lost_total counter", "rths_commands_lost_total 4", "# TYPE rths_viewers gauge",
		"rths_viewers 4",
		"# TYPE rths_dropped_frames_total counter", "rths_dropped_frames_total 9", "# TYPE rths_disk_free_bytes gauge",
		"rths_disk_free_bytes 1.048576e+06",
		"# TYPE rths_limit_ratio gauge", `rths_limit_ratio{channel="measured_m",action="ramp"} 0.25`,
		`rths_limit_ratio{channel="error_m",action="ramp"} 0`,
		`rths_limit_ratio{channel="command_rate_m_s",action="ramp"} 0.2`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("metrics\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if kind := w.Header().Get("Content-Type"); kind != "text/plain; version=0.0.4; charset=utf-8" {
		t.Errorf("the metrics are %q", kind)
	}
	for free, want := range map[int64]string{-1: "", 0: "rths_disk_free_bytes 0\n"} { // not known; full
		h.free.Store(free)
		h.take()
		w = httptest.NewRecorder()
		(&Server{Config: Config{Hub: h}}).metrics(w, nil)
		if text := w.Body.String(); strings.Contains(text, "disk") != (want != "") || !strings.Contains(text, want) {
			t.Errorf("%d bytes free: %s: want %q", free, text, want)
		}
	}
}
