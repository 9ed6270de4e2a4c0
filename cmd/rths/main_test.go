package main

import (
	"bytes"
	"errors"
	"flag"
	"io"
	"log"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"go.uber.org/goleak"

	"rths/campaign/papers"
	"rths/kit/rthstest"
)

// TestMain makes the command rths of this binary, for tests that need a process of its own.
// It fails if a goroutine is left when all tests are done, but for idle's: that waits until
// the program ends.
func TestMain(m *testing.M) {
	// rths-…: a copy for the tasks of a cluster
	if name := strings.TrimSuffix(filepath.Base(os.Args[0]), exe); name == "rths" || strings.HasPrefix(name, "rths-") {
		main()
	}
	os.Exit(withCommand(m))
}

// exe is how the name of a program ends.
var exe = map[bool]string{true: ".exe"}[runtime.GOOS == "windows"]

// patience is how long a test waits for a state that must come: no demand, since the machine may have other work.
const patience = 3 * time.Minute

func withCommand(m *testing.M) int {
	bin, err := os.MkdirTemp("", "rths")
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(bin) }()
	binary, err := os.Executable()
	if err == nil {
		err = link(binary, filepath.Join(bin, "rths"+exe))
	}
	if err == nil { // nobody has examined the machine of these tests
		err = os.Setenv("XDG_STATE_HOME", filepath.Join(bin, "state"))
	}
	if err == nil {
		err = os.Setenv("PATH", bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
	}
	if err != nil {
		log.Fatal(err)
	}
	// Drills of tests in the laboratory wait most of their time: more of them at once than processors.
	if err := flag.Set("test.parallel", "10"); err != nil {
		log.Fatal(err)
	}
	rthstest.FewCollections()
	status := m.Run()
	if err := goleak.Find(goleak.IgnoreAnyFunction("rths/cmd/rths.(*stopControl).idle.func1")); err != nil && status == 0 {
		log.Print(err)
		status = 1
	}
	return status
}

// link makes a second name of a program. Windows wants rights for that: there it is a copy.
func link(program, name string) error {
	if runtime.GOOS != "windows" {
		return os.Symlink(program, name)
	}
	raw, err := os.ReadFile(program)
	if err != nil {
		return err
	}
	return os.WriteFile(name, raw, 0o755)
}

// The scripts under testdata are how the commands are used; read them as a
// manual.
func TestScripts(t *testing.T) {
	testscript.RunT(inTurn{t}, params(scripts(t)...))
}

// alone are scripts that wait most of their time and whose every command is a process of its own, so that they need
// not be the only one in the working folder.
var alone = []string{"testdata/doctor.txt", "testdata/rig_silent.txt"}

// These scripts run beside the drills.
func TestScriptsOfProcesses(t *testing.T) {
	rthstest.Long(t)
	t.Parallel()
	testscript.Run(t, params(alone...))
}

func params(files ...string) testscript.Params {
	return testscript.Params{
		Files: files,
		Setup: func(e *testscript.Env) error {
			sources, err := filepath.Abs("../..")
			e.Vars = append(e.Vars, "SOURCES="+sources, "RTHS_RECORDS="+os.Getenv("RTHS_RECORDS"),
				"SLURM_CONF="+os.Getenv("SLURM_CONF"))
			return err
		},
		Condition: func(cond string) (bool, error) {
			switch cond {
			case "records":
				return os.Getenv("RTHS_RECORDS") != "", nil
			case "slurm":
				return os.Getenv("RTHS_SLURM") == "1", nil
			}
			return cond == "full" && rthstest.Draws(0, 1) == 1, nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"rths": runHere, "frame": writeFrame},
	}
}

// together are the scripts of commands that run several things at a time. With -short, as under the
// race detector, they run alone.
var together = []string{"advise", "benchmark", "calibrate", "cluster", "executor", "rig", "run", "runs", "stability",
	"stop", "study", "study_killed", "test"}

func scripts(t *testing.T) []string {
	t.Helper()
	all, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(all) < len(together) {
		t.Fatalf("%d scripts, %v", len(all), err)
	}
	if !testing.Short() {
		return slices.DeleteFunc(all, func(path string) bool { return slices.Contains(alone, filepath.ToSlash(path)) })
	}
	var out []string
	for _, name := range together {
		path := filepath.Join("testdata", name+".txt")
		if !slices.Contains(all, path) {
			t.Fatalf("no script %s", path)
		}
		out = append(out, path)
	}
	return out
}

