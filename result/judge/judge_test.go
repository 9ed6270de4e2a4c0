package judge_test

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rths"
	"rths/kit/rthstest"
	"rths/result/judge"
	"rths/result/record"
	"rths/result/tables"
)

// late is a sine of 2 Hz and 10 mm over 8 s that a spring of 1e5 N/m is moved
// by with gain and delay.
const rate, freq, amplitude, spring = 1000.0, 2.0, 0.01, 1e5

func late(gain, delay float64) *judge.Test {
	var target, measured, force []float64
	for k := range 8001 {
		now := float64(k) / rate
		x := gain * amplitude * math.Sin(2*math.Pi*freq*(now-delay))
		target = append(target, amplitude*math.Sin(2*math.Pi*freq*now))
		measured = append(measured, x)
		force = append(force, spring*x)
	}
	axis := judge.Axis{Target: record.SignalOf(target), Measured: record.SignalOf(measured), Force: record.SignalOf(force)}
	return &judge.Test{RateHz: rate, Axes: []judge.Axis{axis}}
}

// Delays of every sort, amplitude and energy in closed form. Over a whole
// number of cycles a spring takes no work, and the lag adds π k X² sin φ a cycle (X²
// being the product of both amplitudes).
func TestCriteriaInClosedForm(t *testing.T) {
	for _, gain := range []float64{0.95, 1.05} {
		for _, delay := range []float64{0.0034, 0.012, 0.0201} {
			got := late(gain, delay).Criteria()
			what := fmt.Sprintf("gain %g, delay %g s: ", gain, delay)
			rthstest.Near(t, what+"J1", rthstest.Value(t, got, "J1_ms"), math.Round(1e3*delay), 1e-9)
			rthstest.Near(t, what+"sub-sample delay", rthstest.Value(t, got, "delay_ms"), 1e3*delay, 0.02)
			// chord for sine: (2πf/rate)²
			rthstest.Near(t, what+"delay at crossings", rthstest.Value(t, got, "delay_zero_ms"), 1e3*delay, 1e-3)
			rthstest.Near(t, what+"its scatter", rthstest.Value(t, got, "delay_zero_spread_ms"), 0, 1e-3)
			// 8001 samples are not whole cycles
			rthstest.Near(t, what+"FEI delay", rthstest.Value(t, got, "FEI_delay_ms"), 1e3*delay, 5e-3)
			rthstest.Near(t, what+"FEI amplitude", rthstest.Value(t, got, "FEI_A"), gain, 1e-3)
			rthstest.Near(t, what+"FEI frequency", rthstest.Value(t, got, "FEI_f_eq_hz"), freq, 1e-3)
			added := 16 * math.Pi * spring * gain * amplitude * amplitude * math.Sin(2*math.Pi*freq*delay)
			rthstest.Near(t, what+"energy added", rthstest.Value(t, got, "energy_added_J"), added, 1e-3*added)
			rthstest.Near(t, what+"work", rthstest.Value(t, got, "work_J"), 0, 1e-3*added)
			rthstest.Near(t, what+"peak force", rthstest.Value(t, got, "force_peak_kN"), spring*gain*amplitude/1e3, 1e-3)
		}
	}
}

// A delay beyond J1's reach is said, and found by the others.
func TestLongDelay(t *testing.T) {
	test := late(1, 0.06)
	got := test.Criteria()
	rthstest.Near(t, "J1", rthstest.Value(t, got, "J1_ms"), 49, 1e-9)
	rthstest.Near(t, "delay at crossings", rthstest.Value(t, got, "delay_zero_ms"), 60, 0.01)
	rthstest.Near(t, "FEI delay", rthstest.Value(t, got, "FEI_delay_ms"), 60, 0.05)
	if n := test.Notes(got); len(n) != 1 || !strings.Contains(n[0], "limit of 49 samples") {
		t.Errorf("notes %q: want one on J1", n)
	}
	short := late(1, 0.048)
	if n := short.Notes(short.Criteria()); len(n) != 0 {
		t.Errorf("notes %q: want none", n)
	}
}

