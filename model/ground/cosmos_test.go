package ground

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

// cosmosEncoder writes a channel by the definition of COSMOS V1.20: text lines,
// 100 integers, 100 reals, comments, data, end-of-data flag. Values that are
// not known are -999.
type cosmosEncoder struct {
	first        string // of the first line
	textLines    int
	chan_        string // after "Sta Chan"
	quantity     int
	unit         int
	stepMS       float64
	length       float64
	realFormat   string // %-verb of a number
	realColumns  int
	realName     string // (6F13.6)
	data         string // all of the data line after the number of points
	verb         string
	columns      int
	values       []float64
	end          string
	extraComment bool
}

// cosmos is a V1 channel with its numbers touching each other.
func cosmos(values []float64) cosmosEncoder {
	return cosmosEncoder{
		first: "Uncorrected acceleration", textLines: 13, chan_: "  1: 360 deg (Rcrdr Chan  1) Location:Ground",
		quantity: 1, unit: 4, stepMS: 10, length: 0.01 * float64(len(values)),
		realFormat: "%13.6f", realColumns: 6, realName: "(6F13.6)",
		data: "acceleration pts, approx   0 secs, units=cm/sec2(04), Format=(8F10.5)", verb: "%10.5f", columns: 8,
		values: values, end: "End-of-data for Chan  1 acceleration", extraComment: true,
	}
}

// columnsOf writes numbers in columns.
func columnsOf(b *strings.Builder, values []float64, verb string, columns int) {
	for i, v := range values {
		fmt.Fprintf(b, verb, v)
		if (i+1)%columns == 0 || i == len(values)-1 {
			b.WriteString("\n")
		}
	}
}

func (e cosmosEncoder) String() string {
	var b strings.Builder
	text := make([]string, e.textLines)
	text[0] = fmt.Sprintf("%-25s (Format v01.20 with %2d text lines) Src: made here", e.first, e.textLines)
	text[1] = "Record of Nowhere          Earthquake of Thu Jan 01, 1970 00:00 UTC"
	text[4] = "Statn No: 05-  1234 Code:XX-1234   TEST Somewhere - 1st & Main"
	text[8] = "Sta Chan" + e.chan_
	text[12] = "Values used when parameter or data value is unknown/unspecified:   -999, -999.0"
	b.WriteString(strings.Join(text, "\n") + "\n")
	ints, reals := make([]float64, 100), make([]float64, 100)
	for i := range ints {
		ints[i], reals[i] = -999, -999
	}
	ints[1], ints[2], ints[88], ints[89] = float64(e.quantity), float64(e.unit), -999, 12345678 // touching
	reals[61], reals[62], reals[29] = e.stepMS, e.length, 426212                                // touching
	fmt.Fprintf(&b, " 100 Integer-header values follow on  10 lines, Format= (10I8)\n")
	columnsOf(&b, ints, "%8.0f", 10)
	fmt.Fprintf(&b, " 100 Real-header values follow on  17 lines, Format= %s\n", e.realName)
	columnsOf(&b, reals, e.realFormat, e.realColumns)
	if e.extraComment {
		b.WriteString("   2 Comment line(s) follow, each starting with a \"|\":\n|\n| 5 pts, Format=(1I1)\n")
	}
	fmt.Fprintf(&b, "%8d %s\n", len(e.values), e.data)
	columnsOf(&b, e.values, e.verb, e.columns)
	b.WriteString(e.end + "\n")
	return b.String()
}

// touching are values that fill ten columns of (8F10.5).
var touching = []float64{-123.45678, 1, -999.87654, -100, 0.5, 0, 7, -8, 9, -999.1}

// wantCOSMOS reads the text and compares the accelerations times factor.
func wantCOSMOS(t *testing.T, text, channel string, dt, factor float64, want []float64) Motion {
	t.Helper()
	m, err := ReadCOSMOS(strings.NewReader(text), "x", Want{Part: channel})
	if err != nil || m.Dt != dt || len(m.A) != len(want) {
		t.Fatalf("step %g s, %d samples, %v: want %g, %d", m.Dt, len(m.A), err, dt, len(want))
	}
	for i := range want {
		if m.A[i] != factor*want[i] {
			t.Fatalf("sample %d is %g: want %g", i, m.A[i], factor*want[i])
		}
	}
	return m
}

