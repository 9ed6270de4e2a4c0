// Package page is the live page of a test: a browser shows how a run goes, and can stop it.
//
//	loop or supervisor → Feed → Hub → queues of the viewers → browsers
//
// The goroutine of the rows calls Feed.Row at every tick and Feed.Show some fifty times a second. Neither waits: a
// row is copied into a bin, and bins are handed over when the Hub's lock is free. A bin has the smallest and the
// largest value of every quantity, so that a spike of one sample is drawn. The Hub sends a frame 25 times a
// second. Every viewer has a queue of a few frames. A frame that does not fit is dropped and counted, and the
// viewer gets the whole history again later.
//
// The page is no emergency stop. Its stop button asks for what Ctrl-C asks for.
package page

import (
	"rths/result/record"
	"rths/scenario"
)

// Test is what does not change while a test runs.
type Test struct {
	Manifest   *record.Manifest // with columns, and the resolved scenario
	Samples    int
	Virtual    bool                 // nothing moves but numbers
	Laboratory string               // its name; empty: the rig is simulated in this process
	Parameters []scenario.Parameter // columns of the compensator
	WatchdogS  float64              // without commands for so long the rig goes to safety by itself, s; 0: not known
	// without supervisor for so long the loop ramps down, s; 0: loop and supervisor are one process
	SilentS float64
	Folder  string // of the record; empty: nothing is recorded
}

// Now is how a test goes at this instant.
type Now struct {
	Word   string // state of the guard, as in RUNNING
	Phase  string // in words
	Next   string // what happens next
	Tick   int    // of the run
	Rows   int    // recorded
	Behind int    // rows that wait for the record
	Late   int    // late ticks
	Most   int    // most of them in a row
	Cycle  *Cycle // nil: not known
}

// Cycle is how long ticks have taken.
type Cycle struct {
	P50Us float64   `json:"p50"`
	P99Us float64   `json:"p99"`
	MaxUs float64   `json:"max"`
	From  []float64 `json:"from"` // edges of the bars, µs
	To    []float64 `json:"to"`
	Count []float64 `json:"count"`
	Of    float64   `json:"of"` // a period, µs
}

// Verdict is what a test has come to.
type Verdict struct {
	Status string  `json:"status"`
	Reason string  `json:"reason"`
	Words  string  `json:"words"` // of the report; empty: not yet
	Cause  string  `json:"cause"`
	Values []Value `json:"values"`
	Report bool    `json:"report"` // the page has a report
	Ended  bool    `json:"ended"`  // false: the rig is at rest, and the session with it goes on
}

// Value is a number of a verdict.
type Value struct {
	Name string        `json:"name"` // without its unit
	V    record.Number `json:"v"`
	Unit string        `json:"unit"`
}

// Question is asked of the operator.
type Question struct {
	Step string `json:"step"` // ARM, START, END or GO
	Text string `json:"text"`
	Want string `json:"want"` // the word that says yes
}

// Answer is what somebody has answered.
type Answer struct{ Text, Who string }