// An offset and a drift of the sensor leave the delay at zero crossings as it is, and are reported. J1 to J3 and the
// delay without them stand beside the values by definition.
func TestOffsetAndDrift(t *testing.T) {
	for _, c := range []struct{ delay, offset, drift float64 }{ // s, mm, mm in the test
		{0.0205, 1, 0}, {0.0124, 1, 0}, {0.0124, -0.3, 2}, {0.0205, 0, -5}, {0.06, 4, 0}, {-0.004, 3, 1},
	} {
		test := late(0.97, c.delay)
		clean := test.Criteria()
		x := test.Axes[0].Measured
		n := float64(x.Len() - 1)
		test.Axes[0].Measured = record.SignalBy(x.Len(),
			func(k int) float64 { return x.At(k) + 1e-3*(c.offset+c.drift*float64(k)/n) })
		got := test.Criteria()
		what := fmt.Sprintf("%+v: ", c)
		rthstest.Near(t, what+"delay at crossings", rthstest.Value(t, got, "delay_zero_ms"), 1e3*c.delay, 0.01)
		rthstest.Near(t, what+"offset", rthstest.Value(t, got, "offset_start_mm"), c.offset, 0.01)
		rthstest.Near(t, what+"offset at the end", rthstest.Value(t, got, "offset_end_mm"), c.offset+c.drift, 0.01)
		notes := strings.Join(test.Notes(got), "\n")
		for _, want := range []string{
			fmt.Sprintf("J1_ms %.4g in place of %.4g", rthstest.Value(t, clean, "J1_ms"), rthstest.Value(t, got, "J1_ms")),
			fmt.Sprintf("J2_pct %.4g in place of %.4g", rthstest.Value(t, clean, "J2_pct"), rthstest.Value(t, got, "J2_pct")),
			fmt.Sprintf("J3_pct %.4g in place of %.4g", rthstest.Value(t, clean, "J3_pct"), rthstest.Value(t, got, "J3_pct")),
			"zero the sensor before a test",
		} {
			if !strings.Contains(notes, want) {
				t.Errorf("%snotes %s: want %q", what, notes, want)
			}
		}
	}
	still := late(1, 0.01)
	still.Axes[0].Target = record.SignalBy(8001, func(int) float64 { return 0.001 })
	if v := rthstest.Value(t, still.Criteria(), "offset_start_mm"); !math.IsNaN(v) {
		t.Errorf("a target that does not move: offset %g mm: want none", v)
	}
}

// Swapped columns, a wrong sign and a wrong unit are asked about, a lead of less than a
// sample is not.
func TestQuestions(t *testing.T) {
	of := func(lag, factor float64, swap bool) []string {
		test := late(1, lag)
		a := &test.Axes[0]
		a.Measured = a.Measured.Times(factor)
		if swap {
			a.Target, a.Measured = a.Measured, a.Target
		}
		return test.Notes(test.Criteria())
	}
	for _, c := range []struct {
		lag, factor float64
		swap        bool
		want        string
	}{
		{0.0392, 1, true,
			"the measured motion leads the target by 39.2 ms (39.2 samples), which no actuator does by itself: are the two " +
				"columns swapped, or did a compensator predict too far?"},
		{0.0025, 1, true, "the measured motion leads the target by 2.5 ms (2.5 samples)"},
		{0.0008, 1, true, ""},
		{0.004, 1, false, ""},
		{0.004, 1000, false,
			"the measured motion is 1000 times as large as the target: are the units of the two columns right?"},
		{0.004, 0.1, false, "the measured motion is 0.1 times as large"},
	} {
		notes := of(c.lag, c.factor, c.swap)
		if got := strings.Join(notes, "|"); c.want == "" && got != "" || !strings.HasPrefix(got, c.want) || len(notes) > 1 {
			t.Errorf("%+v: notes %q", c, notes)
		}
	}
	if got := strings.Join(of(0, -1, false), "|"); !strings.Contains(got,
		"goes against the target (correlation -1.00): is its sign right?") {
		t.Errorf("a wrong sign: %s", got)
	}
}

