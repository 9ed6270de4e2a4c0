package analyse

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"rths/kit/rthstest"
)

// followed is 24 s of a motion of 3.7 mm below some 10 Hz, and what follows it after a delay, with 2 µm of noise.
func followed(delay float64, then func(k int, x float64) float64) *Identify {
	const rate, n = 500.0, 12000
	r := rand.New(rand.NewPCG(3, 4))
	a := math.Exp(-2 * math.Pi * 3 / rate)
	s := &Identify{RateHz: rate, Command: make([]float64, n), Measured: make([]float64, n)}
	var low [3]float64
	for k := range n {
		in := r.NormFloat64()
		for i := range low {
			low[i] = a*low[i] + (1-a)*in
			in = low[i]
		}
		s.Command[k] = in * math.Sin(math.Pi*float64(k)/n)
	}
	most := max(slices.Max(s.Command), -slices.Min(s.Command))
	for k := range n {
		s.Command[k] *= 3.7e-3 / most
	}
	whole, part := math.Modf(delay * rate)
	at := func(k int) float64 { return s.Command[max(0, k)] }
	for k := range n {
		early := k - int(whole)
		s.Measured[k] = then(k, (1-part)*at(early)+part*at(early-1)) + 2e-6*r.NormFloat64()
	}
	return s
}

// fault is what a sensor or an actuator adds to a delay, s, and what is said of it.
type fault struct {
	delay   float64
	then    func(k int, x float64) float64
	off     float64 // of the headline, ms
	gain    float64
	notes   []string
	without []string
}

func (c fault) said(t *testing.T, name string, out *Identification) {
	t.Helper()
	notes := strings.Join(out.Notes, "\n")
	if d := math.Abs(out.DelayMS - 1e3*c.delay); !(d <= c.off) || !(math.Abs(out.Gain-c.gain) < 0.03) ||
		out.Continuous == nil {
		t.Errorf("%s: delay %.3f ms, gain %.3f: want %.3f, %.3g; %s", name, out.DelayMS, out.Gain, 1e3*c.delay, c.gain,
			notes)
	}
	for _, want := range c.notes {
		if !strings.Contains(notes, want) {
			t.Errorf("%s: notes %s: want one with %q", name, notes, want)
		}
	}
	for _, word := range c.without {
		if strings.Contains(notes, word) {
			t.Errorf("%s: notes %s: want none with %q", name, notes, word)
		}
	}
}