func TestReadCOSMOS(t *testing.T) {
	m := wantCOSMOS(t, cosmos(touching).String(), "", 0.01, 0.01, touching)
	if m.Station != "XX-1234 TEST Somewhere - 1st & Main" || m.Component != "1 (360 deg)" ||
		m.Event != "Nowhere Earthquake of Thu Jan 01, 1970 00:00 UTC" {
		t.Errorf("station %q, component %q, event %q", m.Station, m.Component, m.Event)
	}
}

// The formats and units that networks write.
func TestReadCOSMOSVariants(t *testing.T) {
	values := []float64{1.5, -2.25, 3, 0, -4.5, 6, 7}
	for name, c := range map[string]struct {
		change func(*cosmosEncoder)
		factor float64
	}{
		"exponents": {func(e *cosmosEncoder) {
			e.data, e.verb, e.columns = "acceleration pts, approx 0 secs, units=cm/sec2(04), Format=(6E12.3)", "%12.3e", 6
			e.realFormat, e.realColumns, e.realName = "%15.6e", 5, "(5E15.6)"
		}, 0.01},
		"one a line": {func(e *cosmosEncoder) {
			e.data, e.verb, e.columns = "acceleration pts, approx 0 secs, units=cm/s^2,Format=(1F15.6E)", "%15.6E", 1
		}, 0.01},
		"no code, g": {func(e *cosmosEncoder) { e.data = "accel. pts, approx 0 secs, units=g,Format=(8F10.5)" },
			StandardGravity},
		"code of g": {func(e *cosmosEncoder) { e.data = "accel. pts, approx 0 secs, units=g (02),Format=(8F10.5)" },
			StandardGravity},
		"no unit": {func(e *cosmosEncoder) { e.data, e.unit = "accel. pts, approx 0 secs,Format=(8F10.5)", 11 },
			1e-3 * StandardGravity},
		"no quantity":   {func(e *cosmosEncoder) { e.data, e.unit = " pts, approx 0 secs,Format=(8F10.5)", 10 }, 0.01},
		"15 lines":      {func(e *cosmosEncoder) { e.textLines = 15 }, 0.01},
		"other flag":    {func(e *cosmosEncoder) { e.end = "/&  ---------- End of data for channel  1  ----------" }, 0.01},
		"no flag":       {func(e *cosmosEncoder) { e.end = "" }, 0.01},
		"no comments":   {func(e *cosmosEncoder) { e.extraComment = false }, 0.01},
		"one more step": {func(e *cosmosEncoder) { e.length -= 0.01 }, 0.01},
		"no length":     {func(e *cosmosEncoder) { e.length = -999 }, 0.01},
	} {
		t.Run(name, func(t *testing.T) {
			e := cosmos(values)
			c.change(&e)
			wantCOSMOS(t, e.String(), "", 0.01, c.factor, values)
			wantCOSMOS(t, strings.ReplaceAll(e.String(), "\n", "\r\n"), "", 0.01, c.factor, values)
		})
	}
}

// Three channels, each with acceleration, velocity and displacement: in blocks
// one below the other, or each below a heading of its own.
func threeChannels(headings bool) string {
	var b strings.Builder
	for i, direction := range []string{"90 deg", "Up", "360 deg"} {
		e := cosmos([]float64{float64(i + 1), -2, 3, 4})
		e.chan_ = fmt.Sprintf("%3d: %s (Rcrdr Chan %2d)", i+1, direction, i+1)
		e.first, e.end = "Corrected acceleration", ""
		b.WriteString(e.String())
		if headings {
			b.WriteString("End-of-data for Chan acceleration\n")
		}
		for k, quantity := range []string{"velocity", "displacement"} {
			other := cosmos([]float64{99, 98})
			other.data = quantity + " pts, approx 0 secs, units=cm/sec(05), Format=(8F10.5)"
			other.chan_, other.quantity, other.first, other.end = e.chan_, k+2, "Corrected "+quantity, ""
			text := other.String()
			if !headings {
				lines := strings.Split(text, "\n")
				text = strings.Join(lines[len(lines)-4:len(lines)-2], "\n") + "\n"
			}
			b.WriteString(text)
		}
		b.WriteString("End-of-data for Chan\n\n")
	}
	return b.String()
}

