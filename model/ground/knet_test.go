package ground

import (
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"rths/scenario/files"
)

// knet is a K-NET file with the given lines of its heading replaced.
func knet(values []int, replaced map[string]string) string {
	var b strings.Builder
	mean, peak := 0.0, 0.0
	for _, v := range values {
		mean += float64(v) / float64(len(values))
	}
	for _, v := range values {
		peak = max(peak, math.Abs(float64(v)-mean)*2000/8388608)
	}
	for _, line := range []string{
		"Origin Time       1970/01/01 09:00:00", "Lat.              35.000", "Long.             135.000",
		"Depth. (km)       10", "Mag.              6.1", "Station Code      TST001", "Station Lat.      35.1000",
		"Station Long.     135.1000", "Station Height(m) 20", "Record Time       1970/01/01 09:00:16",
		"Sampling Freq(Hz) 100Hz", "Duration Time(s)  1", "Dir.              E-W",
		"Scale Factor      2000(gal)/8388608", fmt.Sprintf("Max. Acc. (gal)   %.3f", peak), "Last Correction   1970/01/01 08:59:59", "Memo.",
	} {
		for key, now := range replaced {
			if strings.HasPrefix(line, key) {
				line = now
			}
		}
		b.WriteString(line + "\n")
	}
	for i, v := range values {
		fmt.Fprintf(&b, "%9d", v)
		if (i+1)%8 == 0 || i == len(values)-1 {
			b.WriteString("\n")
		}
	}
	return b.String()
}

// counts are a sine on an offset, over whole periods.
func counts(n int) []int {
	values := make([]int, n)
	for i := range values {
		values[i] = -2471 + int(math.Round(1000*math.Sin(2*math.Pi*float64(i)/50)))
	}
	return values
}

func TestReadKNET(t *testing.T) {
	m, err := ReadKNET(strings.NewReader(knet(counts(100), nil)), "x", Want{})
	if err != nil || m.Dt != 0.01 || len(m.A) != 100 {
		t.Fatalf("step %g s, %d samples, %v", m.Dt, len(m.A), err)
	}
	if m.Station != "TST001" || m.Component != "E-W" || m.Event != "1970/01/01 09:00:00 M6.1" {
		t.Errorf("station %q, component %q, event %q", m.Station, m.Component, m.Event)
	}
	for i, c := range counts(100) { // the mean of the sine is zero, of the counts -2471
		if want := float64(c+2471) * 20 / 8388608; math.Abs(m.A[i]-want) > 1e-14 {
			t.Fatalf("sample %d: %g m/s², want %g", i, m.A[i], want)
		}
	}
}

// KiK-net numbers its sensors; both spellings of the heading are in use.
func TestReadKNETVariants(t *testing.T) {
	for dir, want := range map[string]string{"1": "N-S borehole", "2": "E-W borehole", "3": "U-D borehole",
		"4": "N-S surface", "5": "E-W surface", "6": "U-D surface"} {
		text := knet(counts(200), map[string]string{"Dir.": "Dir.              " + dir, "Max.": "Max Acc. (gal)    1",
			"Long.": "Lon.              1", "Memo.": "Memo.             text", "Sampling": "Sampling Freq(Hz) 200Hz"})
		m, err := ReadKNET(strings.NewReader(strings.ReplaceAll(text, "\n", "\r\n")), "x", Want{})
		if err != nil || m.Component != want || m.Dt != 0.005 {
			t.Errorf("%s: component %q, step %g s, %v: want %s", dir, m.Component, m.Dt, err, want)
		}
	}
}

func TestReadKNETErrors(t *testing.T) {
	one := func(key, line string) string { return knet(counts(100), map[string]string{key: line}) }
	for _, c := range []struct{ text, want string }{
		{"", `x: line 1: the file ends, want "Origin Time" (K-NET heading of 17 lines)`},
		{"0 1\n", `x: line 1: found "0 1", want "Origin Time" (line 1 of a K-NET file)`},
		{one("Scale", "Scale Factor      2000/8388608"),
			`x: line 14: found scale factor "2000/8388608", want one such as 2000(gal)/8388608`},
		{one("Scale", "Scale Factor      2000(gal)/0"),
			`x: line 14: found scale factor "2000(gal)/0", want one such as 2000(gal)/8388608`},
		{one("Sampling", "Sampling Freq(Hz) fast"), `x: line 11: found sampling frequency "fast", want one such as 100Hz`},
		{one("Sampling", "Sampling Freq(Hz) 0.1Hz"), `x: time step 10 s: want 1e-07 to 1 s (is the time in seconds?)`},
		{one("Duration", "Duration Time(s)  -3"), `x: line 12: found duration "-3", want one in s, above 0`},
		{one("Duration", "Duration Time(s)  3"),
			`x: line 31: the file ends, want 3 s of samples at 100 Hz, found 100 samples`},
		{one("Dir.", "Direction         E-W"),
			`x: line 13: found "Direction         E-W", want "Dir." (line 13 of a K-NET file)`},
		{knet(nil, nil), `x: line 18: the file ends, want 1 s of samples at 100 Hz, found 0 samples`},
		{one("Max.", "Max. Acc. (gal)   0.243"), `x: line 31: the peak is 0.237942 gal, but the heading says 0.243 gal: want the same: ` +
			"is the file complete?"},
		{knet(counts(100), nil) + "one\n", `x: line 31: found "one", want a number`},
	} {
		_, err := ReadKNET(strings.NewReader(c.text), "x", Want{})
		wantError(t, err, c.want)
	}
}

