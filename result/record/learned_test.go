package record_test

import (
	"bytes"
	"encoding/json"
	"math"
	"reflect"
	"testing"

	"rths"
	"rths/kit/rthstest"
	"rths/result/record"
)

// A value and its standard deviation end at the second digit of the latter.
func TestLearnedWithSD(t *testing.T) {
	for _, c := range []struct {
		v, sd float64
		want  string
	}{
		{3890.2, 24.7, "3890 ± 25"}, {800151.57, 937.9, "800150 ± 940"}, {3900.68, 5.727, "3900.7 ± 5.7"},
		{0.050123, 0.00034, "0.05012 ± 0.00034"}, {2, 0, "2 ± 0"}, {8123.4, 2.1e7, "8123 ± 2.1e+07"}, {2, math.NaN(), "2 ± –"}, {1.5e9, 2e7, "1500000000 ± 20000000"},
		{3e-12, 1e-12, "3e-12 ± 1e-12"},
	} {
		p := record.LearnedParameter{Value: record.Number(c.v), SD: record.Number(c.sd)}
		if got := p.WithSD(); got != c.want {
			t.Errorf("%g, %g: %q: want %q", c.v, c.sd, got, c.want)
		}
	}
}

// What devices have learned stands in the manifest, in the result and in a line each.
func TestLearnedIsPrinted(t *testing.T) {
	m := record.Manifest{Format: record.Format, Status: rths.Completed, Learned: []record.Learned{{Devices: 1, FellBack: 1,
		Parameters: []record.LearnedParameter{
			{Name: "learn1_exponent", Key: "devices[1].exponent", Unit: "-", Began: 2, Value: 1.8, SD: 0.1, Lower: 1, Upper: 3},
			{Name: "learn1_stiffness", Key: "devices[1].stiffness", Unit: "N/m", Began: 1e6, Value: 8e5, SD: 940, Lower: 4e5,
				Upper: 2e6}}}}}
	var out bytes.Buffer
	m.Print(&out)
	rthstest.Contains(t, out.String(),
		"learned: devices[1].exponent   1.80 ± 0.10       (began at 2, bounds 1 to 3)\n",
		"learned: devices[1].stiffness  800000 ± 940 N/m  (began at 1000000, bounds 400000 to 2000000)\n")
	if got := m.Result(nil).Learned; !reflect.DeepEqual(got, m.Learned) {
		t.Errorf("the result has %+v", got)
	}
	text := rthstest.Must(json.Marshal(&m))
	if read, err := record.ParseManifest(text); err != nil || !reflect.DeepEqual(read.Learned, m.Learned) {
		t.Errorf("%v: read %+v", err, read.Learned)
	}
}
