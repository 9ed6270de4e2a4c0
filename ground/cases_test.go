package ground_test

import (
	"math"
	"path/filepath"
	"testing"

	"rths/files"
	"rths/ground"
	"rths/rthstest"
)

// Files of people who do this job, each with its right value in expect.md.
func TestSharedCases(t *testing.T) {
	dir := rthstest.Cases(t)
	for _, c := range []struct {
		file string
		want ground.Want
		dt   float64
		pga  float64 // m/s²
	}{
		{"at2-glued/x.AT2", ground.Want{}, 0.01, 2.83337},
		{"at2-long-heading/seven.AT2", ground.Want{}, 0.01, 2.73527},
		{"at2-long-heading/rotated.AT2", ground.Want{}, 0.01, 2.73530},
		{"at2-long-heading/matched.AT2", ground.Want{}, 0.01, 2.73530},
		{"at2-unit-words/cm-in-brackets.AT2", ground.Want{}, 0.01, 2.73531},
		{"at2-unit-words/the-units-are.AT2", ground.Want{}, 0.01, 2.73531},
		{"at2-unit-words/g-in-brackets.AT2", ground.Want{}, 0.01, 2.73530},
		{"csmip-v1-pairs/x.v1", ground.Want{}, 0.01, 2.7351},
		{"esm-asc/XX.STA..HNE.ACC.ASC", ground.Want{}, 0.01, 2.7353},
		{"free-heading/quake.dat", ground.Want{}, 0.01, 2.73507},
		{"npts-dt-heading/motion.txt", ground.Want{Unit: "g"}, 0.01, 2.7353},
		{"npts-dt-heading/motion.txt", ground.Want{Unit: "g", Dt: 0.01}, 0.01, 2.7353},
		{"rounded-times-dt/motion.txt", ground.Want{Unit: "g", Dt: 0.005}, 0.005, 2.7353},
		{"three-components-dt/motion.csv", ground.Want{Column: "NS"}, 0.01, 2.7353},
		{"three-components-dt/motion.csv", ground.Want{Column: "acc_EW", Dt: 0.01}, 0.01, 2.0893},
		{"three-components-dt/motion.csv", ground.Want{Column: "4"}, 0.01, 0.8707},
		{"usgs-smc/x.smc", ground.Want{}, 0.01, 2.7353},
		{"mat-v4-and-struct/v4.mat", ground.Want{}, 0.01, 2.73531},
		{"mat-v4-and-struct/structure-with-time.mat", ground.Want{}, 0.01, 2.73531},
	} {
		m, err := (ground.At{Files: files.Disk{}}).Read(filepath.Join(dir, c.file), c.want)
		if err != nil || len(m.A) != 400 || math.Abs(m.Dt-c.dt) > 1e-9 || math.Abs(m.PGA()-c.pga) > 1e-4 {
			t.Errorf("%s, %+v: %d samples every %g s, peak %.6g m/s², %v: want 400 every %g s, peak %g m/s²", c.file, c.want, len(m.A), m.Dt, m.PGA(), err, c.dt, c.pga)
		}
	}
	for _, c := range []struct {
		file string
		want ground.Want
		err  string
	}{
		{"at2-unit-words/velocity.AT2", ground.Want{}, "VELOCITY TIME HISTORY (CM/SEC)"},
		{"at2-unit-words/velocity.AT2", ground.Want{Unit: "cm/s2"}, "VELOCITY TIME HISTORY (CM/SEC)"},
		{"npts-dt-heading/motion.txt", ground.Want{Dt: 0.02}, "the heading says a step of 0.01 s, and 0.02 s is asked for"},
		{"rounded-times-dt/motion.txt", ground.Want{}, "time 0.01 s after 0.01 s: want increasing times"},
		{"rounded-times-dt/motion.txt", ground.Want{Dt: 0.02}, "the first goes from 0 to 2"},
		{"three-components-dt/motion.csv", ground.Want{}, `column "": want one of the file's columns, by title or position: acc_NS(gal), acc_EW(gal), acc_UD(gal)`},
		{"three-components-dt/motion.csv", ground.Want{Dt: 0.01}, `column "": want one of the file's columns`},
		{"three-components-dt/motion.csv", ground.Want{Column: "NS", Dt: 0.02}, "the times go on by 0.01 s, and a step of 0.02 s is stated"},
	} {
		_, err := (ground.At{Files: files.Disk{}}).Read(filepath.Join(dir, c.file), c.want)
		rthstest.WantError(t, err, c.err)
	}
}
