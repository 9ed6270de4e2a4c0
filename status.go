package rths

import (
	"errors"
	"fmt"
	"math"
)

// Statuses that a run, a study or advice can have.
const (
	Running   = "running" // not over, or killed
	Completed = "completed"
	Tripped   = "tripped"  // a limit of the rig acted
	Diverged  = "diverged" // the loop became unstable
	Stopped   = "stopped"  // by the user
	Failed    = "failed"   // an error of the rig, or of the record: then RowsKept is set
	Refused   = "refused"  // of a run of a study: the scenario cannot be built
	Lost      = "lost"     // a process of a test in the laboratory was killed: the manifest had still said running
)

// DivergedError is the error of a tick whose target or command is not finite or
// larger than a sound test can have.
type DivergedError struct {
	T     float64 // s
	What  string  // "target", "measured", "command", "pose" or what the coupler's error names (QuantityError)
	Axis  int
	Value float64 // m
	Limit float64 // m
	Why   error   // of a target that is not a number: why the integrator failed; of a coupler: why it failed; else nil
}

// QuantityError is the error of a coupler that names the quantity that went wrong; others are of the pose.
type QuantityError interface {
	error
	Quantity() string
}

// Error says when, what and how far.
func (d *DivergedError) Error() string {
	switch {
	case d.Coupled():
		return fmt.Sprintf("reading at t = %.4f s: %v", d.T, d.Why)
	case d.What == "command":
		return fmt.Sprintf("diverged at t = %.4f s: command of axis %d is %g m, not a finite number", d.T, d.Axis+1, d.Value)
	}
	return fmt.Sprintf("diverged at t = %.4f s: %s of axis %d is %.4g m, limit %.4g m", d.T, d.What, d.Axis+1, d.Value,
		d.Limit)
}

// Coupled reports whether the coupler has failed.
func (d *DivergedError) Coupled() bool { return d.Why != nil && d.What != "target" }

// check wants target and measured displacement within the limit and a finite command. A
// saturating converter can hide a diverged command, and a stiff structure a diverged
// specimen. A reading that is not a number may just be lost, so it is no divergence. Of a reading that belongs to no pose
// of the interface there is no force.
func (l *Loop) check(f *Frame) *DivergedError {
	if l.pose != nil {
		if err := l.pose.Err(); err != nil {
			d := &DivergedError{T: f.T, What: "pose", Value: math.NaN(), Why: err}
			if q := QuantityError(nil); errors.As(err, &q) {
				d.What = q.Quantity()
			}
			return d
		}
	}
	for i, x := range f.Target.X {
		if !(math.Abs(x) <= l.limit) || math.Abs(f.Read.X[i]) > l.limit || !(math.Abs(l.computed[i]) <= math.MaxFloat64) {
			return l.diverged(f, i)
		}
	}
	return nil
}

func (l *Loop) diverged(f *Frame, axis int) *DivergedError {
	d := &DivergedError{T: f.T, What: "target", Axis: axis, Value: f.Target.X[axis], Limit: l.limit}
	switch {
	case !(math.Abs(d.Value) <= l.limit):
		if i, ok := As[Failer](l.c.Integrator); ok {
			d.Why = i.Err()
		}
	case math.Abs(f.Read.X[axis]) > l.limit:
		d.What, d.Value = "measured", f.Read.X[axis]
	default:
		d.What, d.Value, d.Limit = "command", l.computed[axis], math.MaxFloat64
	}
	return d
}
