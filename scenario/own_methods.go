package scenario

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"rths"
	"rths/method/compensate"
	"rths/method/module"
	"rths/model/plant"
	"rths/scenario/files"
	"rths/scenario/syntax"
)

// methods are all kinds of compensators but chains: the table, and methods of the user's own.
var methods = append(slices.Clone(compensate.Kinds), rths.Kind[compensate.Maker]{
	Name: "wasm", Doc: "a method of one's own, from a WebAssembly module that the scenario names; virtual runs only",
	Ref:      "docs/guides/method-of-your-own.md",
	Defaults: func() compensate.Maker { return &module.WASM{} },
})

// ownDevices are devices of the user's own.
var ownDevices = []rths.Kind[plant.SpecimenMaker]{{
	Name: "wasm", Doc: "a law of one's own, from a WebAssembly module that the scenario names; virtual runs only",
	Ref:      "docs/guides/method-of-your-own.md",
	Defaults: func() plant.SpecimenMaker { return &module.Law{} },
}}

// OwnMethod is a block of kind wasm.
type OwnMethod struct {
	Key   string // of the block, as in each[2].compensator
	Maker *module.WASM
}

// OwnMethods are all compensators of kind wasm.
func (s *Scenario) OwnMethods() (out []OwnMethod) {
	add := func(key string, m compensate.Maker) {
		if w, ok := m.(*module.WASM); ok {
			out = append(out, OwnMethod{key, w})
		}
	}
	block := func(key string, c *syntax.Choice[compensate.Maker], f *Fallback) {
		add(key+"compensator", c.Params)
		if chain, ok := c.Params.(*Chain); ok {
			for i := range chain.Of {
				add(fmt.Sprintf("%scompensator.of[%d]", key, i+1), chain.Of[i].Params)
			}
		}
		if f != nil {
			add(key+"fallback", f.Params)
		}
	}
	block("", &s.Compensator, s.Fallback)
	for i := range s.Each {
		block(fmt.Sprintf("each[%d].", i+1), &s.Each[i].Compensator, s.Each[i].Fallback)
	}
	return out
}

// ownLaws are all devices of kind wasm, read as methods are.
func (s *Scenario) ownLaws() (out []OwnMethod) {
	for i := range s.Devices {
		if l, ok := s.Devices[i].Params.(*module.Law); ok {
			out = append(out, OwnMethod{fmt.Sprintf("devices[%d]", i+1), (*module.WASM)(l)})
		}
	}
	return out
}

// ReadOwnMethods is a copy of the scenario whose modules are read and compiled.
func (s *Scenario) ReadOwnMethods() (*Scenario, error) {
	out := s.clone()
	for _, own := range out.OwnMethods() {
		own.Maker.Use(nil)
	}
	_, err := out.readModules(nil, out.OwnMethods())
	return out, err
}

// MakeOwn makes the method of a block by itself, for one actuator.
func (s *Scenario) MakeOwn(own OwnMethod) (rths.Compensator, error) {
	at := s.compensatorAt()
	c, err := own.Maker.Make(compensate.At{RateHz: at.RateHz, Lead: at.Lead, Axes: 1})
	if err != nil {
		return nil, s.atBlock(own.Key, "", err)
	}
	return c, nil
}

// readModules reads the modules of blocks of kind wasm that have none yet, and lists their files.
func (s *Scenario) readModules(shared *Shared, of []OwnMethod) ([]files.Input, error) {
	var read files.Inputs
	for _, own := range of {
		if own.Maker.Used() || own.Maker.File == "" {
			continue
		}
		path := own.Maker.File
		if !filepath.IsAbs(path) {
			path = filepath.Join(s.baseDir, path)
		}
		module, err := shared.module(path, &read)
		if err != nil {
			return nil, s.At(own.Key+".file", err)
		}
		own.Maker.Use(module)
	}
	return read.Read, nil
}

// WantVirtual refuses a rig to methods and devices of the user's own: nobody knows how long a step of theirs takes.
func (s *Scenario) WantVirtual() error {
	if own := append(s.OwnMethods(), s.ownLaws()...); len(own) > 0 {
		return s.At(own[0].Key,
			errors.New("kind wasm runs in virtual runs only: nothing bounds the time of a step of a module, and a test in the "+
				"laboratory needs a bound; want another kind, of rths doc compensators or rths doc devices"))
	}
	return nil
}

// module is the module of a file, read and compiled once; without Shared each time.
func (c *Shared) module(path string, read *files.Inputs) (*module.Module, error) {
	if c == nil {
		return readModule(path, read)
	}
	return recalled(c, c.modules, path, read, func(own *files.Inputs) (*module.Module, error) {
		return readModule(path, own)
	})
}

func readModule(path string, read *files.Inputs) (*module.Module, error) {
	file, err := read.Open(path, module.LargestModule)
	if err != nil {
		return nil, err
	}
	code, err := io.ReadAll(io.LimitReader(file, module.LargestModule+1))
	if err := errors.Join(err, file.Close()); err != nil {
		return nil, err
	}
	m, err := module.Compile(code)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Base(path), err)
	}
	return m, nil
}
