package report

import (
	"slices"
	"strconv"

	"rths/result/record"
)

// differences is the settings that are not the same in all runs. Where the kinds of a block
// differ, the keys of the block are not listed: they have nothing in common.
func differences(runs []*record.Archive, names []string) table {
	t := table{Title: "Settings that differ", First: "Setting", Heads: names}
	if len(runs) == 1 {
		return t
	}
	list := make([]record.Settings, len(runs))
	for i, a := range runs {
		list[i] = record.SettingsOf(a.Scenario)
		list[i].Add("rig that was loaded", loaded(a.Manifest.Rig))
	}
	var other []string // blocks of different kinds
	for _, key := range allKeys(list) {
		var cells []string
		for _, s := range list {
			value, ok := s.Values[key]
			if !ok {
				value = "–"
			}
			cells = append(cells, value)
		}
		block, name := splitKey(key)
		if key == "name" || key == "tags" || len(unique(cells)) == 1 || slices.Contains(other, block) {
			continue
		}
		if name == "kind" {
			other = append(other, block)
		}
		t.Rows = append(t.Rows, tableRow{Name: key, Cells: shorter(cells)})
	}
	return t
}

// shorter writes numbers in seven digits, unless that would make values equal that are not.
func shorter(cells []string) []string {
	out := make([]string, len(cells))
	for i, c := range cells {
		out[i] = c
		if v, err := strconv.ParseFloat(c, 64); err == nil && len(c) > 9 {
			out[i] = strconv.FormatFloat(v, 'g', 7, 64)
		}
	}
	if len(unique(out)) < len(unique(cells)) {
		return cells
	}
	return out
}

// loaded is a rig in another process in short, or that there was none.
func loaded(r *record.Rig) string {
	switch {
	case r == nil:
		return "simulated with the loop"
	case r.Virtual:
		return r.Laboratory + " at " + r.Address + ", virtual"
	}
	return r.Laboratory + " at " + r.Address
}

// allKeys are the keys of all, those of the first in front.
func allKeys(list []record.Settings) []string {
	var out []string
	for _, s := range list {
		for _, key := range s.Keys {
			if !slices.Contains(out, key) {
				out = append(out, key)
			}
		}
	}
	return out
}

// splitKey is the block of a key and its name in the block.
func splitKey(key string) (block, name string) {
	for i := len(key) - 1; i >= 0; i-- {
		if key[i] == '.' {
			return key[:i], key[i+1:]
		}
	}
	return "", key
}
