package export

// reasons are the kinds of compensators that cannot leave as C, and why.
var reasons = map[string]string{
	"wasm": "it is code of your own already: take its source",
}

// Reason is why a kind of compensator cannot leave as C; "": it can. A chain can if its parts can.
func Reason(kind string) string { return reasons[kind] }
