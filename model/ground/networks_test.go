package ground

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// shake is a decaying motion, m/s².
func shake(i int, part float64) float64 {
	return part * 2.735 * math.Sin(0.35*float64(i)) * math.Exp(-0.006*float64(i))
}

// geonet writes components of so many samples every 0.01 s, as GeoNet does.
func geonet(corrected bool, n int, directions ...string) string {
	var b strings.Builder
	row := func(v []float64) {
		for i, x := range v {
			fmt.Fprintf(&b, "%8.1f", x)
			if i%10 == 9 || i == len(v)-1 {
				b.WriteByte('\n')
			}
		}
	}
	for k, direction := range directions {
		var a []float64
		h := make([]float64, geonetNumbers)
		for i := range n {
			x := math.Round(1e4*shake(i, 1/float64(k+1))) / 10
			a = append(a, x)
			if math.Abs(x) > math.Abs(h[geonetPeak]) {
				h[geonetPeak] = x
			}
		}
		kind := "Uncorrected"
		h[geonetRaw], h[geonetRawStep] = float64(n), 0.01
		if corrected {
			kind = "Corrected"
			h[geonetRaw], h[geonetAcc], h[geonetAcc+1], h[geonetAcc+2] = float64(2*n), float64(n), float64(n-5), float64(n-9)
			h[geonetRawStep], h[geonetStep] = 0.005, 0.01
		}
		fmt.Fprintf(&b, "%s accelerogram 20000101_000000_ABCD_20 GNS Science\nSite ABCD 40 00 00S 175 00 00E\n", kind)
		b.WriteString(strings.Repeat("made up\n", 10) + "Component " + direction + "\n" + strings.Repeat("none\n", 3))
		for i, x := range h {
			text := fmt.Sprintf("%8.3f", x)
			if x == math.Trunc(x) {
				text = fmt.Sprintf("%8.0f", x)
			}
			b.WriteString(text)
			if i%10 == 9 {
				b.WriteByte('\n')
			}
		}
		if row(a); corrected {
			row(make([]float64, n-5))
			row(make([]float64, n-9))
		}
	}
	return b.String()
}

func TestGeoNet(t *testing.T) {
	three := []string{"N80W", "S10W", "Up"}
	for _, corrected := range []bool{true, false} {
		text := geonet(corrected, 43, three...)
		for k, names := range [][]string{{"1", "n80w"}, {"2", "S10W", "2 (S10W)"}, {"3", "UP"}} {
			for _, part := range names {
				m, err := ReadGeoNet(strings.NewReader(text), "x", Want{Part: part})
				if err != nil || len(m.A) != 43 || m.Dt != 0.01 || m.Station != "ABCD" ||
					m.Component != fmt.Sprintf("%d (%s)", k+1, three[k]) {
					t.Fatalf("%s: %d samples every %g s of %s, component %s, %v", part, len(m.A), m.Dt, m.Station, m.Component, err)
				}
				for i, a := range m.A {
					if want := shake(i, 1/float64(k+1)); math.Abs(a-want) > 0.6e-4 {
						t.Fatalf("%s: sample %d: %g: want %g m/s²", part, i, a, want)
					}
				}
			}
		}
		_, err := ReadGeoNet(strings.NewReader(text), "x", Want{})
		wantError(t, err, "x: channel: found nothing: want one of the file's channels: 1 (N80W), 2 (S10W), 3 (Up)")
	}
	one := geonet(false, 20, "Up")
	for _, c := range []struct{ text, want string }{
		{"made up\n", `x: line 1: found "made up", want "Uncorrected accelerogram … GNS Science" or "Corrected …" (GeoNet)`},
		{strings.Replace(one, "  0.010", " 12.010", 1), "component 1 (Up): time step 12.01 s: want 1e-07 to 1 s"},
		{strings.Replace(one, "      20", "    20.5", 1), "20.5 points: want a whole number of 2 to"},
		{strings.Replace(one, fmt.Sprintf("%8.3f", math.Round(100*peakOf(20, 1))/10), "2700.000", 1),
			"but the heading says 2.7 m/s²"},
		{one[:len(one)-40], "20 accelerations announced"},
	} {
		if _, err := ReadGeoNet(strings.NewReader(c.text), "x", Want{}); err == nil || !strings.Contains(err.Error(),
			c.want) {
			t.Errorf("%v: want %s", err, c.want)
		}
	}
}

// asa writes three channels, as Mexican networks do.
func asa(n int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n\n ARCHIVO ESTANDAR DE ACELERACION\nCLAVE DE LA ESTACION : ABCD\nORIENTACION C1-C6 (rumbo;orientacion) : "+
		"/N00E;L/V;V/N90E;T\nINTERVALO DE MUESTREO, C1-C6 (s) : /.01/.01/.01\nNUM. TOTAL DE MUESTRAS, C1-C6 : /%d/%[1]d/%[1]d\n"+
		"ACEL. MAX. (GAL), C1-C6 : /%.2f/%.2f/?\nCOMENTARIOS\n 7\n CANAL-1 CANAL-2 CANAL-3\n", n, peakOf(n, 1), peakOf(n,
		0.5))
	for i := range n {
		fmt.Fprintf(&b, "%12.4f%12.4f%12.4f\n", 100*shake(i, 1), 100*shake(i, 0.5), 100*shake(i, 0.25))
	}
	return b.String()
}

