package ground

import (
	"bytes"
	"fmt"
	"io"
	"path"
	"slices"

	"rths/model/foreign"
)

// ReadTDMS reads a motion from a TDMS file of LabVIEW: a channel of accelerations, and the channel of its group called
// time, or the step of its waveform, or want.Dt. want.Part names the channel; "" is the only one, or the only one
// with a unit of acceleration. Its unit is the property unit_string, or want.Unit; without one it is m/s².
func ReadTDMS(r io.Reader, name string, want Want) (Motion, error) {
	data, err := foreign.ReadAtMost(r, foreign.MostInMemory)
	if err != nil {
		return Motion{}, fmt.Errorf("%s: %w", name, err)
	}
	file, err := foreign.ReadTDMS(bytes.NewReader(data), int64(len(data)))
	if err == nil && file.Cut != "" {
		err = fmt.Errorf("byte %d: %s: want a complete file", len(data), file.Cut)
	}
	if err != nil {
		return Motion{}, fmt.Errorf("%s: %w", name, err)
	}
	columns := file.List
	at, err := chooseChannel(file, want.Part)
	if err != nil {
		return Motion{}, &fileError{name, err}
	}
	of := columns[at]
	factor, stated, err := chooseUnit(want.Unit, channelTitle(of))
	if err != nil {
		return Motion{}, fmt.Errorf("%s: channel %s: %w", name, of.Name, err)
	}
	s := series{name: name + ": channel " + of.Name, where: func(i int) string { return fmt.Sprintf("sample %d", i+1) }}
	time := slices.IndexFunc(columns, func(c foreign.Column) bool {
		return isTime(path.Base(c.Name)) && path.Dir(c.Name) == path.Dir(of.Name) && c.N == of.N
	})
	if time < 0 && want.Dt == 0 {
		return Motion{}, &fileError{name, &KeyError{"dt_s", nil, "the time step: the file has neither a channel of times nor the " +
			"property wf_increment"}}
	}
	unit, seconds := "", 1.0
	err = file.Read(func(i int, values []float64) error {
		switch i {
		case at:
			s.a = append(s.a, values...)
		case time:
			s.t = append(s.t, values...)
		}
		return nil
	})
	if err == nil && time >= 0 {
		unit, err = Time.stated(channelTitle(columns[time]))
	}
	if err != nil {
		return Motion{}, fmt.Errorf("%s: %w", name, err)
	}
	if unit != "" {
		seconds = Time.Units[unit]
	}
	for i := range s.t {
		s.t[i] *= seconds
	}
	for i := 0; time < 0 && i < len(s.a); i++ {
		s.t = append(s.t, float64(i)*want.Dt)
	}
	m, err := s.motion(factor, want.Dt)
	if err != nil {
		return Motion{}, err
	}
	m.Name = name
	m.unstated, m.Notes = !stated, assumed(m, unit != "" || time < 0, stated)
	for _, note := range foreign.NotesOfLeft(file.Left) {
		m.Notes = append(m.Notes, name+": "+note)
	}
	return m, nil
}

// channelTitle is a channel's name with its unit as a title has it.
func channelTitle(c foreign.Column) string {
	if c.Unit == "" {
		return path.Base(c.Name)
	}
	return titled(c.Name, c.Unit)
}

// chooseChannel is the place of the wanted channel.
func chooseChannel(file *foreign.Columns, name string) (int, error) {
	var names []string
	var all, stated []int
	for i, c := range file.List {
		if isTime(path.Base(c.Name)) {
			continue
		}
		if name == c.Name {
			return i, nil
		}
		names, all = append(names, c.Name), append(all, i)
		if unit, err := Acceleration.stated(channelTitle(c)); err == nil && unit != "" {
			stated = append(stated, i)
		}
	}
	switch {
	case name == "" && len(all) == 1:
		return all[0], nil
	case name == "" && len(stated) == 1:
		return stated[0], nil
	}
	have := listNames(names)
	if left := foreign.ListLeft(file.Left, name); left != "" {
		have += "; " + left
	}
	return 0, &KeyError{"channel", name, "one of the file's channels: " + have}
}
