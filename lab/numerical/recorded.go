package numerical

import (
	"slices"

	"rths"
	"rths/model/integrate"
)

// Recorded is an Exchange that makes the main steps itself and gives each result when a record says
// that it came: for a replay.
type Recorded struct {
	server    *Server
	waiting   [][]float64
	collected float64
	rest      *rths.Flusher
	given     []float64
	steps     int

	// What the record says in the present row: how many results have come so far; when the newest was
	// there, s since the start, and how long it took, µs.
	Results, ArrivedS, TookUs float64

	took, arrived float64
}

// Connect gives the replay the calculating half of its own loop; steps is the number of samples in a main step.
func (r *Recorded) Connect(c *integrate.Calculator, steps int) {
	r.server, r.steps, r.given = NewServer(c, steps), steps, make([]float64, c.Gives())
	r.rest = rths.NewFlusher(row(r.given))
}

// Post makes the main step.
func (r *Recorded) Post(asked []float64) {
	given := make([]float64, len(r.given))
	r.server.Step(given, asked)
	r.waiting = append(r.waiting, given)
}

// Collect gives the oldest result, if it had come.
func (r *Recorded) Collect(given []float64) bool {
	if r.collected >= r.Results || len(r.waiting) == 0 {
		return false
	}
	copy(r.given, r.waiting[0])
	r.waiting = slices.Delete(r.waiting, 0, 1)
	r.rest.Between(int(r.collected)*r.steps, int(r.collected+1)*r.steps)
	r.collected++
	r.took, r.arrived = r.TookUs, r.ArrivedS
	copy(given, r.given)
	return true
}

// Channels are those of Link.
func (r *Recorded) Channels() []rths.Channel { return channels(&r.arrived, &r.took) }