// Noise about zero is no crossing, and what has none has no delay.
func TestZeroCrossings(t *testing.T) {
	noisy := late(1, 0.01)
	noise := record.SignalBy(8001, func(k int) float64 { return -1e-4 * math.Sin(1e6*float64(k)) })
	noisy.Axes[0].Measured = noisy.Axes[0].Measured.Minus(noise)
	median, spread := judge.ZeroCrossingDelay(noisy.Axes[0].Target, noisy.Axes[0].Measured)
	rthstest.Near(t, "median in noise", median, 10, 0.3)
	if spread > 0.8 {
		t.Errorf("spread of %g samples: want at most the noise over the slope, 0.8", spread)
	}
	median, _ = judge.ZeroCrossingDelay(noisy.Axes[0].Measured, noisy.Axes[0].Target)
	rthstest.Near(t, "lead", median, -10, 0.3)
	for _, x := range [][]float64{nil, {0, 0, 0}, {1, 2, 3, 2}, {-1, 1}} {
		if median, spread := judge.ZeroCrossingDelay(record.SignalOf(x), record.SignalOf(x)); !math.IsNaN(median) ||
			!math.IsNaN(spread) {
			t.Errorf("%v: delay %g, spread %g: want NaN", x, median, spread)
		}
	}
}

// table reads columns of text with 200 samples at 100 Hz under the titles.
func table(t *testing.T, titles string, edit func(line string, k int) string) *tables.Table {
	t.Helper()
	n := strings.Count(titles, ",") + 1
	var b strings.Builder
	fmt.Fprintln(&b, titles)
	for k := range 200 {
		line := fmt.Sprint(float64(k) / 100)
		for i := 1; i < n; i++ {
			line += fmt.Sprintf(",%g", float64(i)*math.Sin(float64(k)/8))
		}
		fmt.Fprintln(&b, edit(line, k))
	}
	path := filepath.Join(t.TempDir(), "data.csv")
	if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	out, err := tables.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func asIs(line string, _ int) string { return line }

// The unit comes from --columns, else it is the file's, else the name's, else --unit,
// else SI; usual names are found.
func TestColumns(t *testing.T) {
	for _, c := range []struct{ titles, columns, unit, want string }{
		{"time_s,target_m,measured_m,command_m,force_N,true_m", "", "",
			"time_s s target_m m measured_m m command_m m force_N N"},
		{"Time (s),Target [mm],Measured [mm],Load [kN]", "", "", "Time s Target mm Measured mm Load kN"},
		{"t,x_t,x_m,u", "", "mm", "t s x_t mm x_m mm u mm"},
		{"t_ms,xt,xm,f_kN", "", "", "t_ms ms xt m xm m f_kN kN"},
		{"t,a,b,c", "target=a[in], measured=b,force=c[kip]", "mm", "t s a in b mm c kip"},
		// as the file writes them
		{"T_rel (ms),T [mm],x (in)", "time=T_rel (ms),target=T [mm],measured=x(in)", "", "T_rel ms T mm x in"},
		{"t,target [mm],target_2,b", "target=target_2,measured=b", "", "t s target_2 m b m"},
	} {
		got, err := judge.New(table(t, c.titles, asIs), c.columns, c.unit, 0)
		if err != nil {
			t.Errorf("%s: %v", c.titles, err)
			continue
		}
		var words []string
		for _, u := range got.Used {
			words = append(words, u.Column, u.Unit)
		}
		if strings.Join(words, " ") != c.want {
			t.Errorf("%s: %q: want %q", c.titles, strings.Join(words, " "), c.want)
		}
	}
	in, err := judge.New(table(t, "t,xt,xm", asIs), "measured=xm[in]", "mm", 0)
	if err != nil {
		t.Fatal(err)
	}
	rthstest.Near(t, "inches over millimetres", in.Axes[0].Measured.At(5)/in.Axes[0].Target.At(5), 2*25.4, 1e-12)
	rthstest.Near(t, "rate", in.RateHz, 100, 0)
}

// A sine of known gain and delay, split over the files of two recorders, is judged exactly as
// the same numbers in one file with titles.
func TestSplitOverFiles(t *testing.T) {
	test := late(0.9, 0.012)
	a := test.Axes[0]
	var one, ctrl, daq strings.Builder
	fmt.Fprintln(&one, "t,xt [mm],xm [mm],f [kN]")
	for k := range 8000 { // 16 whole periods: the index is exact
		now, xt, xm, f := float64(k)/rate, 1e3*a.Target.At(k), 1e3*a.Measured.At(k), a.Force.At(k)/1e3
		fmt.Fprintf(&one, "%v,%v,%v,%v\n", now, xt, xm, f)
		fmt.Fprintf(&ctrl, "%v %v\n", now, xt)
		fmt.Fprintf(&daq, "%v %v %v\n", now, xm, f)
	}
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{"one.csv": one.String(), "ctrl.out": ctrl.String(),
		"daq.out": daq.String() + "8.0"} {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	judged := func(columns string, paths ...string) map[string]float64 {
		table, err := tables.ReadAll(paths, columns, 0)
		if err != nil {
			t.Fatal(err)
		}
		test, err := judge.New(table, columns, "", 0)
		if err != nil {
			t.Fatal(err)
		}
		out := map[string]float64{}
		for _, v := range test.Criteria() {
			out[v.Name] = v.V
		}
		return out
	}
	want := judged("", "one.csv")
	got := judged("time=ctrl.out:1,target=ctrl.out:2[mm],measured=daq.out:2[mm],force=daq.out:3[kN]", "ctrl.out",
		"daq.out")
	if len(got) != len(want) || len(got) < 12 {
		t.Fatalf("%d criteria: want %d", len(got), len(want))
	}
	for name, v := range want {
		if got[name] != v {
			t.Errorf("%s = %g: want %g", name, got[name], v)
		}
	}
	rthstest.Near(t, "J1", got["J1_ms"], 12, 0)
	rthstest.Near(t, "gain", got["FEI_A"], 0.9, 1e-12)
}

// Units in the titles of several files count as in one file.
func TestTitlesOfSeveralFiles(t *testing.T) {
	t.Chdir(t.TempDir())
	var ctrl, daq strings.Builder
	fmt.Fprintln(&ctrl, "t,x_t")
	fmt.Fprintln(&daq, "t,x_m,f_kN")
	for k := range 200 {
		x := math.Sin(float64(k) / 40)
		fmt.Fprintf(&ctrl, "%v,%v\n", float64(k)/100, x)
		fmt.Fprintf(&daq, "%v,%v,%v\n", float64(k)/100, x, x)
	}
	for name, text := range map[string]string{"ctrl.csv": ctrl.String(), "daq.csv": daq.String()} {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	columns := "time=ctrl.csv:t,target=ctrl.csv:x_t,measured=daq.csv:x_m,force=daq.csv:f_kN"
	table, err := tables.ReadAll([]string{"ctrl.csv", "daq.csv"}, columns, 0)
	if err != nil {
		t.Fatal(err)
	}
	test, err := judge.New(table, columns, "mm", 0)
	if err != nil {
		t.Fatal(err)
	}
	a := test.Axes[0]
	rthstest.Near(t, "x_m is the measured x, in mm as --unit says", a.Measured.At(50), 1e-3*math.Sin(1.25), 1e-15)
	rthstest.Near(t, "force in kN", a.Force.At(50), 1e3*math.Sin(1.25), 1e-9)
}

func TestRefuses(t *testing.T) {
	lost := func(line string, k int) string {
		if k > 3 {
			return strings.Replace(line, line[:strings.IndexByte(line, ',')], fmt.Sprint(float64(k+1)/100), 1)
		}
		return line
	}
	broken := func(line string, k int) string {
		if k == 7 {
			return line + "x"
		}
		return line
	}
	for _, c := range []struct {
		titles  string
		edit    func(string, int) string
		columns string
		unit    string
		rate    float64
		want    string
	}{
		{"t,xt,xm", lost, "", "", 0, "time: after sample 4, at 0.03 s, a step of 0.02 s among steps of 0.01 s"},
		{"t,xt,xm", broken, "", "", 0, `line 9: column xm: found "`},
		{"t,a,b", asIs, "", "", 0, "no column for target: want --columns target=NAME; the file has t, a, b"},
		{"s,xt,xm", asIs, "", "", 0, "no column for time: want --columns time=NAME or --rate HZ; the file has s, xt, xm"},
		{"t,xt,xm,measured", asIs, "", "", 0, "measured: the columns xm and measured have names that mean it"},
		{"time,target,measured", asIs, "target=targt", "", 0,
			"target: no column targt (did you mean target?): the file has time, target, measured"},
		{"t,xt,xm", asIs, "target=y", "", 0, "target: no column y: the file has t, xt, xm"},
		{"t,xt,xm", asIs, "goal=xt", "", 0, "want one of time, target, measured, command, force, ground before ="},
		{"t,xt,xm", asIs, "target", "", 0, "want role=name"},
		{"t,xt,xm", asIs, "target=xt,target=xm", "", 0, "target is given twice"},
		{"t,xt,xm", asIs, "target=xt[yd]", "", 0, `column xt in "yd": want one of cm, ft, in`},
		{"t,xt,xm", asIs, "", "yd", 0, `unit "yd": want one of`},
		{"t,xt,xm", asIs, "", "", -1, "rate -1 Hz: want more than 0"},
	} {
		_, err := judge.New(table(t, c.titles, c.edit), c.columns, c.unit, c.rate)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %s: error %v: want %q", c.titles, c.columns, err, c.want)
		}
	}
	path := filepath.Join(t.TempDir(), "short.csv")
	os.WriteFile(path, []byte("t,xt,xm\n0,1,1\n1,2,2\n"), 0o644)
	short, err := tables.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := judge.New(short, "", "", 0); err == nil ||
		!strings.Contains(err.Error(), "2 samples: want at least 103") {
		t.Errorf("error %v: want at least 103 samples", err)
	}
}

// A judged test is left as a run that opens again.
func TestRecord(t *testing.T) {
	test := late(1, 0.01)
	test.StartS = 3
	dir := filepath.Join(t.TempDir(), "judged")
	if err := test.Record(dir, record.Manifest{Name: "late", Status: rths.Completed,
		Criteria: test.Criteria()}); err != nil {
		t.Fatal(err)
	}
	a, err := record.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]record.Signal{"target_m": test.Axes[0].Target, "measured_m": test.Axes[0].Measured,
		"force_N": test.Axes[0].Force} {
		if got, ok := a.Column(name); !ok || fmt.Sprint(got) != fmt.Sprint(want.Values()) {
			t.Errorf("column %s differs", name)
		}
	}
	if times, _ := a.Column("time_s"); times[0] != 3 || times[1000] != 4 {
		t.Errorf("times %g, %g: want 3, 4", times[0], times[1000])
	}
	if _, ok := a.Column("command_m"); ok {
		t.Error("a command that was not given")
	}
}

// Columns of two actuators and of the node they hold: each is judged as if it were
// alone, and the node's criteria are J4 to J6 of the same numbers.
func TestTwoActuators(t *testing.T) {
	one, two := late(1, 0.01), late(0.9, 0.004)
	both := &tables.Table{Names: []string{"t", "xt_1", "xt_2", "xm_1", "xm_2", "force_1", "force_2", "numerical_x",
		"measured_x", "u_2"}}
	var times []float64
	for k := range one.Samples() {
		times = append(times, float64(k)/rate)
	}
	a, b := one.Axes[0], two.Axes[0]
	for _, v := range []record.Signal{record.SignalOf(times), a.Target, b.Target, a.Measured, b.Measured, a.Force, b.Force,
		b.Target, b.Measured, a.Target} {
		both.Columns, both.Units = append(both.Columns, v), append(both.Units, "")
	}
	test, err := judge.New(both, "", "", 0)
	if err != nil {
		t.Fatal(err)
	}
	got := test.Criteria()
	for i, alone := range []*judge.Test{one, two} {
		for _, v := range alone.Criteria() {
			at := strings.LastIndex(v.Name, "_")
			if strings.HasPrefix(v.Name, "FEI") {
				at = 3
			}
			rthstest.Near(t, v.Name, rthstest.Value(t, got, fmt.Sprintf("%s_%d%s", v.Name[:at], i+1, v.Name[at:])), v.V,
				1e-12*math.Abs(v.V))
		}
	}
	rthstest.Near(t, "J4", rthstest.Value(t, got, "J4_x_ms"), rthstest.Value(t, got, "J1_2_ms"), 0)
	rthstest.Near(t, "J5", rthstest.Value(t, got, "J5_x_pct"), rthstest.Value(t, got, "J2_2_pct"), 0)
	rthstest.Near(t, "J6", rthstest.Value(t, got, "J6_x_pct"), rthstest.Value(t, got, "J3_2_pct"), 0)
	for _, u := range test.Used {
		if u.Role == "command_2" {
			t.Error("a command of one of two actuators is taken")
		}
	}
	for columns, want := range map[string]string{
		"target_3=u_2":    "no column for measured_3: want --columns measured_3=NAME",
		"numerical_x=no":  "numerical_x: no column no",
		"target_17=xt_1":  "before =",
		"measured_2=xt_2": "no column for target_2",
	} {
		if _, err := judge.New(both, columns, "", 0); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", columns, err, want)
		}
	}
	// A third force belongs to other coordinates: then none is an actuator's.
	both.Names[9] = "force_3"
	if test, err = judge.New(both, "", "", 0); err != nil || !test.Axes[0].Force.None() {
		t.Errorf("forces of three coordinates are taken for forces of two actuators: %v", err)
	}
}

