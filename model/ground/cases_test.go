package ground_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rths/kit/rthstest"
	"rths/model/ground"
	"rths/scenario/files"
)

// reading is a file, how it is asked for, and its right value or the error.
type reading struct {
	file string
	want ground.Want
	dt   float64
	pga  float64 // m/s²
	err  string
}

// check reads the file of so many samples.
func (c reading) check(t *testing.T, dir string, samples int) {
	t.Helper()
	m, err := (ground.At{Files: files.Disk{}}).Read(filepath.Join(dir, c.file), c.want)
	switch {
	case c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)):
		t.Errorf("%s, %+v: %d samples, %v: want an error with %q", c.file, c.want, len(m.A), err, c.err)
	case c.err == "" && (err != nil || len(m.A) != samples || math.Abs(m.Dt-c.dt) > 1e-9 ||
		math.Abs(m.PGA()-c.pga) > 1e-4):
		t.Errorf("%s, %+v: %d samples every %g s, peak %.6g m/s², %v: want %d every %g s, peak %g m/s²", c.file, c.want,
			len(m.A), m.Dt, m.PGA(), err, samples, c.dt, c.pga)
	}
}

// Files of people who do this job, each with its right value in expect.md.
func TestSharedCases(t *testing.T) {
	dir := rthstest.Cases(t)
	for _, c := range []reading{
		{"at2-glued/x.AT2", ground.Want{}, 0.01, 2.83337, ""},
		{"at2-long-heading/seven.AT2", ground.Want{}, 0.01, 2.73527, ""},
		{"at2-long-heading/rotated.AT2", ground.Want{}, 0.01, 2.73530, ""},
		{"at2-long-heading/matched.AT2", ground.Want{}, 0.01, 2.73530, ""},
		{"at2-unit-words/cm-in-brackets.AT2", ground.Want{}, 0.01, 2.73531, ""},
		{"at2-unit-words/the-units-are.AT2", ground.Want{}, 0.01, 2.73531, ""},
		{"at2-unit-words/g-in-brackets.AT2", ground.Want{}, 0.01, 2.73530, ""},
		{"at2-unit-words/velocity.AT2", ground.Want{}, 0, 0, "VELOCITY TIME HISTORY (CM/SEC)"},
		{"at2-unit-words/velocity.AT2", ground.Want{Unit: "cm/s2"}, 0, 0, "VELOCITY TIME HISTORY (CM/SEC)"},
		{"csmip-v1-pairs/x.v1", ground.Want{}, 0.01, 2.7351, ""},
		{"esm-asc/XX.STA..HNE.ACC.ASC", ground.Want{}, 0.01, 2.7353, ""},
		{"free-heading/quake.dat", ground.Want{}, 0.01, 2.73507, ""},
		{"npts-dt-heading/motion.txt", ground.Want{Unit: "g"}, 0.01, 2.7353, ""},
		{"npts-dt-heading/motion.txt", ground.Want{Unit: "g", Dt: 0.01}, 0.01, 2.7353, ""},
		{"npts-dt-heading/motion.txt", ground.Want{Dt: 0.02}, 0, 0,
			"the heading says a step of 0.01 s, and 0.02 s is asked for"},
		{"rounded-times-dt/motion.txt", ground.Want{Unit: "g", Dt: 0.005}, 0.005, 2.7353, ""},
		{"rounded-times-dt/motion.txt", ground.Want{}, 0, 0, "time 0.01 s after 0.01 s: want increasing times"},
		{"rounded-times-dt/motion.txt", ground.Want{Dt: 0.02}, 0, 0, "the first goes from 0 to 2"},
		{"three-components-dt/motion.csv", ground.Want{Column: "NS"}, 0.01, 2.7353, ""},
		{"three-components-dt/motion.csv", ground.Want{Column: "acc_EW", Dt: 0.01}, 0.01, 2.0893, ""},
		{"three-components-dt/motion.csv", ground.Want{Column: "4"}, 0.01, 0.8707, ""},
		{"three-components-dt/motion.csv", ground.Want{}, 0, 0,
			`column: found nothing: want one of the file's columns, by title or position: acc_NS(gal), acc_EW(gal), ` +
				`acc_UD(gal)`},
		{"three-components-dt/motion.csv", ground.Want{Dt: 0.01}, 0, 0,
			`column: found nothing: want one of the file's columns`},
		{"three-components-dt/motion.csv", ground.Want{Column: "NS", Dt: 0.02}, 0, 0,
			"the times go on by 0.01 s, and a step of 0.02 s is stated"},
		{"usgs-smc/x.smc", ground.Want{}, 0.01, 2.7353, ""},
		{"mat-v4-and-struct/v4.mat", ground.Want{}, 0.01, 2.73531, ""},
		{"mat-v4-and-struct/structure-with-time.mat", ground.Want{}, 0.01, 2.73531, ""},
		{"mat-v4-and-struct/judge-structure.mat", ground.Want{}, 0, 0,
			"the file holds out (1x1 struct), out.time (2048x1 double), out.signals (1x1 struct), out.signals.values " +
				"(2048x2 double)"},
		{"mat-v4-and-struct/cell.mat", ground.Want{}, 0.01, 2.73531, ""},
	} {
		c.check(t, dir, 400)
	}
}

