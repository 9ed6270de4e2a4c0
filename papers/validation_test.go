package papers

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// What an item names as shown by exists: a test function of the package, or a
// command of the program.
func TestValidationNamesExist(t *testing.T) {
	command := regexp.MustCompile(`^(rths [a-z]|go test )`)
	papers, err := Papers()
	if err != nil {
		t.Fatal(err)
	}
	left := maps.Clone(checks)
	for _, p := range papers {
		for _, it := range p.Items {
			delete(left, p.Number+" "+it.Name)
			if err := it.sound(); err != nil {
				t.Errorf("paper %s, %s: %v", p.Number, it.Name, err)
			}
			for _, by := range it.By {
				if command.MatchString(by) {
					continue
				}
				pkg, name, ok := strings.Cut(by, ".")
				if !ok || !hasTest(t, pkg, name) {
					t.Errorf("paper %s, %s: %q: want a command, or package.Test of a test that exists", p.Number, it.Name, by)
				}
			}
		}
	}
	for name := range left {
		t.Errorf("a check of %s: there is no such item", name)
	}
}

// sound wants what shows an item and why where it is owed.
func (it Item) sound() error {
	switch {
	case it.Name == "" || it.What == "":
		return fmt.Errorf("want a name and what it says")
	case !slices.Contains(statuses, it.Status):
		return fmt.Errorf("status %q: want one of %q", it.Status, statuses)
	case it.Status == Reproduced && len(it.By) == 0:
		return fmt.Errorf("reproduced: want what shows it")
	case (it.Status == Different || it.Status == Cannot) && it.Why == "":
		return fmt.Errorf("%s: want why", it.Status)
	}
	return nil
}

// hasTest looks for the test function among the package's test files. The root
// package is called rths.
func hasTest(t *testing.T, pkg, name string) bool {
	dir := filepath.Join("..", filepath.FromSlash(pkg))
	if pkg == "rths" {
		dir = ".."
	}
	files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), "func "+name+"(t *testing.T)") {
			return true
		}
	}
	return false
}

// An item whose numbers do not hold is not printed as reproduced.
func TestValidationRefusesFalseClaims(t *testing.T) {
	off := func(*Evidence) ([]Finding, error) { return []Finding{Within("J2", 3, 2, 0.5, "%")}, nil }
	var out strings.Builder
	it := Item{Name: "Table 1", What: "x", Status: Reproduced}
	for _, it.Status = range []Status{Reproduced, Inferred, Structural} {
		if _, err := it.write(&out, nil, off, 0); err == nil {
			t.Errorf("%s: printed 3 %% beside 2 %% within 0.5", it.Status)
		}
	}
	it.Status, it.Why = Different, "of noise"
	if figures, err := it.write(&out, nil, off, 0); err != nil || figures != 1 {
		t.Errorf("%d figures, error %v: want 1", figures, err)
	}
	if want := "| Table 1 | x |  | J2 3 % | 2 % | ± 0.5 % | different because of noise |\n"; out.String() != want {
		t.Errorf("row %q: want %q", out.String(), want)
	}
}

// Paper 002, section 4.2: the "true parameters" are those of the second-order
// plant held for a sample, with the numerator lumped (errata 002.2).
func TestNingTrueParameters(t *testing.T) {
	for i, want := range []float64{6777, -13421, 6646} {
		if x := ningTrueParameters()[i]; !(x > want-1 && x < want+1) {
			t.Errorf("x%d = %.1f: want %.0f", i+1, x, want)
		}
	}
}
