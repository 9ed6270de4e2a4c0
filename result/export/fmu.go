package export

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/xml"
	"fmt"
	"slices"
	"strings"
	"time"
	"unsafe"

	"rths"
	"rths/method/compensate"
)

// FMU are the files of an FMI 2.0 co-simulation FMU with sources, by their paths, without a binary. The step is a
// sample, and the inputs of a step hold from its beginning. Adaptive parameters are outputs; their start, the switch of
// the adaptation and the limits are parameters.
func FMU(s Source) (files map[string]string, err error) {
	content, m, err := s.write()
	if err != nil {
		return nil, err
	}
	v := s.variables(m)
	wrapper := s.named(s.wrapper(m, v))
	guid := guidOf(content[s.Name+".c"] + content[s.Name+".h"] + wrapper)
	sources := []string{s.Name + ".c", s.Name + "_fmi2.c"}
	return map[string]string{
		"modelDescription.xml":             s.description(v, guid, sources),
		"sources/" + s.Name + ".c":         content[s.Name+".c"],
		"sources/" + s.Name + ".h":         content[s.Name+".h"],
		"sources/" + s.Name + "_fmi2.h":    s.named(fmi2Types),
		"sources/" + s.Name + "_fmi2.c":    strings.Replace(wrapper, "GUID_OF_FMU", guid, 1),
		"sources/buildDescription.xml":     s.buildDescription(sources),
		"documentation/" + s.Name + ".txt": fmt.Sprintf("%s\nWritten by %s.\n", s.Title, s.Program),
	}, nil
}

// guidOf is a GUID of the sources: other sources have another one.
func guidOf(text string) string {
	sum := fmt.Sprintf("%x", sha256.Sum256([]byte(text)))
	return fmt.Sprintf("{%s-%s-%s-%s-%s}", sum[:8], sum[8:12], sum[12:16], sum[16:20], sum[20:32])
}

// noTime is the time of packed files: the first that the format knows.
var noTime = time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)

// Zip packs files; equal files give equal bytes.
func Zip(files map[string][]byte) ([]byte, error) {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	var names []string
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		f, err := w.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate, Modified: noTime})
		if err == nil {
			_, err = f.Write(files[name])
		}
		if err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return b.Bytes(), err
}

// variable is a variable of an FMU.
type variable struct {
	name, doc   string
	kind        string // Real, Integer or Boolean
	reference   int
	causality   string // input, output, local or parameter
	variability string
	unit        string
	start       string // "" for what is calculated
	place       string // of a Real in C, within the instance m
	take        string // of a parameter: statements that put it to its place
	initial     string // of a parameter: its value before
	limit       bool   // a parameter that has to be above 0
}

// variables are those of an FMU: inputs and parameters first, which may be set.
func (s Source) variables(m *model) (out []variable) {
	real := func(v variable) {
		v.kind, v.reference = "Real", reals(out)
		out = append(out, v)
	}
	for _, q := range []struct{ name, unit, doc string }{
		{"target", "m", "displacement that the actuator shall have"}, {"velocity", "m/s", "velocity of the target"},
		{"acceleration", "m/s2", "acceleration of the target"}, {"measured", "m", "measured displacement"},
	} {
		for i := range s.Axes {
			real(variable{name: s.numbered(q.name, i, s.Axes), doc: q.doc, unit: q.unit, causality: "input",
				variability: "discrete", start: "0", place: fmt.Sprintf("m->in.%s[%d]", q.name, i)})
		}
	}
	for i := range s.Forces {
		real(variable{name: s.numbered("force", i, s.Forces), doc: "measured restoring force", unit: "N", causality: "input",
			variability: "discrete", start: "0", place: fmt.Sprintf("m->in.force[%d]", i)})
	}
	for i := range s.Axes {
		if s.Accelerated {
			real(variable{name: s.numbered("measured_acceleration", i, s.Axes), unit: "m/s2", causality: "input",
				doc: "measured acceleration, mean over the sample before", variability: "discrete", start: "0",
				place: fmt.Sprintf("m->in.measured_acceleration[%d]", i)})
		}
	}
	for _, v := range append(s.starts(m), s.limitParameters()...) {
		v.causality, v.variability, v.place = "parameter", "fixed", fmt.Sprintf("m->parameter[%d]", count(out, "parameter"))
		real(v)
	}
	for i := range s.Axes {
		real(variable{name: s.numbered("command", i, s.Axes), doc: "command to the actuator", unit: "m", causality: "output",
			variability: "discrete", place: fmt.Sprintf("m->command[%d]", i)})
	}
	for _, c := range channels(s.Compensator) {
		if place, ok := m.numbers[address(c.V)]; ok {
			real(variable{name: c.Name, doc: "parameter as used, or what the method shows", unit: c.Unit, causality: "output",
				variability: "discrete", place: inFMU(place)})
		}
	}
	adapts := "true"
	if len(m.frozen) > 0 && slices.ContainsFunc(m.frozen,
		func(at string) bool { return slices.Contains(m.start, at+" = true;") }) {
		adapts = "false"
	}
	out = append(out,
		variable{name: "age", kind: "Integer", doc: "samples since the displacement was measured: 0 where it is new",
			causality: "input", variability: "discrete", start: "0"},
		variable{name: "late", kind: "Boolean", doc: "the command of this sample will leave too late", causality: "input",
			variability: "discrete", start: "false"})
	if len(m.frozen) > 0 {
		out = append(out, variable{name: "adaptation", kind: "Boolean", reference: 1, doc: "the parameters adapt",
			causality: "parameter", variability: "fixed", start: adapts})
	}
	if s.Limits != nil {
		out = append(out, variable{name: "limit", kind: "Integer", reference: 1,
			doc: "what made the limits act: 0 nothing, 1 a command or reading that is not finite, 2 the " +
				"position, 3 a jump",
			causality: "output", variability: "discrete"})
	}
	return out
}

