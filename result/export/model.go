// Package export writes a compensator, or devices that learn, as C99, for a controller that does not run this program:
// the structs of the C have the fields of the Go structs, their values are those of the Go object, and the functions
// are parts written by hand beside the Go code (folder c). C and Go give the same bits on amd64, if the compiler
// contracts no products (-ffp-contract=off).
//
// Not for the rest of a loop: integrator, rig and limits of a channel stay here.
package export

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"rths"
	"rths/method/learn"
)

// model is a compensator as C sees it: structs, storage and values.
type model struct {
	structs []*cStruct // each after those it holds by value
	byType  map[reflect.Type]*cStruct
	storage []string           // declarations in the instance
	made    map[pointer]string // names of what pointers and slices point at
	start   []string           // statements of init
	tables  []string           // constant arrays
	called  []string           // functions that a part calls through a pointer
	arrays  *arrays
	numbers map[uintptr]string // where a number of the Go object stands in the instance
	frozen  []string           // where the switches of the adaptation stand

	interfaces []method
}

// pointer is the identity of an object or of the array of a slice.
type pointer struct {
	at  uintptr
	of  reflect.Type
	len int
}

// cStruct is a Go struct in C.
type cStruct struct {
	name   string // of the Go type, in lower case
	fields []string
}

// part is the C type of a compensator inside another one: whom to call, and with what.
const part = "struct rths_part"

// method is an interface in C: a struct of an object and one function, or some.
type method struct {
	doc, of, name, returns, takes string
	more                          []function
}

// function is one more function of an interface. optional: a struct without it has NULL.
type function struct {
	name, returns, takes string
	optional             bool
}

func (i method) functions() []function {
	return append([]function{{i.name, i.returns, i.takes, false}}, i.more...)
}

// methods are the interfaces that C knows, by the name in Go.
var methods = map[string]method{
	"rths.Compensator": {"A part: whom to call, and with what.", part, "step", "void",
		"const struct rths_motion *target, const struct rths_reading *read, double *command", nil},
	"rths.Adaptive": {"A part that learns.", "struct rths_learner", "freeze", "void", "bool on", nil},
	"compensate.Pinned": {"A part whose parameters have bounds: whether one is held.", "struct rths_pinned", "pinned",
		"bool", "", nil},
	"compensate.Watched": {"A part with a residual, and the noise in it.", "struct rths_watched", "residual", "double",
		"double *noise", nil},
	"compensate.Settler": {"A part that remembers old readings: whether it does now.", "struct rths_settler", "settles",
		"bool", "", nil},
	"device.Law": {"A law: its force, the rate of its states, and its return map.", "struct rths_law", "force", "double",
		"double x, double v, const double *z", []function{
			{"rate", "void", "double *dz, const double *z, double v", true}, {"commit", "void", "double *z, double x", true}}},
	"device.flower": {"A law that moves its states along a line by itself.", "struct rths_flower", "flow", "void",
		"double *z, double v, double h, int parts", nil},
	"learn.Filter": {"A filter of parameters, and whether it finds the noise that it was told.", "struct rths_filter",
		"step", "void", "double x, double v, double force, bool old", []function{
			{"value", "double", "int j, double *sd", false}, {"white", "bool", "", false}}},
}

func (i method) declared() string {
	text := fmt.Sprintf("/* %s */\n%s {\n\tvoid *self;\n", i.doc, i.of)
	for _, f := range i.functions() {
		takes := "void *self"
		if f.takes != "" {
			takes += ", " + f.takes
		}
		text += fmt.Sprintf("\t%s (*%s)(%s);\n", f.returns, f.name, takes)
	}
	return text + "};\n"
}

// newModel walks through a compensator.
func newModel(c rths.Compensator) (m *model, err error) {
	return modelOf(reflect.ValueOf(&struct{ Outer rths.Compensator }{c}).Elem())
}

