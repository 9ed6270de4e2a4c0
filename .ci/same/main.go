// Command same asks whether the program still does what it did before a change that must not be seen:
//
//	go run ./.ci/same -old dist/rths-before -new ./rths
//
// It runs both programs through the commands of jobs.go: every shipped scenario, study and suite, exports, reports,
// analyses, pages of help. It compares exit status, texts on the terminal and every file word by word: so keys
// and values of JSON documents and manifests, and bytes of C. Of files without text (frames.arrow) it compares hashes.
//
// The old program runs twice. What it does not repeat itself, as a date or a time of
// computation, is not compared; same prints how many such words there are, and which files it does not compare
// because even the number of their words differs. Exit status 1: something differs.
package main

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"
)

func main() {
	before := flag.String("old", "", "program before the change")
	after := flag.String("new", "", "program with the change")
	only := flag.String("only", "", "jobs whose name contains this")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	differences, err := same(ctx, *before, *after, *only)
	if err != nil {
		fmt.Fprintln(os.Stderr, "same:", err)
		os.Exit(2)
	}
	if differences > 0 {
		os.Exit(1)
	}
}

// same runs all jobs and prints what differs.
func same(ctx context.Context, before, after, only string) (differences int, err error) {
	root, err := filepath.Abs(".")
	if err != nil {
		return 0, err
	}
	list, err := jobs(root)
	if err != nil {
		return 0, err
	}
	var total comparison
	for _, j := range list {
		if !strings.Contains(j.name, only) {
			continue
		}
		trees, err := j.runAll(ctx, root, []string{before, before, after})
		if err != nil {
			return 0, fmt.Errorf("%s: %w", j.name, err)
		}
		c := compare(trees[0], trees[1], trees[2])
		for _, d := range c.differences {
			fmt.Printf("%s: %s\n", j.name, d)
		}
		for i, name := range c.loose {
			c.loose[i] = j.name + ": " + name
		}
		total.add(c)
	}
	for _, name := range total.loose {
		fmt.Printf("not compared: %s\n", name)
	}
	fmt.Printf("%d texts and values, %d words alike, %d words and %d texts that the old program does not repeat, %d "+
		"differences\n",
		total.texts, total.words, total.volatile, len(total.loose), len(total.differences))
	return len(total.differences), nil
}

// tree is what a job leaves: the words of the terminal, of each file and of each value of a JSON document.
type tree map[string][]string

// add takes a text: a JSON document by its keys, any other word by word.
func (t tree) add(name, text string) {
	var document any
	if json.Unmarshal([]byte(text), &document) == nil {
		t.addValue(name, document)
		return
	}
	t[name] = words(measured.ReplaceAllString(text, "MEASURED"))
}

func (t tree) addValue(path string, value any) {
	switch v := value.(type) {
	case map[string]any:
		delete(v, "timing") // of the processor, in the manifest of a test
		if v["unit"] == "bytes" {
			delete(v, "limit") // room that is free
		}
		for key, of := range v {
			t.addValue(path+"/"+key, of)
		}
	case []any:
		for i, of := range v {
			t.addValue(fmt.Sprintf("%s/%d", path, i), of)
		}
	default:
		t[path] = words(measured.ReplaceAllString(fmt.Sprint(v), "MEASURED"))
	}
}

// measured are the hash of the program and GUIDs made from it, and instants, times and room,
// which two runs may share by chance.
var measured = regexp.MustCompile(
	`binary [\w-]+|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d{4}-\d\d-\d\d[T ][\d:.]+Z?|simulated in .* real time|` +
		`\d+ of \d+ ticks were late.*|[\d.]+ [MG]B free`)

// runAll runs a job with several programs, two at once; one by one where a rig is at an address.
func (j job) runAll(ctx context.Context, root string, programs []string) ([]tree, error) {
	trees, errs := make([]tree, len(programs)), make([]error, len(programs))
	var group sync.WaitGroup
	places := make(chan struct{}, 2)
	if j.beside != nil {
		places = make(chan struct{}, 1)
	}
	for i, p := range programs {
		group.Go(func() {
			places <- struct{}{}
			defer func() { <-places }()
			trees[i], errs[i] = j.run(ctx, root, p)
		})
	}
	group.Wait()
	return trees, errors.Join(errs...)
}

// run runs the commands of a job in a new folder and collects what they leave.
func (j job) run(ctx context.Context, root, program string) (tree, error) {
	program, err := filepath.Abs(program)
	if err != nil {
		return nil, err
	}
	folder, err := os.MkdirTemp("", "same")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	for name, text := range j.files {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			return nil, err
		}
	}
	if j.beside != nil {
		beside := exec.CommandContext(ctx, program, j.beside...)
		beside.Dir = folder
		if err := beside.Start(); err != nil {
			return nil, err
		}
		defer beside.Wait()
		defer beside.Process.Signal(os.Interrupt)
	}
	// Paths of the program, the folder and the tree never differ in length or words.
	short := strings.NewReplacer(folder, "FOLDER", program, "PROGRAM", root, "ROOT")
	t := tree{}
	for i, args := range j.commands {
		cmd := exec.CommandContext(ctx, program, args...)
		cmd.Dir = folder
		var out, errText strings.Builder
		cmd.Stdout, cmd.Stderr = &out, &errText
		runErr := cmd.Run()
		if cmd.ProcessState == nil {
			return nil, runErr
		}
		at := fmt.Sprintf("command %d (rths %s), ", i+1, short.Replace(strings.Join(args, " ")))
		t[at+"exit status"] = []string{fmt.Sprint(cmd.ProcessState.ExitCode())}
		t.add(at+"standard output", short.Replace(out.String()))
		t.add(at+"standard error", short.Replace(errText.String()))
	}
	return t, t.collect(folder, short)
}

// collect reads the files of a folder.
func (t tree) collect(folder string, short *strings.Replacer) error {
	return filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasPrefix(d.Name(), "catalogue.") {
			return err
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(folder, path)
		if err != nil {
			return err
		}
		return t.addFile(name, content, short)
	})
}

// addFile adds a text, the files of an FMU, or the hash of any other file.
func (t tree) addFile(name string, content []byte, short *strings.Replacer) error {
	switch {
	case filepath.Ext(name) == ".fmu":
		archive, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
		if err != nil {
			return err
		}
		return fs.WalkDir(archive, ".", func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			part, err := fs.ReadFile(archive, path)
			if err != nil {
				return err
			}
			return t.addFile(name+"/"+path, part, short)
		})
	case utf8.Valid(content):
		t.add(name, short.Replace(string(content)))
	default:
		sum := sha256.Sum256(content)
		t[name] = []string{hex.EncodeToString(sum[:])}
	}
	return nil
}