// Small files of each kind, of 25 samples with a peak of 0.358918 g.
func TestKinds(t *testing.T) {
	const peak = 0.358918 * ground.StandardGravity
	for _, c := range []reading{
		{"glued.at2", ground.Want{}, 0.02, peak, ""},
		{"long-heading.at2", ground.Want{}, 0.02, peak, ""},
		{"cm-in-brackets.at2", ground.Want{}, 0.02, peak, ""},
		{"cm-in-brackets.at2", ground.Want{Unit: "cm/s2"}, 0.02, peak, ""},
		{"cm-in-brackets.at2", ground.Want{Unit: "g"}, 0, 0, `unit "g": the heading says cm/s2: want the same, or no unit`},
		{"units-colon.at2", ground.Want{}, 0.02, peak, ""},
		{"velocity.at2", ground.Want{}, 0, 0, "line 3: found \"VELOCITY TIME SERIES IN UNITS OF CM/S\", want accelerations"},
		{"yards.at2", ground.Want{}, 0, 0, "line 3: found \"ACCELERATION (YD/SEC2)\", want a unit of acceleration"},
		{"free-heading.txt", ground.Want{}, 0.02, peak, ""},
		{"count.txt", ground.Want{Unit: "g"}, 0.02, peak, ""},
		{"count.txt", ground.Want{Unit: "g", Dt: 0.02}, 0.02, peak, ""},
		{"count.txt", ground.Want{Unit: "g", Dt: 0.01}, 0, 0,
			"line 2: the heading says a step of 0.02 s, and 0.01 s is asked for"},
		{"count-wrapped.txt", ground.Want{Unit: "g"}, 0.02, peak, ""},
		{"count-wrong.txt", ground.Want{Dt: 0.02}, 0, 0,
			"line 1: found 26 0.02, which looks like the count, step or rate of a heading, but 25 numbers follow in 25 lines"},
		{"count-twice.txt", ground.Want{Dt: 0.02}, 0, 0,
			"line 1: found 25 0.02, which looks like the count, step or rate of a heading, but 52 numbers follow in 51 lines"},
		{"words.txt", ground.Want{}, 0.02, peak, ""},
		{"components.csv", ground.Want{Column: "north"}, 0.02, peak, ""},
		{"components.csv", ground.Want{Column: "2", Dt: 0.02}, 0.02, peak, ""},
		{"components.csv", ground.Want{Column: "time"}, 0, 0, `column "time": want values, and this is the column of times`},
		{"components.csv", ground.Want{Column: "west"}, 0, 0,
			`column "west": want one of the file's columns, by title or position: North (cm/s²), East (cm/s²), Up (cm/s²)`},
		{"components.csv", ground.Want{Dt: 0.02}, 0, 0, `column: found nothing: want one of the file's columns`},
		{"components.txt", ground.Want{Column: "1", Dt: 0.02, Unit: "g"}, 0.02, 0.35892 * ground.StandardGravity, ""},
		{"components.txt", ground.Want{Dt: 0.02}, 0, 0, "along a line the numbers jump, down a column they do not"},
		{"v4.mat", ground.Want{}, 0.02, peak, ""},
		{"v4.mat", ground.Want{Part: "label"}, 0, 0, "variable label (1x7 char): want a real 2×N or N×2 array"},
		{"structure.mat", ground.Want{}, 0.02, peak, ""},
		{"structure.mat", ground.Want{Part: "quake"}, 0.02, peak, ""},
		{"structure.mat", ground.Want{Part: "quake.signals"}, 0, 0,
			"variable quake.signals (1x1 struct): want a real 2×N or N×2 array"},
		{"nested.mat", ground.Want{Part: "lab.one.record"}, 0.02, peak, ""},
		{"nested.mat", ground.Want{}, 0.02, peak, ""},
		{"pairs.v1", ground.Want{}, 0.02, 0.35892 * ground.StandardGravity, ""},
	} {
		c.check(t, "testdata/kinds", 25)
	}
	reading{"rounded-times.txt", ground.Want{Dt: 0.02, Unit: "g"}, 0.02, peak, ""}.check(t, "testdata/kinds", 50)
}

