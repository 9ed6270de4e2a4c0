package foreign

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// slowly is what Split and Number read in a line; nil: no number in one of the fields.
func slowly(d Dialect, line string) []float64 {
	fields := d.Split(line)
	out := make([]float64, len(fields))
	for i, f := range fields {
		var err error
		if out[i], err = d.Number(f); err != nil {
			return nil
		}
	}
	return out
}

// sameNumbers wants the numbers of a line as Split and Number read them, to the bit, where Numbers takes it.
func sameNumbers(t *testing.T, d Dialect, line string) (taken bool) {
	t.Helper()
	r := &Rows{Dialect: d, line: []byte(strings.TrimSpace(line))}
	want := slowly(d, r.Text())
	equal := func(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) }
	for n := range len(line) + 2 {
		got := make([]float64, n)
		if !r.Numbers(got) {
			continue
		}
		taken = n > 0
		if n > 0 && !slices.EqualFunc(got, want, equal) {
			t.Errorf("%+v: %q: numbers %v: want %v", d, line, got, want)
		}
	}
	return taken
}

var dialects = []Dialect{{}, {Comma: true}, {Separator: ','}, {Separator: ';'}, {Separator: '\t'},
	{Separator: ';', Comma: true}, {Separator: '\t', Comma: true}}

// hostile are numbers midway between two float64, of many digits, and texts that are nearly numbers.
var hostile = []string{"0", "-0", "+0", "0.0", "-.0", "0e5", "-0e-400", ".", "-", "+", "e5", ".e5",
	"-.e1", "1e", "1e+", "1e-",
	"1e5", "1E-05", "1d5", "1D-5", "1.e3", ".5e3",
	"5.", ".5", "00012", "000.00012", "1_0", "0x1p-2", "0x10", "inf", "-nan",
	"nan", "--1", "1-", "1+2", "1.2.3", "-.10E-01-.42E-01", "1e0005", "1e999", "1e-999", "1e27", "1e28", "1e-27", "1e-28",
	"9007199254740993", "9007199254740992", "9007199254740995", "9007199254740993.0", "9007199254740993e3",
	"4503599627370496.5", "4503599627370497.5", "4503599627370496.500", "2251799813685248.25", "2251799813685248.75",
	"9999999999999999999", "18446744073709551615", "18446744073709551616", "1844674407370955161.5",
	"9223372036854775807", "9223372036854775808", "9223372036854774784.5", "9223372036854776832", "1.7976931348623157e308",
	"4.9e-324", "2.2250738585072011e-308", "0.000000000000000000000000001", "1234567890123456789e-27",
	"1234567890123456789e9", "10000000000000000000e-19",
	"0.30000000000000004", "1.0000000000000002", "123456789012345678901",
	"0.1234567890123456789", "0.12345678901234567890", "1,5",
	"1 5", "1;5", "\"1\"", "'1'", "1 ", " 1", "1\u00a0", "12:00:01",
	"1;", ";1", "1,", "12345678", "123456789", "1234567/", "1234567:", "1234567\xff"}

func TestNumbersOfHostileTexts(t *testing.T) {
	for _, d := range dialects {
		for _, a := range hostile {
			sameNumbers(t, d, a)
			sameNumbers(t, d, strings.ReplaceAll(a, ".", ","))
			for _, between := range []string{";", ",", " ", "\t", " ; ", ";\t", " \t ", ", "} {
				sameNumbers(t, d, "7"+between+a+between+"-3.25")
			}
		}
	}
}

// Numbers as programs write them are taken, and are those of strconv.
func TestNumbersAreThoseOfStrconv(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 9))
	taken, n := 0, 0
	for range 40_000 {
		v := r.NormFloat64() * math.Pow(10, float64(r.IntN(14)-8))
		for _, form := range []struct {
			verb   byte
			digits int
		}{{'g', -1}, {'e', 9}, {'e', 18}, {'f', r.IntN(12)}, {'g', 1 + r.IntN(17)}} {
			n++
			if sameNumbers(t, Dialect{}, strconv.FormatFloat(v, form.verb, form.digits, 64)) {
				taken++
			}
		}
		a, b := r.Uint64()>>r.IntN(64), strconv.Itoa(r.IntN(70)-35)
		sameNumbers(t, Dialect{}, strconv.FormatUint(a, 10)+"e"+b)
		// midway between two float64, and one digit beside it
		low := uint64(1)<<52 + r.Uint64N(1<<52)
		for _, end := range []string{".5", ".50", ".49", ".51"} {
			sameNumbers(t, Dialect{}, strconv.FormatUint(low, 10)+end)
		}
		half := low>>3<<11 + 1<<10
		for _, m := range []uint64{half - 1, half, half + 1} {
			sameNumbers(t, Dialect{}, strconv.FormatUint(m, 10))
		}
	}
	if float64(taken) < 0.99*float64(n) {
		t.Errorf("%d of %d numbers were taken at once: want nearly all", taken, n)
	}
}

func TestNumbersTakeNoMemory(t *testing.T) {
	r, to := &Rows{Dialect: Dialect{Separator: ';'}, line: []byte("1.5;-2e-3; 0.30000000000000004")}, make([]float64, 3)
	if n := testing.AllocsPerRun(100, func() {
		if !r.Numbers(to) {
			t.Error("no numbers: want three")
		}
	}); n != 0 {
		t.Errorf("%g allocations: want none", n)
	}
}

func FuzzNumbers(f *testing.F) {
	for _, text := range hostile {
		f.Add(text, uint8(3))
		f.Add("1.25; "+text, uint8(3))
	}
	f.Fuzz(func(t *testing.T, line string, dialect uint8) {
		if len(line) < 100 {
			sameNumbers(t, dialects[int(dialect)%len(dialects)], line)
		}
	})
}