func TestReadCOSMOSChannels(t *testing.T) {
	for _, headings := range []bool{false, true} {
		text := threeChannels(headings)
		for channel, first := range map[string]float64{"1": 1, "2": 2, "up": 2, "UP": 2, "360 DEG": 3, "360": 3,
			" 360  deg ": 3, "3 (360 deg)": 3} {
			m := wantCOSMOS(t, text, channel, 0.01, 0.01, []float64{first, -2, 3, 4})
			if !strings.HasPrefix(m.Component, fmt.Sprint(first)) {
				t.Errorf("component %q", m.Component)
			}
		}
		_, err := ReadCOSMOS(strings.NewReader(text), "x", Want{})
		wantError(t, err, `x: channel: found nothing: want one of the file's channels: 1 (90 deg), 2 (Up), 3 (360 deg)`)
		var key *KeyError
		if !errors.As(err, &key) || key.Key != "channel" {
			t.Errorf("%v is no error of the key channel", err)
		}
		_, err = ReadCOSMOS(strings.NewReader(text), "x", Want{Part: "4"})
		wantError(t, err, `x: channel "4": want one of the file's channels: 1 (90 deg), 2 (Up), 3 (360 deg)`)
		_, err = ReadCOSMOS(strings.NewReader(text+text), "x", Want{Part: "up"})
		wantError(t, err,
			`x: channel "up": want one channel, but 2 have this name, of 1 (90 deg), 2 (Up), 3 (360 deg), 1 (90 deg), 2 (Up), `+
				`3 (360 deg)`)
	}
}

// csmipV2 is a channel of volume 2 by CSMIP's layout.
func csmipV2(number int, direction, format, verb string, columns int, values []float64) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Corrected accelerogram   1234-L1-70001.00          Chan %2d:  %-9s  from   \n", number, direction)
	b.WriteString("Uncorrected Accelerogram Data             Processed: 01/01/70, TEST            \n")
	b.WriteString("Rcrd of Thu Jan 1, 1970 00:00:00.0 PDT                (test v0.1)              \n")
	b.WriteString("\n1234-L1-70001.00                 Start time:  1/01/70, 00:00:00.0 UTC (GPS)\n")
	b.WriteString("Station No. 01234   1.000N, 2.000W    Test    s/n 1    (3 Chns of  3 at Sta)\n")
	b.WriteString("Somewhere - 1st & Main                    TEST  Data: Acceleration             \n")
	fmt.Fprintf(&b, "Chan %2d:  %s\n", number, direction)
	fmt.Fprintf(&b, "%6d points of instrument- and baseline-corrected accel, veloc and displ data\n", len(values))
	b.WriteString("At equally-spaced intervals of    .005  sec.\n")
	columnsOf(&b, make([]float64, 100), "%5.0f", 16)
	columnsOf(&b, make([]float64, 100), "%10.3f", 8)
	for _, block := range []struct{ name, unit string }{{"accel", "cm/sec2"}, {"veloc", "cm/sec "}, {"displ", "cm     "}} {
		fmt.Fprintf(&b, "%6d points of %s data equally spaced at  .005 sec, in %s. %s    \n", len(values), block.name,
			block.unit, format)
		columnsOf(&b, values, verb, columns)
		values = []float64{77, 78, 79}
	}
	fmt.Fprintf(&b, "/&  ----------  End of data for channel %2d  ----------\n", number)
	return b.String()
}

func TestReadCSMIP(t *testing.T) {
	text := csmipV2(1, "H1", "(8f10.5)", "%10.5f", 8, touching) + csmipV2(2, "Up", "", "%9.4f", 8, []float64{1, -2, 3})
	m := wantCOSMOS(t, text, "h1", 0.005, 0.01, touching)
	if m.Station != "01234 Somewhere - 1st & Main" || m.Component != "1 (H1)" ||
		m.Event != "Thu Jan 1, 1970 00:00:00.0 PDT" {
		t.Errorf("station %q, component %q, event %q", m.Station, m.Component, m.Event)
	}
	wantCOSMOS(t, text, "2", 0.005, 0.01, []float64{1, -2, 3})
	_, err := ReadCOSMOS(strings.NewReader(text), "x", Want{})
	wantError(t, err, `x: channel: found nothing: want one of the file's channels: 1 (H1), 2 (Up)`)
}

