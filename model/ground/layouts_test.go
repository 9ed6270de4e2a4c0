package ground

import (
	"fmt"
	"strings"
	"testing"
)

// Files in the layouts in which the data centres hand them out, blanks at the
// ends of lines included: CSMIP volumes 1 and 2 (strongmotioncenter.org), three
// channels one below the other. Station, earthquake and values are made up.

// padded is a line of 80 characters.
func padded(text string) string { return fmt.Sprintf("%-80s\n", text) }

// csmipHeaders are 100 integers and 100 reals; some touch.
func csmipHeaders(integers, reals int) string {
	var b strings.Builder
	for i := range integers {
		fmt.Fprintf(&b, "%5d", []int{1, 100, 12345, -999, 13200}[i%5])
		if i%16 == 15 || i == integers-1 {
			b.WriteString("\n")
		}
	}
	for i := range reals {
		b.WriteString([]string{"  .0108814", "-999.00000", "-117.59750", "  .6700000"}[i%4])
		if i%8 == 7 || i == reals-1 {
			b.WriteString("\n")
		}
	}
	return b.String()
}

// csmipLayoutV1 is a channel of volume 1.
func csmipLayoutV1(number int, direction string, values []float64) string {
	var b strings.Builder
	for _, line := range []string{
		"Uncorrected Accelerogram Data             Processed: 01/02/20, CGS  123be002",
		"Rcrd of Wed Jan  1, 2020 13:06:45.0 PST               (Avol1 v9.2,12/11 CSMIP)",
		"CSMIP Preliminary Processing            (Origin:  To be determined)",
		"99999-L2500-12044.02                 Start time:  1/01/20, 21:06: 5.0 UTC (GPS)",
		"Station No. 99999   40.000N, 123.000W      Etna  s/n 2500  (3 Chns of  3 at Sta)",
		"Somewhere - 1st & Main                    CGS",
		fmt.Sprintf("Chan %2d: %s", number, direction),
		"Rcrd of Wed Jan  1, 2020 13:06:45.0 PST    Wed Jan  1, 2020 13:06:45.0 PST",
		"Hypocenter:  To be determined.               ML:  To be determined.",
		"Instr Period =  .0109 sec,  Damping =  .670,  Sensitivity =  .63  v/g",
		fmt.Sprintf("No. of Points = %6d  Record Length = %.3f sec   at 200 Samples/sec", len(values),
			float64(len(values))/200),
		"Units of uncor data are sec and g .        Max  =   .079 g , at    .015 sec.",
		"RMS calc for complete record =        .   Chn. metadata effective date: 08/10/05",
	} {
		b.WriteString(padded(line))
	}
	b.WriteString(csmipHeaders(100, 50))
	b.WriteString(padded(fmt.Sprintf("%6d Accelerogram points at 200 pts/sec in units of g .      Format: (8f9.6)",
		len(values))))
	columnsOf(&b, values, "%9.6f", 8)
	fmt.Fprintf(&b, "/&  ----------  End of data for channel %2d  ----------\n", number)
	return b.String()
}

func TestLayoutOfCSMIPVolume1(t *testing.T) {
	a, v := []float64{-0.00001, 0.000007, 0.079, -0.012345, 0.5, -1.25, 0, 0.25, -0.000002}, []float64{1, 2, 3}
	text := csmipLayoutV1(1, "360 Deg", v) + csmipLayoutV1(2, "Up", v) + csmipLayoutV1(3, " 90 Deg", a)
	m := wantCOSMOS(t, text, "90", 0.005, StandardGravity, a)
	if m.Station != "99999 Somewhere - 1st & Main" || m.Component != "3 (90 Deg)" ||
		m.Event != "Wed Jan 1, 2020 13:06:45.0 PST" {
		t.Errorf("station %q, component %q, event %q", m.Station, m.Component, m.Event)
	}
	if _, err := ReadCOSMOS(strings.NewReader(text), "x", Want{}); err == nil ||
		!strings.Contains(err.Error(), "1 (360 Deg), 2 (Up), 3 (90 Deg)") {
		t.Errorf("no channel chosen: %v", err)
	}
	for _, rate := range []string{"0", "9999999999999999", ".", "1.2.3"} {
		bad := strings.Replace(text, "at 200 pts", "at "+rate+" pts", 1)
		if _, err := ReadCOSMOS(strings.NewReader(bad), "x", Want{Part: "1"}); err == nil {
			t.Errorf("%s points a second are read", rate)
		}
	}
}

// csmipLayoutV2 is a channel of volume 2: velocity and displacement follow.
func csmipLayoutV2(number int, direction string, values []float64) string {
	var b strings.Builder
	for _, line := range []string{
		fmt.Sprintf("Corrected accelerogram   15481673.CI.XYZ.--.HN      Chan %2d: %s     from", number, direction),
		"Uncorrected Accelerogram Data             Processed: 04/30/14, CGS  cixyz1",
		"Rcrd of Fri Mar 28, 2014 21:09:34.0 PDT               (Avol1 v0.6, 3/14 CSMIP)",
		"                                        (Origin:  To be determined)",
		"15481673.CI.XYZ.--.HN                Start time:  3/29/14, 04:09:34.0 UTC (GPS)",
		"Station Id. XYZ     34.009N, 117.951W            s/n 4310  (3 Chns of  3 at Sta)",
		"Hacienda Nowhere                         SCSN   Data: Acceleration",
		fmt.Sprintf("Chan %2d: %s", number, direction),
		"Accelerogram bandpass filtered with 3 dB pts at   .10 and 23.00 cyc/sec",
		fmt.Sprintf("%6d points of instrument- and baseline-corrected accel, veloc and displ data", len(values)),
		"At equally-spaced intervals of    .020  sec.",
		"Peak acceleration =    82.584    cm/sec/sec  at   14.840   sec.",
		"",
	} {
		b.WriteString(padded(line))
	}
	b.WriteString(csmipHeaders(100, 100))
	for _, block := range []string{"accel data equally spaced at  .020 sec, in cm/sec2. (8f10.6)",
		"veloc data equally spaced at  .020 sec, in cm/sec.  (8f10.7)",
		"displ data equally spaced at  .020 sec, in cm.      (8f10.7)"} {
		b.WriteString(padded(fmt.Sprintf("%6d points of %s", len(values), block)))
		columnsOf(&b, values, "%10.6f", 8)
	}
	fmt.Fprintf(&b, "/&  ----------  End of data for channel %2d  ----------\n", number)
	return b.String()
}

func TestLayoutOfCSMIPVolume2(t *testing.T) {
	// four touch
	a := []float64{0.001046, -0.143, 1.171726, -12.6262, -46.84686, -63.327, -61.3168, -32.83888, 19.62822, -17.28022}
	text := csmipLayoutV2(1, " 90 Deg", []float64{1, 2}) + csmipLayoutV2(2, "360 Deg", a)
	m := wantCOSMOS(t, text, "2", 0.02, 0.01, a)
	if m.Station != "XYZ Hacienda Nowhere" || m.Component != "2 (360 Deg)" {
		t.Errorf("station %q, component %q", m.Station, m.Component)
	}
}
