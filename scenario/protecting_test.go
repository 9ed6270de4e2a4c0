package scenario

import (
	"fmt"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"rths/kit/rthstest"
	"rths/model/plant"
	"rths/model/structure"
)

// guarded are the blocks whose keys may protect, with their defaults.
func guarded(t *testing.T) map[string]any {
	t.Helper()
	limit, start := &Limit{}, &Start{}
	limit.Prepare()
	start.Prepare()
	var external structure.External
	for _, k := range structure.Kinds {
		if e, ok := k.Defaults().(*structure.External); ok {
			external = *e
		}
	}
	return map[string]any{
		"": *New(), "limits.": *limit, "on_trip.": gently(), "transfer.": plant.Rating{}, "rig.": *links[0].Defaults(),
		"rig.late.": Late{}, "rig.start.": *start, "two_rate.": TwoRate{Late: defaultLate}, "structure.": external,
	}
}

// notProtecting are the keys of these blocks that protect nothing: they say what is tested, and where.
var notProtecting = map[string]string{
	"": `name tags rate_hz seed duration_s loop timing pace ground more_ground amplitude forces initial_displacement target ` +
		`structure devices undivided
		reduce interface_dof interface interface_motion integrator two_rate specimen specimens transfer force coupler ` +
		`perturbed scatter
		sensors converters compensator each inner_loop criteria indicators on_trip rig faults`,
	"rig.":       "address clock late start network",
	"rig.start.": "preload_m",
	"two_rate.":  "main_step predictor force_fit ground process",
	"structure.": "listen protocol dof units dt_s stiffness damping mass",
}

// The table of docs/guides/limits.md has every key that protects, with its default, and no other. A key that is new in
// one of these blocks belongs into the table or into notProtecting.
func TestKeysThatProtect(t *testing.T) {
	rows := protecting(t)
	for prefix, block := range guarded(t) {
		v := reflect.ValueOf(block)
		for i := range v.NumField() {
			field := v.Type().Field(i)
			key, _, _ := strings.Cut(field.Tag.Get("yaml"), ",")
			if key == "" || key == "-" {
				continue
			}
			stated, listed := rows[prefix+key]
			if listed == slices.Contains(strings.Fields(notProtecting[prefix]), key) {
				t.Errorf("%s%s: want it either in the table of docs/guides/limits.md or in notProtecting: does it protect?", prefix,
					key)
			}
			if want := v.Field(i); listed && !want.IsZero() && !strings.Contains(stated, fmt.Sprintf("`%v`", want)) {
				t.Errorf("docs/guides/limits.md has the default %q of %s%s: want %v", stated, prefix, key, want)
			}
			delete(rows, prefix+key)
		}
	}
	for key := range rows {
		t.Errorf("docs/guides/limits.md has the key %s, which no block has", key)
	}
}

// protecting are the rows of the table: keys and their defaults.
func protecting(t *testing.T) map[string]string {
	t.Helper()
	page := string(rthstest.Must(os.ReadFile("../docs/guides/limits.md")))
	_, section, found := strings.Cut(page, "\n## Keys that protect\n")
	section, _, ends := strings.Cut(section, "\n## ")
	if !found || !ends {
		t.Fatal("docs/guides/limits.md has no section Keys that protect")
	}
	rows := map[string]string{}
	for _, m := range regexp.MustCompile("(?m)^\\| `([\\w.]+)` \\| (.+?) \\| .+ \\|$").FindAllStringSubmatch(section, -1) {
		rows[m[1]] = m[2]
	}
	return rows
}
