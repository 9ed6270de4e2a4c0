package ground

import (
	"errors"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rths"
	"rths/kit/rthstest"
	"rths/scenario/files"
)

// synthetic are the kinds that read nothing.
func synthetic() (kinds []rths.Kind[Source]) {
	for _, k := range Kinds {
		if k.Name != "record" && k.Name != "file" {
			kinds = append(kinds, k)
		}
	}
	return kinds
}

// isRandom tells which kinds depend on the seed.
var isRandom = map[string]bool{"clough-penzien": true, "noise": true}

func TestTables(t *testing.T) {
	rthstest.Keeps(t, rthstest.Table(Kinds))
	rthstest.Keeps(t, rthstest.Table(Forces))
	rthstest.Keeps(t, rthstest.Table(Targets))
}

func TestSyntheticDefaults(t *testing.T) {
	at := At{RateHz: 1000, Seed: 1}
	for _, k := range synthetic() {
		t.Run(k.Name, func(t *testing.T) {
			make := func(seed uint64) Motion {
				at.Seed = seed
				m, err := k.Defaults().Motion(at)
				if err != nil {
					t.Fatal(err)
				}
				return m
			}
			m := make(1)
			soundMotion(t, m, nil)
			if m.Name != k.Name || m.PGA() == 0 || m.Duration() < 5 {
				t.Errorf("%s: PGA %g, %g s", m.Name, m.PGA(), m.Duration())
			}
			if !slices.Equal(m.A, make(1).A) {
				t.Error("the same seed gives other bits")
			}
			if differ := !slices.Equal(m.A, make(2).A); differ != isRandom[k.Name] {
				t.Errorf("another seed changes the motion: %v", differ)
			}
		})
	}
}

// Without dt_s the step is the run's, so ticks meet samples exactly.
func TestSyntheticStepIsTheTick(t *testing.T) {
	m, err := (&Sine{Sampling: Sampling{Duration: 2}, Frequency: 3, Amplitude: 2}).Motion(At{RateHz: 4096})
	if err != nil || m.Dt != 1.0/4096 || len(m.A) != 8193 || m.Samples(4096) != 8193 {
		t.Fatalf("step %g s, %d samples, %v: want 1/4096, 8193", m.Dt, len(m.A), err)
	}
	for k, a := range m.HalfSteps(4096, 8193) {
		if want := 2 * math.Sin(2*math.Pi*3*float64(k)/8192); k%2 == 0 && k <= 2*8192 && math.Abs(a-want) > 1e-12 {
			t.Fatalf("a(t_%d) = %g, want %g", k/2, a, want)
		}
	}
}

