package decide

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"rths"
	"rths/campaign/study"
	"rths/kit/rthstest"
	"rths/scenario"
	"rths/workbench"
)

// base is a scenario whose runs take some milliseconds.
const base = `name: base
rate_hz: 4096
seed: 3
timing: {target: current, force_delay: 1}
ground: {kind: clough-penzien, duration_s: 20, pga_g: 0.1}
structure: {kind: silva2020, case: 1}
specimen: {kind: silva2020}
transfer: {kind: silva2020}
compensator: {kind: amb}
limits: none
`

// specimens is a study of so many specimens.
const specimens = `scenario: base.yaml
points: %d
variables:
  compensator.kind: [amb, kf]
  specimen.stiffness: {kind: normal, mean: 1.19e6, sd: 5e4}
`

// tuned is a small calibration.
const tuned = `scenario: base.yaml
set: [ground.duration_s=2, compensator.kind=phase-lead]
points: 2
variables: {specimen.stiffness: {kind: normal, mean: 1.19e6, sd: 5e4}}
calibrate:
  keys: {compensator.lag_ms: {from: 1, to: 11}}
  search: {kind: pso, particles: 4, iterations: 3}
`

// asks calls a desk as the page does.
type asks struct {
	*testing.T
	*Desk
}

// openDesk is the desk of a folder.
func openDesk(t *testing.T, folder string) *asks {
	t.Helper()
	desk, err := workbench.Open(folder, "", "a test")
	if err != nil {
		t.Fatal(err)
	}
	d, err := New(desk)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close(); desk.Close() })
	desk.Add(d.Calls())
	return &asks{t, d}
}

// folderOf is a folder with a scenario and a study of so many specimens.
func folderOf(t *testing.T, points int) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"base.yaml": base, "study.yaml": fmt.Sprintf(specimens, points),
		"tuned.yaml": tuned} {
		write(t, filepath.Join(dir, name), text)
	}
	return dir
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// try makes a call, and gives what it says.
func try[Out any](a *asks, name string, in any) (out Out, err error) {
	a.Helper()
	text, err := json.Marshal(in)
	if err != nil {
		a.Fatal(err)
	}
	got, err := a.Call(a.Context(), name, text, nil)
	if err == nil {
		out = got.(Out)
	}
	return out, err
}

// ask makes a call that must be answered.
func ask[Out any](a *asks, name string, in any) Out {
	a.Helper()
	out, err := try[Out](a, name, in)
	if err != nil {
		a.Fatalf("%s %+v: %v", name, in, err)
	}
	return out
}

// refused wants a call refused with some words.
func (a *asks) refused(name string, in any, words ...string) {
	a.Helper()
	text, err := json.Marshal(in)
	if err != nil {
		a.Fatal(err)
	}
	_, err = a.Call(a.Context(), name, text, nil)
	for _, w := range words {
		if err == nil || !strings.Contains(err.Error(), w) {
			a.Errorf("%s %+v: %v: want %q", name, in, err, w)
		}
	}
}

// until waits for a state of a folder, as the page does.
func (a *asks) until(folder string, is func(Entry) bool) Entry {
	a.Helper()
	ctx, late := context.WithTimeout(a.Context(), 4*time.Minute)
	defer late()
	var last []Entry
	for seen := -1; ; {
		l, err := a.list(ctx, after{seen})
		if err != nil {
			a.Fatalf("%s: %v: %+v", folder, err, last)
		}
		last = l.Entries
		seen = l.Seen
		if i := slices.IndexFunc(l.Entries, func(e Entry) bool { return e.Folder == folder && is(e) }); i >= 0 {
			return l.Entries[i]
		}
	}
}

func (a *asks) ended(folder string) Entry {
	a.Helper()
	return a.until(folder, func(e Entry) bool { return !e.Here && e.Status != Interrupted })
}

