package scenario

import (
	"slices"
	"strings"
	"unicode"
)

// checkTags refuses tags that nobody could type or see.
func (s *Scenario) checkTags(want func(key string, ok bool, format string, args ...any)) {
	for i, tag := range s.Tags {
		want("tags", tag != "" && tag == strings.TrimSpace(tag), "%q: want a word, without blanks around it", tag)
		want("tags", !strings.ContainsFunc(tag, unicode.IsControl), "%q: want a word without control characters", tag)
		want("tags", !slices.Contains(s.Tags[:i], tag), "%q stands twice: want each word once", tag)
	}
}
