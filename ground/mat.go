package ground

import (
	"fmt"
	"io"
	"strings"
)

// ReadMAT reads a motion from a MATLAB v5 MAT-file (save -v6 or -v7, not
// -v7.3): a 2×N or N×2 real array whose first row or column is the time in s
// and whose second is the acceleration. A 2×2 array is read by rows.
//
// want.Part names the array; "" is the only such array of the file, and an
// error lists what there is. Without a unit it is m/s².
// Arrays inside structures, cells and objects are not looked at.
func ReadMAT(r io.Reader, name string, want Want) (Motion, error) {
	factor, stated, err := chooseUnit(want.Unit, "")
	if err != nil {
		return Motion{}, fmt.Errorf("%s: %w", name, err)
	}
	f, err := openMAT(r)
	if err != nil {
		return Motion{}, fmt.Errorf("%s: %w", name, err)
	}
	v, err := chooseVariable(f.vars, want.Part)
	if err != nil {
		return Motion{}, fmt.Errorf("%s: %w", name, err)
	}
	data, err := f.values(v)
	if err != nil {
		return Motion{}, fmt.Errorf("%s: byte %d: variable %s: %w", name, v.offset, v.name, err)
	}
	s := series{name: name + ": variable " + v.name, where: func(i int) string { return fmt.Sprintf("sample %d", i+1) }}
	s.t, s.a = splitPairs(data, v.dims[0] == 2)
	m, err := s.motion(factor)
	if err != nil {
		return Motion{}, err
	}
	m.Name = name
	m.Notes = assumed(m, true, stated)
	return m, nil
}

// chooseVariable is the array of the given name, or the only one of the right
// shape.
func chooseVariable(vars []matVariable, name string) (matVariable, error) {
	var found []matVariable
	for _, v := range vars {
		if name == v.name || name == "" && v.isPairs() {
			found = append(found, v)
		}
	}
	switch {
	case len(found) == 1 && found[0].isPairs():
		return found[0], nil
	case len(found) == 1:
		return matVariable{}, fmt.Errorf("variable %s: want a real 2×N or N×2 array of time and acceleration; the file holds %s", found[0], listVariables(vars))
	case name != "":
		return matVariable{}, fmt.Errorf("variable %q: found %d of that name, want one; the file holds %s", name, len(found), listVariables(vars))
	case len(found) == 0:
		return matVariable{}, fmt.Errorf("no real 2×N or N×2 array of time and acceleration; the file holds %s: want one array of both, in MATLAB record = [t(:) acc(:)]", listVariables(vars))
	}
	return matVariable{}, fmt.Errorf("%d arrays could be the motion: want the name of one (variable in a scenario, --channel of rths ground); the file holds %s", len(found), listVariables(vars))
}

// listVariables is for errors: the first variables with their sizes.
func listVariables(vars []matVariable) string {
	if len(vars) == 0 {
		return "no variables"
	}
	var s []string
	for _, v := range vars[:min(len(vars), 20)] {
		s = append(s, v.String())
	}
	if more := len(vars) - len(s); more > 0 {
		s = append(s, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(s, ", ")
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