// Criteria are the same to the bit wherever the numbers are, and of each actuator those of its own columns.
func TestCriteriaOfAllSignals(t *testing.T) {
	one, two := late(0.95, 0.0034), late(1.02, 0.012)
	memory := &judge.Test{RateHz: rate, Axes: []judge.Axis{one.Axes[0], two.Axes[0]}}
	filed, computed := *memory, *memory
	filed.Axes, computed.Axes = nil, nil
	for _, a := range memory.Axes {
		columns := [][]float64{a.Target.Values(), a.Measured.Values(), a.Force.Values()}
		fill := func(put func(int, []float64) error) error {
			return errors.Join(put(0, columns[0]), put(1, columns[1]), put(2, columns[2]))
		}
		spool, err := record.SpoolColumns([]string{"x", "y", "F"}, a.Target.Len(), fill)
		if err != nil {
			t.Fatal(err)
		}
		defer spool.Close()
		var s [3]record.Signal
		for i, name := range spool.Names() {
			s[i], _ = spool.Signal(name)
		}
		filed.Axes = append(filed.Axes, judge.Axis{Target: s[0], Measured: s[1], Force: s[2]})
		computed.Axes = append(computed.Axes, judge.Axis{Target: a.Target, Force: a.Force,
			Measured: record.SignalBy(a.Measured.Len(), a.Measured.At)})
	}
	want := memory.Criteria()
	for name, test := range map[string]*judge.Test{"in a file": &filed, "computed": &computed} {
		if got := test.Criteria(); !slices.Equal(got, want) {
			t.Errorf("%s: %v: want %v", name, got, want)
		}
	}
	for i, alone := range []*judge.Test{one, two} {
		for _, quantity := range []string{"FEI_A", "FEI_f_eq", "FEI_delay"} {
			v := func(list []rths.Value, axis int) float64 {
				k := slices.IndexFunc(list, func(v rths.Value) bool { return v.Quantity == quantity && v.Axis == axis })
				return list[k].V
			}
			if got, own := v(want, i+1), v(alone.Criteria(), 0); got != own {
				t.Errorf("actuator %d: %s is %g: want %g", i+1, quantity, got, own)
			}
		}
	}
}
