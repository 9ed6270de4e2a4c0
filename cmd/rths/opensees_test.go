package main

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"rths"
	"rths/kit/rthstest"
	"rths/result/record"
)

// These tests drive runs and tests by the real OpenSees, unmodified, whose program is named by RTHS_OPENSEES.

// openSees is OpenSees at work on a model.
type openSees struct {
	t     testing.TB
	cmd   *exec.Cmd
	out   safeBuffer
	ended chan error
}

// startOpenSees starts OpenSees with a model of examples/opensees, or another one, and variables of the environment.
func startOpenSees(t testing.TB, model string, env ...string) *openSees {
	t.Helper()
	program := os.Getenv("RTHS_OPENSEES")
	if testing.Short() {
		t.Skip("-short: OpenSees drives tests without the race detector")
	}
	if program == "" {
		t.Skip("want OpenSees in RTHS_OPENSEES")
	}
	model, arguments, _ := strings.Cut(model, " ")
	if !filepath.IsAbs(model) {
		model = filepath.Join(examples, model, "model.tcl")
	}
	o := &openSees{t: t, cmd: exec.Command(program, append([]string{model}, strings.Fields(arguments)...)...),
		ended: make(chan error, 1)}
	o.cmd.Env = append(os.Environ(), env...)
	o.cmd.Stdout, o.cmd.Stderr = &o.out, &o.out
	if err := o.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { o.ended <- o.cmd.Wait() }()
	t.Cleanup(func() { _ = o.cmd.Process.Kill() })
	return o
}

// end waits for the end of OpenSees, and returns what it has said.
func (o *openSees) end() string {
	o.t.Helper()
	select {
	case <-o.ended:
	case <-time.After(patience):
		o.t.Fatalf("OpenSees goes on\n%s", o.out.String())
	}
	return o.out.String()
}

// well wants it to end well.
func (o *openSees) well() string {
	o.t.Helper()
	text := o.end()
	if !o.cmd.ProcessState.Success() {
		o.t.Fatalf("OpenSees: %v\n%s", o.cmd.ProcessState, text)
	}
	return text
}

// hybrid is rths run while OpenSees integrates.
type hybrid struct {
	t      testing.TB
	cmd    *exec.Cmd
	out    bytes.Buffer
	errs   safeBuffer
	ended  chan error
	folder string // of the record
	port   string
}

var listening = regexp.MustCompile(`listening at [0-9.]+:([0-9]+)`)

// serveModel starts rths run with a scenario, and waits until OpenSees may come.
func serveModel(t testing.TB, text string, args ...string) *hybrid {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "test.yaml")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	h := &hybrid{t: t, folder: filepath.Join(dir, "run"), ended: make(chan error, 1)}
	h.cmd = exec.Command("rths", append([]string{"run", path, "--out", h.folder, "--set", "structure.listen=127.0.0.1:0"},
		args...)...)
	h.cmd.Stdout, h.cmd.Stderr = &h.out, &h.errs
	if err := h.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { h.ended <- h.cmd.Wait() }()
	t.Cleanup(func() { _ = h.cmd.Process.Kill() })
	h.port = portOf(t, &h.errs)
	return h
}

