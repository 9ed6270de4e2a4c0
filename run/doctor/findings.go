package doctor

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat/distuv"

	"rths/lab/realtime"
	"rths/run/session"
	"rths/scenario/files"
)

// format is the version of the file of findings.
const format = 1

// Findings are what an examination has found, as they stand in their file.
type Findings struct {
	Format       int                  `json:"format"`
	Machine      string               `json:"machine"` // see realtime.MachineID
	CPU          int                  `json:"cpu"`
	At           string               `json:"at"` // RFC 3339
	Version      string               `json:"version"`
	RateHz       float64              `json:"rate_hz"` // that was asked for
	Seconds      float64              `json:"seconds"`
	Conditions   []realtime.Condition `json:"conditions"`
	Measurements []Measurement        `json:"measurements"`
	Verdict      Verdict              `json:"verdict"`
}

// heldAt is the largest share of late ticks with which a rate is held.
const heldAt = 1e-4

// Confidence of a bound.
const confidence = 0.95

// Verdict is what an examination comes to.
type Verdict struct {
	RateHz   float64 `json:"rate_hz"`  // the highest that is held; 0: none
	Late     uint64  `json:"late"`     // ticks at that rate, or the lowest one, in the measurement with the most
	Ticks    uint64  `json:"ticks"`    // of it
	Share    float64 `json:"share"`    // of late ticks
	Bound    float64 `json:"bound"`    // of this share, with 95 % confidence
	Sentence string  `json:"sentence"` // all this in words
}

// bound is the share of late ticks that n of all, counted, stay below with 95 % confidence, if they come
// independently of each other (Poisson): 3/all for none. Late ticks that come in bursts are known worse.
func bound(n, all uint64) float64 {
	if all == 0 {
		return 1
	}
	return min(1, distuv.ChiSquared{K: 2 * float64(n+1)}.Quantile(confidence)/2/float64(all))
}

// verdict finds the highest rate that is held, as are all that were measured below it.
func (f *Findings) verdict() (held Verdict) {
	for _, rate := range f.Rates() {
		worst := f.worst(rate)
		t := worst.Realtime.Timing
		now := Verdict{RateHz: rate, Late: t.Late, Ticks: t.Ticks, Share: worst.share(), Bound: bound(t.Late, t.Ticks)}
		if now.Share > heldAt {
			if held.RateHz == 0 {
				held = now
				held.RateHz, held.Sentence = 0, fmt.Sprintf("This machine does not hold %g Hz: %s.", rate, now.words(worst))
			}
			break
		}
		held = now
		held.Sentence = fmt.Sprintf("This machine holds %g Hz: %s; measured for %g s: with 95 %% confidence at most a "+
			"share of %s of the ticks is late.", rate,
			now.words(worst), f.Seconds, scientific(now.Bound))
	}
	return held
}