// numbered is a name with the number of an actuator, if there are several.
func (s Source) numbered(name string, i, n int) string {
	if n == 1 {
		return name
	}
	return fmt.Sprintf("%s_%d", name, i+1)
}

func reals(list []variable) (n int) {
	for _, v := range list {
		if v.kind == "Real" {
			n++
		}
	}
	return n
}

func count(list []variable, causality string) (n int) {
	for _, v := range list {
		if v.causality == causality {
			n++
		}
	}
	return n
}

func channels(c rths.Compensator) []rths.Channel {
	if c, ok := rths.As[rths.Channeler](c); ok {
		return c.Channels()
	}
	return nil
}

// address is the identity of a number.
func address(v *float64) uintptr { return uintptr(unsafe.Pointer(v)) }

// inFMU is a place of the instance within the FMU.
func inFMU(place string) string { return "m->c." + strings.TrimPrefix(place, "c->") }

// starts are the parameters that adaptive methods start from: the estimate, and what is used of it.
func (s Source) starts(m *model) (out []variable) {
	e, ok := rths.As[compensate.Estimated](s.Compensator)
	if !ok {
		return nil
	}
	used := map[string]string{}
	for _, c := range channels(s.Compensator) {
		used[c.Name] = m.numbers[address(c.V)]
	}
	for _, c := range e.Estimates() {
		place, ok := m.numbers[address(c.V)]
		if !ok || used[c.Name] == "" {
			continue
		}
		out = append(out, variable{
			name: c.Name + "_start", doc: "start of the parameter " + c.Name, unit: c.Unit, start: fmt.Sprintf("%.17g", *c.V),
			initial: inFMU(place),
			take:    fmt.Sprintf("%s = %s = %%s;", inFMU(place), inFMU(used[c.Name])),
		})
	}
	return out
}

// limitParameters are the limits that are known.
func (s Source) limitParameters() (out []variable) {
	if s.Limits == nil {
		return nil
	}
	jump := "m->c.limits.jump = %[1]s;"
	if s.Limits.Rate == 0 { // then the actuator moves at this rate at most
		jump = "m->c.limits.move = (m->c.limits.jump = %[1]s) / RTHS_RATE_HZ;"
	}
	for _, q := range []struct {
		name, doc, unit, take string
		v                     float64
	}{
		{"limit_stroke", "commands are clipped to it", "m", "m->c.limits.stroke = %s;", s.Limits.Stroke},
		{"limit_rate", "changes of the command are clipped to it", "m/s",
			"m->c.limits.step = m->c.limits.move = %s / RTHS_RATE_HZ;", s.Limits.Rate},
		{"limit_position", "a command beyond it makes the limits act", "m", "m->c.limits.position = %s;", s.Limits.Position},
		{"limit_jump", "a command that changes faster makes the limits act", "m/s", jump, s.Limits.Jump},
	} {
		if q.v > 0 {
			out = append(out, variable{name: q.name, doc: q.doc, unit: q.unit, start: fmt.Sprintf("%.17g", q.v),
				initial: Hex(q.v), take: q.take, limit: true})
		}
	}
	return out
}