func TestSyntheticErrors(t *testing.T) {
	at := At{RateHz: 100}
	second := Sampling{Duration: 1}
	earthquake := func(change func(*CloughPenzien)) Source {
		p := defaultCloughPenzien().(*CloughPenzien)
		change(p)
		return p
	}
	for _, c := range []struct {
		source Source
		at     At
		want   string
	}{
		{&Sine{Sampling: Sampling{Duration: -1}}, at, "duration_s -1: want more than 0"},
		{&Sine{Sampling: Sampling{Duration: math.NaN()}}, at, "duration_s NaN: want more than 0"},
		{&Sine{Sampling: Sampling{Duration: 0.001}}, at, "duration_s 0.001: want at least one step of 0.01 s"},
		{&Sine{Sampling: Sampling{Duration: 1e9}}, at, "duration_s 1e+09: want at most 83886.07 s with a step of 0.01 s"},
		{&Sine{Sampling: Sampling{Duration: 1, Dt: -1}}, at, "dt_s -1: want 0 or more"},
		{&Sine{Sampling: Sampling{Duration: 5, Dt: 2}}, at, "dt_s 2: want 1e-07 to 1 s"},
		{&Sine{Sampling: second}, At{}, "rate_hz 0: want more than 0 where dt_s is 0"},
		{&Sine{Sampling: second, Frequency: 51}, at, "frequency_hz 51: want 0 to 50 Hz, half the sampling rate"},
		{&Sine{Sampling: second, Amplitude: math.Inf(1)}, at, "amplitude_m_s2 +Inf: want -1e6 to 1e6 m/s²"},
		{&Sweep{Sampling: second, From: 1, To: 3000, Law: "linear"}, At{RateHz: 4096},
			"to_hz 3000: want 0 to 2048 Hz, half the sampling rate"},
		{&Sweep{Sampling: second, From: -1, To: 3, Law: "linear"}, at, "from_hz -1: want 0 to 50 Hz, half the sampling rate"},
		{&Sweep{Sampling: second, From: 0, To: 3, Law: "log"}, at, "from_hz 0: want more than 0 for the law log"},
		{&Sweep{Sampling: second, From: 3, To: 0, Law: "log"}, at, "to_hz 0: want more than 0 for the law log"},
		{&Sweep{Sampling: second, From: 1, To: 3, Law: "cubic"}, at, `law "cubic": want linear or log`},
		{&Noise{Sampling: second, From: 5, To: 5}, at, "to_hz 5: want more than from_hz, 5"},
		{&Noise{Sampling: second, From: 5, To: 51}, at, "to_hz 51: want 0 to 50 Hz, half the sampling rate"},
		{&Noise{Sampling: second, From: 5.1, To: 5.11}, at,
			"to_hz 5.11: want a band of at least 0.5 Hz above from_hz for 1 s"},
		{&Noise{Sampling: second, From: 1, To: 5, RMS: -1}, at, "rms_m_s2 -1: want 0 to 1e6 m/s²"},
		{&Step{Sampling: second, Onset: 1}, at, "onset_s 1: want 0 or more, less than duration_s"},
		{&Step{Sampling: second, Onset: -1}, at, "onset_s -1: want 0 or more, less than duration_s"},
		{&Step{Sampling: second, Amplitude: math.NaN()}, at, "amplitude_m_s2 NaN: want -1e6 to 1e6 m/s²"},
		{earthquake(func(p *CloughPenzien) { p.PGA = 0 }), at, "pga_g 0: want more than 0, up to 1e6 g"},
		{earthquake(func(p *CloughPenzien) { p.GroundRadS = 400 }), at,
			"ground_rad_s 400: want 0.001 to 314.2 rad/s, the Nyquist frequency π/dt_s"},
		{earthquake(func(p *CloughPenzien) { p.CornerRadS = 0 }), at,
			"corner_rad_s 0: want 0.001 to 314.2 rad/s, the Nyquist frequency π/dt_s"},
		{earthquake(func(p *CloughPenzien) { p.GroundDamping = -0.6 }), at, "ground_damping_ratio -0.6: want 0.001 to 100"},
		{earthquake(func(p *CloughPenzien) { p.CornerDamping = 0 }), at, "corner_damping_ratio 0: want 0.001 to 100"},
		{earthquake(func(p *CloughPenzien) { p.Onset = 50 }), at, "onset_s 50: want 0 or more, less than duration_s"},
		{earthquake(func(p *CloughPenzien) { p.Rise = -1 }), at, "rise_s -1: want 0 or more"},
		{earthquake(func(p *CloughPenzien) { p.Strong = -1 }), at, "strong_s -1: want 0 or more"},
		{earthquake(func(p *CloughPenzien) { p.Decay = 0 }), at, "decay_s 0: want more than 0"},
		{earthquake(func(p *CloughPenzien) { p.Duration = -1 }), at, "duration_s -1: want more than 0"},
	} {
		m, err := c.source.Motion(c.at)
		wantError(t, err, c.want)
		var key *KeyError
		if !errors.As(err, &key) || !strings.HasPrefix(c.want, key.Key+" ") || len(m.A) != 0 {
			t.Errorf("%v: want a KeyError and no motion", err)
		}
	}
}

