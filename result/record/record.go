// Package record is the archive of a run: a folder with manifest.json, which
// says what was run and how it ended, and frames.arrow, an Arrow IPC stream
// with one row per tick, written as the run goes and readable after a crash up
// to the last whole batch. docs/reference/archive.md describes both.
//
// A Recorder is an observer of the loop that writes, and a Writer takes rows from elsewhere; Open
// reads a folder back. Streams are hashed as they are written, and Open wants them as the manifest says
// (Manifest.Verify). A test in the laboratory has a second stream, around.arrow, for the ticks
// before and after the run; Rewrite completes the folder of a test that was killed. Frames can be
// exported as CSV, Parquet and for MATLAB. Units are SI: m, m/s, m/s², N, s. Column says what a column
// is; a channel of a part may have a name without its unit, as a1 or ref_x1.
//
// Open leaves the columns in the file: a Signal reads 8192 rows at a time. Column and the exports take a whole column,
// or all of them, into memory. A long archive may have a pyramid beside it (PyramidFile), with which Reopen does not
// read the stream.
package record

import (
	"rths"
	"rths/scenario/files"
)

// Format is the version of the archive this package writes and reads.
const Format = 1

// Names of the files in an archive.
const (
	ManifestFile = "manifest.json"
	FramesFile   = "frames.arrow"
	AroundFile   = "around.arrow" // ticks before the first one of the run and after the last one
	CSVFile      = "frames.csv"
	ParquetFile  = "frames.parquet"
	MATFile      = "frames.mat"
	HDF5File     = "frames.h5"
	TDMSFile     = "frames.tdms"
)

// Manifest says what was run and how it ended. The writer sets Format, Columns,
// Files, Sums and Test.AroundRows; everything else is the caller's.
type Manifest struct {
	Format int    `json:"format"`
	Name   string `json:"name"`
	Status string `json:"status"`
	Reason string `json:"reason"` // why it did not complete; empty when it did
	// what its results are worth: good, poor or lost (criteria.Verdict); empty where nobody can tell
	Verdict  string  `json:"verdict"`
	Unstable bool    `json:"unstable,omitempty"` // the loop is, with what its compensator has at the end
	RateHz   float64 `json:"rate_hz"`
	Samples  int     `json:"samples"` // ticks of the run; of a failed record, the rows that are kept
	// rows in the frames where the record failed; nil where it is whole
	RowsKept       *int    `json:"rows_kept,omitempty"`
	SimulatedS     float64 `json:"simulated_s"`     // s of the test
	WallS          float64 `json:"wall_s"`          // s on the clock
	RealtimeFactor float64 `json:"realtime_factor"` // simulated_s / wall_s
	Seed           uint64  `json:"seed"`

	// what a random plant has in place of nominal values, by the keys of the scenario
	Drawn    Values        `json:"drawn,omitempty"`
	Tags     []string      `json:"tags,omitempty"`   // words of the scenario to find the run by
	Scenario string        `json:"scenario"`         // YAML with all defaults filled in
	Folder   string        `json:"folder,omitempty"` // absolute path that relative file names in the scenario start from
	Inputs   []files.Input `json:"inputs,omitempty"` // files that were read, scenario first
	Version  string        `json:"version"`          // of the program
	Go       string        `json:"go"`
	Machine  string        `json:"machine"`
	Started  string        `json:"started"` // RFC 3339

	Criteria    Values                  `json:"criteria"`
	Indicators  Values                  `json:"indicators"`
	Compensator Values                  `json:"compensator"`        // parameters at the end
	Docs        map[string]string       `json:"docs"`               // one line per name of the three above
	Meanings    map[string]ValueMeaning `json:"meanings,omitempty"` // what the numbers of the three above are, by name

	// analysis in another program that integrated the structure; nil: the structure was here
	Client *Client `json:"client,omitempty"`

	Rig  *Rig  `json:"rig,omitempty"`  // elsewhere, that the loop loaded; nil: simulated in the loop's process
	Test *Test `json:"test,omitempty"` // in the laboratory; nil in a virtual run

	Notes    []string `json:"notes,omitempty"`    // said of the scenario: improbable values, parts left out, units assumed
	Warnings []string `json:"warnings,omitempty"` // what spoils the results of a completed run
	Unmet    []string `json:"unmet,omitempty"`    // expectations of the scenario that it misses

	Events  []Event    `json:"events,omitempty"`         // limits that were crossed, and faults on request, in order
	Spectra []Spectrum `json:"spectra,omitempty"`        // of the floors, if asked for
	Learned []Learned  `json:"learned,omitempty"`        // what devices have learned
	Blocks  string     `json:"learned_blocks,omitempty"` // the same as blocks of a scenario, ready to be pasted

	Columns []Column `json:"columns"`
	Files   []string `json:"files"`          // in the folder, beside the manifest
	Sums    []Sum    `json:"sums,omitempty"` // of the streams; none while the run goes on
}

