package session

import (
	"encoding/json"
	"io"

	"rths/lab/realtime"
	"rths/lab/rig/wire"
	"rths/method/stability"
	"rths/result/record"
	"rths/scenario"
	"rths/scenario/files"
)

// Job is the first thing that a loop's process is told: what to build, and where the rig is.
type Job struct {
	Scenario string        // YAML with all defaults
	Source   string        // how messages call it
	Folder   string        // that relative file names start from
	Inputs   []files.Input // that the scenario was read from
	Records  string        // folder of named ground motions
	Address  string        // of the rig, udp://host:port
	Program  string        // version
}

// NewJob is the job of a scenario on the rig at an address, with named ground motions from a folder, by a version of
// the program.
func NewJob(s *scenario.Scenario, records, address, program string) (Job, error) {
	text, err := s.YAML()
	return Job{
		Scenario: text, Source: s.Source(), Folder: s.Folder(), Inputs: s.Inputs(), Records: records, Address: address,
		Program: program,
	}, err
}

// toLoop is what the supervisor tells the loop's process before the start, one of them at a time. A supervisor that
// wants no start closes the pipe.
type toLoop struct {
	Job   *Job
	Enter *enter // make the process ready for real time
	Ring  string // path: open it and begin a session with the rig
	Check int    // readings to take before the start
	Arm   *arm
}

// enter says how.
type enter struct {
	CPU int // of the loop's thread
}

// arm says how the test begins; the start itself comes through the ring.
type arm struct {
	First []float64 // first command of the run, m
	Near  []float64 // how far the rig may have moved since the checks, m

	Rehearsed []stability.Rehearsed // of the specimen; empty: it is compared with nothing
}

// toSupervisor is what the loop's process answers, one of them at a time.
type toSupervisor struct {
	Wrong   string // scenario, rig or start are not as wanted: nothing has moved
	Note    string
	Built   *built
	Entered *entered
	Welcome *wire.Info
	Checked *checked
	Armed   bool
	Result  *result
	Parted  *parted
}

// built is a loop that is ready.
type built struct {
	Manifest   manifest // of a run about to start, with its columns
	Samples    int
	Parameters []scenario.Parameter // columns of the compensator
	AroundS    float64              // longest time before and after the run for which there are rows, s
	SilentS    float64              // without supervisor, then the loop ramps down
	Reactions  []Reaction
	Stroke     float64 // m; 0: not stated
	Rate       float64 // m/s; 0: not stated
}

// entered is what the machine has granted.
type entered struct {
	CPU    int // of the loop's thread; -1: any
	Grants []realtime.Grant
}

// checked is what the rig's sensors said while nothing moved.
type checked struct {
	X, F, L  []float64 // means, m, N and m
	SpreadX  []float64 // standard deviation of a reading, m
	TripUs   float64   // shortest time from question to answer, µs
	Age      int       // the largest
	Readings int

	MainStepUs float64 // longest of some main steps at rest, where the numerical part has a process of its own, µs; else 0
}

// result is what a test has come to that is at rest.
type result struct {
	Manifest manifest
	Moves    []record.Move
	ShiftX   []record.Number
	ShiftF   []record.Number
	Cause    string // what stopped the test first; "": nothing
	Rest     *record.Rest
	Lost     int // rows for which the ring had no room
	Held     int // ticks that the guard has held so far
}

// parted is the end of the session with the rig.
type parted struct {
	Ours, Theirs wire.Counts
	Known        bool
	Held         int
	Rest         *record.Rest // while it was held
	PageFaults   int64        // of the loop's thread since arming
}

// manifest is one that travels as it stands in its file, with the explanations of its values.
type manifest struct{ record.Manifest }

// MarshalJSON is the text of the file.
func (m manifest) MarshalJSON() ([]byte, error) { return m.Text() }

// UnmarshalJSON reads it.
func (m *manifest) UnmarshalJSON(text []byte) (err error) {
	m.Manifest, err = record.ParseManifest(text)
	return err
}

// lines sends messages as lines of JSON.
type lines struct{ to *json.Encoder }

func newLines(w io.Writer) lines { return lines{json.NewEncoder(w)} }

// receive decodes messages until the other side has closed; then it calls gone.
func receive[T any](from io.Reader, gone func()) <-chan T {
	out := make(chan T, 8)
	go func() {
		defer close(out)
		for d := json.NewDecoder(from); ; {
			var m T
			if d.Decode(&m) != nil {
				gone()
				return
			}
			out <- m
		}
	}()
	return out
}
