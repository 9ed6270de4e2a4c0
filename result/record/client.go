package record

import (
	"fmt"
	"strings"
)

// Client is the analysis in another program that gave the targets of a run.
type Client struct {
	Address     string `json:"address"`             // where it was listened for
	Protocol    string `json:"protocol"`            // tcp or udp
	DOF         int    `json:"dof"`                 // degrees of freedom of its element
	Units       string `json:"units"`               // as in structure.units
	PerTarget   int    `json:"samples_per_target"`  // of the loop
	Path        string `json:"path"`                // cubic or ramp
	Extrapolate int    `json:"extrapolate_samples"` // for which a cubic goes on while a target has not come

	Steps       int       `json:"steps"`        // that the analysis committed during the run
	Motions     int       `json:"motions"`      // to a new target each
	TimeS       float64   `json:"time_s"`       // of the analysis at the end of the run, s
	TimeScale   float64   `json:"time_scale"`   // time in the test, until the farewell, over time in the analysis
	LateTargets int       `json:"late_targets"` // that came later than the path could make up for
	LateSamples int       `json:"late_samples"` // by which they have stretched the test
	LongestWait int       `json:"longest_wait"` // samples from an answer to the next target, the largest number
	RestSamples int       `json:"rest_samples"` // after the farewell: the path came to rest
	Ended       bool      `json:"ended"`        // the analysis ended the run
	End         ClientEnd `json:"end"`
}

// ClientEnd is how a run and its analysis have parted.
type ClientEnd string

// How they part.
const (
	Farewell     ClientEnd = "farewell"
	Gone         ClientEnd = "gone"
	NotFinite    ClientEnd = "not-finite"
	SecondMotion ClientEnd = "second-motion"
	Broken       ClientEnd = "broken"
	Held         ClientEnd = "held"
	TimeUp       ClientEnd = "time-up"
	Left         ClientEnd = "left"
)

// clientEnds are the ends in words.
var clientEnds = map[ClientEnd]string{
	Farewell:     "it sent its last message",
	Gone:         "it has closed the connection without its last message",
	NotFinite:    "it gave a displacement that is not finite, which no actuator got",
	SecondMotion: "it asked for a second motion in one step, and real time has one",
	Broken:       "it could not be served: the end of the run says why",
	Held:         "the guard acted first: the analysis got the last force until it left",
	TimeUp:       "the time of the run (duration_s) was over first: the analysis got the last force until it left",
	Left:         "the run ended first: the analysis got the last force until it left",
}

// Line is a line of a list: what, and in words.
type Line struct{ Name, Text string }

// Analysis says which analysis in another program gave the targets of a run, and what became of them; nothing where the
// structure was here, or where its manifest was written before the run had ended.
func (m *Manifest) Analysis() []Line {
	c := m.Client
	if c == nil {
		return nil
	}
	what := fmt.Sprintf("in another program, by %s at %s; %s, units %s", c.Protocol, c.Address,
		counted(c.DOF, "degree", "of freedom"), c.Units)
	return []Line{{"Analysis", what}, {"Its steps", c.pace(m.RateHz)}, {"Late targets", c.lateness(m)},
		{"Its end", c.ending(m.RateHz)}}
}

// pace is how many steps and motions there were, and how long they took.
func (c *Client) pace(rateHz float64) string {
	text := fmt.Sprintf("%d to its time %.6g s, %s", c.Steps, c.TimeS, counted(c.Motions, "motion", ""))
	if c.Steps > 0 {
		text += fmt.Sprintf(" (%s in a step)", Text("%.3g", float64(c.Motions)/float64(c.Steps)))
	}
	if c.PerTarget > 0 {
		text += fmt.Sprintf(" of %s each, path %s", lasting(c.PerTarget, rateHz), c.Path)
	}
	if c.TimeScale > 0 {
		text += fmt.Sprintf("; the test took %.4g times as long as the analysis's time", c.TimeScale)
	}
	return text
}

// lateness is what became of targets that came late. A virtual run waits for its analysis.
func (c *Client) lateness(m *Manifest) string {
	if m.Test == nil {
		return "none: a virtual run waits in its tick until the next target has come"
	}
	text := fmt.Sprintf("none of %d", c.Motions)
	if c.LateSamples > 0 {
		text = fmt.Sprintf("%d of %d, which stretched the test by %s", c.LateTargets, c.Motions,
			lasting(c.LateSamples, m.RateHz))
	}
	text += fmt.Sprintf("; the longest wait for a target was %s", lasting(c.LongestWait, m.RateHz))
	if c.Path == "cubic" {
		text += fmt.Sprintf(", and the path goes on at full speed for %s", lasting(c.Extrapolate, m.RateHz))
	}
	return text
}

// ending is how run and analysis have parted.
func (c *Client) ending(rateHz float64) string {
	text := clientEnds[c.End]
	if c.RestSamples > 1 {
		text += "; the path slowed down and stood for " + lasting(c.RestSamples, rateHz)
	}
	return text
}

// counted is a number of things in words.
func counted(n int, one, more string) string {
	if n != 1 {
		one += "s"
	}
	return strings.TrimSpace(fmt.Sprintf("%d %s %s", n, one, more))
}

// lasting is a number of samples with their time.
func lasting(samples int, rateHz float64) string {
	text := counted(samples, "sample", "")
	if rateHz > 0 {
		text += fmt.Sprintf(" (%s ms)", Text("%.4g", 1e3*float64(samples)/rateHz))
	}
	return text
}