// wrapper is the C between FMI and the compensator.
func (s Source) wrapper(m *model, list []variable) string {
	var b strings.Builder
	parameters := count(list, "parameter")
	fmt.Fprintf(&b, `/* %s: the functions of FMI 2.0 around rths_step. */
#include <math.h>
#include <stddef.h>
#include "NAME.h"
#include "rths_fmi2.h"

#define GUID "GUID_OF_FMU"
#define SETTABLE %d /* value references of Real inputs and parameters are below */
#define PARAMETERS %d

struct fmu {
	rths_t c;
	rths_input in;
	double command[RTHS_AXES], parameter[PARAMETERS + 1], time;
	int cause;
	bool adaptation;
	char name[64];
	const fmi2CallbackFunctions *functions;
};

`, comment(s.Title), settable(list), parameters)
	b.WriteString(
		"/* The place of a Real variable. */\nstatic double *real_at(struct fmu *m, fmi2ValueReference " +
			"vr)\n{\n\tswitch (vr) {\n")
	for _, v := range list {
		if v.kind == "Real" {
			fmt.Fprintf(&b, "\tcase %d: return &%s; /* %s */\n", v.reference, v.place, v.name)
		}
	}
	b.WriteString(
		"\tdefault: return NULL;\n\t}\n}\n\n/* Parameters as they stand in the export. */\nstatic void defaults(struct " +
			"fmu *m)\n{\n")
	adapts := "true"
	for _, v := range list {
		switch {
		case v.name == "adaptation":
			adapts = v.start
		case v.causality == "parameter":
			fmt.Fprintf(&b, "\t%s = %s;\n", v.place, v.initial)
		}
	}
	if s.Limits != nil {
		for i := range s.Axes {
			fmt.Fprintf(&b, "\tm->command[%d] = m->c.limits.sent[%d]; /* where the rig stands */\n", i, i)
		}
	}
	fmt.Fprintf(&b,
		"\tm->adaptation = %s;\n}\n\n/* Takes the parameters that were set to other values; returns what is wrong with "+
			"one. */\nstatic const char *take(struct fmu *m)\n{\n", adapts)
	for _, v := range list {
		if v.kind == "Real" && v.causality == "parameter" {
			fmt.Fprintf(&b, "\tif (!(%s))\n\t\treturn \"%s: want %s\";\n", v.sound("fabs("+v.place+") <= 1.7e308"), v.name,
				v.wanted())
		}
	}
	for _, v := range list {
		if v.kind == "Real" && v.causality == "parameter" {
			fmt.Fprintf(&b, "\tif (%s != %s)\n\t\t%s\n", v.place, v.initial, fmt.Sprintf(v.take, v.place))
		}
	}
	for _, at := range m.frozen {
		fmt.Fprintf(&b, "\t%s = !m->adaptation;\n", inFMU(at))
	}
	b.WriteString("\t(void)m;\n\treturn NULL;\n}\n")
	b.WriteString("\n" + fmi2Functions)
	return b.String()
}

// sound is the condition in C of a parameter that may be used: finite, and a limit above 0.
func (v *variable) sound(finite string) string {
	if v.limit {
		return v.place + " > 0 && " + finite
	}
	return finite
}

// wanted says what sound asks for.
func (v *variable) wanted() string {
	if v.limit {
		return "a finite number above 0"
	}
	return "a finite number"
}

// settable is the number of Real variables that may be set: they come first.
func settable(list []variable) (n int) {
	for _, v := range list {
		if v.kind == "Real" && (v.causality == "input" || v.causality == "parameter") {
			n++
		}
	}
	return n
}

// text is a text in XML.
func text(s string) string {
	var b bytes.Buffer
	_ = xml.EscapeText(&b, []byte(s)) // a buffer takes everything
	return b.String()
}

