package study

// holder is not known here.
func holder(string) string { return "" }
