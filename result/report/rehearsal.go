package report

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"math/cmplx"
	"path/filepath"

	"rths"
	"rths/maths/signal"
	"rths/result/plotting"
	"rths/result/record"
)

// Rehearses reports whether a run is the rehearsal of a test in the laboratory: virtual, of the same scenario, by
// the same version of the program.
func Rehearses(run, test *record.Manifest) bool {
	if test.Test == nil || test.Test.Rehearsal == nil || run.Test != nil || run.Rig != nil && !run.Rig.Virtual {
		return false
	}
	sum := sha256.Sum256([]byte(run.Scenario))
	return hex.EncodeToString(sum[:]) == test.Test.Rehearsal.Scenario && run.Version == test.Test.Rehearsal.Version
}

// WithRehearsal is a run, and its rehearsal if it is a test that has one. The rehearsal is in the folder that the
// manifest names, or beside the test if both were moved.
func WithRehearsal(run *record.Archive) []*record.Archive {
	t := run.Manifest.Test
	if t == nil || t.Rehearsal == nil {
		return []*record.Archive{run}
	}
	beside := filepath.Join(filepath.Dir(filepath.Clean(run.Dir)), filepath.Base(t.Rehearsal.Folder))
	for _, dir := range []string{t.Rehearsal.Folder, beside} {
		if r, err := record.Open(dir); err == nil && Rehearses(&r.Manifest, &run.Manifest) {
			return []*record.Archive{run, r}
		}
	}
	return []*record.Archive{run} // the rehearsal may be gone
}

// paired reports whether two runs are a test and its rehearsal, in this order.
func paired(runs []*record.Archive) bool {
	return len(runs) == 2 && Rehearses(&runs[1].Manifest, &runs[0].Manifest)
}

// testFirst are the runs in their order, but a test before its rehearsal.
func testFirst(runs []*record.Archive) []*record.Archive {
	if len(runs) == 2 {
		if turned := []*record.Archive{runs[1], runs[0]}; paired(turned) {
			return turned
		}
	}
	return runs
}

// rehearsalName is what the rehearsal of a test is called beside it.
const rehearsalName = "rehearsal"

// namesOf are the names of runs on a page and the words that all begin with. A test and its rehearsal are called so.
func namesOf(runs []*record.Archive) (names []string, beginning string) {
	if paired(runs) {
		return []string{"test", rehearsalName}, ""
	}
	return shortNames(runNames(runs))
}

// against says in sentences how far a test is from its rehearsal; nil without one.
func against(a *record.Archive, rehearsed *record.Archive) (out []string) {
	t := a.Manifest.Test
	if t == nil || t.Rehearsal == nil {
		return nil
	}
	r := t.Rehearsal
	number := func(x record.Number, scale float64, unit string) string {
		return record.Text("%.3g", scale*float64(x)) + " " + unit
	}
	if !rths.Finite(float64(r.DisplacementPct)) {
		out = append(out, fmt.Sprintf("The test has no ticks that can be compared with the rehearsal %s.", r.Folder))
	} else {
		out = append(out,
			fmt.Sprintf("The measured displacement of the test differs from the rehearsal's by %s, the measured force by %s "+
				"(rms of the difference over rms of the rehearsal).", number(r.DisplacementPct, 1, "%"),
				number(r.ForcePct, 1, "%")),
			fmt.Sprintf("The largest displacement is %s in the test and %s in the rehearsal; the largest force is %s and %s.",
				number(r.PeakM, 1e3, "mm"), number(r.RehearsedPeakM, 1e3, "mm"), number(r.PeakN, 1e-3, "kN"),
				number(r.RehearsedPeakN, 1e-3, "kN")),
			partedText(float64(r.PartedS)))
	}
	if c := a.Manifest.Client; c != nil && c.LateSamples > 0 {
		out = append(out,
			fmt.Sprintf("Late targets have stretched the test by %d samples: from the first late target on, equal times of "+
				"test and rehearsal are not equal times of the analysis.", c.LateSamples))
	}
	switch {
	case rehearsed == nil:
		out = append(out,
			fmt.Sprintf("The record of the rehearsal, %s, is not beside the test: rths report TEST REHEARSAL draws both.",
				r.Folder))
	case a.Rows() > 0 && rehearsed.Rows() > a.Rows():
		out = append(out,
			fmt.Sprintf("Differences and peaks are of the ticks that both have: the test has %d, the rehearsal %d.", a.Rows(),
				rehearsed.Rows()))
	}
	return out
}

func partedText(t float64) string {
	if !rths.Finite(t) {
		return "No displacement differs by more than a tenth of the rehearsal's largest."
	}
	return fmt.Sprintf("At t = %.3f s a displacement first differs by more than a tenth of the rehearsal's largest.", t)
}

