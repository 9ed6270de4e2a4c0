package rths

// Finite reports whether x is a number: neither NaN nor infinite.
func Finite(x float64) bool { return x-x == 0 }
