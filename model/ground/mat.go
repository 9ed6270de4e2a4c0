package ground

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"rths/model/foreign"
)

// ReadMAT reads a motion from a MATLAB MAT-file (save -v4, -v6, -v7 or -v7.3) or an
// HDF5 file: a 2×N or N×2 real array whose first row or column is the time in s
// and whose second is the acceleration. A 2×2 array is read by rows. Or a structure
// with time of Simulink, vectors time and signals.values, or a cell array {t, a}. Or a vector of accelerations beside one
// called time or t of as many numbers, in the same structure or group.
//
// want.Part names the array, or the structure; "" is the only one of the file, and an
// error lists what there is. Without a unit it is m/s². An array in a structure has a name such as
// quake.record. Arrays inside objects are not looked at.
func ReadMAT(r io.Reader, name string, want Want) (Motion, error) {
	f, err := foreign.OpenMAT(r)
	if err != nil {
		return Motion{}, fmt.Errorf("%s: %w", name, err)
	}
	v, err := chooseVariable(f.Vars, want.Part)
	if left := foreign.ListLeft(f.Left, want.Part); err != nil && left != "" {
		err = fmt.Errorf("%w; %s", err, left)
	}
	if err != nil {
		return Motion{}, fmt.Errorf("%s: %w", name, err)
	}
	title, seconds := "", 1.0
	if last := v[len(v)-1]; last.Unit != "" && (len(v) == 2 || isAcceleration(last)) {
		title = titled(last.Name, last.Unit)
	}
	factor, stated, err := chooseUnit(want.Unit, title)
	if err == nil && len(v) == 2 && v[0].Unit != "" {
		var unit string
		unit, err = Time.stated(titled("time", v[0].Unit))
		seconds = Time.Units[unit]
	}
	if err != nil {
		return Motion{}, fmt.Errorf("%s: %w", name, err)
	}
	s := series{name: name + ": variable " + v[len(v)-1].Name, where: func(i int) string { return fmt.Sprintf("sample %d", i+1) }}
	values := make([][]float64, len(v))
	for i, v := range v {
		if values[i], err = f.Values(v, 2*maxSamples); err != nil {
			return Motion{}, fmt.Errorf("%s: %s: %w", name, v.Place(), err)
		}
	}
	if len(v) == 2 {
		s.t, s.a = values[0], values[1]
		for i := range s.t {
			s.t[i] *= seconds
		}
	} else {
		s.t, s.a = splitPairs(values[0], v[0].Dims[0] == 2)
	}
	m, err := s.motion(factor, 0)
	if err != nil {
		return Motion{}, err
	}
	m.Name = name
	m.unstated, m.Notes = !stated, assumed(m, true, stated)
	for _, note := range foreign.NotesOfLeft(f.Left) {
		m.Notes = append(m.Notes, name+": "+note)
	}
	return m, nil
}

// isPairs tells whether the array can hold times and accelerations.
func isPairs(v foreign.Variable) bool {
	return v.Numeric() && (v.Dims[0] == 2 || v.Dims[1] == 2) && min(v.Dims[0], v.Dims[1]) >= 2
}

// titled is a name with its unit as a title has it.
func titled(name, unit string) string { return fmt.Sprintf("%s [%s]", baseOf(name), unit) }

// baseOf is a name without those of its structure or group.
func baseOf(name string) string { return name[strings.LastIndexAny(name, "./")+1:] }

// isAcceleration tells whether the file states a unit of accelerations.
func isAcceleration(v foreign.Variable) bool {
	unit, err := Acceleration.stated(titled(v.Name, v.Unit))
	return v.Unit != "" && err == nil && unit != ""
}

// isVector tells whether an array is a vector of two or more numbers.
func isVector(v foreign.Variable) bool {
	return v.Numeric() && min(v.Dims[0], v.Dims[1]) == 1 && max(v.Dims[0], v.Dims[1]) > 1
}

