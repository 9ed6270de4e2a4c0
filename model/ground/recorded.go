package ground

import (
	"fmt"
	"math"
	"path/filepath"

	"rths"
)

// Conditioning prepares a record: cut, then scale, then pad.
type Conditioning struct {
	Scale  float64   `yaml:"scale" doc:"factor on the record"`
	PGA    float64   `yaml:"pga_g" doc:"peak to scale to, g = 9.80665 m/s², instead of scale; 0 = do not"`
	Window []float64 `yaml:"window_s" doc:"[from, to] to keep, s from the first sample: samples at or after from, up to to; empty = all"`
	Pad    []float64 `yaml:"pad_s" doc:"[before, after] seconds of zeros to add, rounded up to whole steps, 0 or more; empty = none"`
	Format string    `yaml:"format" doc:"format of the file, as rths doc formats names it; empty = by its extension and its beginning"`
	Unit   string    `yaml:"unit" doc:"unit of the file, such as g, gal, m/s2, cm/s2; empty = the file's own"`
	Dt     float64   `yaml:"dt_s" doc:"time step of a text file that holds accelerations alone, s; 0 = it has times, or a heading with the step"`
	Var    string    `yaml:"variable" doc:"array to take from a file of several, as format mat; empty = the only one"`
	Chan   string    `yaml:"channel" doc:"channel to take from a file of several, as format cosmos; its number or direction; empty = the only one"`

	Columns `yaml:",inline"`
}

// Columns says what to read of a text file.
type Columns struct {
	Col  string `yaml:"column,omitempty" doc:"column of values of a text file with several: its title, a word of it, or its position from 1; empty = the only one beside the times"`
	Time string `yaml:"time,omitempty" doc:"column of times of a text file: its title, or its position from 1; empty = found by its title and numbers"`
	Skip int    `yaml:"skip,omitempty" doc:"lines of a text file that are not read, from the first on"`
}

// asRecorded is the conditioning that changes nothing.
var asRecorded = Conditioning{Scale: 1}

// Record is a ground motion known by its name, looked for in the records
// folder (see At.Find).
type Record struct {
	Record       string `yaml:"record" doc:"name of a record, such as elcentro, or of its file"`
	Conditioning `yaml:",inline"`
}

// Motion reads and conditions the record.
func (p *Record) Motion(at At) (Motion, error) {
	if p.Record == "" {
		return Motion{}, &KeyError{"record", "", "the name of a record, such as elcentro"}
	}
	path, err := at.Find(p.Record)
	if err != nil {
		return Motion{}, err
	}
	return p.read(at, path)
}

// File is a ground motion in a file of one of the Formats.
type File struct {
	File         string `yaml:"file" doc:"path of the record; a relative one starts at the scenario's folder"`
	Conditioning `yaml:",inline"`
}

// Motion reads and conditions the file.
func (p *File) Motion(at At) (Motion, error) {
	if p.File == "" {
		return Motion{}, &KeyError{"file", "", "the path of a record"}
	}
	path := p.File
	if !filepath.IsAbs(path) {
		path = filepath.Join(at.BaseDir, path)
	}
	return p.read(at, path)
}

// read reads the file and conditions the motion.
func (c Conditioning) read(at At, path string) (Motion, error) {
	if err := c.check(); err != nil {
		return Motion{}, err
	}
	file := func() (Motion, error) { return c.file(at, path) }
	if at.Recall != nil {
		of := Conditioning{Format: c.Format, Unit: c.Unit, Columns: c.Columns, Dt: c.Dt, Var: c.Var, Chan: c.Chan}
		read := file
		file = func() (Motion, error) { return at.Recall(fmt.Sprintf("%q %+v", path, of), read) }
	}
	m, err := file()
	if err != nil {
		return Motion{}, err
	}
	return c.apply(m)
}

// check looks at the keys before any file is read.
func (c Conditioning) check() error {
	if c.Unit != "" {
		if _, ok := Acceleration.Find(c.Unit); !ok && c.Unit != asIs {
			return &KeyError{"unit", c.Unit, "one of " + Acceleration.List()}
		}
	}
	pad := c.padding()
	return check(
		rule{c.Skip >= 0, "skip", c.Skip, "0 or more lines"},
		rule{c.Dt == 0 || c.Dt >= minStep && c.Dt <= maxStep, "dt_s", c.Dt,
			fmt.Sprintf("0 (the file has times) or %g to %g s", minStep, maxStep)},
		rule{math.Abs(c.Scale) <= 1e6, "scale", c.Scale, "-1e6 to 1e6"},
		rule{c.PGA >= 0 && c.PGA <= 1e6, "pga_g", c.PGA, "0 to 1e6 g"},
		rule{c.PGA == 0 || c.Scale == 1, "pga_g", c.PGA, fmt.Sprintf("pga_g or scale, not both (scale is %g)", c.Scale)},
		rule{len(c.Window) == 0 || len(c.Window) == 2, "window_s", c.Window, "two times [from, to] in s"},
		rule{len(c.Pad) == 0 || len(c.Pad) == 2, "pad_s", c.Pad, "two durations [before, after] in s"},
		rule{pad[0] >= 0 && pad[1] >= 0, "pad_s", c.Pad, "two durations of 0 s or more"},
	)
}

// apply cuts, scales and pads the motion.
func (c Conditioning) apply(m Motion) (Motion, error) {
	var err error
	length, dt := m.Duration(), m.Dt
	if len(c.Window) == 2 {
		if m, err = m.Window(c.Window[0], c.Window[1]); err != nil {
			return Motion{}, &KeyError{"window_s", c.Window,
				fmt.Sprintf("[from, to] within 0 to %g s, at least one step of %g s apart", length, dt)}
		}
	}
	if c.PGA > 0 {
		if m, err = m.ToPGA(c.PGA * StandardGravity); err != nil {
			return Motion{}, &KeyError{"pga_g", c.PGA, "a record with a peak to scale, found zeros only"}
		}
	} else if c.Scale != 1 {
		m = m.Scaled(c.Scale)
	}
	if !rths.Finite(m.PGA()) {
		return Motion{}, &KeyError{"scale", c.Scale, "a factor that leaves the record finite"}
	}
	pad := c.padding()
	if n := float64(len(m.A)) + (pad[0]+pad[1])/m.Dt; n > maxSamples {
		return Motion{}, &KeyError{"pad_s", c.Pad, fmt.Sprintf("a motion of at most %d samples, found %.0f", maxSamples, n)}
	}
	return m.Padded(pad[0], pad[1]), nil
}

// padding is the key pad_s with its default.
func (c Conditioning) padding() [2]float64 {
	if len(c.Pad) == 2 {
		return [2]float64(c.Pad)
	}
	return [2]float64{}
}
