// Package export writes a compensator as C99, for a controller that does not run this program: the structs of the C have
// the fields of the Go structs behind the compensator, their values are those of the Go object, and the functions are
// parts written by hand beside the Go code (folder c). C and Go give the same bits on amd64, if the compiler contracts no
// products (-ffp-contract=off).
//
// Not for what is no compensator: integrator, rig and limits of a channel stay here.
package export

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"rths"
)

// model is a compensator as C sees it: structs, storage and values.
type model struct {
	structs []*cStruct // each behind those it holds by value
	byType  map[reflect.Type]*cStruct
	storage []string           // declarations in the instance
	made    map[pointer]string // names of what pointers and slices point at
	start   []string           // statements of init
	tables  []string           // constant arrays
	stepped []string           // structs that are compensators
	numbers map[uintptr]string // where a number of the Go object stands in the instance
	frozen  []string           // where the switches of the adaptation stand
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

// newModel walks through a compensator.
func newModel(c rths.Compensator) (m *model, err error) {
	m = &model{byType: map[reflect.Type]*cStruct{}, made: map[pointer]string{}, numbers: map[uintptr]string{}}
	v := reflect.New(reflect.TypeFor[struct{ Outer rths.Compensator }]()).Elem()
	v.Field(0).Set(reflect.ValueOf(c))
	m.storage = append(m.storage, part+" outer;")
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
		return part + " " + name + ";", nil
	case reflect.Pointer:
		if t.Elem().Kind() == reflect.Struct {
			s, err := m.structOf(path, t.Elem())
			return "struct rths_" + s.name + " *" + name + ";", err
		}
	case reflect.Struct:
		s, err := m.structOf(path, t)
		return "struct rths_" + s.name + " " + name + ";", err
	case reflect.Array:
		return m.declare(path, fmt.Sprintf("%s[%d]", name, t.Len()), t.Elem())
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Array {
			inner, err := m.declare(path, fmt.Sprintf("(*%s)", name), t.Elem())
			return inner + " int " + name + "_len;", err
		}
		inner, err := m.declare(path, "*"+name, t.Elem())
		return inner + " int " + name + "_len;", err
	}
	return "", &unsupported{path, t}
}

// structOf is the C struct of a Go struct.
func (m *model) structOf(path string, t reflect.Type) (*cStruct, error) {
	if s, ok := m.byType[t]; ok {
		return s, nil
	}
	s := &cStruct{name: strings.ToLower(t.Name())}
	m.byType[t] = s
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Tag.Get("c") == "-" {
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
	if slices.Contains([]string{"register", "double", "float", "int", "long", "short", "signed", "const", "static", "default", "do", "while", "for", "auto", "union", "enum"}, name) {
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
		if f.Tag.Get("c") == "-" {
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

// slice points at an array. Two slices of one array and one length share it.
func (m *model) slice(to string, v reflect.Value) error {
	if v.IsNil() {
		return nil
	}
	m.set(to+"_len", strconv.Itoa(v.Len()))
	key := pointer{v.Pointer(), v.Type().Elem(), v.Len()}
	name, ok := m.made[key]
	if !ok || v.Len() == 0 {
		var err error
		if name, err = m.store(to, v.Type().Elem(), v.Len()); err != nil {
			return err
		}
		m.made[key] = name
		if err := m.elements("c->"+name, v); err != nil {
			return err
		}
	}
	m.set(to, "c->"+name)
	return nil
}

// fewValues are set one by one; more stand in a table.
const fewValues = 8

// elements are the values of an array.
func (m *model) elements(to string, v reflect.Value) error {
	given := 0
	for i := range v.Len() {
		if v.Type().Elem().Kind() == reflect.Float64 && math.Float64bits(v.Index(i).Float()) != 0 {
			given++
		}
	}
	if given > fewValues {
		m.table(to, v)
		return nil
	}
	for i := range v.Len() {
		if err := m.value(fmt.Sprintf("%s[%d]", to, i), v.Index(i)); err != nil {
			return err
		}
	}
	return nil
}

// table is a constant array, copied by init.
func (m *model) table(to string, v reflect.Value) {
	for i := range v.Len() {
		m.numbers[v.Index(i).UnsafeAddr()] = fmt.Sprintf("%s[%d]", to, i)
	}
	name := fmt.Sprintf("t%d", len(m.tables))
	var b strings.Builder
	fmt.Fprintf(&b, "static const double %s[%d] = {", name, v.Len())
	for i := range v.Len() {
		if i%4 == 0 {
			b.WriteString("\n\t")
		}
		b.WriteString(Hex(v.Index(i).Float()) + ", ")
	}
	b.WriteString("\n};")
	m.tables = append(m.tables, b.String())
	m.start = append(m.start, fmt.Sprintf("for (i = 0; i < %d; i++) %s[i] = %s[i];", v.Len(), to, name))
}

// part is a compensator inside another: its object, and the function that steps it.
func (m *model) part(to string, v reflect.Value) error {
	if v.IsNil() {
		return nil
	}
	e := v.Elem()
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
	m.stepped = append(m.stepped, s.name)
	m.set(to+".step", "rths_"+s.name+"_step")
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