// rehearsed adds the figures of a test beside its rehearsal in front of all others: the
// difference, and amplitude spectra.
func (fs *figures) rehearsed(test, rehearsal source) {
	var list, spectra []figure
	axes := min(test.count("measured", "m"), rehearsal.count("measured", "m"))
	for i := range axes {
		id, who := "", ""
		if axes > 1 {
			id, who = fmt.Sprintf("-%d", i+1), fmt.Sprintf(", actuator %d", i+1)
		}
		if f, ok := fs.departure(test, rehearsal, i); ok {
			f.id, f.title = "difference"+id, "Measured displacement: test − rehearsal"+who
			list = append(list, f)
		}
		spectra = append(spectra, fs.amplitudes(test, rehearsal, test.numbered("measured", "m", i), figure{
			id: "displacement-spectrum" + id, title: "Amplitude spectrum of the measured displacement" + who,
			yLabel: "amplitude, mm",
		}, 1e3)...)
	}
	for i := range min(test.count("force", "N"), rehearsal.count("force", "N")) {
		name := test.numbered("force", "N", i)
		f := figure{id: "force-spectrum", title: "Amplitude spectrum of the measured force", yLabel: "amplitude, kN"}
		if test.count("force", "N") > 1 {
			f.id, f.title = fmt.Sprintf("%s-%d", f.id, i+1), fmt.Sprintf("%s %d", f.title, i+1)
		}
		spectra = append(spectra, fs.amplitudes(test, rehearsal, name, f, 1e-3)...)
	}
	behind := fs.sections
	fs.sections = nil
	fs.section("Test against rehearsal", append(list, spectra...))
	fs.sections = append(fs.sections, behind...)
	if t := float64(test.archive.Manifest.Test.Rehearsal.PartedS); rths.Finite(t) {
		fs.marks = append(fs.marks, mark{t, t, "test and rehearsal differ by a tenth"})
	}
}

// departure is the difference of actuator i over time, with the level at which test and rehearsal part.
func (fs *figures) departure(test, rehearsal source, i int) (figure, bool) {
	now, ok := test.trace(test.numbered("measured", "m", i), 1000)
	before, had := rehearsal.trace(rehearsal.numbered("measured", "m", i), 1000)
	if !ok || !had || now.values.Len() == 0 {
		return figure{}, false
	}
	f := figure{xLabel: timeLabel, yLabel: "difference, mm", level: record.PartsAt * peakOf(before),
		levelName: "a tenth of the rehearsal's largest"}
	f.line(true, "test − rehearsal", overTime, fs.add(difference(now, before)), plotting.Colours[1])
	return f, true
}

// Bounds of an amplitude spectrum.
const (
	leastLines   = 16   // frequencies that make a spectrum
	motionShare  = 0.01 // of the largest amplitude: above the last frequency with that much nothing is drawn
	floorShare   = 1e-4 // of the largest amplitude: where the vertical axis ends
	aboveMotion  = 1.5  // of that frequency
	taperShare   = 0.05 // of the length at each end
	spectrumMost = 2000 // points of a curve
)

// amplitudes is the amplitude spectrum of a column of test and rehearsal, over the ticks that both have, up to the
// frequency above which nothing moves. There is none without motion.
func (fs *figures) amplitudes(test, rehearsal source, column string, f figure, scale float64) []figure {
	now, ok := test.trace(column, scale)
	before, had := rehearsal.trace(column, scale)
	n := min(now.values.Len(), before.values.Len())
	if !ok || !had || n < 2*leastLines {
		return nil
	}
	lines := [][]float64{amplitude(now.values.First(n)), amplitude(before.values.First(n))}
	largest, last := 0.0, leastLines
	for _, l := range lines {
		for _, a := range l {
			largest = max(largest, a)
		}
	}
	if !(largest > 0) || !rths.Finite(largest) {
		return nil
	}
	for _, l := range lines {
		for k, a := range l {
			if a >= motionShare*largest {
				last = max(last, int(aboveMotion*float64(k+1)))
			}
		}
	}
	f.xLabel, f.shape, f.logY = "frequency, Hz", half, true
	// The rehearsal is drawn on top, dashed: an equal curve does not hide it.
	for i, c := range []struct{ name, colour string }{{"test", plotting.Colours[0]},
		{rehearsalName, plotting.Colours[1]}} {
		x, y := spectrumPoints(lines[i][:min(last, len(lines[i]))], test.rate/float64(n), floorShare*largest)
		f.line(true, c.name, fs.add(listed(x)), fs.add(listed(y)), c.colour)
	}
	f.curves[1].dashed = true
	return []figure{f}
}

// spectrumPoints are frequencies, Hz, and amplitudes, not below a floor; of many lines the largest of neighbours.
func spectrumPoints(lines []float64, step, floor float64) (x, y []float64) {
	group := (len(lines) + spectrumMost - 1) / spectrumMost
	for k := 0; k < len(lines); k += group {
		at, largest := k, floor
		for j := k; j < min(k+group, len(lines)); j++ {
			if lines[j] > largest {
				at, largest = j, lines[j]
			}
		}
		x, y = append(x, float64(at+1)*step), append(y, largest)
	}
	return x, y
}

// amplitude is 2 |Σ w x e^(−iωt)| / Σ w of each frequency, of a signal x without its mean, with weights w of 1 that
// fall to 0 at both ends as a cosine: a sine over the whole length has its own amplitude.
func amplitude(values record.Signal) []float64 {
	n := values.Len()
	mean, sum := 0.0, 0.0
	for k := range n {
		mean += values.At(k) / float64(n)
	}
	x := make([]float64, n)
	edge := taperShare * float64(n)
	for k := range n {
		weight := 1.0
		if d := min(float64(k), float64(n-1-k)); d < edge {
			weight = 0.5 - 0.5*math.Cos(math.Pi*d/edge)
		}
		sum += weight
		x[k] = weight * (values.At(k) - mean)
	}
	lines := signal.Spectrum(x)
	out := make([]float64, len(lines))
	for k, c := range lines {
		out[k] = 2 * cmplx.Abs(c) / sum
	}
	return out
}
