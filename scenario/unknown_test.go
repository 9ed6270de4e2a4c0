package scenario_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"rths/kit/rthstest"
	"rths/scenario"
)

// An unknown key or kind is told what was meant: the nearest word, the word of another
// program, or the block where the key belongs.
func TestUnknownWords(t *testing.T) {
	for _, c := range []struct{ set, want string }{
		{"compensator.kind=kalman", `kind "kalman": did you mean kalman-inverse, kf or msmc?`},
		{"transfer.kind=secondorder", `kind "secondorder": did you mean second-order?`},
		{"transfer.kind=Second_Order", "did you mean second-order?"},
		{"transfer.kind=hydraulic", "did you mean servo-hydraulic, "},
		{"specimen.kind=shear", `kind "shear", a kind of structure: want one of linear,`},
		{"integrator.kind=newmark", "did you mean newmark-explicit or average-acceleration?"},
		{"integrator.kind=qqqqqqqq", `kind "qqqqqqqq": want one of rk4,`},
		{"compensator=amb", `compensator: found "amb": want a block with kind, one of none, pi,`},
		{"compensator=amb", "as in {kind: amb}"},
		{"rate=100", "rate: unknown key: did you mean rate_hz?"},
		{"pga_g=0.3", "pga_g: unknown key here: it belongs into ground"},
		{"modal_ratio=[0.02]", "modal_ratio: unknown key here: it belongs into structure.damping (kind shear or matrices)"},
		{"structure.modal_ratio=[0.02]", "structure.modal_ratio: unknown key here: it belongs into structure.damping"},
		{"structure.rate_hz=100", "structure.rate_hz: unknown key here: it belongs to the top level, in the first column"},
		{"force_delay=1", "force_delay: unknown key here: it belongs into timing"},
		{"trip=1", "trip: unknown key here: it belongs into limits"},
		{"kind=shear", "kind: unknown key here: a kind stands inside its block, as in structure: {kind: …}"},
		{"each=[{kind: amb}]",
			"each[1].kind: unknown key here: a kind stands inside its block, as in compensator: {kind: …}"},
		{"sensors.kind=lvdt", "sensors.kind: unknown key: want one of acceleration"},
		{"transfer.tau_ms=3",
			"transfer.tau_ms: unknown key of this kind, a key of kind first-order: want one of damping_ratio,"},
		{"dt=0.001", "dt: unknown key: did you mean rate_hz?"},
		{"Rate_Hz=100", "Rate_Hz: unknown key: did you mean rate_hz?"},
		{"specimen.stiffness_kN_m=100", "specimen.stiffness_kN_m: unknown key: did you mean stiffness?"},
		{"structure.mass=[1]", "structure.mass: unknown key: did you mean masses?"},
		{"sensors.noise=1",
			"sensors.noise: unknown key: did you mean displacement_noise, displacement_noise_power, displacement_noise_shared " +
				"or another?"},
		{"indicators.energy=true", "indicators.energy: unknown key: did you mean energies?"},
		{"compensator/kind=amb", "unknown key: want points between the keys, as in compensator.kind"},
		{"structure.damping={rayleigh: {alpha: 1}}",
			"rayleigh.alpha: unknown key here: it belongs into devices (kind bouc-wen), into integrator (kind alpha-os) or another; " +
				"here want one of freq_hz, modes, ratio"},
		{"integrator.kind=ode4", `kind "ode4": did you mean rk4?`},
		{"ground.kind=elcentro", "; a record of that name is {record: elcentro}"},
		{"ground=elcentro", "; a record of that name is {record: elcentro}"},
		{"ground={record: elcentro",
			"--set ground={record: elcentro: found { without its }: want both, and quotes around the whole, as in --set " +
				"'KEY={…}'"},
		{"seed=1.5", `seed: found "1.5": want a whole number of 0 or more`},
		{"rate_hz=1/1024", `found "1/1024": want a finite number written out, as in 2.5e6`},
		{"specimen.stiffness=1,5e5", "want a finite number with a point before the decimals"},
		{"structure.masses=1000,1000", `found "1000,1000": want a list, as in [1000,1000]`},
		{"specimen.k=100", "specimen.k: unknown key: did you mean stiffness?"},
		{"sensors.qqqqqqqq=1", "sensors.qqqqqqqq: unknown key: want one of acceleration,"},
	} {
		_, err := parse(small, c.set)
		rthstest.WantError(t, err, c.want)
	}
}