// NotBegun reports whether a manifest is of a test that has not begun, or has not got to its end.
func (m *Manifest) NotBegun() bool { return m.Status == "" || m.Status == rths.Running }

// Ended says how the run has ended, and what its results are worth: "completed, good".
func (m *Manifest) Ended() string {
	if m.Verdict == "" {
		return m.Status
	}
	return m.Status + ", " + m.Verdict
}

// Rig is a rig in another process.
type Rig struct {
	Virtual    bool   `json:"virtual"`    // nothing moved but numbers, as the rig said of itself
	Laboratory string `json:"laboratory"` // its name
	Address    string `json:"address"`
	Clock      string `json:"clock"` // lockstep or rig

	Sent        uint64 `json:"sent"`     // datagrams of the loop
	Received    uint64 `json:"received"` // datagrams that the loop got, of them:
	Repeated    uint64 `json:"repeated"`
	Old         uint64 `json:"old"`
	Bad         uint64 `json:"bad"`
	RigSent     uint64 `json:"rig_sent"` // datagrams of the rig, as its bye said; 0 without one
	RigReceived uint64 `json:"rig_received"`
	RigClipped  uint64 `json:"rig_clipped"` // commands beyond the rig's range or rate
	Parted      bool   `json:"parted"`      // the rig has answered the end of the session
}

// Spectrum is the response spectrum of one floor: the pseudo-acceleration of
// oscillators standing on it over their period.
type Spectrum struct {
	Name         string    `json:"name"`
	DampingRatio float64   `json:"damping_ratio"`
	PeriodS      []float64 `json:"period_s"`
	Sa           []float64 `json:"sa_m_s2"`
}

// ValueMeaning is what a value of a manifest is, without name and number.
type ValueMeaning struct {
	rths.Meaning
	Unit   string `json:"unit,omitempty"`
	Family string `json:"criterion,omitempty"` // row of criteria.Kinds
	Number int    `json:"number,omitempty"`    // that a benchmark gives it
}

// Column describes one column of the frames.
type Column struct {
	Name   string `json:"name"`
	Unit   string `json:"unit"`
	Doc    string `json:"doc"`
	Source string `json:"source"` // "frame" or "channel"

	rths.Meaning
}

// Event is a limit of the rig that was crossed, or, without value and limit, the beginning or
// end of a fault on request, or a change between a compensator and its fallback.
type Event struct {
	TimeS   float64 `json:"time_s"`
	Channel string  `json:"channel"`
	Fault   string  `json:"fault,omitempty"` // its kind
	Value   Number  `json:"value"`
	Limit   Number  `json:"limit"`
	Age     int     `json:"age,omitempty"` // of the reading at that instant, samples
	// warn, indicate, hold, ramp or stop; of a fault begins or ends; of a fallback falls back or returns
	Action string `json:"action"`
	Cause  string `json:"cause,omitempty"` // why a compensator fell back
	Values Values `json:"values"`          // all channels with a limit at that instant
}

// What Event.Action says of a fault.
const (
	Begins = "begins"
	Ends   = "ends"
)

// FailedReading is the Channel of readings that failed: an event without value and limit.
const FailedReading = "reading"

// What Event.Action says of a compensator with a fallback.
const (
	FallsBack = "falls back"
	Returns   = "returns"
)
