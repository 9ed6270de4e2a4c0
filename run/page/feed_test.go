package page

import (
	"math"
	"slices"
	"testing"

	"rths/kit/rthstest"
	"rths/result/record"
	"rths/scenario"
)

// Rows tell when the run begins, and which readings and commands the link has lost.
func TestFeedOfALink(t *testing.T) {
	h := NewHub(nil)
	defer h.Close()
	of := plainTest(t)
	for _, name := range []string{"phase", "reading", "acted", "a0"} {
		of.Manifest.Columns = append(of.Manifest.Columns, record.Column{Name: name, Unit: "-", Source: "channel"})
	}
	of.Parameters = []scenario.Parameter{{Name: "a0", Lower: new(0.5)}}
	f, err := h.Begin(of)
	if err != nil {
		t.Fatal(err)
	}
	row := func(phase, reading, acted float64) { f.Row(append(rowAt(0, -1), phase, reading, acted, 1)) }
	row(0, -1, -1)
	row(1, 0, -1)
	row(1, 1, 0)
	if f.summary.start != nil {
		t.Errorf("the run has begun at %g s: want not yet", *f.summary.start)
	}
	row(2, 2, 1)
	row(2, 2, 1) // a late tick: the same reading again
	row(2, 4, 3) // reading 3 and command 2 are lost
	row(2, 5, 6) // commands 4 and 5
	row(3, 6, 7)
	if s := f.summary; s.start == nil || *s.start != 3./256 || s.readings != 1 || s.commands != 3 {
		t.Errorf("start %v, %d readings and %d commands lost: want 3/256 s, 1 and 3", s.start, s.readings, s.commands)
	}
	q := f.about.Quantities[len(f.about.Quantities)-1]
	if q.Panel != "parameters" || q.Name != "a0" || q.Lower == nil || *q.Lower != 0.5 || q.Upper != nil ||
		!f.about.Linked {
		t.Errorf("the parameter is %+v: want a0 with the lower bound 0.5 and no upper one", q)
	}
}

// The feed finds delay and amplitude of a sine that is late and small. It gives none before 2 s
// of the run, and none at rest.
func TestDelayAndAmplitude(t *testing.T) {
	const rate, late, size = 256, 0.012, 0.9
	for _, hz := range []float64{0, 1, 4, 10} {
		h := NewHub(nil)
		f, err := h.Begin(plainTest(t))
		if err != nil {
			t.Fatal(err)
		}
		row, early := rowAt(0, -1), math.NaN()
		for k := range 6 * rate {
			s := float64(k) / rate
			row[1], row[2] = 0.004*math.Sin(2*math.Pi*hz*s), size*0.004*math.Sin(2*math.Pi*hz*(s-late))
			f.Row(row)
			if k == rate {
				early = f.q[quantity(f, "delay")]
			}
		}
		h.Close()
		delay, amplitude := f.q[quantity(f, "delay")], f.q[quantity(f, "amplitude")]
		switch {
		case early == early:
			t.Errorf("%g Hz: a delay of %g ms after 1 s: want none yet", hz, early)
		case hz == 0 && (delay == delay || amplitude == amplitude):
			t.Errorf("at rest a delay of %g ms and an amplitude of %g %%: want none", delay, amplitude)
		case hz > 0 && (!(math.Abs(delay-1e3*late) < 0.12) || !(math.Abs(amplitude-100*size) < 0.9)):
			t.Errorf("%g Hz: delay %g ms, amplitude %g %%: want 12 and 90 within 1 %%", hz, delay, amplitude)
		}
	}
}

// A row with what is no displacement leaves no trace in delay and amplitude.
func TestIndicesWithoutAbsurdRows(t *testing.T) {
	_, clean := quiet(t)
	_, spoilt := quiet(t)
	row, absurd := rowAt(0, -1), rowAt(0, -1)
	for k := range 4 * 256 {
		s := float64(k) / 256
		row[1], row[2] = 0.004*math.Sin(2*math.Pi*4*s), 0.0036*math.Sin(2*math.Pi*4*(s-0.012))
		clean.Row(row)
		spoilt.Row(row)
		if x := []float64{math.NaN(), absurdM, -2 * absurdM, math.Inf(1)}; k%256 < len(x) {
			absurd[1], absurd[2] = row[1], x[k%256]
			spoilt.Row(absurd)
			absurd[1], absurd[2] = x[k%256], row[2]
			spoilt.Row(absurd)
		}
	}
	spoilt.Row(row)
	clean.Row(row)
	for _, name := range []string{"delay", "amplitude"} {
		if want, got := clean.q[quantity(clean, name)], spoilt.q[quantity(spoilt, name)]; got != want {
			t.Errorf("%s %g: want %g, as without the rows", name, got, want)
		}
	}
}

// A test that cannot be shown leaves the one before on the page.
func TestBeginRefuses(t *testing.T) {
	h, f := quiet(t)
	of := plainTest(t)
	of.Manifest.RateHz = 0
	_, err := h.Begin(of)
	rthstest.WantError(t, err, "synchrony: rate 0 Hz, axis 1 of 1: want a rate above 0")
	if h.of.Load() != f.about {
		t.Error("the page has a test that it cannot show")
	}
}

// Numbers that a column leaves out are lost, wherever the column stands; one that comes again or late is none.
func TestCounted(t *testing.T) {
	none, first := counted{place: -1, last: -1}, counted{place: 0, last: -1}
	for _, n := range []float64{-1, 0, 1, 1, 4, 3, 5} {
		none.see([]float64{n})
		first.see([]float64{n})
	}
	if none.left != 0 || first.left != 2 {
		t.Errorf("%d and %d numbers lost: want 0 without a column, and 2 and 3 of the first", none.left, first.left)
	}
}

func quantity(f *Feed, name string) int {
	return slices.IndexFunc(f.about.Quantities, func(q Quantity) bool { return q.Name == name })
}
