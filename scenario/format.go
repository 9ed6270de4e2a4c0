package scenario

import (
	"fmt"
	"slices"
	"strings"

	"rths/lab/rig"
	"rths/maths/scatter"
	"rths/method/criteria"
	"rths/model/ground"
	"rths/model/integrate"
	"rths/model/plant"
	"rths/scenario/syntax"
)

// format is what the syntax knows of a scenario.
func format() *syntax.Format {
	return &syntax.Format{New: func() any { return New() }, Families: Families, Hint: hint, KindHint: recordHint,
		Block: sameKinds, Names: setNames, Emptied: "each",
		Kept: map[string][]string{"devices": {"between"}, "compensator.of": {"name"}}}
}

// Blocks documents all keys of a scenario, in its order.
func Blocks() []syntax.BlockDoc { return format().Blocks() }

// Form shows a text as a form does: every key that it has or may have.
func Form(root *syntax.Node) *syntax.Form { return format().Form(root) }

// Keys are the keys of a scenario at the top level.
func Keys() []string { return format().Keys() }

// KindsLike are the kinds of all families that a word may stand for, as in
// compensator/kf.
func KindsLike(word string) []string { return format().KindsLike(word) }

// Decode reads a text of another format as strictly as a scenario: into is a pointer to a
// struct with yaml tags. Messages call the text name and its content what, as in "a study".
func Decode(name string, text []byte, what string, into any) (syntax.Origin, error) {
	root, err := syntax.Parse(name, text, what)
	if err != nil {
		return syntax.Origin{}, err
	}
	return syntax.NewOrigin(name, root), format().DecodeOther(root, into)
}

// Families documents all tables, in the order of the scenario's keys.
func Families() []syntax.Family {
	return append(format().Choices(),
		syntax.FamilyOf("predictor", "predictor of the displacement (a block under two_rate)", integrate.Predictors),
		syntax.FamilyOf("force", "force history (a block under forces: history)", ground.Forces),
		syntax.FamilyOf("device", "device of the numerical part that is no specimen (an entry of devices)", ownDevices),
		syntax.FamilyOf("fault", "fault on request (an entry of faults)", rig.FaultKinds),
		syntax.FamilyOf("network-fault", "fault of the network of a virtual laboratory (an entry of network under rig)",
			rig.NetworkKinds),
		syntax.FamilyOf("setup", "experimental set-up of OpenFresco, with large displacements as by its -nlGeom; its "+
			"-phiLocX phi is turned_deg: [0, 0, phi] (a block under coupler: setup)", plant.Setups),
		syntax.FamilyOf("distribution", "distribution of a number of the plant (a block under scatter)", scatter.Kinds),
		syntax.FamilyOf("criteria", "criteria of a run; a row with keys is on request", criteria.Kinds),
		syntax.Family{Key: "format", Doc: "file format of a record; the extension of the file says the format",
			Kinds: formatDocs()},
	)
}

// formatDocs documents the file formats, with the keys of a record that each takes.
func formatDocs() (out []syntax.KindDoc) {
	keys := syntax.ParamDocs(&ground.Conditioning{})
	for _, f := range ground.Formats {
		k := syntax.KindDoc{Name: f.Name, Doc: f.Doc + " (" + strings.Join(f.Extensions, " ") + ")", Ref: f.Ref}
		for _, p := range keys {
			if slices.Contains(f.Keys, p.Key) {
				k.Params = append(k.Params, p)
			}
		}
		out = append(out, k)
	}
	return out
}

// habits are words of other programs, and the keys of a scenario that they stand for.
var habits = map[string]string{
	"dt": "rate_hz", "time_step": "rate_hz", "timestep": "rate_hz", "step_size": "rate_hz", "fs": "rate_hz",
	"sampling_rate": "rate_hz", "sample_rate": "rate_hz", "rate": "rate_hz", "hz": "rate_hz",
	"solver": "integrator", "actuator": "transfer", "plant": "transfer", "controller": "compensator",
	"earthquake": "ground", "excitation": "ground",
	"model": "structure", "numerical": "structure", "experimental": "specimen", "delay": "delay_ms",
	"numerator": "num", "denominator": "den", "type": "kind", "m": "mass", "c": "damping", "k": "stiffness",
	"zeta": "damping_ratio", "xi": "damping_ratio", "node": "dof", "mu": "coefficient", "alpha": "exponent",
}

// hint says what to do with a key that another program, or another place, has in its place; "": nothing.
func hint(path, name string, known []string) string {
	if name == "kind" && (path == "" || len(known) == 1 || strings.HasPrefix(path, "each[")) {
		block := "structure"
		if path != "" {
			block = known[0]
		}
		return fmt.Sprintf("unknown key here: a kind stands inside its block, as in %s: {kind: …}", block)
	}
	if word := habits[strings.ToLower(name)]; slices.Contains(known, word) {
		return fmt.Sprintf("unknown key: did you mean %s?", word)
	}
	return ""
}

// sameKinds is the block at the top that has the same kinds as one further in.
func sameKinds(block string) string {
	switch {
	case block == "each.compensator", strings.HasSuffix(block, "compensator.of"):
		return "compensator"
	case block == "each.transfer":
		return "transfer"
	case block == "specimens.specimen", block == "devices":
		return "specimen"
	case strings.HasPrefix(block, "scatter."):
		return "scatter"
	}
	return block
}

// recordHint shows the block of a record whose name stands in place of a kind.
func recordHint(word string, names []string) string {
	if !slices.Contains(names, "record") {
		return ""
	}
	return fmt.Sprintf("; a record of that name is {record: %.40s}", word)
}

// scattersKey reports whether a word of --set is the key of a distribution.
func scattersKey(word string) bool {
	kinds := syntax.FamilyOf("distribution", "", scatter.Kinds).Kinds
	return word == "kind" || slices.ContainsFunc(kinds, func(k syntax.KindDoc) bool {
		return slices.ContainsFunc(k.Params, func(p syntax.ParamDoc) bool { return p.Key == word })
	})
}

// setNames cuts the path of --set into names. The keys of scatter have points.
func setNames(path string) []string {
	names := strings.Split(path, ".")
	last := len(names) - 1
	if names[0] != "scatter" || last < 2 {
		return names
	}
	if !scattersKey(names[last]) {
		return []string{"scatter", strings.Join(names[1:], ".")}
	}
	return []string{"scatter", strings.Join(names[1:last], "."), names[last]}
}
