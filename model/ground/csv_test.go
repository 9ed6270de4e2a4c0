package ground

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf16"

	"pgregory.net/rapid"

	"rths"
)

func TestReadCSVSeparatorsTitlesComments(t *testing.T) {
	want := Motion{Name: "x", T0: 1, Dt: 0.02, A: []float64{0.5, -1, 2}}
	for name, text := range map[string]string{
		"comma":     "time_s,accel_m_s2\n1.00,0.5\n1.02,-1\n1.04,2\n",
		"semicolon": "1.00;0.5\n1.02;-1\n1.04;2",
		"tab":       "t\ta\n1.00\t0.5\n1.02\t-1\n1.04\t2\n",
		"blanks":    "  1.00   0.5\n  1.02  -1\n\n  1.04   2  \n",
		"windows":   "\ufefftime,a\r\n1.00, 0.5\r\n1.02, -1\r\n1.04, 2\r\n",
		"comments":  "# one\n% two\n1.00 0.5 # peak\n1.02 -1 % x\n   # \n1.04 2\n",
		"last one":  "1.00,0.5,\n1.02,-1,\n1.04,2,\n",
		"powers":    "1e0 5E-1\n1.02 -1.0e+0\n104e-2 2.0",
	} {
		got, err := ReadCSV(strings.NewReader(text), "x", Want{})
		if err != nil || got.Name != want.Name || got.T0 != want.T0 || got.Dt != want.Dt || !slices.Equal(got.A, want.A) {
			t.Errorf("%s: %+v, %v: want %+v", name, got, err, want)
		}
	}
}

// A unit that is stated and not known is not taken for another.
func TestReadCSVUnknownUnit(t *testing.T) {
	for _, title := range []string{"t,a [yd/s2]", "t,a (m/s)", "time acc [mV]", "t,a [%g]", "t,a (%)", "t,a []", "t (h),a",
		"t [samples],a", "t,a\n s,N"} {
		if _, err := ReadCSV(strings.NewReader(title+"\n0,1\n0.1,3\n"), "x", Want{}); err == nil ||
			!strings.Contains(err.Error(), "in brackets, one of ") {
			t.Errorf("title %q: error %v, want one that names the known units", title, err)
		}
	}
}

func TestReadCSVUnits(t *testing.T) {
	for _, c := range []struct {
		unit, title string
		factor      float64
	}{
		{"", "", 1}, {"m/s2", "", 1}, {"m/s²", "", 1}, {"m/s^2", "", 1}, {" M/S2 ", "", 1},
		{"g", "", 9.80665}, {"G", "", 9.80665}, {"gal", "", 0.01}, {"Gal", "", 0.01}, {"cm/s2", "", 0.01},
		{"cm/s²", "", 0.01},
		{"", "t,acc [mg]\n", 9.80665e-3}, {"", "t,acc_mg\n", 9.80665e-3}, {"", "t,a_ft_s2\n", 0.3048},
		{"", "t,a [cm/sec/sec]\n", 0.01}, {"", "t,a mm/s²\n", 1e-3},
		{"", "t,accel_g\n", 9.80665}, {"", "t,a [cm/s²]\n", 0.01}, {"", "t,Acceleration (g)\n", 9.80665},
		{"", "t,a_gal\n", 0.01},
		{"", "time_s,accel_m_s2\n", 1}, {"g", "time_s,a_g\n", 9.80665}, {"g", "time,acc\n", 9.80665},
		{"cm/s2", "t,a_gal\n", 0.01},
	} {
		got, err := ReadCSV(strings.NewReader(c.title+"0,1\n0.1,3\n"), "x", Want{Unit: c.unit})
		if err != nil || !slices.Equal(got.A, []float64{c.factor, 3 * c.factor}) {
			t.Errorf("unit %q, title %q: %v, %v: want factor %g", c.unit, c.title, got.A, err, c.factor)
		}
	}
}

