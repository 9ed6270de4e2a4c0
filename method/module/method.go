//go:build !js

package module

import (
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"

	"github.com/tetratelabs/wazero/api"

	"rths"
	"rths/maths/signal"
	"rths/method/compensate"
)

// Make makes an instance of the module with a memory of its own, and fills in the parameters
// that were left out.
func (p *WASM) Make(at compensate.At) (rths.Compensator, error) {
	c, err := p.start(aMethod, at.RateHz, float64(at.Lead))
	if err != nil {
		return nil, err
	}
	return c.with(), nil
}

// start makes an instance with its parameters, and calls init.
func (p *WASM) start(as role, rateHz, lead float64) (*wasm, error) {
	switch {
	case p.File == "" && p.module == nil:
		return nil, errors.New("file is missing: want the path of a module, as in file: method.wasm " +
			"(docs/guides/method-of-your-own.md)")
	case p.module == nil:
		return nil, &KeyError{"file", fmt.Errorf("%s has not been read", p.File)}
	}
	c, err := instance(p.module, as)
	if err != nil {
		return nil, &KeyError{"file", fmt.Errorf("%s: %w", p.File, err)}
	}
	if err := p.set(c); err != nil {
		return nil, err
	}
	return c, p.begin(c, rateHz, lead)
}

// set sets the parameters in the module, and fills in those that the scenario leaves out.
func (p *WASM) set(c *wasm) error {
	all := map[string]float64{}
	for _, a := range c.table.of(entryParameter) {
		v, given := p.Parameters[a.name]
		if !given {
			v = c.load(a.at)
		}
		all[a.name] = v
		c.store(a.at, v)
	}
	for _, name := range slices.Sorted(maps.Keys(p.Parameters)) {
		if _, known := all[name]; !known {
			return &KeyError{"parameters." + name, unknownParameter(p.File, slices.Sorted(maps.Keys(all)))}
		}
	}
	if p.Parameters = all; len(all) == 0 {
		p.Parameters = nil
	}
	return nil
}

func unknownParameter(file string, known []string) error {
	if len(known) == 0 {
		return fmt.Errorf("no such parameter: %s has none", file)
	}
	return fmt.Errorf("no such parameter of %s: want one of %s", file, strings.Join(known, ", "))
}

// begin calls init. A text that begins with the name of a parameter belongs to its key.
func (p *WASM) begin(c *wasm, rateHz, lead float64) error {
	out, err := c.init.Call(always, api.EncodeF64(rateHz), api.EncodeF64(lead))
	if err != nil {
		return &KeyError{"file", fmt.Errorf("%s: init %w", p.File, c.trapped(err))}
	}
	address := api.DecodeU32(out[0])
	if address == 0 {
		return nil
	}
	why, err := c.text(address, longestText)
	if err != nil {
		return &KeyError{"file",
			fmt.Errorf("%s: init returned %d: want 0, or the address of a text that says why it refuses", p.File, address)}
	}
	if name, rest, ok := strings.Cut(why, ":"); ok {
		if v, is := p.Parameters[name]; is {
			return &KeyError{"parameters." + name, fmt.Errorf("%g, which %s refuses:%s", v, p.File, rest)}
		}
	}
	return &KeyError{"file", fmt.Errorf("%s refuses: %s", p.File, why)}
}

// role is what a module is called as.
type role string

const (
	aMethod role = "step"
	aLaw    role = "force"
)

// wasm is an instance of a module.
type wasm struct {
	as         role
	module     *Module
	memory     api.Memory
	meter      api.Global   // what is left of a call's budget; below 0: nothing
	init, call api.Function // call: step or force
	rate       api.Function // of a law; nil: not exported
	stack      []uint64     // of a call: parameters, then the result
	table      table
	now, rates uint32 // addresses; rates 0: not used
	frozen     float64
	x, f       signal.Sane // readings
	last       float64
	shown      []float64
	err        error
}

// instance is a fresh instance of a module with its table, before init.
func instance(m *Module, as role) (*wasm, error) {
	if err := m.wantExports(string(as)); err != nil {
		return nil, err
	}
	of, err := m.instance()
	if err != nil {
		return nil, err
	}
	c := &wasm{
		as: as, module: m, memory: of.ExportedMemory("memory"), meter: of.ExportedGlobal(meterName),
		init: of.ExportedFunction("init"), call: of.ExportedFunction(string(as)), rate: of.ExportedFunction("rate"),
		stack: make([]uint64, 2),
	}
	c.closing(of)
	if err := c.readTable(of.ExportedFunction("table")); err != nil {
		return nil, err
	}
	return c, nil
}

