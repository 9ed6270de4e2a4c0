package foreign

import (
	"fmt"
	"io"
	"strings"
	"testing"
)

func TestDialectOf(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", "blanks between columns"},
		{"t x\n", "blanks between columns"},
		{"t x\n0 1\n0.5 2\n", "blanks between columns"},
		{"0\t1 2\n3\t4 5\n", "blanks between columns"}, // tabs and blanks
		{"0,1\n1,2\n", "commas between columns"},
		{"0, 1\n1, 2\n", "commas between columns"},
		{"0,5\n1,5\n", "commas between columns"}, // or decimals: a reader asks
		{"0,05\n1,51\n", "blanks between columns, decimal commas"},
		{"0,5 1\n1 2,5\n", "blanks between columns, decimal commas"},
		{"0,5;1\n1;2\n", "semicolons between columns, decimal commas"},
		{"1,500;1\n1;2\n", "semicolons between columns"}, // or thousands
		{"1,500;1\n1,25;2\n", "semicolons between columns, decimal commas"},
		{"0,5;1.5\n", "semicolons between columns"},
		{"0,5\t1e-3\n", "tabs between columns, decimal commas"},
		{"a;b\nc\n1,5 2,5\n", "blanks between columns, decimal commas"}, // the heading does not tell
		{"x;y\n0\n", "semicolons between columns"},
		{"\"0,5\",\"1,5\"\n1,2\n", "commas between columns, decimal commas"},
		{"# 1;2\n0,1\n", "commas between columns"},
	} {
		if got := DialectOf(c.text).String(); got != c.want {
			t.Errorf("%q: %s: want %s", c.text, got, c.want)
		}
	}
}

func TestSplitAndNumber(t *testing.T) {
	for _, c := range []struct {
		d    Dialect
		text string
		want string
	}{
		{Dialect{}, " 0.5\t-2  3 ", `["0.5" "-2" "3"]`},
		{Dialect{}, "-.100E-01-.418E-01+1.5D+00", `["-.100E-01" "-.418E-01" "+1.5D+00"]`},
		{Dialect{}, "2000-01-02 3-4 m/s-2 a-b", `["2000-01-02" "3-4" "m/s-2" "a-b"]`},
		{Dialect{}, "2000-01-02 10:00:00.5 pm 7", `["2000-01-02 10:00:00.5 PM" "7"]`},
		{Dialect{}, "10:00:00 7", `["10:00:00" "7"]`},
		{Dialect{Separator: ','}, `a, "b, c" ,'d',`, `["a" "b, c" "d" ""]`},
		{Dialect{Separator: ','}, `"a`, `["\"a"]`},
		{Dialect{Separator: ';'}, `1;;"2;3"`, `["1" "" "2;3"]`},
	} {
		if got := fmt.Sprintf("%q", c.d.Split(c.text)); got != c.want {
			t.Errorf("%q: %s: want %s", c.text, got, c.want)
		}
	}
	comma := Dialect{Separator: ';', Comma: true}
	for field, want := range map[string]string{"1,5": "1.5", "-,5e-1": "-0.05", "2": "2", "1,5D2": "150", "1.5": "no",
		"1,2,3": "no",
		"":      "no", "x": "no"} {
		got := "no"
		if v, err := comma.Number(field); err == nil {
			got = fmt.Sprint(v)
		}
		if got != want {
			t.Errorf("%q: %s: want %s", field, got, want)
		}
	}
}

const lvmHead = "LabVIEW Measurement\t\nWriter_Version\t2\nSeparator\tTab\nDecimal_Separator\t%s\nX_Columns\t%s\n" +
	"***End_of_Header***\t\n\t\nChannels\t2\t\t\t\nY_Unit_Label\tmm\tkN\t\nX0\t5,0\t5,0\t\nDelta_X\t0%s5\t0%[3]s5\t\n" +
	"***End_of_Header***\t\t\t\n"