// modelOf walks through a struct of one field.
func modelOf(v reflect.Value) (m *model, err error) {
	m = &model{byType: map[reflect.Type]*cStruct{}, made: map[pointer]string{}, numbers: map[uintptr]string{}}
	if m.arrays, err = arraysOf(v); err != nil {
		return nil, err
	}
	outer, err := m.declare("", "outer", v.Field(0).Type())
	if err != nil {
		return nil, err
	}
	m.storage = append(m.storage, outer)
	return m, m.value("c->outer", v.Field(0))
}

// unsupported is a field that C cannot have.
type unsupported struct {
	path string
	of   reflect.Type
}

func (u *unsupported) Error() string {
	return fmt.Sprintf("%s is a %s, which has no counterpart in C", u.path, u.of)
}

// declare is a declaration of a name of a Go type.
func (m *model) declare(path, name string, t reflect.Type) (string, error) {
	switch t.Kind() {
	case reflect.Float64:
		return "double " + name + ";", nil
	case reflect.Int:
		return "int " + name + ";", nil
	case reflect.Bool:
		return "bool " + name + ";", nil
	case reflect.Interface:
		if i, ok := methods[t.String()]; ok {
			if !slices.ContainsFunc(m.interfaces, func(o method) bool { return o.of == i.of }) {
				m.interfaces = append(m.interfaces, i)
			}
			return i.of + " " + name + ";", nil
		}
	case reflect.Pointer:
		switch t.Elem().Kind() {
		case reflect.Struct:
			return m.declareStruct(path, "*"+name, t.Elem())
		case reflect.Float64:
			return "double *" + name + ";", nil
		}
	case reflect.Struct:
		return m.declareStruct(path, name, t)
	case reflect.Array:
		return m.declare(path, fmt.Sprintf("%s[%d]", name, t.Len()), t.Elem())
	case reflect.Slice:
		return m.declareSlice(path, name, t)
	}
	return "", &unsupported{path, t}
}

func (m *model) declareStruct(path, name string, t reflect.Type) (string, error) {
	s, err := m.structOf(path, t)
	if err != nil {
		return "", err
	}
	return "struct rths_" + s.name + " " + name + ";", nil
}

func (m *model) declareSlice(path, name string, t reflect.Type) (string, error) {
	to := "*" + name
	switch t.Elem().Kind() {
	case reflect.Slice:
		return "", &unsupported{path, t}
	case reflect.Array:
		to = "(" + to + ")"
	}
	inner, err := m.declare(path, to, t.Elem())
	return inner + " int " + lengthOf(name) + ";", err
}

// lengthOf is the name of the length of a slice: x_len, of x[2] x_len[2].
func lengthOf(name string) string {
	if i := strings.LastIndexByte(name, '['); strings.HasSuffix(name, "]") {
		return name[:i] + "_len" + name[i:]
	}
	return name + "_len"
}

// structOf is the C struct of a Go struct.
func (m *model) structOf(path string, t reflect.Type) (*cStruct, error) {
	if s, ok := m.byType[t]; ok {
		return s, nil
	}
	s := &cStruct{name: strings.ToLower(t.Name())}
	if t.PkgPath() == reflect.TypeFor[learn.RLS]().PkgPath() { // compensators have an RLS too
		s.name = "learn" + s.name
	}
	for other, o := range m.byType {
		if o.name == s.name {
			return nil, fmt.Errorf("%s and %s have one name in C", other, t)
		}
	}
	m.byType[t] = s
	for i := range t.NumField() {
		f := t.Field(i)
		if m.arrays.leftOut(f) {
			continue
		}
		d, err := m.declare(path+"."+f.Name, fieldName(f), f.Type)
		if err != nil {
			return s, err
		}
		s.fields = append(s.fields, d)
	}
	if len(s.fields) == 0 {
		s.fields = []string{"char nothing;"}
	}
	m.structs = append(m.structs, s)
	return s, nil
}

// fieldName is the name of a field in C: words of C get a tail.
func fieldName(f reflect.StructField) string {
	name := f.Name
	if f.Anonymous {
		name = strings.ToLower(name)
	}
	if slices.Contains([]string{"register", "double", "float", "int", "long", "short", "signed", "const", "static",
		"default", "do", "while", "for", "auto", "union", "enum"}, name) {
		return name + "_"
	}
	return name
}

