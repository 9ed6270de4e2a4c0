package advice

import (
	"context"
	"errors"
	"testing"

	"rths"
)

// Work ends by itself, by the user, or by a failure.
func TestEnd(t *testing.T) {
	stopped, stop := context.WithCancel(t.Context())
	stop()
	for _, c := range []struct {
		ctx            context.Context
		failure        error
		status, reason string
	}{
		{t.Context(), nil, rths.Completed, ""}, {stopped, nil, rths.Completed, ""},
		{stopped, stopped.Err(), rths.Stopped, "stopped by the user after 7 runs"},
		{t.Context(), errors.New("disk full"), rths.Failed, "disk full"},
	} {
		a := &Answer{Result: &Result{Done: 7}}
		if a.End(c.ctx, c.failure); a.Status != c.status || a.Reason != c.reason {
			t.Errorf("%v: %s, %q: want %s, %q", c.failure, a.Status, a.Reason, c.status, c.reason)
		}
	}
}

// A folder with a whole advice is refused; one whose advice was stopped goes on with its beginning.
func TestOpenFolder(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct{ status, began string }{{rths.Stopped, "2026-11-02T10:00:00Z"}, {rths.Completed, ""}} {
		a := &Answer{Status: c.status, Started: "2026-11-02T10:00:00Z", Result: &Result{}}
		if err := a.Save(dir); err != nil {
			t.Fatal(err)
		}
		began, unlock, err := Open(dir)
		if began != c.began || (err == nil) != (c.began != "") {
			t.Errorf("%s: began %q, %v: want %q", c.status, began, err, c.began)
		}
		if unlock != nil {
			_ = unlock()
		}
	}
}
