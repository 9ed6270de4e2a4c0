package scenario

import "reflect"

// clone is a scenario of its own, down to the parameters of every block. Building a test
// and looking at one of its parts work on a clone: makers write into the parameters they
// are given what these leave open.
func (s *Scenario) clone() *Scenario {
	out := *s
	own(reflect.ValueOf(&out).Elem())
	return &out
}

// own gives a value that was copied what it still shares with the original: what its
// exported fields point to.
func own(v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Field(i).CanSet() {
				own(v.Field(i))
			}
		}
	case reflect.Interface, reflect.Pointer:
		if v.IsNil() {
			return
		}
		copied := reflect.New(v.Elem().Type())
		copied.Elem().Set(v.Elem())
		own(copied.Elem())
		if v.Kind() == reflect.Interface {
			copied = copied.Elem()
		}
		v.Set(copied)
	case reflect.Slice:
		if v.IsNil() {
			return
		}
		copied := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		reflect.Copy(copied, v)
		for i := range copied.Len() {
			own(copied.Index(i))
		}
		v.Set(copied)
	}
}
