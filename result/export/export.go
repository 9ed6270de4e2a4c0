package export

import (
	"cmp"
	"embed"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"rths"
	"rths/maths/words"
)

//go:embed c/*.c
var parts embed.FS

// fmi2Types are the types of FMI 2.0 (platform "default"), declared here so that the sources stand by themselves.
//
//go:embed fmi2/types.h
var fmi2Types string

// fmi2Functions are those of FMI 2.0 for co-simulation. The places of variables are written before them (fmuPlaces).
//
//go:embed fmi2/functions.c
var fmi2Functions string

// Source is a compensator to write as C.
type Source struct {
	Name        string // of files, types and functions: a word of C
	Title       string // what it is, for the reader of the C
	Program     string // who wrote it
	Compensator rths.Compensator
	RateHz      float64
	Axes        int      // actuators
	Forces      int      // measured forces
	Accelerated bool     // the accelerations of the actuators are measured
	Limits      *Limits  // in front of the output; nil: none
	Vectors     *Vectors // of the self-test; nil: no self-test
	Peak        float64  // of the motion in the example, m
}

// NotC is the error of a compensator that cannot be written as C.
type NotC struct{ Why string }

// Error is the reason.
func (e *NotC) Error() string { return e.Why }

var word = words.Pattern(`^[a-z][a-z0-9_]{0,40}$`)

// taken are names whose files or types others have: NAME_t of C99 and POSIX, NAME.h of C99, and
// files that Windows has not.
var taken = strings.Fields(
	`double float size ptrdiff wchar wint wctrans wctype int8 int16 int32 int64 uint8 uint16 uint32 uint64 intmax ` +
		`uintmax intptr uintptr
	div ldiv lldiv imaxdiv time clock fpos sig_atomic mbstate fenv fexcept off ssize pid uid gid mode
	assert complex ctype errno inttypes iso646 limits locale math setjmp signal stdarg stdbool stddef stdint stdio ` +
		`stdlib string tgmath
	con prn aux nul`)

func checkName(name string) error {
	switch {
	case !word().MatchString(name):
		return fmt.Errorf("name %.60q: want a word of C in lower case, as in amb_test", name)
	case slices.Contains(taken, name):
		return fmt.Errorf("name %q: %s.h or %s_t is of C or of the operating system: want another word, as in my_%s", name,
			name, name, name)
	}
	return nil
}

// C are the files NAME.h, NAME.c, an example of use NAME_example.c, and, with Vectors, a self-test NAME_test.c.
func C(s Source) (files map[string]string, err error) {
	files, _, err = s.write()
	if err != nil {
		return nil, err
	}
	files[s.Name+"_example.c"] = s.named(fmt.Sprintf(example, s.noInput(), Hex(s.Peak)))
	if s.Vectors != nil {
		files[s.Name+"_test.c"] = s.named(s.Vectors.test(s))
	}
	return files, nil
}

// write writes header and source.
func (s Source) write() (files map[string]string, m *model, err error) {
	if err := checkName(s.Name); err != nil {
		return nil, nil, err
	}
	if m, err = newModel(s.Compensator); err != nil {
		return nil, nil, &NotC{err.Error()}
	}
	if s.Limits != nil {
		m.called = append(m.called, "rths_limits_read", "rths_limits_apply")
	}
	functions, err := m.functions()
	if err != nil {
		return nil, nil, err
	}
	if s.Limits != nil {
		m.storage = append(m.storage, "struct rths_limits limits;")
		m.start = append(m.start, s.Limits.init(s.Axes, s.RateHz)...)
	}
	return map[string]string{
		s.Name + ".h": s.named(s.header(m)),
		s.Name + ".c": s.named(s.source(m, functions)),
	}, m, nil
}

// named gives types, functions and macros the name of the export in place of rths_, so that
// several exports fit into one program.
func (s Source) named(text string) string {
	return strings.NewReplacer("NAME.h", s.Name+".h", "rths_", s.Name+"_", "RTHS_",
		strings.ToUpper(s.Name)+"_").Replace(text)
}

// functions are the functions of the structs that something calls, each after those it needs.
func (m *model) functions() (string, error) {
	all := append(chunks(read("base")), chunks(read("portable"))...)
	for _, s := range m.structs {
		all = append(all, chunks(read(s.name))...)
	}
	all = append(all, chunks(read("limits"))...)
	needed := map[string]bool{}
	for _, name := range m.called {
		if !slices.ContainsFunc(all, func(c chunk) bool { return c.name == name }) {
			return "", &NotC{fmt.Sprintf("the method %s is not written in C",
				name[len("rths_"):strings.LastIndexByte(name, '_')])}
		}
		needed[name] = true
	}
	var kept []string
	for _, c := range slices.Backward(all) { // a caller stands below the functions it calls
		if c.name != "" && !needed[c.name] {
			continue
		}
		for _, name := range names().FindAllString(c.text, -1) {
			needed[name] = true
		}
		kept = append(kept, c.text)
	}
	slices.Reverse(kept)
	return strings.Join(kept, "\n"), nil
}

// chunk is a function of a part with the comment before it, or a struct, which has no name.
type chunk struct{ name, text string }

var (
	names      = words.Pattern(`\brths_\w+`)
	definition = words.Pattern(`(?m)^static [^(]*\b(rths_\w+)\(`)
)

// chunks cuts a part after every bracket in the first column.
func chunks(text string) (out []chunk) {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if b.Len() > 0 || line != "\n" {
			b.WriteString(line)
		}
		if line == "}\n" || line == "};\n" {
			c := chunk{text: b.String()}
			if d := definition().FindStringSubmatch(c.text); d != nil {
				c.name = d[1]
			}
			out = append(out, c)
			b.Reset()
		}
	}
	return out
}

