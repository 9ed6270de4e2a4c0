package ground

import (
	"fmt"
	"strings"
)

// knownUnits is for errors about a unit.
const knownUnits = "g, gal, m/s2 or cm/s2"

// asIs is the unit of numbers that are not accelerations: they are taken as they
// are, whatever a title says.
const asIs = "as they are"

// unitFactor is the factor from the given unit to m/s². Case does not matter; s², s^2 and s2 are the same.
func unitFactor(unit string) (float64, error) {
	plain := strings.NewReplacer("²", "2", "^", "").Replace(strings.ToLower(strings.TrimSpace(unit)))
	switch plain {
	case "m/s2", asIs:
		return 1, nil
	case "g":
		return StandardGravity, nil
	case "gal", "cm/s2":
		return 0.01, nil
	}
	return 0, fmt.Errorf("unit %q: want %s", unit, knownUnits)
}

// headerUnit is the unit that a column's title states: accel_g, accel_m_s2,
// "a [cm/s²]", "Acceleration (g)"; "" if it states none.
func headerUnit(title string) string {
	title = strings.ToLower(strings.Trim(title, `"' `))
	if i := strings.LastIndexAny(title, "[("); i >= 0 {
		inner := strings.TrimRight(title[i+1:], "]) ")
		if _, err := unitFactor(inner); err == nil || strings.Contains(inner, "/") {
			return inner // a unit that is not known is an error of whoever uses it
		}
	}
	for _, s := range []struct{ suffix, unit string }{
		{"_cm_s2", "cm/s2"}, {"_m_s2", "m/s2"}, {"_gal", "gal"}, {"_g", "g"},
	} {
		if strings.HasSuffix(title, s.suffix) {
			return s.unit
		}
	}
	return ""
}
