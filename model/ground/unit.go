package ground

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Quantity has units, each so many of the SI unit.
type Quantity struct {
	Name, SI string
	Units    map[string]float64
}

// The quantities of a test.
var (
	Time = Quantity{"time", "s", map[string]float64{"s": 1, "sec": 1, "seconds": 1, "ms": 1e-3, "msec": 1e-3, "us": 1e-6,
		"µs": 1e-6, "min": 60}}
	Length = Quantity{"length", "m", map[string]float64{"m": 1, "cm": 1e-2, "mm": 1e-3, "um": 1e-6, "µm": 1e-6,
		"in": 0.0254, "inch": 0.0254, "ft": 0.3048}}
	Angle = Quantity{"angle", "rad", map[string]float64{"rad": 1, "mrad": 1e-3, "deg": math.Pi / 180}}
	Force = Quantity{"force", "N", map[string]float64{"mN": 1e-3, "N": 1, "kN": 1e3, "MN": 1e6, "lbf": 4.4482216152605,
		"kip": 4448.2216152605}}

	Acceleration = Quantity{"acceleration", "m/s2", map[string]float64{
		"m/s2": 1, "cm/s2": 1e-2, "mm/s2": 1e-3, "gal": 1e-2, "in/s2": 0.0254, "ft/s2": 0.3048,
		"g": StandardGravity, "mg": 1e-3 * StandardGravity,
	}}
)

// asIs is the unit of numbers that are not accelerations: they are taken as they
// are, whatever a title says.
const asIs = "as they are"

// spelling writes a unit as the tables do. In a text of Windows ² and µ are one byte.
var spelling = strings.NewReplacer("²", "2", "\xb2", "2", "^", "", "**", "", "µ", "µ", "μ", "µ", "\xb5", "µ", "⁻", "-",
	"/sec/sec", "/s2", "/s/s", "/s2", "/sec", "/s")

// Find is the unit that a text names, as the table writes it. s², s^2 and s2 are the same,
// and so are upper and lower case unless they tell two units apart.
func (q Quantity) Find(text string) (unit string, ok bool) {
	plain := spelling.Replace(strings.TrimSpace(text))
	if _, ok := q.Units[plain]; ok {
		return plain, true
	}
	alike, plain := 0, strings.ToLower(plain)
	if q.Name == Acceleration.Name {
		plain = written.Replace(plain)
	}
	plain = spelling.Replace(plain)
	for u := range q.Units {
		if strings.EqualFold(u, plain) {
			unit = u
			alike++
		}
	}
	return unit, alike == 1
}

// List is the known units, for errors.
func (q Quantity) List() string {
	var names []string
	for n := range q.Units {
		names = append(names, n)
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

// factor is the factor from the given unit to the SI unit.
func (q Quantity) factor(unit string) (float64, error) {
	known, ok := q.Find(unit)
	if !ok {
		return 0, fmt.Errorf("unit %q: want one of %s", unit, q.List())
	}
	return q.Units[known], nil
}

// longestUnit is more bytes than any unit has: a title may be 1 MB long.
const longestUnit = 16

// Behind is the unit at the end of a name, as in force_kN, accel_m_s2 and "time ms", and
// the name before it; no unit is "".
func (q Quantity) Behind(name string) (bare, unit string) {
	bare = name
	for at, c := range name {
		if at == 0 || len(name)-at > longestUnit || !strings.ContainsRune("_ /", c) {
			continue
		}
		end := name[at+1:]
		for _, text := range []string{end, strings.ReplaceAll(end, "_", "/")} {
			if u, ok := q.Find(text); ok {
				return strings.TrimSpace(name[:at]), u
			}
		}
	}
	return bare, ""
}

// titleError is the error of a column whose title says another quantity.
type titleError struct {
	title string
	want  Quantity
}

func (e titleError) Error() string {
	want := map[string]string{Time.Name: "times", Length.Name: "displacements", Force.Name: "forces",
		Acceleration.Name: "accelerations"}
	return fmt.Sprintf("title %q: want %s: this is another quantity", e.title, want[e.want.Name])
}

// stated is the unit that a column's title states: after the name, in brackets as in "a
// [cm/s²]" and "Acceleration (g)", or alone; "" if it states none. A unit that is not known is
// an error, and so is another quantity.
func (q Quantity) stated(title string) (unit string, err error) {
	if q.another(title) {
		return "", titleError{title, q}
	}
	groups := brackets(title)
	for _, text := range groups {
		if u, ok := q.Find(text); ok && !factorAfter().MatchString(behindBrackets(title)) {
			return u, nil
		}
	}
	if len(groups) > 0 {
		return "", fmt.Errorf("title %q: found %q: want a unit of %s in brackets, one of %s", title,
			groups[len(groups)-1]+behindBrackets(title), q.Name, q.List())
	}
	if u, ok := q.Find(title); ok {
		return u, nil
	}
	bare, unit := q.Behind(title)
	end := title[strings.LastIndexAny(title, "_ ")+1:]
	if unit != "" && partOfUnit().MatchString(bare) || unit == "" &&
		(likeUnit().MatchString(end) || q.Name == Time.Name && strangeTime().MatchString(end)) {
		return "", fmt.Errorf("title %q: want a unit of %s at its end, one of %s", title, q.Name, q.List())
	}
	return unit, nil
}

// another tells whether a title says another quantity, by a word or by a unit at its end. One letter is no unit there,
// as in acc_N, but m is; and neither is in.
func (q Quantity) another(title string) bool {
	own, known := titleWords[q.Name]
	if spectral().MatchString(title) || !known || own().MatchString(title) {
		return known && spectral().MatchString(title)
	}
	for _, words := range titleWords {
		if words().MatchString(title) {
			return true
		}
	}
	if _, unit := q.Behind(title); unit != "" {
		return false
	}
	return slices.ContainsFunc([]Quantity{Length, Force, Acceleration}, func(other Quantity) bool {
		_, unit := other.Behind(title)
		return len(unit) > 1 && unit != "in" || unit == "m"
	})
}

// brackets lists what stands in brackets.
func brackets(title string) (groups []string) {
	for {
		open := strings.IndexAny(title, "[(")
		if open < 0 {
			return groups
		}
		title = title[open+1:]
		inner := title
		if end := strings.IndexAny(title, "])"); end >= 0 {
			inner, title = title[:end], title[end+1:]
		}
		groups = append(groups, strings.TrimSpace(inner))
	}
}

// behindBrackets is what follows the last bracket.
func behindBrackets(title string) string {
	if end := strings.LastIndexAny(title, "])"); end >= 0 {
		return title[end+1:]
	}
	return ""
}
