package papers

import (
	"fmt"
	"math"
	"slices"

	"rths"
)

// Settings of a method in the suite kalman-inverse.
const (
	byDefault = "default"
	asPreset  = "preset"
	asTuned   = "tuned"
)

// sisoFile is the shipped scenario of the single-actuator benchmark.
const sisoFile = "benchmark-siso.yaml"

// settledMethod is a method with its settings as overrides.
type settledMethod struct {
	name, settings string
	sets           []string
}

// methods lists the methods of a row with all settings that the suite has for them: the defaults; what the suite siso
// sets, on the benchmark at its own rate; what tuning found for the row's group.
func (s *KalmanInverse) methods(r *kalmanInverseRow) (out []settledMethod) {
	for _, name := range s.Compensators {
		plain := []string{"compensator.kind=" + name}
		out = append(out, settledMethod{name, byDefault, plain})
		preset := slices.Concat(settled(name), foundForSISO(name))
		if r.file == sisoFile && r.Rate == 4096 && !slices.Equal(preset, plain) {
			out = append(out, settledMethod{name, asPreset, preset})
		}
		if tuned := tunedFor(r)[name]; tuned != nil {
			for _, set := range tuned {
				plain = append(plain, "compensator."+set)
			}
			out = append(out, settledMethod{name, asTuned, plain})
		}
	}
	return out
}

// tunedFor are the tuned settings of the methods for the group of a row.
func tunedFor(r *kalmanInverseRow) map[string][]string {
	for _, key := range []string{r.group, r.part} {
		if tuned, ok := tunedForKalman[key]; ok {
			return tuned
		}
	}
	return tunedForKalman[""]
}

// atOnce are motions that begin within their strong part: the records of the benchmark from the sample on at which they
// first reach a fifth of their peak.
func atOnce() (rows []*kalmanInverseRow) {
	windows := map[string][2]float64{"elcentro": {5.94, 41.18}, "kobe": {8.87, 50.94}, "morgan": {5.78, 39.97}}
	motions(func(record string, partition int) {
		w := windows[record]
		r := sisoKalmanRow("motions that start at once", "on", record, partition, 0, 4096,
			[]string{fmt.Sprintf("ground.window_s=[%g, %g]", w[0], w[1])})
		r.Record = fmt.Sprintf("%s from %g s", record, w[0])
		rows = append(rows, r)
	})
	return rows
}

// pairs compares the first method of a group at its defaults with the best of the others, run by run.
type pairs struct {
	method        string
	n, best, lost int     // pairs; where the first is best; where it did not complete and another did
	ratio, worst  float64 // of its J2 and the J2 of the best other: geometric mean, largest
}

// pairsOf compares the runs of a group. Runs of one pair follow each other, the first method at its defaults first.
func pairsOf(group []*kalmanInverseRow) (p pairs) {
	p.method = group[0].Method
	sum := 0.0
	for len(group) > 0 {
		n := 1 + slices.IndexFunc(group[1:], func(r *kalmanInverseRow) bool {
			return r.Method == p.method && r.Settings == byDefault
		})
		if n == 0 {
			n = len(group)
		}
		own, other := group[0], math.Inf(1)
		for _, r := range group[1:n] {
			if r.Method != p.method && r.Status == rths.Completed {
				other = min(other, r.J2)
			}
		}
		group = group[n:]
		switch {
		case math.IsInf(other, 1):
		case own.Status != rths.Completed:
			p.lost++
		default:
			p.n++
			if own.J2 < other {
				p.best++
			}
			sum += math.Log(own.J2 / other)
			p.worst = max(p.worst, own.J2/other)
		}
	}
	p.ratio = math.Exp(sum / max(1, float64(p.n)))
	return p
}

func (p pairs) String() string {
	if p.n+p.lost == 0 {
		return ""
	}
	text := fmt.Sprintf("%s at its defaults is best in %d of %d pairs.", p.method, p.best, p.n+p.lost)
	if p.n > 0 {
		text += fmt.Sprintf(" Its J2 is %.2f times the best other's on average, %.2f times at worst.", p.ratio, p.worst)
	}
	if p.lost > 0 {
		text += fmt.Sprintf(" It did not complete %d pairs that another completed.", p.lost)
	}
	return text + "\n"
}