// value writes the statements that give a place its value. All of the instance is zero before.
func (m *model) value(to string, v reflect.Value) error {
	switch v.Kind() {
	case reflect.Float64:
		if v.CanAddr() {
			m.numbers[v.UnsafeAddr()] = to
		}
		if math.Float64bits(v.Float()) != 0 {
			m.start = append(m.start, fmt.Sprintf("%s = %s; /* %.6g */", to, Hex(v.Float()), v.Float()))
		}
	case reflect.Int:
		if v.Int() != int64(int32(v.Int())) {
			return fmt.Errorf("%s is %d, too large a number for an int of C", to, v.Int())
		}
		if v.Int() != 0 {
			m.set(to, strconv.FormatInt(v.Int(), 10))
		}
	case reflect.Bool:
		if strings.HasSuffix(to, ".frozen") {
			m.frozen = append(m.frozen, to)
		}
		if v.Bool() {
			m.set(to, "true")
		}
	case reflect.Struct:
		return m.fields(to, v)
	case reflect.Array:
		for i := range v.Len() {
			if err := m.value(fmt.Sprintf("%s[%d]", to, i), v.Index(i)); err != nil {
				return err
			}
		}
	case reflect.Slice:
		return m.slice(to, v)
	case reflect.Pointer:
		return m.pointer(to, v)
	case reflect.Interface:
		return m.part(to, v)
	default:
		return &unsupported{to, v.Type()}
	}
	return nil
}

func (m *model) set(to, value string) { m.start = append(m.start, to+" = "+value+";") }

func (m *model) fields(to string, v reflect.Value) error {
	for i := range v.NumField() {
		f := v.Type().Field(i)
		if f.Tag.Get("c") == "zero" && !v.Field(i).IsZero() {
			return fmt.Errorf("%s.%s is in use, which has no counterpart in C", to, f.Name)
		}
		if m.arrays.leftOut(f) {
			continue
		}
		if err := m.value(to+"."+fieldName(f), v.Field(i)); err != nil {
			return err
		}
	}
	return nil
}

// store makes room for a type in the instance.
func (m *model) store(path string, t reflect.Type, count int) (string, error) {
	name := fmt.Sprintf("m%d", len(m.storage))
	at := name
	if count >= 0 {
		at = fmt.Sprintf("%s[%d]", name, max(count, 1))
	}
	d, err := m.declare(path, at, t)
	m.storage = append(m.storage, d)
	return name, err
}

// pointer points at an object, which is made once.
func (m *model) pointer(to string, v reflect.Value) error {
	if v.IsNil() {
		return nil
	}
	if v.Type().Elem().Kind() == reflect.Float64 {
		place, ok := m.numbers[v.Pointer()]
		if !ok {
			return fmt.Errorf("%s points at a number that has no place in C", to)
		}
		m.set(to, "&"+place)
		return nil
	}
	key := pointer{v.Pointer(), v.Type().Elem(), -1}
	name, ok := m.made[key]
	if !ok {
		var err error
		if name, err = m.store(to, v.Type().Elem(), -1); err != nil {
			return err
		}
		m.made[key] = name
		if err := m.value("c->"+name, v.Elem()); err != nil {
			return err
		}
	}
	m.set(to, "&c->"+name)
	return nil
}

// slice points at an array, or into it. Slices of one array share it.
func (m *model) slice(to string, v reflect.Value) error {
	if v.IsNil() {
		return nil
	}
	m.set(lengthOf(to), strconv.Itoa(v.Len()))
	whole, first := m.arrays.around(v)
	key := pointer{whole.Pointer(), whole.Type().Elem(), whole.Len()}
	name, ok := m.made[key]
	if !ok || whole.Len() == 0 {
		var err error
		if name, err = m.store(to, whole.Type().Elem(), whole.Len()); err != nil {
			return err
		}
		m.made[key] = name
		if err := m.elements("c->"+name, whole); err != nil {
			return err
		}
	}
	if first > 0 {
		name += " + " + strconv.Itoa(first)
	}
	m.set(to, "c->"+name)
	return nil
}

// fewValues are set one by one; more stand in a table.
const fewValues = 8