// inTurn runs one script after the other: they share the working folder.
type inTurn struct{ *testing.T }

func (t inTurn) Parallel()     {}
func (t inTurn) Verbose() bool { return testing.Verbose() }

func (t inTurn) Run(name string, f func(testscript.T)) {
	t.T.Run(name, func(t *testing.T) { f(inTurn{t}) })
}

// runHere is the command rths ARGUMENTS within the test's process; exec rths is one of its own.
func runHere(ts *testscript.TestScript, fails bool, args []string) {
	before, err := os.Getwd()
	ts.Check(err)
	ts.Check(os.Chdir(ts.MkAbs(".")))
	records := os.Getenv("RTHS_RECORDS")
	ts.Check(os.Setenv("RTHS_RECORDS", ts.Getenv("RTHS_RECORDS")))
	defer func() { ts.Check(errors.Join(os.Setenv("RTHS_RECORDS", records), os.Chdir(before))) }()
	var printed strings.Builder
	stdout, stderr := asOnLinux(ts.Stdout()), asOnLinux(ts.Stderr())
	status := run(args, io.MultiWriter(stdout, &printed), io.MultiWriter(stderr, &printed))
	ts.Check(errors.Join(stdout.Close(), stderr.Close()))
	if len(args) == 2 && args[0] == "lint" && strings.HasSuffix(args[1], ".yaml") {
		wantSameRemarks(ts, args[1], status == exitDone, printed.String())
	}
	if (status != exitDone) != fails {
		ts.Fatalf("exit status %d", status)
	}
}

// asOnLinux has what a command prints on Windows as on Linux: slashes in paths, and the system's words for errors.
func asOnLinux(to io.Writer) io.WriteCloser {
	if runtime.GOOS != "windows" {
		return asPrinted{to}
	}
	return &fromWindows{to: to}
}

type asPrinted struct{ io.Writer }

func (asPrinted) Close() error { return nil }

type fromWindows struct {
	bytes.Buffer
	to io.Writer
}

var (
	between      = regexp.MustCompile(`([\w.…})-])\\+([\w.…{(-])`)
	systemsWords = strings.NewReplacer(
		"GetFileAttributesEx", "stat", "CreateFile", "open",
		// Windows, and Wine
		"The system cannot find the file specified.", "no such file or directory",
		"The system cannot find the path specified.", "no such file or directory",
		"File not found.", "no such file or directory",
		"Path not found.", "no such file or directory",
	)
)

func (w *fromWindows) Close() error {
	text := systemsWords.Replace(w.String())
	if strings.HasPrefix(text, "{") { // JSON: its other escapes stay
		text = strings.ReplaceAll(text, `\\`, "/")
	} else {
		text = between.ReplaceAllString(text, "$1/$2")
	}
	_, err := io.WriteString(w.to, text)
	return err
}

// writeFrame is the command frame N FILE: a scenario too long for a script.
func writeFrame(ts *testscript.TestScript, _ bool, args []string) {
	n, err := strconv.Atoi(args[0])
	ts.Check(err)
	list := func(v string) string { return "[" + strings.Repeat(v+", ", n-1) + v + "]" }
	text := "name: frame\nrate_hz: 1024\n" +
		"ground: {kind: sine, duration_s: 0.5, frequency_hz: 2, amplitude_m_s2: 1}\n" +
		"structure: {kind: shear, masses: " + list("1000") + ", stiffnesses: " + list("1e8") +
		", damping: {rayleigh: {ratio: 0.02, freq_hz: [1, 10]}}}\n" +
		"integrator: {kind: central-difference}\n" +
		"specimen: {kind: linear, mass: 20, damping: 300, stiffness: 1e5}\n" +
		"transfer: {kind: second-order, omega_rad_s: 150, damping_ratio: 0.8}\n"
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(text), 0o644))
}

// Every suite of the benchmark draws by --out.
func TestEverySuiteHasOut(t *testing.T) {
	for _, s := range papers.Suites {
		if out := suiteCommand(&app{}, s).Flags().Lookup("out"); out == nil || !strings.HasPrefix(out.Usage, "folder for ") {
			t.Errorf("rths benchmark %s has no --out", s.Name)
		}
	}
}
