package main

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strings"
)

// compensatorPage is the table of the compensators, and what they do on hydraulic actuators.
func compensatorPage() string { return kindTables("compensator")() + hydraulicTable() }

// hydraulicTable is scenario/testdata/hydraulic.txt, whose test says what stands in it.
func hydraulicTable() string {
	const path = "../../scenario/testdata/hydraulic.txt"
	text, err := os.ReadFile(path)
	if err != nil {
		return err.Error()
	}
	var methods []string
	cells, why := map[string][]string{}, map[string]string{}
	amplitudes := []any{}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		fields := strings.Fields(line)
		method, reason, lost := strings.Cut(line, ": ")
		switch {
		case fields[0] == "#":
			continue
		case fields[0] == "amplitude":
			amplitudes = append(amplitudes, fields[2])
			continue
		case fields[0] == "why":
			why[strings.TrimPrefix(method, "why ")] = reason
			continue
		case lost:
			fields = append(fields[:2], "", "lost")
		}
		if !slices.Contains(methods, fields[0]) {
			methods = append(methods, fields[0])
		}
		cell, j2 := fields[3], 0.0
		if n, _ := fmt.Sscan(cell, &j2); n == 1 && j2 < 5 {
			cell = "**" + cell + "**"
		} else if j2 >= 100 {
			cell = "> 100"
		}
		cells[fields[0]] = append(cells[fields[0]], cell)
	}
	var out strings.Builder
	fmt.Fprintf(&out, `
## On hydraulic actuators

J2 without sensor noise, %%, of [`+"`hydraulic-column.yaml`"+`](../../scenarios/hydraulic-column.yaml) under three
sizes of `+"`servo-hydraulic-nonlinear`"+`, with all its forces a tenth and ten times as large for the smallest and the
largest. A perfect actuator comes to the end of its envelope at %s, %s and %s times the motion; the tests have 0.2, 0.5
and 0.9 of that. Methods have their defaults, or the keys beside them. Below 5 %% is bold.

| method | 25 kN: 0.2 | 0.5 | 0.9 | 250 kN: 0.2 | 0.5 | 0.9 | 2500 kN: 0.2 | 0.5 | 0.9 | why 5 %% or more |
|---|---|---|---|---|---|---|---|---|---|---|
`, amplitudes...)
	for _, method := range methods {
		kind, keys, _ := strings.Cut(method, ",")
		name := "`" + kind + "`"
		for key := range strings.SplitSeq(keys, ",") {
			if key != "" {
				name += ", `" + strings.ReplaceAll(key, ":", ": ") + "`"
			}
		}
		fmt.Fprintf(&out, "| %s | %s | %s |\n", name, strings.Join(cells[method], " | "), cmp.Or(why[method], "–"))
	}
	return out.String()
}
