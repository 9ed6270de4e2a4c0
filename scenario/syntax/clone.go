package syntax

import "reflect"

// Clone copies a block, down to the parameters of every block in it.
func Clone[T any](block *T) *T {
	out := *block
	own(reflect.ValueOf(&out).Elem())
	return &out
}

// own replaces pointers, slices and maps of numbers in the exported fields of a copied value by copies.
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
	case reflect.Map:
		if v.IsNil() {
			return
		}
		copied := reflect.MakeMapWithSize(v.Type(), v.Len())
		for i := v.MapRange(); i.Next(); {
			copied.SetMapIndex(i.Key(), i.Value())
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
