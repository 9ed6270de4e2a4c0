package report_test

import (
	"image/png"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"

	"rths"
	"rths/kit/rthstest"
	"rths/result/record"
	"rths/result/report"
)

func TestParseWidth(t *testing.T) {
	for text, want := range map[string]vg.Length{"90mm": 90 * vg.Millimeter, "9cm": 90 * vg.Millimeter,
		"3.5in": 3.5 * vg.Inch} {
		if got, err := report.ParseWidth(text); err != nil || math.Abs(float64(got-want)) > 1e-9 {
			t.Errorf("%s: %v, %v: want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "90", "mm", "90pt", "1mm", "-90mm", "9m", "NaNmm", "Infcm"} {
		if _, err := report.ParseWidth(text); err == nil || !strings.Contains(err.Error(), "as 90mm, 9cm or 3.5in") {
			t.Errorf("%q: error %v", text, err)
		}
	}
}

// A figure is as wide as asked for: 90 mm are 255.12 points of a PDF or an SVG, 1063 pixels
// of a PNG of 300 dpi.
func TestFigure(t *testing.T) {
	s := usual()
	s.rows = 3000
	a := s.run(t)
	file := func(name, path string, runs ...*record.Archive) string {
		t.Helper()
		path = filepath.Join(t.TempDir(), path)
		if err := report.Figure(path, name, 90*vg.Millimeter, runs); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for _, name := range []string{"tracking", "displacement", "error", "command", "subspace", "force-displacement",
		"floors", "parameters", "displacement-spectrum"} {
		pdf := readFile(t, file(name, "a.pdf", a))
		if !strings.HasPrefix(pdf, "%PDF-") || !strings.Contains(pdf, "/MediaBox [0 0 255.12") {
			t.Errorf("%s: no PDF of 90 mm", name)
		}
	}
	svg := readFile(t, file("tracking", "a.svg", a, a))
	rthstest.Contains(t, svg, `width="255.12`, "error, mm", "[2]")
	if err := soundXML(strings.NewReader(svg)); err != nil {
		t.Error(err)
	}
	if strings.Contains(svg, "Tracking error") {
		t.Error("a figure for a paper has a title: want none")
	}
	picture, err := os.Open(file("tracking", "a.png", a))
	if err != nil {
		t.Fatal(err)
	}
	defer picture.Close()
	if size, err := png.DecodeConfig(picture); err != nil || size.Width != 1063 {
		t.Errorf("%+v, %v: want 1063 pixels across", size, err)
	}
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestFigureRefuses(t *testing.T) {
	s := usual()
	s.rows = 10
	a, dir := s.run(t), t.TempDir()
	for _, c := range []struct{ path, name, want string }{
		{"a.gif", "tracking", "want a .pdf, .svg or .png file"},
		{"a.pdf", "trucking", `figure "trucking": want one of tracking, displacement, error,`},
		{"a.pdf", "tracking,,error", `figure "": want one of tracking, displacement, error,`},
	} {
		path := filepath.Join(dir, c.path)
		if err := report.Figure(path, c.name, 90*vg.Millimeter, []*record.Archive{a}); err == nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%s of %s: error %v: want %s", c.name, c.path, err, c.want)
		}
		if _, err := os.Stat(path); err == nil {
			t.Errorf("%s is left behind", c.path)
		}
	}
	for name, s := range shapes() {
		a := s.run(t)
		if err := report.Figure(filepath.Join(dir, "b.pdf"), "tracking", 90*vg.Millimeter,
			[]*record.Archive{a, a}); err != nil && !strings.HasPrefix(err.Error(), "report: ") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestTables(t *testing.T) {
	first, second := usual(), usual()
	first.rows, second.rows = 10, 10
	first.name, second.name = "50 % & more", "a_b"
	first.end.Criteria = []rths.Value{{Name: "J2_pct", V: 2.4774359165463133, Doc: "error, of all"},
		{Name: "delay_ms", V: -1.234}, {Name: "floor1_Sa_m_s2", V: math.NaN()}}
	second.end.Criteria = []rths.Value{{Name: "J2_pct", V: 37479.4}, {Name: "x", V: 1.5e-7}}
	runs := []*record.Archive{first.run(t), second.run(t)}
	for format, want := range map[string]string{
		"tex": `\begin{tabular}{lrr}
\toprule
Criterion & 50 \% \& more & a\_b \\
\midrule
$J_{2}$, \% & 2.48 & 37479 \\
delay, ms & $-1.23$ & -- \\
floor1 Sa, m/s$^2$ & -- & -- \\
x & -- & $1.5\cdot 10^{-7}$ \\
\bottomrule
\end{tabular}
`,
		"csv": `criterion,50 % & more,a_b,meaning
J2_pct,2.4774359165463133,37479.4,"error, of all"
delay_ms,-1.234,,
floor1_Sa_m_s2,,,
x,,1.5e-07,
`,
	} {
		var b strings.Builder
		if err := report.WriteTable(&b, format, runs); err != nil || b.String() != want {
			t.Errorf("%s, %v:\n%s\nwant\n%s", format, err, b.String(), want)
		}
	}
	var b strings.Builder
	want := `Motion 50 % & more a_b
took place VIRTUAL VIRTUAL
ended completed, lost completed

Criterion  50 % & more  a_b
J2, %      2.48         37479
delay, ms  -1.23        –
floor1_Sa, m/s²  –      –
x          –            1.5·10⁻⁷

warning: 50 % & more: the loop is unstable
`
	runs[0].Verdict, runs[0].Warnings = "lost", []string{"the loop is unstable"}
	if err := report.WriteComparison(&b, runs); err != nil ||
		strings.Join(strings.Fields(b.String()), " ") != strings.Join(strings.Fields(want), " ") {
		t.Errorf("%v:\n%s\nwant\n%s", err, b.String(), want)
	}
	runs[0].Scenario, runs[1].Scenario = "rate_hz: 1024\ntags: [a]\nname: x\n", "rate_hz: 2048\nname: y\n"
	b.Reset()
	if err := report.WriteComparison(&b, runs); err != nil ||
		!strings.Contains(b.String(), "completed\n\nSetting  50 % & more  a_b\nrate_hz  1024         2048\n\nCriterion") {
		t.Errorf("%v:\n%s\nwant the rates alone above the criteria", err, b.String())
	}
}
