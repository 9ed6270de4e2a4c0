package rthstest

import (
	"math"
	"strings"
	"testing"

	"rths"
)

// TB is what the comparisons need of a test; testing's and rapid's have it.
type TB interface {
	Helper()
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// Near wants |got − want| ≤ tol, and says whether that is so.
func Near(t TB, what string, got, want, tol float64) bool {
	t.Helper()
	d := math.Abs(got - want)
	if !(d <= tol) {
		t.Errorf("%s = %.15g: want %.15g within %.2g (difference %.2g)", what, got, want, tol, d)
	}
	return d <= tol
}

// WantError wants an error that says text.
func WantError(t TB, err error, text string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), text) {
		t.Errorf("error %v: want one that says %q", err, text)
	}
}

// Must is v of what cannot fail in a test.
func Must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// Value is one value of a summary.
func Value(t TB, list []rths.Value, name string) float64 {
	t.Helper()
	for _, v := range list {
		if v.Name == name {
			return v.V
		}
	}
	t.Fatalf("no %s among %v", name, list)
	return 0
}

// Contains wants every part in a text.
func Contains(t testing.TB, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("the text lacks %q", part)
		}
	}
}