// besideTime are a vector and the one called time beside it; or none.
func besideTime(vars []foreign.Variable, v foreign.Variable) []foreign.Variable {
	group := strings.TrimSuffix(v.Name, baseOf(v.Name))
	at := slices.IndexFunc(vars, func(t foreign.Variable) bool {
		return isVector(t) && isTime(baseOf(t.Name)) && t.Name == group+baseOf(t.Name) &&
			max(t.Dims[0], t.Dims[1]) == max(v.Dims[0], v.Dims[1])
	})
	if at < 0 || !isVector(v) || isTime(baseOf(v.Name)) {
		return nil
	}
	return []foreign.Variable{vars[at], v}
}

// withTime are the vectors of a structure with time of Simulink, or of a cell array {t, a}; or none.
func withTime(vars []foreign.Variable, name string) []foreign.Variable {
	at := func(field string) int {
		return slices.IndexFunc(vars, func(v foreign.Variable) bool {
			return v.Name == name+field && v.Numeric() && min(v.Dims[0], v.Dims[1]) == 1
		})
	}
	t, a := at(".time"), at(".signals.values")
	if t < 0 && at("{3}") < 0 {
		t, a = at("{1}"), at("{2}")
	}
	if t < 0 || a < 0 || max(vars[t].Dims[0], vars[t].Dims[1]) != max(vars[a].Dims[0], vars[a].Dims[1]) {
		return nil
	}
	return []foreign.Variable{vars[t], vars[a]}
}

// chooseVariable is the array of the given name, or the only one of the right
// shape, inside a structure if there is none outside; or two vectors, time and acceleration, of a structure.
func chooseVariable(vars []foreign.Variable, name string) ([]foreign.Variable, error) {
	var found, fields, beside, stated [][]foreign.Variable
	var named []foreign.Variable
	for _, v := range vars {
		if name != "" && name != v.Name {
			continue
		}
		named = append(named, v)
		two := withTime(vars, v.Name)
		switch inside := strings.ContainsAny(v.Name, ".{"); {
		case isPairs(v) && (name != "" || !inside):
			found = append(found, []foreign.Variable{v})
		case isPairs(v) && !strings.HasSuffix(v.Name, ".signals.values"): // those have their times beside them
			fields = append(fields, []foreign.Variable{v})
		case two != nil && !inside:
			found = append(found, two)
		default:
			if pair := besideTime(vars, v); pair != nil {
				beside = append(beside, pair)
				if isAcceleration(v) {
					stated = append(stated, pair)
				}
			}
		}
	}
	for _, others := range [][][]foreign.Variable{fields, stated, beside} {
		if len(found) == 0 {
			found = others
		}
	}
	switch {
	case len(found) == 1 && (name == "" || len(named) == 1):
		return found[0], nil
	case len(named) == 1 && name != "":
		return nil, fmt.Errorf("variable %s: want a real 2×N or N×2 array of time and acceleration, or a vector beside one "+
			"called time; the file holds %s", named[0], foreign.ListVariables(vars))
	case name != "":
		return nil, fmt.Errorf("variable %q: found %d of that name, want one; the file holds %s", name, len(named),
			foreign.ListVariables(vars))
	case len(found) == 0:
		return nil, fmt.Errorf("no real 2×N or N×2 array of time and acceleration; the file holds %s: want one array of "+
			"both, in MATLAB record = [t(:) acc(:)]", foreign.ListVariables(vars))
	}
	return nil, fmt.Errorf("%d arrays could be the motion: want the name of one (variable in a scenario, --channel of "+
		"rths ground); the file holds %s", len(found), foreign.ListVariables(vars))
}

// splitPairs separates times and accelerations of a column-major array: 2×N
// (rows) or N×2.
func splitPairs(data []float64, rows bool) (t, a []float64) {
	n := len(data) / 2
	if !rows {
		return data[:n], data[n:]
	}
	t, a = make([]float64, n), make([]float64, n)
	for i := range t {
		t[i], a[i] = data[2*i], data[2*i+1]
	}
	return t, a
}