// elements are the values of an array.
func (m *model) elements(to string, v reflect.Value) error {
	if numbers, ok := flat(nil, v); ok {
		given := 0
		for _, x := range numbers {
			if math.Float64bits(x) != 0 {
				given++
			}
		}
		if given > fewValues {
			m.locate(to, v)
			m.table(to, numbers, v)
			return nil
		}
	}
	for i := range v.Len() {
		if err := m.value(fmt.Sprintf("%s[%d]", to, i), v.Index(i)); err != nil {
			return err
		}
	}
	return nil
}

// flat appends the numbers of a slice of numbers, or of arrays of numbers.
func flat(dst []float64, v reflect.Value) ([]float64, bool) {
	for i := range v.Len() {
		e := v.Index(i)
		switch {
		case e.Kind() == reflect.Float64:
			dst = append(dst, e.Float())
		case e.Kind() == reflect.Array && e.Type().Elem().Kind() == reflect.Float64:
			dst, _ = flat(dst, e)
		default:
			return nil, false
		}
	}
	return dst, true
}

// locate notes where the numbers of a table stand.
func (m *model) locate(to string, v reflect.Value) {
	for i := range v.Len() {
		e, at := v.Index(i), fmt.Sprintf("%s[%d]", to, i)
		if e.Kind() == reflect.Array {
			m.locate(at, e)
		} else if e.CanAddr() {
			m.numbers[e.UnsafeAddr()] = at
		}
	}
}

// table is a constant array, copied by init.
func (m *model) table(to string, numbers []float64, v reflect.Value) {
	name := fmt.Sprintf("t%d", len(m.tables))
	var b strings.Builder
	fmt.Fprintf(&b, "static const double %s[%d] = {", name, len(numbers))
	for i, x := range numbers {
		if i%4 == 0 {
			b.WriteString("\n\t")
		} else {
			b.WriteString(" ")
		}
		b.WriteString(Hex(x) + ",")
	}
	b.WriteString("\n};")
	m.tables = append(m.tables, b.String())
	place := "[i]"
	if e := v.Type().Elem(); e.Kind() == reflect.Array {
		place = fmt.Sprintf("[i / %d][i %% %d]", e.Len(), e.Len())
	}
	m.start = append(m.start, fmt.Sprintf("for (i = 0; i < %d; i++)\n\t\t%s%s = %s[i];", len(numbers), to, place, name))
}

// part is a compensator inside another, or something else with a method: its object, and the function to call.
func (m *model) part(to string, v reflect.Value) error {
	if v.IsNil() {
		return nil
	}
	e := unwrapped(v.Elem())
	t := e.Type()
	if e.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return &unsupported{to, e.Type()}
	}
	s, err := m.structOf(to, t)
	if err != nil {
		return err
	}
	for _, f := range methods[v.Type().String()].functions() {
		function := "rths_" + s.name + "_" + f.name
		if f.optional && !strings.Contains(read(s.name), function+"(") {
			continue
		}
		m.called = append(m.called, function)
		m.set(to+"."+f.name, function)
	}
	if e.Kind() == reflect.Pointer {
		return m.pointer(to+".self", e)
	}
	name, err := m.store(to, t, -1) // a value without identity, as none{}
	if err != nil {
		return err
	}
	m.set(to+".self", "&c->"+name)
	return m.fields("c->"+name, e)
}

// unwrapped is the object in a struct that only adds methods to it, as UsesRates.
func unwrapped(v reflect.Value) reflect.Value {
	s := v
	if s.Kind() == reflect.Pointer {
		s = s.Elem()
	}
	if s.Kind() == reflect.Struct && s.NumField() == 1 && s.Type().Field(0).Anonymous &&
		s.Field(0).Kind() == reflect.Pointer {
		return unwrapped(s.Field(0))
	}
	return v
}

// Hex writes a number of C99 that has the same bits.
func Hex(v float64) string {
	switch {
	case math.IsNaN(v):
		return "NAN"
	case math.IsInf(v, 1):
		return "INFINITY"
	case math.IsInf(v, -1):
		return "-INFINITY"
	}
	return strconv.FormatFloat(v, 'x', -1, 64)
}