// Volume 1, as written until the nineties.
func TestReadCSMIPUncorrected(t *testing.T) {
	for unit, factor := range map[string]float64{"(UNITS: G)": StandardGravity, "(UNITS: CM/SEC/SEC)": 0.01,
		", in g. (8f9.6)": StandardGravity, ", in units of g/10.": 0.1 * StandardGravity} {
		text := "UNCORRECTED ACCELEROGRAM DATA              PROCESSED: 01/01/70, TEST\nSTATION NO. 1234   1.000N, 2.000W   " +
			"  TEST  S/N 1\nSOMEWHERE\nCHAN  1:  90 DEG\n" +
			"    1    1\n      .019\n    3 POINTS OF ACCEL DATA EQUALLY SPACED AT .005 SEC.  " + unit +
			"\n -.000116 -.000116  .000851\n"
		m := wantCOSMOS(t, text, "90 deg", 0.005, factor, []float64{-.000116, -.000116, .000851})
		if m.Station != "1234 SOMEWHERE" {
			t.Errorf("station %q", m.Station)
		}
	}
}

func TestReadCOSMOSErrors(t *testing.T) {
	good := cosmos(touching).String()
	change := func(old, now string) string { return strings.Replace(good, old, now, 1) }
	lines := strings.SplitAfter(good, "\n")
	for _, c := range []struct{ text, want string }{
		{"", `x: line 1: the file ends, want acceleration data of a COSMOS V1 or V2 file`},
		{"0 1\n0.1 2\n",
			`x: line 1: found "0 1", want the first line of a channel: "… acceleration (Format v01.20 with 13 text lines)" ` +
				`(COSMOS) or "Corrected accelerogram …" (CSMIP)`},
		{strings.Join(lines[:9], ""), `x: line 10: the file ends, want 13 text lines`},
		{strings.Join(lines[:13], ""),
			`x: line 14: the file ends, want "100 integer-header values follow on … lines, Format= (…)"`},
		{strings.Join(lines[:20], ""),
			`x: line 21: the file ends, want 100 integer-header values announced in line 14, found 60`},
		{change(" 100 Integer", " 100 Foo"),
			`x: line 14: found " 100 Foo-header values follow on  10 lines, Format= (10I8)", want "100 integer-header values ` +
				`follow on … lines, Format= (…)"`},
		{change("(10I8)", "(many)"), `x: line 14: found format "(many)", want one such as (8F10.3)`},
		{change("-999.000000", "-999.00000x"),
			`x: line 26: found "-999.00000x", want a number (of 100 real-header values announced in line 25)`},
		{change("10.000000", "-1.000000"),
			`x: line 42: no sample interval in the real header: want it in ms at place 62 or in s at place 34`},
		{change("   10.000000", " 1000.000000"),
			`x: line 46: 10 points every 1 s are 10 s, but the heading says 0.1 s: want the same`},
		{change("cm/sec2(04)", "counts (50)"),
			`x: line 46: found raw counts (volume 0), want a V1 or V2 file in physical units`},
		{change("cm/sec2(04)", "furlongs"),
			`x: line 46: found unit "furlongs" (code 0), want g, mg, gal, cm/sec2 or in/sec2`},
		{change("      10 accel", "      11 accel"),
			`x: line 49: found "End-of-dat", want a number (of 11 points announced in line 46)`},
		{change("      10 accel", "       9 accel"),
			`x: line 48: found "9.00000-999.10000", want a number (of 9 points announced in line 46)`},
		{change("      10 accel", "       7 accel"),
			`x: line 46: 7 points every 0.01 s are 0.07 s, but the heading says 0.1 s: want the same`},
		{strings.Replace(csmipV2(1, "Up", "(8f10.5)", "%10.5f", 8, touching), "    10 points of accel",
			"     4 points of accel", 1), `x: line 32: more than the 4 points announced in line 31`},
		{change("      10 accel", "       1 accel"), `x: line 46: 1 points: want 2 to 8388608`},
		{change("1.00000", "  NaN  "), `x: line 47: found NaN, want a finite number (of 10 points announced in line 46)`},
		{change("End-of-data", "The end"),
			`x: line 49: found "The end for Chan  1 acceleration", want a line that announces data, or the end-of-data flag`},
		{strings.Join(lines[:47], ""), `x: line 48: the file ends, want 10 points announced in line 46, found 8`},
		{change("acceleration pts", "velocity pts"),
			`x: line 50: the file ends, want acceleration data of a COSMOS V1 or V2 file`},
		{"Corrected accelerogram Chan 1: Up\nfoo\n",
			`x: line 3: the file ends, want "… points of accel data equally spaced at … sec"`},
		{strings.Replace(csmipV2(1, "Up", "(8f10.5)", "%10.5f", 8, touching), ".005 sec, in", "50 sec, in", 1),
			`x: line 31: time step 50 s: want 1e-07 to 1 s (is the time in seconds?)`},
	} {
		m, err := ReadCOSMOS(strings.NewReader(c.text), "x", Want{})
		if err == nil {
			err = fmt.Errorf("none: %+v", m)
		}
		wantError(t, err, c.want)
	}
}