// The unit of time is that of the title too.
func TestReadCSVTimeUnits(t *testing.T) {
	for text, dt := range map[string]float64{
		"time_ms,a_g\n0,1\n1,2\n2,1\n":                   0.001,
		"Time [ms];acc [g]\n0;1\n0.5;2\n1;1\n":           0.0005,
		"t (µs)\ta (g)\n0\t1\n250\t2\n500\t1\n":          250e-6,
		"t (\xb5s),a (m/s\xb2)\n0,1\n250,2\n500,1\n":     250e-6, // Windows-1252
		"time_min,a_g\n0,1\n0.001,2\n0.002,1\n":          0.06,
		"time,accel\nms,g\n0,1\n20,2\n40,1\n":            0.02,
		"time;accel\n[ms];[g];\n0;1\n20;2\n40;1\n":       0.02,
		"Time  Acc\n[ms] [g]\n0 1\n20 2\n40 1\n":         0.02,
		"ms,g\n0,1\n20,2\n40,1\n":                        0.02,
		"Time in ms;Acc in g\n0;1\n20;2\n40;1\n":         0.02,
		"# time_ms accel_g\n0 1\n20 2\n40 1\n":           0.02,
		"Time (ms)  Acc (N-S) [g]\n0 1\n20 2\n40 1\n":    0.02,
		"\"time_ms\",\"a_g\"\n\"0\",\"1\"\n20,2\n40,1\n": 0.02,
		"time_s,a_g\n0,1\n1,2\n2,1\n":                    1,
	} {
		m, err := ReadCSV(strings.NewReader(text), "x", Want{})
		if err != nil || math.Abs(m.Dt-dt) > 1e-15 || len(m.A) != 3 {
			t.Errorf("%q: step %.17g s, %v: want %g s", text, m.Dt, err, dt)
		}
		if len(m.Notes) > 0 {
			t.Errorf("%q: notes %q", text, m.Notes)
		}
	}
}

// What no unit is stated for is said.
func TestReadCSVNotes(t *testing.T) {
	for _, c := range []struct{ text, unit, want string }{
		{"0,1\n0.1,3\n", "",
			"x: no unit is stated: times are taken for s (step 0.1 s), accelerations for m/s² (peak 3 m/s²); titles state " +
				"units, as in time_s,accel_g"},
		{"0,1\n0.1,3\n", "g", "x: no unit of time is stated: taken for s (step 0.1 s); a title such as time_s states it"},
		{"# record time\n0 1\n0.1 3\n", "g",
			"x: no unit of time is stated: taken for s (step 0.1 s); a title such as time_s states it"},
		{"# El Centro (1940)\ntime_s,acc\n0,1\n0.1,3\n", "",
			"x: no unit of acceleration is stated: taken for m/s² (peak 3 m/s²); unit or a title such as accel_g states it"},
		{"time,acc (N-S)\n0,1\n0.1,3\n", "gal",
			"x: no unit of time is stated: taken for s (step 0.1 s); a title such as time_s states it"},
	} {
		m, err := ReadCSV(strings.NewReader(c.text), "x", Want{Unit: c.unit})
		if err != nil || len(m.Notes) != 1 || m.Notes[0] != c.want {
			t.Errorf("%q: %q, %v: want %q", c.text, m.Notes, err, c.want)
		}
	}
}

// Excel and LabVIEW write UTF-16 with a byte order mark.
func TestReadCSVUTF16(t *testing.T) {
	const text = "Time (ms)\tAcceleration (m/s²)\r\n0\t1\r\n20\t-2\r\n"
	for name, put := range map[string]func([]byte, uint16) []byte{"little": binary.LittleEndian.AppendUint16,
		"big": binary.BigEndian.AppendUint16} {
		data := put(nil, 0xfeff)
		for _, c := range utf16.Encode([]rune(text)) {
			data = put(data, c)
		}
		m, err := ReadCSV(iotest.OneByteReader(bytes.NewReader(data)), "x", Want{})
		if err != nil || m.Dt != 0.02 || !slices.Equal(m.A, []float64{1, -2}) {
			t.Errorf("%s endian: %+v, %v", name, m, err)
		}
	}
}

// What was understood is said, decimal commas of one column among it.
func TestUnderstood(t *testing.T) {
	for text, want := range map[string]string{
		"0,05\n1,51\n-0,20\n":          "one column, decimal commas; accelerations alone; rows from line 1: 3",
		"t;a_g\n0;0,5\n0,01;1\n":       "semicolons between columns, decimal commas; times in column 1, t; accelerations in column 2, a_g, each 9.80665 m/s²; rows from line 2: 2",
		"10:00:00.0 1\n10:00:00.5 2\n": "blanks between columns; times in column 1, of day; accelerations in column 2; rows from line 1: 2",
	} {
		m, err := ReadCSV(strings.NewReader(text), "x", Want{Dt: map[bool]float64{true: 0.01}[strings.HasPrefix(want, "one")]})
		if err != nil || m.Understood != want {
			t.Errorf("%q: %q, %v: want %q", text, m.Understood, err, want)
		}
	}
}

