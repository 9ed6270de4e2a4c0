package export

import (
	"fmt"
	"reflect"
	"slices"
)

// arrays are the pieces of memory of a compensator: what its slices and pointers point at.
type arrays struct {
	pieces []piece
	seen   map[pointer]bool

	watched bool // something asks for the residual of a method
}

// leftOut reports whether C has no such field: none with a tag c. With c:"watched" it has one where something asks for
// the residual of a method. With c:"zero" the field has to be zero besides. With c:"points" it points at a number that
// has its place by then.
func (a *arrays) leftOut(f reflect.StructField) bool {
	tag := f.Tag.Get("c")
	return tag != "" && tag != points && !(tag == "watched" && a.watched)
}

// points is the tag of a pointer to a number of another object.
const points = "points"

// piece is memory from at to end.
type piece struct {
	at, end uintptr
	v       reflect.Value // the slice, or the pointer
}

// arraysOf finds them. One slice may lie in another one. Anything else that overlaps would be two things in C.
func arraysOf(v reflect.Value) (*arrays, error) {
	a := &arrays{seen: map[pointer]bool{}}
	a.walk(v)
	if a.watched {
		a = &arrays{seen: map[pointer]bool{}, watched: true}
		a.walk(v)
	}
	slices.SortFunc(a.pieces, func(p, q piece) int {
		switch {
		case p.at < q.at || p.at == q.at && p.end > q.end:
			return -1
		case p.at == q.at && p.end == q.end:
			return 0
		}
		return 1
	})
	for i := 1; i < len(a.pieces); i++ {
		p, q := a.pieces[i-1], a.pieces[i]
		if q.at < p.end && (q.end > p.end || q.v.Type() != p.v.Type() || q.v.Kind() != reflect.Slice) {
			return nil, fmt.Errorf("a %s and a %s share memory, which has no counterpart in C", p.v.Type(), q.v.Type())
		}
		if q.at < p.end {
			a.pieces[i] = p // covered
		}
	}
	return a, nil
}

func (a *arrays) walk(v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); !a.leftOut(f) && f.Tag.Get("c") != points {
				a.walk(v.Field(i))
			}
		}
	case reflect.Array:
		a.all(v)
	case reflect.Slice:
		if a.take(v, v.Len()) {
			a.all(v)
		}
	case reflect.Pointer:
		if !v.IsNil() && a.take(v, 1) {
			a.walk(v.Elem())
		}
	case reflect.Interface:
		if !v.IsNil() {
			a.watched = a.watched || v.Type().String() == "compensate.Watched"
			a.walk(unwrapped(v.Elem()))
		}
	}
}

func (a *arrays) all(v reflect.Value) {
	switch v.Type().Elem().Kind() {
	case reflect.Float64, reflect.Int, reflect.Bool:
		return
	}
	for i := range v.Len() {
		a.walk(v.Index(i))
	}
}

// take notes the n objects at v, unless it has them.
func (a *arrays) take(v reflect.Value, n int) bool {
	size := v.Type().Elem().Size() * uintptr(n)
	key := pointer{v.Pointer(), v.Type(), n}
	if size == 0 || a.seen[key] {
		return false
	}
	a.seen[key] = true
	a.pieces = append(a.pieces, piece{v.Pointer(), v.Pointer() + size, v})
	return true
}

// around is the largest slice around a slice, and where in it the slice begins.
func (a *arrays) around(v reflect.Value) (whole reflect.Value, first int) {
	if v.Len() == 0 {
		return v, 0
	}
	for _, p := range a.pieces {
		if p.v.Type() == v.Type() && p.at <= v.Pointer() && v.Pointer() < p.end {
			return p.v, int((v.Pointer() - p.at) / v.Type().Elem().Size())
		}
	}
	return v, 0
}