func TestFortranFormats(t *testing.T) {
	for s, want := range map[string]fortran{"(8F10.3)": {8, 10}, " (10I8) ": {10, 8}, "(5e15.6)": {5, 15},
		"(1P6E12.3)": {6, 12}, "(1F15.6E)": {1, 15}, "(E15.7)": {1, 15}, "(2p,4d20.10e3)": {4, 20}} {
		if got, err := parseFortran(s); err != nil || got != want {
			t.Errorf("%s: %+v, %v: want %+v", s, got, err, want)
		}
	}
	for _, s := range []string{"", "8F10.3", "(8A10)", "(0F8.3)", "(8F0.3)", "(99999F8.3)", "(8F)",
		"(99999999999999999999F8.3)"} {
		if got, err := parseFortran(s); err == nil {
			t.Errorf("%s: %+v", s, got)
		}
	}
	f := fortran{3, 5}
	for line, want := range map[string][]string{"  1.0  2.0  3.0": {"1.0", "2.0", "3.0"},
		"12345-1234 1": {"12345", "-1234", "1"}, "1 2 3": {"1", "2", "3"}} {
		if got := f.fields(line, 9); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
	if v, err := parseFortranNumber("-1.5D-02"); err != nil || v != -0.015 {
		t.Errorf("%g, %v", v, err)
	}
}

// Whatever numbers are written come back, to the digits of the format.
func TestCOSMOSRoundTrip(t *testing.T) {
	values := make([]float64, 1003)
	for i := range values {
		values[i] = 900 * math.Sin(float64(i*i))
	}
	m, err := ReadCOSMOS(strings.NewReader(cosmos(values).String()), "x", Want{})
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range values {
		if math.Abs(100*m.A[i]-v) > 0.51e-5 {
			t.Fatalf("sample %d: %g, want %g", i, 100*m.A[i], v)
		}
	}
}

func FuzzReadCOSMOS(f *testing.F) {
	f.Add([]byte(cosmos(touching).String()), "")
	f.Add([]byte(threeChannels(true)), "up")
	f.Add([]byte(threeChannels(false)), "")
	f.Add([]byte(csmipV2(1, "H1", "(8f10.5)", "%10.5f", 8, touching)), "1")
	f.Add([]byte("UNCORRECTED ACCELEROGRAM DATA\n3 POINTS OF ACCEL DATA EQUALLY SPACED AT .005 SEC. (UNITS: G)\n1 2 3\n"),
		"")
	f.Fuzz(func(t *testing.T, data []byte, channel string) {
		m, err := ReadCOSMOS(strings.NewReader(string(data)), "fuzz", Want{Part: channel})
		soundMotion(t, m, err)
	})
}
