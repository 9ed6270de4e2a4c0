//go:build !js

package module

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// Bounds of a module.
const (
	mostPages    = 256     // of memory, of 64 KiB
	mostElements = 1 << 16 // of its tables of functions
)

// always is the context of all calls: their meter ends them.
var always = context.Background()

// Module is a compiled module. Several goroutines may make compensators and laws of one.
type Module struct {
	runtime wazero.Runtime
	code    wazero.CompiledModule
	size    int // bytes
}

// Size is the number of bytes that it was compiled from.
func (m *Module) Size() int { return m.size }

// Compile reads and compiles a module, and refuses one that is neither a method nor a law.
func Compile(code []byte) (*Module, error) {
	if err := checkSections(code); err != nil {
		return nil, err
	}
	r := wazero.NewRuntimeWithConfig(always, wazero.NewRuntimeConfig().WithMemoryLimitPages(mostPages))
	compiled, err := compiled(r, code)
	if err != nil {
		return nil, fmt.Errorf("%s: want a module for wasm32", firstLine(err))
	}
	m := &Module{r, compiled, len(code)}
	if compiled.ExportedMemories()["memory"] == nil {
		return nil, errors.New("no memory is exported: want the export memory, which wasm-ld makes by default")
	}
	return m, m.wantExports("init", "table")
}

// compiled compiles, with a meter. wazero 1.12.0 panics on some modules that it should refuse, as on a call of a
// function whose type is not there.
func compiled(r wazero.Runtime, code []byte) (m wazero.CompiledModule, err error) {
	defer func() {
		if found := recover(); found != nil {
			m, err = nil, fmt.Errorf("spoilt: %v", found)
		}
	}()
	if code, err = metered(code); err != nil {
		return nil, err
	}
	return r.CompileModule(always, code)
}

func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}

// signature is a function of the module's.
type signature struct {
	name     string
	params   []api.ValueType
	results  []api.ValueType
	declared string // in C
}

var signatures = []signature{
	{"init", []api.ValueType{api.ValueTypeF64, api.ValueTypeF64}, []api.ValueType{api.ValueTypeI32},
		"const char *init(double rate_hz, double lead)"},
	{"step", nil, []api.ValueType{api.ValueTypeF64}, "double step(void)"},
	{"force", []api.ValueType{api.ValueTypeF64, api.ValueTypeF64}, []api.ValueType{api.ValueTypeF64},
		"double force(double x, double v)"},
	{"rate", []api.ValueType{api.ValueTypeF64}, nil, "void rate(double v)"},
	{"table", nil, []api.ValueType{api.ValueTypeI32}, "RTHS_TABLE(…)"},
}

// wantExports wants the functions of these names.
func (m *Module) wantExports(names ...string) error {
	exported := m.code.ExportedFunctions()
	for _, s := range signatures {
		if !slices.Contains(names, s.name) {
			continue
		}
		f, ok := exported[s.name]
		if !ok {
			return fmt.Errorf("no function %s is exported: want %s, as in rths.h", s.name, s.declared)
		}
		if string(f.ParamTypes()) != string(s.params) || string(f.ResultTypes()) != string(s.results) {
			return fmt.Errorf("function %s takes %s and returns %s: want %s, which takes %s and returns %s", s.name,
				types(f.ParamTypes()), types(f.ResultTypes()), s.declared, types(s.params), types(s.results))
		}
	}
	return nil
}

func types(list []api.ValueType) string {
	if len(list) == 0 {
		return "nothing"
	}
	var out []string
	for _, t := range list {
		out = append(out, api.ValueTypeName(t))
	}
	return strings.Join(out, ", ")
}

// instance is a fresh instance, before init. Whoever takes it closes it.
func (m *Module) instance() (api.Module, error) {
	of, err := m.runtime.InstantiateModule(always, m.code, wazero.NewModuleConfig().WithName("").WithStartFunctions())
	if err != nil {
		return nil, fmt.Errorf("cannot start: %s", firstLine(err))
	}
	return of, nil
}

// Sections of a module that are looked at before it is compiled.
const (
	sectionImport = 2
	sectionTable  = 4
)

var errCut = errors.New("the file ends in the middle of a module")

// checkSections refuses what is no module, and what would take too much room or needs others.
func checkSections(code []byte) error {
	switch {
	case len(code) > LargestModule:
		return fmt.Errorf("%d bytes: want at most %d", len(code), LargestModule)
	case len(code) < 8 || string(code[:4]) != "\x00asm":
		return fmt.Errorf(
			"it begins with %.20q: want a WebAssembly module, as clang --target=wasm32 builds it "+
				"(docs/guides/method-of-your-own.md)", code[:min(8, len(code))])
	case binary.LittleEndian.Uint32(code[4:]) != 1:
		return errors.New("a WebAssembly component, or of another version: want a module of version 1")
	}
	for rest := code[8:]; len(rest) > 0; {
		id := rest[0]
		size, body, ok := number(rest[1:])
		if !ok || uint64(size) > uint64(len(body)) {
			return errCut
		}
		if err := checkSection(id, body[:size]); err != nil {
			return err
		}
		rest = body[size:]
	}
	return nil
}

func checkSection(id byte, body []byte) error {
	if id != sectionImport && id != sectionTable {
		return nil
	}
	n, rest, ok := number(body)
	switch {
	case !ok:
		return errCut
	case id == sectionImport && n > 0:
		return imported(rest)
	case id == sectionImport:
		return nil
	}
	for range n {
		if len(rest) < 2 {
			return errCut
		}
		limited := rest[1]&1 == 1
		var least uint32
		if least, rest, ok = number(rest[2:]); !ok {
			return errCut
		}
		if least > mostElements {
			return fmt.Errorf("a table of %d functions: want at most %d", least, mostElements)
		}
		if limited {
			if _, rest, ok = number(rest); !ok {
				return errCut
			}
		}
	}
	return nil
}

// imported names the first import, and how to do without.
func imported(list []byte) error {
	var names []string
	for range 2 {
		n, rest, ok := number(list)
		if !ok || uint64(n) > uint64(len(rest)) {
			return errCut
		}
		names, list = append(names, string(rest[:n])), rest[n:]
	}
	hint := "a function that no source defines: define it, or include rths.h, which has exp, log, sin, cos, pow and sqrt"
	if strings.HasPrefix(names[0], "wasi") {
		hint = "a part of an operating system, which the method has not: build without it (clang --target=wasm32 -nostdlib " +
			"-Wl,--no-entry; no printf, no malloc, no main)"
	}
	return fmt.Errorf("it imports %.40q of %.40q, %s", names[1], names[0], hint)
}

// number is an unsigned number of up to 32 bits in LEB128.
func number(b []byte) (v uint32, rest []byte, ok bool) {
	for i, c := range b[:min(5, len(b))] {
		v |= uint32(c&0x7f) << (7 * i)
		if c < 0x80 {
			return v, b[i+1:], true
		}
	}
	return 0, nil, false
}
