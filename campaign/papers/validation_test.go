package papers

import (
	"context"
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rths/kit/rthstest"
)

// What an item names as shown by exists: a test function of the package, or a
// command of the program. What it claims as a number has a check. CI runs the tests by name
// (.ci/named).
func TestValidationNamesExist(t *testing.T) {
	papers, err := Papers()
	if err != nil {
		t.Fatal(err)
	}
	left := maps.Clone(checks)
	for _, p := range papers {
		for _, it := range p.Items {
			delete(left, p.Number+" "+it.Name)
			if err := it.sound(p, checks[p.Number+" "+it.Name] != nil); err != nil {
				t.Errorf("paper %s, %s: %v", p.Number, it.Name, err)
			}
			for _, by := range it.Tests() {
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

// sound wants what shows an item, why where it is owed, and a check that backs a claimed
// number.
func (it Item) sound(p Paper, checked bool) error {
	claims := it.Status.claims()
	_, own := p.fitted(it)
	switch {
	case it.Name == "" || it.What == "":
		return fmt.Errorf("want a name and what it says")
	case !slices.Contains(statuses, it.Status):
		return fmt.Errorf("status %q: want one of %q", it.Status, statuses)
	case claims && (len(it.By) == 0 || !checked):
		return fmt.Errorf("%s: want what shows it, and a check of its number", it.Status)
	case it.Status == Structural && len(it.Tests()) == 0:
		return fmt.Errorf("structural: want a test")
	case (it.Status == Inferred || it.Status == Fitted) != (len(it.Settings) > 0):
		return fmt.Errorf("%s with %d settings: want settings of inferred and fitted items, and of no others", it.Status,
			len(it.Settings))
	case (it.Status == Fitted) != own:
		return fmt.Errorf("%s: want %q if a setting is fitted to the item itself, and only then", it.Status, Fitted)
	case (it.Status == Different || it.Status == Cannot) && it.Why == "":
		return fmt.Errorf("%s: want why", it.Status)
	}
	for _, name := range it.Settings {
		if !slices.ContainsFunc(p.Settings, func(s Setting) bool { return s.Name == name && s.Why != "" }) {
			return fmt.Errorf("setting %q: want it among the paper's settings, with why", name)
		}
	}
	return nil
}

// Every setting of a paper is used by an item.
func TestValidationSettingsAreUsed(t *testing.T) {
	papers, err := Papers()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range papers {
		for _, s := range p.Settings {
			if !slices.ContainsFunc(p.Items, func(it Item) bool { return slices.Contains(it.Settings, s.Name) }) {
				t.Errorf("paper %s: no item has the setting %q", p.Number, s.Name)
			}
		}
	}
}

// hasTest looks for the test function among the package's test files. The root
// package is called rths.
func hasTest(t *testing.T, pkg, name string) bool {
	dir := rthstest.Must(FolderOf(filepath.Join("..", ".."), pkg))
	files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if ok, err := build.Default.MatchFile(dir, filepath.Base(f)); err != nil || !ok {
			continue // for another system
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), f, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range parsed.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.Name == name {
				return true
			}
		}
	}
	return false
}

// An item whose numbers do not hold is not printed as reproduced.
func TestValidationRefusesFalseClaims(t *testing.T) {
	off := func(context.Context, *Evidence) ([]Finding, error) {
		return []Finding{within("J2", 3, 2, 0.5, "%")}, nil
	}
	var out strings.Builder
	it := Item{Name: "Table 1", What: "x", Status: Reproduced}
	for _, it.Status = range []Status{Reproduced, Inferred, Fitted, Structural} {
		if _, err := it.write(t.Context(), &out, nil, off, 0); err == nil {
			t.Errorf("%s: printed 3 %% beside 2 %% within 0.5", it.Status)
		}
	}
	for status, findings := range map[Status][]Finding{
		Reproduced: {note("J2", "3 %")},                                                    // nothing published
		Inferred:   {{What: "J2", Published: "2 %", Limit: none, Figures: 1, Holds: true}}, // no limit
		Structural: {within("J2", 2, 2, 0.5, "%")},                                         // a number
	} {
		it.Status = status
		if err := it.claim(findings); err == nil {
			t.Errorf("%s: accepted %+v", status, findings)
		}
	}
	it.Status, it.Why = Different, "of noise"
	if figures, err := it.write(t.Context(), &out, nil, off, 0); err != nil || figures != 1 {
		t.Errorf("%d figures, error %v: want 1", figures, err)
	}
	if want := "| Table 1 | x |  | J2 3 % | 2 % | ± 0.5 % | different because of noise |\n"; out.String() != want {
		t.Errorf("row %q: want %q", out.String(), want)
	}
}

// Paper 002, section 4.2: the "true parameters" are central differences of the plant (errata 002.2), with
// which 1 = x1 + x2 + x3, and the printed x0 is 0.8583 of them.
func TestNingTrueParameters(t *testing.T) {
	x := ningTrueParameters()
	if sum := x[0] + x[1] + x[2]; math.Abs(sum-1) > 1e-11 {
		t.Errorf("sum %g: want 1", sum)
	}
	for i, printed := range []float64{0.6777, -1.3422, 0.6646} {
		rthstest.Near(t, fmt.Sprintf("x%d", i+1), x[i]/1e4, printed, 0.5e-4)
	}
	for i, printed := range []float64{0.5817, -1.1520, 0.5704} {
		rthstest.Near(t, fmt.Sprintf("x%d of x0", i+1), 0.8583*x[i]/1e4, printed, 0.5e-4)
	}
}
