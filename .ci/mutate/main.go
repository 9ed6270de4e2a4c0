// Command mutate asks whether a package's tests notice mistakes. It makes one small
// mistake at a time (a mutant), runs the package's own tests, and prints each mutant
// that the tests let pass (a survivor):
//
//	go run ./.ci/mutate -pkg ./method/stability -n 100 -seed 1
//
// The mistakes: a comparison moved by its boundary or turned round, + for -, * for /,
// && for ||, another number, an assignment, a call or an early exit left out (mutants.go).
// The seed draws n of them from the package's files; a mutant that does not compile is
// drawn again. A mutant that hangs, or uses much more of the machine than the sound tests
// (watch.go), counts as noticed. No file of the tree changes: the compiler reads the mutated
// file from an overlay.
//
// Only the tests in the package's own folder decide. A mistake that only another
// package's tests would notice is a survivor, the stricter reading.
//
// equivalent.txt lists the mutants that no test can notice, each with its reason. They
// are not drawn.
package main

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"flag"
	"fmt"
	"go/build"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

//go:embed equivalent.txt
var equivalentText string

// atOnce is how many mutants run at the same time.
const atOnce = 2

func main() {
	pkg := flag.String("pkg", "", "folder of the package, as in ./method/stability")
	n := flag.Int("n", 100, "how many mutants")
	seed := flag.Uint64("seed", 1, "which mutants")
	match := flag.String("file", "", "only files whose name contains one of these words, separated by commas")
	flag.Parse()
	if err := mutate(*pkg, *n, *seed, *match); err != nil {
		fmt.Fprintln(os.Stderr, "mutate:", err)
		os.Exit(1)
	}
}

func mutate(pkg string, n int, seed uint64, match string) error {
	all, err := collect(pkg, match)
	if err != nil {
		return err
	}
	known, err := readEquivalent(equivalentText)
	if err != nil {
		return err
	}
	rng := rand.New(rand.NewPCG(seed, 0))
	rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	drawn, equivalent := known.without(all)
	if match == "" {
		known.warnUnmatched(pkg, all)
	}

	work, err := os.MkdirTemp("", "mutate")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	b := bench{pkg: pkg, work: work}
	if err := b.prepare(); err != nil {
		return err
	}
	tally := b.run(drawn, n)
	fmt.Printf("%s, seed %d: survived %d of %d (%.0f %%)\n", pkg, seed, tally[survived], tally[survived]+tally[noticed],
		100*float64(tally[survived])/float64(max(tally[survived]+tally[noticed], 1)))
	fmt.Printf("%d possible, %d listed as equivalent, %d drawn did not compile\n", len(all), equivalent, tally[broken])
	return nil
}

// A verdict is the result of a mutant.
type verdict int

const (
	noticed  verdict = iota // the tests failed or hung
	survived                // the tests passed
	broken                  // the mutant does not compile
)

// A bench runs the tests of one package against one mutant at a time.
type bench struct {
	pkg    string
	work   string   // folder for overlays and test binaries
	flags  []string // for the test binary
	slow   string   // the tests that take most of the time, as a pattern; "": none
	bounds bounds
}

// prepare runs the tests of the package as it is: they have to pass, and what they use sets the bounds of a mutant.
func (b *bench) prepare() error {
	deps, err := exec.Command("go", "list", "-deps", "-test", b.pkg).Output()
	if err != nil {
		return fmt.Errorf("go list %s: %w", b.pkg, err)
	}
	b.flags = []string{"-test.failfast", "-test.count=1"}
	if strings.Contains(string(deps), "pgregory.net/rapid\n") {
		// The same draws for every mutant, no minutes of shrinking, no file of failures.
		b.flags = append(b.flags, "-rapid.seed=1", "-rapid.shrinktime=1ms", "-rapid.nofailfile")
	}
	b.bounds = most(time.Hour)
	bin, out, err := b.build("plain", "")
	if err != nil {
		return fmt.Errorf("%s does not compile: %s", b.pkg, out)
	}
	out, cpu, err := b.test(bin, "-test.v")
	if err != nil {
		return fmt.Errorf("the tests of %s fail without any mutant: %w\n%s", b.pkg, err, out)
	}
	b.bounds = most(cpu)
	b.slow = slowTests(out)
	return nil
}

var passed = regexp.MustCompile(`(?m)^--- PASS: (\w+) \(([0-9.]+)s\)`)

