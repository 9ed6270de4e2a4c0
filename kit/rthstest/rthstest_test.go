package rthstest

import (
	"testing"

	"rths/kit"
)

// heap keeps an allocation from the stack.
var heap []float64

// fake is a test that counts its failures.
type fake struct {
	testing.TB
	errors int
}

func (*fake) Helper()                 {}
func (f *fake) Error(...any)          { f.errors++ }
func (f *fake) Errorf(string, ...any) { f.errors++ }

func TestKeepsFails(t *testing.T) {
	f := &fake{}
	Keeps(f, nil)
	NoAllocation(f, func() {})
	if f.errors != 0 {
		t.Errorf("%d failures without a broken promise", f.errors)
	}
	Keeps(f, []Broken{{Promise: kit.EqualBits, How: "one"}, {Promise: kit.Filled, How: "other"}})
	k := 0
	NoAllocation(f, func() {
		if k++; k%400 == 0 {
			heap = make([]float64, 3)
		}
	})
	if f.errors != 3 {
		t.Errorf("%d failures: want 3", f.errors)
	}
}
