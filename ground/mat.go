package ground

import (
	"fmt"
	"io"

	"rths/foreign"
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
	f, err := foreign.OpenMAT(r)
	if err != nil {
		return Motion{}, fmt.Errorf("%s: %w", name, err)
	}
	v, err := chooseVariable(f.Vars, want.Part)
	if err != nil {
		return Motion{}, fmt.Errorf("%s: %w", name, err)
	}
	data, err := f.Values(v, 2*maxSamples)
	if err != nil {
		return Motion{}, fmt.Errorf("%s: byte %d: variable %s: %w", name, v.Offset, v.Name, err)
	}
	s := series{name: name + ": variable " + v.Name, where: func(i int) string { return fmt.Sprintf("sample %d", i+1) }}
	s.t, s.a = splitPairs(data, v.Dims[0] == 2)
	m, err := s.motion(factor, 0)
	if err != nil {
		return Motion{}, err
	}
	m.Name = name
	m.Notes = assumed(m, true, stated)
	return m, nil
}

// isPairs tells whether the array can hold times and accelerations.
func isPairs(v foreign.Variable) bool {
	return v.Numeric() && (v.Dims[0] == 2 || v.Dims[1] == 2) && min(v.Dims[0], v.Dims[1]) >= 2
}

// chooseVariable is the array of the given name, or the only one of the right
// shape.
func chooseVariable(vars []foreign.Variable, name string) (foreign.Variable, error) {
	var found []foreign.Variable
	for _, v := range vars {
		if name == v.Name || name == "" && isPairs(v) {
			found = append(found, v)
		}
	}
	switch {
	case len(found) == 1 && isPairs(found[0]):
		return found[0], nil
	case len(found) == 1:
		return foreign.Variable{}, fmt.Errorf("variable %s: want a real 2×N or N×2 array of time and acceleration; the file holds %s", found[0], foreign.ListVariables(vars))
	case name != "":
		return foreign.Variable{}, fmt.Errorf("variable %q: found %d of that name, want one; the file holds %s", name, len(found), foreign.ListVariables(vars))
	case len(found) == 0:
		return foreign.Variable{}, fmt.Errorf("no real 2×N or N×2 array of time and acceleration; the file holds %s: want one array of both, in MATLAB record = [t(:) acc(:)]", foreign.ListVariables(vars))
	}
	return foreign.Variable{}, fmt.Errorf("%d arrays could be the motion: want the name of one (variable in a scenario, --channel of rths ground); the file holds %s", len(found), foreign.ListVariables(vars))
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
