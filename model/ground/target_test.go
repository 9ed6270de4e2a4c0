package ground

import (
	"testing"

	"rths/scenario/files"
)

// A title that states another unit than the SI unit needs a scale.
func TestHistoriesAndTheirUnits(t *testing.T) {
	dir := folder(t, map[string]string{
		"mm.csv": "time_s,disp_mm\n0,0\n0.1,2\n", "volt.csv": "time_s,disp [V]\n0,0\n0.1,2\n",
		"m.csv":  "time [ms],disp [m]\n0,0\n100,2\n",
		"kn.csv": "time_s,force [kN]\n0,0\n0.1,2\n", "alone.csv": "1\n2\n", "tf.csv": "time_s,force_tf\n0,0\n0.1,2\n",
		"quake.csv": "time_s,accel_m_s2\n0,0\n0.1,2\n",
	})
	at := At{Files: files.Disk{}, BaseDir: dir, RecordsDir: dir}
	for _, c := range []struct {
		source Source
		peak   float64
		want   string
	}{
		{&TargetFile{File: "mm.csv", Scale: 1}, 0,
			`scale 1: want 0.001, because the title "disp_mm" states mm and the program works in m`},
		{&TargetFile{File: "mm.csv", Scale: 0.001}, 0.002, ""},
		{&TargetFile{File: "quake.csv", Scale: 1}, 0,
			`scale 1: want the factor that makes the numbers of column "accel_m_s2" m`},
		{&TargetFile{File: "mm.csv", Scale: 1, Columns: Columns{Col: "1"}}, 0, dir +
			`/mm.csv: column "1": want values, and this is the column of times, one of disp_mm`},
		{&TargetFile{File: "alone.csv", Scale: 1}, 0, dir +
			`/alone.csv: line 1: found one column, want time and value in a line`},
		{&ForceFile{File: "quake.csv", Scale: 1}, 0,
			`scale 1: want the factor that makes the numbers of column "accel_m_s2" N`},
		{&ForceFile{File: "tf.csv", Scale: 1}, 0, `scale 1: want the factor that makes the numbers of column "force_tf" N`},
		{&TargetFile{File: "volt.csv", Scale: 1}, 0,
			`scale 1: want the factor that makes the numbers of column "disp [V]" m`},
		{&TargetFile{File: "volt.csv", Scale: 0.01}, 0.02, ""},
		{&TargetFile{File: "m.csv", Scale: 1}, 2, ""},
		{&TargetRecord{Record: "quake", Scale: 1}, 2, ""},
		{&TargetRecord{Record: "mm", Scale: 1}, 0,
			`scale 1: want 0.001, because the title "disp_mm" states mm and the program works in m`},
		{&ForceFile{File: "kn.csv", Scale: 1}, 0,
			`scale 1: want 1000, because the title "force [kN]" states kN and the program works in N`},
		{&ForceFile{File: "kn.csv", Scale: 1e3}, 2000, ""},
	} {
		m, err := c.source.Motion(at)
		if c.want != "" {
			wantError(t, err, c.want)
		} else if err != nil || m.PGA() != c.peak || m.Dt != 0.1 {
			t.Errorf("%+v: peak %g, step %g s, %v: want %g", c.source, m.PGA(), m.Dt, err, c.peak)
		}
	}
}
