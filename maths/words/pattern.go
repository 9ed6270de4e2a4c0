package words

import (
	"regexp"
	"sync"
)

// Pattern is a pattern that is compiled when it is first used: all of them at the start would be a tenth of the time of
// a command that needs none. Its code stands in the program once, not for each pattern.
//
//go:noinline
func Pattern(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}