// slowTests is a pattern of the tests that take more than a tenth of the time each: they run
// after the others, which find most mutants.
func slowTests(out string) string {
	lines := passed.FindAllStringSubmatch(out, -1)
	took := make([]float64, len(lines))
	total := 0.0
	for i, l := range lines {
		took[i], _ = strconv.ParseFloat(l[2], 64)
		total += took[i]
	}
	var slow []string
	for i, l := range lines {
		if took[i] > max(total/10, 0.2) {
			slow = append(slow, l[1])
		}
	}
	if slow == nil {
		return ""
	}
	return "^(" + strings.Join(slow, "|") + ")$"
}

// run tries mutants in order until n have compiled, prints each survivor and returns how many
// met each verdict.
func (b *bench) run(mutants []mutant, n int) map[verdict]int {
	tally := map[verdict]int{}
	for wanted := n; wanted > 0 && len(mutants) > 0; wanted = n - tally[noticed] - tally[survived] {
		batch := mutants[:min(wanted, len(mutants))]
		mutants = mutants[len(batch):]
		for i, v := range b.tryAll(batch) {
			tally[v]++
			if v == survived {
				fmt.Println(batch[i].describe())
			}
		}
	}
	return tally
}

func (b *bench) tryAll(batch []mutant) []verdict {
	verdicts := make([]verdict, len(batch))
	slots := make(chan struct{}, atOnce)
	var wait sync.WaitGroup
	for i := range batch {
		slots <- struct{}{}
		wait.Go(func() {
			verdicts[i] = b.try(fmt.Sprint(i), &batch[i])
			<-slots
		})
	}
	wait.Wait()
	return verdicts
}

// try builds the package's tests with the mutant in place of its file and runs them.
func (b *bench) try(name string, m *mutant) verdict {
	mutated := filepath.Join(b.work, name+".go")
	overlay := filepath.Join(b.work, name+".json")
	original, err := filepath.Abs(m.file)
	must(err)
	table, err := json.Marshal(map[string]map[string]string{"Replace": {original: mutated}})
	must(err)
	must(os.WriteFile(mutated, m.source(), 0o644))
	must(os.WriteFile(overlay, table, 0o644))
	bin, _, err := b.build(name, overlay)
	if err != nil {
		return broken
	}
	defer os.Remove(bin)
	runs := [][]string{nil}
	if b.slow != "" {
		runs = [][]string{{"-test.skip", b.slow}, {"-test.run", b.slow}}
	}
	for _, flags := range runs {
		if _, _, err := b.test(bin, flags...); err != nil {
			return noticed
		}
	}
	return survived
}

// build makes the test binary; its path, what the compiler said, and its error.
func (b *bench) build(name, overlay string) (bin, out string, err error) {
	bin, err = filepath.Abs(filepath.Join(b.work, name+".test"))
	must(err)
	text, err := exec.Command("go", "test", "-c", "-vet=off", "-ldflags=-s -w", "-overlay="+overlay, "-o", bin,
		b.pkg).CombinedOutput()
	return bin, string(text), err
}

// test runs a test binary in the package's folder, as go test does.
func (b *bench) test(bin string, flags ...string) (out string, cpu time.Duration, err error) {
	return b.command(bin, append(slices.Clone(b.flags), flags...)...)
}

// command runs a program in the package's folder, in a session of its own, which is killed as soon as it leaves its
// bounds. The processes that a test has started end with it. cpu is the time of the processors that it took.
func (b *bench) command(name string, args ...string) (out string, cpu time.Duration, err error) {
	ctx, end := context.WithCancelCause(context.Background())
	defer end(nil)
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.SysProcAttr = b.pkg, &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second // for what has left the session and holds its output
	var text bytes.Buffer
	cmd.Stdout, cmd.Stderr = &text, &text
	if err := cmd.Start(); err != nil {
		return "", 0, err
	}
	go b.bounds.watch(ctx, cmd.Process.Pid, end)
	err = cmd.Wait()
	_ = cmd.Cancel() // the processes that it has left
	if why := context.Cause(ctx); why != nil {
		err = why
	}
	return text.String(), cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), err
}

// collect makes every mutant of the package's files, outside its tests.
func collect(pkg, match string) ([]mutant, error) {
	p, err := build.ImportDir(pkg, 0)
	if err != nil {
		return nil, err
	}
	var all []mutant
	for _, name := range p.GoFiles {
		if !containsAny(name, match) {
			continue
		}
		of, err := mutantsOf(filepath.Join(pkg, name))
		if err != nil {
			return nil, err
		}
		all = append(all, of...)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("no file of %s contains one of %q: nothing to mutate", pkg, match)
	}
	return all, nil
}

func containsAny(name, words string) bool {
	for word := range strings.SplitSeq(words, ",") {
		if strings.Contains(name, word) {
			return true
		}
	}
	return false
}

// must ends the program: its own folder is not writable, which no mutant is to blame for.
func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutate:", err)
		os.Exit(1)
	}
}
