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