// rows are lines of so many numbers of a smooth motion; format gets the number of the line and the acceleration.
func rows(lines int, format func(i int, a float64) string) string {
	var b strings.Builder
	for i := range lines {
		b.WriteString(format(i, 0.4*math.Sin(0.7*float64(i)+0.3)*math.Exp(-0.05*float64(i))) + "\n")
	}
	return b.String()
}

// habit is a text that people leave, and what becomes of it.
type habit struct {
	name, text string
	want       ground.Want
	err        string // "": 25 samples every 0.02 s, peak 0.358918 m/s²
}

// plain and timed are rows of accelerations, alone and after their times.
func plain(_ int, a float64) string { return fmt.Sprintf("%.6f", a) }

func timed(format string) func(i int, a float64) string {
	return func(i int, a float64) string { return fmt.Sprintf(format, 0.02*float64(i), a) }
}

func comma(text string) string { return strings.ReplaceAll(text, ".", ",") }

var step = ground.Want{Dt: 0.02}

// habits look like something else.
var habits = []habit{
	{"times and the step", rows(25, timed("%.2f %.6f")), step, ""},
	{"times and another step", rows(25, timed("%.2f %.6f")), ground.Want{Dt: 0.01},
		"the first goes from 0 to 0.48 in steps of about 0.02"},
	{"times in ms and the step", "time_ms,a_m_s2\n" + rows(25,
		func(i int, a float64) string { return fmt.Sprintf("%d,%.6f", 20*i, a) }), step, ""},
	{"falling times", rows(25, func(i int, a float64) string { return fmt.Sprintf("%.2f %.6f", 0.5-0.02*float64(i), a) }),
		step, "the first goes from 0.5 to 0.02"},
	{"a gap in the times", strings.Replace(rows(26, timed("%.2f %.6f")), "0.20 ", "# 0.20 ", 1), step,
		"two columns or more of which the first"},
	{"sample numbers", rows(25, func(i int, a float64) string { return fmt.Sprintf("%d %.6f", i+1, a) }), step,
		"the first goes from 1 to 25"},
	{"sample numbers, a column chosen", rows(25, func(i int, a float64) string { return fmt.Sprintf("%d %.6f", i+1, a) }),
		ground.Want{Dt: 0.02, Column: "2"}, ""},
	{"titles exchanged", "a_m_s2,time_s\n" + rows(25,
		func(i int, a float64) string { return fmt.Sprintf("%.6f,%.2f", a, 0.02*float64(i)) }), ground.Want{}, ""},
	{"pairs, several in a line", rows(25, func(i int, a float64) string {
		return fmt.Sprintf("%.2f %.6f %.2f %.6f", 0.04*float64(i), a, 0.04*float64(i)+0.02, a)
	}), ground.Want{Column: "2"}, "columns 1 and 3 go on by one step: pairs of time and acceleration"},
	{"all in one line", strings.ReplaceAll(rows(25, timed("%.2f %.6f")), "\n", " "), step,
		"one number in 2 goes on by one step"},
	{"a count and titles", "25 0.02\n" + rows(25, timed("%.2f\t%.6f")), ground.Want{}, ""},
	{"a step and a count", "0.02 25\n" + rows(25, plain), ground.Want{}, ""},
	{"a count and a rate", "25 50\n" + rows(25, plain), step, ""},
	{"a count and another rate", "25 100\n" + rows(25, plain), step, "a heading with the count of what follows and 100"},
	{"a count, a step, one column", "25 0.02 1\n" + rows(25, plain), ground.Want{}, ""},
	{"words with a wrong count", "NPTS= 26, DT= 0.02\n" + rows(25, plain), ground.Want{},
		"line 1: the heading says 26 points, but 25 numbers in 25 lines follow"},
	{"words with another step", "NPTS= 25, DT= 0.01\n" + rows(25, timed("%.2f %.6f")), ground.Want{},
		"goes from 0 to 0.48"},
	{"milliseconds", "NPTS= 25, DT= 20 MSEC\n" + rows(25, plain), ground.Want{}, ""},
	{"motions below each other", "one\n25 0.02\n" + rows(25, plain) + "two\n25 0.02\n" + rows(25, plain), step,
		`line 28: found "two", want a number`},
	{"text at the end", rows(25, plain) + "End of file\n", step, `line 26: found "End", want a number`},
	// digits after the comma begin with 0: no whole numbers
	{"decimal commas", comma(rows(25, plain)), step, ""},
	{"decimal commas or whole numbers", "1,5\n2,5\n-3,5\n4,5\n", step,
		"line 1: commas between whole numbers: decimal commas?"},
	{"decimal commas, semicolons", comma(rows(25, timed("%.2f;%.6f"))), ground.Want{}, ""},
	{"decimal commas, tabs", "Zeit\ta\n" + comma(rows(25, timed("%.2f\t%.6f"))), ground.Want{}, ""},
	{"decimal commas, blanks", comma(rows(25, timed("  %.2f   %.6f"))), ground.Want{}, ""},
	{"decimal commas in quotes", rows(25, func(i int, a float64) string {
		return comma(fmt.Sprintf("%.2f;%.6f", 0.02*float64(i), a))
	}), ground.Want{}, ""},
	{"a decimal point among commas", comma(rows(25, timed("%.2f;%.6f"))) + "0,5;1.234\n", ground.Want{},
		`line 1: found "0,00", want a number with a decimal point`},
	{"a decimal point below many commas", comma(rows(300, timed("%.2f;%.6f"))) + "6,00;1.234\n" +
		strings.Repeat(strings.Repeat("7;7,5\n", 100), 1000), ground.Want{},
		`line 301: found "1.234", want a number with a decimal comma, as in the lines above`},
	{"decimal commas between commas", comma(rows(25, timed("%.2f,%.6f"))), ground.Want{}, "decimal commas?"},
	{"lines to pass over", "1 2\n3 4 5\n" + rows(25, timed("%.2f,%.6f")), ground.Want{Skip: 2}, ""},
	{"times last, by position", rows(25, func(i int, a float64) string {
		return fmt.Sprintf("%d %.6f %.2f", i, a, 0.02*float64(i))
	}), ground.Want{Column: "2", Time: "3"}, ""},
	{"times by title", "N,acc_g,clock_ms\n" + rows(25, func(i int, a float64) string {
		return fmt.Sprintf("%d,%.8f,%d", i, a/9.80665, 20*i)
	}), ground.Want{Column: "acc", Time: "clock"}, ""},
	{"times that are none", rows(25, timed("%.2f,%.6f")), ground.Want{Time: "3"}, `time "3": want the column of times`},
	{"times of day of a logger", "Date/Time,NS (m/s2)\n" + rows(25, func(i int, a float64) string {
		return fmt.Sprintf("01/02/2000 04:00:%06.3f PM, %.6f", 5+0.02*float64(i), a)
	}), ground.Want{}, ""},
	{"times of day between blanks", rows(25, func(i int, a float64) string {
		return fmt.Sprintf("2000-01-02 16:00:%06.3f %.6f", 5+0.02*float64(i), a)
	}), ground.Want{}, ""},
	{"a time of day that is none", rows(24, func(i int, a float64) string {
		return fmt.Sprintf("16:00:%06.3f;%.6f", 5+0.02*float64(i), a)
	}) + "later;1\n", ground.Want{}, `line 25: found "later", want a time of day as in the first row`},
	{"numbers that touch", rows(25, func(i int, a float64) string {
		return fmt.Sprintf("%10.3E%+10.6f", 0.02*float64(i), a)
	}), ground.Want{}, ""},
	{"thousands", rows(25, func(int, float64) string { return "1,234.5" }), step,
		"line 1: commas before three digits: separators of thousands?"},
	{"some thousands", "12.5\n" + rows(25, func(int, float64) string { return "1,234.5" }), step,
		"line 2: found 2 columns, want 1 as in line 1"},
	{"thousands in quotes", "time_s,a_mm_s2\n" + rows(25, timed(`%.2f,"1,23%.1f"`)), ground.Want{},
		`line 2: found "1,230.1", want a number`},
	{"a byte order mark", "\ufefftime_s,a_m_s2\n" + rows(25, timed("%.2f,%.6f")), ground.Want{}, ""},
	{"a field is missing", strings.Replace(rows(25, timed("%.2f,%.6f")), "0.04,", "0.04 #", 1), ground.Want{},
		"line 3: found 1 columns, want 2 as in line 1"},
	{"a first row is spoiled", "time,a\n0.00,overload\n" + rows(25, timed("%.2f,%.6f")), ground.Want{},
		`line 2: found "overload", want a number`},
	{"units two lines above", "time_s,a_g\nmade,up\n" + rows(25, timed("%.2f,%.6f")), ground.Want{},
		`line 2: found "made", want a number; or the units`},
	{"another unit in the heading", "Acceleration, made up (cm/s2)\n" + rows(25, plain), ground.Want{Dt: 0.02, Unit: "g"},
		"the heading says cm/s2"},
	{"two units in the heading", "Acceleration in g\nUnits: gal\n" + rows(25, plain), step,
		"line 2: the heading says gal, and g above"},
	{"counts", "Acceleration, units: counts\n" + rows(25, plain), step,
		"line 1: found \"Acceleration, units: counts\", want a unit of acceleration"},
	{"per cent", "Acceleration in percent g\n" + rows(25, plain), step, "want a unit of acceleration"},
	{"a displacement", "Displacement time history\n" + rows(25, plain), step,
		"want accelerations: this is a series of another quantity"},
	{"a column of velocities", "time_s,velocity\n" + rows(25, timed("%.2f,%.6f")), ground.Want{},
		`title "velocity": want accelerations`},
	{"a lone count too small", "23\n" + rows(25, plain), step,
		"line 1: found 23, which looks like the count, step or rate of a heading, but 25 numbers follow in 25 lines"},
	{"a lone count below a title", "made up\n26\n" + rows(25, plain), step,
		"line 2: found 26, which looks like the count"},
	{"a lone count is a value", "3.000000\n" + rows(25, plain) + "\n", step, "26 samples"},
	{"a lone step", "0.02\n" + rows(25, plain), step, "line 1: found 0.02, which looks like the count, step"},
	{"a lone step, numbers of any form", "0.02\n" + rows(25, func(_ int, a float64) string { return fmt.Sprint(a) }), step,
		"line 1: found 0.02, which looks like the count, step"},
	{"a first zero of another form", "0\n" + rows(25, plain), step, "26 samples"},
	{"a count without a step", "25\n" + rows(5, func(int, float64) string { return "1.5 2.5 -1.5 2.5 3.5" }),
		ground.Want{}, "line 1: found the count of 25 accelerations without their time step"},
	{"a row of times", "0 0.02 0.04 0.06 0.08 0.10 0.12 0.14\n0.5 0.2 0.6 0.3 0.7 0.2 0.8 0\n", step,
		"line 1: the first 8 numbers go on by one step, as times do"},
	{"times before the values", rows(10, func(i int, _ float64) string { return fmt.Sprintf("%.2f", 0.02*float64(i)) }) +
		rows(10, plain), step, "the first 10 numbers go on by one step"},
	{"count, step and unit", "25 2e-2 cm/s2\n" + rows(25,
		func(_ int, a float64) string { return fmt.Sprintf("%.4f", 100*a) }), ground.Want{}, ""},
	{"count, step and another unit", "25 0.02 gal\n" + rows(25, plain), ground.Want{Unit: "g"}, "the heading says gal"},
	{"count, milliseconds", "25 20 ms\n" + rows(25, plain), ground.Want{}, ""},
	{"a step in words", "Time step: 0.02 s\n" + rows(25, plain), ground.Want{}, ""},
	{"another step in words", "Time step: 0.02 s\n" + rows(25, plain), ground.Want{Dt: 0.01},
		"line 1: the heading says a step of 0.02 s, and 0.01 s is asked for"},
	{"a rate in words", "Sampling rate: 50 Hz\n" + rows(25, plain), step, ""},
	{"another rate in words", "fs = 0.1 kHz\n" + rows(25, plain), step, "line 1: the heading says a step of 0.01 s"},
	{"a step in ms", "dt (ms): 20\n" + rows(25, plain), ground.Want{}, ""},
	{"a step in ms behind", "DT= 20 ms, m/s2\n" + rows(25, plain), ground.Want{}, ""},
	{"a step in hours", "dt = 20 hours\n" + rows(25, plain), ground.Want{},
		"line 1: found dt 20 hours, want a step of 1e-07 to 1 s, or a rate in Hz"},
	{"a step that is a fraction", "dt = 1/50\n" + rows(25, plain), step, "line 1: found dt 1 /50"},
	{"a rate beside times", "Sampling rate 100 Hz\ntime_s,a_m_s2\n" + rows(25, timed("%.2f,%.6f")), ground.Want{},
		"the times go on by 0.02 s, and a step of 0.01 s is stated"},
	{"a count in words", "Number of points: 26\n" + rows(25, plain), step,
		"line 1: the heading says 26 points, but 25 numbers"},
	{"a unit line of words", "time,acc\ns,milli g\n" + rows(25, timed("%.2f,%.6f")), ground.Want{},
		`title "acc [milli g]": found "milli g": want a unit`},
	{"a unit line of volts", "time,acc\ns,V\n" + rows(25, timed("%.2f,%.6f")), ground.Want{},
		`title "acc [V]": found "V": want a unit`},
	{"a unit line of exponents", "time,acc\ns,m s-2\n" + rows(25, timed("%.2f,%.6f")), ground.Want{}, ""},
	{"a factor behind the unit", "Acceleration in m/s^2 x 1000\n" + rows(25, plain), step, "want a unit of acceleration"},
	{"a factor behind brackets", "Acceleration (m/s2) * 10\n" + rows(25, plain), step, "want a unit of acceleration"},
	{"a factor in a title", "time_s,acc (m/s2) x10\n" + rows(25, timed("%.2f,%.6f")), ground.Want{},
		`found "m/s2 x10": want a unit`},
	{"a factor alone", "Scale factor: 981\n" + rows(25, plain), step, "a factor: take the line out"},
	{"a factor of ten", "Multiply by 10\n" + rows(25, plain), step, "a factor: take the line out"},
	{"a factor of one", "Scale factor = 1.00\n" + rows(25, plain), step, ""},
	{"a factor that was applied", "Scale factor: 2.4\nAcceleration in m/s2\n" + rows(25, plain), step, ""},
	{"a word that may be a unit", "Acceleration [counts]\n" + rows(25, plain), step, `found "counts": want a unit`},
	{"a word that is none", "Acceleration in direction N/S, 5% damped\nmade up\n" + rows(25, plain), step, ""},
	{"a unit in a title that is not known", "time_s,acc_volts\n" + rows(25, timed("%.2f,%.6f")), ground.Want{},
		`title "acc_volts": want a unit of acceleration at its end`},
	{"a displacement in other words", "Displacement in cm\n25 0.02\n" + rows(25, plain), ground.Want{Unit: "gal"},
		"this is a series of another quantity"},
	{"a velocity in other words", "Ground velocity\n25 0.02\n" + rows(25, plain), ground.Want{},
		"this is a series of another quantity"},
	{"a peak velocity", "Peak velocity 3 cm/s\n25 0.02\n" + rows(25, plain), ground.Want{}, ""},
	{"a spectrum", "Period (s),PSA (g)\n" + rows(25, timed("%.2f,%.6f")), ground.Want{},
		`title "Period (s)": want times: this is another quantity`},
	{"a force", "time_s,force_kN\n" + rows(25, timed("%.2f,%.6f")), ground.Want{Unit: "gal"},
		`title "force_kN": want accelerations`},
	{"the north component", "time_s,acc_N\n" + rows(25, timed("%.2f,%.6f")), ground.Want{}, ""},
	{"two rows like a count", "2.000,2\n2.020,1\n", ground.Want{}, "2 samples"},
	{"twice the same title", "time,a,a\n" + rows(25, timed("%.2f,%[2]f,%[2]f")), ground.Want{Column: "a"},
		`column "a": want one column, but 2 have this name`},
}