func TestRecordAndFileSources(t *testing.T) {
	dir := folder(t, map[string]string{"q.csv": "0,0\n0.1,1\n0.2,-4\n0.3,2\n0.4,0\n"})
	at := At{Files: files.Disk{}, RateHz: 100, RecordsDir: dir, BaseDir: filepath.Dir(dir)}
	sub := filepath.Base(dir)
	for name, c := range map[string]struct {
		source Source
		want   []float64
	}{
		"record":        {&Record{"q", asRecorded}, []float64{0, 1, -4, 2, 0}},
		"relative file": {&File{filepath.Join(sub, "q.csv"), asRecorded}, []float64{0, 1, -4, 2, 0}},
		"absolute file": {&File{filepath.Join(dir, "q.csv"), asRecorded}, []float64{0, 1, -4, 2, 0}},
		"scale":         {&Record{"q", Conditioning{Scale: 0.5}}, []float64{0, 0.5, -2, 1, 0}},
		"unit": {&Record{"q", Conditioning{Scale: 1, Unit: "g"}},
			[]float64{0, 9.80665, -4 * 9.80665, 2 * 9.80665, 0}},
		"pad": {&Record{"q", Conditioning{Scale: 1, Pad: []float64{0.2, 0.1}}},
			[]float64{0, 0, 0, 1, -4, 2, 0, 0}},
		"window, then pga": {&Record{"q", Conditioning{Scale: 1, PGA: 1, Window: []float64{0.3, 0.4}}},
			[]float64{9.80665, 0}},
		"window, pga, pad": {&Record{"q", Conditioning{Scale: 1, PGA: 1, Window: []float64{0.3, 0.4},
			Pad: []float64{0.1, 0}}}, []float64{0, 9.80665, 0}},
		"scale 0": {&Record{"q", Conditioning{}}, []float64{0, 0, 0, 0, 0}},
	} {
		m, err := c.source.Motion(at)
		if err != nil || m.Name != "q" || len(m.A) != len(c.want) {
			t.Errorf("%s: %+v, %v: want %v", name, m, err, c.want)
			continue
		}
		for i, a := range m.A {
			if math.Abs(a-c.want[i]) > 1e-12 {
				t.Errorf("%s: %v, want %v", name, m.A, c.want)
				break
			}
		}
	}
}

func TestRecordAndFileErrors(t *testing.T) {
	dir := folder(t, map[string]string{"q.csv": "0,0\n0.1,1\n0.2,-4\n", "flat.csv": "0,0\n0.1,0\n", "q.xls": "PK"})
	at := At{Files: files.Disk{}, RecordsDir: dir, BaseDir: dir}
	with := func(c Conditioning) Source { return &Record{"q", c} }
	for _, c := range []struct {
		source Source
		want   string
	}{
		{&Record{}, `record: found nothing: want the name of a record, such as elcentro`},
		{&File{}, `file: found nothing: want the path of a record`},
		{&File{"q.xls", asRecorded}, filepath.Join(dir, "q.xls") + `: extension ".xls": want one of ` + allExtensions},
		{&Record{"quake", asRecorded}, `record "quake": want one of those in ` + dir + ": flat.csv, q.csv"},
		{with(Conditioning{Scale: 0.4, PGA: 0.3}), "pga_g 0.3: want pga_g or scale, not both (scale is 0.4)"},
		{with(Conditioning{Scale: math.NaN()}), "scale NaN: want -1e6 to 1e6"},
		{with(Conditioning{Scale: 1, PGA: -0.3}), "pga_g -0.3: want 0 to 1e6 g"},
		{with(Conditioning{Scale: 1, Unit: "inch"}), `unit "inch": want one of cm/s2, ft/s2, g, gal, in/s2, m/s2, mg, mm/s2`},
		{with(Conditioning{Scale: 1, Var: "x"}),
			`variable "x": want none, because only MAT files (.mat), HDF5 files (.h5 .hdf5) take the key variable`},
		{with(Conditioning{Scale: 1, Window: []float64{1}}), "window_s [1]: want two times [from, to] in s"},
		{with(Conditioning{Scale: 1, Window: []float64{0, 1}}),
			"window_s [0 1]: want [from, to] within 0 to 0.2 s, at least one step of 0.1 s apart"},
		{with(Conditioning{Scale: 1, Pad: []float64{1, 2, 3}}), "pad_s [1 2 3]: want two durations [before, after] in s"},
		{with(Conditioning{Scale: 1, Pad: []float64{-1, 2}}), "pad_s [-1 2]: want two durations of 0 s or more"},
		{with(Conditioning{Scale: 1, Pad: []float64{0, 1e9}}),
			"pad_s [0 1e+09]: want a motion of at most 8388608 samples, found 10000000003"},
		{&Record{"flat", Conditioning{Scale: 1, PGA: 0.3}},
			"pga_g 0.3: want a record with a peak to scale, found zeros only"},
	} {
		_, err := c.source.Motion(at)
		wantError(t, err, c.want)
	}
}

// A MAT-file with two arrays is used by naming one.
func TestRecordOfMAT(t *testing.T) {
	dir := someRecords(t)
	m, err := (&Record{"e", Conditioning{Scale: 2, Var: "r"}}).Motion(At{Files: files.Disk{}, RecordsDir: dir})
	if err != nil || m.Name != "e" || m.PGA() != 6 {
		t.Errorf("%+v, %v: want the array r, doubled", m, err)
	}
}
