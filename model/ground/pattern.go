package ground

import (
	"regexp"
	"sync"
)

// lazily is a pattern that is compiled when it is first used: fifty at the start would be a tenth of the time of a
// command that reads no ground motion.
func lazily(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}
