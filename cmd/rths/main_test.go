package main

import (
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"rths": main})
}

// The scripts under testdata are how the commands are used; read them as a
// manual.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata",
		Setup: func(e *testscript.Env) error {
			e.Vars = append(e.Vars, "RTHS_RECORDS="+os.Getenv("RTHS_RECORDS"))
			return nil
		},
		Condition: func(cond string) (bool, error) {
			return cond == "records" && os.Getenv("RTHS_RECORDS") != "", nil
		},
	})
}
