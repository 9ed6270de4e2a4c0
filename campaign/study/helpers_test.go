package study

import (
	"os"
	"testing"

	"rths"
)

func value(name string, v float64) rths.Value { return rths.Value{Name: name, V: v} }

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

func mustPlan(t *testing.T, text string) *Plan {
	t.Helper()
	_, p := planned(t, text)
	return p
}