// Doubts name what a sensor or an actuator adds. The delay stays right where it can, and both
// estimates stand beside each other.
func TestIdentifySaysFaults(t *testing.T) {
	play, slow := 0.0, 0.0
	a := math.Exp(-1 / (0.03 * 500))
	for name, c := range map[string]fault{
		"nothing": {12.4e-3, func(_ int, x float64) float64 { return x }, 0.05, 1, nil,
			[]string{"drifts", "command is 0", "backlash", "saturated", "jumps", "differ", "no linear", "moves"}},
		"drift of 4 µm/s": {12.4e-3, func(k int, x float64) float64 { return x + 4e-6*float64(k)/500 }, 0.05, 1,
			[]string{"the measurement drifts by 4 µm/s, 0.096 mm in the test: taken out here, let it warm up"},
			[]string{"differ", "command is 0"}},
		"offset and drift": {12.4e-3, func(k int, x float64) float64 { return x + 1e-3 - 20e-6*float64(k)/500 }, 0.05, 1,
			[]string{"the measurement is 1 mm while the command is 0 and drifts by -20 µm/s, -0.48 mm in the test: " +
				"taken out here"}, []string{"differ"}},
		"an offset that dies away": {12.4e-3, func(k int, x float64) float64 { return x + 0.3e-3*math.Exp(-float64(k)/3000) },
			0.1, 1,
			[]string{"the two estimates of the delay differ, 12.", "by the discrete model: a drifting offset"}, nil},
		"backlash of 1 mm": {35.5e-3, func(k int, x float64) float64 {
			if k == 0 {
				play = 0
			}
			play = min(max(play, x-0.5e-3), x+0.5e-3)
			return play
		}, 60, 0.95,
			[]string{"a backlash (play, or friction) of about 1 mm in all explains what no linear model explains: without it " +
				"the gain is ", " and the delay 35."}, []string{"saturated"}},
		"backlash of 1 mm after a lag of 30 ms": {5.5e-3, func(k int, x float64) float64 {
			if k == 0 {
				play, slow = 0, 0
			}
			slow = a*slow + (1-a)*x
			play = min(max(play, slow-0.5e-3), slow+0.5e-3)
			return play
		}, 100, 0.95, []string{"a backlash (play, or friction) of about "}, []string{"saturated"}},
		"a sensor of 1.2 mm": {12.4e-3, func(_ int, x float64) float64 { return min(max(x, -1.2e-3), 1.2e-3) }, 0.05, 1,
			[]string{"the measurement stays at -1.2 mm and 1.2 mm in ",
				"the sensor or the actuator is saturated; gain, delay and models here are without that"},
			[]string{"backlash", "moves", "differ"}},
		"one spike": {12.4e-3, func(k int, x float64) float64 {
			if k == 8123 {
				return 9.999
			}
			return x
		}, 0.05, 1, []string{"the measurement jumps and comes back at once at sample 8124 (16.246 s, 9999 mm): taken " +
			"for a fault"}, []string{"differ", "command is 0"}},
		"a delay of 0.2 mm that friction adds": {12.4e-3,
			func(k int, x float64) float64 { return x + 0.3e-3*math.Sin(1e3*x)*math.Cos(float64(k)/30) }, 2, 1,
			[]string{"no linear model explains "}, []string{"backlash", "saturated"}},
	} {
		like := []string{"drift of 4 µm/s", "offset and drift", "backlash of 1 mm after a lag of 30 ms", "backlash of 1 mm",
			"a delay of 0.2 mm that friction adds"}
		if slices.Contains(like, name) && rthstest.Draws(0, 1) == 0 {
			continue
		}
		out := identified(t, followed(c.delay, c.then))
		c.said(t, name, out)
		const part = 0.02 // of the play and the delay without it
		want := 35.5
		if strings.Contains(name, "after a lag") {
			want = 35.5 - 1 // the lag of this test answers at once: 14.5 samples
		}
		if b := out.Backlash; b != nil && !(math.Abs(b.Play-1e-3) < part*1e-3 && math.Abs(b.DelayMS-want) < part*want &&
			math.Abs(b.Gain-1) < part) {
			t.Errorf("%s: %+v: want 1 mm, %.4g ms, 1 within %g", name, *b, want, part)
		}
	}
}

// A short chirp that stops in full motion tells gain, lag and delay all the same.
func TestIdentifyAShortChirp(t *testing.T) {
	const rate, lag = 1000.0, 0.02
	s := &Identify{RateHz: rate}
	x, a := 0.0, math.Exp(-1/(lag*rate))
	for k := range 8000 {
		now := float64(k) / rate
		s.Command, s.Measured = append(s.Command, 0.01*math.Sin(2*math.Pi*(0.1*now+4.9*now*now/16))), append(s.Measured, x)
		x = a*x + (1-a)*s.Command[k]
	}
	out := identified(t, s)
	if c := out.Continuous; c == nil || c.Order != 1 || c.DelayMS != 0 || math.Abs(c.Num[0]-1) > 1e-3 ||
		math.Abs(c.Den[0]-lag) > 1e-4 {
		t.Errorf("continuous model %+v: want 1/(0.02 s + 1)", c)
	}
	if math.Abs(out.DelayMS-20.5) > 0.02 || math.Abs(out.DiscreteMS-20.5) > 0.02 {
		t.Errorf("delay %.3f and %.3f ms: want 20.5", out.DelayMS, out.DiscreteMS)
	}
}

// Spikes at many places are no accident: the test is refused, and the first place is named.
func TestIdentifyRefusesManySpikes(t *testing.T) {
	s := followed(12.4e-3, func(k int, x float64) float64 {
		if k%1000 == 999 {
			return -0.5
		}
		return x
	})
	if _, err := s.Run(); err == nil || !strings.Contains(err.Error(),
		"12 times, first at sample 1000 (1.998 s, -500 mm): want a signal without spikes") {
		t.Errorf("error %v: want one about spikes", err)
	}
	s.Command, s.Measured = s.Measured, s.Command
	if notes := strings.Join(identified(t, s).Notes, "\n"); !strings.Contains(notes,
		"the command jumps and comes back at once at sample 1000 (1.998 s, -500 mm), sample 2000") ||
		!strings.Contains(notes, "9 more") {
		t.Errorf("notes %q: want one about spikes of the command", notes)
	}
}