// description is modelDescription.xml.
func (s Source) description(list []variable, guid string, sources []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, `<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="2.0" modelName="%s" guid="%s" description="%s" generationTool="%s" `+
		`variableNamingConvention="flat">
  <CoSimulation modelIdentifier="%s" canHandleVariableCommunicationStepSize="false" `+
		`canBeInstantiatedOnlyOncePerProcess="false" canNotUseMemoryManagementFunctions="false" `+
		`canGetAndSetFMUstate="false" providesDirectionalDerivative="false">
    <SourceFiles>
`, text(s.Name), guid, text(s.Title), text(s.Program), s.Name)
	for _, file := range sources {
		fmt.Fprintf(&b, "      <File name=\"%s\"/>\n", file)
	}
	b.WriteString("    </SourceFiles>\n  </CoSimulation>\n" + unitDefinitions(list))
	fmt.Fprintf(&b,
		"  <LogCategories>\n    <Category name=\"logStatusError\"/>\n  </LogCategories>\n  <DefaultExperiment "+
			"startTime=\"0\" stopTime=\"1\" stepSize=\"%.17g\"/>\n  <ModelVariables>\n", 1/s.RateHz)
	for i, v := range list {
		fmt.Fprintf(&b, "    <!-- %d -->\n    %s\n", i+1, v.xml())
	}
	b.WriteString("  </ModelVariables>\n  <ModelStructure>\n    <Outputs>\n" + unknowns(list) +
		"    </Outputs>\n    <InitialUnknowns>\n" + unknowns(list) +
		"    </InitialUnknowns>\n  </ModelStructure>\n</fmiModelDescription>\n")
	return b.String()
}

// unknowns are the outputs, by their numbers.
func unknowns(list []variable) string {
	var b strings.Builder
	for i, v := range list {
		if v.causality == "output" {
			fmt.Fprintf(&b, "      <Unknown index=\"%d\"/>\n", i+1)
		}
	}
	return b.String()
}

// xml is the element of a variable.
func (v *variable) xml() string {
	attributes := ""
	if v.start != "" {
		attributes += fmt.Sprintf(` start="%s"`, v.start)
	}
	if u := unitOf(v.unit); u != "" {
		attributes += fmt.Sprintf(` unit="%s"`, u)
	}
	initial := ""
	switch v.causality {
	case "output":
		initial = ` initial="calculated"`
	case "parameter":
		initial = ` initial="exact"`
	}
	return fmt.Sprintf(
		`<ScalarVariable name="%s" valueReference="%d" causality="%s" variability="%s"%s `+
			`description="%s"><%s%s/></ScalarVariable>`,
		text(v.name), v.reference, v.causality, v.variability, initial, text(v.doc), v.kind, attributes)
}

// unitOf is the name of a unit in the FMU; "" for a number without.
func unitOf(unit string) string {
	if unit == "-" {
		return ""
	}
	return strings.NewReplacer("²", "2", "³", "3", "⁴", "4").Replace(unit)
}

// bases are the units of the project in SI: exponents of kg, m and s.
var bases = map[string]string{
	"m": `m="1"`, "m/s": `m="1" s="-1"`, "m/s2": `m="1" s="-2"`, "N": `kg="1" m="1" s="-2"`, "s": `s="1"`, "s2": `s="2"`,
	"s3": `s="3"`, "s4": `s="4"`, "1/s": `s="-1"`,
}

// unitDefinitions are those of the units that variables have.
func unitDefinitions(list []variable) string {
	var names []string
	for _, v := range list {
		if u := unitOf(v.unit); u != "" && !slices.Contains(names, u) {
			names = append(names, u)
		}
	}
	var b strings.Builder
	b.WriteString("  <UnitDefinitions>\n")
	for _, name := range names {
		if base, ok := bases[name]; ok {
			fmt.Fprintf(&b, "    <Unit name=\"%s\"><BaseUnit %s/></Unit>\n", name, base)
		} else {
			fmt.Fprintf(&b, "    <Unit name=\"%s\"/>\n", text(name))
		}
	}
	return b.String() + "  </UnitDefinitions>\n"
}

// buildDescription is that of FMI 3.0, for tools that read it.
func (s Source) buildDescription(sources []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, `<?xml version="1.0" encoding="UTF-8"?>
<fmiBuildDescription fmiVersion="3.0">
  <BuildConfiguration modelIdentifier="%s">
    <SourceFileSet language="C99" compilerOptions="-ffp-contract=off">
`, s.Name)
	for _, file := range sources {
		fmt.Fprintf(&b, "      <SourceFile name=\"%s\"/>\n", file)
	}
	b.WriteString("    </SourceFileSet>\n  </BuildConfiguration>\n</fmiBuildDescription>\n")
	return b.String()
}