// peakOf is the largest of the samples, gal.
func peakOf(n int, part float64) (peak float64) {
	for i := range n {
		peak = max(peak, 100*math.Abs(shake(i, part)))
	}
	return peak
}

func TestASA(t *testing.T) {
	for part, factor := range map[string]float64{"1": 1, "N00E;L": 1, "2": 0.5, "v;v": 0.5, "3": 0.25} {
		m, err := ReadASA(strings.NewReader(asa(43)), "x", Want{Part: part})
		if err != nil || len(m.A) != 43 || m.Dt != 0.01 || m.Station != "ABCD" {
			t.Fatalf("%s: %d samples every %g s of %s, %v", part, len(m.A), m.Dt, m.Station, err)
		}
		for i, a := range m.A {
			if want := shake(i, factor); math.Abs(a-want) > 0.6e-6 {
				t.Fatalf("%s: sample %d: %g: want %g m/s²", part, i, a, want)
			}
		}
	}
	for _, c := range []struct{ part, old, new, want string }{
		{"", "", "", "x: channel: found nothing: want one of the file's channels: 1 (N00E;L), 2 (V;V), 3 (N90E;T)"},
		{"4", "", "", `x: channel "4": want one of the file's channels`},
		{"1", "/43/43", "/44/43", "44 samples as in the heading, found 43"},
		{"1", "/43/43", "/42/43", "more than the 42 samples of the heading"},
		{"1", "/.01", "/.x", `found ".x", want a number`},
		{"1", "GAL), C1-C6 : /2", "GAL), C1-C6 : /3", "but the heading says 3."},
		{"1", "INTERVALO", "INTERVAL", "the heading of an ASA file with NUM. TOTAL DE MUESTRAS and INTERVALO DE MUESTREO"},
	} {
		_, err := ReadASA(strings.NewReader(strings.Replace(asa(43), c.old, c.new, 1)), "x", Want{Part: c.part})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: want %s", err, c.want)
		}
	}
}

// Texts of networks and programs that need no reader of their own.
func TestTextsOfNetworks(t *testing.T) {
	rows := func(format string, factors ...float64) string {
		var b strings.Builder
		for i := range 43 {
			values := []any{0.01 * float64(i)}
			for _, f := range factors {
				values = append(values, shake(i, f))
			}
			fmt.Fprintf(&b, format+"\n", values...)
		}
		return b.String()
	}
	for name, c := range map[string]struct {
		text   string
		column string
		factor float64
	}{
		"Taiwan, CWA": {"#StationCode: ABC001\n#InstrumentKind: none(1.CVA)\n#StartTime: 2000/01/01-00:00:00.000\n#RecordLength(sec): " +
			"0.43\n#SampleRate(Hz): 100\n#AmplitudeUnit:  gal. DCoffset(corr)\n#DataSequence: Time U(+); N(+); E(+)\n#Data: 4F10.3\n" +
			rows("%10.3f%10.4f%10.4f%10.4f", 25, 100, 50), "N", 1},
		"Taiwan, by position": {"#SampleRate(Hz): 100\n#AmplitudeUnit: gal\n#DataSequence: Time U(+); N(+); E(+)\n" +
			rows("%10.3f%10.4f%10.4f%10.4f", 25, 100, 50), "4", 0.5},
		"DEEPSOIL": {"43 0.01\n" + rows("%.2f %.8f", 1/StandardGravity), "", 1 / StandardGravity},
		"SeismoSignal": {"Corrected time series\nBaseline: linear\n\nTime [sec]\tAcceleration [cm/sec2]\n" +
			rows("%.3f\t%.4f", 100), "", 1},
		"count and step in words": {},
	} {
		if c.factor == 0 {
			c.text, c.factor = "Number of points: 43\nTime step: 0.01 s\nUnits: gal\n", 1
			for i := range 43 {
				c.text += fmt.Sprintf("%.4f\n", 100*shake(i, 1))
			}
		}
		m, err := ReadCSV(strings.NewReader(c.text), "x", Want{Column: c.column})
		if err != nil || len(m.A) != 43 || math.Abs(m.Dt-0.01) > 1e-12 {
			t.Errorf("%s: %d samples every %g s, %v", name, len(m.A), m.Dt, err)
			continue
		}
		for i, a := range m.A {
			if want := shake(i, c.factor); math.Abs(a-want) > 1e-6 {
				t.Fatalf("%s: sample %d: %g: want %g m/s²", name, i, a, want)
			}
		}
	}
}