// read is a part, "" if there is none.
func read(name string) string {
	text, err := fs.ReadFile(parts, "c/"+name+".c")
	if err != nil {
		return ""
	}
	return string(text)
}

// rateText is a rate as a double of C.
func rateText(hz float64) string {
	text := strconv.FormatFloat(hz, 'g', -1, 64)
	if !strings.ContainsAny(text, ".e") {
		text += ".0"
	}
	return text
}

// comment is a text within a comment of C: one line of ASCII that neither ends it nor begins another one.
func comment(text string) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return ' '
		case r < ' ' || r > '~':
			return '?'
		}
		return r
	}, text)
	return strings.NewReplacer("*/", "* /", "/*", "/ *").Replace(text)
}

// declarations are the interfaces and the structs.
func (m *model) declarations() string {
	var b strings.Builder
	for _, i := range m.interfaces {
		b.WriteString("\n" + i.declared())
	}
	for _, t := range m.structs {
		fmt.Fprintf(&b, "\nstruct rths_%s {\n\t%s\n};\n", t.name, strings.Join(t.fields, "\n\t"))
	}
	return b.String()
}

// init gives an instance its values.
func (m *model) init() string {
	var b strings.Builder
	for _, t := range m.tables {
		b.WriteString(t + "\n\n")
	}
	b.WriteString("void rths_init(rths_t *c)\n{\n\tunsigned char *byte = (unsigned char *)c;\n\tsize_t k;\n")
	if len(m.tables) > 0 {
		b.WriteString("\tint i;\n")
	}
	b.WriteString("\n\tfor (k = 0; k < sizeof *c; k++)\n\t\tbyte[k] = 0;\n\t" + strings.Join(m.start, "\n\t") + "\n}\n")
	return b.String()
}

// header declares the types and two functions.
func (s Source) header(m *model) string {
	var b strings.Builder
	fmt.Fprintf(&b, `/*
 * %s
 * Written by %s. C99 without a library but math.h, without allocation and without global state.
 * Compile without contraction of products (-ffp-contract=off), so that every number has the bits of rths.
 */
#ifndef RTHS_H
#define RTHS_H

#ifndef __cplusplus
#include <stdbool.h>
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define RTHS_AXES %d /* actuators */
#define RTHS_FORCES %d /* measured forces */
#define RTHS_RATE_HZ %s /* samples per second: the step is fixed */

/* What the compensator gets in each sample. What a method does not look at may stay 0. */
typedef struct {
	double target[RTHS_AXES]; /* displacement that the actuators shall have, m */
	double velocity[RTHS_AXES]; /* of the target, m/s */
	double acceleration[RTHS_AXES]; /* of the target, m/s^2 */
	double measured[RTHS_AXES]; /* displacement, m */
	double force[RTHS_FORCES + 1]; /* measured restoring force, N */
	int age; /* samples since the displacement was measured: 0 where it is new */
	bool late; /* the command of this sample will leave too late */
%s} rths_input;

`, comment(s.Title), comment(s.Program), s.Axes, s.Forces, rateText(s.RateHz), s.accelerated(
		"	double measured_acceleration[RTHS_AXES]; /* of the actuators, mean over the sample before, m/s^2 */\n"))
	b.WriteString("struct rths_motion;\nstruct rths_reading;\n" + m.declarations())
	if s.Limits != nil {
		b.WriteString(s.Limits.sizes(s.Axes, s.RateHz) + limitsStruct)
	}
	fmt.Fprintf(&b, "\n/* An instance. It points at itself: do not copy it. */\ntypedef struct {\n\t%s\n} rths_t;\n",
		strings.Join(m.storage, "\n\t"))
	b.WriteString(`
/*
 * Gives an instance its parameters and its state at the start: at rest, at 0. ` +
		`WARNING: engage it only while target and actuator are at
 * rest at 0. Engaged in the middle of a motion, filters and delay lines answer a jump: ` +
		`commands of several times the motion may follow.
 */
void rths_init(rths_t *c);

/* The commands of one sample, m. Without limits the result is 0; ` +
		`with limits, 0 until one has acted, then what it was. */
int rths_step(rths_t *c, const rths_input *in, double command[RTHS_AXES]);

#ifdef __cplusplus
}
#endif

#endif
`)
	return b.String()
}

// accelerated is a text of a source with measured accelerations, else "".
func (s Source) accelerated(text string) string {
	if s.Accelerated {
		return text
	}
	return ""
}

// noInput is an input of zeros.
func (s Source) noInput() string {
	return "{{0}, {0}, {0}, {0}, {0}, 0, false" + s.accelerated(", {0}") + "}"
}

// sourceHead begins a source, with its title and the static functions.
const sourceHead = "/* %s */\n#include <math.h>\n#include <stddef.h>\n#include \"NAME.h\"\n\n%s\n"

// source are the functions.
func (s Source) source(m *model, functions string) string {
	var b strings.Builder
	fmt.Fprintf(&b, sourceHead, comment(s.Title), functions)
	b.WriteString(m.init())
	act, result := "", "0"
	if s.Limits != nil {
		act, result = "\trths_limits_read(&c->limits, in->measured, in->age);\n", "rths_limits_apply(&c->limits, command)"
	}
	fmt.Fprintf(&b, `
int rths_step(rths_t *c, const rths_input *in, double command[RTHS_AXES])
{
	struct rths_motion target = {in->target, in->velocity, in->acceleration, RTHS_AXES};
	struct rths_reading read = {in->measured, in->force, RTHS_FORCES, in->age, in->late, %s};

%s	c->outer.step(c->outer.self, &target, &read, command);
	return %s;
}
`, cmp.Or(s.accelerated("in->measured_acceleration"), "NULL"), act, result)
	return b.String()
}
