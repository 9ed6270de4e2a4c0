package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// live finds the examples of a page that open in the workbench.
var live = regexp.MustCompile("(?ms)^ *```yaml live\n(.*?)^ *```")

// asJSON runs a command of rths that prints one JSON document; a run may fail, as a diverging one does.
func asJSON(t *testing.T, out any, args ...string) {
	t.Helper()
	c := exec.Command("rths", append(args, "--json")...)
	c.Env = append(os.Environ(), "RTHS_RECORDS=")
	text, err := c.Output()
	if json.Unmarshal(text, out) != nil {
		t.Fatalf("%q: %v, printed %s", args, err, text)
	}
}

// Examples that open in the workbench lint clean, need no recorded ground motion, and complete within a second; one
// with the comment "# diverges" diverges.
func TestLiveExamplesRun(t *testing.T) {
	found := 0
	for page, text := range readPages(t) {
		for i, m := range live.FindAllStringSubmatch(text, -1) {
			found++
			name := filepath.Join(t.TempDir(), "live.yaml")
			if err := os.WriteFile(name, []byte(m[1]), 0o644); err != nil {
				t.Fatal(err)
			}
			lint := exec.Command("rths", "lint", name)
			lint.Env = append(os.Environ(), "RTHS_RECORDS=")
			if out, err := lint.CombinedOutput(); err != nil || strings.Contains(string(out), "warning: ") {
				t.Errorf("%s, example %d: %v\n%s", page, i+1, err, out)
			}
			var run struct {
				Status string  `json:"status"`
				Wall   float64 `json:"wall_s"`
			}
			asJSON(t, &run, "run", name, "--no-record")
			want := "completed"
			if strings.Contains(m[1], "# diverges") {
				want = "diverged"
			}
			if run.Status != want || run.Wall > 1 {
				t.Errorf("%s, example %d: %s after %.3f s: want %s within a second", page, i+1, run.Status, run.Wall,
					want)
			}
		}
	}
	if found < 5 {
		t.Errorf("%d examples: want those of the lessons", found)
	}
}

// result is what rths stability and rths run say of an example with some keys set.
type result map[string]any

func (r result) number(key string) float64 { v, _ := r[key].(float64); return v }

// lesson is an example of a lesson.
type lesson struct {
	*testing.T
	page, file string
}

func lessonOf(t *testing.T, name string, example int) lesson {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../../docs/lessons", name+".md"))
	if err != nil {
		t.Fatal(err)
	}
	l := lesson{t, unspaced(strings.ReplaceAll(string(text), "\n", " ")), filepath.Join(t.TempDir(), "lesson.yaml")}
	if err := os.WriteFile(l.file, []byte(live.FindAllStringSubmatch(string(text), -1)[example][1]), 0o644); err != nil {
		t.Fatal(err)
	}
	return l
}

func (l lesson) command(name string, set []string, more ...string) (out result) {
	l.Helper()
	args := append([]string{name, l.file}, more...)
	for _, s := range set {
		args = append(args, "--set", s)
	}
	asJSON(l.T, &out, args...)
	return out
}

func (l lesson) stability(set ...string) result { l.Helper(); return l.command("stability", set) }

func (l lesson) run(set ...string) (criteria result, verdict string) {
	l.Helper()
	all := l.command("run", set, "--no-record")
	criteria, _ = all["criteria"].(map[string]any)
	verdict, _ = all["verdict"].(string)
	return criteria, verdict
}

// says wants a text of the page, with the numbers as the program or the formula gives them.
func (l lesson) says(text string, numbers ...any) {
	l.Helper()
	if want := strings.ReplaceAll(fmt.Sprintf(text, numbers...), " -", " −"); !strings.Contains(l.page, want) {
		l.Errorf("the page does not say %q", want)
	}
}

// stable wants the loops with these keys set to be stable, or not.
func (l lesson) stable(want bool, sets ...string) {
	l.Helper()
	for _, set := range sets {
		if got := l.stability(set)["uncompensated_stable"]; got != want {
			l.Errorf("%s: stable is %v: want %v", set, got, want)
		}
	}
}

const (
	critical = "critical_delay_exact_ms"
	ratio    = "uncompensated_worst_damping_ratio"
)

// The numbers of lesson 1 are those of the program and of its formula.
func TestLessonNegativeDamping(t *testing.T) {
	l := lessonOf(t, "1-negative-damping", 0)
	const m, k, ks, zeta = 1000, 1e5, 4e4, 0.02
	left := func(tau float64) float64 { return zeta - ks*tau/(2*math.Sqrt(k*m)) }
	late, _ := l.run()
	l.says("J2 is only %.1f %%. J4 compares the test with the undivided storey: %.0f %%", late.number("J2_pct"),
		late.number("J4_pct"))
	l.says("4·10⁴ · 0.005/(2 · 10⁴) = %.2f. Half", left(0.005))
	if got := l.stability().number(ratio); math.Abs(got-left(0.005)) > 1e-4 {
		t.Errorf("damping ratio %g: want %g", got, left(0.005))
	}
	l.says("$`τ = %.2f`$ ms", 1e3*zeta*2*math.Sqrt(k*m)/ks)
	if none, _ := l.run("transfer.delay_ms=0"); none.number("J4_pct") > 0.01 {
		t.Errorf("J4 without delay: %g %%", none.number("J4_pct"))
	}
	l.says("becomes unstable at %.2f ms. At 15 ms its damping ratio is %.2f %%, by hand %.0f %%",
		l.stability().number(critical), 100*l.stability("transfer.delay_ms=15").number(ratio), 100*left(0.015))
	l.stable(true, "transfer.delay_ms=10.01")
	l.stable(false, "transfer.delay_ms=10.02", "transfer.delay_ms=15")
	l.says("tolerates %.2f ms", l.stability("specimen.stiffness=2e4").number(critical))
	l.says("so half: %.2f ms by hand, %.2f ms by the program", 1e3*zeta*2*math.Sqrt(4*k*m)/(4*ks),
		l.stability("structure.stiffnesses=[4e5]", "specimen.stiffness=16e4").number(critical))
}

