// The picture of README: one test without a compensator and with one, from two runs of rths.
//
//	go run ./.ci/figures/readme -rths dist/rths -o docs/with-and-without.svg
package main

import (
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"rths/result/plotting"
	"rths/result/record"
)

const (
	demo          = "scenarios/demo.yaml"
	width, height = 640, 470
	left, right   = 62, 626
	endS, limitMM = 14.0, 6.0
)

func main() {
	program := flag.String("rths", "dist/rths", "the program")
	out := flag.String("o", "docs/with-and-without.svg", "the picture")
	flag.Parse()
	if err := draw(*program, *out); err != nil {
		log.Fatal(err)
	}
}

func draw(program, out string) error {
	folder, err := os.MkdirTemp("", "readme")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(folder) }()

	without, err := run(program, filepath.Join(folder, "without"), "--set", "compensator.kind=none")
	if err != nil {
		return err
	}
	with, err := run(program, filepath.Join(folder, "with"))
	if err != nil {
		return err
	}

	var s strings.Builder
	fmt.Fprintf(&s, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="16">
<title>The same test without a compensator, where the motion grows without bound, and with one, where it follows the `+
		`undivided structure</title>
<style>
.ground{fill:#fff} text{fill:%s} .axis{stroke:#8a8a8a;fill:none} .true{stroke:#b0b0b0;stroke-width:3.2;fill:none}
.wild{stroke:%s;stroke-width:1.3;fill:none} .tame{stroke:%s;stroke-width:1.3;fill:none} `+
		`.dead{fill:%s;font-weight:bold} .well{fill:%s;font-weight:bold}
@media (prefers-color-scheme:dark){.ground{fill:#0d1117} text{fill:#e6e6e6} .true{stroke:#777} .wild{stroke:#ff8a4c} `+
		`.tame{stroke:%s} .dead{fill:#ff8a4c} .well{fill:%s}}
</style>
<rect class="ground" width="%d" height="%d"/>
`, width, height, plotting.Ink, plotting.Vermillion, plotting.Blue, plotting.Vermillion, plotting.Blue,
		plotting.SkyBlue, plotting.SkyBlue, width, height)

	last := float64(without.Rows()-1) / without.RateHz
	panel(&s, without, 44, "wild", "dead", fmt.Sprintf("Without a compensator: lost at %.1f s", last))
	panel(&s, with, 244, "tame", "well", fmt.Sprintf("With amb-galmez2021: %.1f %% from the undivided structure",
		value(with, "J4_true_pct")))
	for t := 0.0; t <= endS; t += 2 {
		fmt.Fprintf(&s, `<text x="%.1f" y="420" text-anchor="middle">%g</text>`+"\n", atX(t), t)
	}
	fmt.Fprintf(&s, `<text x="%d" y="442" text-anchor="middle">time, s</text>`+"\n", (left+right)/2)
	fmt.Fprintf(&s, `<path class="true" d="M%d 458h26"/><text x="%d" y="463">undivided structure</text>`+"\n", left,
		left+34)
	fmt.Fprintf(&s,
		`<path class="wild" d="M%d 458h12"/><path class="tame" d="M%d 458h12"/><text x="%d" y="463">displacement of the `+
			`specimen, mm</text>`+"\n", left+220, left+234, left+254)
	s.WriteString("</svg>\n")
	return os.WriteFile(out, []byte(s.String()), 0o644)
}

// run runs the demo with more flags, and reads its record. A run that diverges is one too.
func run(program, folder string, more ...string) (*record.Archive, error) {
	c := exec.Command(program, append([]string{"run", demo, "--out", folder}, more...)...)
	if text, err := c.CombinedOutput(); err != nil && c.ProcessState.ExitCode() != 1 {
		return nil, fmt.Errorf("%s: %w\n%s", c, err, text)
	}
	return record.Open(folder)
}

func value(a *record.Archive, name string) float64 {
	for _, v := range a.Criteria {
		if v.Name == name {
			return v.V
		}
	}
	log.Fatalf("no criterion %s", name)
	return 0
}

func atX(t float64) float64 { return left + (right-left)*t/endS }

// panel draws the displacement of a run and of the undivided structure within ± limitMM below its heading.
func panel(s *strings.Builder, a *record.Archive, top float64, line, heading, text string) {
	const tall = 150.0
	middle := top + tall/2
	fmt.Fprintf(s, `<text class="%s" x="%d" y="%g">%s</text>`+"\n", heading, left, top-12, text)
	fmt.Fprintf(s, `<clipPath id="%s"><rect x="%d" y="%g" width="%d" height="%g"/></clipPath>`+"\n", line, left, top,
		right-left, tall)
	for _, mm := range []float64{-4, 0, 4} {
		y := middle - mm/limitMM*tall/2
		fmt.Fprintf(s,
			`<path class="axis" stroke-opacity="0.45" d="M%d %.1fH%d"/><text x="%d" y="%.1f" text-anchor="end">%g</text>`+"\n",
			left, y, right, left-8, y+5, mm)
	}
	fmt.Fprintf(s, `<g clip-path="url(#%s)"><path class="true" d="%s"/><path class="%s" d="%s"/></g>`+"\n",
		line, path(a, "ref_x1", middle, tall/2), line, path(a, "true_m", middle, tall/2))
	fmt.Fprintf(s, `<rect class="axis" x="%d" y="%g" width="%d" height="%g"/>`+"\n", left, top, right-left, tall)
}

// path is a column over time, a point every 8 ms: some 30 in a period.
func path(a *record.Archive, name string, middle, half float64) string {
	x, ok := a.Column(name)
	if !ok {
		log.Fatalf("no column %s", name)
	}
	var d strings.Builder
	step := int(0.008 * a.RateHz)
	for i := 0; i < len(x) && float64(i)/a.RateHz <= endS; i += step {
		y := middle - half*min(max(x[i]*1000/limitMM, -3), 3)
		fmt.Fprintf(&d, "%c%.1f %.1f", "ML"[min(i, 1)], atX(float64(i)/a.RateHz), y)
	}
	return d.String()
}
