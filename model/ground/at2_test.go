package ground

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// at2 is a record in PEER's layout.
func at2(line3, line4, values string) string {
	return "PEER NGA STRONG MOTION DATABASE RECORD\nImperial Valley-02, 5/19/1940, El Centro Array #9, 180\n" + line3 +
		"\n" + line4 + "\n" + values
}

const inG = "ACCELERATION TIME SERIES IN UNITS OF G"

func TestReadAT2Spellings(t *testing.T) {
	values := "  -.1000000E-02   .2000000E-02   .3000000E+00  -.4000000E-01   .5000000E-02\n   .6000000E-02   " +
		".7000000E-02\n"
	for _, line4 := range []string{
		"NPTS=   7, DT=   .0050 SEC,",
		"NPTS=   7, DT=   .0050 SEC",
		"NPTS=7, DT=.005 SEC, SAMPLES",
		"NPTS=7,DT=.005SEC",
		"NPTS= 7 DT= 0.0050 SEC",
		"NPTS = 7 , DT = 5.0E-03 S",
		"npts: 7, dt: 0.005 sec",
		"DT= 0.005 SEC, NPTS= 7",
		"  7   0.0050   NPTS, DT",
		"  7, 0.0050, NPTS, DT",
		"7 .005 NPTS,DT\r",
	} {
		m, err := ReadAT2(strings.NewReader(at2(inG, line4, values)), "elc", Want{})
		if err != nil {
			t.Errorf("%q: %v", line4, err)
			continue
		}
		if m.Name != "elc" || m.T0 != 0 || m.Dt != 0.005 || len(m.A) != 7 || m.A[2] != 0.3*StandardGravity ||
			m.A[6] != 0.007*StandardGravity {
			t.Errorf("%q: %+v", line4, m)
		}
	}
}

func TestReadAT2ValuesALine(t *testing.T) {
	for _, perLine := range []int{1, 5, 8} {
		var b strings.Builder
		for i := range 21 {
			fmt.Fprintf(&b, "%15.7E", math.Sin(float64(i)))
			if i%perLine == perLine-1 {
				b.WriteString("\r\n")
			}
		}
		m, err := ReadAT2(strings.NewReader(at2("ACCELERATION TIME HISTORY IN UNITS OF G. FILTER POINTS: HP=0.2 Hz LP=30",
			"21 0.01 NPTS, DT", b.String())), "x", Want{})
		if err != nil {
			t.Fatal(err)
		}
		for i, a := range m.A {
			if math.Abs(a-9.80665*math.Sin(float64(i))) > 1e-6 {
				t.Errorf("%d a line: value %d is %g m/s²", perLine, i, a)
			}
		}
	}
}

func TestReadAT2Errors(t *testing.T) {
	const ok = "NPTS= 3, DT= .01 SEC"
	long4 := `, want NPTS= and DT= with a whole number of at least 2 and a step in s, as in a PEER AT2 file`
	for _, c := range []struct{ text, want string }{
		{"", "x: line 1: the file ends, want a heading with NPTS= and DT=, and values below it (PEER AT2)"},
		{"a\nb\nc\n", "x: line 4: the file ends, want a heading with NPTS= and DT=, and values below it (PEER AT2)"},
		{at2("VELOCITY TIME SERIES IN UNITS OF CM/S", ok, "1 2 3"),
			`x: line 3: found "VELOCITY TIME SERIES IN UNITS OF CM/S", want accelerations: this is a series of another ` +
				`quantity`},
		{at2(inG, "3 points", "1 2 3"),
			"x: line 6: the file ends, want a heading with NPTS= and DT=, and values below it (PEER AT2)"},
		{at2(inG, "NPTS= many, DT= .01 SEC", "1 2 3"), `x: line 4: found "NPTS= many, DT= .01 SEC"` + long4},
		{at2(inG, "NPTS= 3.5, DT= .01 SEC", "1 2 3"), `x: line 4: found "NPTS= 3.5, DT= .01 SEC"` + long4},
		{at2(inG, "NPTS= 1, DT= .01 SEC", "1"), `x: line 4: found "NPTS= 1, DT= .01 SEC"` + long4},
		{at2(inG, "NPTS= 999999999, DT= .01", "1"), `x: line 4: found "NPTS= 999999999, DT= .01"` + long4},
		{at2(inG, "NPTS= 3, DT= 0x SEC", "1 2 3"), `x: line 4: found "NPTS= 3, DT= 0x SEC"` + long4},
		{at2(inG, "NPTS= 3, DT= 0.0 SEC", "1 2 3"), "x: line 4: time step 0 s: want 1e-07 to 1 s (is the time in seconds?)"},
		{at2(inG, "NPTS= 3, DT= -0.01 SEC", "1 2 3"),
			"x: line 4: time step -0.01 s: want 1e-07 to 1 s (is the time in seconds?)"},
		{at2(inG, ok, "1 2\n"), "x: line 6: the file ends, want the NPTS=3 values announced in line 4, found 2"},
		{at2(inG, ok, "1 2\n3 4\n"), "x: line 6: more than the NPTS=3 values announced in line 4"},
		{at2(inG, ok, "1 2\nthree\n"), `x: line 6: found "three", want a number`},
		{at2(inG, ok, "1 2 NaN\n"), "x: line 5: found NaN, want a finite number"},
		{at2(inG, ok, "1 2 1e308\n"), "x: line 5: found 1e308, want an acceleration"},
	} {
		_, err := ReadAT2(strings.NewReader(c.text), "x", Want{})
		wantError(t, err, c.want)
	}
}

func FuzzReadAT2(f *testing.F) {
	for _, line4 := range []string{"NPTS= 3, DT= .01 SEC", "3 .01 NPTS, DT", "NPTS=999999999, DT=.01", "DT=NaN NPTS=3"} {
		f.Add([]byte(at2(inG, line4, "1 2\n3\n")))
		f.Add([]byte(at2("UNITS OF", line4, "1e308 -.1E-3\n Inf")))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := ReadAT2(strings.NewReader(string(data)), "fuzz", Want{})
		soundMotion(t, m, err)
	})
}