// rows are the rows of a log in the order of the runs, without the time that each has taken.
func rows(t *testing.T, dir string) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, study.LogFile))
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for line := range strings.Lines(string(text)) {
		if f := strings.Split(line, "\t"); f[0] == "row" {
			out = append(out, fmt.Sprintf("%06s ", f[1])+strings.Join(slices.Concat(f[2:5], f[6:]), "\t"))
		}
	}
	slices.Sort(out)
	return out
}

// whole are the rows of a study that nobody has stopped.
func whole(t *testing.T, folder string) []string {
	t.Helper()
	b := study.NewBench("")
	p, err := b.LoadPlan(t.Context(), filepath.Join(folder, "study.yaml"), nil)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "whole")
	f, err := study.Create(dir, study.Manifest{Kind: study.StudyKind}, p)
	if err == nil {
		err = b.Execute(t.Context(), p, f, study.Workers(2), nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	return rows(t, dir)
}

// many are points of a study that lasts long enough to be stopped: the race detector makes it ten times as long.
func many() int {
	if testing.Short() {
		return 12
	}
	return 40
}

var ofStudy = Start{Kind: "study", Path: "study.yaml", Workers: 1}

// some are the first rows of a study that runs.
func some(e Entry) bool { return e.Here && e.Done >= 3 }

// A study that is stopped and goes on has the rows of one that nobody has stopped, to the bit; meanwhile its rows are
// shown.
func TestStopAndResume(t *testing.T) {
	t.Parallel()
	points := many()
	dir := folderOf(t, points)
	a := openDesk(t, dir)
	folder := ask[Folder](a, "study-start", ofStudy).Folder
	begun := a.until(folder, some)
	if begun.Runs != 2*points || begun.Status != rths.Running || !(begun.Share > 0 && begun.Share < 1) ||
		begun.LeftS == nil ||
		begun.Command != "rths study study.yaml --out "+folder {
		t.Errorf("%+v", begun)
	}
	if got := ask[Shown](a, "study-show", Folder{Folder: folder}); !strings.Contains(got.HTML, `class="explored"`) ||
		!strings.Contains(got.HTML, fmt.Sprintf("of %d runs are there", 2*points)) {
		t.Errorf("%s, %d bytes: want pictures of the first rows", got.Why, len(got.HTML))
	}
	ask[Folder](a, "study-stop", Folder{Folder: folder})
	stopped := a.ended(folder)
	if stopped.Status != rths.Stopped || !stopped.Resume || stopped.Done == 0 || stopped.Done >= 2*points ||
		!strings.Contains(stopped.Reason, "stopped by the user after") ||
		stopped.Command != "rths study study.yaml --out "+folder+" --resume" {
		t.Errorf("%+v", stopped)
	}
	a.refused("study-stop", Folder{Folder: folder}, "nothing is stopped")
	ask[Folder](a, "study-resume", Folder{Folder: folder, Workers: 2})
	if e := a.ended(folder); e.Status != rths.Completed || e.Done != 2*points || e.Resume || e.Wrong != "" {
		t.Errorf("%+v", e)
	}
	if got, want := rows(t, filepath.Join(dir, folder)), whole(t, dir); !slices.Equal(got, want) {
		t.Errorf("%d rows, want %d the same:\n%.300q\n%.300q", len(got), len(want), got, want)
	}
	if got := ask[Shown](a, "study-show", Folder{Folder: folder}); !strings.Contains(got.HTML,
		fmt.Sprintf("%[1]d of %[1]d", 2*points)) {
		t.Errorf("%s, %d bytes: want the report", got.Why, len(got.HTML))
	}
}

// A file is made once at a time, from however many windows; a file that has changed is another study.
func TestTwoStarts(t *testing.T) {
	t.Parallel()
	dir := folderOf(t, 400)
	a := openDesk(t, dir)
	first := ask[Folder](a, "study-start", ofStudy)
	a.until(first.Folder, some)
	if second := ask[Folder](a, "study-start", ofStudy); second.Folder != first.Folder {
		t.Errorf("%s beside %s: want one study", second.Folder, first.Folder)
	}
	ask[Folder](a, "study-resume", first)
	write(t, filepath.Join(dir, "study.yaml"), fmt.Sprintf(specimens, 2))
	other := ask[Folder](a, "study-start", ofStudy)
	if other.Folder == first.Folder {
		t.Errorf("the changed file goes into %s", other.Folder)
	}
	if e := a.ended(other.Folder); e.Done != 4 {
		t.Errorf("%+v", e)
	}
	ask[Folder](a, "study-stop", first)
	a.ended(first.Folder)
	a.refused("study-resume", first, "differ: want the same study file")
}

// elsewhere is a study that another program than the desk's has begun, by an executor and with some flags.
func elsewhere(t *testing.T, dir, name, executor string, sets ...string) *study.Folder {
	t.Helper()
	path, out := filepath.Join(dir, "study.yaml"), filepath.Join(dir, "runs", name)
	p, err := study.NewBench("").LoadPlan(t.Context(), path, sets)
	if err != nil {
		t.Fatal(err)
	}
	m, err := study.NewManifest(study.StudyKind, p, path, "")
	m.Asked, m.Executor = study.Asked{File: path, Sets: sets}.For(out), executor
	if err != nil {
		t.Fatal(err)
	}
	f, err := study.Create(out, m, p)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// What was begun with flags that a page does not give goes on where it was begun.
func TestFlags(t *testing.T) {
	t.Parallel()
	dir := folderOf(t, 2)
	a := openDesk(t, dir)
	elsewhere(t, dir, "cluster", study.BySlurm).Close()
	elsewhere(t, dir, "set", study.ByWorkers, "ground.duration_s=2").Close()
	a.refused("study-resume", Folder{Folder: "runs/cluster"}, "was begun in a terminal",
		"rths study study.yaml --executor slurm --out runs/cluster --resume")
	a.refused("study-resume", Folder{Folder: "runs/set"}, "was begun in a terminal",
		"rths study study.yaml --set ground.duration_s=2 --out runs/set --resume")
}

// A folder that another program holds says who that is.
func TestHeldFolder(t *testing.T) {
	t.Parallel()
	dir := folderOf(t, 2)
	a := openDesk(t, dir)
	f := elsewhere(t, dir, "held", study.ByWorkers)
	held := Folder{Folder: "runs/held"}
	who := fmt.Sprintf("process %d, ", os.Getpid())
	e := a.until("runs/held", func(e Entry) bool { return e.Holder != "" })
	if !strings.HasPrefix(e.Holder, who) || e.Resume || e.Status != rths.Running {
		t.Errorf("%+v: want %q", e, who)
	}
	a.refused("study-resume", held, "another program is writing it", who, "stop that one")
	f.Close()
	if e := a.until("runs/held", func(e Entry) bool { return e.Holder == "" }); e.Status != Interrupted || !e.Resume {
		t.Errorf("%+v", e)
	}
	ask[Folder](a, "study-resume", held)
	if e := a.ended("runs/held"); e.Status != rths.Completed || e.Done != 4 {
		t.Errorf("%+v", e)
	}
}

// killedIn names the folder in which this program is a workbench that somebody will kill.
const killedIn = "RTHS_TEST_KILLED_IN"

// A program that is killed loses the runs in flight alone; the next one shows the rows and goes on.
func TestKilledProgram(t *testing.T) {
	if dir := os.Getenv(killedIn); dir != "" {
		a := openDesk(t, dir)
		ask[Folder](a, "study-start", ofStudy)
		time.Sleep(time.Minute) // is killed before
		return
	}
	t.Parallel()
	rthstest.Full(t) // the script study_killed kills a study too, TestStopAndResume goes on with one
	points := many()
	dir := folderOf(t, points)
	c := exec.Command(os.Args[0], "-test.run=^TestKilledProgram$")
	c.Env = append(os.Environ(), killedIn+"="+dir)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	a := openDesk(t, dir)
	var folder string
	for begun := time.Now(); folder == ""; time.Sleep(5 * time.Millisecond) {
		l := ask[Listing](a, "studies", after{-1})
		if len(l.Entries) == 1 && l.Entries[0].Done >= 3 {
			folder = l.Entries[0].Folder
		}
		if time.Since(begun) > time.Minute {
			t.Fatalf("no rows in a minute: %+v", l)
		}
	}
	if err := c.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = c.Wait() // says that it was killed
	e := a.until(folder, func(e Entry) bool { return e.Status == Interrupted })
	if !e.Resume || e.Done < 3 || e.Done >= 2*points || e.Holder != "" {
		t.Fatalf("%+v", e)
	}
	if got := ask[Shown](a, "study-show", Folder{Folder: folder}); !strings.Contains(got.HTML, `class="explored"`) {
		t.Errorf("%s, %d bytes: want the rows that were kept", got.Why, len(got.HTML))
	}
	ask[Folder](a, "study-resume", Folder{Folder: folder})
	if e := a.ended(folder); e.Status != rths.Completed {
		t.Errorf("%+v", e)
	}
	if got, want := rows(t, filepath.Join(dir, folder)), whole(t, dir); !slices.Equal(got, want) {
		t.Errorf("%d rows, want %d the same", len(got), len(want))
	}
}

// played is what a scenario gives, as told tells it.
func played(t *testing.T, path, text string) string {
	t.Helper()
	s, err := scenario.NewTemplate(path, []byte(text), filepath.Dir(path), nil)
	if err != nil {
		t.Fatal(err)
	}
	row, err := study.NewBench("").Play(t.Context(), s, nil)
	if err != nil {
		t.Fatal(err)
	}
	return told(row)
}

// told is a row without its time, its numbers to the last bit.
func told(r study.Row) string {
	out := fmt.Sprint(r.Status, r.Reason, r.Verdict, r.Warnings, r.SimulatedS)
	for _, v := range r.Values {
		out += fmt.Sprintf(" %s=%x", v.Name, v.V)
	}
	return out
}

// The scenario of a row runs as the row did, to the bit; also where the study file is no more.
func TestScenarioOfRow(t *testing.T) {
	t.Parallel()
	dir := folderOf(t, 3)
	a := openDesk(t, dir)
	folder := ask[Folder](a, "study-start", ofStudy).Folder
	a.ended(folder)
	p, err := study.NewBench("").LoadPlan(t.Context(), filepath.Join(dir, "study.yaml"), nil)
	if err != nil {
		t.Fatal(err)
	}
	kept, err := study.Look(filepath.Join(dir, folder), p)
	if err != nil {
		t.Fatal(err)
	}
	for _, changed := range []bool{false, true} {
		if changed {
			write(t, filepath.Join(dir, "study.yaml"), fmt.Sprintf(specimens, 2))
		}
		for _, run := range []int{1, 5} {
			got := ask[Text](a, "study-run", Run{folder, "run", run})
			if got.Path != fmt.Sprintf("study-run-%d.yaml", run) || strings.Contains(got.Text, "older program") {
				t.Errorf("%s:\n%.300s", got.Path, got.Text)
			}
			want, _ := kept.Table.Row(run - 1)
			if row := played(t, filepath.Join(dir, got.Path), got.Text); row != told(want) {
				t.Errorf("changed %t, run %d:\n%.300s\nwant\n%.300s", changed, run, row, told(want))
			}
		}
	}
	a.refused("study-run", Run{folder, "run", 7}, "run 7 of", "want 1 to 6")
	a.refused("study-run", Run{folder, "candidate", 1}, "want a run")
	a.refused("study-run", Run{"runs/none", "run", 1}, "runs/none is gone")
}

// A calibration shows its candidates, is stopped, goes on after its last generation, and opens what it has tried.
func TestCalibration(t *testing.T) {
	t.Parallel()
	dir := folderOf(t, 2)
	a := openDesk(t, dir)
	folder := ask[Folder](a, "study-start", Start{Kind: "calibration", Path: "tuned.yaml", Workers: 1}).Folder
	e := a.ended(folder)
	if e.Status != rths.Completed || e.Kind != "calibration" || e.Command != "rths calibrate tuned.yaml --out "+folder {
		t.Fatalf("%+v", e)
	}
	if got := ask[Shown](a, "study-show", Folder{Folder: folder}); !strings.Contains(got.HTML, "Candidates: ") {
		t.Errorf("%s, %d bytes: want the candidates", got.Why, len(got.HTML))
	}
	best, err := os.ReadFile(filepath.Join(dir, folder, "best.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	_, value, _ := strings.Cut(string(best), "lag_ms: ")
	value = value[:strings.IndexAny(value, ",}\n")]
	if got := ask[Text](a, "study-run", Run{folder, "run", 2}); !strings.Contains(got.Text, "lag_ms="+value) {
		t.Errorf("%.400s\nwant lag_ms=%s of the optimum", got.Text, value)
	}
	if got := ask[Text](a, "study-run", Run{folder, "candidate", 3}); got.Path != "tuned-candidate-3.yaml" ||
		!strings.Contains(got.Text, "compensator.lag_ms=") {
		t.Errorf("%s %.400s", got.Path, got.Text)
	}
	a.refused("study-run", Run{folder, "candidate", 1000}, "want 1 to ")
	if got := ask[Text](a, "study-run", Run{folder, "best", 0}); got.Path != "tuned-best.yaml" ||
		!strings.Contains(got.Text, "lag_ms: "+value) {
		t.Errorf("%s\n%.400s\nwant lag_ms: %s", got.Path, got.Text, value)
	}
}

// An advice counts its runs, and is begun again after a stop.
func TestAdvice(t *testing.T) {
	t.Parallel()
	dir := folderOf(t, 2)
	write(t, filepath.Join(dir, "short.yaml"), strings.Replace(base, "duration_s: 20", "duration_s: 1", 1))
	a := openDesk(t, dir)
	a.refused("study-start", Start{Kind: "advice", Path: "short.yaml", Runs: 3}, "too few runs: 3", "want at least")
	folder := ask[Folder](a, "study-start", Start{Kind: "advice", Path: "short.yaml"}).Folder
	e := a.until(folder, some)
	if e.Kind != "advice" || e.Runs != 3000 || !(e.Share > 0) || e.Stage == "" || e.Name != "base" {
		t.Errorf("%+v", e)
	}
	if got := ask[Shown](a, "study-show", Folder{Folder: folder}); got.HTML != "" || got.Why == "" {
		t.Errorf("%+v: want a word that the answer comes", got)
	}
	a.refused("study-run", Run{folder, "run", 1}, "is an advice")
	a.refused("study-run", Run{folder, "best", 0}, "has found no scenario")
	ask[Folder](a, "study-stop", Folder{Folder: folder})
	if e := a.ended(folder); e.Status != rths.Stopped || !e.Resume ||
		e.Command != "rths advise short.yaml --runs 3000 --good-pct 5 --out "+folder {
		t.Errorf("%+v", e)
	}
	if got := ask[Shown](a, "study-show", Folder{Folder: folder}); !strings.Contains(got.HTML, "has not come to its end") {
		t.Errorf("%+v: want the page that says so", got)
	}
	ask[Folder](a, "study-resume", Folder{Folder: folder})
	a.until(folder, some)
}

// What cannot be is refused, and says where and what to do.
func TestWrongInput(t *testing.T) {
	t.Parallel()
	dir := folderOf(t, 2)
	outside := t.TempDir()
	write(t, filepath.Join(outside, "base.yaml"), base)
	write(t, filepath.Join(outside, "motion.csv"), "t_s,a_m_s2\n0,1\n0.1,2\n")
	other, err := os.ReadFile("../../examples/opensees/spring/test.yaml")
	if err != nil {
		t.Fatal(err)
	}
	foreign := strings.Replace(base, "{kind: clough-penzien, duration_s: 20, pga_g: 0.1}",
		"{kind: file, file: "+outside+"/motion.csv}", 1)
	for name, text := range map[string]string{
		"typo.yaml":     "scenario: base.yaml\npoints: 2\nvariables: {specimen.stifness: {kind: uniform, from: 1, to: 2}}\n",
		"gone.yaml":     "scenario: none.yaml\npoints: 2\n",
		"away.yaml":     "scenario: " + outside + "/base.yaml\npoints: 2\n",
		"external.yaml": string(other), "with.yaml": "scenario: external.yaml\npoints: 2\n",
		"foreign.yaml": foreign, "reads.yaml": "scenario: foreign.yaml\npoints: 2\n",
		"sets.yaml": "scenario: base.yaml\npoints: 2\nset: ['ground={kind: file, file: " + outside + "/motion.csv}']\n",
	} {
		write(t, filepath.Join(dir, name), text)
	}
	a := openDesk(t, dir)
	study := func(path string) Start { return Start{Kind: "study", Path: path} }
	a.refused("study-start", Start{Kind: "advice", Path: "typo.yaml"},
		"typo.yaml: found a study: an advice wants its scenario")
	a.refused("study-start", study("typo.yaml"), "typo.yaml:3:13: specimen.stifness: unknown key: did you mean stiffness?")
	a.refused("study-start", study("gone.yaml"), "gone.yaml:1:1: scenario: ", "no such file")
	a.refused("study-start", study("away.yaml"), "outside of the folder of the workbench")
	a.refused("study-start", study("with.yaml"), "another program integrates the structure")
	a.refused("study-start", study("reads.yaml"), "outside of the folder of the workbench")
	a.refused("study-start", study("sets.yaml"), "outside of the folder of the workbench")
	a.refused("study-start", study("none.yaml"), "want a saved file")
	a.refused("study-start", study("../base.yaml"), "want a file in the folder")
	a.refused("study-start", Start{Kind: "calibration", Path: "study.yaml"}, "no keys to tune")
	a.refused("study-start", Start{Kind: "advice", Path: "external.yaml"}, "another program integrates the structure")
	a.refused("study-start", Start{Kind: "song", Path: "study.yaml"}, "want study, calibration or advice")
	a.refused("study-start", Start{Kind: "study", Path: "study.yaml", Workers: -1}, "want 1 to 1000")
	a.refused("study-show", Folder{Folder: "../x"}, "want the folder of a study")
	if l := ask[Listing](a, "studies", after{-1}); len(l.Entries) != 0 {
		t.Errorf("%+v: nothing has begun", l.Entries)
	}
	text, err := os.ReadFile(filepath.Join(dir, "typo.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	got := ask[workbench.Checked](a, "check", workbench.Place{Path: "typo.yaml", Text: string(text)})
	if len(got.Remarks) != 1 || got.OK || !got.Study || got.Remarks[0].Line != 3 || got.Remarks[0].Column != 13 {
		t.Errorf("%+v: want the error at its place in the editor", got)
	}
	right := strings.Replace(string(text), "stifness", "stiffness", 1)
	if got = ask[workbench.Checked](a, "check", workbench.Place{Path: "typo.yaml", Text: right}); !got.OK ||
		!strings.HasPrefix(got.Remarks[0].Text, "2 runs: ") {
		t.Errorf("%+v: want the number of runs", got)
	}
}

// A folder that is removed while its study runs leaves the list, and the program goes on.
func TestFolderRemoved(t *testing.T) {
	t.Parallel()
	dir := folderOf(t, 400)
	a := openDesk(t, dir)
	folder := ask[Folder](a, "study-start", ofStudy)
	a.until(folder.Folder, some)
	if err := os.RemoveAll(filepath.Join(dir, folder.Folder)); err != nil {
		t.Fatal(err)
	}
	a.refused("study-show", folder, "is gone")
	if l := ask[Listing](a, "studies", after{-1}); len(l.Entries) != 0 {
		t.Errorf("%+v", l.Entries)
	}
	ask[Folder](a, "study-stop", folder)
	a.refused("study-resume", folder, "is gone")
	again := ask[Folder](a, "study-start", ofStudy)
	a.until(again.Folder, some)
}