func TestReadCSVErrors(t *testing.T) {
	for _, c := range []struct{ text, unit, want string }{
		{"", "", "x: too few points: found 0, want 2 or more lines of time and acceleration"},
		{"t,a\n", "", "x: too few points: found 0, want 2 or more lines of time and acceleration"},
		{"0,1\n", "", "x: too few points: found 1, want 2 or more lines of time and acceleration"},
		{"0,1\n0.1\n", "", "x: line 2: found 1 columns, want 2 as in the lines above"},
		{"0,1,2\n", "",
			`x: column: found nothing: want one of the file's columns, by title or position: 1 to 3, without titles`},
		{"time_s,a\nu,b\n0,1\n", "",
			`x: line 2: found "u", want a number; or the units of the titles in line 1; # begins other lines of a heading`},
		{"0,1\n\n# c\n0.1,one\n", "", `x: line 4: found "one", want a number`},
		{"0,1\n0.1,,\n", "", `x: line 2: found "", want a number`},
		{"0,1\n0.1,NaN\n", "", "x: line 2: found NaN, want a finite number"},
		{"0,1\n-Inf,1\n", "", "x: line 2: found -Inf, want a finite number"},
		{"0,1\n0.1,1e999\n", "", `x: line 2: found "1e999", want a number that double precision holds`},
		{"0;1\n1,500;1\n", "", `x: line 2: found "1,500", want a number with a decimal point`}, // or 1500
		{"0,1\n0.1,1e308\n", "g", "x: line 2: acceleration 1e+308: want a finite number"},
		{"0,1\n0.2,1\n0.1,1\n", "", "x: line 3: time 0.1 s after 0.2 s: want increasing times"},
		{"0,1\n0.1,1\n0.1,1\n", "", "x: line 3: time 0.1 s after 0.1 s: want increasing times"},
		{"t,a\n0,1\n0.01,1\n0.02,1\n0.04,1\n0.05,1\n", "",
			"x: line 5: time step 0.02 s: want a uniform step, and most are 0.01 s (within 0.001 s)"},
		{"-1e308,1\n1e308,1\n", "", "x: line 2: time 1e+308 s: want a number of seconds"},
		{"0,1\n20,1\n40,2\n", "",
			"x: time step 20, and no unit of time is stated: want a title that states it, such as time_ms or time_s; sample " +
				"numbers are no times"},
		{"time_s,a\n0,1\n20,1\n40,2\n", "", "x: time step 20 s: want 1e-07 to 1 s (is the time in seconds?)"},
		{"0,1\n1,1\n2,2\n", "",
			"x: time step 1, and no unit of time is stated: want a title that states it, such as time_ms or time_s; sample " +
				"numbers are no times"},
		{"1,0\n2,0.1\n-1,0.2\n", "",
			"x: line 3: time -1 s after 2 s: want increasing times before the accelerations; here the second column increases"},
		{"t,a\n0,02,1,5\n", "",
			"x: line 2: commas between whole numbers: decimal commas? Write decimal points; or blanks between whole numbers"},
		{strings.Repeat("( ", 1<<18) + "\n0,1\n", "", "x: line 1: found a title of 1001 bytes, want at most 1000"},
		{"a," + strings.Repeat("[_", 1<<18) + "\n0,1\n", "", "x: line 1: found a title of 524288 bytes, want at most 1000"},
		{"PK\x03\x04\x00", "", "x: line 1: found a ZIP file, as an Excel workbook is: want text: save the sheet as CSV"},
		{"t\x00,\x00a\x00\n\x00", "",
			"x: line 1: found bytes that are no text: want UTF-8, or UTF-16 with its byte order mark"},
		{"0,1\n1e-9,1\n", "", "x: time step 1e-09 s: want 1e-07 to 1 s (is the time in seconds?)"},
		{"0,1\n0.1,1\n", "inch", `x: unit "inch": want one of cm/s2, ft/s2, g, gal, in/s2, m/s2, mg, mm/s2`},
		{"t,a_g\n0,1\n0.1,1\n", "m/s2", `x: unit "m/s2": the title line says g: want the same, or no unit`},
		{"0,1\n" + strings.Repeat(" ", 2<<20), "", "x: line 2: longer than 1 MB: want a row of numbers in a line"},
	} {
		_, err := ReadCSV(strings.NewReader(c.text), "x", Want{Unit: c.unit})
		wantError(t, err, c.want)
	}
	broken := errors.New("disk on fire")
	if _, err := ReadCSV(iotest.ErrReader(broken), "x", Want{}); !errors.Is(err, broken) {
		t.Errorf("a reader's error is lost: %v", err)
	}
}

// times prints 0, dt, 2dt, … with the given decimals beside a constant.
func times(n int, dt float64, decimals int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%.*f,1\n", decimals, float64(i)*dt)
	}
	return b.String()
}

