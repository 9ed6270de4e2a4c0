package record

import (
	"fmt"
	"math"
	"strings"

	"rths"
)

// Text writes a number for a reader in a format such as "%.3f": a dash where it is not
// finite, and no sign before nothing but zeros. Format "" has two decimals where they are
// enough, and five digits for the small and the large.
func Text(format string, x float64) string {
	if !rths.Finite(x) {
		return "–"
	}
	if format == "" {
		format = "%.2f"
		if a := math.Abs(x); a > 0 && a < 0.1 || a >= 1e5 {
			format = "%.5g"
		}
	}
	text := fmt.Sprintf(format, x)
	if strings.Trim(text, "-0.") == "" {
		text = strings.TrimPrefix(text, "-")
	}
	return text
}
