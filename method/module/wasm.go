// Package module makes a compensator, or the law of a device, of a WebAssembly module that a user has written. It
// refuses what is neither, and has each call end after a budget of code.
package module

// LargestModule is the largest file of a module, bytes.
const LargestModule = 1 << 20

// WASM is a method of the user's own for one actuator: a WebAssembly module
// (docs/guides/method-of-your-own.md, examples/wasm). The module imports nothing, so that it has no
// clock, no files and no way out of its memory. It exports
//
//	memory
//	init(rate_hz, lead f64) → i32   before the first tick: 0, or the address of a text, why it refuses
//	step() → f64                    one tick: the command, m
//	table() → i32                   the address of its table, see readTable
//
// The wrapper sets target, reading and frozen in the module's memory, and takes its command.
// A reading that is not finite is replaced by the last finite one. A step that traps, or gives
// a command that is not finite, is the end of the run (rths.Failer); the command before it
// stays. So does one that does not return: its instructions are counted (metered).
//
// Not in a test in the laboratory: a step has no bound in time.
type WASM struct {
	File       string             `yaml:"file" doc:"path of the module, as in method.wasm; a relative one starts at the scenario's folder (docs/guides/method-of-your-own.md)"`
	Parameters map[string]float64 `yaml:"parameters,omitempty" doc:"values of the module's own parameters, by name; left out: the module's defaults"`

	module *Module
}

// Use gives it the module that was read from File.
func (p *WASM) Use(m *Module) { p.module = m }

// Used reports whether it has a module.
func (p *WASM) Used() bool { return p.module != nil }

// Law is the law of a device of the user's own, a module like that of a WASM. In place of step it exports
//
//	force(x, v f64) → f64   the restoring force (N) at a deformation x (m) and its rate v (m/s)
//	rate(v f64)             with states alone: sets their derivatives (1/s)
//
// and its init is called with 0 and 0: a law hangs on no rate. Its table has parameters, states and their derivatives.
// The wrapper sets the states before each call, as an integrator tries values at its stages: a law is pure. What
// it does not say of itself is measured, see device.Measure. It may give back the energy that it has taken: none of it
// counts as stored. After a call that traps, does not return, or gives a number that is not finite, all its forces are
// NaN, which ends the run (rths.Failer).
type Law WASM

// KeyError is an error of a key of the block of a compensator, as in parameters.gain.
type KeyError struct {
	Key string
	Err error
}

// Error says which key.
func (e *KeyError) Error() string { return e.Key + ": " + e.Err.Error() }

// Unwrap is the error of the key.
func (e *KeyError) Unwrap() error { return e.Err }
