package ground

import (
	"fmt"
	"math"

	"rths"
)

// Source is a scenario's ground block: a pointer to the parameter struct of one of the
// Kinds. Motion reads or synthesises the motion (m/s²); a wrong parameter is a KeyError.
type Source interface {
	Motion(at At) (Motion, error)
}

// At tells a source about the run.
type At struct {
	RateHz     float64 // ticks per second; the sampling of synthetic motions without a dt_s
	Seed       uint64  // the scenario's seed
	Files      Files   // who opens them; synthetic motions need none
	RecordsDir string  // folder of named records, or ""
	BaseDir    string  // folder of the scenario file; a relative file starts here
	Axis       Axis    // of a target of several coordinates

	// Recall, if given, may keep what file reads under a key, and give that again. Motions that
	// it gives are not changed.
	Recall func(key string, file func() (Motion, error)) (Motion, error)
}

// Random reports whether the motion of a source hangs on the seed.
func Random(s Source) bool {
	switch s := s.(type) {
	case *CloughPenzien, *Noise:
		return true
	case *TargetMultisine:
		return s.Phases != schroeder
	}
	return false
}

// Kinds is the table of ground motions.
var Kinds = []rths.Kind[Source]{
	{Name: "record", Doc: "a named record of the records folder (RTHS_RECORDS, --records)",
		Ref: "formats: see rths doc formats", Defaults: func() Source { return &Record{Conditioning: asRecorded} }},
	{Name: "file", Doc: "a record in a file, whose extension says the format",
		Ref: "formats: see rths doc formats", Defaults: func() Source { return &File{Conditioning: asRecorded} }},
	{Name: "clough-penzien", Doc: "artificial earthquake: filtered Kanai-Tajimi spectrum under an envelope",
		Ref:      "Clough & Penzien (1993), part V; Kanai (1957); Tajimi (1960); Jennings, Housner & Tsai (1968)",
		Defaults: defaultCloughPenzien},
	{Name: "sweep", Doc: "chirp of constant amplitude, linear or logarithmic in frequency",
		Ref: "single-actuator benchmark, Silva et al. (2020): 0.1 to 40 Hz over 90 s", Defaults: defaultSweep},
	{Name: "sine", Doc: "harmonic acceleration from rest",
		Ref: "a = A sin 2πft", Defaults: defaultSine},
	{Name: "noise", Doc: "band-limited Gaussian white noise",
		Ref: "Shinozuka & Deodatis (1991), spectral representation", Defaults: defaultNoise},
	{Name: "step", Doc: "acceleration that jumps from zero to a constant",
		Ref: "a = A for t ≥ onset", Defaults: defaultStep},
}

// KeyError is a parameter that is wrong, so that a caller can point at the
// line where it stands.
type KeyError struct {
	Key   string // as in the scenario
	Value any    // value found
	Want  string // values allowed
}

// Error says key, value and the allowed values.
func (e *KeyError) Error() string {
	if s, ok := e.Value.(string); ok {
		if s == "" {
			return fmt.Sprintf("%s: found nothing: want %s", e.Key, e.Want)
		}
		return fmt.Sprintf("%s %q: want %s", e.Key, s, e.Want)
	}
	return fmt.Sprintf("%s %v: want %s", e.Key, e.Value, e.Want)
}

// fileError is an error that a file leaves, such as a KeyError whose key a caller may write in its own words.
type fileError struct {
	name string
	err  error
}

func (e *fileError) Error() string { return e.name + ": " + e.err.Error() }
func (e *fileError) Unwrap() error { return e.err }

// rule is a condition on a parameter. A NaN fails every comparison, so rules
// are written as conditions that must hold.
type rule struct {
	holds bool
	key   string
	value any
	want  string
}

// check returns the first rule that does not hold as an error.
func check(rules ...rule) error {
	for _, r := range rules {
		if !r.holds {
			return &KeyError{r.key, r.value, r.want}
		}
	}
	return nil
}

// Sampling is the length and step of a synthetic motion.
type Sampling struct {
	Duration float64 `yaml:"duration_s" doc:"length, s, above 0"`
	Dt       float64 `yaml:"dt_s" doc:"time step, s; 0 = one tick of the run"`
}

// zeros returns a motion of zeros with the right step and number of samples:
// t = 0, dt, … ≤ duration_s.
func (p Sampling) zeros(name string, at At) (Motion, error) {
	dt := p.Dt
	if dt == 0 {
		dt = 1 / at.RateHz
	}
	n := snap(p.Duration/dt) + 1
	err := check(
		rule{p.Dt >= 0, "dt_s", p.Dt, "0 or more"},
		rule{p.Dt > 0 || at.RateHz > 0, "rate_hz", at.RateHz, "more than 0 where dt_s is 0"},
		rule{dt >= minStep && dt <= maxStep, "dt_s", dt, fmt.Sprintf("%g to %g s", minStep, maxStep)},
		rule{p.Duration > 0, "duration_s", p.Duration, "more than 0"},
		rule{n >= 2, "duration_s", p.Duration, fmt.Sprintf("at least one step of %g s", dt)},
		rule{n <= maxSamples, "duration_s", p.Duration,
			fmt.Sprintf("at most %g s with a step of %g s", float64(maxSamples-1)*dt, dt)},
	)
	if err != nil {
		return Motion{}, err
	}
	return Motion{Name: name, Dt: dt, A: make([]float64, int(n))}, nil
}

// nyquistRule demands a frequency of 0 up to half the sampling rate.
func nyquistRule(key string, hz, dt float64) rule {
	return rule{hz >= 0 && hz <= 0.5/dt, key, hz, fmt.Sprintf("0 to %g Hz, half the sampling rate", 0.5/dt)}
}

// amplitudeRule demands an acceleration that stays finite.
func amplitudeRule(a float64) rule {
	return rule{math.Abs(a) <= 1e6, "amplitude_m_s2", a, "-1e6 to 1e6 m/s²"}
}
