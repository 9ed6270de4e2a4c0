package rths

// Wrapper is implemented by everything that adds behaviour around another
// part (limits, noise, a second rate), so that As can look inside.
type Wrapper interface{ Unwrap() any }

// As returns the first of v, v.Unwrap(), v.Unwrap().Unwrap(), … that is a T.
// Optional interfaces are looked up with it once, when a loop is made.
func As[T any](v any) (T, bool) {
	for v != nil {
		if t, ok := v.(T); ok {
			return t, true
		}
		w, ok := v.(Wrapper)
		if !ok {
			break
		}
		v = w.Unwrap()
	}
	var none T
	return none, false
}

// AppendStateOf appends the state of a part, or of what the part wraps, if there is one.
func AppendStateOf(dst []float64, part any) []float64 {
	if s, ok := As[Stateful](part); ok {
		return s.AppendState(dst)
	}
	return dst
}

// SetStateOf restores what AppendStateOf appended, and returns the rest of src.
func SetStateOf(src []float64, part any) []float64 {
	if s, ok := As[Stateful](part); ok {
		return s.SetState(src)
	}
	return src
}
