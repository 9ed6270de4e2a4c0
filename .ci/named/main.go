// Command named runs every test that docs/internals/validation.md names, by its name:
//
//	go run ./.ci/named
//	go run ./.ci/named LOG
//
// With LOG, what go test -v ./... has printed, it looks there for their results, and does not
// run them again. It fails if a named test does not exist, is skipped or fails. Then it runs the
// tests of the structural rows without recorded motions: each such row needs one that passes.
// Without RTHS_RECORDS only the second run is made.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path"
	"slices"
	"strings"

	"rths/campaign/papers"
)

func main() {
	problems, err := check()
	for _, p := range problems {
		fmt.Fprintln(os.Stderr, p)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "named:", err)
	}
	if err != nil || len(problems) > 0 {
		os.Exit(1)
	}
}

// check runs the tests and says of which rows it has something to complain about.
func check() (problems []string, err error) {
	all, err := papers.Papers()
	if err != nil {
		return nil, err
	}
	if records := os.Getenv("RTHS_RECORDS"); records != "" {
		var results map[string]string
		if len(os.Args) > 1 {
			results, err = printed(os.Args[1])
		} else {
			results, err = run(named(all, func(papers.Item) bool { return true }), records)
		}
		if err != nil {
			return nil, err
		}
		each(all, func(row string, it papers.Item) {
			for _, name := range it.Tests() {
				if r := results[name]; r != "pass" {
					problems = append(problems, fmt.Sprintf("%s: %s: %s", row, name, told(r)))
				}
			}
		})
	}
	structural := func(it papers.Item) bool { return it.Status == papers.Structural }
	results, err := run(named(all, structural), "")
	if err != nil {
		return nil, err
	}
	each(all, func(row string, it papers.Item) {
		if structural(it) && !slices.ContainsFunc(it.Tests(), func(name string) bool { return results[name] == "pass" }) {
			problems = append(problems, fmt.Sprintf("%s: none of %v passes without RTHS_RECORDS", row, it.Tests()))
		}
	})
	return problems, nil
}

func told(result string) string {
	if result == "" {
		return "does not exist"
	}
	return result
}

func each(all []papers.Paper, do func(row string, it papers.Item)) {
	for _, p := range all {
		for _, it := range p.Items {
			do("paper "+p.Number+", "+it.Name, it)
		}
	}
}

// named are the names of the tests of some items, by package.
func named(all []papers.Paper, take func(papers.Item) bool) map[string][]string {
	tests := map[string][]string{}
	each(all, func(_ string, it papers.Item) {
		if !take(it) {
			return
		}
		for _, name := range it.Tests() {
			pkg, test, _ := strings.Cut(name, ".")
			if !slices.Contains(tests[pkg], test) {
				tests[pkg] = append(tests[pkg], test)
			}
		}
	})
	return tests
}

// printed are the results in what go test -v ./... has printed: those of a package stand before its own line.
func printed(log string) (map[string]string, error) {
	text, err := os.ReadFile(log)
	if err != nil {
		return nil, err
	}
	results, mine := map[string]string{}, map[string]string{}
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		switch {
		case strings.HasPrefix(line, "--- ") && len(words) > 2:
			mine[words[2]] = strings.ToLower(strings.TrimSuffix(words[1], ":"))
		case (strings.HasPrefix(line, "ok ") || strings.HasPrefix(line, "FAIL\t")) && len(words) > 1:
			for name, r := range mine {
				results[path.Base(words[1])+"."+name] = r
			}
			clear(mine)
		}
	}
	return results, nil
}

// run runs the tests and returns pass, skip or fail by package.Test. A package that does
// not build has no results.
func run(tests map[string][]string, records string) (map[string]string, error) {
	results := map[string]string{}
	for pkg, names := range tests {
		slices.Sort(names) // the same command each time: go test has its result in the cache
		dir, err := papers.FolderOf(".", pkg)
		if err != nil {
			return nil, err
		}
		c := exec.Command("go", "test", "-json", "-run", "^("+strings.Join(names, "|")+")$", "./"+dir)
		c.Env = append(os.Environ(), "RTHS_RECORDS="+records)
		c.Stderr = os.Stderr
		out, err := c.Output()
		if err != nil && len(out) == 0 {
			return nil, fmt.Errorf("%v: %w", c.Args, err)
		}
		for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
			var e struct{ Action, Test string }
			if json.Unmarshal(lines.Bytes(), &e) == nil && slices.Contains([]string{"pass", "skip", "fail"}, e.Action) &&
				e.Test != "" {
				results[pkg+"."+e.Test] = e.Action
			}
		}
	}
	return results, nil
}