// wasmWithRates is an instance that looks at the target's velocity and acceleration.
type wasmWithRates struct{ *wasm }

func (wasmWithRates) UsesRates() {}

// learningWASM and learningWASMWithRates learn.
type (
	learningWASM          struct{ *wasm }
	learningWASMWithRates struct{ learningWASM }
)

func (learningWASMWithRates) UsesRates() {}

// with is the instance with the optional interfaces that its table asks for.
func (c *wasm) with() rths.Compensator {
	c.show()
	learns := len(c.table.of(entryLearnt)) > 0
	switch {
	case learns && c.rates != 0:
		return learningWASMWithRates{learningWASM{c}}
	case learns:
		return learningWASM{c}
	case c.rates != 0:
		return wasmWithRates{c}
	}
	return c
}

// Step hands over what the tick has, and takes the command.
func (c *wasm) Step(command []float64, target *rths.Motion, read *rths.Reading) {
	if c.err != nil {
		command[0] = c.last
		return
	}
	force, age := 0.0, float64(read.Age)
	if read.Late {
		age = max(age, 1) // its command acts later than the method thinks
	}
	if len(read.F) > 0 {
		force = read.F[0]
	}
	c.store(c.now, target.X[0])
	c.store(c.now+8, c.x.Of(read.X[0]))
	c.store(c.now+16, c.f.Of(force))
	c.store(c.now+24, age)
	c.store(c.now+32, c.frozen)
	if c.rates != 0 {
		c.store(c.rates, target.V[0])
		c.store(c.rates+8, target.A[0])
	}
	if err := c.call.CallWithStack(always, c.stack); err != nil {
		c.err = fmt.Errorf("step %w", c.trapped(err))
	} else if u := api.DecodeF64(c.stack[0]); rths.Finite(u) {
		c.last = u
	} else if rths.Finite(target.X[0]) {
		c.err = fmt.Errorf("step gave a command of %g: want a finite number", u)
	}
	command[0] = c.last
	c.show()
}

// Err is why a step failed; nil: none did.
func (c *wasm) Err() error { return c.err }

// show copies the values to record.
func (c *wasm) show() {
	for i, a := range c.table.of(entryShown) {
		c.shown[i] = c.load(a.at)
	}
}

// Channels are the values that the module shows.
func (c *wasm) Channels() (out []rths.Channel) {
	for i, a := range c.table.of(entryShown) {
		out = append(out, rths.Channel{Name: a.name, Unit: a.unit, V: &c.shown[i]})
	}
	return out
}

// VisitState visits the last good reading, then the module's state in the order of its table.
func (c *wasm) VisitState(v *rths.StateVisitor) {
	v.State(&c.x, &c.f)
	c.visit(v, entryState)
}

// Freeze holds what the module has learnt.
func (c learningWASM) Freeze(on bool) {
	c.frozen = 0
	if on {
		c.frozen = 1
	}
}

// VisitAdaptation visits what the module has learnt.
func (c learningWASM) VisitAdaptation(v *rths.StateVisitor) { c.visit(v, entryLearnt) }

func (c *wasm) visit(v *rths.StateVisitor, kind entryKind) {
	for _, a := range c.table.of(kind) {
		for i := range a.count {
			x := c.load(a.at + 8*i)
			v.Float(&x)
			c.store(a.at+8*i, x)
		}
	}
}

// load and store are of addresses that readTable has found inside the memory, which only grows.
func (c *wasm) load(at uint32) float64 {
	v, _ := c.memory.ReadFloat64Le(at)
	return v
}

func (c *wasm) store(at uint32, v float64) { c.memory.WriteFloat64Le(at, v) }

// closing lets the runtime forget an instance that nobody uses any more: the runtime keeps a list.
func (c *wasm) closing(m api.Module) {
	// an instance without imports closes without error
	runtime.AddCleanup(c, func(m api.Module) { _ = m.Close(always) }, m)
}

// trapped is the first line of the error of a call, without the stack of the module.
func (c *wasm) trapped(err error) error {
	if api.DecodeI32(c.meter.Get()) < 0 {
		return fmt.Errorf("did not return after %d million bytes of code: want a loop that ends", budget/1_000_000)
	}
	line, _, _ := strings.Cut(err.Error(), "\n")
	return fmt.Errorf("traps: %s", strings.TrimPrefix(line, "wasm error: "))
}