func TestStepsOfPrintedTimes(t *testing.T) {
	for _, c := range []struct {
		dt       float64
		decimals int
		within   float64 // of the step found
	}{
		{0.02, 3, 0}, {0.005, 3, 0}, {0.002, 3, 0}, {0.001, 3, 0}, {0.02, 2, 0},
		{1.0 / 256, 3, 1e-6},  // 0.00390625 s printed 0.004, 0.008, 0.012, 0.016, 0.020, 0.023
		{1.0 / 4096, 6, 1e-9}, // 0.000244140625 s
		{1.0 / 4096, 12, 0},
		{1.0 / 3, 3, 1e-6},
	} {
		m, err := ReadCSV(strings.NewReader(times(2000, c.dt, c.decimals)), "x", Want{})
		if err != nil || math.Abs(m.Dt-c.dt) > c.within {
			t.Errorf("step %g s with %d decimals: %.12g s, %v", c.dt, c.decimals, m.Dt, err)
		}
	}
}

func TestStepsThatAreNotUniform(t *testing.T) {
	long := times(1000, 0.005, 3)
	var cut, drift strings.Builder
	for i, l := range strings.SplitAfter(long, "\n") {
		if i != 500 {
			cut.WriteString(l)
		}
	}
	for i := range 1000 {
		dt := 0.020
		if i >= 500 {
			dt = 0.021
		}
		fmt.Fprintf(&drift, "%.3f 1\n", 10+float64(i-500)*dt)
	}
	for _, c := range []struct{ name, text, want string }{
		{"a missing line", cut.String(),
			"x: line 501: time step 0.01 s: want a uniform step, and most are 0.005 s (within 0.001 s)"},
		{"two steps", drift.String(),
			"x: line 501: time 10 s is -0.25 s off a uniform step of 0.0204995 s: want within 0.001 s"},
		{"too few decimals", times(1000, 1.0/512, 3),
			"x: line 12: time step 0.001 s: want a uniform step, and most are 0.002 s (within 2e-09 s)"},
		{"missing line, one decimal", "0,1\n.1,1\n.2,1\n.4,1\n",
			"x: line 4: time step 0.2 s: want a uniform step, and most are 0.1 s (within 0.001 s)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := ReadCSV(strings.NewReader(c.text), "x", Want{})
			wantError(t, err, c.want)
		})
	}
}

func TestCSVRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dt := float64(rapid.IntRange(1, 100).Draw(t, "ms")) / 1000
		first := rapid.IntRange(-1000, 1000).Draw(t, "first")
		a := rapid.SliceOfN(rapid.Float64Range(-100, 100), 2, 200).Draw(t, "a")
		sep := rapid.SampledFrom([]string{",", ";", "\t", " ", ", "}).Draw(t, "sep")
		lines := float64(len(a) - 1)
		for _, x := range []float64{float64(first) * dt, a[0]} {
			if math.Abs(x-lines) < 1e-9 || math.Abs(x-2*lines) < 1e-9 {
				t.Skip("a first line with the count of the lines or numbers that follow is a heading, which is refused")
			}
		}
		var b strings.Builder
		for i, v := range a {
			fmt.Fprintf(&b, "%.3f%s%v\n", float64(first+i)*dt, sep, v)
		}
		m, err := ReadCSV(strings.NewReader(b.String()), "x", Want{})
		if err != nil {
			t.Fatal(err)
		}
		if m.Dt != dt || !slices.Equal(m.A, a) || math.Abs(m.T0-float64(first)*dt) > 1e-12 {
			t.Fatalf("step %v s, first %v s: want %v, %v", m.Dt, m.T0, dt, float64(first)*dt)
		}
	})
}

// soundMotion checks the promises of every parser for any input.
func soundMotion(t *testing.T, m Motion, err error) {
	t.Helper()
	if err != nil {
		if len(m.A) != 0 {
			t.Errorf("a motion beside the error %v", err)
		}
		return
	}
	if !(m.Dt > 0) || !rths.Finite(m.Dt) || !rths.Finite(m.T0) || len(m.A) < 2 {
		t.Errorf("step %g s, first %g s, %d samples", m.Dt, m.T0, len(m.A))
	}
	for i, a := range m.A {
		if !rths.Finite(a) {
			t.Errorf("sample %d is %g", i, a)
		}
	}
	if n := m.Samples(4096); n < 1 {
		t.Errorf("%d ticks at 4096 Hz", n)
	}
}

func FuzzReadCSV(f *testing.F) {
	for _, s := range []string{"time_s,accel_m_s2\n0.000,0\n0.020,1\n0.04,-1\n", "0;1\n1;2", "t a_g\n0 1\n.1 2 # x",
		"0,1\n0,nan", "1e308 1\n-1e308 1", "\xff\xfe0\x00;\x001\x00\n\x00", "Time [ms]\tAcc (N) [g]\n[s] [g]\n",
		times(20, 1.0/256, 3)} {
		f.Add([]byte(s), "")
		f.Add([]byte(s), "g")
	}
	f.Fuzz(func(t *testing.T, data []byte, unit string) {
		m, err := ReadCSV(strings.NewReader(string(data)), "fuzz", Want{Unit: unit})
		soundMotion(t, m, err)
	})
}