// Habits of people that look like something else: each is read right or refused with the reason.
func TestHabits(t *testing.T) {
	for _, c := range habits {
		m, err := ground.ReadCSV(strings.NewReader(c.text), "x", c.want)
		if n, _ := fmt.Sscanf(c.err, "%d samples", new(int)); n == 1 && err == nil {
			err = fmt.Errorf("%d samples", len(m.A)) // what is wanted
		}
		switch {
		case c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)):
			t.Errorf("%s: %d samples, error %v: want one with %q", c.name, len(m.A), err, c.err)
		case c.err == "" && (err != nil || len(m.A) != 25 || math.Abs(m.Dt-0.02) > 1e-12 ||
			math.Abs(m.PGA()-0.358918) > 1e-6):
			t.Errorf("%s: %d samples every %g s, peak %g, %v: want 25 every 0.02 s, peak 0.358918", c.name, len(m.A), m.Dt,
				m.PGA(), err)
		}
	}
}

// A number that something has left among the accelerations is asked about.
func TestLoneSpike(t *testing.T) {
	for text, want := range map[string]string{"0.1\n0.2\n-0.15\n400\n": "sample 4 of 4, at 0.06 s, is 400 m/s², 2e+03 " +
		"times all others: is it an acceleration?", "0.1\n0.2\n-0.15\n1.9\n": ""} {
		path := filepath.Join(t.TempDir(), "a.txt")
		if err := os.WriteFile(path, []byte("accel_m_s2\n"+text), 0o644); err != nil {
			t.Fatal(err)
		}
		m, err := (ground.At{Files: files.Disk{}}).Read(path, ground.Want{Dt: 0.02})
		if notes := strings.Join(m.Notes, "\n"); err != nil || !strings.HasSuffix(notes, want) || want == "" && notes != "" {
			t.Errorf("%q: notes %q, %v: want %q", text, notes, err, want)
		}
	}
}