// Rates are those that were measured, from low to high.
func (f *Findings) Rates() (list []float64) {
	for _, m := range f.Measurements {
		list = append(list, m.RateHz)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// holds reports whether a rate that was measured is held.
func (f *Findings) holds(rate float64) bool { return f.worst(rate).share() <= heldAt }

// share of late ticks; of no ticks all.
func (m *Measurement) share() float64 {
	if m.Realtime.Timing.Ticks == 0 {
		return 1
	}
	return float64(m.Realtime.Timing.Late) / float64(m.Realtime.Timing.Ticks)
}

func (v *Verdict) words(of *Measurement) string {
	return fmt.Sprintf("%d of %d ticks missed their deadline (%s; %s)", v.Late, v.Ticks, scientific(v.Share), of.Name())
}

func scientific(x float64) string {
	if x == 0 {
		return "0"
	}
	return fmt.Sprintf("%.1e", x)
}

// worst is the measurement at a rate with the largest share of late ticks; of equal ones the
// last, which is the hardest.
func (f *Findings) worst(rate float64) (worst *Measurement) {
	for i := range f.Measurements {
		m := &f.Measurements[i]
		if m.RateHz == rate && (worst == nil || m.share() >= worst.share()) {
			worst = m
		}
	}
	return worst
}

// Held reports whether the rate that was asked for is held.
func (f *Findings) Held() bool { return f.Verdict.RateHz >= f.RateHz }

// Notable are properties of the machine, and what came during the measurements, that real time does not want.
func (f *Findings) Notable() (list []realtime.Condition) {
	seen := map[string]bool{}
	add := func(c realtime.Condition) {
		if !c.Good && !seen[c.Name] {
			seen[c.Name] = true
			list = append(list, c)
		}
	}
	for _, c := range f.Conditions {
		add(c)
	}
	for _, m := range f.Measurements {
		for _, c := range m.Conditions {
			add(c)
		}
	}
	return list
}

// Path is where the findings about this machine are kept: $XDG_STATE_HOME/rths/doctor.json, or ~/.local/state.
func Path() (string, error) {
	dir := os.Getenv("XDG_STATE_HOME")
	if dir == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", fmt.Errorf("no folder for the findings: %w: set XDG_STATE_HOME", err)
		}
		dir = filepath.Join(home, ".local", "state")
	}
	return filepath.Join(dir, "rths", "doctor.json"), nil
}

// Keepable says beforehand whether findings can be kept.
func Keepable(path string) error {
	err := os.MkdirAll(filepath.Dir(path), 0o755)
	if err == nil {
		var probe *os.File
		if probe, err = os.CreateTemp(filepath.Dir(path), "probe"); err == nil {
			err = errors.Join(probe.Close(), os.Remove(probe.Name()))
		}
	}
	if err != nil {
		return fmt.Errorf("the findings cannot be kept: %w: want a folder that can be written to: set XDG_STATE_HOME", err)
	}
	return nil
}

// Keep keeps the findings.
func (f *Findings) Keep(path string) error {
	text, err := json.MarshalIndent(f, "", "  ")
	if err != nil {
		return err
	}
	return files.Write(path, func(w io.Writer) error {
		_, err := w.Write(append(text, '\n'))
		return err
	})
}

// errNone says that there are no findings about this machine.
var errNone = errors.New("this machine has not been examined")

// Load reads the findings that are kept about this machine and a processor.
func Load(path string, cpu int) (*Findings, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errNone
	}
	if err != nil {
		return nil, err
	}
	f := new(Findings)
	if err := json.Unmarshal(text, f); err != nil {
		return nil, fmt.Errorf("%s: %w: want the findings of rths doctor: run it again", path, err)
	}
	switch now := realtime.MachineID(); {
	case f.Format != format:
		return nil, fmt.Errorf("%w: %s has format %d, and this is %d", errNone, path, f.Format, format)
	case f.Machine != now:
		return nil, fmt.Errorf("%w: the findings are about %q, and this is %q", errNone, f.Machine, now)
	case f.CPU != cpu:
		return nil, fmt.Errorf("%w on processor %d: the findings are about %d", errNone, cpu, f.CPU)
	}
	return f, nil
}

// Proven is the rate that the doctor has found this machine to hold on a processor; nil where there is no place
// for findings.
func Proven(cpu int) (*session.Proven, error) {
	path, err := Path()
	if err != nil {
		return nil, nil
	}
	found, err := Load(path, cpu)
	if err != nil {
		return nil, err
	}
	text := fmt.Sprintf("rths doctor on %s: %s", found.At, found.Verdict.Sentence)
	return &session.Proven{RateHz: found.Verdict.RateHz, Text: text}, nil
}

// WantCPU refuses a processor that this machine has not.
func WantCPU(cpu int) error {
	online := realtime.Online("/")
	for _, c := range online {
		if c == cpu {
			return nil
		}
	}
	list := strings.Trim(strings.Join(strings.Fields(fmt.Sprint(online)), ", "), "[]")
	return fmt.Errorf("--cpu %d: want a processor of this machine: one of %s", cpu, list)
}