// The numbers of lesson 2 are those of the program and of its formula.
func TestLessonFirstCompensator(t *testing.T) {
	l := lessonOf(t, "2-first-compensator", 0)
	c, _ := l.run()
	l.says("displacement %.1f ms after its target, and a tracking error J2 of %.1f %%", c.number("delay_ms"),
		c.number("J2_pct"))
	none, _ := l.run("compensator.kind=none")
	l.says("= %.0f ms in slow motion, and %.1f ms at 2 Hz", 1e3*2*0.75/100, none.number("delay_ms"))
	for _, tau := range []float64{5, 10, 20, 25} {
		c, _ := l.run(fmt.Sprintf("compensator.tau_ms=%g", tau))
		byHand := 100 * 2 * math.Pi * 2 * math.Abs(none.number("delay_ms")-tau) / 1000
		if math.Abs(c.number("J2_pct")-byHand) > 0.03*byHand {
			t.Errorf("tau_ms %g: J2 is %g %%, by the formula %g %%", tau, c.number("J2_pct"), byHand)
		}
	}
	best, _ := l.run("compensator.tau_ms=14.6")
	l.says("to 14.6.** J2 falls to %.2f %%", best.number("J2_pct"))
	if own, _ := l.run("compensator.tau_ms=0"); own.number("J2_pct") > 1 {
		t.Errorf("tau_ms 0: J2 is %g %%: want the actuator's own delay as lead", own.number("J2_pct"))
	}
	ahead, _ := l.run("compensator.tau_ms=20")
	l.says("leads by %.1f ms, and J2 is %.1f %%", -ahead.number("delay_ms"), ahead.number("J2_pct"))
	slow, _ := l.run("compensator.tau_ms=14.6", "transfer.omega_rad_s=60")
	l.says("does not know it: J2 is %.1f %%", slow.number("J2_pct"))
	twice, _ := l.run("target.frequency_hz=4")
	l.says("so does the error: %.1f %%", twice.number("J2_pct"))
	learns, _ := lessonOf(t, "2-first-compensator", 1).run()
	l.says("On the slower actuator J2 is %.1f %%", learns.number("J2_pct"))
}

// The numbers of lesson 3 are those of the program and of its formula.
func TestLessonStabilityMargin(t *testing.T) {
	l := lessonOf(t, "3-stability-margin", 0)
	s := l.stability()
	left := s.number("uncompensated_loop_delay_ms")
	l.says("tolerates a delay of %.2f ms, and the loop leaves %.2f ms. So %.2f ms more are allowed", s.number(critical),
		left, s.number("uncompensated_delay_margin_ms"))
	l.says("may be %.2f times as large", s.number("uncompensated_gain_margin"))
	l.says("%.5f} = %.2f", left/1e3, 400/(4e4*left/1e3))
	l.stable(true, "timing.force_delay=6", "sensors.force_gain=1.45")
	l.stable(false, "timing.force_delay=7", "sensors.force_gain=1.5")
	l.says("grows by %.1f %% a second", 100*l.stability("timing.force_delay=7").number("uncompensated_growth_per_s"))
	l.says("delay margin becomes %.2f ms", l.stability("compensator.kind=pe").number("compensated_delay_margin_ms"))
	ahead := l.stability("compensator={kind: pe, tau_ms: 14}")
	l.says("leads by %.2f ms, and the delay margin is %.2f ms", -ahead.number("compensated_loop_delay_ms"),
		ahead.number("compensated_delay_margin_ms"))
	wrong, _ := l.run("compensator={kind: pe, tau_ms: 14}")
	l.says("wrong: J4 is %.0f %%", wrong.number("J4_pct"))
}

// The numbers of lesson 4 are those of the program and of its formula.
func TestLessonTwoStoreys(t *testing.T) {
	l := lessonOf(t, "4-two-storeys", 0)
	s := l.stability()
	l.says("tolerates %.2f ms, and the limit is at %.2f Hz", s.number(critical), s.number("critical_exact_hz"))
	var byHand []float64
	for i, sign := range []float64{-1, 1} {
		const m1, m2, k, ks, zeta = 1000, 3000, 1e6, 2e5, 0.02
		b := k * (2*m2 + m1) // m1 m2 omega⁴ − b omega² + k² = 0
		omega := math.Sqrt((b + sign*math.Sqrt(b*b-4*m1*m2*k*k)) / (2 * m1 * m2))
		upper := 2 - m1*omega*omega/k // of the mode shape, where the lower floor has 1
		mass := m1 + m2*upper*upper
		byHand = append(byHand, 1e3*2*zeta*omega*mass/ks)
		digits := strings.Replace(fmt.Sprintf("%.0f", mass), "11236", "11 236", 1)
		l.says("| %d | %.2f | %s | %.*f |", i+1, omega/(2*math.Pi), digits, i+1, byHand[i])
	}
	fast, verdict := l.run("transfer.delay_ms=20")
	l.says("J2 is %.0f %%, and the test is %s", fast.number("J2_pct"), verdict)
	l.says("falls to %.2f ms, by hand %.2f ms", l.stability("specimen.stiffness=4e5").number(critical),
		slices.Min(byHand)/2)
	upper := l.stability("interface_dof=2")
	l.says("decides: %.2f ms at %.2f Hz", upper.number(critical), upper.number("critical_exact_hz"))
}