func TestReadNetworkFiles(t *testing.T) {
	dir := folder(t, map[string]string{
		"a.EW": knet(counts(100), nil), "a.NS": knet(counts(100), nil), "b.UD2": knet(counts(100), nil),
		"c.V2": threeChannels(true), "d.v1c": cosmos(touching).String(), "e.COSMOS": cosmos(touching).String(),
		"f.ew": "0 1\n",
	})
	for file, name := range map[string]string{"a.EW": "a.EW", "b.UD2": "b.UD2", "d.v1c": "d", "e.COSMOS": "e"} {
		if m, err := atDisk.Read(filepath.Join(dir, file), Want{}); err != nil || m.Name != name {
			t.Errorf("%s: %q, %v", file, m.Name, err)
		}
	}
	if m, err := atDisk.Read(filepath.Join(dir, "c.V2"), Want{Part: "up"}); err != nil || m.A[0] != 0.02 {
		t.Errorf("%v, %v", m.A, err)
	}
	m, err := (&File{File: "c.V2", Conditioning: Conditioning{Scale: 2, Chan: "3"}}).Motion(At{Files: files.Disk{},
		BaseDir: dir})
	if err != nil || m.A[0] != 0.06 || m.Station == "" {
		t.Errorf("%+v, %v", m, err)
	}
	_, err = atDisk.Read(filepath.Join(dir, "a.EW"), Want{Unit: "gal"})
	wantError(t, err, filepath.Join(dir, "a.EW")+
		`: unit "gal": want none, because .ew files hold accelerations and state their unit`)
	_, err = atDisk.Read(filepath.Join(dir, "a.EW"), Want{Part: "1"})
	wantError(t, err, `channel "1": want none, because only TDMS files (.tdms .tdms_index), GEONET files (.v1a .v2a), COSMOS files (.v2 .v2c .v1 .v1c .cosmos), ASA files (.asa) take the key channel`)
	_, err = atDisk.Read(filepath.Join(dir, "f.ew"), Want{})
	wantError(t, err, filepath.Join(dir, "f.ew")+`: line 1: found "0 1", want "Origin Time" (line 1 of a K-NET file)`)
	for name, want := range map[string]string{"a.ew": "a.EW", "b": "b.UD2", "C": "c.V2"} {
		if got, err := find(dir, name); err != nil || got != filepath.Join(dir, want) {
			t.Errorf("%s: %q, %v: want %s", name, got, err, want)
		}
	}
	_, err = find(dir, "a")
	wantError(t, err, `record "a": want one of its components: a.NS, a.EW`)
}

func FuzzReadKNET(f *testing.F) {
	f.Add([]byte(knet(counts(100), nil)))
	f.Add([]byte(knet(counts(100), map[string]string{"Scale": "Scale Factor      1e300(gal)/1e-300",
		"Duration": "Duration Time(s)  1e300"})))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := ReadKNET(strings.NewReader(string(data)), "fuzz", Want{})
		soundMotion(t, m, err)
	})
}

// The layout of NIED's files (kyoshin.bosai.go.jp); station and values are made up.
func TestLayoutOfKNET(t *testing.T) {
	text := "Origin Time       2018/01/24 19:51:00\nLat.              41.0\nLong.             142.5\nDepth. (km)  " +
		"     30\n" +
		"Mag.              6.2\nStation Code      XYZ005\nStation Lat.      41.2948\nStation Long.     141.1972\n" +
		"Station Height(m) 10\nRecord Time       2018/01/24 19:51:40\nSampling Freq(Hz) 100Hz\nDuration Time(s)  1\n" +
		"Dir.              E-W\nScale Factor      7845(gal)/8223790\nMax. Acc. (gal)   19.078\n" +
		"Last Correction   2018/01/24 19:51:41\nMemo.             \n" +
		"  -11657   -11655   -11637   -11638   -11654   -11655   -11641   -11643 \n" +
		"    8343   -31647 \n"
	m, err := ReadKNET(strings.NewReader(text), "x", Want{})
	if err != nil || m.Dt != 0.01 || len(m.A) != 10 || m.Component != "E-W" || m.Station != "XYZ005" {
		t.Fatalf("%+v, %v", m, err)
	}
	mean := (-11657.0 - 11655 - 11637 - 11638 - 11654 - 11655 - 11641 - 11643 + 8343 - 31647) / 10
	if want := (8343 - mean) * 78.45 / 8223790; math.Abs(m.A[8]-want) > 1e-12 {
		t.Errorf("sample 9 is %g m/s²: want %g", m.A[8], want)
	}
}