// portOf waits until a server says where it listens.
func portOf(t testing.TB, errs *safeBuffer) string {
	t.Helper()
	for range 12000 { // a minute: beside other tests a process begins late
		if m := listening.FindStringSubmatch(errs.String()); m != nil {
			return m[1]
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Fatalf("nobody listens\n%s", errs.String())
	return ""
}

// waitConnected waits until an analysis has connected, as the kernel's table of connections says.
func (h *hybrid) waitConnected() {
	h.t.Helper()
	port, err := strconv.Atoi(h.port)
	if err != nil {
		h.t.Fatal(err)
	}
	established := fmt.Sprintf(":%04X ", port)
	for range 12000 {
		table, err := os.ReadFile("/proc/net/tcp")
		if err != nil {
			h.t.Skip("no table of connections: ", err)
		}
		for line := range strings.Lines(string(table)) {
			if f := strings.Fields(line); len(f) > 3 && strings.HasSuffix(f[1]+" ", established) && f[3] == "01" {
				return
			}
		}
		time.Sleep(5 * time.Millisecond)
	}
	h.t.Fatalf("no analysis has connected\n%s", h.errs.String())
}

// end waits for the end of the run, and returns its manifest.
func (h *hybrid) end() record.Manifest {
	h.t.Helper()
	select {
	case <-h.ended:
	case <-time.After(patience):
		h.t.Fatalf("the run goes on\n%s", h.errs.String())
	}
	m, err := record.LoadManifest(h.folder)
	if err != nil {
		h.t.Fatalf("%v\n%s", err, h.errs.String())
	}
	return m
}

// recorded reads a file of an OpenSees recorder, by columns.
func recorded(t testing.TB, path string) (columns [][]float64) {
	t.Helper()
	text := string(rthstest.Must(os.ReadFile(path)))
	for line := range strings.Lines(text) {
		for i, field := range strings.Fields(line) {
			if i == len(columns) {
				columns = append(columns, nil)
			}
			columns[i] = append(columns[i], rthstest.Must(strconv.ParseFloat(field, 64)))
		}
	}
	return columns
}

// apart is the largest difference of displacements over the largest displacement; column 0 is the time.
func apart(t testing.TB, a, b [][]float64) float64 {
	t.Helper()
	if len(a) != len(b) || len(a) < 2 || len(a[0]) != len(b[0]) {
		t.Fatalf("%d and %d columns", len(a), len(b))
	}
	peak, most := 0.0, 0.0
	for i := 1; i < len(a); i++ {
		for k, x := range a[i] {
			peak, most = max(peak, math.Abs(x)), max(most, math.Abs(b[i][k]-x))
		}
	}
	return most / peak
}

// ideal is a spring on an ideal transfer system, for a slow test.
const ideal = `name: ideal
rate_hz: 500
duration_s: 1000
timing: {target: next}
structure: {kind: external, dt_s: 0.01}
pace: {kind: ramp-hold, time_scale: 1}
specimen: {kind: linear, stiffness: 0.8e6}
transfer: {kind: ideal}
compensator: {kind: none}
limits: none
`

// A yielding frame whose specimen is a spring in the laboratory moves as OpenSees alone computes it, with four
// integrators, over TCP and over UDP, and in the units of both.
func TestOpenSeesEqualsAlone(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		model, integrator string
		motions           float64 // in a step
		sets              []string
	}{
		{"yielding", "explicit", 1, nil}, {"yielding", "alphaos", 1, nil}, {"yielding", "newton", 3, nil},
		{"yielding", "hht-hs", 3, nil},
		{"spring", "explicit", 1, []string{"--set", "specimen.stiffness=40e3", "--set", "pace.kind=continuous"}},
		{"yielding", "newton", 3, []string{"--set", "rate_hz=100"}},
	} {
		name := c.model + " " + c.integrator
		dir := t.TempDir()
		alone := filepath.Join(dir, "alone")
		startOpenSees(t, c.model, "ALONE=1", "INTEGRATOR="+c.integrator, "OUT="+alone).well()
		h := serveModel(t, ideal, c.sets...)
		startOpenSees(t, c.model, "RTHS_PORT="+h.port, "INTEGRATOR="+c.integrator, "OUT="+dir, "RUN="+h.folder).well()
		m := h.end()
		if m.Status != rths.Completed || m.Client == nil || m.Client.Steps != 2000 || !m.Client.Ended {
			t.Fatalf("%s: %s (%s), %+v: want 2000 steps\n%s", name, m.Status, m.Reason, m.Client, h.errs.String())
		}
		// a third iteration may move nothing
		if per := float64(m.Client.Motions) / 2000; per > c.motions+1e-9 || per < c.motions-0.35 {
			t.Errorf("%s: %g motions in a step: want %g", name, per, c.motions)
		}
		off := apart(t, recorded(t, filepath.Join(alone, "disp.out")), recorded(t, filepath.Join(dir, "disp.out")))
		t.Logf("%s: %.2g of the peak from OpenSees alone, %d motions in 2000 steps", name, off, m.Client.Motions)
		if !(off <= 1e-9) {
			t.Errorf("%s: %g of the peak from OpenSees alone: want 1e-9", name, off)
		}
	}
}

// The one-bay frame with a damper: the force measured at a target has the velocity of the path there, and OpenSees
// alone has the constant in its equations. With half the step the difference is less than two thirds.
func TestOpenSeesDamper(t *testing.T) {
	t.Parallel()
	var off []float64
	for _, dt := range []string{"0.01", "0.005"} {
		dir := t.TempDir()
		alone := filepath.Join(dir, "alone")
		env := []string{"DT=" + dt, "STEPS=" + map[string]string{"0.01": "2000", "0.005": "4000"}[dt]}
		startOpenSees(t, "frame-damper", append(env, "ALONE=1", "OUT="+alone)...).well()
		h := serveModel(t, ideal, "--set", "specimen={kind: linear, damping: 20e3}", "--set", "rate_hz=4000", "--set",
			"pace={kind: real-time}", "--set", "structure={kind: external, dt_s: "+dt+", listen: 127.0.0.1:0}")
		startOpenSees(t, "frame-damper", append(env, "RTHS_PORT="+h.port, "OUT="+dir)...).well()
		if m := h.end(); m.Status != rths.Completed || m.Client.TimeScale > 1.001 {
			t.Fatalf("%s (%s), %+v", m.Status, m.Reason, m.Client)
		}
		off = append(off, apart(t, recorded(t, filepath.Join(alone, "disp.out")),
			recorded(t, filepath.Join(dir, "disp.out"))))
	}
	t.Logf("%.3g and %.3g of the peak from OpenSees alone", off[0], off[1])
	if off[0] > 0.05 || off[1] > off[0]*2/3 {
		t.Errorf("%.3g and %.3g of the peak from OpenSees alone: want at most 0.05, and less with half the step", off[0],
			off[1])
	}
}

// actuator is the transfer system of the single-actuator benchmark with its sensors, at the benchmark's rate.
const actuator = `rate_hz: 4096
timing: {target: next}
specimen: {kind: silva2020}
transfer: {kind: silva2020}
sensors: {displacement_noise_power: 6.25e-14, force_noise_power: 1.16e-3}
converters: {reading: metres}
compensator: {kind: amb}
limits: none
`

// With the benchmark's actuator and adaptive model-based compensation, the measured displacement of floor 1 is as near
// to the reference as in a run of the same structure with the same main step: J4 at most 0.5 points more.
func TestOpenSeesJ4(t *testing.T) {
	t.Parallel()
	records := os.Getenv("RTHS_RECORDS")
	if records == "" {
		t.Skip("want recorded ground motions in RTHS_RECORDS")
	}
	dir := t.TempDir()
	motion := filepath.Join(dir, "elcentro.csv") // its first 15 s
	text := string(rthstest.Must(os.ReadFile(filepath.Join(records, "elcentro.csv"))))
	first := slices.Collect(strings.Lines(text))[:1+15*50]
	if err := os.WriteFile(motion, []byte(strings.Join(first, "")), 0o644); err != nil {
		t.Fatal(err)
	}
	fine := filepath.Join(dir, "fine") // the reference: OpenSees alone with a sixteenth of the step
	startOpenSees(t, "three-storey "+motion, "ALONE=1", "REFINE=16", "OUT="+fine).well()
	h := serveModel(t, "name: by OpenSees\nduration_s: 30\nstructure: {kind: external, dt_s: 0.001953125}\n"+actuator)
	startOpenSees(t, "three-storey "+motion, "RTHS_PORT="+h.port, "OUT="+dir).well()
	if m := h.end(); m.Status != rths.Completed {
		t.Fatalf("%s (%s)\n%s", m.Status, m.Reason, h.errs.String())
	}

	// The reading of a tick with at_target belongs to the analysis's time of the row before.
	a := rthstest.Must(record.Open(h.folder))
	column := func(name string) []float64 {
		c, ok := a.Column(name)
		if !ok {
			t.Fatalf("no column %s", name)
		}
		return c
	}
	at, x, now := column("at_target"), column("measured_m"), column("client_time_s")
	reference := recorded(t, filepath.Join(fine, "disp.out"))
	var errors, wanted []float64
	for k := 1; k < len(at); k++ {
		if at[k] == 0 {
			continue
		}
		step := int(math.Round(now[k-1]*4096*16/8)) - 1 // a line for each fine step, the first after it
		if step >= len(reference[1]) || math.Abs(reference[0][step]-now[k-1]) > 1e-9 {
			t.Fatalf("row %d: time %g, step %d", k, now[k-1], step)
		}
		errors, wanted = append(errors, x[k]-reference[1][step]), append(wanted, reference[1][step])
	}
	j4 := 100 * deviation(errors) / deviation(wanted)

	path := filepath.Join(dir, "here.yaml")
	if err := os.WriteFile(path,
		[]byte("name: here\nduration_s: 15\nground: {record: elcentro, scale: 0.4}\nstructure: {kind: silva2020, case: 1}\nintegrator: "+
			"{kind: newmark-explicit}\ntwo_rate: {main_step: 8, predictor: {kind: poly3}}\n"+actuator), 0o644); err != nil {
		t.Fatal(err)
	}
	here := filepath.Join(dir, "here")
	if out, err := exec.Command("rths", "run", path, "--out", here).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	m := rthstest.Must(record.LoadManifest(here))
	for _, v := range m.Criteria {
		if v.Name == "J4_pct" {
			t.Logf("J4: %.2f %% with OpenSees (%d targets), %.2f %% in rths run", j4, len(errors), v.V)
			if !(j4 <= v.V+0.5) || len(errors) < 5000 {
				t.Errorf("J4: %.2f %% with OpenSees (%d targets), %.2f %% in rths run: want at most 0.5 more", j4, len(errors), v.V)
			}
			return
		}
	}
	t.Error("no J4")
}

// deviation is the standard deviation.
func deviation(v []float64) float64 {
	mean, sum := 0.0, 0.0
	for _, x := range v {
		mean += x / float64(len(v))
	}
	for _, x := range v {
		sum += (x - mean) * (x - mean)
	}
	return math.Sqrt(sum / float64(len(v)))
}

// A limit ends the run; OpenSees gets the last force, finds RUN/stop, and ends by itself.
func TestOpenSeesTrips(t *testing.T) {
	t.Parallel()
	h := serveModel(t, ideal, "--set", "limits=[{channel: measured_m, trip: 0.02, action: ramp}]")
	o := startOpenSees(t, "yielding", "RTHS_PORT="+h.port, "OUT="+t.TempDir(), "RUN="+h.folder)
	if text := o.well(); !strings.Contains(text, "stop is there") {
		t.Errorf("OpenSees said\n%s\nwant that it was stopped", text)
	}
	m := h.end()
	if m.Status != rths.Tripped || m.Client.Ended || m.Client.Steps < 10 || m.Client.Steps > 1990 ||
		!strings.Contains(m.Reason, "measured_m") {
		t.Errorf("%s (%s), %+v", m.Status, m.Reason, m.Client)
	}
	a := rthstest.Must(record.Open(h.folder))
	if c, _ := a.Column("guard_command_m"); len(c) == 0 || math.Abs(c[len(c)-1]) > 1e-9 {
		t.Errorf("the run ended at %g m: want zero", c[len(c)-1])
	}
}

// An OpenSees that is killed, one that diverges, and one that moves twice in a step of real time
// leave the specimen to the guard.
func TestOpenSeesFails(t *testing.T) {
	t.Parallel()
	guarded := strings.Replace(ideal, "limits: none\n", "", 1)
	h := serveModel(t, guarded)
	o := startOpenSees(t, "yielding", "RTHS_PORT="+h.port, "OUT="+t.TempDir(), "STEPS=100000000")
	h.waitConnected()
	time.Sleep(300 * time.Millisecond)
	_ = o.cmd.Process.Kill()
	if m := h.end(); m.Status != rths.Tripped || !strings.Contains(m.Reason, "closed the connection without its last "+
		"message") ||
		m.Client.Steps < 1 {
		t.Errorf("killed: %s (%s), %+v", m.Status, m.Reason, m.Client)
	}

	h = serveModel(t, guarded, "--set", "diverged_m=1.7e308", "--set", "limits=[{channel: non_finite, action: hold}]")
	model := filepath.Join(t.TempDir(), "nan.tcl")
	text := `model Basic -ndm 1 -ndf 1
node 1 0.0
node 2 0.0 -mass 1.0
fix 1 1
element genericClient 1 -node 2 -dof 1 -server $::env(RTHS_PORT) 127.0.0.1 -noRayleigh
timeSeries Constant 1
pattern Plain 1 1 { load 2 1.0 }
constraints Plain
numberer Plain
system FullGeneral
algorithm Linear
integrator NewmarkExplicit 0.5
analysis Transient
for {set i 0} {$i < 2000 && ![file exists $::env(RUN)/stop]} {incr i} { analyze 1 10.0 }
exit
`
	if err := os.WriteFile(model, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	startOpenSees(t, model, "RTHS_PORT="+h.port, "RUN="+h.folder).end()
	m := h.end()
	if m.Status != rths.Tripped || !strings.Contains(m.Reason, "displacement that is not finite") {
		t.Errorf("diverging: %s (%s), %+v\n%s", m.Status, m.Reason, m.Client, h.errs.String())
	}
	a := rthstest.Must(record.Open(h.folder))
	if c, _ := a.Column("guard_command_m"); len(c) == 0 ||
		slices.ContainsFunc(c, func(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) }) {
		t.Error("a command that is not finite")
	}

	h = serveModel(t, guarded, "--set", "pace={kind: real-time}")
	o = startOpenSees(t, "yielding", "RTHS_PORT="+h.port, "INTEGRATOR=newton", "OUT="+t.TempDir(), "RUN="+h.folder)
	o.well()
	if m := h.end(); m.Status != rths.Tripped || !strings.Contains(m.Reason, "second motion in one step") {
		t.Errorf("Newton in real time: %s (%s), %+v", m.Status, m.Reason, m.Client)
	}
}

// realTime is a test in real time, of 5 s, with the rig's own clock, which OpenSees may stretch.
const realTime = `name: by OpenSees in real time
rate_hz: 256
duration_s: 20
timing: {target: next}
structure: {kind: external, dt_s: 0.03125, listen: 127.0.0.1:%s}
specimen: {kind: linear, stiffness: 40e3}
transfer: {kind: second-order, stroke_m: 0.2, rate_m_s: 0.5}
sensors: {displacement_noise: 1e-6, force_noise: 1}
compensator: {kind: cats}
rig: {kind: udp, clock: rig, watchdog_ms: 1500, supervisor_silent_s: 1, late: {hold_after: 200, ramp_after: 300}}
`

// byOpenSees is a drill whose numerical part OpenSees integrates: the spring with 5 s of earthquake.
type byOpenSees struct {
	*drill
	port string
}

func newByOpenSees(t *testing.T) *byOpenSees {
	t.Helper()
	if os.Getenv("RTHS_OPENSEES") == "" || testing.Short() {
		t.Skip("want OpenSees in RTHS_OPENSEES, and no -short")
	}
	l := rthstest.Must(net.Listen("tcp", "127.0.0.1:0"))
	_, port, _ := net.SplitHostPort(l.Addr().String())
	l.Close()
	d := &byOpenSees{newDrillUnrehearsed(t, fmt.Sprintf(realTime, port), nil), port}
	c := exec.Command("rths", "run", d.path, "-o", filepath.Join(d.dir, "runs", "rehearsal"))
	var errs safeBuffer
	c.Stderr = &errs
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	portOf(t, &errs)
	d.analysis().well()
	if err := c.Wait(); err != nil {
		t.Fatalf("rehearsal: %v\n%s", err, errs.String())
	}
	return d
}

func (d *byOpenSees) analysis(more ...string) *openSees {
	d.Helper()
	return startOpenSees(d.T, "spring", append([]string{"RTHS_PORT=" + d.port, "OUT=" + d.TempDir(), "RUN=" + d.run,
		"DT=0.03125", "STEPS=160"}, more...)...)
}

// begin starts the test, and OpenSees as soon as somebody listens.
func (d *byOpenSees) begin(more ...string) *openSees {
	d.Helper()
	d.start()
	portOf(d.T, &d.errs)
	return d.analysis(more...)
}

// A test in real time by OpenSees: a motion for every step, at its instant; the replay is equal to the bit.
func TestOpenSeesInRealTime(t *testing.T) {
	t.Parallel()
	d := newByOpenSees(t)
	o := d.begin()
	if code := d.wait(); code != exitDone {
		t.Fatalf("exit status %d\n%s", code, d.errs.String())
	}
	o.well()
	m := d.sound(t.Context(), rths.Completed, "")
	c := m.Client
	if c == nil || c.Steps != 160 || !c.Ended || c.Motions < 150 {
		t.Fatalf("%+v", c)
	}
	if late := float64(c.LateSamples); c.TimeScale > 1.05+late/float64(m.Samples) {
		t.Errorf("the test took %g times as long as the analysis's time, with %g late samples", c.TimeScale, late)
	}
	if c.End != record.Farewell || c.RestSamples < 26 {
		t.Errorf("%+v: want its farewell, and a path that comes to rest", c)
	}
	if x, sent := m.frame("target_m"), m.frame("raw_command_m"); len(x) < 30 || x[len(x)-1] != x[len(x)-20] ||
		math.Abs(sent[len(sent)-1]-sent[len(sent)-5]) > 1e-5 {
		t.Errorf("the run ends at %g m, 20 samples behind %g m, and the command goes from %g to %g m in four samples: "+
			"want rest", x[len(x)-1], x[len(x)-20], sent[len(sent)-5], sent[len(sent)-1])
	}
	if slices.ContainsFunc(m.Warnings, func(w string) bool { return strings.Contains(w, "numerical part") }) {
		t.Errorf("warnings %q: its process has ended behind its farewell", m.Warnings)
	}
	if _, err := os.Stat(filepath.Join(d.run, "stop")); err != nil {
		t.Errorf("no file stop: %v", err)
	}
	d.rests("")
}

// OpenSees thinks for half a second in every twentieth step: the path goes on, slows down and stands, without a jump.
func TestOpenSeesLate(t *testing.T) {
	t.Parallel()
	d := newByOpenSees(t)
	o := d.begin("THINK_MS=500", "THINK_EVERY=20")
	if code := d.wait(); code != exitDone {
		t.Fatalf("exit status %d\n%s", code, d.errs.String())
	}
	o.well()
	m := d.sound(t.Context(), rths.Completed, "") // every step of the command within the rate
	if late := m.Client.LateSamples; late < 5*100 || late > 9*140 {
		t.Errorf("%d late samples: want about 7 times 124", late)
	}
	states := m.all("path_state")
	for _, state := range []float64{0, 1, 2, 3} {
		if !slices.Contains(states, state) {
			t.Errorf("the path was never in state %g", state)
		}
	}
}

// OpenSees is killed in the middle of the test: the guard holds, and nothing moves any more.
func TestOpenSeesKilled(t *testing.T) {
	t.Parallel()
	d := newByOpenSees(t)
	o := d.begin()
	d.reaches(400)
	_ = o.cmd.Process.Kill()
	if code := d.wait(); code != exitFailed {
		t.Fatalf("exit status %d\n%s", code, d.errs.String())
	}
	d.sound(t.Context(), rths.Tripped, "closed the connection without its last message")
	d.rests("")
}

// The loop is killed in the middle of the test: the process that talks with OpenSees lives on, and gives it the last
// force until it finds the file stop.
func TestOpenSeesLoopKilled(t *testing.T) {
	t.Parallel()
	d := newByOpenSees(t)
	o := d.begin("STEPS=1000000") // held forces come at once: it must not be through before the file is there
	d.reaches(400)
	server := d.numerical()
	d.signal(d.loop(), syscall.SIGKILL)
	d.wait()
	if text := o.well(); !strings.Contains(text, "stop is there") {
		t.Errorf("OpenSees said\n%s\nwant that it was stopped", text)
	}
	d.until("the process that talks with OpenSees has ended",
		func() bool { return signalTo(server, syscall.Signal(0)) != nil })
	if m := d.manifest(); m.Status != rths.Lost && m.Status != rths.Tripped {
		t.Errorf("%s (%s)", m.Status, m.Reason)
	}
}

// A limit ends the test: OpenSees gets the last force, and ends by the file stop.
func TestOpenSeesTestTrips(t *testing.T) {
	t.Parallel()
	d := newByOpenSees(t)
	d.start()
	portOf(d.T, &d.errs)
	o := d.analysis("STEPS=1000000")
	d.reaches(400)
	d.signal(d.command.Process.Pid, syscall.SIGINT)
	if code := d.wait(); code != exitFailed {
		t.Fatalf("exit status %d\n%s", code, d.errs.String())
	}
	if text := o.well(); !strings.Contains(text, "stop is there") {
		t.Errorf("OpenSees said\n%s\nwant that it was stopped", text)
	}
	d.sound(t.Context(), rths.Stopped, "operator")
}

// recorderModel is a mass on a spring whose other end moves as a command, with a damping that is
// proportional to the mass: a loading system of natural frequency 50 rad/s and damping ratio 0.8. Its
// recorders write command and measurement, mm.
const recorderModel = `
model Basic -ndm 1 -ndf 1
node 1 0.0
node 2 0.0
node 3 0.0 -mass 1.0
fix 1 1
uniaxialMaterial Elastic 1 2500.0
element zeroLength 1 2 3 -mat 1 -dir 1
rayleigh 80.0 0.0 0.0 0.0
for {set i 0} {$i <= 4000} {incr i} {
    set sum 0.0
    foreach {hz share} {0.31 3.0 0.93 2.0 2.17 1.0 4.7 0.5 8.3 0.2} {
        set sum [expr {$sum + $share*sin(6.2831853*$hz*$i*0.005)}]
    }
    lappend u $sum
}
timeSeries Path 1 -dt 0.005 -values $u
pattern MultipleSupport 1 {
    groundMotion 1 Plain -disp 1
    imposedMotion 2 1 1
}
recorder Node -file ctrl.out -precision 12 -time -node 2 -dof 1 disp
recorder Node -file daq.out -precision 12 -time -node 3 -dof 1 disp
recorder Node -fileCSV both.csv -precision 12 -time -node 2 3 -dof 1 disp
recorder Node -file bare.out -precision 12 -node 3 -dof 1 disp
recorder Node -xml xml.out -time -node 3 -dof 1 disp
recorder Node -binary binary.out -time -node 3 -dof 1 disp
constraints Transformation
numberer Plain
system FullGeneral
algorithm Linear
integrator Newmark 0.5 0.25
analysis Transient
analyze 4000 0.005
wipe
`

// Files of real recorders are judged and identified. The delay in slow motion is 2 ratio/omega = 32 ms: the
// integrator has no hold.
func TestOpenSeesRecorders(t *testing.T) {
	t.Chdir(t.TempDir())
	model := rthstest.Must(filepath.Abs("model.tcl"))
	if err := os.WriteFile(model, []byte(recorderModel), 0o644); err != nil {
		t.Fatal(err)
	}
	startOpenSees(t, model).well()
	var split, one struct {
		Criteria map[string]float64
		Samples  int
	}
	call(t, &split, "judge", "ctrl.out", "daq.out", "--unit", "mm", "--columns",
		"time=ctrl.out:1,target=ctrl.out:2,measured=daq.out:2")
	call(t, &one, "judge", "both.csv", "--unit", "mm", "--columns", "time=1,target=2,measured=3")
	if split.Samples != 4000 || !maps.Equal(split.Criteria, one.Criteria) || split.Criteria["J1_ms"] != 30 {
		t.Errorf("%+v of two files, %+v of one: want the same of 4000 samples, and 30 ms: 32 ms in whole samples", split, one)
	}
	var found struct {
		DelayMS    float64 `json:"delay_ms"`
		DiscreteMS float64 `json:"delay_discrete_ms"`
	}
	call(t, &found, "identify", "ctrl.out", "daq.out", "--unit", "mm", "--columns",
		"time=ctrl.out:1,command=ctrl.out:2,measured=daq.out:2")
	rthstest.Near(t, "delay of the discrete model", found.DiscreteMS, 32, 0.05)
	// a tenth of a step: the continuous model supposes a hold
	rthstest.Near(t, "delay in slow motion", found.DelayMS, 32, 0.5)
	for name, want := range map[string]string{
		"bare.out": "row 1 found 0.005 in ctrl.out", "xml.out": "-file in place of -xml",
		"binary.out": "-file in place of -binary",
	} {
		var out, errs bytes.Buffer
		status := run([]string{"judge", "ctrl.out", name, "--columns",
			"time=ctrl.out:1,target=ctrl.out:2,measured=" + name + ":2"}, &out, &errs)
		if status != exitWrong || !strings.Contains(errs.String(), want) {
			t.Errorf("%s: status %d, %s: want one that says %q", name, status, errs.String(), want)
		}
	}
}

// runWithOpenSees runs the lines of a block of a page: rths, in the background too, and OpenSees, which comes when
// a server listens, or alone. When it has ended, the server must end well too.
func runWithOpenSees(t *testing.T, body string) {
	t.Helper()
	if _, err := os.Stat("common.tcl"); err != nil {
		if err := os.CopyFS(".", os.DirFS(examples)); err != nil {
			t.Fatal(err)
		}
	}
	var served *exec.Cmd
	var errs *safeBuffer
	for line := range strings.Lines(body) {
		line = strings.Replace(strings.TrimSpace(line), " --set rig.clock=rig ", " --set rig.clock=rig "+patient+" ", 1)
		command, isBehind := strings.CutSuffix(strings.TrimPrefix(line, "$ "), " &")
		switch isOurs := strings.HasPrefix(command, "rths "); {
		case isBehind && !strings.HasPrefix(command, "rths rig "):
			served, errs = inBash("exec "+command), new(safeBuffer)
			served.Stderr = errs
			if err := served.Start(); err != nil {
				t.Fatal(err)
			}
			process := served.Process
			t.Cleanup(func() { _ = process.Kill() })
		case isOurs || served == nil:
			runLine(t, line, "opensees")
			if isBehind {
				time.Sleep(time.Second)
			}
		default:
			portOf(t, errs)
			runLine(t, line, "opensees")
			if err := served.Wait(); err != nil {
				t.Errorf("%s: what served it: %v\n%s", line, err, errs.String())
			}
			served = nil
		}
	}
}

// patient is the policy on late readings of a page's test beside all other tests, which take the processors for longer
// than the 50 ms after which a reading is too late.
const patient = "--set 'rig.late={hold_after: 600, ramp_after: 700}'"

// examples is the folder of the models. Tests of pages change theirs.
var examples = func() string {
	folder, err := filepath.Abs(filepath.Join("..", "..", "examples", "opensees"))
	if err != nil {
		panic(err)
	}
	return folder
}()

// Every example of examples/opensees runs with its scenario, and comes within a per cent of OpenSees alone.
func TestOpenSeesExamples(t *testing.T) {
	models, err := filepath.Glob(filepath.Join(examples, "*", "model.tcl"))
	if err != nil || len(models) != 4 {
		t.Fatalf("%d models (%v): want 4", len(models), err)
	}
	for _, path := range models {
		model := filepath.Base(filepath.Dir(path))
		t.Run(model, func(t *testing.T) {
			t.Parallel()
			with := model
			if model == "three-storey" {
				records := os.Getenv("RTHS_RECORDS")
				if records == "" {
					t.Skip("want recorded ground motions in RTHS_RECORDS")
				}
				with += " " + filepath.Join(records, "elcentro.csv")
			}
			dir := t.TempDir()
			alone := filepath.Join(dir, "alone")
			startOpenSees(t, with, "ALONE=1", "OUT="+alone).well()
			h := serveModel(t, string(rthstest.Must(os.ReadFile(filepath.Join(filepath.Dir(path), "test.yaml")))))
			startOpenSees(t, with, "RTHS_PORT="+h.port, "OUT="+dir, "RUN="+h.folder).well()
			if m := h.end(); m.Status != rths.Completed || !m.Client.Ended {
				t.Fatalf("%s (%s), %+v\n%s", m.Status, m.Reason, m.Client, h.errs.String())
			}
			a, b := recorded(t, filepath.Join(alone, "disp.out"))[1], recorded(t, filepath.Join(dir, "disp.out"))[1]
			off, size := 0.0, 0.0
			for k, x := range a {
				off, size = off+(b[k]-x)*(b[k]-x), size+x*x
			}
			rms := 100 * math.Sqrt(off/size)
			t.Logf("%.3g %% (rms) from OpenSees alone", rms)
			if !(rms < 1) {
				t.Errorf("%.3g %% (rms) from OpenSees alone: want less than 1", rms)
			}
		})
	}
}
