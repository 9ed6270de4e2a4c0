package module

import (
	"errors"

	"rths"
	"rths/method/compensate"
	"rths/model/plant"
)

var errNone = errors.New("a page without rths runs no module of your own: want rths ui or rths run")

// Module is a module that cannot be compiled here.
type Module struct{}

// Size is the number of bytes that it was compiled from.
func (m *Module) Size() int { return 0 }

// Compile refuses every module.
func Compile([]byte) (*Module, error) { return nil, errNone }

// Make refuses.
func (p *WASM) Make(compensate.At) (rths.Compensator, error) { return nil, &KeyError{"file", errNone} }

// Make refuses.
func (p *Law) Make() (plant.Specimen, error) { return nil, &KeyError{"file", errNone} }
