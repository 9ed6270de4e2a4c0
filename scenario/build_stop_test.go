package scenario

import (
	"context"
	"errors"
	"testing"
)

// A build ends with the cause of its context, and makes no loop.
func TestBuildStops(t *testing.T) {
	why := errors.New("another keystroke")
	ctx, stop := context.WithCancelCause(t.Context())
	stop(why)
	if r, err := chainScenario(t, fallbackText).Build(ctx, Options{}); r != nil || !errors.Is(err, why) {
		t.Errorf("%v, %v: want no loop, and %v", r, err, why)
	}
}
