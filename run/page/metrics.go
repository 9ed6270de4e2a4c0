package page

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// silentAfter is the time without a word of the supervisor after which it does not count as healthy.
const silentAfter = 2 * time.Second

// healthz says whether the supervisor of a moving test has shown its state lately. While it waits for the operator, and
// after the end, it has nothing to show.
func (s *Server) healthz(w http.ResponseWriter, _ *http.Request) {
	h := s.Hub
	if at := h.seen.Load(); h.moving() && time.Since(time.Unix(0, at)) > silentAfter {
		refuse(w, http.StatusServiceUnavailable, fmt.Errorf("no message from the supervisor for %.1f s",
			time.Since(time.Unix(0, at)).Seconds()))
		return
	}
	_, _ = io.WriteString(w, "ok\n")
}

// words are the states of the metrics.
var words = []string{"DISARMED", "ARMED", "RUNNING", "HOLDING", "RAMPING", "TRIPPED"}

// metrics are in the text format of Prometheus.
func (s *Server) metrics(w http.ResponseWriter, _ *http.Request) {
	h := s.Hub
	h.last.Lock()
	f, limits := h.latest, h.limits
	h.last.Unlock()
	var out strings.Builder
	one := func(name, kind, help string, v float64) {
		fmt.Fprintf(&out, "# HELP rths_%s %s\n# TYPE rths_%s %s\nrths_%s %g\n", name, help, name, kind, name, v)
	}
	fmt.Fprintf(&out, "# HELP rths_state 1: the state of the guard\n# TYPE rths_state gauge\n")
	for _, word := range words {
		on := 0
		if f.Now.Word == word {
			on = 1
		}
		fmt.Fprintf(&out, "rths_state{state=%q} %d\n", strings.ToLower(word), on)
	}
	one("ticks", "gauge", "ticks of the run so far", float64(f.Now.Tick))
	one("rows_total", "counter", "rows that the page has got", float64(f.Rows))
	one("rows_behind", "gauge", "rows that wait for the record", float64(f.Now.Behind))
	one("late_rows_total", "counter", "rows that were late", float64(f.Late))
	one("readings_lost_total", "counter", "readings of the rig that no tick has used: lost, or overtaken",
		float64(f.Readings))
	one("commands_lost_total", "counter", "commands that have not acted on the specimen: lost, or too late",
		float64(f.Commands))
	one("viewers", "gauge", "browsers that watch the page", float64(h.Viewers()))
	one("dropped_frames_total", "counter", "frames that slow viewers have lost", float64(h.dropped.Load()))
	if f.Free >= 0 {
		one("disk_free_bytes", "gauge", "free space for the record", float64(f.Free))
	}
	if len(limits) > 0 {
		fmt.Fprintf(&out,
			"# HELP rths_limit_ratio largest magnitude of the test over the level at which a limit acts\n# TYPE "+
				"rths_limit_ratio gauge\n")
	}
	for i, l := range limits {
		if i < len(f.worst) {
			fmt.Fprintf(&out, "rths_limit_ratio{channel=%q,action=%q} %g\n", l.Channel, l.Action, f.worst[i]/l.Trip)
		}
	}
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	_, _ = io.WriteString(w, out.String())
}