// A spike is found at any place, if it is far larger than the noise, even if not than the motion: spikes of one sample
// or eight, in the first and the last sample. Steps, corners and pulses that are longer are motions.
func TestSpikesOfAnySize(t *testing.T) {
	const n = 4000
	for name, c := range map[string]struct {
		add  func(k int, x float64) float64
		want []spike
	}{
		"none":        {func(_ int, x float64) float64 { return x }, nil},
		"0.5 mm of 8": {func(k int, x float64) float64 { return x + 0.5*at(k, 1700, 1701) }, []spike{{1700, 1701}}},
		"dropouts": {func(k int, x float64) float64 { return x * (1 - at(k, 1700, 1702) - at(k, 2222, 2223)) },
			[]spike{{1700, 1702}, {2222, 2223}}},
		"four samples":  {func(k int, x float64) float64 { return x + 9999*at(k, 1700, 1704) }, []spike{{1700, 1704}}},
		"eight samples": {func(k int, x float64) float64 { return x + 9999*at(k, 1700, 1708) }, []spike{{1700, 1708}}},
		"first":         {func(k int, x float64) float64 { return x + 9999*at(k, 0, 1) }, []spike{{0, 1}}},
		"last two":      {func(k int, x float64) float64 { return x - 50*at(k, n-2, n) }, []spike{{n - 2, n}}},
		"a step":        {func(k int, x float64) float64 { return x + 3*at(k, 1700, n) }, nil},
		"a pulse":       {func(k int, x float64) float64 { return x + 3*at(k, 1700, 1720) }, nil},
		"clipped":       {func(_ int, x float64) float64 { return min(max(x, -5), 5) }, nil},
		"corners":       {func(k int, _ float64) float64 { return math.Abs(float64(k%400-200)) / 25 }, nil},
		"steps of 0.1":  {func(_ int, x float64) float64 { return math.Round(x/0.1) * 0.1 }, nil},
	} {
		r, v := rand.New(rand.NewPCG(1, 2)), make([]float64, n)
		for k := range v {
			now := float64(k) / 500
			v[k] = c.add(k, 8*math.Sin(2*math.Pi*(0.3*now+0.4*now*now)+0.5)+2e-3*r.NormFloat64())
		}
		if got := spikes(v); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v: want %v", name, got, c.want)
		}
	}
}

// at is 1 from one sample to another, else 0.
func at(k, from, to int) float64 {
	if k >= from && k < to {
		return 1
	}
	return 0
}

// Where no continuous model fits, gain and delay are means of the frequency response: of one frequency, of columns
// that are swapped, of a wrong sign.
func TestIdentifyWithoutAModel(t *testing.T) {
	sine := followed(0, func(_ int, x float64) float64 { return x })
	for k := range sine.Command {
		now := float64(k) / sine.RateHz
		sine.Command[k], sine.Measured[k] = 0.005*math.Sin(2*math.Pi*now),
			-0.0049*math.Sin(2*math.Pi*(now-0.0124))+1e-6*math.Sin(1e5*now*now)
	}
	swapped := followed(12.4e-3, func(_ int, x float64) float64 { return x })
	swapped.Command, swapped.Measured = swapped.Measured, swapped.Command
	for name, c := range map[string]struct {
		test        *Identify
		delay, gain float64
		note        string
	}{
		"one frequency, wrong sign": {sine, 12.4, -0.98, "no continuous model: 1 frequencies with enough power"},
		"swapped columns": {swapped, -12.4, 1,
			"the measurement leads the command by 12.4 ms, which no loading system does: are the two columns swapped?"},
	} {
		out := identified(t, c.test)
		notes := strings.Join(out.Notes, "\n")
		if out.Continuous != nil || math.Abs(out.DelayMS-c.delay) > 0.05 || math.Abs(out.Gain-c.gain) > 1e-3 ||
			!strings.Contains(notes, c.note) {
			t.Errorf("%s: delay %.4g ms, gain %.4g: want %g, %g; %s", name, out.DelayMS, out.Gain, c.delay, c.gain, notes)
		}
		if !strings.Contains(notes, "gain and delay are means of the frequency response in its band") ||
			strings.Contains(notes, "saturated") {
			t.Errorf("%s: notes %s", name, notes)
		}
	}
}