func TestLVM(t *testing.T) {
	read := func(text string) (string, error) {
		r, err := Text(strings.NewReader(text))
		if err != nil {
			return "", err
		}
		out, err := io.ReadAll(r)
		return string(out), err
	}
	for _, c := range []struct{ point, x, body, want, wrong string }{
		{".", "One", "X_Value\tx\tF\tComment\n0\t1\t2\tbegin\n0.5\t3\t4\n",
			"Time [s]\tx [mm]\tF [kN]\n0\t1\t2\n0.5\t3\t4\n", ""},
		{",", "No", "X_Value\tx\tF\tComment\n\t1,5\t2\n\t3\t4\t\n\n",
			"Time [s]\tx [mm]\tF [kN]\n5\t1,5\t2\n5,5\t3\t4\n\n", ""},
		{".", "Multi", "X_Value\tx\tX_Value\tF\n0\t1\t0\t2\n", "Time [s]\tx [mm]\tTime_2 [s]\tF [kN]\n0\t1\t0\t2\n", ""},
		{".", "One", "X_Value\tx\tF\n0\t1\n", "", "line 14: found 2 fields: want 3, as the titles"},
		{".", "One", "X_Value\tx\n0\t1\n***End_of_Header***\n", "", "line 15: a second heading"},
		{".", "One", "X_Value\tx\n0\t1\nChannels\t2\n", "", "line 15: found the heading of another measurement"},
		{".", "One", "X_Value\n", "", "line 13: found \"X_Value\": want the titles"},
		{".", "One", "", "", "line 12: the file ends: want"},
		{"x", "One", "", "", "line 4: key Decimal_Separator: found \"x\": want . or ,"},
	} {
		point := c.point
		got, err := read(fmt.Sprintf(lvmHead, c.point, c.x, point) + c.body)
		switch {
		case c.wrong != "" && (err == nil || !strings.Contains(err.Error(), c.wrong)):
			t.Errorf("%q: %v: want %s", c.body, err, c.wrong)
		case c.wrong == "" && (err != nil || strings.TrimLeft(got, "\n") != c.want || strings.Count(got, "\n") !=
			12+strings.Count(c.body, "\n")):
			t.Errorf("%q: %q, %v: want %q in line 13", c.body, got, err, c.want)
		}
	}
	if _, err := read(strings.Replace(fmt.Sprintf(lvmHead, ".", "No", "x"), "Delta_X", "Other", 1) +
		"X_Value\tx\n"); err == nil ||
		!strings.Contains(err.Error(), "X_Columns is No and Delta_X is") {
		t.Errorf("%v: want that the step is missing", err)
	}
}

func TestClock(t *testing.T) {
	for field, next := range map[string]string{
		"2000-01-02T23:59:59.5Z": "2000-01-03T00:00:00Z", "23:59:59.5": "00:00:00", "11:59:59.500 PM": "12:00:00.000 AM",
		"12/31/1999 11:59:59.5 PM": "01/01/2000 12:00:00 AM", "31.12.1999 23:59:59,5": "01.01.2000 00:00:00,0",
		"31-Dec-1999 23:59:59.5": "1-Jan-2000 00:00:00", "2000/02/28-23:59:59.5": "2000/02/29-00:00:00",
		"30/01/2000 23:59:59.5": "31/01/2000 00:00:00", "1900-02-28 23:59:59.5": "1900-03-01 00:00:00",
	} {
		c := NewClock(field)
		if c == nil {
			t.Errorf("%s is no time", field)
			continue
		}
		if s, ok := c.Seconds(next); !ok || s != 0.5 {
			t.Errorf("from %s to %s: %g s, %v: want 0.5", field, next, s, ok)
		}
		if _, ok := c.Seconds("7"); ok {
			t.Errorf("%s: 7 is a time", field)
		}
	}
	for _, field := range []string{"", "7", "2000-01-02", "10:30", "a:b:c", "25:00:00"} {
		if NewClock(field) != nil {
			t.Errorf("%q is a time", field)
		}
	}
}

// A text of any bytes has a dialect, and its lines have fields.
func FuzzDialect(f *testing.F) {
	for _, text := range []string{"t,x\n0,1\n", "0,5;1\n", "\"a,b\",1\n", "-.1E-01-.2E+01\n",
		"2000-01-02 10:00:00 PM 1\n"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		d := DialectOf(text)
		for line := range strings.Lines(text) {
			line = strings.TrimSpace(line)
			fields := d.Split(line)
			total := 0
			for _, field := range fields {
				total += len(field)
				d.Number(field)
				NewClock(field)
			}
			if total > len(line) || line != "" && len(fields) == 0 {
				t.Errorf("%+v: %q: fields %q", d, line, fields)
			}
		}
	})
}

func FuzzLVM(f *testing.F) {
	f.Add(fmt.Sprintf(lvmHead, ".", "One", ".") + "X_Value\tx\tF\tComment\n0\t1\t2\n")
	f.Add(fmt.Sprintf(lvmHead, ",", "No", ",") + "X_Value\tx\tF\n\t1\t2\n")
	f.Fuzz(func(t *testing.T, text string) {
		out, err := io.ReadAll(newLVM(strings.NewReader(text)))
		if err == nil && len(out) > 40*len(text)+100 {
			t.Errorf("%d bytes of %d", len(out), len(text))
		}
	})
}