// A layout that is no YAML is told on its own line.
func TestWrongLayout(t *testing.T) {
	const head = "name: small\nrate_hz: 1024\n"
	for _, c := range []struct{ text, want string }{
		{"ground:\n  kind: sine\n   duration_s: 2\n",
			"x.yaml:5:4: found duration_s in column 4: want column 3, as kind above"},
		{"ground:\n    kind: sine\n  duration_s: 2\n",
			"x.yaml:5:3: found duration_s in column 3: want column 5, as the lines above, or column 1, as ground"},
		{"ground:\n  kind: sine\n duration_s: 2\n",
			"x.yaml:5:2: found duration_s in column 2: want column 3, as the lines above, or column 1, as ground"},
		{" ground: {kind: sine}\n", "x.yaml:3:2: found ground in column 2: want column 1, as rate_hz above"},
		{"limits:\n  - channel: measured_m\n   trip: 1\n",
			"x.yaml:5:4: found trip in column 4: want column 5, as the lines above, or column 3, as the dash"},
		{"ground:\n\tkind: sine\n", "x.yaml:4:1: found a tab before the first letter: want spaces"},
		{"ground: kind: sine\n",
			"x.yaml:3:1: found the keys ground and kind in a line: want {…} around the block, as in ground: {kind: sine}"},
		{"ground: {kind: sine\nseed: 1\n", "x.yaml:3:9: found { without its }"},
		{"ground: {kind: sine,\n  duration_s: [1, 2\n", "x.yaml:4:15: found [ without its ]"},
		{"ground: {kind: [1, 2}\n", "x.yaml:3:21: found }: want ] first, for the [ of line 3, column 16"},
		{"structure:\n  kind: shear\n  masses:\n  -1000\n  -1000\n",
			`x.yaml:6:3: found "-1000": want KEY: VALUE, or a space after the dash`},
		{"seed = 1\n", `x.yaml:3:1: found "seed = 1": want KEY: VALUE`},
		{"// seed\n", `x.yaml:3:1: found "// seed": want # before a comment`},
		{"loop: 'open\n", "x.yaml:3:7: not valid YAML: could not find end character of single-quoted text"},
		{"ground:{kind: sine}\n", "x.yaml:3:1: ground:{kind: unknown key: want a space after the colon of ground:"},
		{"ground: {kind: sine duration_s: 2}\n", "want a comma before the next key, as in {kind: sine, …}"},
		{"ground:\nkind: sine\n", "x.yaml:3:8: ground: found nothing: want a block with kind"},
	} {
		_, err := scenario.Parse("x.yaml", []byte(head+c.text), ".", nil)
		rthstest.WantError(t, err, c.want)
	}
}

// Whatever the layout, the answer is an error and no panic; what the layout is called
// wrong for, the YAML library refuses too.
func TestAnyLayout(t *testing.T) {
	pieces := []string{"a: ", "b:", "- ", "-", "  ", " ", "\t", "{", "}", "[", "]", ",", "'", "\"", "#", "1", "kind: ",
		" : ", "\n", "\n", "\r\n", "|", "é", "=", "..."}
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 30).Draw(t, "text"), "")
		if _, err := scenario.Parse("x.yaml", []byte(text), ".", nil); err == nil {
			t.Fatalf("%q is a scenario", text)
		}
	})
}
